"""From words to lines: elision, contraction, commas, capitals, blanks."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from contextnmt.corpus.embedded.words import read_rows

#: French words with an aspirated h: *le héron*, not *l'héron*.
ASPIRATED = (
    *("héron", "hibou", "homard", "haricot"),
    *("hareng", "hérisson", "hache", "haut-parleur"),
)
ELIDED = {"le", "la", "de", "que", "ce"}
#: English words before which *a* is *an*.
VOWEL = re.compile(r"[aeio]|u(?!ni|se)")
#: Language, preposition and article -> one word.
CONTRACTIONS = {tuple(words): one for *words, one in read_rows("contractions.tsv")}


@dataclass(frozen=True, eq=False)
class Tag:
    """Something that is counted afterwards; two tags are never equal."""

    kind: str  #: ambiguous, cue, name, number or acronym


class Word(NamedTuple):
    """One word, or one fixed group of words, and the tag that it bears."""

    text: str
    tag: Tag | None = None


Words = list[Word]


def words_of(text: str, tag: Tag | None = None) -> Words:
    """The words of a text with blanks; `tag` is that of the number in it."""
    return [Word(word, tag if any(map(str.isdigit, word)) else None) for word in text.split(" ")]


def starts_with_vowel(word: str) -> bool:
    """Whether a French word takes *l'* before it."""
    if word.startswith(ASPIRATED):
        return False
    first = unicodedata.normalize("NFD", word[:1].lower())[:1]
    return first in tuple("aeiouhœ")


def contracted(words: Words, language: str) -> Words:
    """Preposition and article as one word."""
    result: Words = []
    for word in words:
        one = CONTRACTIONS.get((language, result[-1].text, word.text)) if result else None
        if one:
            result[-1] = Word(one)
        else:
            result.append(word)
    return result


def elided(word: str, following: str) -> str:
    """A French word before another one: *l'*, *cet* before a vowel."""
    if word not in ELIDED or not starts_with_vowel(following):
        return word
    return "cet" if word == "ce" else word[:-1] + "'"


#: Language -> a word as it is before another one.
BEFORE: dict[str, Callable[[str, str], str]] = {
    "en": lambda word, after: "an" if word == "a" and VOWEL.match(after) else word,
    "fr": elided,
    "de": lambda word, _: word,
}


def spaced(words: Words, language: str) -> Words:
    """The words of a sentence as they are written: joined, commas sorted out, capitalized."""
    words = [word for word in words if word.text]
    joined = [
        word._replace(text=BEFORE[language](word.text, following.text))
        for word, following in zip(words, [*words[1:], Word("")], strict=True)
    ]
    kept: Words = []
    for word in contracted(joined, language):
        if kept and kept[-1].text == "," and word.text in (",", ".", "?"):
            kept.pop()
        if kept or word.text != ",":
            kept.append(word)
    first = kept[0]
    return [Word(first.text[0].upper() + first.text[1:], first.tag), *kept[1:]]


def text_of(words: Words) -> str:
    """Words as one line of text: no blank before punctuation or behind an apostrophe."""
    line = " ".join(word.text for word in words)
    return re.sub(r"(?<=\w') ", "", re.sub(r" (?=[,.?](?: |$))", "", line))
