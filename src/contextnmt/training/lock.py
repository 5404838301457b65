"""Who may write the state of a training: one process at a time, on one machine or on several.

Two copies of a training can run at once where a scheduler has lost sight of the first, so the
state has an owner. The lock is a file `lock.N` in the folder of the state; whoever made the one
with the highest N is the owner. Such a file is made with O_EXCL, which network file systems keep
to, unlike flock, and its maker alone ever writes into it: that is its heartbeat. A newcomer that
sees the owner gone makes `lock.N+1`, which only one newcomer can; an owner that comes back to life,
from a suspended machine say, finds that file before its next write and stops.
"""

import contextlib
import dataclasses
import json
import os
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import refuse_special
from contextnmt.progress import say

#: Seconds between two heartbeats; without one, until an owner counts as gone; between two looks.
BEAT, SILENCE, PAUSE = 10.0, 60.0, 1.0


@dataclasses.dataclass(frozen=True)
class Owner:
    """A process: `system` tells apart boots and containers in which process ids start anew."""

    host: str = ""
    system: str = ""
    process: int = 0
    started: str = ""
    job: str = ""
    token: str = ""

    @classmethod
    def here(cls) -> "Owner":
        """This process, with a random token: each owner is another one."""
        process, job = os.getpid(), os.environ.get("SLURM_JOB_ID", "")
        host, token = socket.gethostname(), secrets.token_hex(8)
        return cls(host, system(), process, started(process), job, token)

    def __str__(self) -> str:
        if not self.token:
            return "a process that has not said who it is"
        return f"process {self.process} on {self.host}" + f", Slurm job {self.job}" * bool(self.job)

    def dead(self) -> bool:
        """Whether it is known to be no more, since it was a process of this very system."""
        if self.system != system():
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass  # there is one, of another user
        return started(self.process) not in ("", self.started)


def system() -> str:
    """Name what a process id is unique in: the host, its boot, the namespace of a container."""
    known = [socket.gethostname()]
    with contextlib.suppress(OSError):
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        known.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(known)


def started(process: int) -> str:
    """Start time of a process, `ended` if it is a zombie, empty without /proc to read it in."""
    try:
        state, *fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "ended" if state == "Z" else fields[18]


def numbers(folder: Path) -> list[int]:
    """The numbers of the lock files in `folder`, ascending, after a 0 that stands for none."""
    found = [0]
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        found += [int(name[5:]) for name in os.listdir(folder) if re.fullmatch(r"lock\.\d+", name)]
    return sorted(found)


def newest(folder: Path) -> tuple[int, bytes, Owner]:
    """Number, content and owner of the newest lock in `folder`; 0, empty, unnamed without one."""
    number, content = numbers(folder)[-1], b""
    path = folder / f"lock.{number}"
    refuse_special(path)
    try:
        content = path.read_bytes()
        return number, content, Owner(**json.loads(content)["owner"])
    except (OSError, ValueError, TypeError, KeyError):
        return number, content, Owner()


class Lock:
    """The right to write a folder while the block runs."""

    def __init__(self, folder: Path, waiting: Callable[[], None] = lambda: None) -> None:
        """`waiting` is called once a second while another process is the owner; it may raise."""
        self.folder, self.waiting, self.owner = folder, waiting, Owner.here()
        self.waited = False  #: whether there was another owner to wait for
        self.number, self._path, self._handle = 0, folder, -1
        self._seen, self._since = (0, b""), time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)

    def __enter__(self) -> "Lock":
        while (other := self.living()) or not self._claim(self._seen[0] + 1):
            if other and not self.waited:
                say(f"{self.folder}: another training works here ({other}): waiting for its end")
            if other:
                self.waited = True
                self.waiting()
                time.sleep(min(PAUSE, SILENCE / 4))
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(OSError, UserError):
            os.close(self._handle)
            self.check()
            self._path.unlink()
            self.folder.rmdir()  # fails unless the state is gone: the run has finished

    def living(self) -> Owner | None:
        """The owner, None if there is none or it is gone; ask again and again.

        Heartbeats are timed by the clock of this process alone: clocks of machines differ.
        """
        number, content, owner = newest(self.folder)
        if (number, content) != self._seen:
            self._seen, self._since = (number, content), time.monotonic()
        silent = time.monotonic() - self._since > SILENCE
        return None if number == 0 or silent or owner.dead() else owner

    def _claim(self, number: int) -> bool:
        """Try to become the owner by lock file `number`."""
        self.number, self._path = number, self.folder / f"lock.{number}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except (FileExistsError, FileNotFoundError):  # another newcomer's, or the folder has gone
            if self.folder.is_file():
                raise UserError(f"{self.folder}: a file; name a folder for the state") from None
            return False
        with contextlib.ExitStack() as undo:
            undo.callback(self._path.unlink, missing_ok=True)
            undo.callback(os.close, self._handle)
            self._beat()
            *older, highest = numbers(self.folder)
            if highest != number:  # others have come and gone since the look
                return False
            undo.pop_all()
        for each in older:
            self._path.with_name(f"lock.{each}").unlink(missing_ok=True)
        return True

    def _beat(self) -> None:
        """Write the heartbeat. fsync sends it to the server of a network file system."""
        content = {"owner": dataclasses.asdict(self.owner), "beat": secrets.token_hex(4)}
        os.pwrite(self._handle, json.dumps(content).encode(), 0)
        os.fsync(self._handle)

    def _live(self) -> None:
        while not self._ended.wait(BEAT):
            with contextlib.suppress(OSError):  # check() finds out whether the lock is lost
                self._beat()

    def check(self) -> None:
        """Raise UserError if the lock is another's, or gone. To be called before each write."""
        number, _, owner = newest(self.folder)
        if number == 0:
            raise UserError(
                f"{self.folder}: removed while this training was at work in it: it stops; give "
                "the same command again to train from the start"
            )
        if (number, owner.token) != (self.number, self.owner.token):
            raise UserError(
                f"{self.folder}: {owner} has taken over this training, since {self.owner} showed "
                "no sign of life for a while: this copy stops, the other one goes on"
            )
