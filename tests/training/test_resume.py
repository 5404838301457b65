"""A training that is killed, or whose disk fails it, at any moment ends as one that was not."""

import contextlib
import errno
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from safetensors.torch import save_file
from small_run import dev

from contextnmt.errors import UserError
from contextnmt.training import checkpoint, lock
from contextnmt.training.journal import Window
from contextnmt.training.loop import Training
from contextnmt.training.process import stays_alive
from contextnmt.training.train import train
from contextnmt.training.validation import Validation

MODEL = {"embedding": 4, "hidden": 4, "alignment": 4, "maxout": 4, "initialisation": "glorot"}
RECIPE = {
    "learning_rate": 0.05,
    "batch_size": 16,
    "unknown_limit": 1.0,
    "validate_every": 2,
    "max_updates": 9,
    "patience": 2,
}
#: Values that depend on the clock and the system's memory.
MEASURED = {
    "seconds",
    "elapsed",
    "source_tokens_per_second",
    "target_tokens_per_second",
    "memory_mb",
}


def run(data: Path, folder: Path, model=MODEL, **recipe: object) -> None:
    settings = json.dumps({**RECIPE, **recipe})
    train(data, *dev(data), folder / "model", folder / "state", json.dumps(model), settings)


#: Processes come from one that has loaded torch and done nothing with it: a child of pytest itself
#: would lack the threads that torch started for the tests before, and wait for them for ever.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["pytest", "contextnmt.training.train"])


def course(folder: Path) -> list[dict]:
    """The journal of a finished training, without what is measured."""
    lines = (folder / "model" / "log.jsonl").read_text().split("\n")[:-1]
    return [{k: v for k, v in json.loads(line).items() if k not in MEASURED} for line in lines]


def same(folder: Path, other: Path) -> None:
    """Two trainings have ended alike: weights to the last bit, and journals; no state is left."""
    weights = [(each / "model" / "model.safetensors").read_bytes() for each in (folder, other)]
    assert weights[0] == weights[1]
    assert course(folder) == course(other)
    told = [json.loads((each / "model" / "model.json").read_text()) for each in (folder, other)]
    for key in ("best", "updates", "stopped", "identity"):
        assert told[0][key] == told[1][key]
    assert not (folder / "state").exists()


@pytest.fixture(scope="module")
def undisturbed(reversal, tmp_path_factory):
    """A training that ends by early stopping."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run(reversal, folder)
    assert json.loads((folder / "model" / "model.json").read_text())["stopped"] == "patience"
    return folder


class Fault:
    """Fails the operation number `at` on the disk, each counted from 1 as it begins."""

    def __init__(self, monkeypatch, at: int, kill: bool) -> None:
        self.at, self.kill, self.count = at, kill, 0
        for name in ("fsync", "replace", "unlink", "rmdir", "pwrite"):
            monkeypatch.setattr(os, name, self._faulty(getattr(os, name)))
        monkeypatch.setattr(checkpoint, "save_file", self._half_written)
        self._dump = json.dump
        monkeypatch.setattr(json, "dump", self._half_dumped)

    def _step(self) -> bool:
        self.count += 1
        return self.count == self.at

    def _fail(self):
        if self.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.EIO, "injected")

    def _faulty(self, operation):
        def counted(*arguments, **named):
            if self._step():
                self._fail()
            return operation(*arguments, **named)

        return counted

    def _half_written(self, tensors, path, metadata=None):
        save_file(tensors, path, metadata=metadata)
        if self._step():
            os.truncate(path, path.stat().st_size // 2)
            self._fail()

    def _half_dumped(self, content, out, **options):
        if self._step():
            text = json.dumps(content, **options)
            out.write(text[: len(text) // 2])
            out.flush()
            self._fail()
        self._dump(content, out, **options)


def faulty(data, folder, at, kill):
    """Run a training in which an operation fails; how many operations there were."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        fault = Fault(monkeypatch, at, kill)
        run(data, folder)
    return fault.count


def goes_on(data, folder, capsys):
    """Run a training again: no checkpoint that was finished is lost or found corrupt."""
    finished = list((folder / "state").glob("checkpoint.*.safetensors"))
    capsys.readouterr()
    run(data, folder)
    said = capsys.readouterr().err
    assert ("resumed after update" in said) == bool(finished)
    assert "moved to" not in said


def test_a_kill_at_any_operation_on_the_disk_changes_nothing(
    reversal, undisturbed, tmp_path, capsys, monkeypatch, sampled
):
    monkeypatch.setattr(lock, "SILENCE", 1.0)  # killed before it has said who it is, in one case
    operations = faulty(reversal, tmp_path / "0", 0, kill=True)
    assert operations > 40
    for at in sampled(range(1, operations + 1), 6):
        folder = tmp_path / str(at)
        process = PROCESSES.Process(target=faulty, args=(reversal, folder, at, True))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        goes_on(reversal, folder, capsys)
        same(folder, undisturbed)


def test_an_error_at_any_operation_on_the_disk_changes_nothing(
    reversal, undisturbed, tmp_path, capsys, sampled
):
    operations = faulty(reversal, tmp_path / "0", 0, kill=False)
    for at in sampled(range(1, operations + 1), 6):
        folder = tmp_path / str(at)
        try:
            faulty(reversal, folder, at, kill=False)
        except OSError as error:
            assert error.errno == errno.EIO
            assert at <= operations - 2
            goes_on(reversal, folder, capsys)
        else:  # that a name stays in the end does no harm
            assert at > operations - 2
            shutil.rmtree(folder / "state")
        same(folder, undisturbed)


def at_update(monkeypatch, update, action):
    """Call `action` amid an update, once."""
    original = Window.add

    def noticed(self, number, *arguments):
        original(self, number, *arguments)
        if number == update:
            action()

    monkeypatch.setattr(Window, "add", noticed)


def cut(data, folder, monkeypatch, update, model=MODEL, number=signal.SIGTERM, **recipe):
    """Run a training that a signal ends amid an update."""
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    with monkeypatch.context() as patch, pytest.raises(SystemExit) as exit:
        at_update(patch, update, lambda: os.kill(os.getpid(), number))
        run(data, folder, model, **recipe)
    assert exit.value.code == 128 + number


@pytest.mark.parametrize(
    ("number", "update"), [(signal.SIGINT, 3), (signal.SIGTERM, 6), (signal.SIGUSR1, 3)]
)
def test_a_signal_saves_the_state_and_ends(
    reversal, undisturbed, tmp_path, monkeypatch, capsys, number, update
):
    cut(reversal, tmp_path, monkeypatch, update, number=number)
    assert f"signal {number}: state saved after update {update}" in capsys.readouterr().err
    assert not (tmp_path / "model" / "model.json").exists()
    run(reversal, tmp_path)
    assert f"resumed after update {update}" in capsys.readouterr().err
    same(tmp_path, undisturbed)


@pytest.mark.parametrize(
    ("table", "recipe"),
    [("own", {"linear_decay": 0.5}), ("shared", {"optimizer": "adadelta", "loss": "sum"})],
)
def test_a_contextualized_training_with_dropout_goes_on_too(
    reversal, tmp_path, monkeypatch, table, recipe
):
    model = {**MODEL, "dropout": 0.1, "contextualizer": {"layers": [4, 3], "table": table}}
    run(reversal, tmp_path / "whole", model, **recipe)
    cut(reversal, tmp_path / "cut", monkeypatch, 5, model, **recipe)
    run(reversal, tmp_path / "cut", model, **recipe)
    same(tmp_path / "cut", tmp_path / "whole")
    dev = [each for each in course(tmp_path / "cut") if each["kind"] == "dev"]
    assert len({each["source_gate_mean"] for each in dev}) == len(dev) > 1


def test_a_record_that_a_stop_cuts_in_two_is_the_mean_of_both_parts(
    reversal, tmp_path, monkeypatch
):
    """Here records are three updates apart."""
    long = {"max_updates": 63, "validate_every": 63}
    run(reversal, tmp_path / "whole", **long)
    cut(reversal, tmp_path / "cut", monkeypatch, 32, **long)
    run(reversal, tmp_path / "cut", **long)
    updates = [each["update"] for each in course(tmp_path / "cut") if each["kind"] == "train"]
    assert updates == [*range(3, 64, 3)]
    same(tmp_path / "cut", tmp_path / "whole")


def test_a_signal_amid_a_validation_saves_at_once(
    reversal, undisturbed, tmp_path, monkeypatch, capsys
):
    original = Validation.bleu

    def signalled(self, model, between):
        os.kill(os.getpid(), signal.SIGTERM)
        return original(self, model, between)

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(Validation, "bleu", signalled)
        run(reversal, tmp_path)
    (path,) = (tmp_path / "state").glob("checkpoint.*.safetensors")
    _, record = checkpoint.load(path)
    assert (record["update"], record["validated"]) == (2, 0)
    run(reversal, tmp_path)
    assert "resumed after update 2" in capsys.readouterr().err
    same(tmp_path, undisturbed)


def test_in_a_slurm_job_a_signal_saves_and_the_training_goes_on_to_its_end(
    reversal, undisturbed, tmp_path, monkeypatch, capsys
):
    """The job fails all the same, and its outputs are deleted: the next one makes them anew."""
    saved = []

    def terminate():
        saved.append(len(list((tmp_path / "state").glob("checkpoint.*.safetensors"))))
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with monkeypatch.context() as patch:
        at_update(patch, 1, terminate)
        run(reversal, tmp_path)
    assert saved == [0]
    assert "signal 15: state saved after update 1, training goes on" in capsys.readouterr().err
    made = (tmp_path / "model" / "model.safetensors").read_bytes()
    assert made == (undisturbed / "model" / "model.safetensors").read_bytes()
    shutil.rmtree(tmp_path / "model")
    with monkeypatch.context() as patch:
        patch.setattr(Training, "step", lambda *_: pytest.fail("trained again"))
        run(reversal, tmp_path)
    assert "resumed after update" in capsys.readouterr().err
    same(tmp_path, undisturbed)


def test_a_signal_at_the_very_end_keeps_the_state_too(reversal, undisturbed, tmp_path, monkeypatch):
    original = Training.run

    def signalled(self):
        original(self)
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setenv("SLURM_JOB_ID", "7")
    with monkeypatch.context() as patch:
        patch.setattr(Training, "run", signalled)
        run(reversal, tmp_path)
    assert (tmp_path / "model" / "model.json").exists()
    assert list((tmp_path / "state").glob("checkpoint.*.safetensors"))
    run(reversal, tmp_path)
    same(tmp_path, undisturbed)


@pytest.mark.parametrize("killed", [False, True])
def test_a_newcomer_finds_the_model_made_or_takes_over_from_a_killed_one(
    reversal, undisturbed, tmp_path, killed
):
    """Its scheduler had lost sight of a training that went on."""
    command = [
        *(sys.executable, "-m", "contextnmt", "train", "--data", reversal),
        *("--dev-source", reversal / "dev.x", "--dev-target", reversal / "dev.y"),
        *("--out", tmp_path / "model", "--state", tmp_path / "state"),
        *("--model", json.dumps(MODEL), "--training", json.dumps(RECIPE)),
    ]
    said = tmp_path / "said"
    with subprocess.Popen([*command, "--checkpoint-minutes", "0"]) as first:
        while not list((tmp_path / "state").glob("checkpoint.*.safetensors")):
            assert first.poll() is None
            time.sleep(0.001)
        first.send_signal(signal.SIGSTOP)  # alive, and silent for less than a minute
        with said.open("wb") as out, subprocess.Popen(command, stderr=out) as second:
            try:
                while (
                    f"another training works here (process {first.pid} on" not in said.read_text()
                ):
                    assert second.poll() is None
                    time.sleep(0.01)
                if killed:
                    first.kill()
            finally:
                first.send_signal(signal.SIGCONT)
    assert (first.returncode, second.returncode) == (-signal.SIGKILL if killed else 0, 0)
    ending = "resumed after update" if killed else "made by the training that this one waited for"
    assert ending in said.read_text()
    same(tmp_path, undisturbed)


def test_a_newcomer_that_waits_can_be_told_to_stop(reversal, tmp_path, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "lock.4").write_text("of whom it is cannot be told yet")
    timer = threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGTERM])
    timer.start()
    with pytest.raises(SystemExit) as exit:
        run(reversal, tmp_path)
    timer.join()
    assert exit.value.code == 128 + signal.SIGTERM
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["lock.4"]


def test_a_copy_whose_state_was_taken_over_stops_before_it_writes(reversal, tmp_path, monkeypatch):
    state = tmp_path / "state"

    def taken_over():
        (path,) = state.glob("lock.*")
        content = json.loads(path.read_text())
        content["owner"] |= {"token": "other", "host": "elsewhere", "process": 17, "job": "8"}
        number = int(path.name.removeprefix("lock."))
        (state / f"lock.{number + 1}").write_text(json.dumps(content))

    at_update(monkeypatch, 3, taken_over)
    with pytest.raises(UserError, match=r"process 17 on elsewhere, Slurm job 8 has taken over"):
        run(reversal, tmp_path)
    _, record = checkpoint.load(max(state.glob("checkpoint.*.safetensors")))
    assert record["update"] == 2
    assert (state / "lock.2").exists()
    with contextlib.suppress(FileNotFoundError):
        assert not list((tmp_path / "model").glob("model.*"))


def test_a_state_that_is_not_ours_is_left_alone(reversal, tmp_path, monkeypatch):
    """It was taken over while the data were loaded, which may take minutes."""

    def taken_over(self):
        raise UserError("taken over")

    (tmp_path / "state").mkdir()
    half = tmp_path / "state" / "checkpoint.part"
    half.touch()
    monkeypatch.setattr(lock.Lock, "check", taken_over)
    with pytest.raises(UserError, match="taken over"):
        run(reversal, tmp_path)
    assert half.exists()


def test_a_state_that_somebody_removed_stops_the_training(reversal, tmp_path, monkeypatch):
    def removed():
        for path in (tmp_path / "state").iterdir():
            path.unlink()
        (tmp_path / "state").rmdir()

    at_update(monkeypatch, 3, removed)
    with pytest.raises(UserError, match="removed while this training was at work"):
        run(reversal, tmp_path)


def test_at_a_terminal_a_signal_ends_it_in_a_slurm_job_too(monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert stays_alive()
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert not stays_alive()
    monkeypatch.setattr(sys, "stdin", None)
    assert stays_alive()
    monkeypatch.delenv("SLURM_JOB_ID")
    assert not stays_alive()
