"""What Slurm makes of the jobs of a call before any of them is queued.

A job that Slurm refuses, or that it would keep waiting for ever, is found by asking Slurm itself
(`sbatch --test-only`); a folder that the nodes do not see, by a job step of a second.
"""

import getpass
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from contextnmt.errors import UserError

#: Programs of Slurm that Snakemake and this module call.
PROGRAMS = ("sbatch", "srun", "squeue", "scancel", "sinfo")

#: For so many seconds a probe waits for a free node; after so many, no answer is one.
BUSY, SILENT = 5, 120

#: So many seconds a job that is cancelled may take to end.
ENDING = 300

#: What a node does to see whether it could run a job; its exit status says what is missing.
PROBE = """
for second in $(seq "$3"); do
    [ -e "$1" ] && { [ -x "$2" ] || { hostname; exit 67; }; exit 0; }
    sleep 1
done
hostname; exit 66
"""
UNSEEN, NO_PYTHON = 66, 67

#: What Slurm itself does not say: it would let such a job wait for ever.
TOO_LONG = "longer than the partition's limit"

#: Words of refusals that no waiting mends. Others, of nodes that are down or of a full queue, pass.
LASTING = ("invalid", "node configuration", "memory specification", "permitted", "unrecognized")

#: Nodes that Slurm leaves out when it says that none has what is asked for.
DOWN = "down,drain,drained,draining,fail,maint,reboot"

#: Seconds that Slurm has to remember a finished job for, so that Snakemake sees its end (`squeue`).
REMEMBERED = 240


@dataclass(frozen=True)
class Request:
    """What a job asks for: megabytes of memory, minutes; of what is 0 or empty, nothing is said."""

    threads: int = 1
    memory: int = 0
    minutes: int = 0
    gpus: int = 0
    gpu_type: str = ""
    partition: str = ""
    account: str = ""
    qos: str = ""
    constraint: str = ""
    extra: str = ""

    def options(self) -> list[str]:
        """The same for sbatch."""
        gpus = f"{self.gpu_type}:{self.gpus}" if self.gpu_type else str(self.gpus)
        flags = {
            "--mem": self.memory,
            "--time": self.minutes,
            "--gpus": gpus if self.gpus else "",
            "--constraint": self.constraint,
        }
        said = [f"{flag}={value}" for flag, value in flags.items() if value]
        cores = f"--cpus-per-task={self.threads}"
        return ["--ntasks=1", cores, *said, *self.place(), *shlex.split(self.extra)]

    def place(self) -> list[str]:
        """Where it runs, and who pays."""
        flags = {"--partition": self.partition, "--account": self.account, "--qos": self.qos}
        return [f"{flag}={value}" for flag, value in flags.items() if value]

    def __str__(self) -> str:
        gpus = f"{self.gpus} GPU{'s' * (self.gpus > 1)} {self.gpu_type}".strip()
        said = [
            f"{self.threads} core{'s' * (self.threads > 1)}",
            f"{self.memory:,} MB" if self.memory else "",
            f"{self.minutes / 60:g} hours" if self.minutes else "",
            gpus if self.gpus else "",
            f"partition {self.partition}" if self.partition else "",
            f"account {self.account}" if self.account else "",
            f"QoS {self.qos}" if self.qos else "",
            f"constraint {self.constraint}" if self.constraint else "",
            self.extra,
        ]
        return ", ".join(filter(None, said))


class Answer(NamedTuple):
    """Exit status and words of a program of Slurm."""

    status: int
    said: str
    complaint: str


@dataclass(frozen=True)
class Queued:
    """A job in Slurm's queue: its number, its comment (rule and wildcards)."""

    number: str
    comment: str


def check_programs() -> None:
    """Raises UserError if Slurm's programs are not there or its controller does not answer."""
    if lacking := [program for program in PROGRAMS if not shutil.which(program)]:
        raise UserError(
            f"no Slurm on this machine: {', '.join(lacking)} not on the PATH: start snakemake on "
            "a login node of the cluster (perhaps after `module load slurm`), or use "
            "--profile local"
        )
    answer = asked("sinfo", "--noheader", "--format=%P")
    if answer.status:
        raise UserError(
            f"Slurm does not answer: {answer.complaint}: try again later, or ask who runs it"
        )


def forgets_early() -> int | None:
    """For how many seconds Slurm remembers a finished job, if that is too short for Snakemake."""
    found = re.search(r"MinJobAge\s*=\s*(\d+)", asked("scontrol", "show", "config").said)
    return int(found[1]) if found and int(found[1]) < REMEMBERED else None


def check_account(account: str) -> None:
    """Raises UserError if Slurm has accounts for this user, and not this one."""
    if not account or not shutil.which("sacctmgr"):
        return
    user = getpass.getuser()
    answer = asked("sacctmgr", "-n", "-s", "-P", "list", "user", user, "format=account")
    accounts = sorted(set(answer.said.lower().split())) if answer.status == 0 else []
    if accounts and account.lower() not in accounts:
        raise UserError(
            f"account {account}: not one of yours, which are {', '.join(accounts)}: set "
            "CONTEXTNMT_SLURM_ACCOUNT to one of these"
        )


def check_requests(requests: Mapping[Request, Iterable[str]]) -> None:
    """Raises UserError, naming rules, if Slurm would refuse what they ask for, or never start it.

    `requests`: what is asked for -> the rules that do. A quality of service may lift the limits of
    a partition, so with one, Slurm alone is asked.
    """
    limits = partition_limits()
    refused: dict[str, list[tuple[Request, Iterable[str]]]] = {}
    for request, rules in requests.items():
        answer = asked("sbatch", "--test-only", *request.options(), "--wrap=true")
        words = answer.complaint
        limit = None if request.qos else limits.get(request.partition)
        if answer.status == 0 and limit is not None and request.minutes > limit:
            words = f"{TOO_LONG} of {limit / 60:g} hours"
        elif answer.status == 0 or not lasts(words, request):
            continue
        said = f"{reason(words)}: {advice(words, request, limits)}"
        refused.setdefault(said, []).append((request, rules))
    if refused:
        told = []
        for said, jobs in refused.items():
            names = sorted({rule for _, rules in jobs for rule in rules})
            told.append(f"- {', '.join(names)} (such as {jobs[0][0]}): {said}")
        raise UserError("Slurm would never run what this call needs:\n" + "\n".join(told))


def lasts(words: str, request: Request) -> bool:
    """Whether waiting does not mend a refusal: nodes that are down now may have what is asked."""
    if "node configuration" in words:
        place = [f"--partition={request.partition}"] if request.partition else []
        away = asked("sinfo", "--noheader", f"--states={DOWN}", "--format=%n", *place)
        return away.status == 0 and not away.said
    return any(word in words.lower() for word in LASTING)


def partition_limits() -> dict[str, float | None]:
    """How many minutes a job of each partition may take, None if any; '' is the default one."""
    answer = asked("sinfo", "--noheader", "--format=%P %l")
    limits: dict[str, float | None] = {}
    for line in answer.said.split("\n") if answer.status == 0 else []:
        name, _, limit = line.partition(" ")
        limits[name.rstrip("*")] = minutes(limit.strip())
        if name.endswith("*"):
            limits[""] = minutes(limit.strip())
    return limits


def minutes(limit: str) -> float | None:
    """The time that sinfo writes as [DAYS-][[HOURS:]MINUTES:]SECONDS; None for any other word."""
    days, _, clock = limit.rpartition("-")
    try:
        seconds = 0
        for part in clock.split(":"):
            seconds = 60 * seconds + int(part)
        return int(days or 0) * 1440 + seconds / 60
    except ValueError:
        return None


def reason(words: str) -> str:
    """What Slurm says, without who says it."""
    lines = [line for line in words.split("\n") if not line.startswith("Try ")]
    line = lines[-1]
    return line.removeprefix("sbatch: error: ").removeprefix("allocation failure: ")


def advice(words: str, request: Request, limits: Mapping[str, float | None]) -> str:
    """What to do about it."""
    variable = "CONTEXTNMT_SLURM_GPU_PARTITION" if request.gpus else "CONTEXTNMT_SLURM_PARTITION"
    known = ", ".join(sorted(filter(None, limits)))
    words = words.lower()
    if TOO_LONG in words or "time limit" in words:
        return (
            f"set {variable} to a partition that allows more; for trainings, which go on in their "
            "next job, CONTEXTNMT_SLURM_TRAINING_TIME to less (and --retries to how many jobs); "
            "for other rules, `runtime` in a profile of your own"
        )
    if "qos" in words:
        return "set CONTEXTNMT_SLURM_QOS to one of yours (`sacctmgr show user $USER -s`)"
    if "account" in words:
        return "set CONTEXTNMT_SLURM_ACCOUNT to one of yours (`sacctmgr show user $USER -s`)"
    if "partition" in words:
        return f"set {variable} to one of {known}"
    if "node configuration" in words:
        kinds = "CONTEXTNMT_SLURM_GPU_TYPE and " if request.gpus else ""
        return (
            "no node of that partition has so much, or such GPUs: `sinfo -o '%P %c %m %G'` shows "
            f"cores, megabytes and GPUs; set {kinds}{variable}"
        )
    return "correct the variables CONTEXTNMT_SLURM_… or your profile"


def check_folder(
    folder: Path, python: str, requests: Iterable[Request], latency: int
) -> Iterator[str]:
    """Raises UserError if a node does not see `folder`, or the program `python`.

    One node of each partition is asked, where one is free now; yields the other partitions, whose
    jobs will tell. `latency`: for so many seconds a node may see a new file late.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = {tuple(each.place()): each.partition for each in requests}
    for place, partition in sorted(places.items()):
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".seen") as token:
            seen = [str(Path(token.name).absolute()), python, str(max(1, latency))]
            answer = asked(
                *("srun", "--quiet", "--ntasks=1", "--mem=50", "--time=1", "--chdir=/"),
                *(f"--immediate={BUSY}", "--job-name=contextnmt_probe", *place),
                *("sh", "-c", PROBE, "sh", *seen),
            )
        if answer.status == UNSEEN:
            raise UserError(
                f"node {answer.said} does not see {folder.absolute()}: the repository has to lie "
                "on a file system that login and compute nodes share; move it there, or use "
                "--directory"
            )
        if answer.status == NO_PYTHON:
            raise UserError(
                f"node {answer.said} does not see {python}: install the environment on a file "
                "system that login and compute nodes share (the one of this repository, say)"
            )
        if answer.status:
            yield partition or "default"


def comment(rule: str, wildcards: Iterable[str]) -> str:
    """How Slurm's records name a job of a rule: the words of Snakemake's executor."""
    words = "_".join(wildcards).replace("/", "_")
    return f"rule_{rule}_wildcards_{words}" if words else f"rule_{rule}"


def left_over(comments: Mapping[str, str]) -> list[Queued]:
    """Those jobs that are still in the queue, of those that an earlier call has started.

    `comments`: number of a job -> its comment. Snakemake itself does not look for them. A job of
    another comment has the number by chance.
    """
    answer = asked("squeue", "--me", "--noheader", "--format=%i\t%k")
    entries = (line.split("\t") for line in answer.said.split("\n") if line.count("\t") == 1)
    return [
        Queued(number, comment) for number, comment in entries if comments.get(number) == comment
    ]


def cancel(jobs: Iterable[Queued]) -> None:
    """End these jobs and wait until they have ended; trainings save their state before.

    Raises UserError if they do not end.
    """
    numbers = [job.number for job in jobs]
    listed = ["squeue", "--noheader", "--format=%i", f"--jobs={','.join(numbers)}"]
    answer = asked("scancel", *numbers)
    end = time.monotonic() + ENDING
    while asked(*listed).said:  # of jobs that it has forgotten, squeue says nothing
        if answer.status or time.monotonic() > end:
            raise UserError(
                f"jobs {', '.join(numbers)} of an earlier call do not end {answer.complaint}: "
                "cancel them (`scancel`), then give the same command again"
            )
        time.sleep(1)


def asked(*command: str) -> Answer:
    """What a program of Slurm answers, as from outside of any job of it."""
    inside = ("SLURM_", "SRUN_", "SBATCH_")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(inside) or name in ("SLURM_CONF", "SLURM_CLUSTERS")
    }
    try:
        done = subprocess.run(
            command,
            env=kept,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SILENT,
        )
    except subprocess.TimeoutExpired:
        return Answer(124, "", f"no answer within {SILENT} seconds")
    return Answer(done.returncode, done.stdout.strip(), done.stderr.strip())
