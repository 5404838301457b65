"""From words to lines: elision, contraction, commas, capitals, blanks."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from contextnmt.corpus.embedded.lexicon import read_rows

#: French words with an aspirated h: *le héron*, not *l'héron*.
ASPIRATED = (
    *("héron", "hibou", "homard", "haricot"),
    *("hareng", "hérisson", "hache", "haut-parleur"),
)
ELIDED = {"le", "la", "de", "que", "ce"}
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


def joined_french(words: Words) -> Words:
    """Elision, *cet* before a vowel, contraction of preposition and article."""
    elided = []
    for word, following in zip(words, [*words[1:], Word("")], strict=True):
        if word.text in ELIDED and starts_with_vowel(following.text):
            text = "cet" if word.text == "ce" else word.text[:-1] + "'"
            word = word._replace(text=text)
        elided.append(word)
    return contracted(elided, "fr")


def joined_english(words: Words) -> Words:
    """*a* before a vowel becomes *an*."""
    return [
        Word("an") if word.text == "a" and re.match(r"[aeio]|u(?!ni|se)", following.text) else word
        for word, following in zip(words, [*words[1:], Word("")], strict=True)
    ]


JOINED: dict[str, Callable[[Words], Words]] = {
    "en": joined_english,
    "fr": joined_french,
    "de": lambda words: contracted(words, "de"),
}


def spaced(words: Words, language: str) -> Words:
    """The words of a sentence as they are written: joined, commas sorted out, capitalized."""
    kept: Words = []
    for word in JOINED[language]([word for word in words if word.text]):
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
