"""Words with their vectors: the source embeddings of a trained model, and the files of `cbow`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from contextnmt.errors import UserError
from contextnmt.files import atomic
from contextnmt.text.vocabulary import SPECIALS, Vocabulary

#: Rows of numbers.
Vectors = NDArray[numpy.float64]

#: The names of the files of both kinds of vectors, and of the tensors in them.
MODEL, EMBEDDING = "model.safetensors", "source_embedding.weight"
CBOW, VECTORS = "vectors.safetensors", "vectors"
VOCABULARY = "vocabulary.source.tsv"


@dataclass(frozen=True)
class WordVectors:
    """`vectors` [words, size] (float64), a row for each of `words`, in the same order."""

    words: list[str]
    vectors: Vectors


def embeddings_of(model: Path) -> WordVectors:
    """The source embeddings of the model in a folder that `contextnmt train` wrote.

    Without the specials, which are no words. Raises UserError if a file is missing or damaged.
    """
    return read_vectors(model, MODEL, EMBEDDING, len(SPECIALS), "contextnmt train")


def read_cbow(folder: Path) -> WordVectors:
    """The vectors in a folder that `contextnmt cbow` wrote; raises UserError likewise."""
    return read_vectors(folder, CBOW, VECTORS, 0, "contextnmt cbow")


def read_vectors(folder: Path, name: str, tensor: str, specials: int, maker: str) -> WordVectors:
    """The rows of a tensor from number `specials` on, with the words of the folder's vocabulary."""
    path = folder / name
    if not path.is_file():
        raise UserError(f"{path}: no such file: run `{maker}` until it has finished")
    words = Vocabulary.read(folder / VOCABULARY).words
    try:
        with safe_open(path, framework="numpy") as tensors:
            vectors = tensors.get_tensor(tensor)[specials:].astype(numpy.float64)
    except SafetensorError as error:
        raise UserError(f"{path}: no vectors in it ({error}): run `{maker}` again") from None
    if len(vectors) != len(words):
        raise UserError(
            f"{path} has vectors of {len(vectors)} words, and {VOCABULARY} beside it has "
            f"{len(words)} words: they are not of one run; run `{maker}` again"
        )
    if not numpy.isfinite(vectors).all():
        raise UserError(f"{path}: vectors that are not finite: the training has diverged")
    return WordVectors(words, vectors)


def write_cbow(folder: Path, found: WordVectors, counts: Mapping[str, int]) -> None:
    """Write what `read_cbow` reads (float32); `counts` go into the vocabulary."""
    with atomic(folder / CBOW, "wb") as stream:
        stream.write(save({VECTORS: found.vectors.astype(numpy.float32)}))
    Vocabulary(found.words).write(folder / VOCABULARY, counts)
