"""The words of the embedded corpus: nouns, verbs and adjectives in their inflected forms, and how
words become a line.

The principal forms stand in the tables beside it (``*.tsv``), each of which says what its columns
are; agreement, case and verb groups follow from them here, then elision, contraction, commas,
capitals and blanks.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple, TypeVar

from contextnmt.files import read_lines

Forms = tuple[str, ...]
#: Gender and number of a phrase, with which French adjectives and participles agree.
Agreement = tuple[str, bool]
Entry = TypeVar("Entry")


def read_rows(name: str) -> Iterator[list[str]]:
    """The cells of each row of a table beside this module."""
    for line in read_lines(Path(__file__).with_name(name)):
        if not line.startswith("#"):
            yield line.split("\t")


def read_groups(name: str) -> dict[str, list[list[str]]]:
    """First cell of a table's rows -> the other cells of the rows that begin with it."""
    groups: dict[str, list[list[str]]] = {}
    for first, *cells in read_rows(name):
        groups.setdefault(first, []).append(cells)
    return groups


INFLECTIONS = read_groups("inflections.tsv")
#: Of the nouns of a field, one in so many never occurs with a sense in the training text.
KEPT = 4
#: Name of a field -> its English nouns.
FIELDS = {name: frozenset(nouns.split()) for name, nouns in read_rows("fields.tsv")}
#: Tense and (auxiliary or, where each verb has the same one, language) -> (singular, plural).
AUXILIARIES = {(tense, verb): forms for tense, verb, *forms in INFLECTIONS["AUXILIARY"]}


@dataclass(frozen=True)
class Noun:
    """A noun with its forms as (singular, plural), or the singular alone if there is no plural."""

    english: Forms
    french: Forms
    french_gender: str  #: m or f
    german: Forms
    german_gender: str  #: m, f or n
    genitive: str  #: German genitive singular
    oblique: str  #: German accusative and dative singular
    person: bool = False  #: *who*, not *that*

    @property
    def has_plural(self) -> bool:
        """Whether the noun can be counted, in every language."""
        return len(self.german) > 1

    def in_german(self, case: str, plural: bool) -> str:
        """The German noun in its case."""
        if plural:
            many = self.german[1]
            return many + "n" if case == "dat" and not many.endswith(("n", "s")) else many
        return {"nom": self.german[0], "gen": self.genitive}.get(case, self.oblique)


@dataclass(frozen=True)
class Adjective:
    """An adjective: French (masculine, feminine, and their plurals), German (predicate, stem)."""

    english: str
    french: Forms
    before_vowel: str  #: French form before a noun with a vowel; empty if it stands behind its noun
    german: Forms

    def in_french(self, gender: str, plural: bool) -> str:
        """The French form that agrees with a noun."""
        return self.french[2 * plural + (gender == "f")]


@dataclass(frozen=True)
class Verb:
    """A verb with its principal parts and what its object looks like in each language."""

    english: Forms  #: base, 3rd person singular, past, participle
    particle: str
    french: Forms  #: infinitive, 3rd singular, 3rd plural, participle
    imperfect: str  #: set for a verb of state, whose French past it is
    french_preposition: str
    french_auxiliary: str
    german: Forms  #: infinitive, 3rd singular, preterite, participle
    prefix: str  #: separable prefix, not contained in the forms of `german` but the participle
    german_preposition: str
    case: str  #: of the German object
    german_auxiliary: str

    @property
    def direct(self) -> bool:
        """Whether the object is a direct one in all three languages, so that a passive exists."""
        prepositions = self.particle + self.french_preposition + self.german_preposition
        return not prepositions and self.case == "acc"

    def in_english(self, tense: str, plural: bool) -> tuple[str, str]:
        """The finite verb and the rest of the verb group."""
        base, third, past, participle = self.english
        if tense == "past":
            return "were" if (past, plural) == ("was", True) else past, ""
        if tense == "present":
            return base if plural else third, ""
        rest = {"progressive": base.removesuffix("e") + "ing"}
        rest |= dict.fromkeys(("perfect", "pluperfect", "passive"), participle)
        return AUXILIARIES[tense, "en"][plural], rest.get(tense, base)

    def in_french(self, tense: str, subject: Agreement, agreeing: Agreement | None) -> str:
        """The verb group; `agreeing` is a direct object that stands before it."""
        infinitive, third, thirds, participle = self.french
        _, plural = subject
        if (tense, "fr") in AUXILIARIES:
            return f"{AUXILIARIES[tense, 'fr'][plural]} {infinitive}"
        if tense == "present":
            return thirds if plural else third
        if tense == "progressive" or (tense == "past" and self.imperfect):
            imperfect = self.imperfect or thirds.removesuffix("ent") + "ait"
            return imperfect.removesuffix("t") + ("ent" if plural else "t")
        if tense == "passive":
            return f"{'ont' if plural else 'a'} été {agreed(participle, subject)}"
        tense = "perfect" if tense == "past" else tense
        auxiliary = AUXILIARIES[tense, self.french_auxiliary][plural]
        if self.french_auxiliary == "être":
            agreeing = subject
        return f"{auxiliary} {agreed(participle, agreeing) if agreeing else participle}"

    def in_german(self, tense: str, plural: bool) -> tuple[str, str]:
        """The finite verb and the rest, which a separable prefix is part of."""
        infinitive, third, preterite, participle = self.german
        if tense in ("perfect", "pluperfect"):
            return AUXILIARIES[tense, self.german_auxiliary][plural], participle
        if (tense, "de") in AUXILIARIES:
            rest = participle if tense == "passive" else self.prefix + infinitive
            return AUXILIARIES[tense, "de"][plural], rest
        if tense == "present":
            return (infinitive if plural else third), self.prefix
        ending = ("n" if preterite.endswith("e") else "en") if plural else ""
        return preterite + ending, self.prefix


@dataclass(frozen=True)
class Sense:
    """One sense of an ambiguous English noun, and the field that a sentence with it is about."""

    noun: Noun
    field: str  #: its name, a key of `FIELDS`
    kept: frozenset[str]  #: nouns of the field that occur with `noun` in dev and test alone
    adjectives: Forms  #: English adjectives that tell this sense from the other


def agreed(participle: str, agreeing: Agreement) -> str:
    """A French participle that agrees with a phrase."""
    gender, plural = agreeing
    feminine = participle + ("e" if gender == "f" else "")
    return feminine + ("s" if plural and not feminine.endswith("s") else "")


def parse_entry(kind: Callable[..., Entry], cells: Iterable[str]) -> Entry:
    """An object of the dataclass `kind`, whose fields are the cells of a row, in their order.

    Slashes part the forms of a word.
    """
    columns = zip(fields(kind), cells, strict=False)  # type: ignore[arg-type]
    return kind(
        *(tuple(cell.split("/")) if field.type == Forms else cell for field, cell in columns)
    )


def read_lists(name: str, kind: Callable[..., Entry]) -> dict[str, list[Entry]]:
    """The lists of a table, each of whose rows has the name of its list and then an entry."""
    return {
        first: [parse_entry(kind, cells) for cells in rows]
        for first, rows in read_groups(name).items()
    }


def read_senses() -> dict[str, list[Sense]]:
    """English singular -> its senses, in their order."""
    senses: dict[str, list[Sense]] = {}
    for number, (*columns, name, adjectives) in enumerate(read_rows("senses.tsv")):
        noun = parse_entry(Noun, columns)
        kept = frozenset(sorted(FIELDS[name])[number % KEPT :: KEPT])
        sense = Sense(noun, name, kept, tuple(adjectives.split()))
        senses.setdefault(noun.english[0], []).append(sense)
    return senses


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

    kind: str  #: ambiguous, name, number or acronym


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
        Word(BEFORE[language](word.text, following.text), word.tag)
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
