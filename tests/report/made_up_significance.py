"""Files of stage significance, with made-up numbers."""

from pathlib import Path
from typing import Any

from contextnmt.files import read_json, write_json


def make_significance(
    folder: Path, about: dict[str, Any], scores: Path | None = None
) -> list[Path]:
    """A file for each pair and test text, of the BLEU of the first seed in the folder's scores, or
    in those of another folder.

    Differences of a point or more are significant.
    """
    paths = []
    for pair in about["pairs"]:
        for text in about["test"][pair]:
            name = f"{text}.beam{max(about['beams'])}"
            scored = {
                system["id"]: read_json(
                    (scores or folder)
                    / f"score/{pair}/{system['id']}/{about['seeds'][0]}/scores.json"
                )[name]
                for system in about["systems"]
                if system["id"] not in about.get("gaps", {}).get(pair, {})
            }
            paths.append(folder / f"significance/{about['name']}/{pair}/{name}.json")
            gaps = {each: entry["gap"] for each, entry in scored.items() if "gap" in entry}
            bleu = {each: entry["bleu"] for each, entry in scored.items() if each not in gaps}
            contrasts = [each for each in contrasts_of(about) if set(each) <= set(bleu)]
            content = significance_of(name, bleu, contrasts, about["seeds"])
            content["systems"] |= {system: {"gap": reason} for system, reason in gaps.items()}
            content["contrasts"] += [
                {
                    "system": system,
                    "baseline": baseline,
                    "gap": gaps.get(system, gaps.get(baseline)),
                }
                for system, baseline in contrasts_of(about)
                if {system, baseline} & set(gaps) and {system, baseline} <= set(scored)
            ]
            write_json(paths[-1], content)
    return paths


def contrasts_of(about: dict[str, Any]) -> list[tuple[str, str]]:
    """The contrasts of all methods and claims whose systems are there."""
    there = {system["id"] for system in about["systems"]}
    found = [
        (present, without)
        for telling in (*about["methods"], *about["claims"])
        for present, without in telling["contrasts"]
        if {present, without} <= there
    ]
    return list(dict.fromkeys(found))


def significance_of(
    name: str, bleu: dict[str, float], contrasts: list[tuple[str, str]], seeds: list[int]
) -> dict[str, Any]:
    """The content of a file for systems with these BLEU scores."""
    return {
        "name": name,
        "sentences": 30,
        "seeds": list(seeds),
        "resamples": 10000,
        "confidence_percent": 95,
        "systems": {
            system: {
                "bleu": value,
                "deviation": 0.5 if len(seeds) > 1 else None,
                "bleu_of_seeds": [value] * len(seeds),
                "interval": [value - 2, value + 2],
                "notes": [],
            }
            for system, value in bleu.items()
        },
        "contrasts": [difference_of(*contrast, bleu) for contrast in contrasts],
    }


def difference_of(system: str, baseline: str, bleu: dict[str, float]) -> dict[str, Any]:
    """A difference as the file has it."""
    difference = bleu[system] - bleu[baseline]
    p = 0.0002 if abs(difference) >= 1 else 0.4567
    return {
        "system": system,
        "baseline": baseline,
        "difference": difference,
        "interval": [difference - 0.9, difference + 0.9],
        "better_percent": 99.0 if difference > 0 else 1.0,
        "p_bootstrap": p,
        "p_randomization": p / 2,
        "growth": {
            "median": 14.0,
            "long": [bleu[system] + difference, bleu[baseline]],
            "short": [bleu[system], bleu[baseline]],
            "difference": difference,
            "spread": None,
            "interval": [difference - 1.2, difference + 1.2],
            "p_bootstrap": p,
        },
    }
