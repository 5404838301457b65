from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.text.vocabulary import EOS, PAD, SPECIALS, UNK, Vocabulary


def test_specials_are_decoded_by_their_spelling():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.decode([PAD, EOS, UNK, 3]) == ["<pad>", "</s>", "<unk>", "a"]


def test_a_special_spelt_in_the_text_is_an_unknown_word():
    vocabulary = Vocabulary.most_frequent({"</s>": 9, "<pad>": 9, "<unk>": 9, "a": 1}, 10)
    assert vocabulary.words == ["a"]
    assert vocabulary.encode(SPECIALS) == [UNK, UNK, UNK]


@pytest.mark.parametrize(
    "content",
    ["a\t1\nb\n", "a\t1\nb\tmany\n", "a\t1\n\t2\n", "a\t1\na\t1\n", "a\t1\n</s>\t1\n"],
)
def test_a_damaged_file_is_reported_with_its_line(tmp_path: Path, content: str):
    path = tmp_path / "vocabulary.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="line 2"):
        Vocabulary.read(path)
