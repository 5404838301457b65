"""Two results folders side by side: settings and BLEU that differ, and refusals."""

import csv
import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from compared_folders import configure, make_folder
from evaluation.systems import REFERENCES, damaged

from contextnmt.errors import UserError
from contextnmt.evaluation import significance
from contextnmt.evaluation.outputs import Translations
from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.files import write_json, write_lines
from contextnmt.report.compare import COLUMNS, compare, scope
from contextnmt.report.gaps import MISSING, differences
from contextnmt.report.results import Run

NO_CHANGE = "Trainings: no difference in settings, texts, code, environment, as the folders tell."


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "RESAMPLES", 500)


@pytest.fixture
def a(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "a")


def compared(a: Path, b: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines that the command prints."""
    compare(a, b)
    return capsys.readouterr().out.split("\n")


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


def test_equal_folders(a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = compared(a, make_folder(tmp_path / "b"), capsys)
    assert lines[:4] == [f"A: {a}", f"B: {tmp_path / 'b'}", "", NO_CHANGE]
    assert "BLEU of en-fr, test, beam 12, 60 sentences" in lines
    _, left, right, *others = row_of(lines, "context")
    assert left == right
    assert others == ["+0.00", "+0.00 to +0.00", "1.000", "1.000"]
    assert not any(line.startswith("Only") for line in lines)
    assert {row["kind"] for row in rows(a, tmp_path / "b")} == {"score"}
    assert any(line.startswith("* significant, 0 of 2: ") for line in lines)
    assert max(map(len, lines)) <= 100


def test_a_key_that_a_record_lacks_is_not_stated(
    a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In an old record, where there was no such key yet."""
    for folder, table in ((a, {}), (tmp_path / "b", {"table": "own"})):
        make_folder(folder, changes={"model.contextualizer": {"layers": [64], **table}})
    lines = compared(a, tmp_path / "b", capsys)
    assert "    model.contextualizer.table  not stated -> own" in lines
    found = rows(a, tmp_path / "b", "setting")
    assert [(row["a"], row["b"]) for row in found] == [("", "own")] * 2


def test_a_changed_setting_is_said_once(
    a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    b = make_folder(
        tmp_path / "b", changes={"training.learning_rate": 0.0005, "environment.commit": "2" * 40}
    )
    contextualizer = {"model.contextualizer": {"layers": [64]}, "training.learning_rate": 0.0005}
    changes = {**contextualizer, "environment.commit": "2" * 40, "environment.packages": {}}
    make_folder(b, ("en-fr/context/1",), changes=changes)
    lines = compared(a, b, capsys)
    first = lines.index("Settings, A -> B")
    assert lines[first + 1 : first + 5] == [
        "all runs",
        "    training.learning_rate  0.001 -> 0.0005",
        "context",
        '    model.contextualizer  null -> {"layers": [64]}',
    ]
    assert f"    environment.commit  {'1' * 12} -> {'2' * 12}" in lines
    assert "    environment.packages.sacrebleu  2.6.0 -> not stated" in lines
    found = rows(a, b, "setting")
    assert [(row["system"], row["key"], row["a"], row["b"]) for row in found] == [
        ("baseline", "training.learning_rate", "0.001", "0.0005"),
        ("context", "training.learning_rate", "0.001", "0.0005"),
        ("context", "model.contextualizer", "null", '{"layers": [64]}'),
    ]


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


def test_a_changed_score(a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    b = make_folder(tmp_path / "b", ("en-fr/baseline/1",), share=0.05)
    make_folder(b, ("en-fr/context/1",))
    lines = compared(a, b, capsys)
    assert "*" in lines[[line[:10] for line in lines].index("  baseline")]
    (told,) = (n for n, line in enumerate(lines) if line.startswith("* significant, 1 of 2: "))
    assert "in less than 5 % of cases" in " ".join(" ".join(lines[told:]).split())
    (better, same) = rows(a, b, "score")
    seed = 100 * len("en-fr/baseline/1") + 1
    for side, share in (("a", 0.3), ("b", 0.05)):
        expected = tokenized_bleu(damaged(share, seed), REFERENCES)["bleu"]
        assert float(better[side]) == pytest.approx(expected)
    assert float(better["difference"]) == pytest.approx(float(better["b"]) - float(better["a"]))
    assert 0 < float(better["low"]) < float(better["difference"]) < float(better["high"])
    assert float(better["p_bootstrap"]) == pytest.approx(2 / 501)
    assert float(better["p_randomization"]) == pytest.approx(1 / 501)
    assert (better["significant"], same["significant"]) == ("true", "false")
    assert (better["pair"], better["system"], better["key"]) == ("en-fr", "baseline", "bleu")
    assert (better["text"], better["beam"], better["seeds"]) == ("test", "12", "1")
    assert better["a_deviation"] == better["note"] == ""


def test_systems_of_a_text_are_scored_together(
    a: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = []

    def content(found: Translations, contrasts: list[tuple[str, str]]) -> dict[str, Any]:
        groups.append(contrasts)
        return one(found, contrasts)

    one = significance.content
    monkeypatch.setattr(significance, "content", content)
    make_folder(a, ("en-fr/bpe/1", "en-fr/bpe/2"))
    b = make_folder(tmp_path / "b", ("en-fr/baseline/1", "en-fr/bpe/1", "en-fr/bpe/2"))
    assert [row["system"] for row in rows(a, b, "score")] == ["baseline", "bpe"]
    assert groups == [[("baseline of B", "baseline of A")], [("bpe of B", "bpe of A")]]
    groups.clear()
    rows(a, a)
    assert [len(group) for group in groups] == [2, 1]


def test_other_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tuple(f"en-fr/baseline/{seed}" for seed in (1, 2, 3))
    a = make_folder(tmp_path / "a", (*runs, "en-fr/context/1"))
    b = make_folder(tmp_path / "b", ("en-fr/baseline/2", "en-fr/baseline/3", "en-fr/context/2"))
    lines = compared(a, b, capsys)
    assert "Only in A: en-fr/baseline (seed 1), en-fr/context (seed 1)" in lines
    assert "Only in B: en-fr/context (seed 2)" in lines
    note = "A has seeds 1, 2, 3 and B has seeds 2, 3: those of both are compared"
    assert f"  baseline: {note}" in lines
    assert "±" in row_of(lines, "baseline")[1]
    assert row_of(lines, "context")[1:] == ["–"] * 6
    assert "  context: A has seed 1 and B has seed 2: none to compare" in lines
    with_numbers, without = rows(a, b, "score")
    assert (with_numbers["seeds"], with_numbers["note"]) == ("2 3", note)
    assert float(with_numbers["a_deviation"]) > 0
    assert (without["a"], without["difference"], without["seeds"]) == ("", "", "")
    assert [(row["system"], row["a"], row["b"]) for row in rows(a, b, "run")] == [
        ("baseline", "1 2 3", "2 3"),
        ("context", "1", "2"),
    ]


def test_other_references(a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    b = make_folder(tmp_path / "b")
    other = [line.replace("chat", "chien") for line in REFERENCES]
    write_lines(b / "tokenize/en-fr/test.fr.gz", other)
    text = " ".join(" ".join(compared(a, b, capsys)).split())
    assert "the references differ (60 lines in A, 60 in B): each BLEU is by its own" in text
    assert "significant" not in text
    for row in rows(a, b, "score"):
        assert float(row["b"]) < float(row["a"])
        assert row["difference"] == row["p_bootstrap"] == row["significant"] == ""
        assert row["note"].startswith("the references differ")


def test_what_is_in_one_folder_alone(
    a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = ("en-fr/baseline/1", "en-fr/bpe/1", "en-fr/bpe/2")
    b = make_folder(tmp_path / "b", runs, beams=(1, 12))
    # What is no single model's likeliest translation is not looked at.
    write_lines(b / "restore/en-fr/baseline/1/test.beam1.no-unknown.gz", [])
    shutil.copytree(b / "restore/en-fr/baseline/1", b / "restore/en-fr/baseline/ensemble")
    lines = compared(a, b, capsys)
    assert "Only in A: en-fr/context (seed 1)" in lines
    assert "Only in B: en-fr/bpe (seeds 1, 2), test.beam1 of en-fr/baseline" in lines
    (row,) = rows(a, b, "translation")
    assert (row["text"], row["beam"], row["a"], row["b"]) == ("test", "1", "", "1")


def test_runs_that_are_not_finished(
    a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    lines = compared(a, b, capsys)
    for system, reason in reasons.items():
        assert f"Not finished in B: en-fr/{system} seed 1: {reason}" in lines
    assert [row["system"] for row in rows(a, b, "score")] == ["gru"] * 2
    assert {row["system"]: row["note"] for row in rows(a, b, "unfinished")} == reasons


def test_gaps_of_the_report_are_compared_if_their_files_are_there(a: Path, tmp_path: Path) -> None:
    b = make_folder(tmp_path / "b")
    configure(b, (12,), gaps={"en-fr": {"baseline": "not trained"}})
    assert {row["kind"] for row in rows(a, b)} == {"score"}


def test_translations_without_their_models(
    a: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that somebody copied in part."""
    b = make_folder(tmp_path / "b")
    shutil.rmtree(b / "train")
    shutil.rmtree(b / "translate")
    lines = compared(a, b, capsys)
    assert "Settings: no run in both whose settings are known." in lines
    assert any(line.startswith("Settings not known in B: en-fr/baseline seed 1") for line in lines)
    assert len(rows(a, b, "score")) == 2


@pytest.mark.parametrize("name", ["restore/en-fr/baseline/1/test.beam12.gz", "reference"])
@pytest.mark.parametrize("damage", ["short", "cut", "missing", "other"])
def test_a_damaged_text_is_a_gap(a: Path, tmp_path: Path, name: str, damage: str) -> None:
    b = make_folder(tmp_path / "b", share=0.1)
    path = b / ("tokenize/en-fr/test.fr.gz" if name == "reference" else name)
    if damage == "short":
        write_lines(path, REFERENCES[:-1])
    elif damage == "cut":
        path.write_bytes(gzip.compress("\n".join(REFERENCES).encode())[:-20])
    elif damage == "other":
        path.write_bytes(gzip.compress(b"\xff\n" * len(REFERENCES)))
    elif name == "reference":
        path.unlink()
    else:
        path.unlink()
        path.mkdir()
    baseline, context = rows(a, b, "score")
    assert baseline["difference"] == baseline["b"] == baseline["p_bootstrap"] == ""
    assert path.name in baseline["note"]
    if name == "reference":
        assert context["b"] == ""
    else:
        assert float(context["difference"]) > 0
        assert float(baseline["a"]) > 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train/en-fr/context/1/model.json", "", "not JSON"),
        ("train/en-fr/context/1/model.json", "[]", "not what a stage writes"),
        ("train/en-fr/context/1/model.json", '{"model": {}}', "no data in it"),
        ("run/en-fr/context/1.json", "{}", "no symbols in it"),
        ("train-identity/en-fr/context/1.json", "{}", "no code in it"),
    ],
)
def test_a_damaged_record_is_told(
    a: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    message: str,
) -> None:
    b = make_folder(tmp_path / "b")
    (b / name).parent.mkdir(parents=True, exist_ok=True)
    (b / name).write_text(content)
    lines = compared(a, b, capsys)
    assert any(line.startswith("Settings not known in B: en-fr/context seed 1:") for line in lines)
    assert NO_CHANGE in lines
    assert len(rows(a, b, "score")) == 2
    (row,) = rows(a, b, "unread")
    assert row["note"].startswith(f"{b / name}: {message}")


def test_folders_that_cannot_be_compared(a: Path, tmp_path: Path) -> None:
    unfinished, begun = (tmp_path / name for name in ("unfinished", "begun"))
    for folder in (unfinished, begun):
        configure(folder, (12,))
    for system in ("baseline", "bpe", "bpe-symbol", "context", "gru", "symbol"):
        write_lines(begun / f"train/en-fr/{system}/1/state/log.jsonl", ["{}"])
    other = make_folder(tmp_path / "other", ("en-de/bpe/1",))
    six = ("baseline", "bpe", "bpe-symbol", "context", "gru", "symbol")
    many = make_folder(tmp_path / "many", tuple(f"en-de/{system}/1" for system in six))
    for folder, message in {
        tmp_path: r"configuration\.json: no such file: is .* a results folder\? If so, `snakemake",
        tmp_path / "none": r"none/configuration\.json: no such file",
        unfinished: "no run in it is finished .none has begun.: let the call",
        begun: "finished .6 begun, such as en-fr/baseline seed 1: training not finished.: let",
        other: "has en-fr/baseline, en-fr/context and .* has en-de/bpe: no system .* in both",
        many: "has en-de/baseline, .*, en-de/gru, and 1 more: no system",
    }.items():
        with pytest.raises(UserError, match=message):
            compare(a, folder)


def test_a_failed_comparison_leaves_the_csv_file(a: Path, tmp_path: Path) -> None:
    out = tmp_path / "changes.csv"
    out.write_text("from before\n")
    with pytest.raises(UserError):
        compare(a, tmp_path / "none", out)
    assert out.read_text() == "from before\n"


def test_the_command(a: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "contextnmt", "compare", str(a)]
    make_folder(a, ("en-fr/baseline/2",))  # two seeds have a ±
    ended = subprocess.run(
        [*command, str(a)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert ended.returncode == 0, ended.stderr
    assert NO_CHANGE in ended.stdout
    ended = subprocess.run(
        [*command, str(tmp_path / "none")], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr == (
        f"contextnmt compare: {tmp_path / 'none/configuration.json'}: no such file: is "
        f"{tmp_path / 'none'} a results folder? If so, `snakemake --profile local configuration` "
        "writes it, with the first --config\n"
    )


def test_keys_that_differ() -> None:
    a = {"x": {"y": 1, "z": [1, 2]}, "part": None, "filters": [{"n": 1}, {"n": 2}], "old": 1}
    b = {"x": {"y": 2, "z": [1, 2]}, "part": {"n": 1}, "filters": [{"n": 1}, {"n": 3}], "new": 1}
    assert list(differences(a, b)) == [
        ("x.y", 1, 2),
        ("part", None, {"n": 1}),
        ("filters.2.n", 2, 3),
        ("old", 1, MISSING),
        ("new", MISSING, 1),
    ]


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
    assert scope(every[:1], every) == "en-de/baseline seed 1"
    assert scope(every[:7], every) == "en-de, en-fr/baseline, en-fr/bpe seed 1"
