"""What the report of an experiment consists of, by its configuration and what is finished."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contextnmt.configuration import layers
from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.benchmarks import belongs
from contextnmt.report.contents import Contents
from contextnmt.report.report import CAPTIONS, MAKERS, report

ROOT = Path(__file__).parents[2]
SHARDS = {"corpora": {"embedded": {"texts": {"train": {"shards": 3}}}}}
SELECTION = {"select": {"en-fr": {"in_domain": ["dev"], "pairs": 5}}}
DEMO = layers.of_call(ROOT, [], {})


def contents(name: str, **changes: Any) -> Contents:
    """The report of an experiment of the demo, or of a configuration with `changes`."""
    configuration = layers.of_call(ROOT, [], changes) if changes else DEMO
    return Contents("results/demo", configuration, name)


@pytest.mark.parametrize("name", DEMO["experiments"])
@pytest.mark.parametrize("preset", ["demo", "wmt14"])
def test_every_part_has_a_function_a_caption_and_files_of_its_own(name: str, preset: str) -> None:
    found = contents(name, preset=preset)
    parts = list(found.parts())
    assert {part.caption for part in parts} <= set(MAKERS)
    assert all((CAPTIONS / f"{part.caption}.rst").is_file() for part in parts)
    outputs = [path for part in parts for path in found.outputs(part, "csv", "svg", "png")]
    assert len(set(outputs)) == len(outputs) > len(parts)
    assert not [path for path in found.inputs() if path.startswith(found.folder)]


def test_functions_that_no_part_asks_for_are_gone() -> None:
    asked = [
        part.caption
        for preset in ("demo", "wmt14")
        for name in DEMO["experiments"]
        for part in contents(name, preset=preset).parts()
    ]
    assert set(asked) == set(MAKERS)


def test_what_is_not_finished_is_not_asked_for() -> None:
    whole = contents("choi2017")
    some = replace(whole, gaps={"en-fr": {"context": "not trained"}})
    lost = set(whole.files()) - set(some.files())
    assert lost and all("/en-fr/context/" in path for path in lost)
    none = dict.fromkeys(whole.systems, "not trained")
    alone = replace(whole, gaps={"en-fr": none})
    assert alone.pairs == ["en-de"]
    # What became of the texts is told of all pairs, what is measured of those with a system.
    cleaned = next(part for part in alone.parts() if part.caption == "cleaning")
    assert any("/en-fr/" in path for path in cleaned.files["removed"])
    assert not any("en-fr" in name for part in alone.parts() for name in part.figures)
    nothing = replace(whole, gaps={"en-fr": none, "en-de": none})
    assert nothing.pairs == []
    assert nothing.unfinished().startswith("no system of choi2017 is finished: not trained: ")


def test_an_ensemble_is_of_all_seeds_and_no_run() -> None:
    own = {"seeds": [3, 1], "decoding": {"ensemble": True}}
    table, *_ = contents("bahdanau2015", **own).parts()
    files, folder = table.files, "results/demo/score/en-fr"
    assert len(files["ensemble_scores"]) == 5 and len(files["scores"]) == 5 * 2
    assert f"{folder}/rnnsearch-50/ensemble/scores.json" in files["ensemble_scores"]
    assert not any("ensemble" in path for path in files["scores"])
    alone = contents("bahdanau2015", **own | {"seeds": [3]})
    assert next(iter(alone.parts())).files["ensemble_scores"] == []
    assert alone.described()["ensemble"] is False


@pytest.mark.parametrize(
    ("name", "changes", "job", "known"),
    [
        ("choi2017", {}, "train/en-fr/baseline/1", True),
        ("choi2017", {}, "train/en-fr/baseline/2", False),
        ("choi2017", {}, "train/en-fr/gru/1", False),
        ("choi2017", {}, "score/en-fr/baseline/ensemble", False),
        ("choi2017", {"seeds": [1, 2]}, "train/en-fr/baseline/2", True),
        ("choi2017", {"pairs": ["en-de"]}, "train/en-fr/baseline/1", False),
        ("choi2017", {}, "masks/en-de/context/1/test", True),
        ("choi2017", {}, "binarize/en-de/word", True),
        ("choi2017", {}, "symbolize/en-de/dev.pair", True),
        ("bahdanau2015", {}, "symbolize/en-fr/train", False),
        ("bahdanau2015", {}, "binarize/en-fr/bpe", False),
        ("bahdanau2015", {}, "lexicon/en-fr", True),
        ("choi2017", {}, "lexicon/en-fr", False),
        ("bahdanau2015", {}, "known-lines/en-fr/word/test", True),
        ("choi2017", {}, "known-lines/en-fr/word/test", False),
        ("bahdanau2015", {}, "score/en-fr/rnnsearch-50/1.replaced", True),
        ("choi2017", {}, "significance/chen2017/en-fr/test.beam12", False),
        ("choi2017", {}, "significance/choi2017/en-fr/test.beam12", True),
        ("choi2017", {}, "extract/en-fr/train", True),
        ("choi2017", {}, "extract/en-fr/train.3", False),
        ("choi2017", SHARDS, "extract/en-fr/train.3", True),
        ("choi2017", SHARDS, "clean/en-fr/train.2of3", True),
        ("choi2017", {}, "clean/en-fr/train.2of3", False),
        ("choi2017", {}, "rank/en-fr", False),
        ("choi2017", SELECTION, "rank/en-fr", True),
        ("choi2017", {}, "score/en-fr/baseline/1.replaced", False),
        ("choi2017", {}, "extract/en-fr/an-earlier-text", False),
        ("choi2017", {}, "word-counts/en-fr/fr", True),
        ("choi2017", {}, "generate/embedded/embedded.tar.gz", True),
        ("choi2017", {}, "download/europarl/training.tgz", False),
        ("choi2017", {}, "report/choi2017", False),
    ],
)
def test_jobs_that_a_report_rests_on(
    name: str, changes: dict[str, Any], job: str, known: bool
) -> None:
    assert belongs(contents(name, **changes), *job.split("/")) is known


def test_mistakes_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    with pytest.raises(UserError, match=r"configuration\.json: no such file: is .*demo a results"):
        report(folder, "choi2017")
    about = {"digest": "", "deviations": []}
    told = {"configuration": DEMO, "gaps": {}, "papers": dict.fromkeys(DEMO["experiments"], about)}
    folder.mkdir()
    (folder / "configuration.json").write_text(json.dumps(told))
    with pytest.raises(UserError, match=r"configuration\.json: not written by this version"):
        write_json(folder / "configuration.json", {"configuration": DEMO})
        report(folder, "choi2017")
    (folder / "configuration.json").write_text(json.dumps(told))
    with pytest.raises(UserError, match=r"^choi2018: .*demo has no such experiment, but choi2017,"):
        report(folder, "choi2018")
    with pytest.raises(UserError, match="--only: name an experiment too"):
        report(folder, only="corpora")
    with pytest.raises(UserError, match=r"scores\.json and \d+ more files: not there yet"):
        report(folder, "choi2017")
    with pytest.raises(UserError, match=r"choi2017/index\.html: not there yet: `contextnmt report"):
        report(folder)
    none = {
        pair: {
            system: "no model" for name in DEMO["experiments"] for system in contents(name).systems
        }
        for pair in DEMO["pairs"]
    }
    write_json(folder / "configuration.json", told | {"gaps": none})
    with pytest.raises(UserError, match=r"^no system of choi2017 is finished: no model: "):
        report(folder, "choi2017")
    with pytest.raises(
        UserError, match=r"^no system of bahdanau2015 is .* no system of choi2017 is"
    ):
        report(folder)
