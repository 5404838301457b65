"""The lock on a state: one owner at a time, and none for ever."""

import dataclasses
import errno
import json
import os
import subprocess
import sys
import time

import pytest

from contextnmt.errors import UserError
from contextnmt.training import lock as module
from contextnmt.training.lock import Lock, Owner

#: An owner on another machine: nothing but its heartbeat tells whether it lives.
FAR = Owner("far", "far boot", 12, "1", "77", "token")


def beat(folder, beats, number=1, owner=FAR):
    content = {"owner": dataclasses.asdict(owner), "beats": beats}
    (folder / f"lock.{number}").write_text(json.dumps(content))


def test_an_owner_writes_and_leaves_nothing(tmp_path):
    folder = tmp_path / "state"
    with Lock(folder) as lock:
        assert not lock.waited
        lock.check()
        assert Lock(folder).living() == lock.owner
        assert str(lock.owner).startswith(f"process {os.getpid()} on ")
        (folder / "file").touch()
    assert [path.name for path in folder.iterdir()] == ["file"]
    with Lock(folder):
        (folder / "file").unlink()
    assert not folder.exists()


def test_the_heartbeat_changes_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BEAT", 0.01)
    with Lock(tmp_path):
        before = (tmp_path / "lock.1").read_bytes()
        time.sleep(0.2)
        assert (tmp_path / "lock.1").read_bytes() != before


def test_an_owner_elsewhere_is_waited_for_until_it_falls_silent(tmp_path, capsys, monkeypatch):
    """It beats for a while, longer than the silence that ends its ownership."""
    beats = 0

    def waiting():
        nonlocal beats
        beats += 1
        if beats <= 8:
            beat(tmp_path, beats)

    monkeypatch.setattr(module, "SILENCE", 0.4)
    beat(tmp_path, 0)
    began = time.monotonic()
    with Lock(tmp_path, waiting) as lock:
        assert lock.waited and lock.number == 2
        assert time.monotonic() - began > 0.8 + 0.4  # eight pauses of a quarter of the silence
        assert not (tmp_path / "lock.1").exists()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "another training works here (process 12 on far, Slurm job 77): waiting" in said


@pytest.mark.parametrize("content", [b"", b'{"owner": {}}', b"\xff"])
def test_who_does_not_say_its_name_falls_silent_too(tmp_path, content, monkeypatch, capsys):
    """Not before others do: its owner may be about to write its name."""
    monkeypatch.setattr(module, "SILENCE", 0.4)
    monkeypatch.setattr(module, "BEAT", 0.01)
    (tmp_path / "lock.3").write_bytes(content)
    began = time.monotonic()
    with Lock(tmp_path) as lock:
        assert lock.waited and lock.number == 4
    assert time.monotonic() - began > 0.4
    assert "works here (a process that has not said who it is): waiting" in capsys.readouterr().err


def test_a_folder_that_cannot_be_listed_is_not_taken_for_one_without_a_lock(tmp_path, monkeypatch):
    def forbidden(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    assert Lock(tmp_path / "none").living() is None
    monkeypatch.setattr(os, "listdir", forbidden)
    monkeypatch.setattr(os, "scandir", forbidden)
    with pytest.raises(PermissionError):
        Lock(tmp_path).living()


def test_a_process_id_that_was_given_again_is_no_owner(tmp_path):
    beat(tmp_path, 1, owner=dataclasses.replace(Owner.here(), started="1"))
    assert Lock(tmp_path).living() is None
    beat(tmp_path, 1, owner=Owner.here())
    assert Lock(tmp_path).living() is not None


def test_a_number_that_is_long_gone_does_not_make_an_owner(tmp_path):
    """A newcomer that slept between its look at the lock and its claim."""
    beat(tmp_path, 1, number=7)
    slow = Lock(tmp_path)
    assert not slow._claim(5)
    assert not slow._claim(7)
    assert [path.name for path in tmp_path.iterdir()] == ["lock.7"]


def test_a_folder_that_goes_just_as_it_is_found_is_made_again(tmp_path, monkeypatch):
    """The owner before has finished then."""
    mkdir, calls = os.mkdir, []

    def gone_again(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise FileExistsError
        mkdir(*arguments)

    monkeypatch.setattr(os, "mkdir", gone_again)
    with Lock(tmp_path / "state") as lock:
        lock.check()
    assert len(calls) == 2


def test_a_pipe_in_the_place_of_a_lock_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "lock.5")
    with pytest.raises(UserError, match=r"lock\.5: a folder, a pipe or a device"), Lock(tmp_path):
        pass


def test_a_file_in_the_place_of_the_state_is_named(tmp_path):
    (tmp_path / "state").touch()
    with pytest.raises(UserError, match="state: a file; name a folder"), Lock(tmp_path / "state"):
        raise AssertionError


ADD = """
import sys, time
from pathlib import Path
from contextnmt.training import lock
lock.BEAT, lock.SILENCE = 0.05, 2.0
folder, total = map(Path, sys.argv[1:])
for _ in range(5):
    with lock.Lock(folder) as held:
        number = int(total.read_text())
        time.sleep(0.01)
        held.check()
        total.write_text(str(number + 1))
"""


@pytest.mark.parametrize("killed", [False, True])
def test_processes_become_owners_one_after_another(tmp_path, killed):
    """Each adds to a number in a file, slowly, so that two at once would lose additions."""
    folder, total = tmp_path / "state", tmp_path / "total"
    total.write_text("0")
    if killed:
        folder.mkdir()
        beat(folder, 1)
    command = [sys.executable, "-c", ADD, str(folder), str(total)]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert total.read_text() == "15"
    assert not folder.exists()
