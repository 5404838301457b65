"""The stage `cbow`: vectors of words by the continuous bag of words of Mikolov et al. 2013."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import numpy
import typer

from contextnmt.errors import UserError
from contextnmt.evaluation.word_vectors import Vectors, WordVectors, write_cbow
from contextnmt.files import read_lines
from contextnmt.progress import progress
from contextnmt.text.counts import count_words
from contextnmt.text.pieces import tokens_of
from contextnmt.text.vocabulary import Vocabulary

#: The recipe: word2vec's own defaults for CBOW. Words on each side; noise words for each word;
#: share of a text from which on a word is skipped now and then; passes over the text.
WINDOW, NOISE, SAMPLE, EPOCHS = 5, 5, 1e-3, 5


def cbow(
    text: Annotated[
        list[Path], typer.Option(help="source of the training text, tokenized; repeatable")
    ],
    vocabulary_size: Annotated[int, typer.Option(min=1, help="words, as those of the models")],
    out: Annotated[Path, typer.Option(help="folder to write the vectors to")],
    size: Annotated[int, typer.Option(min=1, help="numbers in a vector")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="of all that is random")] = 1,
) -> None:
    """Train CBOW vectors on the source of the training text, with negative sampling.

    The vocabulary is that of a model in the view `word`. One thread, so that the same text gives
    the same vectors on the same machine: half a million words a second or so.

    Example: contextnmt cbow --text select/en-fr/train.en.gz --vocabulary-size 30000
    --out cbow/en-fr
    """
    counts: Counter[str] = Counter()
    for path in text:
        counts.update(count_words(path))
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

    model = Word2Vec(
        vector_size=size,
        window=WINDOW,
        sg=0,
        negative=NOISE,
        sample=SAMPLE,
        min_count=1,
        workers=1,
        seed=seed,
    )
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
