"""From tokenized words to a text for readers."""

from collections.abc import Callable

from sacremoses import MosesDetokenizer


def detokenizer(language: str) -> Callable[[str], str]:
    """A function that writes tokenized lines of a language as Moses' detokenizer does.

    Nothing was escaped (A4), so nothing is unescaped: an ``&amp;`` is one of the author's.
    """
    moses = MosesDetokenizer(lang=language)

    def detokenize(line: str) -> str:
        text: str = moses.detokenize(line.split(), unescape=False)
        return text

    return detokenize
