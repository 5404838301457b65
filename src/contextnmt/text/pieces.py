"""Cut tokens between digits and the rest, and put them together again.

Choi et al. 2017, appendix A, separate units and other characters from digits before they match
numbers; table 2 marks the cut with ``^^`` (here a prefix of the right-hand piece, A31 and A32).
``137Kg`` becomes ``137 ^^Kg``. Cutting loses nothing: `join_pieces` undoes `split_pieces` on any
text, also on text that itself holds ``^^`` or looks like a symbol.
"""

import re
from collections.abc import Iterable

from contextnmt.text.numbers import NUMBER

#: Prefix of a piece that belongs to the piece before it, without a blank.
JOIN = "^^"

#: A token of the text that begins like a marked piece gets one more backslash in front.
ESCAPED = re.compile(r"\\*\^\^")

HAS_DIGIT = re.compile(r"\d")
NUMBER_RUN = re.compile(f"({NUMBER})")


def tokens_of(line: str) -> list[str]:
    """The tokens of a tokenized line: what stands between blanks (U+0020 alone)."""
    tokens = line.split(" ")
    return [token for token in tokens if token] if "" in tokens else tokens


def split_pieces(line: str) -> list[str]:
    """The tokens of a tokenized line, cut between number runs and the rest.

    A piece is either a number run or holds no digit, so no piece can be taken for a symbol.
    """
    tokens = tokens_of(line)
    if JOIN in line:
        tokens = ["\\" + token if ESCAPED.match(token) else token for token in tokens]
    if HAS_DIGIT.search(line) is None:
        return tokens
    pieces = []
    for token in tokens:
        if token.isdecimal() or HAS_DIGIT.search(token) is None:
            pieces.append(token)
        else:
            first, *others = filter(None, NUMBER_RUN.split(token))
            pieces.append(first)
            pieces.extend(JOIN + other for other in others)
    return pieces


def join_pieces(pieces: Iterable[str]) -> list[str]:
    """The tokens that `split_pieces` cut. A marked piece without a left neighbour stands alone.

    An empty piece (where something was taken out) breaks the join and leaves no token.
    """
    tokens: list[str] = []
    open_token = False  # may the next piece join the last token?
    for piece in pieces:
        if piece.startswith(JOIN) and open_token:
            tokens[-1] += piece[len(JOIN) :]
        else:
            text = piece.removeprefix(JOIN) if piece.startswith(JOIN) else unescape(piece)
            open_token = bool(text)
            if text:
                tokens.append(text)
    return tokens


def unescape(token: str) -> str:
    """Take away the backslash that `split_pieces` set before a token that begins like a mark."""
    return token[1:] if token.startswith("\\") and ESCAPED.match(token) else token
