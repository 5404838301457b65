"""Long sentences in parts that a model can translate."""

from collections.abc import Iterator, Sequence

from contextnmt.text.pieces import JOIN
from contextnmt.text.subwords import SEPARATOR

#: Symbols of a part at most: four times what the papers train on. Memory and time of attention grow
#: with the product of both lengths, and no translation of a longer sentence would be of use.
LONGEST = 200

#: After these a sentence is cut rather than elsewhere.
ENDS = frozenset(".!?;:…")


def cut(tokens: Sequence[str]) -> Iterator[list[str]]:
    """The tokens of a view in parts of `LONGEST` at most; those of a short sentence as they are.

    A part ends after a mark of punctuation if one is in its second half, else after a word, else
    anywhere.
    """
    start = 0
    while len(tokens) - start > LONGEST:
        stop = best_stop(tokens, start)
        yield list(tokens[start:stop])
        start = stop
    if start < len(tokens):
        yield list(tokens[start:])


def best_stop(tokens: Sequence[str], start: int) -> int:
    """Where the part that begins at `start` ends, and the next one begins."""
    stops = range(start + LONGEST, start + LONGEST // 2, -1)
    whole = [
        stop
        for stop in stops
        if not tokens[stop - 1].endswith(SEPARATOR) and not tokens[stop].startswith(JOIN)
    ]
    after_marks = (stop for stop in whole if tokens[stop - 1] in ENDS)
    return next(after_marks, whole[0] if whole else stops[0])
