"""How a word is written as subwords, and how subwords become words again.

Every subword but the last of a word ends in `SEPARATOR`. A word of the text may hold the separator
itself; `escape` rewrites such words before they are cut, so that `undo_bpe` is exact for any text.
"""

import re
from collections.abc import Iterable

#: Ends a subword that the next one continues (Sennrich et al. 2016).
SEPARATOR = "@@"

#: U+2060, zero width: keeps two at signs of one word apart.
WORD_JOINER = "\u2060"

APART = re.compile(f"@({WORD_JOINER}*)(?=@)")
TOGETHER = re.compile(f"@({WORD_JOINER}*){WORD_JOINER}(?=@)")


def escape(word: str) -> str:
    """`word` with one word joiner more between any two at signs that only joiners keep apart.

    No escaped word holds the separator, and no two words have the same escaped form.
    """
    return APART.sub(rf"@\1{WORD_JOINER}", word) if "@" in word else word


def unescape(word: str) -> str:
    """The word that `escape` was given."""
    return TOGETHER.sub(r"@\1", word) if "@" in word else word


def undo_bpe(tokens: Iterable[str]) -> list[str]:
    """The words that `tokens` (the subwords of one sentence) were cut from.

    A separator after which nothing comes (a model may end a translation there) is dropped.
    """
    words = []
    beginning = ""
    for token in tokens:
        if token.endswith(SEPARATOR):
            beginning += token.removesuffix(SEPARATOR)
        else:
            words.append(unescape(beginning + token))
            beginning = ""
    if beginning:
        words.append(unescape(beginning))
    return words
