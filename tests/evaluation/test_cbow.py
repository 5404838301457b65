from pathlib import Path
from random import Random

import numpy as np
import pytest
from safetensors.numpy import save_file
from saved_models import save_model, save_vectors

from contextnmt.errors import UserError
from contextnmt.evaluation.cbow import cbow, read_vectors
from contextnmt.files import read_lines, write_lines

ANIMALS, MACHINES = ["cat", "dog", "horse", "goat"], ["laptop", "printer", "screen", "keyboard"]


WORDS = ["the", "bank", "river"]


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
    found = read_vectors(tmp_path, "cbow")
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
    words = read_vectors(tmp_path, "cbow").words
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


def test_the_rows_of_a_model_belong_to_its_words(tmp_path: Path):
    model = save_model(tmp_path / "model", WORDS)
    found = read_vectors(tmp_path / "model", "train")
    assert found.words == WORDS
    for word, vector in zip(found.words, found.vectors, strict=True):
        number = 3 + WORDS.index(word)  # after the specials
        assert np.array_equal(vector, model.source_embedding.weight[number].detach().numpy())


def test_cbow_vectors_are_read_as_written(tmp_path: Path):
    vectors = np.arange(6.0).reshape(3, 2)
    save_vectors(tmp_path / "cbow", WORDS, vectors)
    found = read_vectors(tmp_path / "cbow", "cbow")
    assert found.words == WORDS
    assert np.array_equal(found.vectors, vectors)


def test_an_unfinished_run_is_named(tmp_path: Path):
    with pytest.raises(UserError, match=r"model\.safetensors: no such file: run `contextnmt train"):
        read_vectors(tmp_path, "train")
    with pytest.raises(
        UserError, match=r"vectors\.safetensors: no such file: run `contextnmt cbow"
    ):
        read_vectors(tmp_path, "cbow")


def test_wrong_files_are_named(tmp_path: Path):
    save_vectors(tmp_path, WORDS, np.ones((2, 4)))
    with pytest.raises(UserError, match="not a finite vector for each of the 3 words"):
        read_vectors(tmp_path, "cbow")
    save_vectors(tmp_path, WORDS, np.array([[1.0], [np.nan], [0.0]]))
    with pytest.raises(UserError, match="not a finite vector"):
        read_vectors(tmp_path, "cbow")
    save_file({"other": np.ones((3, 2))}, tmp_path / "vectors.safetensors")
    with pytest.raises(UserError, match=r"vectors\.safetensors: no vectors in it"):
        read_vectors(tmp_path, "cbow")
    (tmp_path / "vectors.safetensors").write_bytes(b"damaged")
    with pytest.raises(UserError, match=r"vectors\.safetensors: no vectors in it"):
        read_vectors(tmp_path, "cbow")
