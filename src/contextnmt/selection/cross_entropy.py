"""How much more a pair is like the in-domain text than like the pool: Axelrod et al. 2011.

Stage *sample* draws pairs that tell what the pool's text is like in general, *language-models*
makes the models of one language that are compared, and *cross-entropy* scores pairs by them.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import log2
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.arrays import save_array
from contextnmt.errors import UserError, one_of_each
from contextnmt.files import read_lines, read_pairs, write_pairs
from contextnmt.progress import progress
from contextnmt.selection.language_model import LanguageModel, Vocabulary, estimate
from contextnmt.selection.select import SCORED

#: Random numbers made at a time.
NUMBERS = 1 << 16

#: Pairs scored at a time: about 100,000 words per side, where the models are fastest.
BLOCK = 4096

BITS = log2(10)  # in a log10 of one


def random_numbers(seed: int) -> Iterator[int]:
    """64-bit numbers without end, the same ones with every version of numpy."""
    generator = np.random.PCG64(seed)
    while True:
        yield from generator.random_raw(NUMBERS).tolist()


def draw(pairs: Iterable[tuple[str, str]], words: int, seed: int) -> list[tuple[str, str]]:
    """Random pairs with `words` words on the target side or just above, in their order.

    Without replacement, and none with an empty side. Every pair gets a random number, and those
    with the smallest ones are drawn. All pairs, if they have fewer words. Memory holds the sample.
    """
    # Negative number and position: the largest number, of equals the last pair, is taken out first.
    drawn: list[tuple[int, int, int, tuple[str, str]]] = []
    total = 0
    for position, (number, pair) in enumerate(zip(random_numbers(seed), pairs, strict=False)):
        if total >= words and number >= -drawn[0][0]:
            continue
        source_words, target_words = (len(side.split()) for side in pair)
        if not source_words or not target_words:
            continue
        heapq.heappush(drawn, (-number, -position, target_words, pair))
        total += target_words
        while total - drawn[0][2] >= words:
            total -= heapq.heappop(drawn)[2]
    drawn.sort(key=lambda entry: -entry[1])
    return [pair for *_, pair in drawn]


def sample(
    source: Annotated[list[Path], typer.Option(help="Source side of the pool; repeatable.")],
    target: Annotated[list[Path], typer.Option(help="Its target side; as often as --source.")],
    in_domain: Annotated[list[Path], typer.Option(help="In-domain text, target side; repeatable.")],
    source_out: Annotated[Path, typer.Option(help="Source side of the sample to write.")],
    target_out: Annotated[Path, typer.Option(help="Target side of the sample to write.")],
    seed: Annotated[int, typer.Option(help="Another seed draws another sample.", min=0)],
) -> None:
    """Draw pairs from the pool at random, with as many target words as the in-domain text has.

    No pair is drawn twice. The sample depends on the order of the pairs in the pool, not on how
    they are spread over files.

    Example: contextnmt sample --source news.en.gz --target news.fr.gz --in-domain
    newstest2013.fr.gz --source-out sample.en.gz --target-out sample.fr.gz --seed 1
    """
    one_of_each("part", source=source, target=target)
    pairs = chain.from_iterable(map(read_pairs, source, target))
    words = sum(len(line.split()) for line in chain.from_iterable(map(read_lines, in_domain)))
    if not words:
        names = ", ".join(map(str, in_domain))
        raise UserError(f"{names}: no words: name texts of the domain to select for")
    write_pairs(source_out, target_out, draw(progress(pairs, "sample", "pairs"), words, seed))


class DomainModels(NamedTuple):
    """A model of the in-domain text, one of text in general, and the vocabulary of both."""

    vocabulary: Vocabulary
    in_domain: LanguageModel
    general: LanguageModel

    @classmethod
    def estimate(cls, in_domain: Sequence[str], general: Sequence[str]) -> "DomainModels":
        """4-gram models of two tokenized texts, of the words frequent in the first one.

        The settings of Axelrod et al. 2011. Takes some 120 bytes of memory a word of a text.
        """
        counts = Counter(chain.from_iterable(map(str.split, in_domain)))
        vocabulary = Vocabulary.frequent(counts)
        texts = map(vocabulary.encode, (in_domain, general))
        return cls(vocabulary, *(estimate(text, len(vocabulary)) for text in texts))

    def cross_entropy_difference(
        self, lines: Sequence[str]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """H_I - H_O of each sentence in bits per word, and its words: [sentences] each.

        A sentence's end is predicted, but no word (as in XenC); unknown words are words like any
        other. An empty sentence has an infinite difference.
        """
        sentences = self.vocabulary.encode(lines)
        words = np.diff(sentences.offsets)
        in_domain = self.in_domain.log10_probabilities(sentences)
        general = self.general.log10_probabilities(sentences)
        bits = (general - in_domain) * BITS  # H is -log2 p: so the general model comes first
        return np.divide(bits, words, out=np.full(len(words), np.inf), where=words > 0), words

    def save(self, prefix: str) -> None:
        """Write PREFIX.vocabulary.txt, PREFIX.in-domain.npz and PREFIX.general.npz."""
        vocabulary, in_domain, general = paths(prefix)
        self.vocabulary.write(vocabulary)
        self.in_domain.save(in_domain)
        self.general.save(general)

    @classmethod
    def load(cls, prefix: str) -> "DomainModels":
        """The models that `save` wrote. Raises UserError if one is missing or of other words."""
        vocabulary_path, *model_paths = paths(prefix)
        vocabulary = Vocabulary.read(vocabulary_path)
        models = [LanguageModel.load(path) for path in model_paths]
        for path, model in zip(model_paths, models, strict=True):
            if len(model.probabilities[0]) != len(vocabulary):
                raise UserError(
                    f"{path}: its vocabulary is not {vocabulary_path}: estimate the models again"
                )
        return cls(vocabulary, *models)


def paths(prefix: str) -> list[Path]:
    """The files of the vocabulary, the in-domain model and the general model."""
    return [Path(f"{prefix}.{name}") for name in ("vocabulary.txt", "in-domain.npz", "general.npz")]


def language_models(
    in_domain: Annotated[list[Path], typer.Option(help="Tokenized in-domain text; repeatable.")],
    general: Annotated[Path, typer.Option(help="Tokenized sample of the pool, same language.")],
    out: Annotated[
        str, typer.Option(help="Prefix of the files .vocabulary.txt, .in-domain.npz, .general.npz.")
    ],
) -> None:
    """Estimate a language model of the in-domain text and one of text in general.

    Both are 4-gram models with interpolated modified Kneser-Ney smoothing. They know the words
    that the in-domain text has at least twice.

    Example: contextnmt language-models --in-domain newstest2012.fr.gz --in-domain
    newstest2013.fr.gz --general sample.fr.gz --out models.fr
    """
    in_domain_lines = list(chain.from_iterable(map(read_lines, in_domain)))
    if not any(line.split() for line in in_domain_lines):
        names = ", ".join(map(str, in_domain))
        raise UserError(f"{names}: no words: name texts of the domain to select for")
    DomainModels.estimate(in_domain_lines, list(read_lines(general))).save(out)


def score_pairs(
    pairs: Iterable[tuple[str, str]], source_models: DomainModels, target_models: DomainModels
) -> Iterator[npt.NDArray[np.void]]:
    """The scores of a stream of pairs, block by block: [pairs of a block] of `SCORED` each.

    Axelrod et al. 2011: [H_I(s) - H_O(s)] + [H_I(t) - H_O(t)], lower is better. Infinite if a side
    is empty. A pair's score does not depend on the pairs around it.
    """
    pairs = iter(pairs)
    while block := list(islice(pairs, BLOCK)):
        sources, targets = zip(*block, strict=True)
        scored = np.empty(len(block), SCORED)
        target_difference, scored["target_words"] = target_models.cross_entropy_difference(targets)
        scored["score"] = source_models.cross_entropy_difference(sources)[0] + target_difference
        yield scored


def cross_entropy(
    source: Annotated[Path, typer.Option(help="Tokenized source side of a text of the pool.")],
    target: Annotated[Path, typer.Option(help="Its target side.")],
    source_models: Annotated[str, typer.Option(help="Prefix of the source language's models.")],
    target_models: Annotated[str, typer.Option(help="Prefix of the target language's models.")],
    out: Annotated[Path, typer.Option(help="Scores to write, PART.scores.npy, for rank.")],
) -> None:
    """Score pairs by the bilingual cross-entropy difference of Axelrod et al. 2011.

    The lower a score, the more the pair is like the in-domain text; in bits per word.

    Example: contextnmt cross-entropy --source news.en.gz --target news.fr.gz --source-models
    models.en --target-models models.fr --out news.scores.npy
    """
    models = DomainModels.load(source_models), DomainModels.load(target_models)
    pairs = progress(read_pairs(source, target), f"score {source.name}", "pairs")
    scored = np.concatenate([np.empty(0, SCORED), *score_pairs(pairs, *models)])
    save_array(out, scored)
