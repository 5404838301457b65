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

#: Words of refusals that no waiting mends, and of such as pass: nodes that are down, a full queue.
LASTING = ("invalid", "node configuration", "memory specification", "permitted", "unrecognized")
PASSING = ("not available", "busy", "contact", "timed out", "temporarily", "no answer")

#: Nodes that Slurm leaves out when it says that none has what is asked for.
DOWN = "down,drain,drained,draining,fail,maint,reboot"

#: Seconds that Slurm has to remember a finished job for, so that Snakemake sees its end (`squeue`).
REMEMBERED = 240


@dataclass(frozen=True)
class Request:
    """What a job asks for: the options of sbatch, and of these what has to be looked at alone.

    Megabytes of memory, minutes; what is 0 or empty is not asked for.
    """

    options: tuple[str, ...] = ()
    threads: int = 1
    memory: int = 0
    minutes: int = 0
    gpus: int = 0
    gpu_type: str = ""
    partition: str = ""
    account: str = ""
    qos: str = ""

    def place(self) -> list[str]:
        """Where srun is to start a step for this job, and who pays: sbatch has names of its own for
        what may come from the environment."""
        given = {"partition": self.partition, "account": self.account, "qos": self.qos}
        given = {
            name: word or os.environ.get(f"SBATCH_{name.upper()}", "")
            for name, word in {**given, "reservation": ""}.items()
        }
        return [f"--{name}={word}" for name, word in given.items() if word]

    def fits(self, node: str) -> bool:
        """Whether a node would do, of which sinfo shows cores, megabytes, GPUs ("4+": at least)."""
        cores, memory, gpus = node.split(maxsplit=2)
        kind = f"gpu:{self.gpu_type}" if self.gpu_type else "gpu"
        enough = int(cores.rstrip("+")) >= self.threads and int(memory.rstrip("+")) >= self.memory
        return enough and (not self.gpus or kind in gpus)

    def __str__(self) -> str:
        return f"sbatch {shlex.join(self.options)}"


class Answer(NamedTuple):
    """Exit status and words of a program of Slurm."""

    status: int
    said: str
    complaint: str


@dataclass(frozen=True)
class Queued:
    """A job in Slurm's queue: its number, its comment (rule and wildcards), where it works."""

    number: str
    comment: str
    folder: str


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


def ending_preempted(requests: Iterable[Request]) -> list[str]:
    """Those partitions of the requests in which a job that is preempted ends for good."""
    found = []
    wanted = {name for request in requests for name in request.partition.split(",")}
    for line in asked("scontrol", "show", "partition", "--oneliner").said.split("\n"):
        said = dict(word.split("=", 1) for word in line.split() if "=" in word)
        names = {said.get("PartitionName"), "" if said.get("Default") == "YES" else None}
        if "CANCEL" in said.get("PreemptMode", "") and names & wanted:
            found.append(said["PartitionName"])
    return found


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


def check_requests(requests: Mapping[Request, Iterable[str]]) -> list[str]:
    """What Slurm says against requests in words that are not known here, which may be a site's.

    `requests`: what is asked for -> the rules that do. A quality of service may lift the limits of
    a partition, so with one, Slurm alone is asked. Raises UserError, naming rules, if Slurm would
    refuse what they ask for, or never start it.
    """
    limits = partition_limits()
    refused: dict[str, list[tuple[Request, Iterable[str]]]] = {}
    unclear: dict[str, list[tuple[Request, Iterable[str]]]] = {}
    for request, rules in requests.items():
        answer = asked("sbatch", "--test-only", *request.options, "--wrap=true")
        words = answer.complaint
        limit = None if request.qos else longest(request.partition, limits)
        if answer.status == 0 and limit is not None and request.minutes > limit:
            words = f"{TOO_LONG} of {limit / 60:g} hours"
        elif answer.status == 0:
            continue
        elif not lasts(words, request):
            if not any(word in words.lower() for word in PASSING):
                unclear.setdefault(words.replace("\n", " "), []).append((request, rules))
            continue
        said = f"{reason(words)}: {advice(words, request, limits)}"
        refused.setdefault(said, []).append((request, rules))
    if refused:
        told = "\n".join(listed(refused))
        raise UserError(f"Slurm would never run what this call needs:\n{told}")
    return listed(unclear)


def listed(answers: Mapping[str, list[tuple[Request, Iterable[str]]]]) -> list[str]:
    """A line for each answer, with the rules that got it."""
    return [
        f"- {', '.join(sorted({rule for _, rules in jobs for rule in rules}))} "
        f"(such as {jobs[0][0]}): {said}"
        for said, jobs in answers.items()
    ]


def lasts(words: str, request: Request) -> bool:
    """Whether waiting does not mend a refusal: nodes that are down now may have what is asked."""
    if "node configuration" in words:
        place = [f"--partition={request.partition}"] if request.partition else []
        each = ["--noheader", "--Node", f"--states={DOWN}", "--format=%c %m %G"]
        away = asked("sinfo", *each, *place)
        nodes = filter(None, away.said.split("\n"))
        return away.status == 0 and not any(request.fits(node) for node in nodes)
    return any(word in words.lower() for word in LASTING)


def longest(partition: str, limits: Mapping[str, float | None]) -> float | None:
    """Minutes that a job may take in a partition, or in one of several; None if any."""
    each = [limits.get(name) for name in partition.split(",")]
    known = [limit for limit in each if limit is not None]
    return max(known) if len(known) == len(each) else None


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
    line = lines[-1].removeprefix("sbatch: error: ").removeprefix("srun: error: ")
    return line.removeprefix("allocation failure: ")


def advice(words: str, request: Request, limits: Mapping[str, float | None]) -> str:
    """What to do about it."""
    variable = "CONTEXTNMT_SLURM_GPU_PARTITION" if request.gpus else "CONTEXTNMT_SLURM_PARTITION"
    known = ", ".join(sorted(filter(None, limits)))
    words = words.lower()
    if TOO_LONG in words or "time limit" in words:
        return (
            f"set {variable} to a partition that allows more; for trainings, which go on in their "
            "next job, CONTEXTNMT_SLURM_TRAINING_TIME to less (and --retries to how many more jobs "
            "they may take); for other rules, `runtime` in a profile of your own"
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
    jobs will tell, and why. `latency`: for so many seconds a node may see a new file late.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = {tuple(each.place()): each.partition for each in requests}
    for place, partition in sorted(places.items()):
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".seen") as token:
            seen = [str(Path(token.name).absolute()), python, str(max(1, latency))]
            answer = asked(
                *("srun", "--quiet", "--ntasks=1", "--mem=50", "--chdir=/"),
                *(f"--time={latency // 60 + 2}", f"--immediate={BUSY}"),
                *("--job-name=contextnmt_probe", *place, "sh", "-c", PROBE, "sh", *seen),
                silent=latency + SILENT,
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
            yield f"{partition or '(the default)'}: {reason(answer.complaint)}"


def comment(rule: str, wildcards: Iterable[str]) -> str:
    """How Slurm's records name a job of a rule: the words of Snakemake's executor."""
    words = "_".join(wildcards).replace("/", "_")
    return f"rule_{rule}_wildcards_{words}" if words else f"rule_{rule}"


def left_over(comments: Mapping[str, str]) -> list[Queued]:
    """Those jobs that are still in the queue, of those that an earlier call has started.

    `comments`: number of a job -> its comment. Snakemake itself does not look for them. A job of
    another comment has the number by chance. Raises UserError if Slurm does not answer.
    """
    return [job for job in queued() if comments.get(job.number) == job.comment]


def queued() -> list[Queued]:
    """This user's jobs in the queue. Raises UserError if Slurm does not answer."""
    answer = asked("squeue", "--me", "--noheader", "--format=%i\t%k\t%Z")
    if answer.status:
        raise UserError(f"squeue does not tell of your jobs: {answer.complaint}: try again later")
    entries = (line.split("\t") for line in answer.said.split("\n") if line.count("\t") == 2)
    return [Queued(*entry) for entry in entries]


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


def asked(*command: str, silent: float | None = None) -> Answer:
    """What a program of Slurm answers, as from outside of any job of it, in `silent` seconds."""
    silent = SILENT if silent is None else silent
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SLURM_") or name in ("SLURM_CONF", "SLURM_CLUSTERS")
    }
    try:
        done = subprocess.run(
            command,
            env=kept,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=silent,
        )
    except subprocess.TimeoutExpired:
        return Answer(124, "", f"no answer within {silent} seconds")
    except OSError as error:
        return Answer(127, "", str(error))
    return Answer(done.returncode, done.stdout.strip(), done.stderr.strip())
