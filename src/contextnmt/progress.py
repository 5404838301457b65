"""One look for every progress bar: live at a terminal, a line now and then in a log file."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


def progress(
    items: Iterable[Item], description: str, unit: str, total: int | None = None
) -> Iterator[Item]:
    """Pass `items` on while showing how many `unit` went by, how fast, and the time left."""
    interval = 0.2 if sys.stderr.isatty() else 30.0
    return iter(
        tqdm(items, desc=description, unit=unit, total=total, mininterval=interval, unit_scale=True)
    )
