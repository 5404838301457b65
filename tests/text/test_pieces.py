"""Cutting tokens between digits and the rest, and joining them again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.text.pieces import join_pieces, split_pieces
from contextnmt.text.symbols import SYMBOL


@pytest.mark.parametrize(
    ("token", "pieces"),
    [
        ("137Kg", "137 ^^Kg"),
        ("2nd", "2 ^^nd"),
        ("12h30", "12 ^^h ^^30"),
        ("10-15", "10 ^^- ^^15"),
        ("A380", "A ^^380"),
        ("2.", "2 ^^."),
        ("1.234,56", "1.234,56"),
        ("COVID-19", "COVID- ^^19"),
        ("1,2,3", "1,2,3"),
        ("1,,2", "1 ^^,, ^^2"),
        ("'90s", "' ^^90 ^^s"),
        ("CO2", "CO ^^2"),
        ("3.11.7", "3.11.7"),
        ("plain", "plain"),
        ("<S>_1", "<S>_ ^^1"),
        ("^^", "\\^^"),
        ("^^nd", "\\^^nd"),
        ("\\^^", "\\\\^^"),
        ("^^2^^", "\\^^ ^^2 ^^^^"),
        ("x^^", "x^^"),
        ("m²", "m²"),
    ],
)
def test_cuts_and_joins(token: str, pieces: str) -> None:
    assert " ".join(split_pieces(token)) == pieces
    assert join_pieces(pieces.split(" ")) == [token]


def test_joins_what_has_no_left_neighbour_to_nothing() -> None:
    assert join_pieces(["^^nd", "of", "^^", "x"]) == ["nd", "of", "x"]
    assert join_pieces(["June", "", "^^nd"]) == ["June", "nd"]


def test_blanks_alone_separate_tokens() -> None:
    assert split_pieces("a\u00a0b c\u2028d") == ["a\u00a0b", "c\u2028d"]
    assert split_pieces(" a  b ") == ["a", "b"]
    assert split_pieces("") == []


TOKENS = st.lists(
    st.text(st.sampled_from("^\\<>NS_@.,-1290aB٣é\t\u00a0"), min_size=1, max_size=8)
    | st.text(st.characters(exclude_characters=" \n"), min_size=1),
    max_size=8,
)


@given(TOKENS)
def test_joining_undoes_cutting(tokens: list[str]) -> None:
    pieces = split_pieces(" ".join(tokens))
    assert join_pieces(pieces) == tokens
    assert not any(SYMBOL.search(piece) for piece in pieces)
