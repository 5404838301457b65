"""The words that a language model knows, and their ids."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path

import numpy as np

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.selection.ngrams import SPECIALS, UNK, Sentences

#: Axelrod et al. 2011: the models know the words that the in-domain text has at least twice.
IN_DOMAIN_MINIMUM = 2


class Vocabulary:
    """Words in the order of their ids, the first of which is 3; the specials come before them.

    The two models of a language share one vocabulary: only then do their probabilities speak of
    the same events and can be compared. Any other word is the unknown word, and so is a word of
    the text that is spelt like a special. A word takes about 150 bytes of memory.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.ids = {word: number for number, word in enumerate(self.words, start=len(SPECIALS))}

    def __len__(self) -> int:
        """Number of ids: the words and the specials."""
        return len(SPECIALS) + len(self.words)

    def encode(self, lines: Iterable[str]) -> Sentences:
        """The ids of tokenized sentences, one a line; of an empty line, none."""
        sentences = [line.split() for line in lines]
        offsets = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, sentences), np.int64, len(sentences)), out=offsets[1:])
        ids = map(self.ids.get, chain.from_iterable(sentences), repeat(UNK))
        return Sentences(np.fromiter(ids, np.int32, offsets[-1]), offsets)

    @classmethod
    def frequent(cls, counts: Mapping[str, int], minimum: int = IN_DOMAIN_MINIMUM) -> "Vocabulary":
        """The words that occur at least `minimum` times, by descending count, then by name."""
        words = (word for word in counts if counts[word] >= minimum and word not in SPECIALS)
        return cls(sorted(words, key=lambda word: (-counts[word], word)))

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """The vocabulary in a file that `write` made.

        Raises UserError, naming the line, if a line is not one word or if a word comes twice.
        """
        words: dict[str, None] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if line.split() != [line]:
                raise UserError(f"{path}, line {number}: not a word: {line!r}")
            if line in words or line in SPECIALS:
                raise UserError(f"{path}, line {number}: {line!r} already has an id")
            words[line] = None
        return cls(list(words))

    def write(self, path: Path) -> None:
        """Write a word a line; line n holds the word with id n+2."""
        write_lines(path, self.words)
