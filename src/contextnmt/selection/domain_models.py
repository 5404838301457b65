"""Two language models of one language: of the in-domain text, and of text in general."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import log2
from pathlib import Path

import numpy as np
import numpy.typing as npt

from contextnmt.errors import UserError
from contextnmt.selection.kneser_ney import estimate
from contextnmt.selection.language_model import LanguageModel
from contextnmt.selection.word_ids import Vocabulary

BITS = log2(10)  # in a log10 of one


class DomainModels:
    """The two models and the vocabulary that both of them know."""

    def __init__(
        self, vocabulary: Vocabulary, in_domain: LanguageModel, general: LanguageModel
    ) -> None:
        self.vocabulary = vocabulary
        self.in_domain = in_domain
        self.general = general

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
        """H_I - H_O of each sentence in bits a word, and its words: [sentences] each.

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
                    f"{path}: of other words than {vocabulary_path}: estimate the models again"
                )
        return cls(vocabulary, *models)


def paths(prefix: str) -> list[Path]:
    """The files of the vocabulary, the in-domain model and the general model."""
    return [Path(f"{prefix}.{name}") for name in ("vocabulary.txt", "in-domain.npz", "general.npz")]
