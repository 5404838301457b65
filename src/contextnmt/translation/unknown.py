"""A word of warning where a model is given a text that it cannot know."""

import sys
from collections.abc import Sequence
from pathlib import Path

from contextnmt.files import read_json
from contextnmt.text.vocabulary import UNK, Vocabulary

#: Words that have to be seen before their share of unknown ones says anything.
ENOUGH = 20

#: A text of the model's view and kind may have this share of unknown words more than its training
#: text. Of the demo's test text, raw or in another view, between 2 and 30 % more are unknown.
MORE = 0.1


class UnknownWords:
    """Counts the unknown words of a text, and tells on stderr, once, if they are many."""

    def __init__(self, folder: Path, vocabulary: Vocabulary, advice: str) -> None:
        """`folder` is the model's, `vocabulary` that of its source; `advice` ends the warning."""
        self.vocabulary, self.advice = vocabulary, advice
        data = read_json(folder / "model.json").get("data", {})
        source = data.get("manifest", {}).get("train", {}).get("source", {})
        self.usual = source["unknowns"] / source["tokens"] if source.get("tokens") else 0.0
        self.words = self.unknown = 0
        self.warned = False

    def read(self, sentences: Sequence[Sequence[str]], name: str) -> None:
        """Count the words of some more sentences of the text `name`."""
        for sentence in sentences:
            self.words += len(sentence)
            self.unknown += self.vocabulary.encode(sentence).count(UNK)
        if not self.warned and self.words >= ENOUGH:
            share = self.unknown / self.words
            if share > self.usual + MORE:
                self.warned = True
                warn(
                    f"{name}: the model does not know {share:.0%} of the words (of its training "
                    f"text: {self.usual:.0%}): {self.advice}"
                )


def warn(message: str) -> None:
    """Tell on stderr, at once."""
    print(f"warning: {message}", file=sys.stderr, flush=True)
