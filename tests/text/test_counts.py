"""The counts of words: of a text, and read from a table."""

from pathlib import Path

import pytest

from contextnmt.corpus.counts import count_words, read_counts
from contextnmt.errors import UserError
from contextnmt.text.pieces import tokens_of


def test_a_word_is_what_stands_between_blanks(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a b\u00a0c  a\n\nb\u2028\n", encoding="utf-8")
    assert count_words(path, words=tokens_of) == {"a": 2, "b\u00a0c": 1, "b\u2028": 1}


def test_a_table_keeps_its_order(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("the\t7\nof\t7\na\t9\n", encoding="utf-8")
    assert list(read_counts(path).items()) == [("the", 7), ("of", 7), ("a", 9)]


def test_a_malformed_count_is_named(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("the\t7\nof seven\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2: expected a word"):
        read_counts(path)
