import importlib
import os
import re
import signal
import subprocess
import sys
import tarfile
import tomllib
import typing
from collections.abc import Callable
from pathlib import Path

import pytest
from tqdm import tqdm

from contextnmt.cli import HEADINGS, STAGES, main
from contextnmt.progress import say

ROOT = Path(__file__).parents[1]

#: What the command line itself is made of.
COMMON = {"cli", "closure", "errors", "files"}

#: Call ``contextnmt ARGUMENTS``; the exit status, and what stands on stdout and stderr.
Run = Callable[..., tuple[int | str | None, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int | str | None, str, str]:
        monkeypatch.setattr(sys, "argv", ["contextnmt", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return call


def ended(program: str) -> subprocess.CompletedProcess[str]:
    """Run a Python program."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def in_shell(words: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell, in which `contextnmt` is the command."""
    line = re.sub(r"\bcontextnmt(?= )", f"{sys.executable} -m contextnmt", words)
    return subprocess.run(line, shell=True, capture_output=True, text=True, check=False)


#: Colours, a title of the window, text from right to left, bytes that are no text, CR.
EVIL = "x\x1b[31m\x1b]0;y\x07\x9b2J\u202e\udcff\rdone"


def test_what_comes_from_outside_does_not_steer_the_terminal(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"{EVIL}.tar"
    with tarfile.open(path, "w") as archive:
        archive.addfile(tarfile.TarInfo(f"{EVIL}\ndone"))
    outs = ["--source-out", f"{tmp_path}/a", "--target-out", f"{tmp_path}/b"]
    for arguments in (
        ["extract", "--source", f"{path}::z", "--target", f"{path}::z", *outs],
        ["extract", "--source", EVIL, "--target", EVIL, *outs],
        ["unpack", f"{path}"],
        [EVIL],
    ):
        code, out, error = run(*arguments)
        assert code == 2 and not out, error
        assert "done" in error
        assert "\rdone" not in error
        assert all(line.isprintable() for line in re.split("[\r\n]", error)), ascii(error)
    say(EVIL)
    assert capsys.readouterr().err == f"{ascii(EVIL)[1:-1]}\n"


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["--help"], 0), (["-h"], 0)])
@pytest.mark.parametrize("columns", [70, 200])
def test_the_overview_tells_what_each_stage_does(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", f"{columns}")
    code, out, _ = run(*arguments)
    assert code == status
    lines = out.split("\n")
    assert max(map(len, lines)) <= min(columns, 100)
    headings = [line for line in lines if re.fullmatch(r"[A-Z][\w ]+:", line)]
    assert headings == [f"{heading}:" for heading in HEADINGS]
    named = [line.split()[0] for line in lines if re.match(r"  \S", line)]
    assert [name for name in named if name in STAGES] == list(STAGES)
    text = " ".join(out.split())
    assert "Corpus: download Fetch one file of a corpus and check its digests generate " in text
    assert text.endswith("After two runs: compare Compare two results folders")


def test_the_overview_imports_no_stage() -> None:
    """They take seconds."""
    program = ended(
        "import sys; from contextnmt import cli; cli.overview(80);"
        "print(*(name for name in sys.modules if name.startswith('contextnmt.')), 'torch' in "
        "sys.modules, 'numpy' in sys.modules)"
    )
    *ours, torch, numpy = program.stdout.split()
    assert (torch, numpy) == ("False", "False")
    assert {"contextnmt.cli"} <= set(ours) <= {f"contextnmt.{name}" for name in COMMON}


def test_the_version_is_that_of_the_project(run: Run) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert run("--version") == (0, f"contextnmt {project['version']}\n", "")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tokenise", "did you mean tokenize?"),
        ("symbol_scores", "did you mean symbol-scores, "),
        ("xyz", "`contextnmt` lists them"),
    ],
)
def test_an_unknown_stage_is_answered_by_like_names(run: Run, name: str, hint: str) -> None:
    code, _, error = run(name)
    assert code == 2
    assert error.startswith(f"contextnmt: no stage {name!r}; {hint}")
    assert error.endswith("`contextnmt` lists them all\n")
    assert len(error) < 160


def arguments_of_select(folder: Path) -> list[str]:
    outs = ("source", "target", "source-counts", "target-counts", "selected")
    names = ("source", "target", *(f"{out}-out" for out in outs))
    return ["select", *(part for name in names for part in (f"--{name}", str(folder / name)))]


def test_a_mistake_is_printed_without_a_traceback(run: Run, tmp_path: Path) -> None:
    code, _, error = run(*arguments_of_select(tmp_path))
    assert code == 2
    last = error.rstrip("\n").split("\n")[-1]
    assert last.endswith(f"contextnmt select: {tmp_path / 'source'}: no such file")
    assert "Traceback" not in error


def test_a_bug_keeps_its_traceback(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contextnmt.selection.select.write_pairs", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(*arguments_of_select(tmp_path))


@pytest.mark.parametrize("place", [2, 6], ids=["source", "source-out"])
def test_a_loop_of_links_is_a_file_that_cannot_be_read(
    run: Run, tmp_path: Path, place: int
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    arguments = arguments_of_select(tmp_path)
    arguments[place] = str(tmp_path / "loop")
    code, _, error = run(*arguments)
    assert code == 2
    what = "loop: cannot be read (" if place == 2 else "source: no such file"
    assert what in error and "Traceback" not in error


def test_an_error_of_the_disk_in_a_thread_is_one_line() -> None:
    """Of TensorBoard's, for one; its next call raises the error again in the main thread."""
    done = ended(
        "import os, sys, threading; from contextnmt import cli\n"
        "def fail(number): raise OSError(number, 'no') if number else RuntimeError('<a>: b (5)')\n"
        "def run(_):\n"
        "    for number in (28, 5, 13, 0, 9):\n"
        "        thread = threading.Thread(target=fail, args=[number])\n"
        "        thread.start(); thread.join()\n"
        "cli.run = run; sys.argv = ['contextnmt', 'train']; cli.main()"
    )
    full, failing, locked, rest = done.stderr.split("\n", 3)
    assert full.startswith("contextnmt train: a file: the disk is full")
    assert failing.startswith("contextnmt train: a file: its disk fails")
    assert locked.startswith("contextnmt train: a file: may not be read or written")
    assert rest.startswith("Exception in thread") and "b (5)" in rest and "Errno 9" in rest  # bugs


def test_a_file_that_the_system_refuses_to_torch_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "weights").write_bytes(b"12345678")
    done = ended(
        "import os, resource, sys, torch; from contextnmt import cli\n"
        "def run(_):\n"
        "    resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0), 64))\n"
        f"    torch.UntypedStorage.from_file({str(tmp_path / 'weights')!r}, False, 8)\n"
        "cli.run = run; sys.argv = ['contextnmt', 'translate']; cli.main()"
    )
    assert done.stderr.startswith(
        f"contextnmt translate: {tmp_path}/weights: too many files are open"
    )
    assert done.returncode == 2


def test_a_stage_that_ends_well_leaves_its_outputs(run: Run, tmp_path: Path) -> None:
    for side in ("source", "target"):
        (tmp_path / side).write_text("a b\n")
    assert run(*arguments_of_select(tmp_path))[0] == 0
    assert (tmp_path / "source-counts-out").read_text() == "a\t1\nb\t1\n"


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_explains_itself(run: Run, stage: str) -> None:
    function = getattr(importlib.import_module(STAGES[stage]), stage.replace("-", "_"))
    for name, kind in typing.get_type_hints(function, include_extras=True).items():
        if name != "return":
            assert kind.__metadata__[0].help, f"--{name} is not explained"
    code, out, _ = run(stage, "-h" if stage == "symbolize" else "--help")
    assert code == 0
    example = "report results/demo choi2017" if stage == "report" else f"{stage} --"
    assert f"contextnmt {example}" in " ".join(out.split())


def test_no_stage_writes_over_what_it_reads(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("a b\n", encoding="utf-8")
    (tmp_path / "codes").write_text("#version: 0.2\na b\n", encoding="utf-8")
    cut = ["bpe", "--text", str(text), "--codes", str(tmp_path / "codes"), "--out"]
    code, _, error = run(*cut, str(tmp_path / "." / "text"))
    assert code == 2 and f"--out {text}: read or written already" in error
    assert text.read_text(encoding="utf-8") == "a b\n"
    assert run(*cut, str(tmp_path / "cut"))[0] == 0


def test_no_stage_writes_one_file_twice(run: Run, tmp_path: Path) -> None:
    text, out = str(tmp_path / "text"), str(tmp_path / "out")
    options = ["--source-language", "en", "--target-language", "fr"]
    options += ["--source", text, "--target", text, "--source-out", out, "--target-out", out]
    code, _, error = run("tokenize", *options)
    assert code == 2 and f"{out}: read or written already" in error


def test_ctrl_c_while_a_stage_is_loaded_ends_quietly() -> None:
    stopped = ended(
        "import os, signal, sys; from contextnmt import cli;"
        # As from a terminal: what is started in the background ignores the signal from birth.
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "cli.importlib.import_module = lambda _: os.kill(os.getpid(), signal.SIGINT);"
        "sys.argv = ['contextnmt', 'train']; cli.main()"
    )
    assert (stopped.returncode, stopped.stderr) == (-signal.SIGINT, "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stage_does_its_work_where_streams_are_closed(tmp_path: Path, closed: str) -> None:
    for side in ("source", "target"):
        (tmp_path / side).write_text("a b\n")
    done = in_shell(f"contextnmt {' '.join(arguments_of_select(tmp_path))} {closed}")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert (tmp_path / "source-out").read_text() == "a b\n"


def test_python_without_docstrings_has_the_help() -> None:
    plain, optimized = (
        in_shell(f"{python} contextnmt symbolize --help") for python in ("", "PYTHONOPTIMIZE=2")
    )
    assert (optimized.returncode, optimized.stdout) == (0, plain.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="limits and devices of Linux")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("contextnmt > /dev/full", "contextnmt: a file: the disk is full"),
        ("ulimit -f 1; contextnmt SELECT", "contextnmt select: .*-out: .* raise `ulimit -f`"),
        (
            "ulimit -v 300000; contextnmt translate --help",
            r"contextnmt translate: out of memory \(.*\): allow more memory",
        ),
    ],
)
def test_a_limit_of_the_system_is_one_line(tmp_path: Path, line: str, message: str) -> None:
    for side in ("source", "target"):
        (tmp_path / side).write_text("".join(f"{number}\n" for number in range(2000)))
    line = line.replace("SELECT", " ".join(arguments_of_select(tmp_path)))
    # Where no file may be long, Python would cut those of its own cache.
    done = in_shell(f"export PYTHONDONTWRITEBYTECODE=1; {line}")
    assert done.returncode == 2
    assert re.search(f"^{message}", done.stderr.replace("\r", "\n").rstrip().split("\n")[-1])
    assert "Traceback" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"source", "target"}


def test_who_reads_the_output_may_stop() -> None:
    command = [sys.executable, "-m", "contextnmt", "symbolize", "--help"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout
        assert program.stderr
        program.stdout.close()  # before anything is written
        assert program.stderr.read() == b""
    assert program.returncode == 1


def test_a_killed_process_stops_no_other_bar() -> None:
    """A forked one, which dies while it draws its own."""
    child = os.fork()
    if child == 0:
        tqdm.get_lock().acquire()
        os._exit(0)
    os.waitpid(child, 0)
    assert tqdm.get_lock().acquire(False)
    tqdm.get_lock().release()
