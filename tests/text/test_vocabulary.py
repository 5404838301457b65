from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.text.vocabulary import EOS, PAD, SPECIALS, UNK, Vocabulary


def test_words_are_ordered_by_count_then_by_name_and_begin_at_three():
    vocabulary = Vocabulary.most_frequent({"b": 2, "c": 5, "a": 2, "d": 1}, 3)
    assert vocabulary.words == ["c", "a", "b"]
    assert vocabulary.encode(["c", "a", "b", "d"]) == [3, 4, 5, UNK]
    assert len(vocabulary) == 6


def test_specials_are_decoded_by_their_spelling():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.decode([PAD, EOS, UNK, 3]) == ["<pad>", "</s>", "<unk>", "a"]


def test_a_special_spelt_in_the_text_is_an_unknown_word():
    vocabulary = Vocabulary.most_frequent({"</s>": 9, "<pad>": 9, "<unk>": 9, "a": 1}, 10)
    assert vocabulary.words == ["a"]
    assert vocabulary.encode(SPECIALS) == [UNK, UNK, UNK]


def test_the_file_has_a_word_and_its_count_a_line(tmp_path: Path):
    counts = {"chat": 3, "été": 7}
    written = Vocabulary.most_frequent(counts, 2)
    written.write(tmp_path / "vocabulary.tsv", counts)
    assert (tmp_path / "vocabulary.tsv").read_text(encoding="utf-8") == "été\t7\nchat\t3\n"
    read = Vocabulary.read(tmp_path / "vocabulary.tsv")
    assert read.words == written.words
    assert read.sha256 == written.sha256


def test_the_digest_tells_orders_apart():
    assert Vocabulary(["a", "b"]).sha256 != Vocabulary(["b", "a"]).sha256
    assert Vocabulary(["ab"]).sha256 != Vocabulary(["a", "b"]).sha256


@pytest.mark.parametrize(
    "content",
    ["a\t1\nb\n", "a\t1\nb\tmany\n", "a\t1\n\t2\n", "a\t1\na\t1\n", "a\t1\n</s>\t1\n"],
)
def test_a_damaged_file_is_reported_with_its_line(tmp_path: Path, content: str):
    path = tmp_path / "vocabulary.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="line 2"):
        Vocabulary.read(path)
