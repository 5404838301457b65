"""Why the two ways to make symbols disagree, sentence by sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.evaluation.symbol_errors import (
    AROUND,
    FROM_START,
    PIECE_CHARACTERS,
    Comparison,
    Error,
    Found,
    Reason,
    differences,
    excerpt,
    explain,
)
from contextnmt.text.names import Span, sentence_of

FALSE, MISSED = Error.FALSE, Error.MISSED


def compared(
    source: str, target: str, alone: set[Found], both: dict[Found, Span] | None = None
) -> Comparison:
    """A sentence pair and made-up symbols of either way."""
    return Comparison(sentence_of(source), sentence_of(target), False, alone, both or {})


def name(start: int, stop: int) -> Found:
    return Found("S", Span(start, stop))


@pytest.mark.parametrize(
    ("source", "target", "kind", "reason", "nearest"),
    [
        ("in Germany", "in Deutschland", "S", Reason.ABSENT, None),
        ("in Turkey", "in der Türkei", "S", Reason.SIMILAR, "Türkei"),
        ("in Ghana", "ein Ghanaer", "S", Reason.SIMILAR, "Ghanaer"),
        ("in Rom", "ein Romanist", "S", Reason.ABSENT, None),
        ("in Berlin", "nach Berlin", "S", Reason.UNPAIRED, "Berlin"),
        ("the IMF", "der IWF", "C", Reason.ABSENT, None),
        ("page 12", "Seite zwölf", "N", Reason.ABSENT, None),
        ("page 2,012", "Seite 2.012", "N", Reason.UNPAIRED, "2.012"),
        ("page 2012", "Seite 20121", "N", Reason.ABSENT, None),
        ("page 12", "1,2 Seiten", "N", Reason.ABSENT, None),
        ("page 08", "Seite 8", "N", Reason.UNPAIRED, "8"),
    ],
)
def test_a_false_symbol_is_looked_for_in_the_target(
    source: str, target: str, kind: str, reason: Reason, nearest: str | None
) -> None:
    found = Found(kind, Span(1, 2))
    pair = compared(source, target, {found})
    assert list(differences(pair)) == [(FALSE, found)]
    why, place = explain(pair, FALSE, found, lambda word: True)
    assert (why, place and place.text(pair.target.pieces)) == (reason, nearest)


def test_a_name_that_the_target_has_less_often_is_repeated() -> None:
    first, second = name(0, 1), name(2, 3)
    pair = compared("Ulm and Ulm", "Ulm", {first, second}, {first: Span(0, 1)})
    assert list(differences(pair)) == [(FALSE, second)]
    assert explain(pair, FALSE, second, lambda word: True) == (Reason.REPEATED, Span(0, 1))


def test_a_name_of_fewer_words_is_false_and_the_longer_one_missed() -> None:
    short, long = name(1, 2), name(0, 2)
    pair = compared("New York", "in New York", {short}, {long: Span(1, 3)})
    assert list(differences(pair)) == [(MISSED, long), (FALSE, short)]
    for error, found in differences(pair):
        assert explain(pair, error, found, lambda word: True) == (Reason.EXTENT, Span(1, 3))


def test_an_acronym_within_a_name_is_of_another_type() -> None:
    acronym, phrase = Found("C", Span(0, 1)), name(0, 2)
    pair = compared("NI Suite", "NI Suite", {acronym}, {phrase: Span(0, 2)})
    for error, found in differences(pair):
        assert explain(pair, error, found, lambda word: True)[0] is Reason.TYPE


@pytest.mark.parametrize(
    ("known", "reason"), [({"York"}, Reason.UNLIKELY), (set[str](), Reason.UNSEEN)]
)
def test_a_missed_name_is_unlikely_or_unseen(known: set[str], reason: Reason) -> None:
    pair = compared("New York", "New York", set(), {name(0, 2): Span(0, 2)})
    assert explain(pair, MISSED, name(0, 2), known.__contains__) == (reason, Span(0, 2))


def test_a_missed_number_is_one_of_other_numerals() -> None:
    found = Found("N", Span(1, 2))
    pair = compared("the 18th century", "le 18 e siècle", set(), {found: Span(1, 2)})
    assert explain(pair, MISSED, found, lambda word: True) == (Reason.NUMERAL, Span(1, 2))


def test_a_sentence_has_so_many_symbols_and_no_more() -> None:
    numbers = [str(number) for number in range(21)]
    alone = {Found("N", Span(place, place + 1)) for place in range(20)}
    last = Found("N", Span(20, 21))
    pair = compared(" ".join(numbers), "20", alone, {last: Span(0, 1)})
    assert explain(pair, MISSED, last, lambda word: True) == (Reason.LIMIT, Span(0, 1))


def test_an_excerpt_shows_the_words_around() -> None:
    pieces = sentence_of(" ".join("abcdefghijklmnopq")).pieces
    assert excerpt(pieces, Span(7, 9)) == "… b c d e f g h i j k l m n o …"
    assert excerpt(pieces, Span(0, 1)) == "a b c d e f g …"
    assert excerpt(pieces, Span(16, 17)) == "… k l m n o p q"
    assert excerpt(pieces, None) == "a b c d e f g h i j k l m n o p q"
    assert excerpt(sentence_of("the 2nd 3.5kg").pieces, Span(1, 2)) == "the 2nd 3.5kg"


def test_an_excerpt_without_a_place_is_how_the_sentence_begins() -> None:
    words = [f"word{number}" for number in "abcdefghijklmnopqrstuvwxyz"]
    assert excerpt(words, None) == " ".join(words[:FROM_START]) + " …"
    assert excerpt([], None) == ""


@pytest.mark.parametrize("place", [0, 2, 3])
def test_a_long_token_does_not_hide_the_word_in_question(place: int) -> None:
    long = "x" * 300
    words = ["a", "b", long, "c"]
    words.insert(place, "Berlin")
    shown = excerpt(words, Span(place, place + 1))
    assert shown == " ".join(words).replace(long, "x" * PIECE_CHARACTERS + "…")


@given(st.lists(st.text("ab\u2028\r^<1", min_size=1, max_size=40), max_size=30), st.data())
def test_an_excerpt_is_one_short_line(words: list[str], data: st.DataObject) -> None:
    pieces = sentence_of(" ".join(words)).pieces
    place = data.draw(st.integers(0, len(pieces) - 1)) if pieces else None
    shown = excerpt(pieces, None if place is None else Span(place, place + 1))
    assert len(shown) <= (2 * AROUND + 1) * (PIECE_CHARACTERS + 2) + 4
    assert shown == " ".join(shown.split())
