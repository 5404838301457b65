"""Greedy BLEU on the dev texts, the measure by which training stops (A22), and their loss."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sacrebleu.metrics.bleu import BLEU
from torch import Tensor

from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.errors import UserError
from contextnmt.files import read_pairs
from contextnmt.model.translator import Translator
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
    parts, the surfaces of a sentence as JSON.
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
        self.source = Side.of_sentences([line.split() for line in left], source_vocabulary)
        self.target = Side.of_sentences([line.split() for line in right], target_vocabulary)
        self.vocabulary, self.restored = target_vocabulary, restored
        self.minimum_length = minimum_length
        self.translated = self.source
        self.references = [" ".join(undo_bpe(line.split())) for line in right]
        if restored is not None:
            if len(restored.source) != len(left):
                raise UserError(
                    f"{len(restored.source)} sentences in --dev-text, {len(left)} in --dev-source: "
                    "give the same sentences"
                )
            sentences = [line.split() for line in restored.source]
            self.translated = Side.of_sentences(sentences, source_vocabulary)
            self.references = restored.reference
            self.text["restored"] = digests(
                source=restored.source,
                reference=restored.reference,
                surfaces=[json.dumps(each, sort_keys=True) for each in restored.surfaces],
            )

    def _batches(
        self, model: Translator, side: Side, size: int, between: Callable[[], None] = lambda: None
    ) -> Iterator[tuple[npt.NDArray[np.int64], Tensor]]:
        """Yield rows and ids of `size` sentences of `side` at a time, shortest first, with the
        dropout of `model` off."""
        model.eval()
        order = np.argsort(side.lengths, kind="stable")
        for start in range(0, len(order), size):
            between()
            rows = order[start : start + size]
            yield rows, torch.from_numpy(side.padded(rows)).to(model.device)
        model.train()

    def bleu(self, model: Translator, between: Callable[[], None] = lambda: None) -> float:
        """Tokenized BLEU (that of multi-bleu.perl) of the greedy translations, 0 to 100.

        `between` is called before each batch of sentences; it may raise.
        """
        hypotheses = [""] * len(self.references)
        for rows, source in self._batches(model, self.translated, BATCH, between):
            written = model.greedy(source, EOS, self.minimum_length).cpu().numpy()
            for row, ids in zip(rows, written, strict=True):
                end = np.flatnonzero(ids == EOS)
                words = undo_bpe(self.vocabulary.decode(ids[: end[0]] if len(end) else ids))
                if self.restored is not None:
                    words = self.restored.restore(words, self.restored.surfaces[row])
                hypotheses[row] = " ".join(words)
        metric = BLEU(tokenize="none", smooth_method="none", force=True)
        return float(metric.corpus_score(hypotheses, [self.references]).score)

    @torch.inference_mode()
    def loss(self, model: Translator, between: Callable[[], None] = lambda: None) -> float:
        """Negative log-likelihood of a target symbol, end-of-sentence counted: the mean, in nats.

        `between` is as for `bleu`.
        """
        total, symbols = 0.0, 0
        for rows, source in self._batches(model, self.source, SCORED, between):
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
        sources = (source for _, source in self._batches(model, self.source, BATCH))
        batches = [gates for source in sources if (gates := model.gates(source))]
        statistics = {}
        for side, values in zip(("source", "target"), zip(*batches, strict=True), strict=True):
            gate = torch.cat(values).double().cpu()  # [sentences, m]
            for name, value in {
                "mean": gate.mean(),
                "open": (gate > OPEN).double().mean(),
                "closed": (gate < CLOSED).double().mean(),
                "deviation": gate.std(0, correction=0).mean(),
            }.items():
                statistics[f"{side}_gate_{name}"] = round(float(value), 6)
        return statistics


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
