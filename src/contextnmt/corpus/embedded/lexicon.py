"""The lexicon of the embedded corpus: nouns, verbs and adjectives with their inflected forms.

The principal forms stand in the tables beside it (``*.tsv``), each of which says what its columns
are; agreement, case and verb groups follow from them here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from contextnmt.files import read_lines

#: The columns of some rows of a table, without the first.
Entries = Iterable[list[str]]

Forms = tuple[str, ...]


#: German endings by gender (p: plural), after *der*, after *ein*, after nothing.
ARTICLE = {
    "nom": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "acc": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dat": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
    "gen": {"m": "des", "f": "der", "n": "des", "p": "der"},
}
STRONG = {
    "nom": {"m": "er", "f": "e", "n": "es", "p": "e"},
    "acc": {"m": "en", "f": "e", "n": "es", "p": "e"},
    "dat": {"m": "em", "f": "er", "n": "em", "p": "en"},
    "gen": {"m": "es", "f": "er", "n": "es", "p": "er"},
}
#: Where *ein* has no ending, the adjective takes the strong one.
BARE_EIN = (("nom", "m"), ("nom", "n"), ("acc", "n"))
WEAK_E = (*BARE_EIN, ("nom", "f"), ("acc", "f"))

#: French and German modal verbs (3rd singular, 3rd plural) by English one.
MODALS = {
    "must": (("must", "must"), ("doit", "doivent"), ("muss", "müssen")),
    "can": (("can", "can"), ("peut", "peuvent"), ("kann", "können")),
    "want": (("wants to", "want to"), ("veut", "veulent"), ("will", "wollen")),
    "future": (("is going to", "are going to"), ("va", "vont"), ("wird", "werden")),
}
#: (singular, plural) of *avoir* and *être*, and of *haben* and *sein*.
FRENCH_AUXILIARIES = {
    "perfect": (("a", "ont"), ("est", "sont")),
    "pluperfect": (("avait", "avaient"), ("était", "étaient")),
}
GERMAN_AUXILIARIES = {
    "perfect": (("hat", "haben"), ("ist", "sind")),
    "pluperfect": (("hatte", "hatten"), ("war", "waren")),
}


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
    etre: bool
    german: Forms  #: infinitive, 3rd singular, preterite, participle
    prefix: str  #: separable prefix, not contained in the forms of `german` but the participle
    german_preposition: str
    case: str  #: of the German object
    sein: bool

    @property
    def direct(self) -> bool:
        """Whether the object is a direct one in all three languages, so that a passive exists."""
        prepositions = self.particle + self.french_preposition + self.german_preposition
        return not prepositions and self.case == "acc"


@dataclass(frozen=True)
class Sense:
    """One sense of an ambiguous English noun and the words that give it away."""

    noun: Noun
    cues: Forms  #: English nouns
    cue_adjectives: Forms


@dataclass(frozen=True)
class Fixed:
    """A phrase that never changes."""

    english: str
    french: str
    german: str


class Agreeing(Protocol):
    """A phrase whose number and gender a French participle takes."""

    @property
    def plural(self) -> bool:
        """Whether the phrase is a plural."""
        ...

    @property
    def french_gender(self) -> str:
        """m or f."""
        ...


def german_noun(noun: Noun, case: str, plural: bool) -> str:
    """The German noun in its case."""
    if plural:
        many = noun.german[1]
        return many + "n" if case == "dat" and not many.endswith(("n", "s")) else many
    return {"nom": noun.german[0], "gen": noun.genitive}.get(case, noun.oblique)


def english_verb(verb: Verb, tense: str, plural: bool) -> tuple[str, str]:
    """The finite verb and the rest of the verb group."""
    base, third, past, participle = verb.english
    if tense in MODALS:
        return MODALS[tense][0][plural], base
    if tense == "perfect":
        return "have" if plural else "has", participle
    if tense == "pluperfect":
        return "had", participle
    if tense == "progressive":
        return "were" if plural else "was", base.removesuffix("e") + "ing"
    if tense == "passive":
        return "were" if plural else "was", participle
    if tense == "past":
        return "were" if (past, plural) == ("was", True) else past, ""
    return base if plural else third, ""


def french_verb(verb: Verb, tense: str, subject: Agreeing, agreeing: Agreeing | None) -> str:
    """The verb group; `agreeing` is a direct object that stands before it."""
    infinitive, third, thirds, participle = verb.french
    plural = subject.plural
    if tense in MODALS:
        return f"{MODALS[tense][1][plural]} {infinitive}"
    if tense == "present":
        return thirds if plural else third
    if tense == "progressive" or (tense == "past" and verb.imperfect):
        imperfect = verb.imperfect or thirds.removesuffix("ent") + "ait"
        return imperfect.removesuffix("t") + ("ent" if plural else "t")
    if tense == "passive":
        return f"{'ont' if plural else 'a'} été {agreed(participle, subject)}"
    auxiliary = FRENCH_AUXILIARIES["pluperfect" if tense == "pluperfect" else "perfect"]
    if verb.etre:
        agreeing = subject
    return (
        f"{auxiliary[verb.etre][plural]} {agreed(participle, agreeing) if agreeing else participle}"
    )


def agreed(participle: str, phrase: Agreeing) -> str:
    """A French participle that agrees with `phrase`."""
    feminine = participle + ("e" if phrase.french_gender == "f" else "")
    return feminine + ("s" if phrase.plural and not feminine.endswith("s") else "")


def german_verb(verb: Verb, tense: str, plural: bool) -> tuple[str, str]:
    """The finite verb and the rest, which a separable prefix is part of."""
    infinitive, third, preterite, participle = verb.german
    if tense in MODALS:
        return MODALS[tense][2][plural], verb.prefix + infinitive
    if tense in GERMAN_AUXILIARIES:
        return GERMAN_AUXILIARIES[tense][verb.sein][plural], participle
    if tense == "passive":
        return "wurden" if plural else "wurde", participle
    if tense == "present":
        return (infinitive if plural else third), verb.prefix
    ending = ("n" if preterite.endswith("e") else "en") if plural else ""
    return preterite + ending, verb.prefix


def read_lists(name: str) -> dict[str, list[list[str]]]:
    """The rows of a table beside this module by their first column; an entry has the others."""
    lists: dict[str, list[list[str]]] = {}
    for line in read_lines(Path(__file__).with_name(name)):
        if not line.startswith("#"):
            first, *entry = line.split("\t")
            lists.setdefault(first, []).append(entry)
    return lists


def forms(cell: str) -> Forms:
    """The forms of a word in a table."""
    return tuple(cell.split("/"))


def parse_nouns(entries: Entries, person: bool = False) -> dict[str, Noun]:
    """English singular -> noun, in the order of the entries."""
    nouns = {}
    for english, french, gender, german, german_gender, genitive, oblique in entries:
        words = forms(english), forms(french), gender, forms(german), german_gender
        nouns[words[0][0]] = Noun(*words, genitive, oblique, person)
    return nouns


def parse_adjectives(entries: Entries) -> dict[str, Adjective]:
    """English -> adjective, in the order of the entries."""
    return {
        english: Adjective(english, forms(french), before_vowel, forms(german))
        for english, french, before_vowel, german in entries
    }


def parse_verbs(entries: Entries) -> list[Verb]:
    """The verbs of some entries, in their order."""
    verbs = []
    for entry in entries:
        english, particle, french, imperfect, preposition, french_auxiliary, *others = entry
        german, prefix, german_preposition, case, german_auxiliary = others
        verbs.append(
            Verb(
                forms(english),
                particle,
                forms(french),
                imperfect,
                preposition,
                french_auxiliary == "être",
                forms(german),
                prefix,
                german_preposition,
                case,
                german_auxiliary == "sein",
            )
        )
    return verbs


def parse_phrases(entries: Entries) -> list[Fixed]:
    """The fixed phrases of some entries, in their order."""
    return [Fixed(*fields) for fields in entries]


def parse_senses(lists: dict[str, list[list[str]]]) -> dict[str, list[Sense]]:
    """English singular -> its senses, in the order of the entries of each noun."""
    senses: dict[str, list[Sense]] = {}
    for english, entries in lists.items():
        for *columns, cues, adjectives in entries:
            for name, noun in parse_nouns([[english, *columns]]).items():
                sense = Sense(noun, tuple(cues.split()), tuple(adjectives.split()))
                senses.setdefault(name, []).append(sense)
    return senses
