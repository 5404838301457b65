"""Stage *perplexity*: what the selection gains over chance, at several cut-offs."""

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import read_lines, write_json
from contextnmt.progress import progress
from contextnmt.selection.language_model import (
    Integers,
    LanguageModel,
    Sentences,
    Vocabulary,
    estimate,
)
from contextnmt.selection.rank import column, cut, ranked
from contextnmt.selection.select import read_ranking, read_scores

#: Amounts of text at which selection and chance are compared, each twice the one before.
CUT_OFFS = 6


def chosen(sentences: Sentences, choice: npt.NDArray[np.bool_]) -> Sentences:
    """The sentences at which `choice` is true: [sentences]."""
    lengths = np.diff(sentences.offsets)
    offsets = np.concatenate([[0], np.cumsum(lengths[choice])])
    return Sentences(sentences.ids[np.repeat(choice, lengths)], offsets)


def perplexity_of(model: LanguageModel, sentences: Sentences) -> float:
    """Perplexity per word, unknown words and the ends of sentences included."""
    log10 = float(model.log10_probabilities(sentences).sum())
    return float(10 ** (-log10 / (len(sentences.ids) + len(sentences.offsets) - 1)))


def lines_at(positions: Integers, texts: Sequence[Path], sizes: Sequence[int]) -> Iterator[str]:
    """The lines of the pool at `positions`, in the order of the pool.

    `sizes`: pairs of each part. Takes 1 byte per pair of the pool and of the largest part
    meanwhile. Raises UserError if a text has more lines or fewer.
    """
    choice = np.zeros(sum(sizes), np.bool_)
    choice[positions] = True
    for text, chosen_here in zip(texts, np.split(choice, np.cumsum(sizes)[:-1]), strict=True):
        verdicts = chosen_here.tobytes()
        for line, verdict in zip_longest(read_lines(text), verdicts):
            if line is None or verdict is None:
                raise UserError(
                    f"{text}: has another number of lines than its {len(verdicts)} scores: score "
                    "the text again"
                )
            if verdict:
                yield line


def perplexity(
    text: Annotated[list[Path], typer.Option(help="One side of a part of the pool; repeatable.")],
    scores: Annotated[list[Path], typer.Option(help="Its scores; as often as --text.")],
    ranking: Annotated[Path, typer.Option(help="Ranking of the pool.")],
    vocabulary: Annotated[Path, typer.Option(help="Words that the models know.")],
    dev: Annotated[list[Path], typer.Option(help="Dev text in that language, for the perplexity.")],
    most_words: Annotated[
        int, typer.Option(help="Maximum number of target words to train a model on.", min=1)
    ],
    seed: Annotated[int, typer.Option(help="Another seed draws other random pairs.", min=0)],
    out: Annotated[Path, typer.Option(help="JSON to write.")],
) -> None:
    """Compare language models of selected pairs with models of as much text drawn at random.

    There are up to six sizes: the largest has as many target words as the ranking keeps, or
    --most-words if that is less; each other has half the words of the next larger one. At each
    size, one 4-gram model is estimated from the pairs with the lowest scores and one from random
    pairs, and both get a perplexity on the dev text. A word of the largest text takes some
    130 bytes of memory, a pair of the pool 50.

    Example: contextnmt perplexity --text news.fr.gz --scores news.scores.npy --ranking ranking.json
    --vocabulary models.fr.vocabulary.txt --dev newstest2014.fr.gz --most-words 33554432
    --seed 1 --out perplexity.json
    """
    one_of_each("part", text=text, scores=scores)
    tables = list(map(read_scores, scores))
    sizes = list(map(len, tables))
    values, words = column(tables, "score"), column(tables, "target_words")
    kept = read_ranking(ranking)
    if kept.pairs != len(values):
        raise UserError(f"{ranking}: made from another pool than --scores: rank the pool again")
    known = Vocabulary.read(vocabulary)
    dev_sentences = known.encode(chain.from_iterable(map(read_lines, dev)))
    if not len(dev_sentences.ids):
        raise UserError(f"{', '.join(map(str, dev))}: no words: name a text to try the models on")
    most = min(kept.target_words, most_words)
    limits = [limit for step in reversed(range(CUT_OFFS)) if (limit := most >> step)]
    cut_offs: list[dict[str, Any]] = [{"target_words": limit} for limit in limits]
    for name in ("selected", "random"):
        keys = values
        if name == "random":
            numbers = np.random.PCG64(seed).random_raw(len(values)) / 2.0**64
            keys = np.where(np.isfinite(values), numbers, np.inf)
        order = ranked(keys)
        counts = [cut(words[order], limit, "target words") for limit in limits]
        first = order[: max(counts)]
        lines = progress(lines_at(first, text, sizes), "encode", "lines", len(first))
        sentences, ranks = known.encode(lines), np.argsort(first)
        for cut_off, count in zip(cut_offs, counts, strict=True):
            model = estimate(chosen(sentences, ranks < count), len(known))
            cut_off[name] = {"pairs": count, "perplexity": perplexity_of(model, dev_sentences)}
    words_of = {"dev_words": len(dev_sentences.ids), "kept_words": kept.target_words}
    write_json(out, {**words_of, "cut_offs": cut_offs})
