"""A web server on the loopback device that does what it is told to, right or wrong."""

import contextlib
import http.server
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

#: What the tests of this room let a server give away, and where.
CONTENT = bytes(range(256)) * 3000
SIZE = len(CONTENT)
HALF = SIZE // 2
PATH = "/data/text.gz"


@dataclass(frozen=True)
class Fault:
    """How the server departs from a proper answer to one request.

    With a `status`, it sends that alone, with `headers`. `content` is served instead of the file.
    `plain` sends the whole file whatever range is asked for; `unsized` does not say how long it is.
    The body comes in `pieces` of equal size, each after `pause` seconds; with `cut` only so many
    bytes of it, then the pause.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    pause: float = 0.0
    pieces: int = 1
    content: bytes | None = None
    plain: bool = False
    unsized: bool = False


@dataclass(frozen=True)
class Seen:
    """A request: its path, its header Range, and how the server answered."""

    path: str
    range: str | None
    status: int
    sent: int


class Server(http.server.ThreadingHTTPServer):
    """Serves `files` by path, with ranges.

    `faults` has, by path, what to do with the next requests, in turn; the last one holds for all
    that follow, if it is in `forever`.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.forever: dict[str, Fault] = {}
        self.seen: list[Seen] = []
        self.busy = 0
        self.busiest = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of the server, without a slash at its end."""
        return f"http://127.0.0.1:{self.server_port}"

    def fault(self, path: str) -> Fault:
        """Decide on the next request for `path`."""
        with self.lock:
            waiting = self.faults.get(path)
            return waiting.pop(0) if waiting else self.forever.get(path, Fault())

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing when a client goes away."""


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.busy += 1
            self.server.busiest = max(self.server.busy, self.server.busiest)
        try:
            self.answer(self.server.fault(self.path))
        finally:
            with self.server.lock:
                self.server.busy -= 1

    def do_CONNECT(self) -> None:
        """Answer a proxy request for an address of https; there is no file of that name."""
        self.do_GET()

    def answer(self, fault: Fault) -> None:
        """Send the file, or the rest of it that is asked for, except for `fault`."""
        content = self.server.files.get(self.path) if fault.content is None else fault.content
        if fault.status or content is None:
            self.reply(fault.status or 404, {"Content-Length": "0", **fault.headers})
            return
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
        first = int(asked[1]) if asked and not fault.plain else 0
        if first >= len(content):
            self.reply(416, {"Content-Range": f"bytes */{len(content)}"})
            return
        headers = {
            "Content-Range": f"bytes {first}-{len(content) - 1}/{len(content)}" if first else "",
            "Content-Length": "" if fault.unsized else str(len(content) - first),
        }
        body = content[first : None if fault.cut is None else first + fault.cut]
        self.reply(206 if first else 200, {**headers, **fault.headers}, len(body))
        step = -(-len(body) // fault.pieces) or 1
        for start in range(0, len(body), step):
            if fault.cut is None:
                time.sleep(fault.pause)
            self.wfile.write(body[start : start + step])
        if fault.cut is not None:
            time.sleep(fault.pause)

    def reply(self, status: int, headers: dict[str, str], sent: int = 0) -> None:
        """Send the head of an answer, and remember it with what was asked."""
        self.server.seen.append(Seen(self.path, self.headers["Range"], status, sent))
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """A server that runs while the block does."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()
