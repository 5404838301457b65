"""The counts of a sentence that corpus BLEU is made of, and BLEU of sums of such counts.

Corpus BLEU (Papineni et al. 2002) depends on a text only through sums over its sentences, so BLEU
of any resample or part of a text needs no text again. The counts are those of multi-bleu.perl: no
tokenization, no smoothing; of several references, an n-gram counts as often as the one has it that
has it most often, and the length is that of the one nearest in length, of equals the shorter one.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from sacrebleu.metrics.bleu import BLEU

#: Counts of sentences, or sums of them: [..., COUNTS].
Statistics = npt.NDArray[np.int64] | npt.NDArray[np.float64]

#: BLEU looks at n-grams of 1 to so many words.
ORDER = 4
#: Words of the hypothesis and of the reference; n-grams in common by n; n-grams of the hypothesis.
COUNTS = 2 + 2 * ORDER

#: Blanks of multi-bleu.perl; Python's str.split cuts at more characters.
BLANKS = re.compile(r"[ \t\r\n\v\f]+")

#: Moves a character to a private plane of Unicode, where it is no blank to anyone.
PRIVATE_PLANE = 0xF0000

#: Warning about a hypothesis of that kind.
NO_WORD = "no word in any line: multi-bleu.perl would divide by zero, here BLEU is 0"


def normalise_blanks(lines: Iterable[str]) -> list[str]:
    """`lines` with the blanks of multi-bleu.perl as single spaces, and no other blank left in them.

    A no-break space, say, is a part of its token for multi-bleu.perl and must stay one.
    """
    return [
        re.sub(r"[^\S ]", lambda blank: chr(PRIVATE_PLANE + ord(blank[0])), BLANKS.sub(" ", line))
        for line in lines
    ]


def tokenized_metric() -> BLEU:
    """SacreBLEU's metric without tokenization and smoothing, equal to multi-bleu.perl."""
    # `force` silences the warning that the text is tokenized, as it should be.
    return BLEU(tokenize="none", smooth_method="none", force=True)


def sentence_counts(hypotheses: Sequence[str], *references: Sequence[str]) -> npt.NDArray[np.int64]:
    """The counts of each sentence [sentences, COUNTS], by sacreBLEU; as many of all are needed."""
    texts = normalise_blanks(hypotheses), [*map(normalise_blanks, references)]
    return np.array(tokenized_metric()._extract_corpus_statistics(*texts), dtype=np.int64)


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
