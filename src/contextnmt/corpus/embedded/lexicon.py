"""The lexicon of the embedded corpus: nouns, verbs and adjectives with their inflected forms.

The lists beside it (``*.tsv``) give the forms that no rule gives; the rules here give the rest.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from contextnmt.files import read_lines

#: The fields of words or phrases: English, French, German.
Entries = Iterable[list[str]]

#: Prefixes that keep *ge-* away from a German participle.
INSEPARABLE = ("be", "er", "ver", "ent", "zer", "ge")


@dataclass(frozen=True)
class Noun:
    """A noun with its forms as (singular, plural); the plural is empty if there is none."""

    english: tuple[str, str]
    french: tuple[str, str]
    french_gender: str  #: m or f
    german: tuple[str, str]
    german_gender: str  #: m, f or n
    genitive: str  #: German genitive singular
    oblique: str  #: German accusative and dative singular
    person: bool = False  #: *who*, not *that*

    @property
    def has_plural(self) -> bool:
        """Whether the noun can be counted, in every language."""
        return bool(self.german[1])


@dataclass(frozen=True)
class Adjective:
    """An adjective: French (masculine, feminine, before a vowel), German (predicate, stem)."""

    english: str
    french: tuple[str, str, str]
    before_noun: bool  #: the French adjective stands before its noun
    german: tuple[str, str]


@dataclass(frozen=True)
class Verb:
    """A verb with its principal parts and what its object looks like in each language."""

    english: tuple[str, str, str, str]  #: base, 3rd person singular, past, participle
    particle: str
    french: tuple[str, str, str, str]  #: infinitive, 3rd singular, 3rd plural, participle
    imperfect: str  #: set for a verb of state, whose French past it is
    french_preposition: str
    etre: bool
    german: tuple[str, str, str, str]  #: infinitive, 3rd singular, preterite, participle
    prefix: str  #: separable prefix, not contained in the forms of `german` but the participle
    german_preposition: str
    case: str  #: of the German object
    sein: bool

    @property
    def direct(self) -> bool:
        """Whether the object is a direct one in all three languages, so that a passive exists."""
        return not (self.particle or self.french_preposition or self.german_preposition) and (
            self.case == "acc"
        )


@dataclass(frozen=True)
class Sense:
    """One sense of an ambiguous English noun and the words that give it away."""

    noun: Noun
    cues: tuple[str, ...]  #: English nouns
    cue_adjectives: tuple[str, ...]


@dataclass(frozen=True)
class Fixed:
    """A phrase that never changes."""

    english: str
    french: str
    german: str


def read_lists(name: str) -> dict[str, list[list[str]]]:
    """The lists of a file beside this module, which says how its entries are written.

    By the first column of a line; an entry has the others.
    """
    lists: dict[str, list[list[str]]] = {}
    for line in read_lines(Path(__file__).with_name(name)):
        if not line.startswith("#"):
            first, *entry = line.split("\t")
            lists.setdefault(first, []).append(entry)
    return lists


def unfold(word: str) -> str:
    """A word of a table as it is written: an underscore stands for a blank."""
    return word.replace("_", " ")


def english_plural(word: str) -> str:
    """The regular English plural."""
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(s|x|z|ch|sh)$", word) else "s")


def french_plural(word: str) -> str:
    """The regular French plural of a noun or a masculine adjective."""
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + ("x" if word.endswith("au") else "s")


def german_genitive(word: str, gender: str) -> str:
    """The strong German genitive: *-es* after one syllable or a sibilant, *-s* after more."""
    if gender == "f":
        return word
    if word.endswith(("s", "ß", "x", "z")):
        return word + "es"
    syllables = len(re.findall(r"[aeiouyäöü]+", word.lower()))
    return word + ("es" if syllables == 1 and not re.search(r"[aeiouäöü]h?$", word) else "s")


def parse_noun(english: str, french: str, german: str, person: bool = False) -> Noun:
    """A noun from the three fields of its entry."""
    one, *plural = english.split()
    french_one, french_gender, *french_many = french.split()
    german_one, gender, german_many, *marks = german.split()
    many = "" if german_many == "-" else german_many
    weak = "weak" in marks
    genitive = german_many if weak else german_genitive(german_one, gender)
    for mark in marks:
        if mark.startswith("gen:"):
            genitive = mark.removeprefix("gen:")
    return Noun(
        english=(one, plural[0] if plural else english_plural(one)),
        french=(
            unfold(french_one),
            unfold(french_many[0]) if french_many else french_plural(french_one),
        ),
        french_gender=french_gender,
        german=(german_one, many),
        german_gender=gender,
        genitive=genitive,
        oblique=german_many if weak else german_one,
        person=person,
    )


def parse_nouns(entries: Entries, person: bool = False) -> dict[str, Noun]:
    """English singular -> noun, in the order of the entries."""
    return {
        english.split()[0]: parse_noun(english, french, german, person)
        for english, french, german in entries
    }


def parse_adjectives(entries: Entries) -> dict[str, Adjective]:
    """English -> adjective, in the order of the entries."""
    adjectives = {}
    for english, french, german in entries:
        forms = french.removesuffix(" <").split()
        stem = german.split()
        adjectives[english] = Adjective(
            english=english,
            french=(forms[0], forms[1], forms[-1] if len(forms) == 3 else forms[0]),
            before_noun=french.endswith(" <"),
            german=(stem[0], stem[-1].removesuffix("e")),
        )
    return adjectives


def english_parts(base: str) -> list[str]:
    """The principal parts of a regular English verb."""
    stem = base[:-1] + "i" if re.search(r"[^aeiou]y$", base) else base.removesuffix("e")
    return [base, english_plural(base), stem + "ed", stem + "ed"]


def french_parts(infinitive: str) -> list[str]:
    """The principal parts of a regular French verb in *-er*."""
    stem = infinitive.removesuffix("er")
    return [infinitive, stem + "e", stem + "ent", stem + "é"]


def german_parts(infinitive: str) -> list[str]:
    """The principal parts of a weak German verb, whose separable prefix ends at ``|``."""
    prefix, _, verb = infinitive.rpartition("|")
    stem = verb.removesuffix("n").removesuffix("e")
    link = "e" if stem.endswith(("t", "d")) else ""
    ge = "" if verb.startswith(INSEPARABLE) or verb.endswith("ieren") else "ge"
    return [
        infinitive,
        f"{stem}{link}t",
        f"{stem}{link}te",
        f"{prefix}{ge}{stem}{link}t",
    ]


def parse_verb(english: str, french: str, german: str) -> Verb:
    """A verb from the three fields of its entry."""
    words = english.split()
    regular = len(words) < 4
    particle = words[1:] if regular else words[4:]
    base, third, past, participle = english_parts(words[0]) if regular else words[:4]

    words = french.split()
    irregular = len(words) > 3 and not any(mark in words[1] for mark in "+:")
    forms = words[:4] if irregular else french_parts(words[0])
    marks = words[4:] if irregular else words[1:]
    imperfect = [mark.removeprefix("imp:") for mark in marks if mark.startswith("imp:")]
    preposition = [mark.removeprefix("+") for mark in marks if mark.startswith("+")]

    german_words = german.split()
    german_marks = [word for word in german_words if word == "sein" or word.startswith("+")]
    if german_words[0] == "sein":
        german_marks = ["sein"]
    irregular = len(german_words) >= 4
    infinitive, present, preterite, german_participle = (
        german_words[:4] if irregular else german_parts(german_words[0])
    )
    prefix, _, stem = infinitive.rpartition("|")
    government = [mark[1:].split(":") for mark in german_marks if mark.startswith("+")]
    german_preposition, case = government[0] if government else ("", "acc")
    return Verb(
        english=(base, third, past, participle),
        particle=" ".join(particle),
        french=(forms[0], forms[1], forms[2], forms[3]),
        imperfect="".join(imperfect),
        french_preposition="".join(preposition),
        etre="être" in marks,
        german=(stem, present, preterite, german_participle),
        prefix=prefix,
        german_preposition=german_preposition,
        case=case,
        sein="sein" in german_marks,
    )


def parse_verbs(entries: Entries) -> list[Verb]:
    """The verbs of some entries, in their order."""
    return [parse_verb(*fields) for fields in entries]


def parse_phrases(entries: Entries) -> list[Fixed]:
    """The fixed phrases of some entries, in their order."""
    return [Fixed(*fields) for fields in entries]


def parse_senses(lists: dict[str, list[list[str]]]) -> dict[str, list[Sense]]:
    """English singular -> its senses, in the order of the entries of each noun."""
    senses: dict[str, list[Sense]] = {}
    for english, entries in lists.items():
        for french, german, cues in entries:
            nouns, _, adjectives = cues.partition(" ;")
            noun = parse_noun(english, french, german)
            senses.setdefault(english.split()[0], []).append(
                Sense(noun, tuple(nouns.split()), tuple(adjectives.split()))
            )
    return senses
