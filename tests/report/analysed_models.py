"""Files of the stages `local-charts` and `masks`, of made-up vectors, and words of a figure."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from contextnmt.evaluation.distances import compare
from contextnmt.evaluation.local_charts import charts_of
from contextnmt.evaluation.word_vectors import WordVectors
from contextnmt.files import write_json

WORDS = ["notebook", *(f"w{number}" for number in range(150))]


def write_charts(path: Path, words: list[str], *names: str) -> dict[str, Any]:
    """Charts of these vectors, each of its own; returns what is in the file."""
    charts = {
        name: charts_of(
            WordVectors(WORDS, np.random.default_rng(seed).normal(size=(151, 6))), words
        )
        for seed, name in enumerate(names)
    }
    content = {"words": words, "charts": charts}
    write_json(path, content)
    return content


def masks_content(
    contextualizer: bool = True, words: tuple[str, ...] = ("bank", "pen")
) -> dict[str, Any]:
    """Each word in three contexts of each of two senses, which the masks tell apart."""
    random = np.random.default_rng(len(words))
    content: dict[str, Any] = {"contextualizer": contextualizer, "words": {}, "all": {"words": 0}}
    for word in words:
        senses = [f"{word}-{sense}" for sense in "aabbab"]
        means = {sense: random.uniform(0.2, 0.8, 8) for sense in sorted(set(senses))}
        vector = random.normal(size=8)
        gates = [means[sense] + random.uniform(-0.05, 0.05, 8) for sense in senses]
        masks = np.array(gates) if contextualizer else np.ones((6, 8))
        content["words"][word] = {
            "vector": vector.tolist(),
            "occurrences": [
                {
                    "line": line,
                    "sentence": f"the {word} number {line}",
                    "sense": sense,
                    "mask": gate.tolist() if contextualizer else None,
                }
                for line, (sense, gate) in enumerate(zip(senses, gates, strict=True), start=1)
            ],
            **compare(vector * masks, senses),
        }
    if words:
        found = content["words"][words[0]]
        content["all"] = {
            "words": len(words),
            "separation": found["separation"],
            "same": found["same"],
            "different": found["different"],
        }
    content["words"]["seal"] = {"gap": "sentences that have it: 1; a comparison takes two"}
    return content


def words_of(svg: Path) -> list[str]:
    """The texts of a figure."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8"))
