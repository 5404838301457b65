"""The one exception that a user is meant to read."""

import os
import unicodedata
from collections.abc import Iterable, Sized
from pathlib import Path

#: Categories of Unicode of what a terminal obeys, or shows nothing for.
UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}


def printable(text: str) -> str:
    """Replace control and invisible characters by their codes, such as ``\\x1b``; keep line ends.

    Names of files and members, URLs and answers of servers come from outside.
    """
    return "".join(
        ascii(letter)[1:-1] if letter != "\n" and unicodedata.category(letter) in UNSEEN else letter
        for letter in text
    )


class UserError(Exception):
    """Something the user can mend: a file, a key, a setting.

    The message says what is wrong, where (file, line, key) and what to do about it. The command
    line prints it without a traceback and exits with status 2; every other exception is a bug.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


def one_of_each(whole: str, **options: Sized) -> None:
    """Raises UserError unless options of a command have as many values: one for every `whole`."""
    if len({len(values) for values in options.values()}) > 1:
        given = [f"{len(values)} --{name.replace('_', '-')}" for name, values in options.items()]
        raise UserError(f"{', '.join(given)}: give one of each for every {whole}")


def refuse_clashes(inputs: Iterable[Path | None], outs: Iterable[Path]) -> None:
    """Raise UserError if an output is an input or another output."""
    # Path.resolve fails at a loop of links.
    seen = {os.path.realpath(path) for path in inputs if path}
    for path in outs:
        if os.path.realpath(path) in seen:
            raise UserError(f"{path}: read or written already: choose another --out")
        seen.add(os.path.realpath(path))
