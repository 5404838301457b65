"""Files of stage length-scores, with made-up numbers."""

from pathlib import Path
from typing import Any

from contextnmt.files import write_json

BINS = [(0, 10, 400), (11, 20, 1500), (21, 30, 7), (31, 40, 0), (41, 50, 3), (51, None, 0)]
#: Words of the shortest sentence of each window.
STARTS = range(1, 30)


def group(low: int, high: int | None, sentences: int) -> dict[str, Any]:
    mean = low + 4.5 if sentences else None
    return {"from": low, "to": high, "sentences": sentences, "mean_length": mean}


def bleu(value: float | None, seeds: int = 1) -> dict[str, Any]:
    interval = None if value is None else [value - 1, value + 1]
    return {"bleu": value, "bleu_of_seeds": [value] * seeds, "interval": interval}


def lengths_of(name: str, systems: list[str], seeds: list[int]) -> dict[str, Any]:
    """The content of a file, each system two points better than the one before."""
    return {
        "name": name,
        "sentences": 1910,
        "seeds": list(seeds),
        "window": 200,
        "resamples": 1000,
        "confidence_percent": 95,
        "bins": [group(*span) for span in BINS],
        "windows": [group(start, start + 6, 210) for start in STARTS],
        "systems": {
            system: {
                "bins": [bleu(20.0 + 2 * n if count else None, len(seeds)) for _, _, count in BINS],
                "windows": [bleu(20.0 + 2 * n - start / 10, len(seeds)) for start in STARTS],
            }
            for n, system in enumerate(systems)
        },
    }


def make_lengths(folder: Path, about: dict[str, Any]) -> list[Path]:
    """A file for each pair, of the first test text."""
    paths = []
    for pair in about["pairs"]:
        name = f"{about['test'][pair][0]}.beam{max(about['beams'])}"
        gaps = about.get("gaps", {}).get(pair, {})
        systems = [each["id"] for each in about["systems"] if each["id"] not in gaps]
        paths.append(folder / f"length-scores/{about['name']}/{pair}/{name}.json")
        write_json(paths[-1], lengths_of(name, systems, about["seeds"]))
    return paths
