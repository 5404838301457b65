from pathlib import Path
from random import Random

import numpy as np
import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.cbow import cbow
from contextnmt.evaluation.word_vectors import read_cbow
from contextnmt.files import read_lines, write_lines

ANIMALS, MACHINES = ["cat", "dog", "horse", "goat"], ["laptop", "printer", "screen", "keyboard"]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Animals eat and sleep, machines hum and break; `rare` occurs once."""
    random = Random(5)
    lines = ["a rare thing"]
    for _ in range(3000):
        nouns, verbs, things = random.choice(
            [
                (ANIMALS, ["eats", "sees"], ["hay", "grass"]),
                (MACHINES, ["needs", "has"], ["power", "ink"]),
            ]
        )
        lines.append(f"the {random.choice(nouns)} {random.choice(verbs)} {random.choice(things)} .")
    path = tmp_path_factory.mktemp("cbow") / "train.en.gz"
    write_lines(path, lines)
    return path


def test_words_of_like_surroundings_get_like_vectors(text: Path, tmp_path: Path):
    cbow([text], 18, tmp_path, size=12)
    found = read_cbow(tmp_path)
    assert found.vectors.shape == (18, 12)
    rows = dict(zip(found.words, found.vectors, strict=True))
    nouns = np.stack([rows[word] for word in [*ANIMALS, *MACHINES]])
    nouns -= nouns.mean(0)  # what all nouns have in common
    units = nouns / np.linalg.norm(nouns, axis=1, keepdims=True)
    similar = units @ units.T
    for number in range(8):
        alike, unlike = (similar[number, :4], similar[number, 4:])[:: 1 if number < 4 else -1]
        assert alike.min() > 0.1 > -0.1 > unlike.max()


def test_the_vocabulary_is_that_of_a_model_of_words(text: Path, tmp_path: Path):
    cbow([text], 5, tmp_path, size=4)
    words = read_cbow(tmp_path).words
    assert set(words[:2]) == {".", "the"}
    assert len(words) == 5
    first = (tmp_path / "vocabulary.source.tsv").read_text().split("\n")[0]
    assert first == ".\t3000"


def test_the_same_text_gives_the_same_vectors_in_parts_or_not(text: Path, tmp_path: Path):
    lines = list(read_lines(text))
    parts = [tmp_path / "1of2.gz", tmp_path / "2of2"]
    write_lines(parts[0], lines[:1000])
    write_lines(parts[1], lines[1000:])
    cbow([text], 18, tmp_path / "whole", size=4)
    cbow(parts, 18, tmp_path / "parts", size=4)
    cbow([text], 18, tmp_path / "other", size=4, seed=2)
    whole, joined, other = (
        (tmp_path / name / "vectors.safetensors").read_bytes()
        for name in ("whole", "parts", "other")
    )
    assert whole == joined
    assert whole != other


def test_a_text_without_words_is_named(tmp_path: Path):
    write_lines(tmp_path / "empty.gz", ["", ""])
    with pytest.raises(UserError, match=r"empty\.gz: no words in it"):
        cbow([tmp_path / "empty.gz"], 10, tmp_path / "out")
