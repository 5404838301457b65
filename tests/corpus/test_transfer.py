"""Transfers from a real server on the loopback device, with all that can go wrong on the way."""

import email.utils
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpus.http_server import CONTENT, HALF, PATH, SIZE, Fault, Server

from contextnmt.corpus import transfer as module
from contextnmt.corpus.transfer import ATTEMPTS, Part, UnavailableError, open_part, transfer
from contextnmt.errors import UserError

#: Python refuses to read such a number.
DIGITS = "9" * 5000


@pytest.fixture
def part(tmp_path: Path) -> Iterator[Part]:
    """An empty part; the size of the file is not known."""
    with open_part(tmp_path / "text.gz", None) as opened:
        yield opened


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, none of which is kept."""
    seconds: list[float] = []
    monkeypatch.setattr(module, "PROGRESS", 1000)
    clock = SimpleNamespace(sleep=seconds.append, time=time.time)
    monkeypatch.setattr(module, "time", clock)
    return seconds


def received(part: Part) -> bytes:
    return part.path.read_bytes()


def test_a_cut_connection_costs_only_the_rest(
    server: Server, url: str, part: Part, waits: list[float]
) -> None:
    server.faults[PATH] = [Fault(cut=HALF), Fault(cut=1000)]
    transfer(url, part)
    assert received(part) == CONTENT
    assert not part.whole
    assert [seen.range for seen in server.seen] == [None, f"bytes={HALF}-", f"bytes={HALF + 1000}-"]
    assert sum(seen.sent for seen in server.seen) == SIZE
    assert waits == [1, 1]  # each attempt made progress


@pytest.mark.parametrize(
    ("second", "sent"),
    [
        (Fault(plain=True), [HALF, SIZE]),  # it knows no ranges
        (Fault(headers={"Content-Range": "nonsense"}), [HALF, SIZE - HALF, SIZE]),
        (Fault(headers={"Content-Range": f"bytes 0-9/{SIZE}"}), [HALF, SIZE - HALF, SIZE]),
        (Fault(headers={"Content-Range": f"bytes {HALF}-9/{DIGITS}"}), [HALF, SIZE - HALF, SIZE]),
        (Fault(headers={"Content-Range": f"bytes {HALF}-{SIZE - 1}/*"}), [HALF, SIZE - HALF]),
    ],
)
def test_the_rest_is_only_glued_if_it_is_the_rest(
    server: Server, url: str, part: Part, second: Fault, sent: list[int]
) -> None:
    server.faults[PATH] = [Fault(cut=HALF), second]
    transfer(url, part)
    assert received(part) == CONTENT
    assert [seen.sent for seen in server.seen] == sent


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        (Fault(cut=HALF, plain=True), f"it broke off after {HALF} of {SIZE} bytes"),
        (Fault(status=500), "HTTP 500 .*"),
    ],
)
def test_a_server_without_progress_is_given_up(
    server: Server, url: str, part: Part, waits: list[float], fault: Fault, problem: str
) -> None:
    server.forever[PATH] = fault
    with pytest.raises(UnavailableError, match=f"{problem}; given up after {ATTEMPTS} attempts"):
        transfer(url, part)
    assert len(server.seen) == ATTEMPTS
    assert waits == [2.0**n for n in range(ATTEMPTS - 1)]


@pytest.mark.parametrize("status", [202, 404])
def test_a_file_that_is_not_there_is_not_asked_for_again(
    server: Server, url: str, part: Part, status: int
) -> None:
    server.forever[PATH] = Fault(status=status)
    with pytest.raises(UnavailableError, match=f"^HTTP {status} "):
        transfer(url, part)
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [408, 429, 503])
def test_what_may_pass_is_tried_again(
    server: Server, url: str, part: Part, waits: list[float], status: int
) -> None:
    server.faults[PATH] = [Fault(status=status)] * 2
    transfer(url, part)
    assert received(part) == CONTENT
    assert waits == [1, 2]


def test_a_server_may_say_how_long_to_wait_but_not_for_ever(
    server: Server, url: str, part: Part, waits: list[float]
) -> None:
    date = email.utils.formatdate(time.time() + 100, usegmt=True)
    server.faults[PATH] = [
        Fault(status=503, headers={"Retry-After": after})
        for after in ["7", date, "soon", f"Mon, 01 Jan 2024 00:00:00 +{2**70}", "86400"]
    ]
    with pytest.raises(UnavailableError, match="asks to wait 86400 seconds"):
        transfer(url, part)
    assert waits == [7, pytest.approx(100, abs=3), 4, 8]


def test_a_redirection_is_followed_with_the_range(server: Server, url: str, part: Part) -> None:
    server.faults["/old"] = [Fault(status=302, headers={"Location": url})] * 2
    server.faults[PATH] = [Fault(cut=HALF)]
    transfer(server.url + "/old", part)
    assert received(part) == CONTENT
    assert [(seen.path, seen.sent) for seen in server.seen] == [
        *(("/old", 0), (PATH, HALF)),
        *(("/old", 0), (PATH, SIZE - HALF)),
    ]


def test_a_redirection_to_a_port_of_many_digits_is_not_followed(
    server: Server, url: str, part: Part
) -> None:
    server.forever[PATH] = Fault(status=302, headers={"Location": f"http://127.0.0.1:{2**70}/x"})
    with pytest.raises(UnavailableError, match="too large"):
        transfer(url, part)


@pytest.mark.parametrize("address", ["ftp://127.0.0.1:1/text.gz", "file:///etc/passwd", "data:,x"])
def test_a_redirection_out_of_the_web_is_not_followed(
    server: Server, url: str, part: Part, address: str
) -> None:
    server.forever[PATH] = Fault(status=302, headers={"Location": address})
    with pytest.raises(UnavailableError, match=r"^HTTP 302.*edirection to "):
        transfer(url, part)
    assert len(server.seen) == 1


def test_a_server_that_falls_silent(
    server: Server, url: str, part: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 0.2)
    server.faults[PATH] = [Fault(pause=0.4), Fault(cut=HALF, pause=0.4)]
    transfer(url, part)
    assert received(part) == CONTENT
    assert [seen.range for seen in server.seen] == [None, None, f"bytes={HALF}-"]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(unsized=True),
        Fault(headers={"Content-Encoding": "x-gzip"}),
        Fault(headers={"Content-Length": DIGITS}),
    ],
)
def test_an_answer_of_unknown_length_or_of_another_encoding_is_taken_as_it_comes(
    server: Server, url: str, part: Part, fault: Fault
) -> None:
    """Some servers call an archive an encoding: what counts are the bytes that were published."""
    server.forever[PATH] = fault
    transfer(url, part)
    assert received(part) == CONTENT


@pytest.mark.parametrize(("size", "message"), [(SIZE - 1, "more than"), (SIZE + 1, "given up")])
def test_a_known_length_is_checked_where_the_server_states_none(
    server: Server, url: str, tmp_path: Path, size: int, message: str
) -> None:
    server.forever[PATH] = Fault(unsized=True)
    with (
        open_part(tmp_path / "text.gz", size) as part,
        pytest.raises(UnavailableError, match=message),
    ):
        transfer(url, part)


def test_a_server_that_is_not_there_is_not_waited_for(part: Part, waits: list[float]) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/text.gz"
        with pytest.raises(UnavailableError, match="refused"):
            transfer(url, part)
    assert waits == []


def test_a_server_that_goes_away_is_waited_for(
    server: Server, url: str, part: Part, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(seconds: float) -> None:
        waits.append(seconds)
        server.shutdown()
        server.server_close()

    monkeypatch.setattr(module.time, "sleep", leave)
    server.faults[PATH] = [Fault(cut=HALF)]
    with pytest.raises(UnavailableError, match="refused; given up"):
        transfer(url, part)
    assert len(waits) == ATTEMPTS - 1
    assert part.received == HALF


@pytest.mark.parametrize("address", ["127.0.0.1:port/text.gz", "127.0.0.1/a file.gz"])
def test_an_address_that_is_none_is_refused(part: Part, address: str) -> None:
    with pytest.raises(UnavailableError):
        transfer(f"http://{address}", part)


def test_a_disk_without_room_is_noticed_before_anything_comes(
    server: Server, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the size is that of the entry; what a server alone says may be wrong."""
    full = SimpleNamespace(disk_usage=lambda folder: SimpleNamespace(free=SIZE - 1))
    monkeypatch.setattr(module, "shutil", full)
    with open_part(tmp_path / "text.gz", SIZE) as part:
        with pytest.raises(UserError, match=f"{SIZE} bytes are missing, .* room for {SIZE - 1}:"):
            transfer(url, part)
        assert part.received == 0
    with open_part(tmp_path / "text.gz", None) as part:
        with pytest.raises(UnavailableError, match=f"states {SIZE} bytes, .* room for {SIZE - 1}"):
            transfer(url, part)
        assert part.received == 0
