"""One file over HTTP, going on where an earlier attempt broke off.

An attempt asks for the rest alone, on the condition that the file there is still the same: HTTP's
Range and If-Range, RFC 9110 sections 14.2 and 13.1.5. Whether the bytes are the right ones is for
the caller to check.
"""

import email.utils
import http.client
import re
import shutil
import socket
import sys
import time
import urllib.error
import urllib.request
from http import HTTPStatus

from contextnmt.corpus.part import Part
from contextnmt.errors import UserError
from contextnmt.progress import bar

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

RANGE = re.compile(r"bytes (?P<first>\d+)-\d+/(?P<size>\d+|\*)")


class UnavailableError(Exception):
    """A place does not have the file, or another one: asking there again is of no use."""


class TransientError(Exception):
    """An attempt failed, and another may not; `wait` has the seconds that the server asks for."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class UnreachableError(TransientError):
    """Nobody answers at the address."""


def transfer(url: str, part: Part) -> None:
    """Complete `part` from `url`, with as many attempts as it takes while they make progress.

    Raises UnavailableError if the server has no such file or no attempt of ATTEMPTS in a row made
    progress, and UserError if the disk has no room for the rest.
    """
    furthest, failures, answered = part.received, 0, False
    while part.received != part.expected:
        try:
            attempt(url, part)
            return
        except TransientError as error:
            problem = error
        if isinstance(problem, UnreachableError) and not answered:
            raise UnavailableError(str(problem))  # no network, or a misspelt address
        answered = True
        failures = 1 if part.received >= furthest + PROGRESS else failures + 1
        furthest = max(furthest, part.received)
        if failures == ATTEMPTS:
            raise UnavailableError(f"{problem}; given up after {ATTEMPTS} attempts")
        wait = max(problem.wait, FIRST_WAIT * 2 ** (failures - 1))
        print(f"{url}: {problem}; next attempt in {wait:.0f} s", file=sys.stderr)
        time.sleep(wait)


def attempt(url: str, part: Part) -> None:
    """Ask once for what `part` lacks, and add to it what comes.

    Raises TransientError if that is not all of it, UnavailableError if there is no such file.
    """
    with ask(url, part) as response:
        size = begin(url, response, part)
        with bar(f"download {part.out.name}", "B", size, initial=part.received) as shown:
            while chunk := read(response):
                if size is not None and part.received + len(chunk) > size:
                    part.clear()
                    raise UnavailableError(f"more than the expected {size} bytes come from it")
                part.append(chunk)
                shown.update(len(chunk))
    if size is not None and part.received < size:
        raise TransientError(f"it broke off after {part.received} of {size} bytes")


def ask(url: str, part: Part) -> http.client.HTTPResponse:
    """The answer to a request for the file, or for the rest of it if `part` has its beginning."""
    request = urllib.request.Request(
        url, headers={"User-Agent": "contextnmt", "Accept-Encoding": "identity"}
    )
    if part.received:
        request.add_header("Range", f"bytes={part.received}-")
        if part.origin["url"] == url and part.origin["validator"]:
            request.add_header("If-Range", part.origin["validator"])
    try:
        response: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=TIMEOUT)
        return response
    except urllib.error.HTTPError as error:
        error.close()
        problem = f"HTTP {error.code} {error.reason}"
        if error.code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.clear()
        elif error.code < 500 and error.code not in PASSING:
            raise UnavailableError(problem) from None
        raise TransientError(problem, retry_after(error.headers["Retry-After"])) from None
    except urllib.error.URLError as error:
        reason = error.reason
        lost = isinstance(reason, ConnectionRefusedError | socket.gaierror)
        kind = UnreachableError if lost else TransientError
        raise kind(str(getattr(reason, "strerror", None) or reason)) from None
    except (http.client.InvalidURL, ValueError) as error:
        raise UnavailableError(str(error)) from None
    except (OSError, http.client.HTTPException) as error:
        raise TransientError(str(error) or type(error).__name__) from None


def read(response: http.client.HTTPResponse) -> bytes:
    """The next bytes of an answer, as soon as there are any; none at its end."""
    try:
        return response.read1(CHUNK)
    except (OSError, http.client.HTTPException) as error:
        raise TransientError(str(error) or type(error).__name__) from None


def begin(url: str, response: http.client.HTTPResponse, part: Part) -> int | None:
    """Make `part` ready for an answer's bytes; returns the size of the whole file, if known.

    Bytes that came before stay only if the answer goes on after them. Raises TransientError if it
    fits neither them nor an empty part, and UnavailableError if the file has not the expected size.
    """
    tag = response.headers["ETag"] or ""
    # A weak tag, W/"…", is none for bytes: it may stay the same when they change.
    validator = tag if tag.startswith('"') else response.headers["Last-Modified"]
    length = response.headers["Content-Length"]
    size = int(length) if length and length.isdecimal() else None
    first = 0
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        found = RANGE.fullmatch(response.headers["Content-Range"] or "")
        if not found:
            part.clear()
            raise TransientError("a part of the file without saying which")
        first = int(found["first"])
        size = int(found["size"]) if found["size"] != "*" else None
    elif response.status != HTTPStatus.OK:
        raise UnavailableError(f"HTTP {response.status} {response.reason}")
    if part.size is not None and size not in (part.size, None):
        raise UnavailableError(f"not the expected file: expected {part.size} bytes, got {size}")
    if first == 0 or first != part.received or not same(url, validator, size, part):
        part.clear()
    if first != part.received:
        raise TransientError("the file there has changed")
    size = part.expected if size is None else size
    check_room(part, size)
    part.begin(url, validator, size)
    return size


def same(url: str, validator: str | None, size: int | None, part: Part) -> bool:
    """Whether an answer may be of the file that `part` has the beginning of, as far as it shows.

    Another server's answer may: digests decide in the end.
    """
    if None not in (size, part.expected) and size != part.expected:
        return False
    return part.origin["url"] != url or part.origin["validator"] in (validator, None)


def check_room(part: Part, size: int | None) -> None:
    """Raise UserError if the disk has no room for the rest of a file of `size` bytes."""
    free = shutil.disk_usage(part.path.parent).free
    rest = 0 if size is None else size - part.received
    if free < rest:
        raise UserError(
            f"{part.out}: {rest} bytes are still to come, and the disk has room for {free}: free "
            "some space, then run the same command again"
        )


def retry_after(header: str | None) -> float:
    """Seconds to wait by a Retry-After header, which has a number or a date; 0 without one.

    Raises UnavailableError if that is longer than LONGEST_WAIT.
    """
    if header is None:
        return 0.0
    if header.isdecimal():
        seconds = float(header)
    else:
        try:
            seconds = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return 0.0
    if seconds > LONGEST_WAIT:
        raise UnavailableError(f"it asks to wait {seconds:.0f} seconds")
    return max(seconds, 0.0)
