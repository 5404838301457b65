"""Files of the stages `local-charts` and `masks`, of made-up vectors, and words of a figure."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from contextnmt.evaluation.distances import compare
from contextnmt.evaluation.local_charts import charts_of
from contextnmt.evaluation.masks import over_words
from contextnmt.evaluation.word_vectors import WordVectors
from contextnmt.files import write_json
from contextnmt.report.contextualization import gates_table
from contextnmt.report.experiment import experiment_of
from contextnmt.report.local_charts import local_charts_figure, local_charts_table
from contextnmt.report.masks import masks_figure, masks_table
from contextnmt.report.tables import write_table

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
    content: dict[str, Any] = {"contextualizer": contextualizer, "words": {}}
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
    content["words"]["seal"] = {"gap": "sentences that have it: 1; a comparison takes two"}
    content["all"] = over_words(content["words"])
    return content


def without_senses(content: dict[str, Any]) -> dict[str, Any]:
    """The same masks in a text without tags."""
    for found in content["words"].values():
        if "gap" not in found:
            masks = np.array([each["mask"] for each in found["occurrences"]])
            found |= compare(np.array(found["vector"]) * masks, [""] * len(masks))
            for each in found["occurrences"]:
                each["sense"] = ""
    content["all"] = over_words(content["words"])
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
    """Charts and masks, their tables and figures; those of en-de are of a text without tags."""
    experiment, out = experiment_of(about), folder / "report"
    for pair in about["pairs"]:
        content = masks_content() if pair == "en-fr" else without_senses(masks_content())
        finished = "context" not in about.get("gaps", {}).get(pair, {})
        names = ["cbow", "context"] if finished else ["cbow"]
        write_charts(folder / f"local-charts/{pair}.json", ["notebook"], *names)
        for seed in about["seeds"] if finished else []:
            write_json(folder / f"masks/{pair}/context/{seed}/test.json", content)
    charts = sorted(folder.glob("local-charts/*.json"))
    masks = sorted(folder.glob("masks/*/*/*/*.json"))
    write_table(out / "tables/table1", local_charts_table(charts, experiment))
    local_charts_figure(charts, experiment, out / "figures")
    trained = [folder / "train" / each.parent.relative_to(folder / "masks") for each in masks]
    models, logs = ([each / name for each in trained] for name in ("model.json", "log.jsonl"))
    write_table(out / "tables/gates", gates_table(models, logs, experiment))
    write_table(out / "tables/masks", masks_table(masks, experiment))
    masks_figure(masks, experiment, out / "figures")


def words_of(svg: Path) -> list[str]:
    """The texts of a figure."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text(encoding="utf-8"))
