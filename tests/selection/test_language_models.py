"""The models of both domains: their words, scores and files."""

import math
from pathlib import Path

import numpy as np
import pytest

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.selection.cross_entropy import DomainModels, language_models
from contextnmt.selection.language_model import BOS, EOS, UNK, Vocabulary

IN_DOMAIN = ["the cat sat", "the cat ran", "a dog sat", "once"]
GENERAL = ["the law of the land", "the act", "a law sat"]
LINES = ["the cat sat", "the law", "", "unheard of", "a"]


@pytest.fixture(scope="module")
def models() -> DomainModels:
    return DomainModels.estimate(IN_DOMAIN, GENERAL)


def test_the_difference_is_that_of_the_cross_entropies(models: DomainModels) -> None:
    """In bits per word, the end of the sentence predicted but not counted."""

    def cross_entropy(model: str, line: str) -> float:
        ids = [models.vocabulary.ids.get(word, 0) for word in line.split()]
        log10 = getattr(models, model).score(np.array([BOS, *ids, EOS])).sum()
        return float(-log10 / math.log10(2) / len(ids))

    differences, words = models.cross_entropy_difference(LINES)
    assert words.tolist() == [3, 2, 0, 2, 1]
    assert differences[2] == math.inf
    for number in (0, 1, 3, 4):
        line = LINES[number]
        expected = cross_entropy("in_domain", line) - cross_entropy("general", line)
        assert differences[number] == pytest.approx(expected, abs=1e-9)
    assert differences[0] < 0 < differences[1]
    assert len(models.in_domain.probabilities) == len(models.general.probabilities) == 4


def test_models_of_other_words_are_refused(tmp_path: Path, models: DomainModels) -> None:
    models.save(str(tmp_path / "models"))
    write_lines(tmp_path / "models.vocabulary.txt", ["cat"])
    with pytest.raises(UserError, match=r"in-domain\.npz: its vocabulary is not .*vocabulary\.txt"):
        DomainModels.load(str(tmp_path / "models"))


def test_the_models_of_joined_texts_come_back_from_disk(
    tmp_path: Path, models: DomainModels
) -> None:
    texts = {"a": IN_DOMAIN[:1], "b": IN_DOMAIN[1:], "sample": GENERAL}
    for name, lines in texts.items():
        write_lines(tmp_path / f"{name}.en.gz", lines)
    in_domain = [tmp_path / "a.en.gz", tmp_path / "b.en.gz"]
    language_models(in_domain, tmp_path / "sample.en.gz", str(tmp_path / "models"))
    found = DomainModels.load(str(tmp_path / "models")).cross_entropy_difference(LINES)
    expected = models.cross_entropy_difference(LINES)
    assert [side.tolist() for side in found] == [side.tolist() for side in expected]


def test_a_domain_without_words_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.en", ["", " "])
    write_lines(tmp_path / "sample.en", GENERAL)
    with pytest.raises(UserError, match=r"a\.en: no words"):
        language_models([tmp_path / "a.en"], tmp_path / "sample.en", str(tmp_path / "models"))


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
