"""Vectors of words: those of the stage `cbow`, of trained models, and published ones.

The stage trains the continuous bag of words of Mikolov et al. 2013.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy
import typer
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from contextnmt.corpus.counts import count_words
from contextnmt.errors import UserError
from contextnmt.evaluation.distances import Vectors
from contextnmt.files import (
    DAMAGE,
    LONGEST_LINE,
    atomic,
    check_recorded,
    open_binary,
    read_lines,
)
from contextnmt.progress import progress
from contextnmt.text.pieces import tokens_of
from contextnmt.text.vocabulary import SPECIALS, Vocabulary

#: Command -> its file of vectors, the tensor in it, and how many rows there are before its words.
FILES = {
    "train": ("model.safetensors", "source_embedding.weight", len(SPECIALS)),
    "cbow": ("vectors.safetensors", "vectors", 0),
}
VOCABULARY = "vocabulary.source.tsv"

#: The recipe: word2vec's own defaults for CBOW. Words on each side; noise words for each word;
#: share of a text from which on a word is skipped now and then; passes over the text.
WINDOW, NOISE, SAMPLE, EPOCHS = 5, 5, 1e-3, 5


@dataclass(frozen=True)
class WordVectors:
    """`vectors` [words, size], a row for each of `words`, in the same order."""

    words: list[str]
    vectors: Vectors


def cbow(
    text: Annotated[list[Path], typer.Option(help="source of the training text; repeatable")],
    vocabulary_size: Annotated[int, typer.Option(min=1, help="words, as those of the models")],
    out: Annotated[Path, typer.Option(help="folder to write the vectors to")],
    size: Annotated[int, typer.Option(min=1, help="numbers in a vector")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="random seed")] = 1,
) -> None:
    """Train CBOW vectors on the source of the training text, with negative sampling.

    The vocabulary is that of a model in the view `word`. Training runs in one thread, so that the
    same text gives the same vectors on the same machine, at about half a million words per second.

    Example: contextnmt cbow --text select/en-fr/train.en.gz --vocabulary-size 30000
    --out cbow/en-fr
    """
    counts = count_words(*text, words=tokens_of)
    words = Vocabulary.most_frequent(counts, vocabulary_size).words
    if not words:
        raise UserError(f"--text {text[0]}: no words in it: give the training text")
    write_cbow(out, WordVectors(words, train(text, counts, words, size, seed)), counts)


def train(
    text: list[Path], counts: Mapping[str, int], words: list[str], size: int, seed: int
) -> Vectors:
    """The vectors [words, size] of `words`, among all words of `text`, which `counts` has.

    Other words are passed over, as word2vec does with rare ones: those around them become
    neighbours.
    """
    from gensim.models import Word2Vec

    recipe = {"window": WINDOW, "sg": 0, "negative": NOISE, "sample": SAMPLE}
    model = Word2Vec(vector_size=size, min_count=1, workers=1, seed=seed, **recipe)
    model.build_vocab_from_freq({word: counts[word] for word in words})
    model.train(Sentences(text), total_words=sum(counts.values()), epochs=EPOCHS)
    return numpy.stack([model.wv[word] for word in words]).astype(numpy.float64)


class Sentences:
    """The tokens of each line of some texts, as often as they are asked for."""

    def __init__(self, text: list[Path]) -> None:
        self.text = text

    def __iter__(self) -> Iterator[list[str]]:
        for path in self.text:
            for line in progress(read_lines(path), f"cbow {path.name}", "lines"):
                yield tokens_of(line)


def write_cbow(folder: Path, found: WordVectors, counts: Mapping[str, int]) -> None:
    """Write what `read_vectors` reads (float32); `counts` go into the vocabulary."""
    name, tensor, _ = FILES["cbow"]
    with atomic(folder / name, "wb") as stream:
        stream.write(save({tensor: found.vectors.astype(numpy.float32)}))
    Vocabulary(found.words).write(folder / VOCABULARY, counts)


def read_vectors(folder: Path, command: str) -> WordVectors:
    """The vectors in a folder that a command of `FILES` wrote; of a model, its source embeddings.

    Raises UserError if a file is missing or damaged.
    """
    name, tensor, specials = FILES[command]
    maker = f"contextnmt {command}"
    path = folder / name
    if not path.is_file():
        raise UserError(f"{path}: no such file: run `{maker}` until it has finished")
    words = Vocabulary.read(folder / VOCABULARY).words
    record = folder / "model.json"
    if record.is_file():
        check_recorded(path, record, "weights_sha256")
    try:
        with safe_open(path, framework="numpy") as tensors:
            vectors = tensors.get_tensor(tensor)[specials:].astype(numpy.float64)
    except SafetensorError as error:
        raise UserError(f"{path}: no vectors in it ({error}): run `{maker}` again") from None
    if len(vectors) != len(words) or not numpy.isfinite(vectors).all():
        raise UserError(
            f"{path}: not a finite vector for each of the {len(words)} words of {VOCABULARY} "
            f"beside it: the training has diverged, or they are of two runs: run `{maker}` again"
        )
    return WordVectors(words, vectors)


def read_published(path: Path) -> WordVectors:
    """Read the vectors of word2vec (text or ``.bin``) or GloVe from a file.

    Raises UserError if it is missing, damaged or something else, or has a word with a blank in it.
    """
    from gensim.models import KeyedVectors

    binary = path.name.removesuffix(".gz").endswith(".bin")
    try:
        with open_binary(path) as stream:
            header = stream.readline(100).split()
            bare = not (len(header) == 2 and all(map(bytes.isdigit, header)))
            if not binary:
                stream.seek(0)
                rows = islice(iter(partial(stream.readline, LONGEST_LINE), b""), not bare, None)
                refuse_ragged(path, rows, None if bare else int(header[0]))
        found = KeyedVectors.load_word2vec_format(str(path), binary=binary, no_header=bare)
        if not (found.vectors.size and numpy.isfinite(found.vectors).all()):
            raise ValueError("a number is missing or not finite")
    except (
        *DAMAGE,
        ValueError,
        TypeError,
        IndexError,
        OverflowError,
        NotImplementedError,
    ) as error:
        raise UserError(
            f"{path}: no vectors of word2vec or GloVe ({error}): a line of text is a word and its "
            "numbers; a binary file is called .bin"
        ) from None
    return WordVectors(found.index_to_key, found.vectors)


def refuse_ragged(path: Path, rows: Iterable[bytes], count: int | None) -> None:
    """Raise UserError at a row with other numbers than the first, ValueError unless there are as
    many rows as the header says, if there is one."""
    first, number = 0, 0
    for number, row in enumerate(rows, 1):
        size = row.rstrip().count(b" ")
        first = first or size
        if not first:
            raise ValueError("no numbers in its first line")
        if size != first:
            raise UserError(
                f"{path}, vector {number}: {size} numbers where the first has {first}: leave out "
                "rows that are cut or whose word has a blank in it"
            )
    if number != (count or number):
        raise ValueError(f"{number} vectors, and {count} by its first line")
