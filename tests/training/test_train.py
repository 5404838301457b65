"""A training learns, stops when it should, and says what it did and what its state is of."""

import json
import re
import resource
import shutil

import pytest
import torch
from small_run import MODEL, RECIPE, dev, training
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from contextnmt.configuration.training import PairFilter, pair_filter, training_settings
from contextnmt.errors import UserError
from contextnmt.files import file_digest, read_json, write_json
from contextnmt.training.checkpoint import Checkpoints
from contextnmt.training.lock import Lock
from contextnmt.training.loop import Training
from contextnmt.training.process import Signals, environment, machine
from contextnmt.training.train import train
from contextnmt.translation.translate import translate


def run(data, folder, **changes):
    recipe = json.dumps({**RECIPE, **changes})
    train(data, *dev(data), folder / "model", folder / "state", json.dumps(MODEL), recipe, 1)
    return folder / "model"


@pytest.fixture(scope="module")
def undisturbed(reversal, tmp_path_factory):
    return run(reversal, tmp_path_factory.mktemp("undisturbed"))


def test_a_model_learns_and_translates(reversal, tmp_path):
    model = run(reversal, tmp_path, max_updates=300, validate_every=100)
    record = read_json(model / "model.json")
    assert record["best"]["dev_bleu"] > 50
    assert record["stopped"] == "max_updates"
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text("a b c\n\nc b a d\n")
    translate(model, [text], [1, 12], [out, tmp_path / "out12"])
    assert out.read_text() == "c b a\n\nd a b c\n"


def test_outputs_say_what_was_done(undisturbed):
    record = read_json(undisturbed / "model.json")
    assert (record["seed"], record["model"]["hidden"], record["updates"]) == (1, 24, 40)
    assert record["data"]["pairs"] + sum(record["data"]["dropped"].values()) == 400
    assert record["environment"]["torch"] == torch.__version__
    assert record["weights_sha256"] == file_digest(undisturbed / "model.safetensors")
    assert not (undisturbed.parent / "state").exists()


def test_a_model_of_before_is_not_taken_for_that_of_the_owner_waited_for(
    undisturbed, reversal, tmp_path, monkeypatch, capsys
):
    """The owner was killed after it wrote its model.json."""
    enter = Lock.__enter__

    def waited(lock):
        enter(lock)
        lock.waited = True
        return lock

    shutil.copytree(undisturbed, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").unlink()
    monkeypatch.setattr(Lock, "__enter__", waited)
    run(reversal, tmp_path)
    assert "has made it" not in capsys.readouterr().err
    assert (tmp_path / "model" / "model.safetensors").is_file()


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
    assert [r["update"] for r in records if r["kind"] == "dev"] == [10, 20, 30, 40]
    assert {record["kind"] for record in records} == COURSE.keys()
    memory = [record["memory_mb"] for record in records if record["kind"] == "train"]
    assert memory == sorted(memory) and memory[0] > 50  # the most so far; torch alone takes more
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

    monkeypatch.setattr("contextnmt.training.process.processor", lambda: "One")
    assert machines() == machines() == [(0, "One")]
    monkeypatch.setattr("contextnmt.training.process.processor", lambda: "Another")
    assert machines() == [(0, "One"), (2, "Another")]


def test_a_gpu_that_is_trained_on_is_named(monkeypatch):
    monkeypatch.setattr("torch.cuda.get_device_name", lambda device: f"GPU of {device}")
    assert machine(torch.device("cuda"))["gpu"] == "GPU of cuda"
    assert machine(torch.device("cpu")).keys() == {"processor"}


def test_a_bar_shows_how_far_the_training_is(reversal, tmp_path, capsys):
    """The updates of all, the time left, loss and BLEU."""
    run(reversal, tmp_path)
    *_, shown = [part for part in re.split(r"[\r\n]", capsys.readouterr().err) if part]
    assert re.match(r"train: 100%.* 40/40 \[\d\d:\d\d<00:00, .*loss=.*bleu=", shown)


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


@pytest.mark.parametrize("other", ["training", "code and training", "weights"])
def test_a_state_of_something_else_is_moved_aside(reversal, tmp_path, capsys, monkeypatch, other):
    identity = {} if other == "weights" else None  # which lets other sizes through
    changes = {"model": {**MODEL, "hidden": 25}} if other == "weights" else {"learning_rate": 0.02}
    training(reversal, tmp_path, identity=identity)._save()
    if "code" in other:
        monkeypatch.setattr("contextnmt.training.loop.code_marks", lambda *_: ["model.py@0"])
    assert training(reversal, tmp_path, identity=identity, **changes).update == 0
    assert f"made with other {other}; moved to" in capsys.readouterr().err
    (aside,) = (tmp_path / "state.aside" / "1").iterdir()
    assert re.fullmatch(r"checkpoint\.1\.[0-9a-f]{64}\.safetensors", aside.name)


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


def test_a_filter_that_cannot_be_is_refused():
    with pytest.raises(UserError, match=r"--filter\.unknown_limit: missing"):
        pair_filter("--filter", json.dumps({"data": "x", "max_length": 50}))


def test_a_full_disk_is_a_message_and_leaves_the_state_before(tmp_path):
    """A process that may write no file of over 100 kB stands for a full disk."""
    checkpoints = Checkpoints(tmp_path)
    checkpoints.write({"a": torch.zeros(10)}, {"update": 1, "identity": {}})
    before = [path.name for path in tmp_path.iterdir()]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(UserError, match="cannot be written"):
            checkpoints.write({"a": torch.zeros(100_000)}, {"update": 2, "identity": {}})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert checkpoints.newest({})[1]["update"] == 1
    assert [path.name for path in tmp_path.iterdir()] == before


def test_training_stops_when_patience_is_used_up(reversal, tmp_path):
    """BLEU that stays as it was is no gain."""
    model = run(reversal, tmp_path, learning_rate=1e-9, patience=2, max_updates=200)
    record = read_json(model / "model.json")
    assert (record["stopped"], record["updates"]) == ("patience", 30)


def test_out_of_memory_says_which_keys_to_lower(reversal, tmp_path, monkeypatch):
    monkeypatch.setattr(Training, "run", lambda self: torch.empty(2**55))
    message = r"out of memory on cpu: lower training\.batch_size, .*model \(hidden"
    with pytest.raises(UserError, match=message):
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
    recipe = json.dumps({**RECIPE, "max_updates": 8, "patience": 3})
    folders = tmp_path / "model", tmp_path / "state"
    train(reversal, *dev(reversal), *folders, json.dumps(MODEL), recipe, identity=file)
    assert "resumed after update 7" in capsys.readouterr().err
    record = read_json(tmp_path / "model" / "model.json")
    assert (record["updates"], record["training"]["patience"]) == (8, 3)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"batch_size": 0}, "training.batch_size is 0"),
        ({"learning_rate": float("nan")}, "training.learning_rate is NaN"),
        ({"patience": "none"}, "allowed: a whole number of at least 1 or null"),
        ({"precision": 16}, "training.precision is 16; allowed: fp32, tf32, bf16"),
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
