"""Parts of a sentence that is too long to be translated as a whole."""

from collections.abc import Iterator

from contextnmt.text.pieces import JOIN
from contextnmt.text.subwords import SEPARATOR

#: Symbols of a part at most: four times what the papers train on. Memory and time of attention grow
#: with the product of both lengths, and no translation of a longer sentence would be of use.
LONGEST = 200

#: After these a sentence is cut rather than elsewhere.
ENDS = frozenset(".!?;:…。！？；：")


def cut(tokens: list[str]) -> Iterator[list[str]]:
    """The tokens of a view in parts of `LONGEST` at most; those of a short sentence as they are.

    A part ends after a mark of punctuation if one is in its second half, else after a word, else
    anywhere.
    """
    while len(tokens) > LONGEST:
        whole = [
            stop
            for stop in range(LONGEST, LONGEST // 2, -1)
            if not tokens[stop - 1].endswith(SEPARATOR) and not tokens[stop].startswith(JOIN)
        ]
        after_marks = [stop for stop in whole if tokens[stop - 1] in ENDS]
        stop = [*after_marks, *whole, LONGEST][0]
        yield tokens[:stop]
        tokens = tokens[stop:]
    if tokens:
        yield tokens
