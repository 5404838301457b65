"""The jobs that a call of Snakemake would start, as Snakemake itself plans them."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from contextnmt.errors import UserError

#: What Snakemake says of a profile, whether or not there is a mistake.
ANNOUNCEMENT = "Using profile"

#: Above it, for a mistake in options, is a list of them all.
BEGINNING = "snakemake: error: "


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
            [sys.executable, "-m", "contextnmt.planning.dry_run", str(out), *words],
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
