"""Snakemake in copies of this process, which has imported it: a second less for each call.

A line of stdin is a call as JSON; its answer on stdout is the exit status. What the call says goes
to a file.
"""

import json
import os
import signal
import sys
import traceback
from typing import Any

import requests  # noqa: F401  (with these, what Snakemake imports as late as it can)
import typer  # noqa: F401
import yte  # noqa: F401
from pydantic import dataclasses  # noqa: F401
from snakemake import cli


def run(call: dict[str, Any]) -> int:
    """Run Snakemake in this process and return its exit status."""
    out = os.open(call["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(out, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(call["folder"])
    os.environ.clear()
    os.environ.update(call["environment"])
    sys.argv = ["snakemake", *call["arguments"]]
    signal.alarm(call["timeout"])
    try:
        cli.main()
    except SystemExit as end:
        if isinstance(end.code, int | None):
            return end.code or 0
        print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    return 1


for line in sys.stdin:
    child = os.fork()
    if child == 0:
        status = run(json.loads(line))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
