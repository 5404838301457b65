"""The Markdown pages of published/: tables, how they were made, and where they go."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.files import write_lines
from contextnmt.training.process import environment

Row = Sequence[str]
#: The option that most scripts have.
Out = Annotated[Path | None, typer.Option(help="file to write besides printing")]


def table(head: Row, rows: Iterable[Row], words: int | None = None) -> list[str]:
    """A Markdown table. With `words`, the columns after so many hold numbers, set to the right."""
    numbers = 0 if words is None else len(head) - words
    rule = ["---"] * (len(head) - numbers) + ["--:"] * numbers
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]


def command() -> str:
    """The call of this script; of an absolute path, its last folder and its name."""
    words = ("/".join(Path(word).parts[-2:]) if word[:1] == "/" else word for word in sys.argv)
    return shlex.join(["python", *words])


def made_by(*packages: str) -> list[str]:
    """How a page came about, in two lines: command; date, commit, machine and versions."""
    facts = environment()
    commit = f"{facts['commit']}{' with uncommitted changes' if facts['dirty'] else ''}"
    versions = [f"Python {facts['python']}", *(f"{name} {version(name)}" for name in packages)]
    return [
        f"Made by `{command()}`.",
        f"{date.today()}, commit {commit}. {facts['processor']}, {facts['cores']} cores; "
        f"{', '.join(versions)}.",
    ]


def publish(out: Path | None, *blocks: str | Iterable[str]) -> None:
    """Print a page, and write it to `out` if that is a file.

    A block is a list of lines, or a paragraph, whose lines become one; an empty line is before
    each but the first.
    """
    lines: list[str] = []
    for block in blocks:
        lines += ["", *([" ".join(block.split())] if isinstance(block, str) else block)]
    print("\n".join(lines[1:]))
    if out:
        write_lines(out, lines[1:])
