"""Cutting tokens between digits and the rest, and joining them again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.text.pieces import SYMBOL, join_pieces, split_pieces


@pytest.mark.parametrize(
    ("token", "pieces"),
    [
        ("A380", "A ^^380"),
        ("1,,2", "1 ^^,, ^^2"),
        ("'90s", "' ^^90 ^^s"),
        ("<S>_1", r"<S>\_ ^^1"),
        ("^^", "\\^^"),
        ("\\^^", "\\\\^^"),
        ("^^2^^", "\\^^ ^^2 ^^^^"),
        ("x^^", "x^^"),
        ("x<S>_1<N>_22y", r"x<S>\_ ^^1 ^^<N>\_ ^^22 ^^y"),
        (r"<S>\_1", r"<S>\\_ ^^1"),
        ("<S>_", "<S>_"),
        ("<<S>_1S>_3", r"<<S>\_ ^^1 ^^S>_ ^^3"),
        ("^^<C>_1", r"\^^<C>\_ ^^1"),
        ("٣kg", "٣ ^^kg"),
        ("m²", "m²"),
    ],
)
def test_cuts_and_joins(token: str, pieces: str) -> None:
    assert " ".join(split_pieces(token)) == pieces
    assert join_pieces(pieces.split(" ")) == [token]


def test_blanks_alone_separate_tokens() -> None:
    assert split_pieces("a\u00a0b c\u2028d") == ["a\u00a0b", "c\u2028d"]
    assert split_pieces(" a  b ") == ["a", "b"]
    assert split_pieces("") == []


TOKENS = st.lists(
    st.text(st.sampled_from("^\\<>NS_@.,-1290aB٣é\t\u00a0"), min_size=1, max_size=8)
    | st.text("<>S\\_1^", min_size=1, max_size=12)
    | st.text(st.characters(exclude_characters=" \n"), min_size=1),
    max_size=8,
)


@given(TOKENS)
def test_joining_undoes_cutting(tokens: list[str]) -> None:
    pieces = split_pieces(" ".join(tokens))
    assert join_pieces(pieces) == tokens
    assert not any(SYMBOL.search(piece) for piece in pieces)
