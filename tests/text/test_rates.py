"""Rates of capitalized words in training, and the symbols of a source alone (A26)."""

from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.text.names import sentence_of
from contextnmt.text.rates import (
    UNSEEN,
    Position,
    Rate,
    Rates,
    Sighting,
    probable_names,
    read_rates,
    sightings,
)


def row(word: str, position: Position, symbol: int, seen: int) -> Rate:
    return Rate(word, position, symbol, seen - symbol)


def test_a_word_is_seen_in_the_position_of_what_became_of_the_one_before() -> None:
    sentence = sentence_of("The New York-based firm of Mr. Trump and NATO")
    seen = sightings(sentence, {1, 2}, [("NATO", True)])
    assert seen == [
        Sighting("The", Position.OPENING, False),
        Sighting("New", Position.AFTER_TEXT, True),
        Sighting("York", Position.AFTER_SYMBOL, True),  # without the tail of its piece
        Sighting("Mr.", Position.FIRST, False),
        Sighting("Trump", Position.AFTER_TEXT, False),
        Sighting("NATO", Position.FIRST, False),
        Sighting("NATO", Position.ACRONYM, True),
    ]


def test_a_frequent_word_goes_its_own_way_and_an_unseen_one_that_of_its_ending() -> None:
    rows = [row("Berlin", Position.FIRST, 990, 1000), row("Germany", Position.FIRST, 10, 1000)]
    rows += [row(f"{stem}ian", Position.FIRST, 0, 1) for stem in ("Serb", "Iran", "Ital", "Ind")]
    rows += [row(f"{stem}son", Position.FIRST, 1, 1) for stem in ("John", "Peter", "Niel", "Jack")]
    rates = Rates(rows, {})
    assert rates.probability("Berlin", Position.FIRST) == pytest.approx(0.99, abs=0.01)
    assert rates.probability("Germany", Position.FIRST) == pytest.approx(0.01, abs=0.01)
    assert rates.probability("Indonesian", Position.FIRST) < 0.3
    assert rates.probability("Robinson", Position.FIRST) > 0.6


def test_a_word_that_occurs_in_lower_case_is_another_kind_of_rare_word() -> None:
    rows = [row(f"{letter}ing", Position.FIRST, 0, 1) for letter in "ABCDEF"]
    rows += [row(f"{letter}ing", Position.FIRST, 1, 1) for letter in "QRSTUV"]
    rates = Rates(rows, {f"{letter}ing": 3 for letter in "abcdefx"})
    assert (
        rates.probability("Xing", Position.FIRST) < 0.5 < rates.probability("Zing", Position.FIRST)
    )


def test_without_training_all_is_as_likely_as_not() -> None:
    assert Rates([], {}).probability("Bonn", Position.FIRST) == pytest.approx(UNSEEN)


def test_neighbours_in_a_run_that_are_symbols_are_one_name() -> None:
    sentence = sentence_of("Yesterday President Barack Obama of Hawaii met Ms Merkel-led allies")
    text = {"Yesterday", "President", "Ms"}
    found = probable_names(sentence, lambda word, _: word not in text)
    assert [span.text(sentence.pieces) for span in found] == ["Barack Obama of Hawaii", "Merkel"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the header"),
        ("word\tposition\tsymbol\ttext\nBonn\tsecond\t1\t1\n", "line 2: a row needs"),
        ("word\tposition\tsymbol\ttext\nBonn\tfirst\t-3\t1\n", "line 2: a row needs"),
        ("word\tposition\tsymbol\ttext\nBonn\tfirst\t0\t0\n", "line 2: a row needs"),
        (
            "word\tposition\tsymbol\ttext\nBonn\tfirst\t1\t0\nBonn\tacronym\t1\t0\n",
            "line 3: 'Bonn acronym' comes after 'Bonn first'",
        ),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rates.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        list(read_rates(path))
