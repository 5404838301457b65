"""Who may write the state of a training: one process at a time, on one machine or on several.

Two copies of a training can run at once where a scheduler has lost sight of the first, so the
state has an owner. The lock is a file `lock.N` in the folder of the state; whoever made the one
with the highest N is the owner. Such a file is made with O_EXCL, which network file systems keep
to, and its maker alone ever writes into it: that is its heartbeat. A newcomer that sees the owner
gone makes `lock.N+1`, which only one newcomer can; an owner that comes back to life, from a
suspended machine say, finds that file before its next write and stops.

flock is not used: not every network file system has it between machines.
"""

import contextlib
import dataclasses
import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.progress import say

#: Seconds between two heartbeats; after how many seconds without one an owner counts as gone.
BEAT, SILENCE = 10.0, 60.0

#: Seconds between two looks at a lock that somebody else has.
PAUSE = 1.0


@dataclasses.dataclass(frozen=True)
class Owner:
    """A process: `system` tells apart boots and containers in which process ids start anew."""

    host: str
    system: str
    process: int
    started: str
    job: str
    token: str

    @classmethod
    def here(cls) -> "Owner":
        """This process, with a random token: each owner is another one."""
        process, job = os.getpid(), os.environ.get("SLURM_JOB_ID", "")
        started, token = status(process)[1], secrets.token_hex(8)
        return cls(socket.gethostname(), system(), process, started, job, token)

    def __str__(self) -> str:
        job = f", Slurm job {self.job}" if self.job else ""
        return f"process {self.process} on {self.host}{job}"

    def dead(self) -> bool:
        """Whether it is known to be no more, since it was a process of this very system."""
        if self.system != system():
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # it is there, somebody else's
            return False
        state, started = status(self.process)
        return state == "Z" or (bool(started) and started != self.started)


#: An owner that has not yet said who it is.
UNKNOWN = Owner("another machine", "", 0, "", "", "")


def system() -> str:
    """What a process id is unique in: the host, its boot, and the namespace (of a container)."""
    known = [socket.gethostname()]
    with contextlib.suppress(OSError):
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        known.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(known)


def status(process: int) -> tuple[str, str]:
    """State and start time of a process, empty where there is no /proc to read them in."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", ""
    return fields[0], fields[19]


def numbers(folder: Path) -> list[int]:
    """The numbers of the lock files in `folder`, ascending; none if there is no folder."""
    names = [path.name.removeprefix("lock.") for path in folder.glob("lock.*")]
    return sorted(int(name) for name in names if name.isdecimal())


def last(folder: Path) -> int:
    """The highest number of a lock file in `folder`, 0 if there is none."""
    return max(numbers(folder), default=0)


def read(folder: Path, number: int) -> tuple[bytes, Owner]:
    """Content of a lock file, empty if it is gone, and the owner that it names."""
    try:
        content = (folder / f"lock.{number}").read_bytes()
        return content, Owner(**json.loads(content)["owner"])
    except OSError:
        return b"", UNKNOWN
    except (ValueError, TypeError, KeyError):
        return content, UNKNOWN


class Watch:
    """Tells whether a folder has a living owner; ask again and again.

    Heartbeats are timed by the clock of this process alone: clocks of machines differ.
    """

    def __init__(self, folder: Path, silence: float = SILENCE) -> None:
        """`silence`: after so many seconds without a heartbeat an owner counts as gone."""
        self.folder, self.silence = folder, silence
        self.number, self._content = 0, b""
        self._since = time.monotonic()

    def owner(self) -> Owner | None:
        """The owner, None if there is none or it is gone; `number` is that of its lock."""
        number = last(self.folder)
        content, owner = read(self.folder, number)
        if (number, content) != (self.number, self._content):
            self.number, self._content = number, content
            self._since = time.monotonic()
        if number == 0:
            return None
        # One that has not said who it is was killed between two lines of `Lock._claim`.
        silence = min(self.silence, BEAT) if owner == UNKNOWN else self.silence
        silent = time.monotonic() - self._since > silence
        return None if silent or owner.dead() else owner


class Lock:
    """The right to write a folder while the block runs."""

    def __init__(
        self,
        folder: Path,
        beat: float = BEAT,
        silence: float = SILENCE,
        waiting: Callable[[], None] = lambda: None,
    ) -> None:
        """`waiting` is called once a second while another process is the owner; it may raise."""
        self.folder, self.beat, self.silence, self.waiting = folder, beat, silence, waiting
        self.owner = Owner.here()
        #: Whether there was another owner to wait for.
        self.waited = False
        self.number, self._beats, self._handle = 0, 0, -1
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)

    def __enter__(self) -> "Lock":
        watch = Watch(self.folder, self.silence)
        while True:
            # Its last owner may remove it just after: then the claim fails, and it is made again.
            with contextlib.suppress(FileExistsError):
                self.folder.mkdir(parents=True, exist_ok=True)
            if self.folder.is_file():
                raise UserError(f"{self.folder}: a file; name a folder for the state")
            other = watch.owner()
            if other is None:
                if self._claim(watch.number + 1):
                    break
                continue
            if not self.waited:
                say(f"{self.folder}: another training works here ({other}): waiting for its end")
            self.waited = True
            self.waiting()
            time.sleep(min(PAUSE, self.silence / 4))
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(OSError):
            os.close(self._handle)
            if self._mine():
                self._path.unlink()
                self.folder.rmdir()  # fails unless the state is gone: the run has finished

    @property
    def _path(self) -> Path:
        return self.folder / f"lock.{self.number}"

    def _claim(self, number: int) -> bool:
        """Try to become the owner by lock file `number`."""
        self.number = number
        try:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except (FileExistsError, FileNotFoundError):  # another newcomer's, or the folder is gone
            return False
        self._show()
        if last(self.folder) != number:  # an old one: others have come and gone since the look
            os.close(self._handle)
            self._path.unlink(missing_ok=True)
            return False
        for older in numbers(self.folder)[:-1]:
            (self.folder / f"lock.{older}").unlink(missing_ok=True)
        return True

    def _show(self) -> None:
        """Write the heartbeat. fsync sends it to the server of a network file system."""
        self._beats += 1
        content = {"owner": dataclasses.asdict(self.owner), "beats": f"{self._beats:012}"}
        os.pwrite(self._handle, json.dumps(content).encode(), 0)
        os.fsync(self._handle)

    def _live(self) -> None:
        while not self._ended.wait(self.beat):
            with contextlib.suppress(OSError):  # check() finds out whether the lock is lost
                self._show()

    def _mine(self) -> bool:
        owner = read(self.folder, self.number)[1]
        return last(self.folder) == self.number and owner.token == self.owner.token

    def check(self) -> None:
        """To be called before each write. Raises UserError if the lock is another's, or gone."""
        if self._mine():
            return
        if not (number := last(self.folder)):
            raise UserError(
                f"{self.folder}: removed while this training was at work in it: it stops; give "
                "the same command again to train from the start"
            )
        raise UserError(
            f"{self.folder}: {read(self.folder, number)[1]} has taken over this training, "
            f"since {self.owner} showed no sign of life for a while: this copy stops, the other "
            "one goes on"
        )
