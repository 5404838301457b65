"""Programs in copies of this process, which has imported them: seconds less for each call.

As a program, it runs Snakemake: a line of stdin is a call as JSON, and its answer on stdout is the
exit status. What the call says goes to a file.
"""

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path


def start(
    program: Callable[[], object],
    words: Sequence[str],
    folder: Path,
    output: int,
    seconds: int,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], object] = lambda: None,
) -> BaseProcess:
    """Start a program in a copy of this process, with `words` as its command line, in `folder`.

    Its stdout and stderr go to the file descriptor `output`. SIGALRM ends it after so many seconds.
    It calls `before` first.
    """

    def child() -> None:
        for stream in (1, 2):
            os.dup2(output, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(folder)
        if environment is not None:
            os.environ.clear()
            os.environ.update(environment)
        sys.argv = list(words)
        signal.alarm(seconds)
        before()
        program()

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    return process


def serve() -> None:
    """Answer calls of Snakemake until stdin ends."""
    import requests  # noqa: F401  (with these, what Snakemake imports as late as it can)
    import typer  # noqa: F401
    import yte  # noqa: F401
    from pydantic import dataclasses  # noqa: F401
    from snakemake import cli

    for line in sys.stdin:
        call = json.loads(line)
        with open(call["output"], "wb") as output:
            words = ["snakemake", *call["arguments"]]
            where = Path(call["folder"]), output.fileno(), call["timeout"]
            process = start(cli.main, words, *where, environment=call["environment"])
            process.join()
        print(process.exitcode, flush=True)


if __name__ == "__main__":
    serve()
