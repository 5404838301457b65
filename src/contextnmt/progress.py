"""One look for every progress bar: live at a terminal, a line now and then in a log file."""

import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

from contextnmt.errors import printable

Item = TypeVar("Item")

# Of threads alone: one that processes share is held for ever once its holder is killed.
tqdm.set_lock(threading.RLock())


def bar(description: str, unit: str, total: int | None = None, initial: int = 0) -> tqdm:
    """A bar that the caller moves on: so many `unit` of `total`, how fast, and the time left."""
    return tqdm(
        desc=printable(description),
        unit=unit,
        total=total,
        initial=initial,
        unit_scale=True,
        mininterval=0.2 if sys.stderr.isatty() else 30.0,
    )


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
