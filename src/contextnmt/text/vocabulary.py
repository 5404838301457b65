"""The words that a model knows, and their ids."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import COUNT, read_lines, refuse_special, write_lines

PAD = 0
EOS = 1
UNK = 2

#: Ids 0, 1, 2: they have no line in a vocabulary file.
SPECIALS = ("<pad>", "</s>", "<unk>")

#: The unknown word in a translation (A20): it matches no word of a reference.
UNKNOWN = "UNK"


class Vocabulary:
    """Words in the order of their ids; the specials come before them and are not counted as words.

    `words`: the ordinary words, the first one has id 3. A word of the text that is spelt like a
    special is an unknown word, so no text can put an end of sentence into the middle of one.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.ids = {word: number for number, word in enumerate(self.words, start=len(SPECIALS))}
        self._spellings = [*SPECIALS, *self.words]

    def __len__(self) -> int:
        """Number of ids: the words and the specials."""
        return len(self._spellings)

    def encode(self, words: Iterable[str]) -> list[int]:
        """The id of each of `words`, without an end of sentence; UNK for those not known."""
        return list(map(self.ids.get, words, repeat(UNK)))

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The word of each of `ids`; specials as they are spelt. Raises IndexError if unknown."""
        return [self._spellings[number] for number in ids]

    @property
    def sha256(self) -> str:
        """Hexadecimal SHA-256 of the words, each ended by LF: equal if and only if all ids are."""
        return hashlib.sha256("".join(f"{word}\n" for word in self.words).encode()).hexdigest()

    @classmethod
    def most_frequent(cls, counts: Mapping[str, int], size: int) -> "Vocabulary":
        """The `size` most frequent words of `counts`; of equally frequent ones the first by name.

        `size` does not count the specials (A15). Raises UserError if it is less than 1.
        """
        if size < 1:
            raise UserError(f"a vocabulary of {size} words: --vocabulary-size is at least 1")
        words = (word for word in counts if word not in SPECIALS)
        return cls(sorted(words, key=lambda word: (-counts[word], word))[:size])

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """The vocabulary in a file that `write` made.

        Raises UserError, naming the line, if a line is not a word, a tab and a count, or if a word
        comes twice; also if there is none.
        """
        refuse_special(path)
        words: dict[str, None] = {}
        for number, line in enumerate(read_lines(path), start=1):
            word, tab, count = line.partition("\t")
            if not (word and tab and re.fullmatch(COUNT, count)):
                raise UserError(
                    f"{path}, line {number}: expected a word, a tab and a count: {line[:80]!r}: "
                    "run `contextnmt binarize` again"
                )
            if word in words or word in SPECIALS:
                raise UserError(
                    f"{path}, line {number}: {word[:80]!r} has an id already: "
                    "run `contextnmt binarize` again"
                )
            words[word] = None
        if not words:
            raise UserError(f"{path}: no word in it: run `contextnmt binarize` again")
        return cls(list(words))

    def write(self, path: Path, counts: Mapping[str, int]) -> None:
        """Write a line per word: the word, a tab, its count. Line n holds the word with id n+2."""
        write_lines(path, (f"{word}\t{counts[word]}" for word in self.words))
