"""Sentence pairs out of numbers, and their batches: what training.py and decoding.py run on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from contextnmt.text.vocabulary import EOS, PAD, SPECIALS

#: Ids of words, without the end of the sentence.
Sentence = npt.NDArray[np.int64]
Pair = tuple[Sentence, Sentence]


class Batch(NamedTuple):
    """Ids [sentences, time] of both sides, ended and then padded."""

    source: Tensor
    target: Tensor


def made_up(count: int, words: int) -> list[Pair]:
    """Pairs of 4 to 50 words a side, log-normal; words by Zipf's law.

    The lengths of source and target differ by a tenth, as a rule.
    """
    rng = np.random.default_rng(1)
    source = rng.lognormal(3.0, 0.55, count)
    target = source * rng.lognormal(0.0, 0.1, count)
    shares = 1 / np.arange(1, words + 1)
    shares /= shares.sum()
    sides = []
    for each in (source, target):
        lengths = np.clip(each, 4, 50).astype(int)
        ids = rng.choice(words, lengths.sum(), p=shares) + len(SPECIALS)
        sides.append(np.split(ids, lengths.cumsum()[:-1]))
    return list(zip(*sides, strict=True))


def batches(pairs: Sequence[Pair], size: int, device: torch.device) -> list[Batch]:
    """Batches of pairs whose longer sides are alike, in random order (A24); one may be smaller than
    `size`."""
    ordered = sorted(pairs, key=lambda pair: max(map(len, pair)))
    cut = [ordered[first : first + size] for first in range(0, len(ordered), size)]
    order = np.random.default_rng(1).permutation(len(cut))
    return [Batch(*(padded(side, device) for side in zip(*cut[i], strict=True))) for i in order]


def padded(sentences: Sequence[Sentence], device: torch.device) -> Tensor:
    """A side of a batch."""
    rows = [torch.from_numpy(np.append(ids, EOS)) for ids in sentences]
    padding = float(PAD)
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=padding).to(device)


def largest(some: Sequence[Batch]) -> Batch:
    """A batch as large as any of `some`, of ends of sentences alone."""
    shapes = [(*batch.source.shape, batch.target.size(1)) for batch in some]
    sentences, *times = map(max, zip(*shapes, strict=True))
    return Batch(*(torch.full((sentences, time), EOS) for time in times))


def target_words(some: Sequence[Batch]) -> int:
    """Target symbols, the ends of the sentences included."""
    return sum(int((batch.target != PAD).sum()) for batch in some)
