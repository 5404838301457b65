"""A quiet console for Snakemake: a live view at a terminal, elsewhere a line for each stage.

Profiles choose it by ``logger: contextnmt``. With --verbose, --quiet or --printshellcmds, Snakemake
writes as ever; in a dry run it shortens long lists. The log in .snakemake/log is always whole.
"""

# Snakemake loads this before it knows which clone's contextnmt its workflow imports: import none.
import copy
import json
import re
import sys
import textwrap
import time
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Running jobs in the view, last lines of a failed job's log.
JOBS, LINES = 8, 12
#: In a dry run: items of a list, characters of a reason, as JSON before and after an edit may be.
ITEMS, REASON = 4, 500
#: Of a reason: parameters before and now, in which JSON of 140 files may differ in one.
PARAMS = re.compile("Union of exclusive params .*?: before: (.*?) now: (.*?) *(?=; |$)")
#: Bytes at the end of a log in which progress is looked for.
TAIL = 8192
#: Messages of a run that are shown, besides warnings and errors.
TOLD = re.compile(
    "Building DAG|Nothing to be done|Trying to restart|Will exit|Terminating|Complete log"
)


@dataclass
class Job:
    """A running job; `journal` and `updates` (how many it may take) are those of a training."""

    stage: str
    title: str
    logs: list[str]
    journal: Path | None
    updates: int
    started: float
    update: int = 0
    first: tuple[float, int] | None = None  # time and update at which it was first looked at
    bleu: float | None = None

    def progress(self) -> str:
        """Read how far the job is; empty if its log does not say."""
        if self.journal is None:
            bars = [each for path in self.logs for each in re.findall(r"(\d+)%\|", tail(path))]
            return f"{bars[-1]} %" if bars else ""
        for line in tail(self.journal).split("\n"):
            try:
                record = json.loads(line)
                self.update = record["update"]
                if record["kind"] == "dev":
                    self.bleu = max(record["bleu"], self.bleu or 0.0)
            except (ValueError, KeyError, TypeError):  # a line that is cut
                continue
        if not self.update:
            return ""
        self.first = self.first or (time.monotonic(), self.update)
        best = "" if self.bleu is None else f", dev BLEU {self.bleu:.2f}"
        return f"update {self.update:,}/{self.updates:,}{best}"

    def left(self, usual: float | None) -> float | None:
        """Seconds to go, by the updates of a training or the `usual` time of its stage."""
        now = time.monotonic()
        if self.first and self.update > self.first[1]:
            pace = (now - self.first[0]) / (self.update - self.first[1])
            return pace * (self.updates - self.update)
        return None if usual is None else max(0.0, usual - (now - self.started))


def tail(path: str | Path) -> str:
    """The end of a file; empty if it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(-min(TAIL, file.seek(0, 2)), 2)
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def visible(text: str) -> str:
    """A text whose control and invisible characters are shown by number."""
    shown = (c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text.expandtabs())
    return "".join(shown)


def last_lines(path: str) -> list[str]:
    """The last lines of a log, of a progress bar its last state."""
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in tail(path).split("\n")]
    return [line for line in lines if line.strip()][-LINES:]


def clock(seconds: float) -> str:
    """A duration, such as 3:07 or 1:02:45."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counted(stage: str, jobs: int) -> str:
    """A stage and how many jobs it has."""
    return f"{stage}×{jobs}" if jobs > 1 else stage


def shortened(items: list[str]) -> list[str]:
    """The first items of a list, and how many more there are."""
    more = len(items) - ITEMS
    return [*items[:ITEMS], f"and {more} more"] if more > 0 else items


def begun(said: dict[str, Any]) -> Job:
    """Describe a job that begins."""
    stage = said["rule_name"]
    updates = re.search(r'"max_updates": *(\d+)', said["shellcmd"] or "")
    journal = Path(said["output"][0]).parent / "state/log.jsonl" if updates else None
    limit = int(updates[1]) if updates else 0
    title = said["rule_msg"] or stage
    return Job(stage, title, [*said["log"]], journal, limit, time.monotonic())


def differing(params: re.Match[str]) -> str:
    """Of parameters before and now, the items that differ."""
    before, now = (each.split(", ") for each in params.groups())
    found = SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
    apart = [each for each in found if each[0] != "equal"]
    gone = ", ".join(item for _, start, stop, *_ in apart for item in before[start:stop])
    new = ", ".join(item for *_, start, stop in apart for item in now[start:stop])
    return f"before: {gone} now: {new}"


def planned(record: LogRecord) -> LogRecord:
    """The record of a job of a dry run, with shortened lists and reasons."""
    said = vars(record := copy.copy(record))
    said["input"], said["output"] = shortened(said["input"]), shortened(said["output"])
    reasons = PARAMS.sub(differing, said["reason"]).split("; ")
    reasons = [", ".join(shortened(each.split(", "))) for each in reasons]
    said["reason"] = "; ".join(textwrap.shorten(each, REASON) for each in reasons)
    return record


class LogHandler(LogHandlerBase):
    """Snakemake's logger plugin."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings: Any = self.common_settings
        quiet, nocolor = set(settings.quiet or ()), settings.nocolor
        verbose, debug, dryrun = settings.verbose, settings.debug_dag, settings.dryrun
        commands = settings.printshellcmds
        self.chosen = DefaultFilter(quiet, debug, verbose, dryrun, commands)
        self.shortens = dryrun and not verbose
        loud = verbose or debug or dryrun or commands
        self.whole = bool(loud or quiet - {Quietness.HOST, Quietness.REASON})
        stream = sys.stdout if settings.stdout else sys.stderr
        formatter = DefaultFormatter(quiet, settings.show_failed_logs)
        self.plain = ColorizingTextHandler(nocolor, stream, formatter)
        self.console = Console(file=stream, no_color=nocolor or None, highlight=False)
        self.draws = stream.isatty() and not self.console.is_dumb_terminal
        self.running = self.finished = False
        self.began = time.monotonic()
        # Jobs by stage, in the order of the plan; those that are done, and the seconds they took.
        self.total: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.spent: dict[str, float] = {}
        self.failed: set[int] = set()
        self.jobs: dict[int, Job] = {}
        self.live = Live(get_renderable=self.view, console=self.console, refresh_per_second=1)

    def emit(self, record: LogRecord) -> None:
        """Show a record, or what it changes."""
        try:
            event = getattr(record, "event", None)
            if self.whole:
                if self.chosen.filter(record):
                    shorten = self.shortens and event == LogEvent.JOB_INFO
                    self.plain.emit(planned(record) if shorten else record)
            elif event in (None, LogEvent.ERROR, LogEvent.GROUP_ERROR):
                self.tell(record)
            else:
                self.follow(event, vars(record))
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the view, however the run has ended."""
        self.live.stop()
        super().close()

    def tell(self, record: LogRecord) -> None:
        """Write a message, unless it is one of the many that nobody needs."""
        message = record.getMessage()
        needless = self.running and not TOLD.match(message)
        needless |= self.finished and message.startswith(("Complete log", "Elapsed"))
        # Of a failed command, `fail` tells more.
        if (needless and record.levelno < WARNING) or "CalledProcessError" in message:
            return
        if self.live.is_started:
            self.line(self.plain.format(record))
        else:
            self.plain.emit(record)

    def line(self, text: str, indent: int = 0, style: str = "") -> None:
        """Write a line, wrapped above the view so that what is below can be drawn again."""
        text = visible(text)
        if self.live.is_started:
            self.console.print(Padding(Text(text, style), (0, 0, 0, indent)))
        else:
            self.console.print(Text(" " * indent + text, style), soft_wrap=True)

    def follow(self, event: LogEvent, said: dict[str, Any]) -> None:
        """Note what an event says of the run."""
        if event == LogEvent.WORKFLOW_STARTED:
            self.running = True
        elif event == LogEvent.RUN_INFO:
            self.total = Counter({name: n for name, n in said["stats"].items() if name != "total"})
            # All keys at once: the view reads this in a thread of its own.
            self.done = Counter(dict.fromkeys(self.total, 0))
            self.spent = dict.fromkeys(self.total, 0.0)
            self.began = time.monotonic()
            self.line(f"Jobs: {self.total.total()}, stages: {len(self.total)}")
        elif event == LogEvent.JOB_INFO:
            self.jobs[said["jobid"]] = begun(said)
            if self.draws:
                self.live.start()
        elif event == LogEvent.JOB_ERROR:
            self.fail(said)
        elif event == LogEvent.JOB_FINISHED and said["job_id"] in self.jobs:
            self.failed.discard(said["job_id"])
            self.finish(self.jobs.pop(said["job_id"]))

    def finish(self, job: Job) -> None:
        """Count a finished job; where there is no view, tell of the last one of a stage."""
        self.done[job.stage] += 1
        self.spent[job.stage] += time.monotonic() - job.started
        if not self.draws and self.done[job.stage] == self.total[job.stage]:
            spent = clock(time.monotonic() - self.began)
            self.line(f"{spent:>8}  {counted(job.stage, self.done[job.stage])}")
        if self.done == self.total:
            self.live.stop()
            self.running, self.finished = False, True

    def fail(self, said: dict[str, Any]) -> None:
        """Show the rule of a failed job, and the path and the end of each of its logs.

        Of a job that a signal has stopped, there is nothing to look for in the logs.
        """
        job = self.jobs.pop(said["jobid"], None)
        self.failed.add(said["jobid"])
        title = job.title if job else said["rule_name"]
        title += f" (rule {said['rule_name']}, job {said['jobid']})"
        logs = {path: last_lines(path) for path in said["log"]}
        stopped = any("stopped by " in line for lines in logs.values() for line in lines[-1:])
        what, style = ("Stopped", "yellow") if stopped else ("Failed", "red")
        self.line(f"{what}: {title}", style=style)
        if said["rule_msg"]:  # what Slurm says
            self.line(said["rule_msg"], indent=2)
        if stopped:
            return
        for path, lines in logs.items():
            self.line(f"{path}{' ends:' if lines else ': empty, or not there'}", indent=2)
            for line in lines:
                self.line(line, indent=4)

    def left(self, jobs: list[Job]) -> str:
        """The time left, by how long jobs of each stage have taken; empty if that says little.

        A stage of which no job has finished, and no training is under way, makes it a lower bound.
        """
        now = time.monotonic()
        usual = {stage: self.spent[stage] / count for stage, count in self.done.items() if count}
        to_go = [job.left(usual.get(job.stage)) for job in jobs]
        running = [seconds for seconds in to_go if seconds is not None]
        for job, seconds in zip(jobs, to_go, strict=True):
            if seconds is not None:
                usual.setdefault(job.stage, now - job.started + seconds)
        waiting = self.total - self.done - Counter(job.stage for job in jobs)
        work = sum(running) + sum(usual.get(stage, 0) * n for stage, n in waiting.items())
        spent = sum(self.spent.values()) + sum(now - job.started for job in jobs)
        side_by_side = max(1.0, spent / (now - self.began))
        seconds = max(work / side_by_side, *running, 0.0)
        if len(running) == len(jobs) and waiting.keys() <= usual.keys():
            return f", about {clock(seconds)} left"
        return f", more than {clock(seconds)} left" if seconds > 60 else ""

    def view(self) -> Group:
        """Draw how far the run is: all of it, its stages, its running jobs."""
        jobs = [*self.jobs.values()]
        count, done = self.total.total(), self.done.total()
        told = f"{done} of {count} jobs, {clock(time.monotonic() - self.began)}"
        told += f", {len(self.failed)} failed" if self.failed else ""
        head, body = Table.grid(padding=(0, 2)), Table.grid(padding=(0, 2))
        head.add_row(ProgressBar(count, done, width=20), told + (self.left(jobs) if jobs else ""))
        states: dict[str, list[str]] = {"done": [], "begun": [], "waiting": []}
        for stage, n in self.total.items():
            if self.done[stage] == n:
                states["done"].append(counted(stage, n))
            elif self.done[stage] or any(job.stage == stage for job in jobs):
                states["begun"].append(f"{stage} {self.done[stage]}/{n}")
            else:
                states["waiting"].append(counted(stage, n))
        lines = [": ".join(filter(None, [job.title, job.progress()])) for job in jobs[:JOBS]]
        lines += [f"and {len(jobs) - JOBS} more"] if len(jobs) > JOBS else []
        for state, stages in states.items():
            if stages:
                body.add_row(Text(state, "bold"), ", ".join(stages))
            for line in lines if state == "begun" else []:
                body.add_row("", Text(visible(line), no_wrap=True, overflow="ellipsis"))
        return Group(head, body)
