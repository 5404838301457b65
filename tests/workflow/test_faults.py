"""Faults from outside: a killed workflow, a missing corpus, a folder that cannot be written."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TINY = ROOT / ".test" / "config" / "config.yaml"
MODEL = "results/demo/train/en-fr/baseline/1/model.json"
STATE = "results/demo/train/en-fr/baseline/1/state"
DATA = "results/demo/binarize/en-fr/word/manifest.json"

Run = Callable[..., subprocess.CompletedProcess[str]]


def arguments(folder: Path, *configurations: Path) -> list[str]:
    """Arguments that run the repository's workflow in another folder."""
    return [
        *("-s", f"{ROOT}/Snakefile", "-d", f"{folder}", "--cores", "2", "--show-failed-logs"),
        *("--configfile", *map(str, configurations)),
    ]


def wait_for(condition: Callable[[], object], seconds: int = 120) -> None:
    """Wait until something is the case; fail if it takes longer than `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def prepared(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all is done that comes before the training."""
    folder = tmp_path_factory.mktemp("prepared")
    run = snakemake(ROOT, DATA, *arguments(folder, TINY))
    assert run.returncode == 0, run.stdout[-3000:]
    return folder


@pytest.fixture
def long_training(tmp_path: Path) -> Path:
    """A configuration under which one system trains for hours, saving its state now and then."""
    file = tmp_path / "long.yaml"
    training = {"max_updates": 10**6, "patience": 10**6, "validate_every": 2}
    file.write_text(yaml.safe_dump({"systems": ["baseline"], "training": training}))
    return file


def descendants(process: int) -> list[int]:
    """The processes below one, as the kernel lists them."""
    tasks = Path(f"/proc/{process}/task")
    children = [
        int(child)
        for task in (tasks.iterdir() if tasks.is_dir() else [])
        for child in (task / "children").read_text().split()
    ]
    return children + [below for child in children for below in descendants(child)]


@pytest.fixture(params=["all processes", "snakemake alone"])
def killed(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    prepared: Path,
    long_training: Path,
    environment: dict[str, str],
) -> Iterator[tuple[Path, list[str]]]:
    """A folder in which snakemake was killed, with or without its jobs, amid a training."""
    folder = shutil.copytree(prepared, tmp_path / "killed")
    command = ["snakemake", MODEL, *arguments(folder, TINY, long_training)]
    with open(tmp_path / "output", "w") as output:
        process = subprocess.Popen(
            command, env=environment, stdout=output, stderr=output, start_new_session=True
        )
    try:
        wait_for(
            lambda: (
                [*(folder / STATE).glob("checkpoint.*.safetensors")] or process.poll() is not None
            )
        )
        assert process.poll() is None, (tmp_path / "output").read_text()
        if request.param == "snakemake alone":
            jobs = descendants(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert any(Path(f"/proc/{job}").exists() for job in jobs)  # the training goes on
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    yield folder, command[1:]


def test_after_a_kill_unlock_and_go_on(
    killed: tuple[Path, list[str]], snakemake: Run, tmp_path: Path
) -> None:
    folder, command = killed
    assert not (folder / MODEL).exists()
    done = folder / DATA
    made = done.stat().st_mtime_ns

    locked = snakemake(ROOT, *command)
    assert locked.returncode != 0
    assert "--unlock" in locked.stdout

    assert snakemake(ROOT, "--unlock", *command).returncode == 0
    finished = snakemake(ROOT, MODEL, "--rerun-incomplete", *arguments(folder, TINY))
    assert finished.returncode == 0, finished.stdout[-3000:]
    assert (folder / MODEL).is_file()
    assert not (folder / STATE).exists()
    assert done.stat().st_mtime_ns == made  # what was finished is not made again


def go_on(snakemake: Run, environment: dict[str, str], folder: Path, configuration: Path) -> str:
    """Start the training, and kill all once it has said whether it was resumed; its log."""
    command = ["snakemake", MODEL, "--rerun-incomplete", *arguments(folder, TINY, configuration)]
    command[command.index("-s") + 1] = f"{folder}/Snakefile"
    log = folder / "results/demo/logs/train/en-fr/baseline/1.log"
    log.unlink(missing_ok=True)
    with open(folder / "output", "w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        written = (folder / STATE).stat().st_mtime_ns if (folder / STATE).exists() else 0
        wait_for(lambda: process.poll() is not None or saved_after(folder, written))
        assert process.poll() is None, (folder / "output").read_text()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert snakemake(folder, "--unlock", *command[1:]).returncode == 0
    return log.read_text()


def saved_after(folder: Path, moment: int) -> bool:
    """Whether a checkpoint was finished after a moment."""
    with contextlib.suppress(FileNotFoundError):
        found = (folder / STATE).glob("checkpoint.*.safetensors")
        return any(path.stat().st_mtime_ns > moment for path in found)
    return False


def test_an_edit_amid_a_training_counts_unless_it_is_accepted(
    snakemake: Run,
    environment: dict[str, str],
    clone: Callable[[], Path],
    prepared: Path,
    long_training: Path,
) -> None:
    folder = shutil.copytree(prepared, clone(), dirs_exist_ok=True)
    source = folder / "src/contextnmt/training/loop.py"
    command = [MODEL, *arguments(folder, TINY, long_training)]
    command[command.index("-s") + 1] = f"{folder}/Snakefile"
    go_on(snakemake, environment, folder, long_training)
    source.write_text(source.read_text() + "\n# a remark\n")
    assert "resumed after update" in go_on(snakemake, environment, folder, long_training)
    source.write_text(source.read_text() + "\nEDITED = 1\n")
    assert snakemake(folder, "--touch", *command).returncode == 0
    assert "resumed after update" in go_on(snakemake, environment, folder, long_training)
    source.write_text(source.read_text() + "\nEDITED = 2\n")
    assert "made with other code; moved to" in go_on(snakemake, environment, folder, long_training)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_a_stage_that_a_signal_ends_leaves_nothing_for_ever(
    tmp_path: Path, number: signal.Signals
) -> None:
    """It reads from a pipe that never ends, so it is stopped in the middle of its work."""
    out = tmp_path / "out"
    pipes = [tmp_path / "source", tmp_path / "target"]
    for pipe in pipes:
        os.mkfifo(pipe)
    command = [sys.executable, "-m", "contextnmt", "tokenize"]
    for side, language, pipe in zip(["source", "target"], ["en", "fr"], pipes, strict=True):
        command += [f"--{side}", f"{pipe}", f"--{side}-language", language]
        command += [f"--{side}-out", f"{out / side}.gz"]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # tests under nohup
    )
    assert process.stderr
    try:
        with open(pipes[0], "w") as source:
            source.write("Two words.\n" * 2000)
            source.flush()  # before the other is opened, since the stage opens them in turn
            with open(pipes[1], "w") as target:
                target.write("Deux mots.\n" * 2000)
                target.flush()
                wait_for(lambda: process.poll() is not None or len([*out.glob(".*")]) == 2, 60)
                assert process.poll() is None
                process.send_signal(number)
                said = process.stderr.read()
    finally:
        process.kill()
        process.wait()
    left = [path.name for path in out.iterdir()]
    if number == signal.SIGKILL:
        assert all(name.startswith(".") for name in left)  # none looks finished
    else:
        assert left == []
        assert f"contextnmt tokenize: stopped by {number.name}\n" in said
    for pipe in pipes:
        pipe.unlink()
        pipe.write_text("a\n")
    subprocess.run(command, check=True, capture_output=True)
    assert {path.name for path in out.iterdir()} == {"source.gz", "target.gz"}


def test_a_file_laid_by_hand_into_the_results_is_checked(snakemake: Run, tmp_path: Path) -> None:
    """Snakemake takes it for one that it downloaded itself."""
    configuration = tmp_path / "own.yaml"
    file = {"url": "http://127.0.0.1:9/dev.gz", "sha256": "0" * 64}
    mine = {"file": "dev.gz", "columns": ["en", "fr"]}
    corpus = {"files": {"dev.gz": file}, "texts": {"mine": mine}}
    roles = {"en-fr": {"dev": ["mine"]}}
    configuration.write_text(yaml.safe_dump({"corpora": {"other": corpus}, "roles": roles}))
    laid = tmp_path / "results/demo/download/other/dev.gz"
    laid.parent.mkdir(parents=True)
    laid.write_bytes(b"something else")
    run = snakemake(
        ROOT,
        *("results/demo/extract/en-fr/mine.en.gz", *arguments(tmp_path, TINY, configuration)),
        *("--rerun-triggers", "mtime"),
    )
    assert run.returncode != 0
    assert "dev.gz: not the expected file: expected SHA-256 0000" in run.stdout, run.stdout
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize("missing", ["network", "hand-placed"])
def test_a_missing_corpus_file_is_named_with_what_to_do(
    snakemake: Run, tmp_path: Path, missing: str
) -> None:
    file = {"url": "http://127.0.0.1:9/dev.en.gz", "sha256": "0" * 64}
    if missing == "hand-placed":  # there is a file of this name, but it is another one
        (tmp_path / "dev.gz").write_bytes(b"something else")
    configuration = tmp_path / "missing.yaml"
    mine = {"file": "dev.gz", "columns": ["en", "fr"]}
    corpus = {"files": {"dev.gz": file}, "texts": {"mine": mine}}
    roles = {"en-fr": {"dev": ["mine"]}}
    configuration.write_text(
        yaml.safe_dump({"corpora": {"other": corpus}, "roles": roles, "hand_placed": str(tmp_path)})
    )
    run = snakemake(
        ROOT, "results/demo/download/other/dev.gz", *arguments(tmp_path, TINY, configuration)
    )
    assert run.returncode != 0
    shown = [line for line in run.stdout.split("\n") if "contextnmt download: " in line]
    assert shown and "dev.gz" in shown[0], run.stdout
    assert "Traceback" not in run.stdout
    assert not (tmp_path / "results/demo/download/other/dev.gz").exists()


def test_a_results_folder_that_cannot_be_written_is_refused_at_once(
    snakemake: Run, tmp_path: Path
) -> None:
    (tmp_path / "results").write_text("a file\n")
    run = snakemake(ROOT, *arguments(tmp_path, TINY))
    assert run.returncode != 0
    assert "results is a file" in run.stdout
    assert "Traceback" not in run.stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc, where nobody may write")
def test_a_place_where_not_even_root_may_write_is_refused_at_once(snakemake: Run) -> None:
    run = snakemake(ROOT, *arguments(Path("/proc"), TINY))
    assert run.returncode != 0
    assert "/proc: not writable (" in run.stdout
    assert "Traceback" not in run.stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc, where nobody may write")
def test_a_call_by_path_needs_neither_an_activated_environment_nor_a_home(
    environment: dict[str, str], tmp_path: Path
) -> None:
    made = "results/demo/generate/embedded/embedded.tar.gz"
    command = [f"{Path(sys.executable).parent}/snakemake", made, *arguments(tmp_path, TINY)]
    bare = {**environment, "HOME": "/proc", "PATH": "/usr/bin:/bin"}
    bare.pop("XDG_CACHE_HOME", None)
    subprocess.run(
        [*command, "--profile", f"{ROOT}/local"], env=bare, check=True, capture_output=True
    )
    assert (tmp_path / made).is_file()


def test_a_failing_stage_shows_its_message_and_stops_what_needs_it(
    snakemake: Run, tmp_path: Path
) -> None:
    configuration = tmp_path / "wrong.yaml"
    text = {"corpora": {"embedded": {"texts": {"dev": {"member": "nothing.{lang}"}}}}}
    configuration.write_text(yaml.safe_dump(text))
    extracted = "results/demo/extract/en-fr/dev.en.gz"
    where = [*arguments(tmp_path, TINY, configuration), "--profile", f"{ROOT}/local"]
    run = snakemake(ROOT, extracted, *where)
    assert run.returncode != 0
    assert re.search(r"^ +\d:\d\d  generate$", run.stdout, re.MULTILINE)
    failure = run.stdout[run.stdout.index("Failed: ") :]
    assert failure.startswith("Failed: extract en-fr dev (rule extract, job ")
    assert "\n  results/demo/logs/extract/en-fr/dev.log ends:\n    " in failure
    assert re.search(r"\n    contextnmt extract: .*nothing\.(en|fr): no such member", failure)
    assert "Traceback" not in run.stdout and "Reason: " not in run.stdout
    assert run.stdout.count("\n") < 25
    assert not (tmp_path / extracted).exists()
    (log,) = (tmp_path / ".snakemake/log").iterdir()
    assert f"Complete log(s): {log}" in failure
    assert "Reason: Missing output files" in log.read_text()
