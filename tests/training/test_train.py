"""A training learns, stops when it should, and resumes as if it had never stopped."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file
from small_run import MODEL, RECIPE, dev, training
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from contextnmt.configuration.training import (
    PairFilter,
    pair_filter,
    training_settings,
)
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.training.environment import environment, machine
from contextnmt.training.lock import Lock
from contextnmt.training.loop import EarlyStop, Training
from contextnmt.training.signals import Signals, TrainingInterruptedError
from contextnmt.training.train import train
from contextnmt.translation.translate import translate


def run(data, folder, **changes):
    recipe = json.dumps({**RECIPE, **changes})
    train(data, *dev(data), folder / "model", folder / "state", json.dumps(MODEL), recipe, 1)
    return folder / "model"


def weights(folder):
    return load_file(folder / "model.safetensors")


@pytest.fixture(scope="module")
def undisturbed(reversal, tmp_path_factory):
    return run(reversal, tmp_path_factory.mktemp("undisturbed"))


def test_a_model_learns_and_translates(reversal, tmp_path):
    model = run(reversal, tmp_path, max_updates=400, validate_every=100)
    record = read_json(model / "model.json")
    assert record["best"]["dev_bleu"] > 50
    assert record["stopped"] == "max_updates"
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text("a b c\n\nc b a d\n")
    translate(model, [text], [1, 12], [out, tmp_path / "out12"])
    lines = out.read_text().split("\n")
    assert lines[0] == "c b a"
    assert lines[1] == ""
    assert lines[2] == "d a b c"


def test_outputs_say_what_was_done(undisturbed):
    record = read_json(undisturbed / "model.json")
    assert record["seed"] == 1
    assert record["model"]["hidden"] == 24
    assert record["updates"] == 40
    assert record["data"]["pairs"] + sum(record["data"]["dropped"].values()) == 400
    assert record["environment"]["torch"] == torch.__version__
    records = [json.loads(line) for line in (undisturbed / "log.jsonl").open()]
    assert [r["update"] for r in records if r["kind"] == "dev"] == [10, 20, 30, 40]
    assert all(r["loss"] > 0 for r in records if r["kind"] == "train")
    assert list((undisturbed / "tensorboard").iterdir())
    assert not (undisturbed.parent / "state").exists()


def test_a_model_of_before_is_not_taken_for_that_of_the_owner_waited_for(
    undisturbed, reversal, tmp_path, monkeypatch, capsys
):
    """The owner was killed after it wrote its model.json."""
    shutil.copytree(undisturbed, tmp_path / "model")
    monkeypatch.setattr("contextnmt.training.lock.Lock.__enter__", waited(Lock.__enter__))
    (tmp_path / "model" / "model.safetensors").unlink()
    run(reversal, tmp_path)
    assert "has made it" not in capsys.readouterr().err
    assert (tmp_path / "model" / "model.safetensors").is_file()


def waited(enter):
    def entered(lock):
        enter(lock)
        lock.waited = True
        return lock

    return entered


#: Keys of a record of the training's course, besides kind and update.
COURSE = {
    "train": {
        *("epoch", "loss", "gradient_norm", "clip_rate", "non_finite", "memory_mb"),
        *("source_tokens_per_second", "target_tokens_per_second"),
    },
    "dev": {"bleu", "loss", "seconds", "elapsed"},
    "machine": {"processor"},
}


def test_the_course_is_told_in_json_lines_and_in_tensorboard(undisturbed):
    records = [json.loads(line) for line in (undisturbed / "log.jsonl").open()]
    for record in records:
        assert record.keys() == {"kind", "update"} | COURSE[record["kind"]]
    assert [record["kind"] for record in records].index("machine") == 0
    assert {record["kind"] for record in records} == COURSE.keys()
    assert records[0]["processor"] == environment()["processor"] != ""
    board = EventAccumulator(str(undisturbed / "tensorboard"))
    board.Reload()
    for kind in ("train", "dev"):
        for name in COURSE[kind]:
            shown = [(each.step, each.value) for each in board.Scalars(f"{kind}/{name}")]
            expected = [(r["update"], r[name]) for r in records if r["kind"] == kind]
            assert shown == [(step, pytest.approx(value)) for step, value in expected]
    (text,) = board.Tensors("machine/processor/text_summary")
    assert text.tensor_proto.string_val == [records[0]["processor"].encode()]


def test_another_machine_is_noted_and_the_same_one_is_not(reversal, tmp_path, monkeypatch):
    def machines():
        made = training(reversal, tmp_path)
        made.update += 1
        made._save()
        return [
            (record["update"], record["processor"])
            for record in made.journal.records
            if record["kind"] == "machine"
        ]

    monkeypatch.setattr("contextnmt.training.environment.processor", lambda: "One")
    assert machines() == machines() == [(0, "One")]
    monkeypatch.setattr("contextnmt.training.environment.processor", lambda: "Another")
    assert machines() == [(0, "One"), (2, "Another")]


def test_a_gpu_that_is_trained_on_is_named(monkeypatch):
    monkeypatch.setattr("torch.cuda.get_device_name", lambda device: f"GPU of {device}")
    assert machine(torch.device("cuda"))["gpu"] == "GPU of cuda"
    assert machine(torch.device("cpu")).keys() == {"processor"}


def test_a_bar_shows_how_far_the_training_is(reversal, tmp_path, capsys):
    """The updates of all, the time left, loss and BLEU."""
    run(reversal, tmp_path)
    *_, shown = [part for part in re.split(r"[\r\n]", capsys.readouterr().err) if part]
    assert re.match(r"train: 100%.* 40\.0/40\.0 \[\d\d:\d\d<00:00, .*loss=.*bleu=", shown)


def test_the_same_seed_gives_the_same_weights(reversal, undisturbed, tmp_path):
    again = run(reversal, tmp_path)
    for name, tensor in weights(undisturbed).items():
        assert torch.equal(tensor, weights(again)[name]), name


@pytest.mark.parametrize("stop", [7, 10, 23])
def test_a_stopped_training_resumes_to_the_same_weights(
    reversal, undisturbed, tmp_path, stop, monkeypatch
):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    first = training(reversal, tmp_path)
    step = first.step

    def interrupted_step():
        step()
        if first.update == stop:
            os.kill(os.getpid(), signal.SIGTERM)

    first.step = interrupted_step
    with first.signals, pytest.raises(TrainingInterruptedError) as interrupted:
        first.run()
    assert interrupted.value.signal == signal.SIGTERM
    resumed = run(reversal, tmp_path)
    assert read_json(resumed / "model.json")["updates"] == 40
    for name, tensor in weights(undisturbed).items():
        assert torch.equal(tensor, weights(resumed)[name]), name
    log = [
        [json.loads(line) for line in (folder / "log.jsonl").read_text().split("\n") if line]
        for folder in (undisturbed, resumed)
    ]
    for key in ("bleu", "loss", "gradient_norm"):
        course = [[r[key] for r in records if key in r] for records in log]
        assert len(course[0]) > 3
        assert course[0] == course[1]


def aside(folder):
    return names(folder / "state.aside" / "1")


def names(folder):
    """The names of the files in a folder, without the digests of checkpoints."""
    return sorted(re.sub(r"\.[0-9a-f]{64}", "", path.name) for path in folder.iterdir())


def test_a_state_is_bound_to_the_dev_texts(reversal, tmp_path, capsys):
    """To their content, not to their place."""
    copy = shutil.copytree(reversal, tmp_path / "copy")
    first = training(reversal, tmp_path)
    first.update = 7
    first._save()
    assert training(copy, tmp_path).update == 7
    for side in ("x", "y"):
        text = copy / f"dev.{side}"
        text.write_text(text.read_text().replace("a", "b", 1))
        assert training(copy, tmp_path).update == 0
        assert "made with other data; moved to" in capsys.readouterr().err
        shutil.copy(reversal / f"dev.{side}", copy)
        first._saved = None
        first._save()


def test_a_state_of_another_configuration_is_moved_aside(reversal, tmp_path, capsys):
    training(reversal, tmp_path)._save()
    assert training(reversal, tmp_path, learning_rate=0.02).update == 0
    assert "made with other training; moved to" in capsys.readouterr().err
    assert aside(tmp_path) == ["checkpoint.1.safetensors"]


def test_a_model_says_which_pairs_other_filters_dropped(reversal, tmp_path):
    limits = {"max_length": 5, "unknown_limit": 1.0}
    recipe = json.dumps({**RECIPE, "max_updates": 1})
    folders = tmp_path / "model", tmp_path / "state"
    other = json.dumps({"data": str(reversal), **limits})
    train(reversal, *dev(reversal), *folders, json.dumps(MODEL), recipe, filter=[other])
    data = read_json(tmp_path / "model" / "model.json")["data"]
    assert data["filters"] == [{"data": data["manifest"], **limits}]
    assert data["dropped"]["elsewhere"] > 0
    shorter = training(reversal, tmp_path, max_length=5)
    assert data["pairs"] == len(shorter.pairs.rows) == 400 - data["dropped"]["elsewhere"]


def test_a_state_is_bound_to_the_filters_and_to_what_they_are_about(reversal, tmp_path, capsys):
    """Not to the place of their folder."""
    copy = shutil.copytree(reversal, tmp_path / "copy")
    filters = [PairFilter(str(reversal), 5, 1.0)]
    moved = [PairFilter(str(copy), 5, 1.0)]
    first = training(reversal, tmp_path, filters)
    first.update = 7
    first._save()
    assert training(reversal, tmp_path, moved).update == 7
    manifest = read_json(copy / "manifest.json")
    write_json(copy / "manifest.json", {**manifest, "vocabulary": "another"})
    for others in [moved, [], [PairFilter(str(reversal), 4, 1.0)]]:
        assert training(reversal, tmp_path, others).update == 0
        assert "made with other data; moved to" in capsys.readouterr().err
        first._saved = None
        first._save()
    (copy / "manifest.json").unlink()
    with pytest.raises(UserError, match=r"copy/manifest\.json: no such file"):
        training(reversal, tmp_path, moved)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"data": "x", "max_length": 50}, "--filter.unknown_limit: missing"),
        ({"data": "x", "view": "bpe"}, "--filter.view: unknown key"),
        (
            {"data": "x", "max_length": 0},
            "--filter.max_length is 0; allowed: a whole number",
        ),
        ({"data": "x", "max_length": 5, "unknown_limit": 2}, "--filter.unknown_limit is 2"),
    ],
)
def test_a_filter_that_cannot_be_is_refused(block, message):
    with pytest.raises(UserError, match=message):
        pair_filter("--filter", json.dumps(block))


def test_a_state_of_other_code_is_moved_aside(reversal, tmp_path, capsys, monkeypatch):
    training(reversal, tmp_path)._save()
    monkeypatch.setattr("contextnmt.training.loop.code_marks", lambda *_: ["model.py@0"])
    assert training(reversal, tmp_path).update == 0
    assert "made with other code; moved to" in capsys.readouterr().err
    assert aside(tmp_path) == ["checkpoint.1.safetensors"]


def test_a_full_disk_is_a_message_and_leaves_the_state_before(tmp_path):
    """A process that may write no file of over 100 kB stands for a full disk."""
    script = f"""
import pathlib, resource, signal, torch
from contextnmt.training.checkpoint import Checkpoints
checkpoints = Checkpoints(pathlib.Path({str(tmp_path)!r}))
checkpoints.write({{"a": torch.zeros(10)}}, {{"update": 1, "identity": {{}}}})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    checkpoints.write({{"a": torch.zeros(100_000)}}, {{"update": 2, "identity": {{}}}})
except Exception as error:
    print(type(error).__name__, error)
print("still there:", checkpoints.newest({{}})[1]["update"])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("UserError")
    assert "cannot be written" in done.stdout
    assert "still there: 1" in done.stdout
    assert names(tmp_path) == ["checkpoint.1.safetensors"]


def test_patience_counts_validations_without_gain():
    early = EarlyStop()
    gains = [early.better(bleu, 10 * i) for i, bleu in enumerate([1.0, 3.0, 3.0, 2.0], start=1)]
    assert gains == [True, True, False, False]
    assert (early.best_bleu, early.best_update, early.misses) == (3.0, 20, 2)


def test_training_stops_when_patience_is_used_up(reversal, tmp_path):
    model = run(reversal, tmp_path, learning_rate=1e-9, patience=2, max_updates=200)
    record = read_json(model / "model.json")
    assert record["stopped"] == "patience"
    assert record["updates"] == 30


def out_of_gpu_memory(self):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has")


def out_of_memory(self):
    torch.empty(2**55)


@pytest.mark.parametrize("full", [out_of_gpu_memory, out_of_memory])
def test_out_of_memory_says_which_keys_to_lower(reversal, tmp_path, monkeypatch, full):
    monkeypatch.setattr(Training, "run", full)
    with pytest.raises(
        UserError, match=r"the cpu is out of memory: lower training\.batch_size, .*model\.hidden"
    ):
        run(reversal, tmp_path)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_vocabulary_from_another_run_is_refused(reversal, tmp_path, side):
    copy = shutil.copytree(reversal, tmp_path / "copy")
    path = copy / f"vocabulary.{side}.tsv"
    lines = path.read_text().split("\n")
    lines[0], lines[1] = lines[1], lines[0]
    path.write_text("\n".join(lines))
    with pytest.raises(UserError, match=rf"vocabulary\.{side}\.tsv: not the vocabulary of"):
        training(copy, tmp_path)


def test_what_an_identity_file_says_stands_for_settings_and_code(reversal, tmp_path, capsys):
    """So that who wrote it decides which edits matter."""
    file = tmp_path / "identity.json"
    for content, changes, resumed in [
        ({"code": "a"}, {}, False),
        ({"code": "a"}, {"patience": 9}, True),
        ({"code": "b"}, {"patience": 9}, False),
    ]:
        write_json(file, content)
        with Signals() as signals:
            made = training(
                reversal, tmp_path, identity=read_json(file), signals=signals, **changes
            )
        assert (made.update == 7) == resumed
        said = capsys.readouterr().err
        assert ("made with other code; moved" in said) == (content["code"] == "b")
        made.update = 7
        made._save()
    model = json.dumps(MODEL)
    recipe = json.dumps({**RECIPE, "max_updates": 8, "patience": 3})
    folders = tmp_path / "model", tmp_path / "state"
    train(reversal, *dev(reversal), *folders, model, recipe, identity=file)
    assert "resumed after update 7" in capsys.readouterr().err
    record = read_json(tmp_path / "model" / "model.json")
    assert (record["updates"], record["training"]["patience"]) == (8, 3)


def test_a_state_that_does_not_fit_the_model_is_moved_aside(reversal, tmp_path, capsys):
    """An identity may have let the sizes through."""
    training(reversal, tmp_path, identity={})._save()
    again = training(reversal, tmp_path, identity={}, model={**MODEL, "hidden": 25})
    assert again.update == 0
    assert "made with other weights; moved to" in capsys.readouterr().err
    assert aside(tmp_path) == ["checkpoint.1.safetensors"]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"batch_sise": 1}, "training.batch_sise: unknown key"),
        ({"batch_size": 0}, "training.batch_size is 0"),
        ({"batch_size": "80"}, 'training.batch_size is "80"; allowed: a whole number'),
        ({"learning_rate": -1}, "training.learning_rate is -1"),
        ({"learning_rate": float("nan")}, "training.learning_rate is NaN"),
        ({"max_updates": 0}, "training.max_updates is 0"),
        ({"patience": 0}, "training.patience is 0"),
        (
            {"patience": "none"},
            "allowed: a whole number of at least 1 or null",
        ),
        ({"optimizer": "sgd"}, 'training.optimizer is "sgd"; allowed: adam, adadelta'),
        ({"loss": "max"}, 'training.loss is "max"; allowed: mean, sum'),
        ({"precision": "fp16"}, 'training.precision is "fp16"; allowed: fp32, tf32, bf16'),
        ({"precision": 16}, "training.precision is 16; allowed: fp32"),
    ],
)
def test_settings_that_cannot_be_are_refused(block, message):
    with pytest.raises(UserError, match=message):
        training_settings(block)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_a_missing_gpu_is_named(reversal, undisturbed, tmp_path):
    with pytest.raises(UserError, match="torch sees no GPU"):
        run(reversal, tmp_path, device="cuda")
    text = tmp_path / "text"
    text.write_text("a\n")
    arguments = {"model": undisturbed, "text": [text], "beam": [1], "out": [tmp_path / "out"]}
    with pytest.raises(UserError, match="torch sees no GPU"):
        translate(device="cuda", **arguments)
    with pytest.raises(UserError, match="'tpu': choose from cpu, cuda"):
        translate(device="tpu", **arguments)
