"""The jobs that a call of Snakemake would start, where, and under which configuration, as JSON.

A program of its own, so that nothing else of the package needs Snakemake: it gets the name of the
file to write, then the words of the call.

Example: python -m contextnmt.planning.dry_run jobs.json --profile slurm --config preset=wmt14
"""

import logging
import re
import sys
from pathlib import Path
from typing import Any

from snakemake import cli
from snakemake.api import resolve_snakefile
from snakemake.exceptions import CliException
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from contextnmt.configuration import layers, reading
from contextnmt.errors import UserError
from contextnmt.files import write_json

#: Options that Snakemake acts on before it looks at --dry-run, by their names in its parser.
ACTING = (
    *("archive", "cleanup_metadata", "cleanup_shadow", "conda_cleanup_envs", "containerize"),
    *("conda_create_envs_only", "container_cleanup_images", "delete_all_output", "unlock"),
    *("delete_temp_output", "generate_unit_tests", "lint", "report", "touch"),
)


def described(record: logging.LogRecord) -> dict[str, Any]:
    """Return a job, as Snakemake tells its logger plugins of it, by the names in `jobs.Job`."""
    told: dict[str, Any] = vars(record)
    asked = [told["resources"].get(name) for name in ("mem_mb", "runtime", "gpu")]
    # What depends on files that are not there yet is no number.
    memory, minutes, gpus = (value if isinstance(value, int) else 0 for value in asked)
    return {
        # Snakemake needs a rule for each number of parts.
        "rule": re.sub(r"_\d+_parts$", "", told["rule_name"]),
        "wildcards": dict(told["wildcards"] or {}),
        "inputs": [str(path) for path in told["input"] or []],
        "outputs": [str(path) for path in told["output"] or []],
        "threads": told["threads"],
        "memory": memory,
        "minutes": minutes,
        "gpus": gpus,
        "benchmark": str(told["benchmark"]) if told["benchmark"] else None,
    }


def jobs(words: list[str]) -> list[dict[str, Any]]:
    """Return the jobs of a call; if it cannot be planned, the program ends as Snakemake."""
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
    _, arguments = cli.parse_args(words)
    for name in ACTING:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise UserError(f"{option} is no call that makes results: leave it out to plan")
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
        "jobs": found,
        "configuration": layers.of_call(base, files, own),
        "folder": str(Path(arguments.directory or ".").absolute()),
    }


if __name__ == "__main__":
    out, *words = sys.argv[1:]
    sys.argv[0] = "snakemake"  # whose options the messages are about
    place = Path(out).absolute()  # --directory of the call changes the folder
    try:
        write_json(place, call(words))
    except (UserError, ValueError, OSError, CliException) as mistake:  # those of words in the call
        sys.exit(str(mistake))
