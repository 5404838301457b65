"""Sentence pairs of the training text, which the page shows beside the numbers of a table."""

import re
from dataclasses import dataclass

#: Characters of a side that are shown: some of what cleaning removes is longer than a page.
LENGTH = 500
#: What has no shape of its own.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class SentencePair:
    """Both sides, and where they stand: ``europarl-v7, line 17``."""

    place: str
    source: str
    target: str


@dataclass(frozen=True)
class Excerpt:
    """A few sentence pairs of a language pair (``en-fr``), and what they have in common."""

    title: str
    pair: str
    sentence_pairs: list[SentencePair]


def sentence_pair(place: str, source: str, target: str) -> SentencePair:
    """A pair as it is shown: long sides cut off, control characters by their number."""
    return SentencePair(place, readable(source), readable(target))


def readable(text: str) -> str:
    """The first `LENGTH` characters of `text`; a control character becomes ``\\x85``."""
    end = "…" if len(text) > LENGTH else ""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text[:LENGTH]) + end
