"""The counts of a sentence that corpus BLEU is made of, and BLEU of sums of such counts.

Corpus BLEU (Papineni et al. 2002) depends on a text only through sums over its sentences, so BLEU
of any resample or part of a text needs no text again. The counts are those of multi-bleu.perl: one
reference, no tokenization, no smoothing.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

#: Counts of sentences, or sums of them: [..., COUNTS].
Statistics = npt.NDArray[np.int64] | npt.NDArray[np.float64]

#: BLEU looks at n-grams of 1 to so many words.
ORDER = 4
#: Words of the hypothesis and of the reference; n-grams in common by n; n-grams of the hypothesis.
COUNTS = 2 + 2 * ORDER

#: What multi-bleu.perl takes for a blank; Python's str.split cuts at more characters.
BLANKS = re.compile(r"[ \t\r\n\v\f]+")

#: What to say of a hypothesis of that kind.
NO_WORD = "no word in any line: multi-bleu.perl would divide by zero, here BLEU is 0"

Ngrams = Counter[tuple[str, ...]]


def words_of(line: str) -> list[str]:
    """The words of a line as multi-bleu.perl cuts it."""
    return [word for word in BLANKS.split(line) if word]


def ngrams_of(words: Sequence[str]) -> Ngrams:
    """How often a sentence has each n-gram of 1 to `ORDER` words."""
    return Counter(
        tuple(words[start : start + order])
        for order in range(1, ORDER + 1)
        for start in range(len(words) - order + 1)
    )


class Reference:
    """The reference of a text, whose n-grams are counted once for all systems."""

    def __init__(self, lines: Sequence[str]) -> None:
        sentences = list(map(words_of, lines))
        self.lengths = list(map(len, sentences))
        self.ngrams = list(map(ngrams_of, sentences))

    def __len__(self) -> int:
        return len(self.lengths)

    def statistics(self, hypotheses: Sequence[str]) -> npt.NDArray[np.int64]:
        """The counts of each sentence [sentences, COUNTS]; as many hypotheses as references."""
        counts = np.zeros((len(self), COUNTS), dtype=np.int64)
        rows = zip(hypotheses, self.ngrams, self.lengths, strict=True)
        for number, (line, expected, length) in enumerate(rows):
            words = words_of(line)
            counts[number, :2] = len(words), length
            for ngram, count in ngrams_of(words).items():
                counts[number, 1 + len(ngram)] += min(count, expected[ngram])
            for order in range(1, ORDER + 1):
                counts[number, 1 + ORDER + order] = max(0, len(words) - order + 1)
        return counts


def corpus_bleu(sums: Statistics) -> npt.NDArray[np.float64]:
    """BLEU in percent of each row of counts summed over sentences: [..., COUNTS] -> [...].

    Zero where an n has no n-gram in common, as for multi-bleu.perl, and where the hypothesis has no
    word, for which multi-bleu.perl divides by zero.
    """
    hypothesis, reference = sums[..., 0], sums[..., 1]
    common, total = sums[..., 2 : 2 + ORDER], sums[..., 2 + ORDER :]
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, and its exponential 0
        precision = np.log(common / np.maximum(total, 1)).mean(axis=-1)
    penalty = np.minimum(0, 1 - reference / np.maximum(hypothesis, 1))
    bleu: npt.NDArray[np.float64] = 100 * np.exp(penalty + precision)
    return bleu
