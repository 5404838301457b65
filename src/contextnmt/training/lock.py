"""Who may write the state of a training: one process at a time, on one machine or on several.

Two copies of a training can run at once where a scheduler has lost sight of the first, so the
state has an owner. The lock is a file `lock.N` in the folder of the state; whoever made the one
with the highest N is the owner. Such a file is made by a hard link, or else with O_EXCL, which
network file systems keep to, and its maker alone ever writes into it: that is its heartbeat. A
newcomer that sees the owner gone makes `lock.N+1`, which only one newcomer can; an owner that comes
back to life, from a suspended machine say, finds that file before its next write and stops.

flock is not used: not every network file system has it between machines.
"""

import contextlib
import dataclasses
import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from contextnmt.errors import UserError

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
        process = os.getpid()
        return cls(
            host=socket.gethostname(),
            system=system(),
            process=process,
            started=status(process)[1],
            job=os.environ.get("SLURM_JOB_ID", ""),
            token=secrets.token_hex(8),
        )

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
        except PermissionError:
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


def last(folder: Path) -> int:
    """The highest number of a lock file in `folder`, 0 if there is none."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return 0
    numbers = [name.removeprefix("lock.") for name in names if name.startswith("lock.")]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def read(folder: Path, number: int) -> bytes:
    """Content of a lock file, empty if it is gone."""
    try:
        return (folder / f"lock.{number}").read_bytes()
    except OSError:
        return b""


def parse(content: bytes) -> Owner:
    """The owner that a lock file names."""
    try:
        return Owner(**json.loads(content)["owner"])
    except (ValueError, TypeError, KeyError):
        return UNKNOWN


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
        content = read(self.folder, number)
        if (number, content) != (self.number, self._content):
            self.number, self._content = number, content
            self._since = time.monotonic()
        if number == 0:
            return None
        owner = parse(content)
        silent = time.monotonic() - self._since > self.silence
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
            self._make_folder()
            other = watch.owner()
            if other is None:
                if self._claim(watch.number + 1):
                    break
                continue
            if not self.waited:
                print(
                    f"{self.folder}: another training works here ({other}): waiting for its end",
                    file=sys.stderr,
                    flush=True,
                )
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

    def _make_folder(self) -> None:
        """Make the folder, unless it is there. Raises UserError if its name is that of a file."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            if self.folder.is_file():
                raise UserError(f"{self.folder}: a file; name a folder for the state") from None
            # It was there, and then its last owner removed it: made at the next attempt.

    def _claim(self, number: int) -> bool:
        """Try to become the owner by lock file `number`."""
        self.number = number
        part = self.folder / f".lock.{self.owner.token}.part"
        try:
            self._handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        except FileNotFoundError:  # the owner before has finished and removed the folder
            return False
        owned = False
        try:
            self._show()
            if self._place(part):
                # Not so if the number is old: others have come and gone since it was looked up.
                owned = last(self.folder) == number
                if not owned:
                    self._path.unlink(missing_ok=True)
        finally:
            if not owned:
                os.close(self._handle)
            with contextlib.suppress(OSError):  # if left behind, it does no harm
                part.unlink()
        if not owned:
            return False
        for name in os.listdir(self.folder):
            older = name.removeprefix("lock.")
            if name != older and older.isdecimal() and int(older) < number:
                (self.folder / name).unlink(missing_ok=True)
        return True

    def _place(self, part: Path) -> bool:
        """Give the file the name of the lock, unless another has it."""
        try:
            os.link(part, self._path)
        except FileExistsError:
            # A network file system may have made the link and then lost its own answer.
            return os.fstat(self._handle).st_nlink == 2
        except OSError:  # no hard links here: for a moment, the lock does not name its owner
            try:
                handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            except (FileExistsError, FileNotFoundError):
                return False
            os.close(self._handle)
            self._handle = handle
            self._show()
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
        return (
            last(self.folder) == self.number
            and parse(read(self.folder, self.number)).token == self.owner.token
        )

    def check(self) -> None:
        """To be called before each write. Raises UserError if the lock is another's, or gone."""
        if self._mine():
            return
        number = last(self.folder)
        if not number:
            raise UserError(
                f"{self.folder}: removed while this training was at work in it: it stops; give "
                "the same command again to train from the start"
            )
        raise UserError(
            f"{self.folder}: {parse(read(self.folder, number))} has taken over this training, "
            f"since {self.owner} showed no sign of life for a while: this copy stops, the other "
            "one goes on"
        )
