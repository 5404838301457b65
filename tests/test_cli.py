import importlib
import re
import signal
import subprocess
import sys
import tomllib
import typing
from pathlib import Path

import pytest

from contextnmt.cli import HEADINGS, STAGES, main, overview

ROOT = Path(__file__).parents[1]

#: What the command line itself is made of.
COMMON = {"cli", "closure", "errors", "files"}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """The exit status of ``contextnmt ARGUMENTS``."""
    monkeypatch.setattr(sys, "argv", ["contextnmt", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--help"], 0), (["-h"], 0)])
def test_the_overview_lists_the_stages_in_order(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
) -> None:
    assert run(monkeypatch, *arguments) == status
    lines = capsys.readouterr().out.split("\n")
    named = [line.split() for line in lines if re.match(r"  \S", line)]
    assert [name for name, *_ in named if name in STAGES] == list(STAGES)
    assert all(len(phrase) > 1 for _, *phrase in named)  # nothing is listed bare
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("columns", [70, 80, 200])
def test_the_overview_tells_what_each_stage_of_a_step_does(columns: int) -> None:
    lines = overview(columns).split("\n")
    assert max(map(len, lines)) <= min(columns, 100)
    headings = [line for line in lines if re.fullmatch(r"[A-Z][\w ]+:", line)]
    assert headings == [f"{heading}:" for heading in HEADINGS]
    text = " ".join(" ".join(lines).split())
    assert "Corpus: download Fetch one file of a corpus and check its digests generate " in text
    assert " Training: train Train a model Translation: translate Translate texts by " in text
    assert " restore Undo what a view did to the words of a translation Evaluation: " in text
    assert (
        " Before a run: plan Say what a call of Snakemake will cost, by stage On another " in text
    )
    assert text.endswith("After two runs: compare Compare two results folders")


def test_the_overview_imports_no_stage() -> None:
    """They take seconds."""
    program = (
        "import sys; from contextnmt import cli; cli.overview(80);"
        "print(*(name for name in sys.modules if name.startswith('contextnmt.')), 'torch' in "
        "sys.modules, 'numpy' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    *ours, torch, numpy = ended.stdout.split()
    assert (torch, numpy) == ("False", "False")
    assert {"contextnmt.cli"} <= set(ours) <= {f"contextnmt.{name}" for name in COMMON}


def test_the_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"contextnmt {project['version']}\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tokenise", "did you mean tokenize?"),
        ("word-count", "did you mean word-counts"),
        ("symbol_scores", "did you mean symbol-scores, "),
        ("xyz", "`contextnmt` lists them"),
    ],
)
def test_an_unknown_stage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, hint: str
) -> None:
    assert run(monkeypatch, name) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"contextnmt: no stage {name!r}; {hint}")
    assert error.endswith("`contextnmt` lists them all\n")
    assert len(error) < 160


def arguments_of_select(folder: Path) -> list[str]:
    outs = ("source", "target", "source-counts", "target-counts", "selected")
    names = ("source", "target", *(f"{out}-out" for out in outs))
    return [part for name in names for part in (f"--{name}", str(folder / name))]


def test_a_mistake_is_printed_without_a_traceback(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "contextnmt", "select", *arguments_of_select(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    last = ended.stderr.rstrip("\n").split("\n")[-1]
    assert last.endswith(f"contextnmt select: {tmp_path / 'source'}: no such file")
    assert "Traceback" not in ended.stderr


def test_a_bug_keeps_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("contextnmt.selection.select.write_pairs", broken)
    monkeypatch.setattr(sys, "argv", ["contextnmt", "select", *arguments_of_select(tmp_path)])
    with pytest.raises(ZeroDivisionError):
        main()


def test_a_stage_that_ends_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for side in ("source", "target"):
        (tmp_path / side).write_text("a b\n")
    assert run(monkeypatch, "select", *arguments_of_select(tmp_path)) == 0
    assert (tmp_path / "source-counts-out").read_text() == "a\t1\nb\t1\n"


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_explains_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stage: str
) -> None:
    function = getattr(importlib.import_module(STAGES[stage]), stage.replace("-", "_"))
    for name, kind in typing.get_type_hints(function, include_extras=True).items():
        if name != "return":
            assert kind.__metadata__[0].help, f"--{name} is not explained"
    assert run(monkeypatch, stage, "--help") == 0
    example = "report results/demo choi2017" if stage == "report" else f"{stage} --"
    assert f"contextnmt {example}" in " ".join(capsys.readouterr().out.split())


def test_no_stage_writes_over_what_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text"
    text.write_text("a b\n", encoding="utf-8")
    (tmp_path / "codes").write_text("#version: 0.2\na b\n", encoding="utf-8")
    cut = ["bpe", "--text", str(text), "--codes", str(tmp_path / "codes"), "--out"]
    assert run(monkeypatch, *cut, str(tmp_path / "." / "text")) == 2
    assert f"--out {text}: read or written already" in capsys.readouterr().err
    assert text.read_text(encoding="utf-8") == "a b\n"
    assert run(monkeypatch, *cut, str(tmp_path / "cut")) == 0


def test_no_stage_writes_one_file_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, out = str(tmp_path / "text"), str(tmp_path / "out")
    options = ["--source-language", "en", "--target-language", "fr"]
    options += ["--source", text, "--target", text, "--source-out", out, "--target-out", out]
    assert run(monkeypatch, "tokenize", *options) == 2
    assert f"{out}: read or written already" in capsys.readouterr().err


def test_the_help_has_a_short_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "symbolize", "-h") == 0
    assert "<S>_1" in capsys.readouterr().out


def ended(program: str) -> subprocess.CompletedProcess[bytes]:
    """Run a Python program."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)


def test_ctrl_c_while_a_stage_is_loaded_ends_quietly() -> None:
    stopped = ended(
        "import os, signal, sys; from contextnmt import cli;"
        # As from a terminal: what is started in the background ignores the signal from birth.
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "cli.importlib.import_module = lambda _: os.kill(os.getpid(), signal.SIGINT);"
        "sys.argv = ['contextnmt', 'train']; cli.main()"
    )
    assert (stopped.returncode, stopped.stderr) == (-signal.SIGINT, b"")


def test_no_garbage_is_looked_for_among_what_a_stage_loads() -> None:
    loading = ended(
        "import gc, sys; from contextnmt.cli import loaded;"
        "searches = []; gc.callbacks.append(lambda *_: searches.append('torch' in sys.modules));"
        "loaded('contextnmt.translation.translate');"
        "kept = gc.get_freeze_count(); assert kept > 100_000, kept;"
        "assert not any(searches); assert gc.isenabled()"
    )
    assert (loading.returncode, loading.stderr) == (0, b"")


def test_no_garbage_is_looked_for_at_the_end_of_a_stage() -> None:
    ending = ended(
        "import gc; from contextnmt.cli import loaded;"
        "loaded('contextnmt.corpus.clean');"
        "later = [[number] for number in range(100_000)];"
        "gc.callbacks.append(lambda *_: print(len(gc.get_objects())))"
    )
    assert (ending.returncode, ending.stderr) == (0, b"")
    searched = ending.stdout.split()
    assert searched
    assert all(int(objects) < 100_000 for objects in searched)


@pytest.mark.parametrize("arguments", [["--help"], ["symbolize", "--help"]])
def test_who_reads_the_output_may_stop(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "contextnmt", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout
        assert program.stderr
        program.stdout.close()  # before anything is written
        assert program.stderr.read() == b""
    assert program.returncode == 1
