"""A synchronous grammar of English, French and German.

A constituent is one object with three realizations: `words(language)` gives the words of the
phrase in that language, with its own order, agreement and case. German order follows the field
model: finite verb second in a main clause, last in a subordinate one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from contextnmt.corpus.embedded.lexicon import (
    ARTICLE,
    BARE_EIN,
    STRONG,
    WEAK_E,
    Adjective,
    Forms,
    Noun,
    Verb,
    english_verb,
    french_verb,
    german_noun,
    german_verb,
)
from contextnmt.corpus.embedded.writing import Tag, Word, Words, starts_with_vowel, words_of

LANGUAGES = ("en", "fr", "de")


class Phrase(Protocol):
    """Anything that has words in the three languages."""

    def words(self, language: str) -> Words:
        """The words of the phrase in `language`: en, fr or de."""
        ...


Phrases = list[Phrase]


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

    def german_word(self, case: str, gender: str) -> str:
        """The German determiner with its ending."""
        if self.declension == "der":
            return ARTICLE[case][gender]
        if self.declension == "none" or (self.declension == "ein" and (case, gender) in BARE_EIN):
            return self.german
        return self.german + STRONG[case][gender]

    def adjective_ending(self, case: str, gender: str) -> str:
        """The ending of a German adjective behind this determiner."""
        bare_ein = self.declension == "ein" and (case, gender) in BARE_EIN
        if bare_ein or self.declension in ("viele", "none"):
            return STRONG[case][gender]
        return "e" if (case, gender) in WEAK_E else "en"


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
    adjective_tag: Tag | None = None
    ordinal: Phrase | None = None
    compound: Word | None = None
    apposition: Word | None = None
    after: Sequence[Phrase] = ()

    @property
    def french_gender(self) -> str:
        return self.noun.french_gender

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
        apposition = [self.apposition] if self.apposition else []
        return head + apposition + realize(self.after, language)

    def _english(self) -> Words:
        words = words_of(self.determiner.english[self.plural], self.determiner.tag)
        words += self.ordinal.words("en") if self.ordinal else []
        if self.adjective:
            words.append(Word(self.adjective.english, self.adjective_tag))
        words += [self.compound] if self.compound else []
        return [*words, Word(self.noun.english[self.plural], self.tag)]

    def _french(self) -> Words:
        form = 2 if self.plural else "mf".index(self.french_gender)
        noun = Word(self.noun.french[self.plural], self.tag)
        before: Words = self.ordinal.words("fr") if self.ordinal else []
        behind: Words = [self.compound] if self.compound else []
        if self.adjective:
            text = self.adjective.in_french(self.french_gender, self.plural)
            if self.adjective.before_vowel:
                if text == self.adjective.french[0] and starts_with_vowel(noun.text):
                    text = self.adjective.before_vowel
                before.append(Word(text, self.adjective_tag))
            else:
                behind.append(Word(text, self.adjective_tag))
        determiner = words_of(self.determiner.french[form], self.determiner.tag)
        return [*determiner, *before, noun, *behind]

    def _german(self, case: str) -> Words:
        gender = self.german_gender
        words = words_of(self.determiner.german_word(case, gender), self.determiner.tag)
        words += self.ordinal.words("de") if self.ordinal else []
        if self.adjective:
            ending = self.determiner.adjective_ending(case, gender)
            words.append(Word(self.adjective.german[1] + ending, self.adjective_tag))
        noun = german_noun(self.noun, case, self.plural)
        if self.compound:
            return [*words, Word(f"{self.compound.text}-{noun}", self.compound.tag)]
        return [*words, Word(noun, self.tag)]


@dataclass(frozen=True)
class Anaphor:
    """A word that stands for a noun phrase named before, and agrees with it."""

    antecedent: NounPhrase

    @property
    def plural(self) -> bool:
        return self.antecedent.plural

    @property
    def french_gender(self) -> str:
        return self.antecedent.french_gender


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
            pronoun = "elle" if self.french_gender == "f" else "il"
            return [Word(pronoun + ("s" if self.plural else ""))]
        return [Word({"m": "er", "n": "es"}.get(self.antecedent.german_gender, "sie"))]


@dataclass(frozen=True)
class Prepositional:
    """A preposition and its noun phrase, in German with `case`."""

    preposition: Fixed
    object: NounPhrase
    case: str = "dat"

    def words(self, language: str) -> Words:
        return self.preposition.words(language) + self.object.words(language, self.case)


@dataclass(frozen=True)
class Predicate:
    """An adjective that agrees with the subject behind *to be*."""

    adjective: Adjective
    subject: NounPhrase | Pronoun
    tag: Tag | None = None

    def words(self, language: str) -> Words:
        text = {
            "en": self.adjective.english,
            "fr": self.adjective.in_french(self.subject.french_gender, self.subject.plural),
            "de": self.adjective.german[0],
        }[language]
        return [Word(text, self.tag)]


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
    complements: Sequence[Phrase] = ()
    time: Phrase | None = None
    after: Sequence[Phrase] = ()
    gap: RelativePronoun | None = None
    order: str = "main"

    def words(self, language: str) -> Words:
        clause = {"en": self._english, "fr": self._french, "de": self._german}[language]()
        pronoun = self.gap.words(language, "acc") if self.gap else []
        return pronoun + clause + realize(self.after, language)

    def _english(self) -> Words:
        finite, rest = english_verb(self.verb, self.tense, self.subject.plural)
        subject = self.subject.words("en")
        if self.order == "question":
            head = [*words_of("did"), *subject, *words_of(self.verb.english[0])]
        else:
            head = [*subject, *words_of(finite), *words_of(rest)]
        words = head + words_of(self.verb.particle)
        words += self.object.words("en") if self.object else []
        words += [Word("to"), *self.recipient.words("en")] if self.recipient else []
        return words + realize(self.complements, "en") + realize([self.time], "en")

    def _french(self) -> Words:
        agreeing = self.gap.antecedent if self.gap else None
        words = words_of("est-ce que") if self.order == "question" else []
        words += self.subject.words("fr")
        words += words_of(french_verb(self.verb, self.tense, self.subject, agreeing))
        if self.object:
            words += words_of(self.verb.french_preposition) + self.object.words("fr")
        words += [Word("à"), *self.recipient.words("fr")] if self.recipient else []
        return words + realize(self.complements, "fr") + realize([self.time], "fr")

    def _german(self) -> Words:
        finite, rest = german_verb(self.verb, self.tense, self.subject.plural)
        middle = realize([self.time], "de")
        middle += self.recipient.words("de", "dat") if self.recipient else []
        if self.object:
            middle += words_of(self.verb.german_preposition)
            middle += self.object.words("de", self.verb.case)
        middle += realize(self.complements, "de")
        subject = self.subject.words("de")
        if self.order == "main":
            return [*subject, *words_of(finite), *middle, *words_of(rest)]
        if self.order in ("inverted", "question"):
            return [*words_of(finite), *subject, *middle, *words_of(rest)]
        if rest and rest == self.verb.prefix:
            return [*subject, *middle, *words_of(rest + finite)]
        return [*subject, *middle, *words_of(rest), *words_of(finite)]


def realize(phrases: Sequence[Phrase | None], language: str) -> Words:
    """The words of several phrases one after the other; None has none."""
    return [word for phrase in phrases if phrase for word in phrase.words(language)]


@dataclass(frozen=True)
class Subordinate:
    """A conjunction and its clause, or a relative clause alone; between commas in German.

    The subject or gap of a relative clause is a `RelativePronoun`.
    """

    conjunction: Fixed | None
    clause: Clause

    def words(self, language: str) -> Words:
        head = self.conjunction.words(language) if self.conjunction else []
        words = head + replace(self.clause, order="subordinate").words(language)
        return [Word(","), *words, Word(",")] if language == "de" else words


@dataclass(frozen=True)
class Purpose:
    """*to sell the fish*, *pour vendre le poisson*, *um den Fisch zu verkaufen*."""

    verb: Verb
    object: NounPhrase

    def words(self, language: str) -> Words:
        verb = self.verb
        if language == "en":
            head = f"to {verb.english[0]} {verb.particle}"
            return words_of(head) + self.object.words("en")
        if language == "fr":
            head = f"pour {verb.french[0]} {verb.french_preposition}"
            return words_of(head) + self.object.words("fr")
        infinitive = f"{verb.prefix}zu{verb.german[0]}" if verb.prefix else f"zu {verb.german[0]}"
        middle = words_of(verb.german_preposition) + self.object.words("de", verb.case)
        return [Word(","), Word("um"), *middle, *words_of(infinitive), Word(",")]
