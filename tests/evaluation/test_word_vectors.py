from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from saved_models import save_model, save_vectors

from contextnmt.errors import UserError
from contextnmt.evaluation.word_vectors import embeddings_of, read_cbow

WORDS = ["the", "bank", "river"]


def test_the_rows_of_a_model_belong_to_its_words(tmp_path: Path):
    model = save_model(tmp_path / "model", WORDS)
    found = embeddings_of(tmp_path / "model")
    assert found.words == WORDS
    for word, vector in zip(found.words, found.vectors, strict=True):
        number = 3 + WORDS.index(word)  # after the specials
        assert np.array_equal(vector, model.source_embedding.weight[number].detach().numpy())


def test_cbow_vectors_are_read_as_written(tmp_path: Path):
    vectors = np.arange(6.0).reshape(3, 2)
    save_vectors(tmp_path / "cbow", WORDS, vectors)
    found = read_cbow(tmp_path / "cbow")
    assert found.words == WORDS
    assert np.array_equal(found.vectors, vectors)


def test_an_unfinished_run_is_named(tmp_path: Path):
    with pytest.raises(UserError, match=r"model\.safetensors: no such file: run `contextnmt train"):
        embeddings_of(tmp_path)
    with pytest.raises(
        UserError, match=r"vectors\.safetensors: no such file: run `contextnmt cbow"
    ):
        read_cbow(tmp_path)


def test_wrong_files_are_named(tmp_path: Path):
    save_vectors(tmp_path, WORDS, np.ones((2, 4)))
    with pytest.raises(UserError, match=r"vectors of 2 words.* 3 words: they are not of one run"):
        read_cbow(tmp_path)
    save_vectors(tmp_path, WORDS, np.array([[1.0], [np.nan], [0.0]]))
    with pytest.raises(UserError, match="not finite"):
        read_cbow(tmp_path)
    save_file({"other": np.ones((3, 2))}, tmp_path / "vectors.safetensors")
    with pytest.raises(UserError, match=r"vectors\.safetensors: no vectors in it"):
        read_cbow(tmp_path)
    (tmp_path / "vectors.safetensors").write_bytes(b"damaged")
    with pytest.raises(UserError, match=r"vectors\.safetensors: no vectors in it"):
        read_cbow(tmp_path)
