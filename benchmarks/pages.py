"""The Markdown pages of published/: tables, how they were made, and where they go."""

from collections.abc import Iterable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path

from contextnmt.files import write_lines
from contextnmt.training.environment import environment

Row = Sequence[str]


def table(head: Row, rows: Iterable[Row], words: int | None = None) -> list[str]:
    """A Markdown table. With `words`, the columns after so many hold numbers, set to the right."""
    numbers = 0 if words is None else len(head) - words
    rule = ["---"] * (len(head) - numbers) + ["--:"] * numbers
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]


def made_by(command: str, *packages: str) -> list[str]:
    """How a page came about, in two lines: command; date, commit, machine and versions."""
    facts = environment()
    commit = f"{facts['commit']}{' with uncommitted changes' if facts['dirty'] else ''}"
    versions = [f"Python {facts['python']}", *(f"{name} {version(name)}" for name in packages)]
    return [
        f"Made by `{command}`.",
        f"{date.today()}, commit {commit}. {facts['processor']}, {facts['cores']} cores; "
        f"{', '.join(versions)}.",
    ]


def remarks(notes: str) -> str:
    """The notes of a page in one line."""
    return " ".join(notes.split())


def publish(lines: list[str], out: Path | None) -> None:
    """Print a page, and write it to `out` if that is a file."""
    print("\n".join(lines))
    if out:
        write_lines(out, lines)
