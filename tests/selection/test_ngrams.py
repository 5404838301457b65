"""Which words language models know, and how a text becomes ids."""

from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.selection.ngrams import UNK, Vocabulary


def test_words_that_occur_twice_are_in_and_the_most_frequent_come_first() -> None:
    vocabulary = Vocabulary.frequent({"once": 1, "b": 2, "a": 2, "often": 9})
    assert vocabulary.words == ["often", "a", "b"]
    assert vocabulary.ids == {"often": 3, "a": 4, "b": 5}
    assert len(vocabulary) == 6


def test_lines_become_ids_with_unknown_words_among_them() -> None:
    ids, offsets = Vocabulary(["a", "b"]).encode(["a c b", "", " b  a "])
    assert ids.tolist() == [3, UNK, 4, 4, 3]
    assert offsets.tolist() == [0, 3, 3, 5]


def test_words_spelt_like_specials_are_unknown() -> None:
    vocabulary = Vocabulary.frequent({"<s>": 5, "</s>": 5, "<unk>": 5, "a": 5})
    assert vocabulary.words == ["a"]
    assert vocabulary.encode(["<s> a </s> <unk>"]).ids.tolist() == [UNK, 3, UNK, UNK]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b\n", "line 1: not a new word: 'a b'"),
        ("a\nb\na\n", "line 3: not a new word: 'a'"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "words.txt"
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        Vocabulary.read(path)
