"""A word of warning where a text seems to be in the language that is translated into."""

import sys
from collections.abc import Sequence

from contextnmt.text.vocabulary import UNK, Vocabulary
from contextnmt.translation.unknown import ENOUGH

#: Above this share of words that only the target's vocabulary has, a text is in the target's
#: language, unless half as many are in the source's alone. Between English and French or German,
#: with 30,000 words of real text a side, two thirds or more of all stretches of 20 words in the
#: wrong language have as many, and none in the right one or in a third, whatever they are about.
TELLING = 0.25


class SourceLanguage:
    """Counts the words that one vocabulary alone has, and tells on stderr, once, of a wrong text.

    The words are whole: subwords of the source know a text in any language with its letters.
    """

    def __init__(self, source: Vocabulary, target: Vocabulary, *languages: str) -> None:
        """`languages`: of the source and of the target."""
        self.vocabularies, self.languages = (source, target), languages
        self.words = 0
        self.alone = [0, 0]
        self.told = False

    def read(self, sentences: Sequence[Sequence[str]], name: str) -> None:
        """Count the words of some more tokenized sentences of the text `name`."""
        for sentence in sentences:
            self.words += len(sentence)
            for ids in zip(*(each.encode(sentence) for each in self.vocabularies), strict=True):
                if UNK in ids:
                    self.alone = [n + (i != UNK) for n, i in zip(self.alone, ids, strict=True)]
        source, target = self.alone
        if self.told or self.words < ENOUGH:
            return
        if target > TELLING * self.words and target > 2 * source:
            self.told = True
            before, after = self.languages
            print(
                f"warning: {name}: {target / self.words:.0%} of the words are {after} and not "
                f"{before}, for all that the model knows, and {source / self.words:.0%} the other "
                f"way round: it translates {before} to {after}: is this the right text?",
                file=sys.stderr,
                flush=True,
            )
