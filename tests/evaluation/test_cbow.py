from pathlib import Path
from random import Random

import numpy as np
import pytest
from safetensors.numpy import save
from saved_models import save_model, save_vectors

from contextnmt.errors import UserError
from contextnmt.evaluation.cbow import cbow, read_vectors
from contextnmt.files import read_lines, write_lines

WORDS = ["the", "bank", "river"]
ANIMALS, MACHINES = ["cat", "dog", "horse", "goat"], ["laptop", "printer", "screen", "keyboard"]
SENTENCES = [(ANIMALS, "eats sees", "hay grass"), (MACHINES, "needs has", "power ink")]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Animals eat and sleep, machines hum and break; `rare` occurs once."""
    random = Random(5)
    lines = ["a rare thing"]
    for nouns, *others in random.choices(SENTENCES, k=3000):
        words = [random.choice(each) for each in (nouns, *map(str.split, others))]
        lines.append(f"the {' '.join(words)} .")
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


def test_the_same_text_gives_the_same_vectors_in_parts_or_not(text: Path, tmp_path: Path):
    lines = list(read_lines(text))[:200]
    parts = [tmp_path / name for name in ("all", "1of2.gz", "2of2")]
    for path, part in zip(parts, (lines, lines[:70], lines[70:]), strict=True):
        write_lines(path, part)
    cbow(parts[:1], 5, tmp_path / "whole", size=4)
    cbow(parts[1:], 5, tmp_path / "parts", size=4)
    cbow(parts[:1], 5, tmp_path / "other", size=4, seed=2)
    whole, joined, other = (
        (tmp_path / name / "vectors.safetensors").read_bytes()
        for name in ("whole", "parts", "other")
    )
    assert whole == joined
    assert whole != other
    words = read_vectors(tmp_path / "whole", "cbow").words  # those of a model, the frequent ones
    assert len(words) == 5 and set(words[:2]) == {".", "the"}
    first = (tmp_path / "whole" / "vocabulary.source.tsv").read_text().split("\n")[0]
    assert first == ".\t199"


def test_a_text_without_words_is_named(tmp_path: Path):
    write_lines(tmp_path / "empty.gz", ["", ""])
    with pytest.raises(UserError, match=r"empty\.gz: no words in it"):
        cbow([tmp_path / "empty.gz"], 10, tmp_path / "out")


def test_the_rows_of_a_model_belong_to_its_words(tmp_path: Path):
    model = save_model(tmp_path / "model", WORDS)
    found = read_vectors(tmp_path / "model", "train")
    assert found.words == WORDS  # after three specials
    assert np.array_equal(found.vectors, model.source_embedding.weight[3:].detach().numpy())


def test_cbow_vectors_are_read_as_written(tmp_path: Path):
    vectors = np.arange(6.0).reshape(3, 2)
    save_vectors(tmp_path / "cbow", WORDS, vectors)
    found = read_vectors(tmp_path / "cbow", "cbow")
    assert found.words == WORDS
    assert np.array_equal(found.vectors, vectors)


UNFINITE = "not a finite vector for each of the 3 words"


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (None, r"vectors\.safetensors: no such file: run `contextnmt cbow"),
        (b"damaged", r"vectors\.safetensors: no vectors in it"),
        (save({"other": np.ones((3, 2))}), r"vectors\.safetensors: no vectors in it"),
        (save({"vectors": np.ones((2, 4))}), UNFINITE),
        (save({"vectors": np.array([[1.0], [np.nan], [0.0]])}), UNFINITE),
    ],
)
def test_a_folder_without_a_finite_vector_for_each_word_is_refused(
    tmp_path: Path, vectors: bytes | None, message: str
):
    save_vectors(tmp_path, WORDS, np.ones((3, 2)))
    path = tmp_path / "vectors.safetensors"
    path.unlink() if vectors is None else path.write_bytes(vectors)
    with pytest.raises(UserError, match=message):
        read_vectors(tmp_path, "cbow")


def test_an_unfinished_training_is_named(tmp_path: Path):
    message = r"model\.safetensors: no such file: run `contextnmt train"
    with pytest.raises(UserError, match=message):
        read_vectors(tmp_path, "train")
