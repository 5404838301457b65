"""One look for every progress bar: live at a terminal, a line now and then in a log file."""

import re
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tqdm import tqdm

from contextnmt.errors import printable

Item = TypeVar("Item")

# Of threads alone: one that processes share is held for ever once its holder is killed.
tqdm.set_lock(threading.RLock())


class Bar(tqdm):  # type: ignore[misc]
    """A bar with a space before its unit, and whole units where they are many a second."""

    @staticmethod
    def format_meter(*args: Any, unit: str, ncols: int | None = None, **rest: Any) -> str:
        meter = tqdm.format_meter(*args, unit=unit, ncols=ncols and ncols - 2, **rest)
        figure = rf"(\d{{3,}}(?=\.)|[\d.?]+)(?:\.\d\d)?(?=[kMGT]?{unit}(?:/s| \[)|s/{unit}\b)"
        return re.sub(figure, r"\1 ", meter)


def bar(description: str, unit: str, total: int | None = None, initial: int = 0) -> Bar:
    """A bar that the caller moves on: so many `unit` of `total`, how fast, and the time left."""
    return Bar(
        desc=printable(description),
        unit=unit,
        total=total,
        initial=initial,
        unit_scale=unit == "B",
        mininterval=0.2 if sys.stderr.isatty() else 30.0,
    )


def size(count: float) -> str:
    """Return bytes with a decimal unit."""
    return re.sub(r"([a-zA-Z]+)$", r" \1", tqdm.format_sizeof(count, "B"))


def say(words: str) -> None:
    """Write a line to stderr, where a bar may be under way."""
    tqdm.write(printable(words), file=sys.stderr)


def progress(
    items: Iterable[Item], description: str, unit: str, total: int | None = None
) -> Iterator[Item]:
    """Pass `items` on while a bar shows them going by."""
    with bar(description, unit, total) as shown:
        for item in items:
            yield item
            shown.update()
