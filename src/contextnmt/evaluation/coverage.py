"""What symbolization does to a text: Table 3 of Choi et al., and the pairs that are trained on.

Coverage is the share of a text's words that the most frequent ones make up (A15: of as many words
as the vocabulary has, specials apart). Pairs are those that the filters of the training drop and
keep (sec. 5.3, A13, A14), in the text as it is and with symbols.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.text.counts import count_words
from contextnmt.text.pieces import JOIN, SYMBOL
from contextnmt.text.symbols import ACRONYM, NAME, NUMBER
from contextnmt.training.dataset import BLOCK, Side, drop_reasons, training_sides
from contextnmt.training.settings import PairFilter, pair_filter


def coverage(
    language: Annotated[list[str], typer.Option(help="language of a side; repeatable")],
    before: Annotated[list[Path], typer.Option(help="its training text, not symbolized")],
    after: Annotated[list[Path], typer.Option(help="its training text, symbolized")],
    vocabulary_size: Annotated[int, typer.Option(min=1, help="words of the vocabulary")],
    filter_before: Annotated[
        str, typer.Option(help="filter of the pairs that are not symbolized, JSON")
    ],
    filter_after: Annotated[str, typer.Option(help="filter of the symbolized pairs, JSON")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    filter: Annotated[
        list[str] | None, typer.Option(help="filter of a system, JSON; repeatable")
    ] = None,
) -> None:
    """Count words, coverage and pairs before and after symbolization.

    A filter has the keys data (a folder of `contextnmt binarize`), max_length and unknown_limit.
    With --filter, it is also counted how many pairs all systems keep.

    Example: contextnmt coverage --language en --before select/en-fr/train.en.gz
    --after symbolize/en-fr/train.en.gz --vocabulary-size 30000
    --filter-before '{"data": "binarize/en-fr/word", "max_length": 50, "unknown_limit": 0.1}'
    --filter-after '{"data": "binarize/en-fr/sym", "max_length": 50, "unknown_limit": 0.1}'
    --out coverage.json
    """
    if not len(language) == len(before) == len(after):
        raise UserError(
            f"{len(language)} --language, {len(before)} --before, {len(after)} --after: "
            "give one of each for every side"
        )
    sides = zip(language, before, after, strict=True)
    words = {
        side: {
            "before": statistics(counted(plain), vocabulary_size),
            "after": statistics(counted(symbolized), vocabulary_size),
        }
        for side, plain, symbolized in sides
    }
    limits = {"before": parsed(filter_before), "after": parsed(filter_after)}
    systems = list(map(parsed, filter or []))
    write_json(out, {"words": words, "pairs": pair_statistics(limits, systems)})


def parsed(text: str) -> PairFilter:
    """The filter that an option describes. Raises UserError if it describes none."""
    try:
        return pair_filter(dict(json.loads(text)))
    except (ValueError, TypeError) as error:
        raise UserError(
            f"filter {text!r}: not a JSON object ({error}): give one with the keys data, "
            "max_length and unknown_limit"
        ) from None


def counted(text: Path) -> Counter[str]:
    """How often each word occurs in `text`. Raises UserError if there is no word in it."""
    counts = count_words(text)
    if not counts:
        raise UserError(f"{text}: no words in it: look at the filters of the stages before")
    return counts


def statistics(counts: Counter[str], vocabulary_size: int) -> dict[str, Any]:
    """The three rows of Table 3, and the symbols of each type in percent of all words.

    ``coverage_percent``: of all words, those of the `vocabulary_size` most frequent kinds.
    """
    total = counts.total()
    covered = sum(count for _, count in counts.most_common(vocabulary_size))
    symbols = dict.fromkeys((NUMBER, NAME, ACRONYM), 0)
    for word, count in counts.items():
        if symbol := SYMBOL.fullmatch(word.removeprefix(JOIN)):
            symbols[symbol[1]] += count
    return {
        "unique_words": len(counts),
        "total_words": total,
        "coverage_percent": 100 * covered / total,
        "symbol_percent": {kind: 100 * count / total for kind, count in symbols.items()},
    }


def pair_statistics(
    limits: Mapping[str, PairFilter], systems: list[PairFilter]
) -> dict[str, dict[str, Any]]:
    """What each of the named `limits` does with the training pairs.

    Of each name: the limits, how many pairs there are (``read``), how many are dropped for which
    first reason, how many kept, and how many are kept by all of `systems` (``kept_by_all``, the
    same for every name; None without systems). Raises UserError if the folders do not hold as many
    pairs as each other.
    """
    everyone = list(dict.fromkeys([*limits.values(), *systems]))
    texts = {each: training_sides(each) for each in everyone}
    (source, _), *others = texts.values()
    for each, (other, _) in zip(everyone[1:], others, strict=True):
        if len(other) != len(source):
            raise UserError(
                f"{each.data} holds {len(other)} training pairs and {everyone[0].data} "
                f"{len(source)}: give folders that hold the same pairs, each in its own view"
            )
    dropped: dict[PairFilter, Counter[str]] = {each: Counter() for each in everyone}
    kept_by_all = 0
    for start in range(0, len(source), BLOCK):
        kept: dict[PairFilter, npt.NDArray[np.bool_]] = {}
        for each, sides in texts.items():
            reasons = drop_reasons(each, *(part(side, start) for side in sides))
            dropped[each].update({reason: int(rows.sum()) for reason, rows in reasons.items()})
            kept[each] = ~np.logical_or.reduce(list(reasons.values()))
        if systems:
            kept_by_all += int(np.logical_and.reduce([kept[each] for each in systems]).sum())
    return {
        name: {
            "max_length": each.max_length,
            "unknown_limit": each.unknown_limit,
            "read": len(source),
            "dropped": dropped[each],
            "kept": len(source) - dropped[each].total(),
            "kept_by_all": kept_by_all if systems else None,
        }
        for name, each in limits.items()
    }


def part(side: Side, start: int) -> Side:
    """The sentences of a block of a text: memory does not grow with it."""
    return Side(side.ids, side.offsets[start : start + BLOCK + 1])
