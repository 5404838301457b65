"""Numbers of centuries, which French writes in Roman numerals (the 15th century, le XVe siècle).

So they have no partner in an English-French training text, and stay text there; a source without
its translation has to follow (A26).
"""

import re
from collections.abc import Sequence

#: What follows the digits of a century in English: 15 ^^th - and 16 ^^th century, 21 ^^st-century.
ORDINAL = re.compile(r"\^\^(?:st|nd|rd|th)(-centur(?:y|ies))?", re.IGNORECASE)
BETWEEN = frozenset((",", "-", "–", "^^-", "^^–", "and", "or", "to"))

#: So many pieces after the digits, a century is no longer looked for.
NEAR = 10


def is_century(
    pieces: Sequence[str], after: int, source_language: str, target_language: str
) -> bool:
    """Does the number that ends before piece `after` count a century, written in other numerals?"""
    following = pieces[after : after + NEAR]
    if (source_language, target_language) != ("en", "fr") or not following:
        return False
    if (ordinal := ORDINAL.fullmatch(following[0])) is None:
        return False
    if ordinal[1]:
        return True
    for piece in following[1:]:
        if piece in ("century", "centuries"):
            return True
        if not (piece in BETWEEN or piece[-1].isdecimal() or ORDINAL.fullmatch(piece)):
            return False
    return False
