"""The jobs that a call of Snakemake would start, where, and under which configuration, as JSON.

A program of its own, so that nothing else of the package needs Snakemake: it gets the name of the
file to write, then the words of the call.

Example: python -m contextnmt.planning.dry_run jobs.json --profile slurm --config preset=wmt14
"""

import logging
import re
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from snakemake import cli
from snakemake.api import resolve_snakefile
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from contextnmt.configuration import layers, reading
from contextnmt.configuration.places import Configuration
from contextnmt.errors import UserError
from contextnmt.files import write_json

#: Options that Snakemake acts on before it looks at --dry-run, by their names in its parser.
ACTING = (
    "archive",
    "container_cleanup_images",
    "cleanup_metadata",
    "cleanup_shadow",
    "conda_cleanup_envs",
    "conda_create_envs_only",
    "containerize",
    "delete_all_output",
    "delete_temp_output",
    "generate_unit_tests",
    "lint",
    "report",
    "touch",
    "unlock",
)

#: Of the resources of a job: megabytes, minutes, GPUs.
RESOURCES = ("mem_mb", "runtime", "gpu")


def described(record: logging.LogRecord) -> dict[str, Any]:
    """A job as Snakemake tells its logger plugins of it."""
    told: dict[str, Any] = vars(record)
    resources = {name: told["resources"].get(name) for name in RESOURCES}
    return {
        # Snakemake needs a rule for each number of parts.
        "rule": re.sub(r"_\d+_parts$", "", told["rule_name"]),
        "wildcards": dict(told["wildcards"] or {}),
        "threads": told["threads"],
        # What depends on files that are not there yet is no number.
        "resources": {k: v if isinstance(v, int) else 0 for k, v in resources.items()},
        "input": [str(path) for path in told["input"] or []],
        "output": [str(path) for path in told["output"] or []],
        "benchmark": str(told["benchmark"]) if told["benchmark"] else None,
    }


def jobs(words: list[str]) -> list[dict[str, Any]]:
    """The jobs of a call of Snakemake; if it cannot be planned, the program ends as Snakemake."""
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


def merged(arguments: Namespace) -> Configuration:
    """The configuration of a call of Snakemake."""
    base = Path(resolve_snakefile(arguments.snakefile)).absolute().parent
    base = base.parent if base.name == "workflow" else base
    files = arguments.configfile or []
    return layers.of_call(base, files, cli.parse_config(arguments.config))


def main() -> None:
    """Write the jobs of the call that the command line holds."""
    out, *words = sys.argv[1:]
    sys.argv[0] = "snakemake"  # whose options the messages are about
    folder = Path.cwd()  # --directory of the call changes it
    try:
        _, arguments = cli.parse_args(words)
        for name in ACTING:
            if getattr(arguments, name):
                option = f"--{name.replace('_', '-')}"
                raise UserError(f"{option} is no call that makes results: leave it out to plan")
        reading.refuse_said_twice(words)
        for file in arguments.configfile or []:
            reading.load(Path(file))  # Snakemake would not say in which line it is broken
        # Before the configuration, since Snakemake has a message for every other mistake in it.
        found = jobs(words)
        content = {
            "jobs": found,
            "configuration": merged(arguments),
            "folder": str(Path(arguments.directory or ".").absolute()),
        }
    except UserError as error:
        sys.exit(str(error))
    write_json(folder / out, content)


if __name__ == "__main__":
    main()
