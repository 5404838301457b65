"""How many training pairs the filters of the trainings keep, with symbols and without.

The filters are those of Choi et al., sec. 5.3 (A13, A14); nothing is trained for it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.configuration.training import PairFilter, pair_filter
from contextnmt.files import write_json
from contextnmt.training.dataset import BLOCK, Side, drop_reasons, training_views


def pairs(
    filter_before: Annotated[str, typer.Option(help="filter of pairs before symbolization, JSON")],
    filter_after: Annotated[str, typer.Option(help="filter of the symbolized pairs, JSON")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    filter: Annotated[list[str] | None, typer.Option(help="a system's, JSON; repeatable")] = None,
) -> None:
    """Count the training pairs that are dropped and kept before and after symbolization.

    A filter has the keys data (a folder of `contextnmt binarize`), max_length and unknown_limit.
    With --filter, it is also counted how many pairs all systems keep.

    Example: contextnmt pairs
    --filter-before '{"data": "binarize/en-fr/word", "max_length": 50, "unknown_limit": 0.1}'
    --filter-after '{"data": "binarize/en-fr/sym", "max_length": 50, "unknown_limit": 0.1}'
    --out pairs.json
    """
    limits = {
        "before": pair_filter("--filter-before", filter_before),
        "after": pair_filter("--filter-after", filter_after),
    }
    systems = [pair_filter("--filter", each) for each in filter or []]
    write_json(out, pair_statistics(limits, systems))


#: The sides of a pair.
SIDES = ("source", "target")


def pair_statistics(
    limits: Mapping[str, PairFilter], systems: Sequence[PairFilter]
) -> dict[str, dict[str, Any]]:
    """Count the training pairs that each of the named `limits` keeps and drops.

    Of each name: the limits, how many pairs there are (``read``), how many are dropped for which
    first reason, how many kept, the words of those (``kept_words``) and how many of these are in
    the vocabulary (``kept_coverage_percent``) by side, and how many pairs are kept by all of
    `systems` (``kept_by_all``, the same for every name; None without systems). Raises UserError if
    the folders do not hold as many pairs as each other.
    """
    everyone = list(dict.fromkeys([*limits.values(), *systems]))
    views = dict(zip(everyone, training_views(everyone), strict=True))
    read = len(views[everyone[0]][0])
    dropped: dict[PairFilter, Counter[str]] = {each: Counter() for each in everyone}
    words: dict[PairFilter, Counter[tuple[str, str]]] = {
        each: Counter() for each in limits.values()
    }
    kept_by_all = 0
    for start in range(0, read, BLOCK):  # memory does not grow with the text
        kept: dict[PairFilter, npt.NDArray[np.bool_]] = {}
        for each, sides in views.items():
            parts = [Side(s.ids, s.offsets[start : start + BLOCK + 1]) for s in sides]
            reasons = drop_reasons(each, *parts)
            dropped[each].update({reason: int(rows.sum()) for reason, rows in reasons.items()})
            kept[each] = ~np.logical_or.reduce(list(reasons.values()))
            for side, part in zip(SIDES, parts if each in words else (), strict=False):
                count = int(part.lengths[kept[each]].sum())
                words[each].update({(side, "all"): count, (side, "known"): count})
                words[each][side, "known"] -= int(part.unknowns()[kept[each]].sum())
        if systems:
            kept_by_all += int(np.logical_and.reduce([kept[each] for each in systems]).sum())
    return {
        name: {
            "max_length": each.max_length,
            "unknown_limit": each.unknown_limit,
            "read": read,
            "dropped": dropped[each],
            "kept": read - dropped[each].total(),
            "kept_words": {side: words[each][side, "all"] for side in SIDES},
            "kept_coverage_percent": {
                side: 100 * words[each][side, "known"] / total if total else None
                for side in SIDES
                for total in [words[each][side, "all"]]
            },
            "kept_by_all": kept_by_all if systems else None,
        }
        for name, each in limits.items()
    }
