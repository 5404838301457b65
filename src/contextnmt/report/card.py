"""The model card of an exported run, in the layout of the Hugging Face Hub.

YAML metadata come first (https://github.com/huggingface/hub-docs/blob/main/modelcard.md), with all
test scores as ``model-index``; then text, made of the template card.md.j2.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import yaml

from contextnmt.configuration.recipes import leaves
from contextnmt.report.gaps import shown
from contextnmt.report.provenance import archives, duration, used
from contextnmt.report.results import Record, Results, pair_title, read_record
from contextnmt.translation.exported import Manifest
from contextnmt.translation.run_file import Run

#: Metric of the Hub, its name here -> its key in scores.json, and that of its signature.
METRICS = {
    ("bleu", "BLEU, tokenized"): ("bleu", "signature"),
    ("sacrebleu", "BLEU, detokenized"): ("bleu_detokenized", "signature_detokenized"),
    ("chrf", "chrF"): ("chrf", "signature_chrf"),
    ("ter", "TER"): ("ter", "signature_ter"),
}


@dataclass(frozen=True)
class Score:
    """The scores of a text at a beam width.

    `split` is ``test``, or empty where nobody knows it; `interval` is that of the system over its
    seeds.
    """

    text: str
    split: str
    beam: int
    found: Mapping[str, Any]
    interval: str


def card(
    model: Record, run: Run, scored: Record, manifest: Manifest, results: Results | None
) -> str:
    """The card of an exported folder.

    `model` and `scored` are the contents of model.json and scores.json; `results` are those of the
    pair in the experiment. Without them the card does not name the paper, the corpora and their
    terms.
    """
    scores = list(scores_of(scored, manifest, results))
    corpora = list(corpora_of(results)) if results else []
    labels = {system.id: system.label for system in results.systems} if results else {}
    label = labels.get(manifest.system, "")
    free = bool(corpora) and all(each["generated"] for each in corpora)
    content = {
        "manifest": manifest,
        "title": f"{label or manifest.system}, {pair_title(manifest.pair)}",
        "metadata": yaml.safe_dump(
            metadata(manifest, scores, free), sort_keys=False, allow_unicode=True
        ),
        "results": results,
        "label": label,
        "model": model,
        "run": run,
        "settings": list(leaves({key: model[key] for key in ("model", "training")})),
        "deviations": [
            each
            for each in (results.deviations if results else [])
            if each["system"] in ("", label) and not of_another_pair(each["key"], manifest.pair)
        ],
        "corpora": corpora,
        "scores": scores,
        "metrics": METRICS,
        "signatures": signatures(scores),
        "time": duration(model["seconds"]),
        "shown": shown,
    }
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=False,  # it is Markdown
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("card.md.j2").render(content).rstrip("\n")


def scores_of(scored: Record, manifest: Manifest, results: Results | None) -> Iterator[Score]:
    """The likeliest translations that have scores, of test texts only where these are known."""
    for name, found in scored.items():
        text, _, beam = name.rpartition(".beam")
        tested = results is None or text in results.test[manifest.pair]
        if beam.isdecimal() and tested and "gap" not in found:
            split = "test" if results else ""
            yield Score(text, split, int(beam), found, interval(results, manifest, name))


def interval(results: Results | None, manifest: Manifest, name: str) -> str:
    """Mean BLEU of the system over its seeds with its interval; empty where it was not tested."""
    if results is None:
        return ""
    path = results.folder / f"significance/{results.name}/{manifest.pair}/{name}.json"
    content = read_record(path) if path.is_file() else {}
    found = content.get("systems", {}).get(manifest.system, {"gap": ""})
    if "gap" in found:
        return ""
    low, high = found["interval"]
    return f"{found['bleu']:.2f} [{low:.2f}, {high:.2f}]"


def corpora_of(results: Results) -> Iterator[dict[str, Any]]:
    """Each corpus with its terms, whom to cite, and its files with their digests."""
    files = [name.split("/", 1) for name in sorted(archives(results))]
    for corpus, terms in used(results).items():
        entry = results.configuration["corpora"][corpus]
        own = {file: entry["files"][file] for of, file in files if of == corpus}
        generated = all("generator" in each for each in own.values())
        yield {
            "name": corpus,
            "generated": generated,
            "terms": " ".join(terms.split()),
            "cite": entry.get("cite") or [],
            "files": {file: digest_of(each) for file, each in own.items()},
        }


def digest_of(file: Mapping[str, Any]) -> str:
    """The digest, or for a generated file the seed, that the configuration states of a file."""
    found = (f"{kind} `{file[kind]}`" for kind in ("sha256", "md5", "seed") if file.get(kind))
    return next(found, "no digest stated")


def of_another_pair(key: str, pair: str) -> bool:
    """Whether the dotted key of a setting has the name of a language pair that is not this one."""
    return any(re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", s) and s != pair for s in key.split("."))


def metadata(manifest: Manifest, scores: list[Score], free: bool) -> dict[str, Any]:
    """The metadata; `free`: the package wrote the training data, so weights are under its licence.

    The licence of other weights depends on the terms of the training data, which the text lists.
    """
    licence = {"license": "mit"} if free else {"license": "other", "license_name": "see-terms"}
    name = f"contextnmt-{manifest.pair}-{manifest.system}-{manifest.seed}"
    found = {
        "language": manifest.pair.split("-"),
        **licence,
        "library_name": "contextnmt",
        "pipeline_tag": "translation",
        "tags": ["translation", "recurrent-neural-network"],
        "metrics": [kind for kind, _ in METRICS],
    }
    texts = dict.fromkeys(score.text for score in scores)
    index = [result(manifest.pair, [s for s in scores if s.text == text]) for text in texts]
    return {**found, "model-index": [{"name": name, "results": index}]} if index else found


def result(pair: str, scores: list[Score]) -> dict[str, Any]:
    """An entry of the ``model-index``: the metrics of one text at all beam widths."""
    metrics = [
        {
            "type": kind,
            "value": round(score.found[key], 2),
            "name": f"{name}, beam {score.beam}",
            "args": {"beam": score.beam, "signature": score.found[signature]},
        }
        for score in scores
        for (kind, name), (key, signature) in METRICS.items()
        if key in score.found
    ]
    text, split = scores[0].text, scores[0].split
    dataset = {"type": text, "name": f"{text} ({pair})", "config": pair}
    return {
        "task": {"type": "translation", "name": f"Translation {pair}"},
        "dataset": {**dataset, **({"split": split} if split else {})},
        "metrics": metrics,
    }


def signatures(scores: list[Score]) -> dict[str, str]:
    """Metric -> its signatures, as sacreBLEU writes them; further references make another one."""
    return {
        name: ", ".join(dict.fromkeys(s.found[key] for s in scores if key in s.found))
        for (_, name), (_, key) in METRICS.items()
    }
