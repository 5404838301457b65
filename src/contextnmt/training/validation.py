"""Greedy BLEU on the development set, the measure by which training stops (A22)."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from sacrebleu.metrics.bleu import BLEU

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.model.translator import Translator
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.vocabulary import EOS, Vocabulary
from contextnmt.training.dataset import Side

#: Sentences translated at a time; they are sorted by length, so a batch holds little padding.
BATCH = 100


class Validation:
    """The development set of one view, held ready.

    Hypothesis and reference are compared as the view writes them, subwords joined: symbols count
    as words. So the stop depends on no later stage, and an edit of the restoration never re-trains.
    """

    def __init__(self, folder: Path) -> None:
        """Read ``dev.*`` and the target vocabulary of a binarize folder.

        Raises UserError if the development set is empty.
        """
        self.source = Side.open(folder, "dev", "source")
        self.vocabulary = Vocabulary.read(folder / "vocabulary.target.tsv")
        self.references = [
            " ".join(undo_bpe(line.split(" "))) for line in read_lines(folder / "dev.reference.gz")
        ]
        if not self.references or len(self.references) != len(self.source):
            raise UserError(
                f"{folder}: the development set has {len(self.source)} source sentences and "
                f"{len(self.references)} references: give a development set, both sides alike"
            )
        self.order = np.argsort(self.source.lengths, kind="stable")

    def bleu(
        self,
        model: Translator,
        device: torch.device,
        between: Callable[[], None] = lambda: None,
    ) -> float:
        """Tokenized BLEU (that of multi-bleu.perl) of the greedy translations, 0 to 100.

        `between` is called before each batch of sentences; it may raise.
        """
        hypotheses = [""] * len(self.order)
        model.eval()
        for start in range(0, len(self.order), BATCH):
            between()
            rows = self.order[start : start + BATCH]
            source = torch.from_numpy(self.source.padded(rows)).to(device)
            written = model.greedy(source, EOS).cpu().numpy()
            for row, ids in zip(rows, written, strict=True):
                end = np.flatnonzero(ids == EOS)
                words = self.vocabulary.decode(ids[: end[0]] if len(end) else ids)
                hypotheses[row] = " ".join(undo_bpe(words))
        model.train()
        metric = BLEU(tokenize="none", smooth_method="none", force=True)
        return float(metric.corpus_score(hypotheses, [self.references]).score)
