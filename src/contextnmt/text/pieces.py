"""Cut tokens between digits and the rest, and put them together again.

Choi et al. 2017, appendix A, separate units and other characters from digits before they match
numbers; table 2 marks the cut with ``^^`` (here a prefix of the right-hand piece, A31 and A32).
``137Kg`` becomes ``137 ^^Kg``. Cutting loses nothing: `join_pieces` undoes `split_pieces` on any
text, also on text that itself holds ``^^`` or looks like a symbol: these are escaped by a
backslash, so that no pieces but those of such a text ever join to something like a symbol.
"""

import re
from collections.abc import Iterable

from contextnmt.text.numbers import NUMBER

#: Prefix of a piece that belongs to the piece before it, without a blank.
JOIN = "^^"

#: A number, proper noun or acronym and its place in the sentence: ``<N>_1``, ``<S>_1``, ``<C>_1``.
SYMBOL = re.compile(r"<([NSC])>_[0-9]+")

#: A token of the text that begins like a marked piece gets one more backslash in front.
ESCAPED = re.compile(r"\\*\^\^")

#: Text that looks like a symbol gets one more backslash before its underscore, and loses it again.
LIKE_SYMBOL = re.compile(r"(<[NSC]>)(?=\\*_\d)")
ESCAPED_SYMBOL = re.compile(r"(<[NSC]>)\\(?=\\*_\d)")

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
        if token.isalpha() or token.isdecimal() or HAS_DIGIT.search(token) is None:
            pieces.append(token)
        else:
            if ">" in token:
                token = LIKE_SYMBOL.sub(r"\1\\", token)
            first, *others = filter(None, NUMBER_RUN.split(token))
            pieces.append(first)
            pieces.extend(JOIN + other for other in others)
    return pieces


def join_pieces(pieces: Iterable[str]) -> list[str]:
    """The tokens that `split_pieces` cut. A marked piece without a left neighbour stands alone.

    An empty piece (where something was taken out) breaks the join and leaves no token. What joins
    to a symbol although no text was written so is taken out.
    """
    joined: list[list[str]] = []  # the pieces of each token
    open_token = False  # may the next piece join the last token?
    for piece in pieces:
        if piece.startswith(JOIN) and open_token:
            joined[-1].append(piece[len(JOIN) :])
        else:
            text = piece.removeprefix(JOIN) if piece.startswith(JOIN) else unescape(piece)
            open_token = bool(text)
            if text:
                joined.append([text])
    tokens = ("".join(parts) if len(parts) > 1 else parts[0] for parts in joined)
    return [text for token in tokens if (text := without_symbols(token) if "<" in token else token)]


def unescape(token: str) -> str:
    """Take away the backslash that `split_pieces` set before a token that begins like a mark."""
    return token[1:] if token.startswith("\\") and ESCAPED.match(token) else token


def without_symbols(token: str) -> str:
    """`token` less its symbols, and less the backslashes in what only looks like one."""
    if SYMBOL.search(token):
        token = SYMBOL.sub("", token).strip(" ")  # a surface of several words may be left of it
        if SYMBOL.search(token):  # what is left around a symbol may be one more: <N<S>_1>_2
            token = token.replace("<", "")
    return ESCAPED_SYMBOL.sub(r"\1", token)
