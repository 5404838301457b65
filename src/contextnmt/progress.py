"""One look for every progress bar: live at a terminal, a line now and then in a log file."""

import re
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

from contextnmt.errors import printable

Item = TypeVar("Item")

# Of threads alone: one that processes share is held for ever once its holder is killed.
tqdm.set_lock(threading.RLock())


#: How a bar looks, with and without a known end: never in seconds per unit.
KNOWN = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_noinv_fmt}{postfix}]"
ENDLESS = "{desc}: {n_fmt}{unit} [{elapsed}, {rate_noinv_fmt}{postfix}]"


def bar(description: str, unit: str, total: int | None = None, initial: int = 0) -> tqdm:
    """A bar that the caller moves on: so many `unit` of `total`, how fast, and the time left."""
    return tqdm(
        desc=printable(description),
        unit=unit if unit == "B" else f" {unit}",
        total=total,
        initial=initial,
        unit_scale=unit == "B",
        bar_format=ENDLESS if total is None else KNOWN,
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
