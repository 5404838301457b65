"""Files of the stages `local-charts` and `masks`, of made-up vectors, and words of a figure."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from contextnmt.evaluation.cbow import WordVectors
from contextnmt.evaluation.distances import compare, masked_distances
from contextnmt.evaluation.local_charts import charts_of
from contextnmt.evaluation.masks import over_words
from contextnmt.files import write_json

WORDS = ["notebook", *(f"w{number}" for number in range(150))]


def write_charts(folder: Path, pair: str, words: list[str], *names: str) -> dict[str, Any]:
    """Charts of a pair by CBOW and systems, each of its own vectors; returns their content."""
    charts = {
        name: charts_of(
            WordVectors(WORDS, np.random.default_rng(seed).normal(size=(151, 6))), words
        )
        for seed, name in enumerate(["cbow", *names])
    }
    content = {"words": words, "charts": charts}
    write_json(folder / f"local-charts/{pair}.json", content)
    return content


def masks_content(words: tuple[str, ...] = ("bank", "pen")) -> dict[str, Any]:
    """Each word in three contexts of each of two senses, which the masks of both sides tell apart.

    A target mask is half as far open as that of the source.
    """
    random = np.random.default_rng(len(words))
    content: dict[str, Any] = {"contextualizer": True, "words": {}}
    for word in words:
        senses = [f"{word}-{sense}" for sense in "aabbab"]
        means = {sense: random.uniform(0.2, 0.8, 8) for sense in sorted(set(senses))}
        vector, *renderings = random.normal(size=(3, 8))
        masks = np.array([means[sense] + random.uniform(-0.05, 0.05, 8) for sense in senses])
        content["words"][word] = {
            "vector": vector.tolist(),
            "occurrences": [
                {
                    "line": line,
                    "sentence": f"the {word} number {line}",
                    "sense": sense,
                    "mask": mask.tolist(),
                    "target_mask": (mask / 2).tolist(),
                }
                for line, (sense, mask) in enumerate(zip(senses, masks, strict=True), start=1)
            ],
            **compare(masked_distances(vector[None], masks), senses),
            "target": {
                "vectors": dict(
                    zip(sorted(means), map(np.ndarray.tolist, renderings), strict=True)
                ),
                **compare(masked_distances(np.array(renderings), masks / 2), senses),
            },
        }
    content["words"]["seal"] = {"gap": "sentences that have it: 1; a comparison takes two"}
    content["all"] = over_words(content["words"])
    return content


def without_senses(content: dict[str, Any]) -> dict[str, Any]:
    """The same masks in a text without tags."""
    for found in content["words"].values():
        if "gap" not in found:
            masks = np.array([each["mask"] for each in found["occurrences"]])
            vectors = np.array([found["vector"]])
            found |= compare(masked_distances(vectors, masks), [""] * len(masks))
            found["target"] = {"gap": "its renderings are not known"}
            for each in found["occurrences"]:
                each["sense"] = ""
    content["all"] = over_words(content["words"])
    return content


def without_target(content: dict[str, Any]) -> dict[str, Any]:
    """Return the masks in the format of an earlier version."""
    for found in content["words"].values():
        found.pop("target", None)
        for each in found.get("occurrences", ()):
            del each["target_mask"]
    for key in ("between_percent", "varying_percent", "target"):
        del content["all"][key]
    return content


def gates_of(mean: float) -> dict[str, float]:
    """Gate statistics as a validation logs them."""
    return {
        f"{side}_gate_{name}": value * (1 + number)
        for number, side in enumerate(("source", "target"))
        for name, value in {
            "mean": mean,
            "open": 0.25,
            "closed": 0.125,
            "deviation": 0.0625,
        }.items()
    }


def make_contextualization(folder: Path, about: dict[str, Any]) -> None:
    """Charts and masks; those of en-de are of a text without tags."""
    for pair in about["pairs"]:
        content = masks_content() if pair == "en-fr" else without_senses(masks_content())
        finished = "context" not in about.get("gaps", {}).get(pair, {})
        write_charts(folder, pair, ["notebook"], *(["context"] if finished else []))
        for seed in about["seeds"] if finished else []:
            path = folder / f"masks/{pair}/context/{seed}/{about['test'][pair][0]}.json"
            write_json(path, content)


def words_of(svg: Path) -> list[str]:
    """The texts of a figure."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8"))
