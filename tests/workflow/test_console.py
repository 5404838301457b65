"""The console: few lines, at a terminal a live view, and of a failure what one needs to know."""

import json
import logging
import os
import pty
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from snakemake.persistence import ParamsChange
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_contextnmt import Job, LogHandler, planned

ROOT = Path(__file__).parents[2]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def local(tmp_path: Path) -> list[str]:
    """Arguments that run the repository's workflow in another folder, by the local profile."""
    return ["-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}", "--profile", f"{ROOT}/local"]


def test_a_terminal_has_a_view_that_ends_with_the_run(
    environment: dict[str, str], tmp_path: Path, local: list[str]
) -> None:
    terminal, its_end = pty.openpty()
    with subprocess.Popen(
        ["snakemake", "configuration", *local],
        env={**environment, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"},
        stdout=its_end,
        stderr=its_end,
    ) as process:
        os.close(its_end)
        written = b""
        while True:
            try:
                written += os.read(terminal, 4096)
            except OSError:  # Linux's way to say that nobody writes any more
                break
    os.close(terminal)
    assert process.returncode == 0
    shown = written.decode()
    assert "1 of 1 jobs, " in shown
    shows, hides = "\x1b[?25h", "\x1b[?25l"  # the cursor
    assert 0 < shown.rindex(hides) < shown.rindex(shows)


def test_a_plan_tells_why_in_short_lines(snakemake: Run, local: list[str]) -> None:
    plan = snakemake(ROOT, "-n", *local).stdout.split("\n")
    assert max(map(len, plan)) < 1000
    page = "results/demo/report/choi2017/index.html"
    (of_report,) = (
        line for line in plan if line.startswith(f"Reason: Missing output files: {page}")
    )
    assert re.search(r"Input files updated by another job: .*, and \d+ more$", of_report)


def test_a_plan_tells_only_what_differs_of_parameters() -> None:
    all_of = '\'{{"clip": {}, "code": ["a.py@1", "b.py@{}"], "last": 2.0}}\''.format
    changed = ParamsChange({all_of(1.0, "x")}, {all_of(2.0, "y")}, {"file"})
    reason = f"Params have changed: {changed}; Missing: c, d"
    record = logging.makeLogRecord({"input": [], "output": [], "reason": reason})
    told = vars(planned(record))["reason"]
    assert told == (
        """Params have changed: before: '{"clip": 1.0, "b.py@x"] """
        """now: '{"clip": 2.0, "b.py@y"]; Missing: c, d"""
    )


class Clock:
    """A clock that the test moves on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_training_shows_its_update_and_best_dev_bleu(tmp_path: Path, clock: Clock) -> None:
    journal = tmp_path / "log.jsonl"
    training = Job("train", "train en-fr", [], journal, 1200, clock.seconds)
    assert training.progress() == ""  # not there yet
    records: list[dict[str, Any]] = [
        {"kind": "machine", "update": 0, "processor": "x" * 9000},  # longer than what is read
        {"kind": "train", "update": 100, "loss": 2.5},
    ]
    journal.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert training.progress() == "update 100/1,200"
    assert training.left(None) is None
    clock.seconds += 10
    later = [{"kind": "dev", "update": 200, "bleu": bleu} for bleu in (12.5, 11.0)]
    journal.write_text("".join(f"{json.dumps(record)}\n" for record in later) + '{"kind": "tr')
    assert training.progress() == "update 200/1,200, dev BLEU 12.50"
    assert training.left(None) == 100


@pytest.fixture
def handler() -> LogHandler:
    """The handler of a run without options."""
    options = ["verbose", "debug_dag", "dryrun", "printshellcmds", "stdout", "nocolor", "quiet"]
    settings = SimpleNamespace(show_failed_logs=True, **dict.fromkeys(options, False))
    return LogHandler(settings, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("last", ["stopped by a signal; run", "contextnmt bpe: stopped by SIGINT"])
def test_a_job_that_a_signal_stopped_has_not_failed(
    tmp_path: Path, handler: LogHandler, last: str
) -> None:
    log = tmp_path / "log"
    said = {"jobid": 3, "rule_name": "train", "rule_msg": None, "log": [str(log)]}
    told = []
    for end in ("no such file", last):
        log.write_text(f"something\n{end}\n")
        with handler.console.capture() as capture:
            handler.fail(said)
        told.append(capture.get())
    assert told[0].startswith(f"Failed: train (rule train, job 3)\n  {log} ends:\n")
    assert told[1] == "Stopped: train (rule train, job 3)\n"


def test_the_time_left_follows_from_the_jobs_that_are_done(
    clock: Clock, handler: LogHandler
) -> None:
    def tell(event: LogEvent, **said: Any) -> None:
        handler.emit(logging.makeLogRecord({"event": event, **said}))

    def shown() -> str:
        console = Console(width=60)
        with console.capture() as capture:
            console.print(handler.view())
        return capture.get()

    tell(LogEvent.WORKFLOW_STARTED)
    tell(LogEvent.RUN_INFO, stats={"clean": 1, "train": 3, "report": 1, "total": 5})
    of_train = {"rule_name": "train", "shellcmd": "", "log": [], "output": []}
    for number in (1, 2):
        tell(LogEvent.JOB_INFO, jobid=number, rule_msg=f"train {number}", **of_train)
        clock.seconds += 120
        if number == 1:
            tell(LogEvent.JOB_FINISHED, job_id=1)
    assert "1 of 5 jobs, 4:00, more than 2:00 left" in shown()  # the report is not known
    assert re.search(r"begun +train 1/3 +\n +train 2 +\n", shown())
    assert re.search(r"waiting +clean, report", shown())
    for number, stage in ((3, "clean"), (4, "report")):
        tell(LogEvent.JOB_INFO, jobid=number, rule_msg=None, **{**of_train, "rule_name": stage})
        clock.seconds += 30
        tell(LogEvent.JOB_FINISHED, job_id=number)
    assert "3 of 5 jobs, 5:00, about " in shown()
