"""Programs that say what the toolkits of benchmarks/peers.py say."""

from collections.abc import Mapping, Sequence
from pathlib import Path

#: All programs that are called.
PROGRAMS = ["python", "onmt_train", "fairseq-preprocess", "fairseq-train"]


def program(path: Path, *lines: str, status: int = 0) -> None:
    """A shell script that prints lines in the place of a program; `python -c` tells versions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    printed = "\n".join(f"echo '{line}'" for line in lines)
    versions = '[ "$1" = -c ] && echo 1.2 2.13.0 && exit'
    path.write_text(f"#!/bin/sh\n{versions}\n{printed}\nexit {status}\n")
    path.chmod(0o755)


def environments(folder: Path, said: Mapping[str, tuple[str, Sequence[str]]]) -> Path:
    """Environments of toolkits, each with a program and the lines that it prints."""
    for name, (command, lines) in said.items():
        for each in PROGRAMS:
            program(folder / name / "bin" / each)
        program(folder / name / "bin" / command, *lines)
    return folder
