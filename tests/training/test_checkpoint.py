"""Checkpoints: numbered, whole or not at all, and never taken for what they are not."""

import random
import re

import pytest
import torch

from contextnmt.errors import UserError
from contextnmt.training.checkpoint import Checkpoints

IDENTITY = {"code": ["loop.py@1"], "seed": 1}


def write(folder, *updates):
    checkpoints = Checkpoints(folder)
    for update in updates:
        tensors = {"model": {"w": torch.full((50,), float(update))}, "best": {"w": torch.zeros(())}}
        checkpoints.write(tensors, {"identity": IDENTITY, "update": update})
    return checkpoints


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def newest(folder):
    found = Checkpoints(folder).newest(IDENTITY)
    if found is None:
        return None
    tensors, record = found
    assert torch.equal(tensors["model"]["w"], torch.full((50,), float(record["update"])))
    return record["update"]


def names(folder):
    """The names of the files in a folder, without their digests."""
    return sorted(re.sub(r"\.[0-9a-f]{64}", "", path.name) for path in folder.iterdir())


def test_what_was_written_last_is_found_and_two_are_kept(folder):
    assert newest(folder) is None
    write(folder, 10, 20, 30)
    assert newest(folder) == 30
    assert names(folder) == ["checkpoint.2.safetensors", "checkpoint.3.safetensors"]


def test_checkpoints_of_another_version_are_moved_aside(folder, capsys):
    (folder / "checkpoint.7.json").write_text("{}")
    (folder / "checkpoint.7.safetensors").write_bytes(b"")
    write(folder, 10)
    assert newest(folder) == 10
    assert names(folder) == ["checkpoint.1.safetensors"]
    aside = folder.with_name("state.aside") / "1"
    assert names(aside) == ["checkpoint.7.json", "checkpoint.7.safetensors"]
    assert "of another version" in capsys.readouterr().err


def test_what_a_killed_training_was_writing_is_removed(folder):
    write(folder, 10)
    kept = set(folder.iterdir())
    for name in (".tmpAbC123", "checkpoint.0a1b.part", ".checkpoint.0a1b.part=abcd_123.part"):
        (folder / name).touch()  # the first is of safetensors
    assert newest(folder) == 10
    assert set(folder.iterdir()) == kept


def test_a_copy_that_has_lost_the_lock_takes_no_file_of_the_new_owner(folder):
    """It wakes when the new owner is about to name a checkpoint of its own."""
    lost, owner = write(folder, 10), Checkpoints(folder)

    def taken_over():
        raise UserError("taken over")

    def wake():
        if not awake:
            awake.append(True)
            lost.check = lambda: None if len(list(folder.glob("*.part"))) < 2 else taken_over()
            with pytest.raises(UserError, match="taken over"):
                lost.write({"model": {"w": torch.zeros(50)}}, {"identity": IDENTITY, "update": 11})

    awake = []
    owner.check = lambda: wake() if list(folder.glob("*.part")) else None
    owner.write({"model": {"w": torch.full((50,), 20.0)}}, {"identity": IDENTITY, "update": 20})
    assert newest(folder) == 20


def cut(content, rng):
    return content[: rng.randrange(len(content))]


def flipped(content, rng):
    place = rng.randrange(len(content))
    byte = content[place] ^ (1 << rng.randrange(8))
    return content[:place] + bytes([byte]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_corrupt_checkpoint_falls_back_to_the_one_before(tmp_path, capsys, seed, damage):
    rng = random.Random(seed)
    for attempt in range(10):
        folder = tmp_path / str(attempt) / "state"
        folder.mkdir(parents=True)
        write(folder, 10, 20, 30)
        (path,) = folder.glob("checkpoint.3.*")
        path.write_bytes(damage(path.read_bytes(), rng))
        assert newest(folder) == 20
        said = capsys.readouterr().err
        assert f"{path}: corrupt (" in said and said.count("\n") == 1
        assert "state.aside/1, the one before is taken" in said
        assert (folder.with_name("state.aside") / "1" / path.name).exists()
        write(folder, 25)
        assert newest(folder) == 25
        assert len(names(folder)) == 2  # still one to fall back to


def test_if_all_are_corrupt_training_starts_afresh(folder, capsys):
    write(folder, 10, 20)
    for path in folder.glob("*.safetensors"):
        path.write_bytes(b"")
    assert newest(folder) is None
    assert "training starts afresh" in capsys.readouterr().err
    assert names(folder) == []
    assert names(folder.with_name("state.aside")) == ["1", "2"]


def test_a_file_that_cannot_be_read_is_left_where_it_is(folder):
    write(folder, 10)
    (path,) = folder.glob("checkpoint.1.*")
    path.unlink()
    path.mkdir()
    with pytest.raises(UserError, match=r"checkpoint\.1\..*: a folder, a pipe or a device"):
        newest(folder)


def test_a_checkpoint_is_not_written_into_the_state_of_another(folder):
    def lost():
        raise UserError("lost")

    write(folder, 10)
    before = names(folder)
    with pytest.raises(UserError, match="lost"):
        Checkpoints(folder, lost).write({"model/w": torch.zeros(1)}, {})
    with pytest.raises(UserError, match="lost"):
        Checkpoints(folder, lost).clear()
    assert names(folder) == before
