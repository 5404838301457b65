"""Checks of the jobs of a call by Slurm itself, before any of them is queued.

A job that Slurm refuses, or that it would keep waiting for ever, is found by asking Slurm itself
(`sbatch --test-only`); a folder that the nodes do not see, by a job step of a second.
"""

import getpass
import math
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from contextnmt.errors import UserError

#: Variable with the time of a job of a training.
TRAINING_TIME = "CONTEXTNMT_SLURM_TRAINING_TIME"

#: Programs of Slurm that Snakemake and this module call.
PROGRAMS = ("sbatch", "srun", "squeue", "scancel", "sinfo")

#: Seconds: a probe waits for a free node, a program of Slurm for an answer, a cancelled job to end.
BUSY, SILENT, ENDING = 5, 120, 300

#: Script by which a node sees whether it could run a job; its exit status tells what is missing.
PROBE = """
for second in $(seq "$3"); do
    [ -e "$1" ] && { [ -x "$2" ] || { hostname; exit 67; }; exit 0; }
    sleep 1
done
hostname; exit 66
"""
UNSEEN, NO_PYTHON = 66, 67

#: A refusal that Slurm itself does not say: it would let such a job wait for ever.
TOO_LONG = "longer than the partition's limit"

#: No node that is up has what is asked for.
NO_NODE = "node configuration"

#: Words of refusals that no waiting mends.
LASTING = ("invalid", NO_NODE, "memory specification", "permitted", "unrecognized", TOO_LONG)

#: States of nodes that Slurm leaves out when it says that none has what is asked for.
DOWN = "down,drain,drained,draining,fail,maint,reboot"

#: Word of a refusal -> what to do; {partition} is the variable that names the job's partition.
ADVICE = {
    "limit": "set {partition} to a partition with a longer limit. For trainings, which continue in "
    "their next job, you can lower CONTEXTNMT_SLURM_TRAINING_TIME instead, and raise --retries, "
    "the number of further jobs. For other rules, lower `runtime` in a profile of your own",
    "qos": "set CONTEXTNMT_SLURM_QOS to one of yours (`sacctmgr show user $USER -s`)",
    "account": "set CONTEXTNMT_SLURM_ACCOUNT to one of yours (`sacctmgr show user $USER -s`)",
    "partition": "set {partition} to one of {partitions}",
    NO_NODE: "no node of that partition that is up has so much, or such GPUs: "
    "`sinfo -o '%P %c %m %G'` shows cores, megabytes and GPUs; set {kind}{partition}",
    "": "correct the variables CONTEXTNMT_SLURM_… or your profile",
}


@dataclass(frozen=True)
class Request:
    """The sbatch options of a job; those that are checked one by one stand beside them."""

    options: tuple[str, ...] = ()
    minutes: int = 0
    gpus: int = 0
    partition: str = ""
    account: str = ""
    qos: str = ""

    def place(self) -> list[str]:
        """Where srun is to start a step for this job, and who pays: sbatch has names of its own for
        what may come from the environment."""
        given = vars(self) | {"reservation": ""}
        names = ["partition", "account", "qos", "reservation"]
        words = {name: given[name] or os.environ.get(f"SBATCH_{name.upper()}") for name in names}
        return [f"--{name}={word}" for name, word in words.items() if word]

    def __str__(self) -> str:
        return f"sbatch {shlex.join(self.options)}"


def asked(*command: str, seconds: float = SILENT) -> subprocess.CompletedProcess[str]:
    """Return what a program of Slurm says, as to a user outside of any job."""
    outside = re.compile(r"SLURM_(CONF|CLUSTERS)$|(?!SLURM_)")
    kept = {name: value for name, value in os.environ.items() if outside.match(name)}
    try:
        done = subprocess.run(
            command, env=kept, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no answer within {seconds} seconds")
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))
    done.stdout, done.stderr = done.stdout.strip(), done.stderr.strip()
    return done


def check_programs() -> None:
    """Raises UserError if Slurm's programs are not there or its controller does not answer."""
    if lacking := [program for program in PROGRAMS if not shutil.which(program)]:
        raise UserError(
            f"no Slurm on this machine: {', '.join(lacking)} not on the PATH: start snakemake on "
            "a login node of the cluster (perhaps after `module load slurm`), or use "
            "--profile local"
        )
    answer = asked("sinfo", "--noheader", "--format=%P")
    if answer.returncode:
        said = answer.stderr.replace("\n", "\n  ")
        raise UserError(f"Slurm does not answer; try later, or ask who runs it:\n  {said}")


def check_account(account: str) -> None:
    """Raise UserError if Slurm has accounts for this user, and not each of `account`."""
    answer = asked(
        "sacctmgr", "-n", "-s", "-P", "list", "user", getpass.getuser(), "format=account"
    )
    known = set(answer.stdout.lower().split()) if answer.returncode == 0 else set()
    for each in re.findall(r"[^,\s]+", account):
        if known and each.lower() not in known:
            raise UserError(
                f"account {each}: not one of yours, which are {', '.join(sorted(known))}: set "
                "CONTEXTNMT_SLURM_ACCOUNT to one of these"
            )


def check_requests(requests: Mapping[Request, Collection[str]]) -> list[str]:
    """Return what Slurm says against requests that may pass, or that is a rule of its site.

    `requests`: what is asked for -> the rules that do. Raises UserError, naming rules, if Slurm
    would refuse what they ask for, or never start it.
    """
    limits = partition_limits()
    answers: dict[tuple[bool, str], list[Request]] = defaultdict(list)
    for request in requests:
        if words := refusal(request, limits):
            lower = words.lower()
            known = any(word in lower for word in LASTING)
            lasts = known and not (NO_NODE in lower and some_down(request.partition))
            advised = f"{reason(words)}: {advice(lower, request, limits)}"
            answers[lasts, advised if known else words.replace("\n", " ")].append(request)
    lines: dict[bool, list[str]] = defaultdict(list)
    for (lasts, said), those in answers.items():
        rules = sorted({rule for each in those for rule in requests[each]})
        lines[lasts].append(f"- {', '.join(rules)} (such as {those[0]}): {said}")
    if lines[True]:
        raise UserError("\n".join(["Slurm would never run what this call needs:", *lines[True]]))
    return lines[False]


def refusal(request: Request, limits: Mapping[str, float]) -> str:
    """Return what Slurm says against a request, empty if it would run the job.

    A quality of service may lift the limits of a partition, so with one, Slurm alone is asked.
    """
    answer = asked("sbatch", "--test-only", *request.options, "--wrap=true")
    limit = max(limits.get(name, math.inf) for name in request.partition.split(","))
    if answer.returncode == 0 and request.minutes > limit and not request.qos:
        return f"{TOO_LONG} of {limit / 60:g} hours"
    return answer.stderr if answer.returncode else ""


def some_down(partition: str) -> bool:
    """Whether nodes of a partition are down now, which may have what the others have not."""
    place = [f"--partition={partition}"] if partition else []
    answer = asked("sinfo", "--noheader", f"--states={DOWN}", "--format=%n", *place)
    return bool(answer.returncode or answer.stdout)


def partition_limits() -> dict[str, float]:
    """Return the minutes that a job of each partition may take; '' is the default partition."""
    limits = {}
    for line in asked("sinfo", "--noheader", "--format=%P %l").stdout.split("\n"):
        name, _, limit = line.partition(" ")
        limits[name.rstrip("*")] = minutes(limit.strip())
        if name.endswith("*"):
            limits[""] = minutes(limit.strip())
    return limits


def minutes(written: str) -> float:
    """Return the minutes of a time as sbatch takes it and sinfo prints it; else infinity.

    ``90``, ``90:00``, ``24:00:00``, ``1-12``, ``1-12:30:00``.
    """
    if not re.fullmatch(r"([0-9]{1,5}-)?[0-9]{1,9}(:[0-9]{1,2}){0,2}", written):
        return math.inf
    days, dash, clock = written.rpartition("-")
    fields = clock.split(":")
    units = (60, 1, 1 / 60) if dash or len(fields) == 3 else (1, 1 / 60)
    return int(days or 0) * 1440 + sum(
        unit * int(field) for unit, field in zip(units, fields, strict=False)
    )


def training_minutes(default: str) -> int:
    """Return the whole minutes that a job of a training asks for, of the variable or the `default`.

    The variable is a time as for `minutes`, or a number with a unit, such as ``24h``. Raises
    UserError at anything else.
    """
    written = os.environ.get(TRAINING_TIME, "").strip() or default
    wanted = minutes(written)
    if match := re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]+)?) ?([mhd])(?:ins?|ours?|ays?)?", written):
        wanted = float(match[1]) * {"m": 1, "h": 60, "d": 1440}[match[2]]
    if not 1 <= wanted < math.inf:
        raise UserError(
            f"{TRAINING_TIME} is {written!r}, not a time of a minute or more: write it as Slurm "
            "does, such as 24:00:00 or 2-0 (two days), or with a unit, such as 24h"
        )
    return math.ceil(wanted)


def reason(words: str) -> str:
    """Return what Slurm says, without who says it."""
    line = [line for line in words.split("\n") if not line.startswith("Try ")][-1]
    return re.sub(r"^((sbatch|srun): error: )?(allocation failure: )?", "", line)


def advice(words: str, request: Request, limits: Mapping[str, float]) -> str:
    """Return what to do about a refusal."""
    return next(remedy for word, remedy in ADVICE.items() if word in words).format(
        partition=f"CONTEXTNMT_SLURM_{'GPU_' if request.gpus else ''}PARTITION",
        partitions=", ".join(sorted(filter(None, limits))),
        kind="CONTEXTNMT_SLURM_GPU_TYPE and " if request.gpus else "",
    )


def check_folder(
    folder: Path, python: str, requests: Iterable[Request], latency: int
) -> Iterator[tuple[str, str]]:
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
                seconds=latency + SILENT,
            )
        lost = {
            UNSEEN: f"{folder.absolute()}: move the repository to",
            NO_PYTHON: f"{python}: install the environment on",
        }.get(answer.returncode)
        if lost:
            raise UserError(
                f"node {answer.stdout} does not see {lost} a file system that login and compute "
                "nodes share"
            )
        if answer.returncode:
            yield partition or "(the default)", reason(answer.stderr)


def comment(rule: str, wildcards: Iterable[str]) -> str:
    """Return how Slurm's records name a job of a rule: the words of Snakemake's executor."""
    words = "_".join(wildcards).replace("/", "_")
    return f"rule_{rule}_wildcards_{words}" if words else f"rule_{rule}"


def left_over(comments: Mapping[str, str]) -> dict[str, str]:
    """Return those jobs, number -> comment, that are still in the queue.

    A job of another comment has the number by chance. Raises UserError if Slurm does not answer.
    """
    answer = asked("squeue", "--me", "--noheader", "--format=%i\t%k")
    if answer.returncode:
        raise UserError(f"squeue does not list your jobs ({answer.stderr}): try again later")
    queued = answer.stdout.split("\n")
    return {number: said for number, said in comments.items() if f"{number}\t{said}" in queued}


def cancel(numbers: Collection[str]) -> None:
    """End these jobs and wait until they have ended; trainings save their state before.

    Raises UserError if they do not end.
    """
    listed = ["squeue", "--noheader", "--format=%i", f"--jobs={','.join(numbers)}"]
    answer = asked("scancel", *numbers)
    end = time.monotonic() + ENDING
    while asked(*listed).stdout:  # of jobs that it has forgotten, squeue says nothing
        if answer.returncode or time.monotonic() > end:
            raise UserError(
                f"jobs {', '.join(numbers)} of an earlier call are still running "
                f"({answer.stderr or 'no reason given'}): cancel them (`scancel`), then try again"
            )
        time.sleep(1)
