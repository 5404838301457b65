"""One file over HTTP, resumed where an earlier attempt broke off (RFC 9110, section 14.2).

The bytes received so far lie in a hidden file beside the one to make, so that a later command goes
on with them after this one was killed. In the end, digests check the file. So nothing here tells
versions of a file apart, and any server may complete what another one began.
"""

import contextlib
import email.utils
import fcntl
import http.client
import os
import re
import shutil
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import IO, Any

from contextnmt.errors import UserError
from contextnmt.files import REMEDIES, open_plain, remove_abandoned
from contextnmt.progress import bar, say

#: Seconds without a byte after which a connection counts as broken.
TIMEOUT = 30.0
CHUNK = 1 << 18
#: Attempts in a row without progress after which a server is given up.
ATTEMPTS = 8
#: An attempt makes progress if it comes so many bytes further than all before it.
PROGRESS = 1 << 20
#: Seconds before the second attempt; doubled from attempt to attempt.
FIRST_WAIT = 1.0
#: The longest wait in seconds that a server may ask for.
LONGEST_WAIT = 600.0
#: HTTP statuses below 500 that may pass: request timeout, too early, too many requests.
PASSING = (408, 425, 429)

# No file has a size of more digits, and Python refuses to read numbers of thousands.
RANGE = re.compile(r"bytes (?P<first>[0-9]{1,18})-[0-9]+/(?P<size>[0-9]{1,18}|\*)")
LENGTH = re.compile(r"[0-9]{1,18}")

#: Schemes of addresses, and letters of one that a message shows.
SCHEMES, SHOWN = ("http", "https"), 100


class UnavailableError(Exception):
    """A place does not have the file, or has another one: asking again is of no use."""


class TransientError(Exception):
    """A failure that may pass; `wait`: seconds that the server asks to wait."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class UnreachableError(TransientError):
    """No server answers at the address."""


class Redirections(urllib.request.HTTPRedirectHandler):
    """Follows redirections within the web; urllib itself goes on to FTP."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """The next request. Raises UnavailableError if it is of another scheme."""
        fp.close()  # else urllib reads the body, however long, to its end
        if urllib.parse.urlsplit(newurl).scheme not in SCHEMES:
            raise UnavailableError(f"HTTP {code}, a redirection to {newurl[:SHOWN]}: not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def part_path(out: Path) -> Path:
    """The hidden file beside `out` that gathers its bytes."""
    return out.with_name(f".{out.name}.part")


class Part:
    """The bytes of `out` received so far.

    `size`: of the whole file in bytes, if known. `whole`: whether all bytes came in one response,
    so that they cannot stem from two versions of the file.
    """

    def __init__(self, out: Path, stream: IO[bytes], size: int | None) -> None:
        self.out, self.path, self.size = out, part_path(out), size
        self.whole = False
        self._stream = stream

    @property
    def received(self) -> int:
        """Number of bytes received."""
        return os.fstat(self._stream.fileno()).st_size

    def clear(self) -> None:
        """Drop all bytes."""
        self._stream.truncate(0)

    def append(self, chunk: bytes) -> None:
        """Add bytes, which a kill of this process does not lose; UserError if it cannot."""
        rest = memoryview(chunk)
        try:
            while rest:
                rest = rest[os.write(self._stream.fileno(), rest) :]
        except OSError as error:
            remedy = REMEDIES.get(error.errno or 0, error.strerror)
            raise UserError(
                f"{self.out}: cannot be written, {remedy} (the download goes on after the "
                f"{self.received} bytes received)"
            ) from None

    def finish(self) -> None:
        """Give the file, complete and checked, its name."""
        os.fsync(self._stream.fileno())
        self.path.replace(self.out)


@contextlib.contextmanager
def open_part(out: Path, size: int | None) -> Iterator[Part]:
    """The part of `out`, for this process alone; removed if it is empty in the end.

    Raises UserError if another process on this machine has it open, or if it is a link or the like.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(out)  # of a copy that was killed
    with open(part_path(out), "ab", opener=open_plain) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"{out}: another download writes it: wait for that or end it, then run the same "
                "command again"
            ) from None
        part = Part(out, stream, size)
        try:
            yield part
        finally:
            if part.received == 0:
                part.path.unlink(missing_ok=True)


def transfer(url: str, part: Part) -> None:
    """Complete `part` from `url`, with as many attempts as it takes while they make progress.

    Raises UnavailableError if the server has no such file or no attempt of ATTEMPTS in a row made
    progress, and UserError if the disk has no room for the rest.
    """
    furthest, failures = part.received, 0
    while part.received != part.size:
        try:
            attempt(url, part)
            return
        except TransientError as error:
            problem = error
        if isinstance(problem, UnreachableError) and failures == 0:
            raise UnavailableError(str(problem))  # no network, or a misspelt address
        if problem.wait > LONGEST_WAIT:
            raise UnavailableError(f"{problem}; it asks to wait {problem.wait:.0f} seconds")
        failures = 1 if part.received >= furthest + PROGRESS else failures + 1
        furthest = max(furthest, part.received)
        if failures == ATTEMPTS:
            raise UnavailableError(f"{problem}; given up after {ATTEMPTS} attempts")
        wait = max(problem.wait, FIRST_WAIT * 2 ** (failures - 1))
        say(f"{url}: {problem}; next attempt in {wait:.0f} s")
        time.sleep(wait)


def attempt(url: str, part: Part) -> None:
    """Request once the missing rest of `part`, and append it.

    Raises TransientError if it does not come to its end, UnavailableError if there is no such file.
    """
    # Some servers call an archive an encoding: what counts are the bytes that were published.
    headers = {"User-Agent": "contextnmt", "Accept-Encoding": "identity"}
    if part.received:
        headers["Range"] = f"bytes={part.received}-"
    try:
        with network_errors():
            request = urllib.request.Request(url, headers=headers)
            ask = urllib.request.build_opener(Redirections).open
            response = ask(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            if part.size is None and error.headers["Content-Range"] == f"bytes */{part.received}":
                return  # it was complete already
            part.clear()
        elif error.code < 500 and error.code not in PASSING:
            raise UnavailableError(f"HTTP {error.code} {error.reason}") from None
        wait = seconds_to_wait(error.headers["Retry-After"] or "")
        raise TransientError(f"HTTP {error.code} {error.reason}", wait) from None
    with response:
        receive(response, part)


@contextlib.contextmanager
def network_errors() -> Iterator[None]:
    """Turn what urllib raises, except for answers with an HTTP status, into errors of here."""
    try:
        yield
    except urllib.error.HTTPError:
        raise
    except (http.client.InvalidURL, ValueError, OverflowError) as error:
        raise UnavailableError(str(error)) from None
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        lost = isinstance(reason, ConnectionRefusedError | socket.gaierror)
        problem = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        raise (UnreachableError if lost else TransientError)(problem) from None


def seconds_to_wait(retry_after: str) -> float:
    """Seconds that a Retry-After header asks for, a number or a date; 0 without one."""
    if retry_after.isdecimal():
        return float(retry_after)
    with contextlib.suppress(ValueError, OverflowError):  # a year or zone of many digits
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    return 0.0


def receive(response: http.client.HTTPResponse, part: Part) -> None:
    """Append the body of a response to `part`.

    Raises TransientError if it breaks off, UnavailableError if it is longer than expected.
    """
    size = begin(response, part)
    with bar(f"download {part.out.name}", "B", size, initial=part.received) as shown:
        while chunk := next_bytes(response):
            if size is not None and part.received + len(chunk) > size:
                part.clear()
                raise UnavailableError(f"more than the expected {size} bytes come from it")
            part.append(chunk)
            shown.update(len(chunk))
    if size is not None and part.received < size:
        raise TransientError(f"it broke off after {part.received} of {size} bytes")


def next_bytes(response: http.client.HTTPResponse) -> bytes:
    """The next bytes of a response, as soon as there are any; none at its end."""
    with network_errors():
        return response.read1(CHUNK)


def begin(response: http.client.HTTPResponse, part: Part) -> int | None:
    """Make `part` ready for a response; returns the size of the whole file in bytes, if known.

    Bytes received before stay only if the response continues them. Raises TransientError if it
    holds another range, UnavailableError if the file has not the expected size, or if the server
    alone says a size for which the disk has no room, and UserError if it has none for the rest.
    """
    stated, first = response.headers["Content-Length"], 0
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        found = RANGE.fullmatch(response.headers["Content-Range"] or "")
        if not found or int(found["first"]) != part.received:
            part.clear()
            raise TransientError("another part of the file than the one asked for")
        stated, first = found["size"], part.received
    elif response.status != HTTPStatus.OK:
        raise UnavailableError(f"HTTP {response.status} {response.reason}")
    size = int(stated) if LENGTH.fullmatch(stated or "") else part.size
    if part.size not in (None, size):
        raise UnavailableError(f"not the expected file: expected {part.size} bytes, got {size}")
    part.whole = first == 0
    if part.whole:
        part.clear()
    free, rest = shutil.disk_usage(part.path.parent).free, (size or first) - first
    if free < rest and part.size is None:  # it may be a lie
        raise UnavailableError(f"it states {size} bytes, and the disk has room for {free}")
    if free < rest:
        raise UserError(
            f"{part.out}: {rest} bytes are missing, and the disk has room for {free}: free some "
            "space, then run the same command again"
        )
    return size
