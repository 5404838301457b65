"""Sentences that are found by words in them."""

import pytest

from contextnmt.report.sentences import Place, has, nowhere, place_of

TEXTS = {
    "test": ["The dog sleeps .", 'Disney \'s efforts : " it is part of them , " he said .'],
    "dev": ["The old dog sleeps .", "The dog is an other dogma ."],
}


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("The dog", Place("test", 1)),
        ("dog sleeps.", Place("test", 1)),
        ("Disney's efforts", Place("test", 2)),
        ('"it  is part', Place("test", 2)),
        ("an other", Place("dev", 2)),
        ("another", Place("dev", 2)),
        ("The old", Place("dev", 1)),
        ("The do", None),
        ("he dog", None),
        ("the dog", None),
        ("dog. sleeps", None),
    ],
)
def test_the_first_line_with_whole_words_in_a_row_is_found(words: str, place: Place | None) -> None:
    assert place_of(words, TEXTS) == place


def test_words_may_come_later_than_something_like_them() -> None:
    assert has(["dogma", "and", "dog"], "dog")
    assert has(["a", "aa"], "aa")
    assert not has(["dogma", "and", "dogs"], "dog")
    assert not has([], "dog")


def test_what_is_not_there_is_told_with_the_texts() -> None:
    assert nowhere("a b", TEXTS) == "no sentence of test, dev has the words “a b” in a row"
