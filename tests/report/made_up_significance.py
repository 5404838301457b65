"""Files of stage significance, with made-up numbers."""

from pathlib import Path
from typing import Any

from contextnmt.files import read_json, write_json


def make_significance(folder: Path, about: dict[str, Any]) -> list[Path]:
    """A file for each pair and test text, of the BLEU of the first seed in the folder's scores.

    Differences of more than a point are beyond chance.
    """
    paths = []
    for pair in about["pairs"]:
        gaps = about.get("gaps", {}).get(pair, {})
        systems = [each["id"] for each in about["systems"] if each["id"] not in gaps]
        scores = {
            system: read_json(folder / f"score/{pair}/{system}/{about['seeds'][0]}/scores.json")
            for system in systems
        }
        for text in about["test"][pair]:
            name = f"{text}.beam{max(about['beams'])}"
            of_text = {system: scores[system][name] for system in systems}
            paths.append(folder / f"significance/{about['name']}/{pair}/{name}.json")
            write_json(paths[-1], significance_of(name, of_text, about))
    return paths


def significance_of(
    name: str, scores: dict[str, dict[str, Any]], about: dict[str, Any]
) -> dict[str, Any]:
    """The content of a file for systems with these scores, each of which may be a gap."""
    contrasts = [
        (present, without)
        for telling in (*about["methods"], *about["claims"])
        for present, without in telling["contrasts"]
        if {present, without} <= set(scores)
    ]
    seeds = len(about["seeds"])
    deviation = 0.5 if seeds > 1 else None
    deviations = dict.fromkeys(scores, deviation)
    variance = {"deviations": deviations, "degrees": 8, "seeds": seeds, "apart": []}
    return {
        "name": name,
        "sentences": 30,
        "seeds": list(about["seeds"]),
        "resamples": 10000,
        "confidence_percent": 95,
        "seed_variance": variance if deviation else None,
        "systems": {
            system: scored
            if "gap" in scored
            else {
                "bleu": scored["bleu"],
                "deviation": deviation,
                "bleu_of_seeds": [scored["bleu"]] * len(about["seeds"]),
                "interval": [scored["bleu"] - 2, scored["bleu"] + 2],
                "notes": [],
            }
            for system, scored in scores.items()
        },
        "contrasts": [difference_of(*each, scores, seeds) for each in dict.fromkeys(contrasts)],
    }


def difference_of(system: str, baseline: str, scores: dict[str, Any], seeds: int) -> dict[str, Any]:
    """A difference as the file has it."""
    names = {"system": system, "baseline": baseline}
    if gap := scores[system].get("gap", scores[baseline].get("gap")):
        return {**names, "gap": gap}
    present, without = scores[system]["bleu"], scores[baseline]["bleu"]
    difference = present - without
    p = 0.0002 if abs(difference) >= 1 else 0.4567

    def around(half_width: float) -> list[float]:
        return [difference - half_width, difference + half_width]

    return {
        **names,
        "difference": difference,
        "interval": around(0.9),
        "interval_with_seeds": around(1.0) if seeds > 1 else None,
        "better_percent": 99.0 if difference > 0 else 1.0,
        "p_bootstrap": p,
        "p_randomization": p / 2,
        "growth": {
            "median": 14.0,
            "long": [present + difference, without],
            "short": [present, without],
            "difference": difference,
            "interval": around(1.2),
            "interval_with_seeds": around(1.3) if seeds > 1 else None,
            "p_bootstrap": p,
        },
    }
