"""A synchronous grammar of English, French and German.

A constituent is one object with three realizations: `words(language)` gives the words of the
phrase in that language, with its own order, agreement and case. German order follows the field
model: finite verb second in a main clause, last in a subordinate one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from contextnmt.corpus.embedded.words import (
    INFLECTIONS,
    Adjective,
    Agreement,
    Forms,
    Noun,
    Tag,
    Verb,
    Word,
    Words,
    starts_with_vowel,
    words_of,
)

LANGUAGES = ("en", "fr", "de")

#: German case -> gender (p: plural) -> definite article, and ending of an adjective without one.
ARTICLE, STRONG = (
    {case: dict(zip("mfnp", cells, strict=True)) for case, *cells in INFLECTIONS[name]}
    for name in ("ARTICLE", "STRONG")
)
#: Where *ein* has no ending, the adjective takes the strong one.
BARE_EIN = (("nom", "m"), ("nom", "n"), ("acc", "n"))
WEAK_E = (*BARE_EIN, ("nom", "f"), ("acc", "f"))


class Phrase(Protocol):
    """Anything that has words in the three languages."""

    def words(self, language: str) -> Words:
        """The words of the phrase in `language`: en, fr or de."""
        ...


Phrases = list[Phrase]
#: Parts of a phrase: phrases, words, texts with blanks.
Parts = list[Phrase | Words | Word | str | None]


@dataclass(frozen=True)
class Fixed:
    """A phrase that never changes; the tag is that of the number in it."""

    english: str
    french: str
    german: str
    tag: Tag | None = None

    def words(self, language: str) -> Words:
        text = {"en": self.english, "fr": self.french, "de": self.german}[language]
        return words_of(text, self.tag)


@dataclass(frozen=True)
class Determiner:
    """English (singular, plural), French (masculine, feminine, plural), German stem and type."""

    english: Forms
    french: Forms
    german: str
    declension: str  #: der, dieser, ein, viele, or none for a word without ending
    tag: Tag | None = None

    def endings(self, case: str, gender: str) -> tuple[str, str]:
        """The German ending of the determiner, and that of an adjective behind it."""
        strong, weak = STRONG[case][gender], "e" if (case, gender) in WEAK_E else "en"
        if self.declension == "none" or (self.declension == "ein" and (case, gender) in BARE_EIN):
            return "", strong
        own = ARTICLE[case][gender].removeprefix("d") if self.declension == "der" else strong
        return own, strong if self.declension == "viele" else weak


@dataclass(frozen=True)
class NounPhrase:
    """Determiner, ordinal, adjective, noun, and what follows the noun.

    `compound` is a name before the English noun (*the Morvan museum*), behind the French one and
    joined to the German one by a hyphen; `apposition` is a name behind the noun in all three.
    """

    determiner: Determiner
    noun: Noun
    plural: bool = False
    tag: Tag | None = None
    adjective: Adjective | None = None
    ordinal: Phrase | None = None
    compound: Word | None = None
    apposition: Word | None = None
    after: Sequence[Phrase] = ()

    @property
    def agreement(self) -> Agreement:
        return self.noun.french_gender, self.plural

    @property
    def german_gender(self) -> str:
        """m, f, n, or p for the plural."""
        return "p" if self.plural else self.noun.german_gender

    def words(self, language: str, case: str = "nom") -> Words:
        """The words in `language`; `case` is the German one."""
        if language == "de":
            head = self._german(case)
        else:
            head = self._english() if language == "en" else self._french()
        return realize([*head, self.apposition, *self.after], language)

    def _english(self) -> Parts:
        determiner = words_of(self.determiner.english[self.plural], self.determiner.tag)
        adjective = [Word(self.adjective.english)] if self.adjective else []
        noun = Word(self.noun.english[self.plural], self.tag)
        return [determiner, self.ordinal, adjective, self.compound, noun]

    def _french(self) -> Parts:
        form = 2 if self.plural else "mf".index(self.noun.french_gender)
        determiner = words_of(self.determiner.french[form], self.determiner.tag)
        noun, adjective = Word(self.noun.french[self.plural], self.tag), self.adjective
        before: Parts = [determiner, self.ordinal]
        if not adjective:
            return [*before, noun, self.compound]
        text = adjective.in_french(*self.agreement)
        if not adjective.before_vowel:
            return [*before, noun, self.compound, Word(text)]
        if text == adjective.french[0] and starts_with_vowel(noun.text):
            text = adjective.before_vowel
        return [*before, Word(text), noun, self.compound]

    def _german(self, case: str) -> Parts:
        gender = self.german_gender
        own, ending = self.determiner.endings(case, gender)
        determiner = words_of(self.determiner.german + own, self.determiner.tag)
        stem = self.adjective.german[1] if self.adjective else None
        adjective = stem and Word(stem + ending)
        text, name = self.noun.in_german(case, self.plural), self.compound
        noun = Word(f"{name.text}-{text}", name.tag) if name else Word(text, self.tag)
        return [determiner, self.ordinal, adjective, noun]


@dataclass(frozen=True)
class Anaphor:
    """A word that stands for a noun phrase named before, and agrees with it."""

    antecedent: NounPhrase

    @property
    def plural(self) -> bool:
        return self.antecedent.plural

    @property
    def agreement(self) -> Agreement:
        return self.antecedent.agreement


class RelativePronoun(Anaphor):
    """*who*, *qui*, *der*: stands for its antecedent inside a relative clause."""

    def words(self, language: str, case: str = "nom") -> Words:
        """The pronoun as a subject (`case` nom) or direct object (acc)."""
        if language == "de":
            return [Word(ARTICLE[case][self.antecedent.german_gender])]
        if language == "fr":
            return [Word("qui" if case == "nom" else "que")]
        return [Word("who" if self.antecedent.noun.person and case == "nom" else "that")]


class Pronoun(Anaphor):
    """*it*, *they*: the subject of a clause, for a thing that was named before."""

    def words(self, language: str) -> Words:
        if language == "en":
            return [Word("they" if self.plural else "it")]
        if language == "fr":
            pronoun = "elle" if self.agreement[0] == "f" else "il"
            return [Word(pronoun + ("s" if self.plural else ""))]
        return [Word({"m": "er", "n": "es"}.get(self.antecedent.german_gender, "sie"))]


@dataclass(frozen=True)
class Prepositional:
    """A preposition and its noun phrase, in German with `case`."""

    preposition: Fixed
    object: NounPhrase
    case: str = "dat"

    def words(self, language: str) -> Words:
        return realize([self.preposition, self.object.words(language, self.case)], language)


@dataclass(frozen=True)
class Predicate:
    """An adjective that agrees with the subject behind *to be*."""

    adjective: Adjective
    subject: NounPhrase | Pronoun

    def words(self, language: str) -> Words:
        text = {
            "en": self.adjective.english,
            "fr": self.adjective.in_french(*self.subject.agreement),
            "de": self.adjective.german[0],
        }[language]
        return [Word(text)]


@dataclass(frozen=True)
class Clause:
    """Subject, verb, complements.

    `complements` follow the object in all languages, `time` is last in English and French and
    follows the German finite verb, `after` (subordinate clauses) is last of all. A relative
    clause's object is `gap`: its pronoun stands in front. `order` is main, inverted (something
    stands in front of the clause), question or subordinate.
    """

    subject: NounPhrase | Pronoun | RelativePronoun
    verb: Verb
    tense: str = "past"  #: past, present, perfect, pluperfect, progressive, passive or modal
    object: NounPhrase | None = None
    recipient: NounPhrase | None = None
    complements: Sequence[Phrase | None] = ()
    time: Phrase | None = None
    after: Sequence[Phrase] = ()
    gap: RelativePronoun | None = None
    order: str = "main"

    def words(self, language: str) -> Words:
        clause = {"en": self._english, "fr": self._french, "de": self._german}[language]()
        pronoun = self.gap.words(language, "acc") if self.gap else None
        return realize([pronoun, *clause, *self.after], language)

    def _english(self) -> Parts:
        finite, rest = self.verb.in_english(self.tense, self.subject.plural)
        head: Parts = [self.subject, finite, rest]
        if self.order == "question":
            head = ["did", self.subject, self.verb.english[0]]
        recipient: Parts = ["to", self.recipient] if self.recipient else []
        tail = [self.verb.particle, self.object, *recipient, *self.complements, self.time]
        return head + tail

    def _french(self) -> Parts:
        question = "est-ce que" if self.order == "question" else ""
        agreeing = self.gap.agreement if self.gap else None
        verb = self.verb.in_french(self.tense, self.subject.agreement, agreeing)
        object_: Parts = [self.verb.french_preposition, self.object] if self.object else []
        recipient: Parts = ["à", self.recipient] if self.recipient else []
        tail = [*object_, *recipient, *self.complements, self.time]
        return [question, self.subject, verb, *tail]

    def _german(self) -> Parts:
        finite, rest = self.verb.in_german(self.tense, self.subject.plural)
        middle: Parts = [self.time, self.recipient and self.recipient.words("de", "dat")]
        if self.object:
            middle += [self.verb.german_preposition, self.object.words("de", self.verb.case)]
        middle += self.complements
        if self.order == "main":
            return [self.subject, finite, *middle, rest]
        if self.order in ("inverted", "question"):
            return [finite, self.subject, *middle, rest]
        joined = [rest + finite] if rest and rest == self.verb.prefix else [rest, finite]
        return [self.subject, *middle, *joined]


def realize(parts: Iterable[Phrase | Words | Word | str | None], language: str) -> Words:
    """The words of several parts one after the other; None has none."""
    words: Words = []
    for part in parts:
        if isinstance(part, str):
            words += words_of(part)
        elif isinstance(part, Word):
            words.append(part)
        elif part:
            words += part if isinstance(part, list) else part.words(language)
    return words


@dataclass(frozen=True)
class Subordinate:
    """A conjunction and its clause, or a relative clause alone; between commas in German.

    The subject or gap of a relative clause is a `RelativePronoun`.
    """

    conjunction: Fixed | None
    clause: Clause

    def words(self, language: str) -> Words:
        parts: Parts = [self.conjunction, replace(self.clause, order="subordinate")]
        return realize([",", *parts, ","] if language == "de" else parts, language)


@dataclass(frozen=True)
class Purpose:
    """*to sell the fish*, *pour vendre le poisson*, *um den Fisch zu verkaufen*."""

    verb: Verb
    object: NounPhrase

    def words(self, language: str) -> Words:
        verb = self.verb
        if language == "en":
            return realize([f"to {verb.english[0]}", verb.particle, self.object], language)
        if language == "fr":
            head = [f"pour {verb.french[0]}", verb.french_preposition]
            return realize([*head, self.object], language)
        infinitive = f"{verb.prefix}zu{verb.german[0]}" if verb.prefix else f"zu {verb.german[0]}"
        object_ = self.object.words("de", verb.case)
        return realize([",", "um", verb.german_preposition, object_, infinitive, ","], language)
