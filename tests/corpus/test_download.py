"""One file of a corpus: where it is looked for, and that nothing but this file gets its name."""

import errno
import fcntl
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpus.http_server import CONTENT, HALF, PATH, SIZE, Fault, Server

from contextnmt.corpus import transfer as transfer_module
from contextnmt.corpus.download import download
from contextnmt.corpus.transfer import part_path
from contextnmt.errors import UserError

SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT).hexdigest()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "text.gz"


@pytest.fixture
def get(url: str, out: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Download the file without pauses, with changes of its entry and places as keywords."""
    clock = SimpleNamespace(sleep=lambda seconds: None, time=time.time)
    monkeypatch.setattr(transfer_module, "time", clock)

    def run(mirror: list[str] | None = None, hand: Path | None = None, **changes: object) -> None:
        known = {"url": url, "sha256": SHA256, "bytes": SIZE, **changes}
        given = {key: value for key, value in known.items() if value is not None}
        download("text.gz", json.dumps(given), out, mirror, hand)

    return run


def left(out: Path) -> list[str]:
    return sorted(path.name for path in out.parent.iterdir())


# What arrives


@pytest.mark.parametrize("changes", [{}, {"sha256": None, "md5": MD5}, {"md5": MD5, "bytes": None}])
def test_the_file_arrives_byte_for_byte_and_alone(
    get: Callable[..., None], out: Path, changes: dict[str, str | None]
) -> None:
    get(**changes)
    assert out.read_bytes() == CONTENT
    assert left(out) == ["text.gz"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"sha256": "0" * 64}, f"SHA-256 {'0' * 64}, got {SHA256} ({SIZE} bytes)"),
        ({"md5": "0" * 32}, f"MD5 {'0' * 32}, got {MD5} ({SIZE} bytes)"),
        ({"bytes": SIZE + 1}, f"{SIZE + 1} bytes, got {SIZE}"),
    ],
)
def test_another_file_is_refused_and_explained_once(
    get: Callable[..., None],
    url: str,
    out: Path,
    changes: dict[str, Any],
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(UserError) as caught:
        get(**changes)
    for part in ("text.gz: ", "`--config hand_placed=FOLDER`", "correct its entry"):
        assert part in str(caught.value)
    told = f"{capsys.readouterr().err}{caught.value}"
    assert told.count(f"{url}: not the expected file: expected {problem}") == 1
    assert left(out) == []


def test_a_file_put_together_wrongly_twice_is_given_up(
    get: Callable[..., None], server: Server, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the next place begins at the start."""
    other = f"/127.0.0.1{PATH}"
    wrong = Fault(content=b"\0" * SIZE)
    server.faults[other] = [Fault(cut=HALF, content=wrong.content), wrong] * 2
    get([server.url])
    assert out.read_bytes() == CONTENT
    error = capsys.readouterr().err
    assert "its pieces do not fit: fetched anew" in error
    assert f"{server.url}{other}: not the expected file: " in error
    assert [(seen.path, seen.sent) for seen in server.seen] == [
        *([(other, HALF), (other, SIZE - HALF)] * 2),
        (PATH, SIZE),
    ]


# Going on


def test_a_killed_download_goes_on_where_it_stopped(
    get: Callable[..., None], server: Server, url: str, out: Path
) -> None:
    server.faults[PATH] = [Fault(cut=HALF, pause=20)]
    entry = json.dumps({"url": url, "sha256": SHA256})
    command = [sys.executable, "-m", "contextnmt", "download", "--file", "text.gz"]
    command += ["--entry", entry, "--out", f"{out}"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 20
        while not (part_path(out).exists() and part_path(out).stat().st_size == HALF):
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not out.exists()
    out.with_name(".text.gz=abcd_123.part").touch()  # of a copy that was killed
    get()
    assert out.read_bytes() == CONTENT
    assert [seen.sent for seen in server.seen] == [HALF, SIZE - HALF]
    assert left(out) == ["text.gz"]


def test_a_part_that_was_complete_is_not_fetched_again(
    get: Callable[..., None], server: Server, out: Path
) -> None:
    """Its size is not known before it is asked for."""
    out.parent.mkdir()
    part_path(out).write_bytes(CONTENT)
    get(bytes=None)
    assert out.read_bytes() == CONTENT
    assert [seen.status for seen in server.seen] == [416]


@pytest.mark.parametrize("kind", ["link", "link to nothing", "pipe"])
def test_what_lies_at_the_place_of_a_part_stays(
    get: Callable[..., None], tmp_path: Path, out: Path, kind: str
) -> None:
    """In a folder of several users, anybody may lay a link there."""
    other, part = tmp_path / "other", part_path(out)
    part.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        other.write_text("precious")
    if kind == "pipe":
        os.mkfifo(part)
    else:
        part.symlink_to(other)
    with pytest.raises(UserError, match="a link or the like, not a file: remove it"):
        get()
    assert not out.exists()
    assert (other.read_text() == "precious") if kind == "link" else not other.exists()


def test_two_at_once_do_not_write_the_same_file(get: Callable[..., None], out: Path) -> None:
    out.parent.mkdir()
    with part_path(out).open("ab") as stream:
        stream.write(b"some")
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(UserError, match="another download writes it"):
            get()
    assert part_path(out).read_bytes() == b"some"


def test_a_finished_file_is_kept_and_a_wrong_one_replaced(
    get: Callable[..., None], server: Server, out: Path
) -> None:
    out.parent.mkdir()
    out.write_bytes(CONTENT)
    get()
    assert server.seen == []
    for wrong in (CONTENT[:-1], b"\0" * SIZE):
        out.write_bytes(wrong)
        get()
        assert out.read_bytes() == CONTENT


# The disk


def test_a_disk_that_fills_up_on_the_way(
    get: Callable[..., None], server: Server, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = [1000]
    write = os.write

    def limited(handle: int, content: bytes) -> int:
        """Write what fits, and then no more, like a file system."""
        done = write(handle, content[: room[0]])
        room[0] -= done
        if done == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return done

    monkeypatch.setattr(os, "write", limited)
    with pytest.raises(UserError) as caught:
        get()
    assert str(caught.value) == (
        f"{out}: cannot be written, the disk is full: free some space, then run the same command "
        "again (the download goes on after the 1000 bytes received)"
    )
    assert not out.exists()
    room[0] = SIZE
    get()
    assert out.read_bytes() == CONTENT
    assert server.seen[-1].sent == SIZE - 1000


# Places


def mirrored(folder: Path, content: bytes = CONTENT) -> str:
    """A mirror in a folder, with the file in it."""
    copied = folder / "127.0.0.1" / PATH.lstrip("/")
    copied.parent.mkdir(parents=True)
    copied.write_bytes(content)
    return f"{folder}"


def test_hand_placed_before_mirrors_in_their_order_before_the_network(
    get: Callable[..., None], server: Server, tmp_path: Path, out: Path
) -> None:
    hand, far, near = (tmp_path / name for name in ("hand", "far", "near"))
    for folder in (hand, far, near):
        folder.mkdir()
    mirrors = [f"{near}", f"{server.url}/mirror/", f"{far}"]

    def asked() -> list[str]:
        server.seen, seen = [], server.seen
        out.unlink()
        return [request.path for request in seen]

    get(mirrors, hand)  # nobody has it
    assert asked() == [f"/mirror/127.0.0.1{PATH}", PATH]
    mirrored(far)
    get(mirrors, hand)
    assert asked() == [f"/mirror/127.0.0.1{PATH}"]
    server.files[f"/mirror/127.0.0.1{PATH}"] = CONTENT
    server.files.pop(PATH)
    get(mirrors, hand)
    assert asked() == [f"/mirror/127.0.0.1{PATH}"]
    mirrored(near)
    get(mirrors, hand)
    assert asked() == []
    (hand / "text.gz").write_bytes(b"something else")
    with pytest.raises(UserError, match=r"hand/text\.gz: not the expected file: expected"):
        get(mirrors, hand)
    assert not out.exists()
    (hand / "text.gz").write_bytes(CONTENT)
    get(mirrors, hand)
    assert asked() == []


def test_own_addresses_are_asked_in_their_order_after_the_mirrors(
    get: Callable[..., None], server: Server, out: Path
) -> None:
    other = f"{server.url}/second/text.gz"
    server.files["/second/text.gz"] = CONTENT
    server.faults[PATH] = [Fault(status=404)]
    get([f"{server.url}/mirror"], url=[f"{server.url}{PATH}", other])
    asked = [request.path for request in server.seen]
    mirrored = ["/mirror/127.0.0.1" + path for path in (PATH, "/second/text.gz")]
    assert asked == [*mirrored, PATH, "/second/text.gz"]
    assert out.read_bytes() == CONTENT


def test_one_place_goes_on_where_another_broke_off(
    get: Callable[..., None], server: Server, out: Path
) -> None:
    other = f"/127.0.0.1{PATH}"
    server.files[other] = CONTENT
    server.faults[other] = [Fault(cut=HALF), Fault(status=404)]
    get([server.url])
    assert out.read_bytes() == CONTENT
    assert [(seen.path, seen.sent) for seen in server.seen] == [
        *((other, HALF), (other, 0), (PATH, SIZE - HALF))
    ]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [(b"\0" * SIZE, f"SHA-256 {SHA256}"), (CONTENT[:-1], f"{SIZE} bytes, got {SIZE - 1}")],
    ids=["digest", "size"],
)
def test_a_mirror_with_another_file_is_passed_over(
    get: Callable[..., None],
    tmp_path: Path,
    out: Path,
    wrong: bytes,
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = mirrored(tmp_path / "mirror", wrong)
    get([folder])
    assert out.read_bytes() == CONTENT
    message = f"{folder}/127.0.0.1{PATH}: not the expected file: expected {problem}"
    assert message in capsys.readouterr().err


def test_a_mirror_that_states_an_absurd_length_is_passed_over(
    get: Callable[..., None], server: Server, out: Path
) -> None:
    other = f"/127.0.0.1{PATH}"
    server.forever[other] = Fault(headers={"Content-Length": f"{10**15}"})
    get([server.url], bytes=None)
    assert out.read_bytes() == CONTENT
    assert [seen.path for seen in server.seen] == [other, PATH]


def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(
    get: Callable[..., None], tmp_path: Path, out: Path
) -> None:
    folder = mirrored(tmp_path / "mirror")
    copied = Path(folder) / "127.0.0.1" / PATH.lstrip("/")
    copied.unlink()
    os.mkfifo(copied)
    get([folder])
    assert out.read_bytes() == CONTENT
    out.unlink()
    os.mkfifo(tmp_path / "text.gz")
    with pytest.raises(UserError, match=r"text\.gz: a folder, a pipe or a device, not a file: put"):
        get(hand=tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that cannot be read")
def test_a_mirror_that_cannot_be_read_is_named(
    get: Callable[..., None],
    server: Server,
    tmp_path: Path,
    out: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = mirrored(tmp_path / "mirror")
    copied = Path(folder) / "127.0.0.1" / PATH.lstrip("/")
    copied.unlink()
    copied.symlink_to("/proc/self/mem")
    server.files.clear()
    with pytest.raises(UserError, match="no place has it"):
        get([folder], bytes=None)
    told = capsys.readouterr().err
    assert f"{copied}: cannot be read (Input/output error)\n" in told
    assert f"{server.url}{PATH}: HTTP 404 Not Found\n" in told
    assert left(out) == []


def test_a_mirror_must_be_a_folder_or_a_url(get: Callable[..., None], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none: no such mirror folder"):
        get([f"{tmp_path}/none"])
    with pytest.raises(UserError, match="none: no such folder for --hand-placed"):
        get(hand=tmp_path / "none")


# Entries


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"text\.gz: not JSON"),
        ('{"url": "http://x", "sha265": "0"}', r"text\.gz\.sha265: unknown key"),
        ('{"generator": "embedded", "seed": 1}', "no file to fetch: it needs url"),
        ('{"url": "example.org/text.gz", "md5": "0"}', r"url is \S+; allowed: text like https://"),
        (f'{{"url": "http://[x/y", "md5": "{"0" * 32}"}}', r"http://\[x/y: no address of a file"),
    ],
)
def test_an_entry_with_wrong_keys(out: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        download("text.gz", text, out)
