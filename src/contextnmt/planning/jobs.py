"""The jobs that a call of Snakemake would start, and how many sentence pairs each works on.

`planned` starts this module as a program, which writes the jobs, as Snakemake itself plans them, to
a file and shows what Snakemake says of a mistake. Whatever Snakemake changes in that process ends
with it.

Example: python -m contextnmt.planning.jobs jobs.json --profile slurm --config preset=wmt14
"""

import json
import logging
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan, nan
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from contextnmt.configuration import layers, reading
from contextnmt.configuration.places import roles, stated, texts
from contextnmt.configuration.recipes import experiment_of
from contextnmt.errors import UserError
from contextnmt.files import write_json

#: Line of Snakemake about a profile, whether or not there is a mistake.
ANNOUNCEMENT = "Using profile"

#: Above it, for a mistake in options, is a list of them all.
BEGINNING = "snakemake: error: "

#: Options that Snakemake acts on before it looks at --dry-run, by their names in its parser.
ACTING = (
    *("archive", "cleanup_metadata", "cleanup_shadow", "conda_cleanup_envs", "containerize"),
    *("conda_create_envs_only", "container_cleanup_images", "delete_all_output", "unlock"),
    *("delete_temp_output", "generate_unit_tests", "lint", "report", "touch"),
)

#: Target words per pair of the selected text: 348 million French words of WMT14 are the paper's 12
#: million pairs (Choi et al. 2017, sec. 5.1; docs/decisions.md, A1).
WORDS_A_PAIR = 29

#: Stages whose files hold the training pairs that were selected; those before have all of them.
SELECTED = {"select", "word-counts", "symbolize", "rule-dictionary", "bpe"}

#: Stages whose files have names of their own, which a text may have too.
OWN_NAMES = {"sample", "binarize"}

NAME = re.compile(r"(?P<text>[\w-]+)(?:\.\d+of(?P<parts>\d+))?\.")


@dataclass(frozen=True)
class Job:
    """A job of the workflow.

    Memory in megabytes and minutes are what it asks the cluster for, 0 if nothing is said.
    """

    rule: str
    wildcards: dict[str, str]
    inputs: Sequence[str]
    outputs: Sequence[str]
    threads: int = 1
    memory: int = 0
    minutes: int = 0
    gpus: int = 0
    benchmark: str | None = None

    @property
    def stage(self) -> str | None:
        """The folder in results/PRESET/ that it writes to, None for a rule that names a target or
        writes no more than the configuration."""
        folders = PurePath(self.outputs[0]).parts[2:-1] if self.outputs else ()
        return folders[0] if folders else None

    @property
    def pair(self) -> str | None:
        """The language pair that the job is about, None if it is about all of them."""
        if "source" in self.wildcards:
            return f"{self.wildcards['source']}-{self.wildcards['target']}"
        return self.wildcards.get("pair")

    @property
    def run(self) -> tuple[str, str]:
        """The language pair and the system of a training or translation."""
        return self.wildcards["pair"], self.wildcards["system"]


class Call(NamedTuple):
    """A call of Snakemake; its jobs are those that are still to be run."""

    jobs: list[Job]
    configuration: dict[str, Any]
    folder: Path  # the paths of the jobs start there


def planned(words: list[str]) -> Call:
    """The jobs of the call ``snakemake WORDS``, which starts nothing.

    Raises UserError with what Snakemake, or the workflow, says of a mistake.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "jobs.json"
        run = subprocess.run(
            [sys.executable, "-m", "contextnmt.planning.jobs", str(out), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            lines = [line for line in run.stdout.split("\n") if not line.startswith(ANNOUNCEMENT)]
            shown = "\n".join(lines).strip()
            # A file or folder that options name is not there: Snakemake shows its own insides.
            insides = re.match(r"Traceback.*Error: \[Errno \d+\] ([^\n]+)$", shown, re.DOTALL)
            raise UserError(insides[1] if insides else shown[max(0, shown.find(BEGINNING)) :])
        content = json.loads(out.read_bytes())
    jobs = [Job(**each) for each in content["jobs"]]
    return Call(jobs, content["configuration"], Path(content["folder"]))


def described(record: logging.LogRecord) -> Job:
    """Return a job, as Snakemake tells its logger plugins of it."""
    fields: dict[str, Any] = vars(record)
    asked = [fields["resources"].get(name) for name in ("mem_mb", "runtime", "gpu")]
    # A request that depends on files that are not there yet is no number.
    memory, minutes, gpus = (value if isinstance(value, int) else 0 for value in asked)
    return Job(
        rule=re.sub(r"_\d+_parts$", "", fields["rule_name"]),  # one for each number of parts
        wildcards=dict(fields["wildcards"] or {}),
        inputs=[str(path) for path in fields["input"] or []],
        outputs=[str(path) for path in fields["output"] or []],
        threads=fields["threads"],
        memory=memory,
        minutes=minutes,
        gpus=gpus,
        benchmark=str(fields["benchmark"]) if fields["benchmark"] else None,
    )


def jobs(words: list[str]) -> list[Job]:
    """Return the jobs of a call; if it cannot be planned, the program ends as Snakemake."""
    from snakemake import cli
    from snakemake.logging import logger
    from snakemake_interface_logger_plugins.common import LogEvent

    found = []

    def collect(record: logging.LogRecord) -> bool:
        if getattr(record, "event", None) == LogEvent.JOB_INFO:
            found.append(described(record))
        return record.levelno > logging.INFO  # nothing is shown but mistakes

    logger.addFilter(collect)
    try:
        cli.main(["--dry-run", *words])  # first: the last words may be targets
    except SystemExit as end:
        if end.code != 0:
            raise
    return found


def call(words: list[str]) -> dict[str, Any]:
    """Return what is known of the call ``snakemake WORDS``. Raises UserError at a mistake."""
    from snakemake import cli  # a second that `plan` and `pack` need not wait
    from snakemake.api import resolve_snakefile

    _, arguments = cli.parse_args(words)
    for name in ACTING:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise UserError(f"{option}: snakemake makes no results with this option: leave it out")
    reading.refuse_said_twice(words)
    files = arguments.configfile or []
    for file in files:
        reading.load(Path(file))  # Snakemake would not say in which line it is broken
    own = cli.parse_config(arguments.config)  # nor of a word more than where it failed
    # Before the configuration, since Snakemake has a message for every other mistake in it.
    found = jobs(words)
    base = Path(resolve_snakefile(arguments.snakefile)).absolute().parent
    base = base.parent if base.name == "workflow" else base
    return {
        "jobs": [vars(job) for job in found],
        "configuration": layers.of_call(base, files, own),
        "folder": str(Path(arguments.directory or ".").absolute()),
    }


class Part(NamedTuple):
    """A text of a language pair, or a part of it, as a file of a stage holds it."""

    pair: str
    text: str
    parts: int  # the text was cut into so many
    name: str  # TEXT, or TEXT.2of8
    selected: bool


class Sizes:
    """Numbers of pairs under a configuration; NaN where it does not state them.

    The names of a job's files say which texts it is about, ``STAGE/PAIR/…/TEXT.…``, or
    ``TEXT.2of8.…`` for a part of a training text. Cleaning is taken to drop nothing.
    """

    def __init__(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration
        corpora = configuration["corpora"].values()
        self.texts = dict(chain.from_iterable(corpus["texts"].items() for corpus in corpora))

    def pairs(self, job: Job) -> float:
        """The pairs of the texts that `job` makes or, if none is named, of those that it reads.

        Of a training or a translation, they are those of the experiment's dev and test texts.
        """
        if job.pair and {"system", "text"} <= job.wildcards.keys():
            return self.stated(job.pair, job.wildcards["text"])
        if job.pair and "system" in job.wildcards:
            experiment = experiment_of(self.configuration, job.wildcards["system"])
            translated = roles(self.configuration, experiment, job.pair).values()
            return sum(self.stated(job.pair, text) for text in {*chain(*translated)})
        parts = list(self.named(job.outputs)) or list(self.named(job.inputs))
        if not parts and job.pair:  # no text by name: all that is trained on
            trained = texts(self.configuration, job.pair, "train")
            parts = [Part(job.pair, text, 1, text, True) for text in trained]
        # Of a part that is there before and after selection, the whole one counts.
        whole_last = sorted(parts, key=lambda part: part.selected, reverse=True)
        return sum(map(self.size, {(part.pair, part.name): part for part in whole_last}.values()))

    def pairs_read(self, job: Job) -> float:
        """The pairs that `job` reads: a selection reads more than it leaves."""
        return self.pairs(replace(job, outputs=()) if job.rule == "select" else job)

    def unstated(self, job: Job) -> set[str]:
        """The texts of `job` whose sizes are not stated, with their language pairs."""
        parts = self.named((*job.inputs, *job.outputs))
        return {f"{p.text} ({p.pair})" for p in parts if isnan(self.stated(p.pair, p.text))}

    def named(self, paths: Iterable[str]) -> Iterator[Part]:
        """The parts of texts that files are named after."""
        for path in paths:
            steps = PurePath(path).parts  # results/PRESET/STAGE/PAIR/…
            match = NAME.match(steps[-1])
            if len(steps) < 5 or not match or steps[2] in OWN_NAMES:
                continue
            pair, text = steps[3], match["text"]
            if pair in self.configuration["pairs"] and text in self.texts:
                parts = int(match["parts"] or 1)
                yield Part(pair, text, parts, match[0][:-1], steps[2] in SELECTED)

    def size(self, part: Part) -> float:
        """The pairs in a part."""
        kept = part.selected and part.text in texts(self.configuration, part.pair, "train")
        share = self.share(part.pair) if kept else 1.0
        return self.stated(part.pair, part.text) / part.parts * share

    def stated(self, pair: str, text: str) -> float:
        """The pairs of a whole text, before cleaning and selection."""
        text_entry = self.texts[text]
        lines = stated(text_entry, "lines", pair) or stated(text_entry, "lines_recalled", pair)
        return float(lines) if lines else nan

    def share(self, pair: str) -> float:
        """The share of the training pairs of `pair` that is selected."""
        selection = self.configuration.get("select", {}).get(pair)
        if not selection:
            return 1.0
        trained = texts(self.configuration, pair, "train")
        pool = sum(self.stated(pair, text) for text in trained)
        words = selection.get("target_words")
        wanted: float = words / WORDS_A_PAIR if words else selection["pairs"]
        return min(wanted / pool, 1.0)  # in this order, NaN stays


if __name__ == "__main__":
    out, *words = sys.argv[1:]
    sys.argv[0] = "snakemake"  # whose options the messages are about
    from snakemake.exceptions import CliException

    place = Path(out).absolute()  # --directory of the call changes the folder
    try:
        write_json(place, call(words))
    except (UserError, ValueError, OSError, CliException) as mistake:  # those of words in the call
        sys.exit(str(mistake))
