"""Two results folders side by side: settings and BLEU that differ, and refusals."""

import csv
import gzip
import io
import math
import re
import shutil
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from evaluation.systems import REFERENCES, damaged

from contextnmt.configuration import layers
from contextnmt.errors import UserError
from contextnmt.evaluation import significance
from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.evaluation.seed_variance import seed_variance
from contextnmt.files import write_json, write_lines
from contextnmt.report.compare import COLUMNS, compare, scope
from contextnmt.report.results import Run

NO_CHANGE = "Trainings: the folders record no difference in settings, texts, code, environment."


DEMO = layers.of_call(
    Path(__file__).parents[2], [], {"pairs": ["en-fr", "en-de"], "seeds": [1, 2, 3]}
)


def make_folder(
    folder: Path,
    runs: tuple[str, ...] = ("en-fr/baseline/1", "en-fr/context/1"),
    share: float = 0.3,
    changes: dict[str, Any] | None = None,
    beams: tuple[int, ...] = (12,),
) -> Path:
    """Trained and translated runs, whose translations have this share of wrong words.

    Every system of the demo with three seeds is in the configuration. `changes`: dotted keys of
    a record and their values.
    """
    configure(folder, beams)
    for run in runs:
        pair, _, seed = run.split("/")
        content = record(int(seed))
        for key, value in (changes or {}).items():
            *steps, last = key.split(".")
            block = content
            for step in steps:
                block = block[step]
            block[last] = value
        write_json(folder / f"train/{run}/model.json", content)
        for beam in beams:
            translation = damaged(share, seed=100 * len(run) + int(seed))
            for stage in ("translate", "restore"):
                write_lines(folder / f"{stage}/{run}/test.beam{beam}.gz", translation)
        write_lines(folder / f"tokenize/{pair}/test.{pair.partition('-')[2]}.gz", REFERENCES)
        write_json(folder / f"restore/{run}/restored.json", {})
    return folder


def configure(
    folder: Path, beams: tuple[int, ...], gaps: dict[str, dict[str, str]] | None = None
) -> None:
    """Write a configuration with one text, which is translated with these beam widths."""
    configuration = deepcopy(DEMO)
    for roles in configuration["roles"].values():
        roles["dev"] = []
    for experiment in configuration["experiments"].values():
        experiment["decoding"]["beams"] = list(beams)
    about = {"digest": "", "deviations": []}
    papers = dict.fromkeys(DEMO["experiments"], about)
    told = {"configuration": configuration, "gaps": gaps or {}, "papers": papers}
    write_json(folder / "configuration.json", told)


def record(seed: int) -> dict[str, Any]:
    """A model.json, without the keys that no comparison reads."""
    side = {"sha256": "ab" * 32, "tokens": 1234, "unknowns": 56}
    vocabulary = {"sha256": "cd" * 32, "words": 800}
    return {
        "model": {"hidden": 64, "contextualizer": None, "smoother": {"words": "all"}},
        "training": {"learning_rate": 0.001, "patience": None},
        "seed": seed,
        "data": {
            "manifest": {
                "train": {"pairs": 100, "source": side, "target": dict(side)},
                "vocabulary": {"limit": 800, "source": vocabulary, "target": dict(vocabulary)},
            },
            "dev": {"pairs": 10, "source": {"sha256": "ef" * 32}},
            "filters": [],
            "pairs": 99,
            "dropped": {"empty": 1},
        },
        "environment": {"commit": "1" * 40, "dirty": False, "packages": {"sacrebleu": "2.6.0"}},
    }


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "RESAMPLES", 500)


@pytest.fixture
def a(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "a")


def compared(a: Path, b: Path) -> list[str]:
    """The lines that the command prints."""
    with redirect_stdout(io.StringIO()) as out:
        compare(a, b)
    return out.getvalue().split("\n")


def rows(a: Path, b: Path, kind: str = "") -> list[dict[str, str]]:
    """The rows of the CSV file, or those of a kind."""
    compare(a, b, a.parent / "changes.csv")
    with open(a.parent / "changes.csv", encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    assert all(list(row) == COLUMNS for row in found)
    return [row for row in found if kind in ("", row["kind"])]


def row_of(lines: list[str], system: str) -> list[str]:
    """The cells of a system in the only table."""
    (line,) = [line for line in lines if line.startswith(f"  {system} ")]
    return re.split(" {2,}", line.strip())


def test_equal_folders(a: Path, tmp_path: Path) -> None:
    b = make_folder(tmp_path / "b")
    configure(b, (12,), gaps={"en-fr": {"baseline": "not trained"}})  # and yet it is there
    lines = compared(a, b)
    assert lines[:4] == [f"A: {a}", f"B: {tmp_path / 'b'}", "", NO_CHANGE]
    assert "BLEU of en-fr, test, beam 12, 60 sentences" in lines
    _, left, right, *others = row_of(lines, "context")
    assert left == right
    assert others == ["same", "–", "–", "–"]
    assert not any(line.startswith("Only") for line in lines)
    assert {row["kind"] for row in rows(a, tmp_path / "b")} == {"score"}
    assert not any("95 % over" in line for line in lines)  # nothing is tested
    assert max(map(len, lines)) <= 100


def test_a_key_that_a_record_lacks_is_not_stated(a: Path, tmp_path: Path) -> None:
    """In an old record, where there was no such key yet. Items of a list are numbered."""
    for folder, most, table in ((a, 2, {}), (tmp_path / "b", 3, {"table": "own"})):
        changes = {"data.filters": [{"most": 1}, {"most": most}]}
        make_folder(folder, changes=changes | {"model.contextualizer": {"layers": [64], **table}})
    lines = compared(a, tmp_path / "b")
    assert "    model.contextualizer.table  not stated -> own" in lines
    assert "    data.filters.2.most  2 -> 3" in lines
    found = rows(a, tmp_path / "b", "setting")
    assert [(row["a"], row["b"]) for row in found] == [("", "own")] * 2


def test_a_changed_setting_is_said_once(a: Path, tmp_path: Path) -> None:
    b = make_folder(
        tmp_path / "b", changes={"training.learning_rate": 0.0005, "environment.commit": "2" * 40}
    )
    contextualizer = {"model.contextualizer": {"layers": [64]}, "training.learning_rate": 0.0005}
    changes = contextualizer | {"environment.commit": "2" * 40, "environment.packages": {}}
    make_folder(b, ("en-fr/context/1",), changes=changes)
    lines = compared(a, b)
    first = lines.index("Settings, A -> B")
    assert lines[first + 1 : first + 5] == [
        "all runs",
        "    training.learning_rate  0.001 -> 0.0005",
        "context",
        '    model.contextualizer  null -> {"layers": [64]}',
    ]
    assert f"    environment.commit  {'1' * 12} -> {'2' * 12}" in lines
    assert "    environment.packages.sacrebleu  2.6.0 -> not stated" in lines
    *_, last = found = rows(a, b, "setting")
    assert [row["system"] for row in found] == ["baseline", "context", "context"]
    assert (last["a"], last["b"]) == ("null", '{"layers": [64]}')


def test_settings_of_the_text_and_source_files(a: Path, tmp_path: Path) -> None:
    changes = {"data.manifest.vocabulary.limit": 700, "model.smoother": {"words": "unknown"}}
    b = make_folder(tmp_path / "b", changes=changes)
    for folder, threshold, merges, mark in ((a, 0.3, 3, "1"), (b, 0.4, 5, "2")):
        symbols = {"threshold": threshold}
        codes = "../../../bpe/codes.en-fr"
        run = folder / "run/en-fr/baseline/1.json"
        write_json(run, {"symbols": symbols, "codes": codes})
        write_lines(folder / "bpe/codes.en-fr", ["#version: 0.2", *["a b"] * merges])
        code = ["contextnmt/a.py@same", f"contextnmt/b.py@{mark}"]
        write_json(folder / "train-identity/en-fr/baseline/1.json", {"code": code})
    write_json(b / "run/en-fr/context/1.json", {"symbols": None, "codes": None})  # not in A
    found = rows(a, b)
    of_baseline = {row["key"]: (row["a"], row["b"]) for row in found if row["system"] == "baseline"}
    del of_baseline["bleu"]
    assert of_baseline == {
        "text.symbol_threshold": ("0.3", "0.4"),
        "text.merges_learnt": ("3", "5"),
        "text.vocabulary_size": ("800", "700"),
        "model.smoother.words": ("all", "unknown"),
        "contextnmt/b.py": ("1", "2"),
    }
    assert not any(row["key"] == "view" for row in found)


def test_what_follows_from_a_digest_is_not_told(a: Path, tmp_path: Path) -> None:
    side = {"sha256": "99" * 32, "tokens": 1, "unknowns": 1}
    changes = {"data.manifest.train.source": side, "data.dropped": {"empty": 5}, "data.pairs": 95}
    found = rows(a, make_folder(tmp_path / "b", changes=changes), "data")
    assert [row["key"] for row in found[::2]] == ["data.pairs", "data.train.source.sha256"]


def test_a_changed_score(tmp_path: Path) -> None:
    changed, kept = (
        tuple(f"en-fr/{system}/{seed}" for seed in (1, 2)) for system in ("baseline", "context")
    )
    a = make_folder(tmp_path / "a", changed + kept)
    b = make_folder(tmp_path / "b", changed, share=0.05)
    make_folder(b, kept)
    lines = compared(a, b)
    assert "*" in next(line for line in lines if line.startswith("  baseline"))
    assert "*: zero is outside (1 of 1 tested)" in " ".join(" ".join(lines).split())
    (better, same) = rows(a, b, "score")
    for side, share in (("a", 0.3), ("b", 0.05)):
        of_seeds = [
            tokenized_bleu(damaged(share, 100 * len(changed[0]) + seed), REFERENCES)["bleu"]
            for seed in (1, 2)
        ]
        assert float(better[side]) == pytest.approx(fmean(of_seeds))
    assert float(better["low_with_seeds"]) < float(better["low"])
    assert float(better["difference"]) == pytest.approx(float(better["b"]) - float(better["a"]))
    assert 0 < float(better["low"]) < float(better["difference"]) < float(better["high"])
    assert float(better["p_bootstrap"]) == pytest.approx(2 / 501)
    assert float(better["p_randomization"]) == pytest.approx(1 / 501)
    assert (better["decided"], better["note"]) == ("true", "")
    assert (same["decided"], same["difference"], same["note"]) == (
        *("", "0"),
        "the same translations in both",
    )
    # The translations that both folders share count once.
    deviations = {
        "old": float(better["a_deviation"]),
        "new": float(better["b_deviation"]),
        "same": float(same["a_deviation"]),
    }
    margin = seed_variance(deviations, 2).margin("new", "old")
    sentences = float(better["difference"]) - float(better["low"])
    widened = float(better["difference"]) - float(better["low_with_seeds"])
    assert widened == pytest.approx(math.hypot(sentences, margin))
    keys = ("pair", "system", "key", "text", "beam", "seeds", "note")
    expected = ["en-fr", "baseline", "bleu", "test", "12", "1 2", ""]
    assert [better[key] for key in keys] == expected


def test_other_seeds(tmp_path: Path) -> None:
    runs = tuple(f"en-fr/baseline/{seed}" for seed in (1, 2, 3))
    a = make_folder(tmp_path / "a", (*runs, "en-fr/context/1"))
    b = make_folder(tmp_path / "b", ("en-fr/baseline/2", "en-fr/baseline/3", "en-fr/context/2"))
    lines = compared(a, b)
    assert "Only in A: en-fr/baseline (seed 1), en-fr/context (seed 1)" in lines
    assert "Only in B: en-fr/context (seed 2)" in lines
    note = "A has seeds 1, 2, 3 and B has seeds 2, 3: those of both are compared"
    assert f"  baseline: {note}" in lines
    assert "±" in row_of(lines, "baseline")[1]
    assert row_of(lines, "context")[1:] == ["–"] * 6
    assert "  context: A has seed 1 and B has seed 2: none to compare" in lines
    with_numbers, without = rows(a, b, "score")
    assert with_numbers["seeds"] == "2 3"
    assert with_numbers["note"] == f"{note}; the same translations in both"
    assert float(with_numbers["a_deviation"]) > 0
    assert (without["a"], without["difference"], without["seeds"]) == ("", "", "")
    assert [(row["a"], row["b"]) for row in rows(a, b, "run")] == [("1 2 3", "2 3"), ("1", "2")]


def test_other_references(a: Path, tmp_path: Path) -> None:
    b = make_folder(tmp_path / "b")
    other = [line.replace("chat", "chien") for line in REFERENCES]
    write_lines(b / "tokenize/en-fr/test.fr.gz", other)
    text = " ".join(" ".join(compared(a, b)).split())
    assert "the references differ (60 lines in A, 60 in B): each BLEU uses its own" in text
    assert "95 %:" not in text
    for row in rows(a, b, "score"):
        assert float(row["b"]) < float(row["a"])
        assert row["difference"] == row["p_bootstrap"] == row["decided"] == ""
        assert row["note"].startswith("the references differ")


def test_what_is_in_one_folder_alone(a: Path, tmp_path: Path) -> None:
    runs = ("en-fr/baseline/1", "en-fr/bpe/1", "en-fr/bpe/2")
    b = make_folder(tmp_path / "b", runs, beams=(1, 12))
    # What is no single model's likeliest translation is not looked at.
    write_lines(b / "restore/en-fr/baseline/1/test.beam1.no-unknown.gz", [])
    shutil.copytree(b / "restore/en-fr/baseline/1", b / "restore/en-fr/baseline/ensemble")
    lines = compared(a, b)
    assert "Only in A: en-fr/context (seed 1)" in lines
    assert "Only in B: en-fr/bpe (seeds 1, 2), test.beam1 of en-fr/baseline" in lines
    (row,) = rows(a, b, "translation")
    assert (row["text"], row["beam"], row["a"], row["b"]) == ("test", "1", "", "1")


def test_runs_that_are_not_finished(a: Path, tmp_path: Path) -> None:
    reasons = {
        "baseline": "training not finished, at update 1,200",
        "context": "trained, not all translated: no test.beam12.gz",
        "bpe": "translated, not restored",
        "symbol": "trained, not translated",
        "bpe-symbol": "not trained",
    }
    runs = tuple(f"en-fr/{system}/1" for system in (*reasons, "gru"))
    make_folder(a, runs, beams=(1, 12))
    b = make_folder(tmp_path / "b", runs, beams=(1, 12))
    # The translations are those of an older model.
    write_lines(b / "train/en-fr/baseline/1/state/log.jsonl", ['{"update": 1200}'])
    for system in ("baseline", "bpe-symbol"):
        (b / f"train/en-fr/{system}/1/model.json").unlink()
    (b / "translate/en-fr/context/1/test.beam12.gz").unlink()
    (b / "restore/en-fr/bpe/1/restored.json").unlink()
    shutil.rmtree(b / "restore/en-fr/symbol")
    shutil.rmtree(b / "translate/en-fr/symbol")
    lines = compared(a, b)
    for system, reason in reasons.items():
        assert f"Not finished in B: en-fr/{system} seed 1: {reason}" in lines
    assert [row["system"] for row in rows(a, b, "score")] == ["gru"] * 2
    assert {row["system"]: row["note"] for row in rows(a, b, "unfinished")} == reasons


def test_translations_without_their_models(a: Path, tmp_path: Path) -> None:
    """A folder that somebody copied in part."""
    b = make_folder(tmp_path / "b")
    shutil.rmtree(b / "train")
    shutil.rmtree(b / "translate")
    lines = compared(a, b)
    assert "Settings: no run in both whose settings are known." in lines
    assert any(line.startswith("Settings not known in B: en-fr/baseline seed 1") for line in lines)
    assert len(rows(a, b, "score")) == 2


@pytest.mark.parametrize("name", ["restore/en-fr/baseline/1/test.beam12", "tokenize/en-fr/test.fr"])
@pytest.mark.parametrize(
    "content",
    [
        gzip.compress("\n".join(REFERENCES[:-1]).encode()),
        gzip.compress("\n".join(REFERENCES).encode())[:-20],
        gzip.compress(b"\xff\n" * len(REFERENCES)),
    ],
    ids=["short", "cut", "no UTF-8"],
)
def test_a_damaged_text_is_a_gap(a: Path, tmp_path: Path, name: str, content: bytes) -> None:
    b = make_folder(tmp_path / "b", share=0.1)
    path = b / f"{name}.gz"
    path.write_bytes(content)
    baseline, context = rows(a, b, "score")
    assert baseline["difference"] == baseline["b"] == baseline["p_bootstrap"] == ""
    assert path.name in baseline["note"]
    assert bool(context["difference"]) == name.startswith("restore")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train/en-fr/context/1/model.json", "", "not JSON"),
        ("train/en-fr/context/1/model.json", '{"model": {}}', "no data in it"),
        ("run/en-fr/context/1.json", "{}", "no symbols in it"),
        ("train-identity/en-fr/context/1.json", "{}", "no code in it"),
    ],
)
def test_a_damaged_record_is_told(
    a: Path, tmp_path: Path, name: str, content: str, message: str
) -> None:
    b = make_folder(tmp_path / "b")
    (b / name).parent.mkdir(parents=True, exist_ok=True)
    (b / name).write_text(content)
    *scores, row = sorted(rows(a, b), key=lambda row: row["kind"])
    assert [row["kind"] for row in scores] == ["score"] * 2
    assert (row["kind"], row["system"]) == ("unread", "context")
    assert row["note"].startswith(f"{b / name}: {message}")


def test_folders_that_cannot_be_compared(a: Path, tmp_path: Path) -> None:
    """A CSV file of before stays as it was."""
    unfinished, begun = (tmp_path / name for name in ("unfinished", "begun"))
    for folder in (unfinished, begun):
        configure(folder, (12,))
    six = ("baseline", "bpe", "bpe-symbol", "context", "gru", "symbol")
    for system in six:
        write_lines(begun / f"train/en-fr/{system}/1/state/log.jsonl", ["{}"])
    other = make_folder(tmp_path / "other", tuple(f"en-de/{system}/1" for system in six))
    out = tmp_path / "changes.csv"
    out.write_text("from before\n")
    for folder, message in {
        tmp_path: r"configuration\.json: no such file\. If .* is a results folder, `snakemake",
        unfinished: "no run in it is finished .none has begun.: wait until",
        begun: "finished .6 begun, such as en-fr/baseline seed 1: training not finished.: wait",
        other: "has en-fr/baseline, en-fr/context and .* has en-de/baseline, .*, and 1 more: no",
    }.items():
        with pytest.raises(UserError, match=message):
            compare(a, folder, out)
    assert out.read_text() == "from before\n"


def test_a_terminal_without_unicode_gets_ascii(tmp_path: Path) -> None:
    a = make_folder(tmp_path / "a", ("en-fr/baseline/1", "en-fr/baseline/2"))  # seeds have a ±
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="ascii")) as out:
        compare(a, a)
    out.flush()
    assert NO_CHANGE in out.buffer.getvalue().decode("ascii")


def test_runs_in_few_words() -> None:
    every = [
        Run(pair, system, seed)
        for pair in ("en-de", "en-fr")
        for system in ("baseline", "bpe")
        for seed in (1, 2)
    ]
    assert scope(every, every) == "all runs"
    assert scope(every[:4], every) == "en-de"
    assert scope([run for run in every if run.system == "bpe"], every) == "bpe"
    assert scope(every[2:4], every) == "en-de/bpe"
    assert scope(every[:7], every) == "en-de, en-fr/baseline, en-fr/bpe seed 1"
