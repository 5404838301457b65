"""Greedy BLEU on the dev texts, the measure by which training stops (A22), and their loss."""

import hashlib
import json
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sacrebleu.metrics.bleu import BLEU
from torch import Tensor

from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.errors import UserError
from contextnmt.files import count_lines, read_pairs
from contextnmt.model.translator import Translator
from contextnmt.progress import say
from contextnmt.text.parts import LONGEST, cut
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.vocabulary import EOS, PAD, Vocabulary
from contextnmt.training.dataset import Side

#: Sentences translated at a time; they are sorted by length, so a batch holds little padding.
BATCH = 100

#: Sentences whose loss is computed at a time. Each word has logits of the whole vocabulary.
SCORED = 50

#: A gate is open above the first, closed below the second.
OPEN, CLOSED = 0.95, 0.05

#: The most pairs of dev texts, which are held in memory; the papers have 3,000 to 6,000.
MOST_PAIRS = 100_000

#: Numbers of sentences: [batch].
Rows = npt.NDArray[np.int64]


class Restored(NamedTuple):
    """The dev texts as a user has them translated, whose BLEU is that of words (A22)."""

    source: list[str]
    """Sentences in the view, their symbols made from the source alone."""
    reference: list[str]
    """Reference translations, tokenized words."""
    surfaces: list[dict[str, str]]
    """Symbol -> target surface, for each sentence."""
    restore: Callable[[Iterable[str], Mapping[str, str]], list[str]]
    """From a translation without subwords, and the surfaces of its sentence, to words."""


class Validation:
    """The dev texts of a training in one view, one after another, held ready in memory.

    Loss and gates are those of the view, whose two sides fit. BLEU compares hypothesis and
    reference as the view writes them, subwords joined: symbols count as words. Given `Restored`
    texts, it compares words. `text` says which texts they are: the number of ``pairs``, and the
    ``sha256`` of each side, uncompressed, each line ended by LF; under ``restored`` those of its
    parts, the surfaces of a sentence as JSON. A sentence of more than `LONGEST` symbols is
    translated in parts, as in a user's own text; loss and gates are those of its beginning.
    """

    def __init__(
        self,
        source: Sequence[Path],
        target: Sequence[Path],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        restored: Restored | None = None,
        minimum_length: float = MINIMUM_LENGTH,
    ) -> None:
        """Read the two sides of each dev text; `minimum_length` is as for `Translator.greedy`.

        Raises UserError if a text has one side only or sides of different length, if no pair has
        words on both sides, if there are more than `MOST_PAIRS`, or if `restored` has another
        number of sentences.
        """
        left, right = map(list, zip(*read_dev(source, target), strict=True))
        self.text: dict[str, Any] = {"pairs": len(left), **digests(source=left, target=right)}
        warn_of_long(source, left)
        both = [[line.split()[:LONGEST] for line in side] for side in (left, right)]
        self.source = Side.of_sentences(both[0], source_vocabulary)
        self.target = Side.of_sentences(both[1], target_vocabulary)
        self.vocabulary, self.restored = target_vocabulary, restored
        self.minimum_length = minimum_length
        translated = left
        self.references = [" ".join(undo_bpe(line.split())) for line in right]
        if restored is not None:
            if len(restored.source) != len(left):
                raise UserError(
                    f"{len(restored.source)} sentences in --dev-text, {len(left)} in --dev-source: "
                    "give the same sentences"
                )
            translated = restored.source
            self.references = restored.reference
            self.text["restored"] = digests(
                source=restored.source,
                reference=restored.reference,
                surfaces=[json.dumps(each, sort_keys=True) for each in restored.surfaces],
            )
        parts = [list(cut(line.split())) or [[]] for line in translated]
        #: What is translated, and the sentence that each is a part of.
        self.translated = Side.of_sentences([*chain.from_iterable(parts)], source_vocabulary)
        self.sentences = [row for row, each in enumerate(parts) for _ in each]

    def rehearse(self, model: Translator, between: Callable[[], None] = lambda: None) -> None:
        """Take the largest batches, so that a lack of memory shows before hours of training.

        `between` is as for `bleu`.
        """
        largest = rows_of_batches(self.translated, BATCH)[-1:]
        for _ in self._translations(model, largest, between):
            pass
        lengths = self.target.lengths
        scored = rows_of_batches(self.source, SCORED)
        self._loss(model, [max(scored, key=lambda rows: len(rows) * lengths[rows].max())], between)

    def _batches(
        self,
        model: Translator,
        side: Side,
        batches: Iterable[Rows],
        between: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[Rows, Tensor]]:
        """Yield rows and ids of batches of sentences of `side`, with the dropout of `model` off."""
        model.eval()
        for rows in batches:
            between()
            yield rows, torch.from_numpy(side.padded(rows)).to(model.device)
        model.train()

    def _translations(
        self, model: Translator, batches: Iterable[Rows], between: Callable[[], None]
    ) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of each part and the tokens of its greedy translation."""
        for rows, source in self._batches(model, self.translated, batches, between):
            written = model.greedy(source, EOS, self.minimum_length).cpu().numpy()
            for row, ids in zip(rows, written, strict=True):
                end = np.flatnonzero(ids == EOS)
                yield int(row), self.vocabulary.decode(ids[: end[0]] if len(end) else ids)

    def bleu(self, model: Translator, between: Callable[[], None] = lambda: None) -> float:
        """Tokenized BLEU (that of multi-bleu.perl) of the `hypotheses`, 0 to 100.

        `between` is called before each batch of sentences; it may raise.
        """
        metric = BLEU(tokenize="none", smooth_method="none", force=True)
        return float(metric.corpus_score(self.hypotheses(model, between), [self.references]).score)

    def hypotheses(self, model: Translator, between: Callable[[], None]) -> list[str]:
        """The greedy translations of the sentences, to be held against `references`."""
        parts: list[list[str]] = [[]] * len(self.sentences)
        batches = rows_of_batches(self.translated, BATCH)
        for part, tokens in self._translations(model, batches, between):
            parts[part] = tokens
        sentences: list[list[str]] = [[] for _ in self.references]
        for row, tokens in zip(self.sentences, parts, strict=True):
            sentences[row] += tokens
        hypotheses = []
        for row, tokens in enumerate(sentences):
            words = undo_bpe(tokens)
            if self.restored is not None:
                words = self.restored.restore(words, self.restored.surfaces[row])
            hypotheses.append(" ".join(words))
        return hypotheses

    def loss(self, model: Translator, between: Callable[[], None] = lambda: None) -> float:
        """Negative log-likelihood of a target symbol, end-of-sentence counted: the mean, in nats.

        `between` is as for `bleu`.
        """
        return self._loss(model, rows_of_batches(self.source, SCORED), between)

    @torch.inference_mode()
    def _loss(
        self, model: Translator, batches: Iterable[Rows], between: Callable[[], None]
    ) -> float:
        """The `loss` of batches of the sentences."""
        total, symbols = 0.0, 0
        for rows, source in self._batches(model, self.source, batches, between):
            target = torch.from_numpy(self.target.padded(rows))
            total += float(model(source, target.to(source.device)).sum())
            symbols += int((target != PAD).sum())
        return total / symbols

    @torch.inference_mode()
    def gates(self, model: Translator) -> dict[str, float]:
        """Return statistics of the contextualizer's gates over the dev sentences; none without it.

        Of each side, `source_gate` and `target_gate`: the ``mean``, the shares of values that are
        ``open`` and ``closed``, and the ``deviation``, the standard deviation of a dimension over
        the sentences, averaged over the dimensions.
        """
        if model.contextualizer is None:
            return {}
        batches = rows_of_batches(self.source, BATCH)
        sources = (source for _, source in self._batches(model, self.source, batches))
        found = [gates for source in sources if (gates := model.gates(source))]
        statistics = {}
        for side, values in zip(("source", "target"), zip(*found, strict=True), strict=True):
            gate = torch.cat(values).double().cpu()  # [sentences, m]
            for name, value in {
                "mean": gate.mean(),
                "open": (gate > OPEN).double().mean(),
                "closed": (gate < CLOSED).double().mean(),
                "deviation": gate.std(0, correction=0).mean(),
            }.items():
                statistics[f"{side}_gate_{name}"] = round(float(value), 6)
        return statistics


def rows_of_batches(side: Side, size: int) -> list[Rows]:
    """The sentences of a side, numbered from 0, `size` at a time, shortest first."""
    order = np.argsort(side.lengths, kind="stable")
    return [order[start : start + size] for start in range(0, len(order), size)]


def warn_of_long(source: Sequence[Path], lines: Sequence[str]) -> None:
    """Tell on stderr of the first of the `lines` of some dev texts that is translated in parts."""
    long = [row for row, line in enumerate(lines) if len(line.split()) > LONGEST]
    if not long:
        return
    ends = [*accumulate(map(count_lines, source))]
    text = bisect(ends, long[0])
    line = long[0] - (ends[text - 1] if text else 0) + 1
    say(
        f"warning: {source[text]}, line {line}: longer than {LONGEST} tokens, as are "
        f"{len(long)} of {len(lines)} lines of the dev texts; validations translate such lines in "
        "parts, and count the loss of their beginning: put each sentence on a line of its own"
    )


def digests(**texts: Sequence[str]) -> dict[str, dict[str, str]]:
    """The ``sha256`` of each of `texts`, whose lines are given without their LF."""
    joined = {name: "".join(f"{line}\n" for line in lines) for name, lines in texts.items()}
    return {
        name: {"sha256": hashlib.sha256(text.encode()).hexdigest()} for name, text in joined.items()
    }


def read_dev(source: Sequence[Path], target: Sequence[Path]) -> list[tuple[str, str]]:
    """The pairs of all dev texts. Raises UserError as `Validation` does."""
    if len(source) != len(target):
        raise UserError(
            f"{len(source)} --dev-source and {len(target)} --dev-target: "
            "give the two sides of every dev text"
        )
    names = ", ".join(map(str, [*source, *target]))
    each = chain.from_iterable(map(read_pairs, source, target))
    pairs = list(islice(each, MOST_PAIRS + 1))
    if len(pairs) > MOST_PAIRS:
        raise UserError(
            f"{names}: more than {MOST_PAIRS} sentence pairs, which each validation would have to "
            "translate: give a shorter dev text"
        )
    if not any(left.split() and right.split() for left, right in pairs):
        raise UserError(
            f"{names}: the dev text has {len(pairs)} sentence pairs, none of them with words on "
            "both sides: give one that has"
        )
    return pairs
