"""Stage *perplexity*: what the selection gains over chance, at several cut-offs."""

from collections.abc import Iterable, Sequence
from itertools import chain, compress, islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_json
from contextnmt.progress import progress
from contextnmt.selection.kneser_ney import estimate
from contextnmt.selection.language_model import LanguageModel
from contextnmt.selection.ngrams import Integers, Sentences
from contextnmt.selection.ranking import column, cut, ranked, read_scores
from contextnmt.selection.word_ids import Vocabulary

#: Lines made into ids at a time.
BLOCK = 4096


def encode(lines: Iterable[str], vocabulary: Vocabulary) -> Sentences:
    """The ids of a long text, in 4 bytes a word and 8 a sentence."""
    lines = iter(lines)
    ids, lengths = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
    while block := list(islice(lines, BLOCK)):
        sentences = vocabulary.encode(block)
        ids.append(sentences.ids)
        lengths.append(np.diff(sentences.offsets))
    return Sentences(np.concatenate(ids), np.cumsum(np.concatenate(lengths)))


def chosen(sentences: Sentences, choice: npt.NDArray[np.bool_]) -> Sentences:
    """The sentences that `choice` says, [sentences]."""
    lengths = np.diff(sentences.offsets)
    offsets = np.concatenate([[0], np.cumsum(lengths[choice])])
    return Sentences(sentences.ids[np.repeat(choice, lengths)], offsets)


def perplexity_of(model: LanguageModel, sentences: Sentences) -> float:
    """Perplexity a word, unknown words and the ends of sentences included."""
    log10 = float(model.log10_probabilities(sentences).sum())
    return float(10 ** (-log10 / (len(sentences.ids) + len(sentences.offsets) - 1)))


def random_order(scores: npt.NDArray[np.float64], seed: int) -> Integers:
    """The numbers of the pairs with a finite score, at random."""
    numbers = np.random.PCG64(seed).random_raw(len(scores)) / 2.0**64
    return ranked(np.where(np.isfinite(scores), numbers, np.inf))


def encode_first(
    order: Integers, count: int, texts: Sequence[Path], vocabulary: Vocabulary
) -> tuple[Sentences, Integers]:
    """The first `count` pairs of `order` in the order of the pool, and the rank of each.

    Takes 1 byte a pair of the pool meanwhile. Raises UserError if the texts have fewer lines.
    """
    first = order[:count]
    kept = np.zeros(int(first.max()) + 1, np.uint8)
    kept[first] = 1
    lines = compress(chain.from_iterable(map(read_lines, texts)), kept.tobytes())
    sentences = encode(progress(lines, "encode", "lines", count), vocabulary)
    if len(sentences.offsets) - 1 < count:
        raise UserError("--text has fewer lines than --scores has scores: score the text again")
    return sentences, np.argsort(first)


def perplexity(
    text: Annotated[
        list[Path], typer.Option(help="One language of a part of the pool; repeatable.")
    ],
    scores: Annotated[list[Path], typer.Option(help="Its scores; as often as --text.")],
    vocabulary: Annotated[Path, typer.Option(help="Words that the models know.")],
    dev: Annotated[list[Path], typer.Option(help="Text in that language to try them on.")],
    target_words: Annotated[
        list[int], typer.Option(help="Words on the target side to cut off at; repeatable.", min=1)
    ],
    seed: Annotated[int, typer.Option(help="Another seed draws other random pairs.", min=0)],
    out: Annotated[Path, typer.Option(help="JSON to write.")],
) -> None:
    """Compare language models of selected pairs with models of as much text drawn at random.

    For each cut-off, one 4-gram model is made of the pairs with the lowest scores and another one
    of random pairs, and their perplexities on the dev text are taken. Memory grows with the
    largest cut-off, by some 130 bytes a word.

    Example: contextnmt perplexity --text news.fr.gz --scores news.scores.npy --vocabulary
    models.fr.vocabulary.txt --dev newstest2014.fr.gz --target-words 1000000 --target-words 4000000
    --seed 1 --out perplexity.json
    """
    tables = list(map(read_scores, scores))
    values, words = column(tables, "score"), column(tables, "target_words")
    known = Vocabulary.read(vocabulary)
    dev_sentences = encode(chain.from_iterable(map(read_lines, dev)), known)
    cut_offs: list[dict[str, Any]] = [{"target_words": limit} for limit in sorted(target_words)]
    for name, order in (("selected", ranked(values)), ("random", random_order(values, seed))):
        limits = (cut_off["target_words"] for cut_off in cut_offs)
        counts = [cut(words[order], limit, "target words") for limit in limits]
        sentences, ranks = encode_first(order, max(counts), text, known)
        for cut_off, count in zip(cut_offs, counts, strict=True):
            model = estimate(chosen(sentences, ranks < count), len(known))
            cut_off[name] = {"pairs": count, "perplexity": perplexity_of(model, dev_sentences)}
    write_json(out, {"dev_words": len(dev_sentences.ids), "cut_offs": cut_offs})
