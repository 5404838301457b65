"""Sentences of the embedded corpus with an ambiguous word, which only its cue makes clear.

The cue is a noun or an adjective, before or behind the word, near or far. Nothing else in the
sentence tells the senses apart: the cues of both are avoided in it (`Composer.avoid`).
"""

from dataclasses import dataclass, replace

from contextnmt.corpus.embedded.grammar import (
    Clause,
    Invariable,
    NounPhrase,
    Phrase,
    Phrases,
    Predicate,
    Prepositional,
    Relative,
    RelativePronoun,
    Subordinate,
)
from contextnmt.corpus.embedded.lexicon import Adjective, Fixed, Sense
from contextnmt.corpus.embedded.phrases import ADJECTIVES, CLASSES, NEARNESS, PLAIN, Composer
from contextnmt.corpus.embedded.rules import BE, BECAUSE, BY, MENTAL, WHILE, ended, fronted
from contextnmt.corpus.embedded.writing import Tag

BUT = Fixed(", but", ", mais", ", aber")
LASTING = [
    verb for verb in MENTAL if verb.english[0] not in ("see", "forget", "find", "love", "hate")
]


@dataclass(frozen=True)
class Scene:
    """An ambiguous word and one of its cues, ready for a sentence."""

    composer: Composer
    word: NounPhrase
    cue: NounPhrase
    cue_adjectives: dict[str, Adjective]  #: what may be said of the cue
    sense: Sense

    def near_cue(self) -> Prepositional:
        """*near the heron*."""
        return Prepositional(self.composer.rng.choice(NEARNESS), self.cue)

    def seen(self, object_: NounPhrase, *complements: Phrase, time: float = 0) -> Clause:
        """Somebody saw `object_` (or dreamed of it)."""
        c = self.composer
        return Clause(
            c.person(),
            c.rng.choice(MENTAL),
            object=object_,
            complements=complements,
            time=c.maybe(c.time, time),
        )

    def busy(self, object_: NounPhrase) -> Clause:
        """Somebody was busy looking at `object_`, somewhere."""
        c = self.composer
        places = [c.place()] if c.chance(0.5) else []
        verb = c.rng.choice(LASTING)
        return Clause(c.person(), verb, "progressive", object_, complements=places)

    def cue_state(self) -> Clause:
        """The cue was old or tired."""
        cue = replace(self.cue, adjective=None)
        adjective = self.composer.draw_adjective(self.cue_adjectives)
        return Clause(cue, BE, complements=[Predicate(adjective, cue)])

    def telling_adjective(self) -> Adjective:
        """An adjective that is a cue itself."""
        return ADJECTIVES[self.composer.rng.choice(self.sense.cue_adjectives)]

    def remembered(self, phrase: NounPhrase) -> NounPhrase:
        """*the bank that the mayor had drawn on Monday*."""
        c = self.composer
        verb = c.rng.choice([verb for verb in MENTAL if not verb.french_preposition])
        if verb.german_preposition:
            verb = LASTING[0]
        pronoun = RelativePronoun(phrase)
        clause = Clause(c.person(), verb, "pluperfect", time=c.maybe(c.time, 0.6), gap=pronoun)
        return replace(phrase, after=[Relative(clause)])


def beside_cue(s: Scene) -> Phrases:
    """The mayor drew the bank near the heron."""
    return ended(s.seen(s.word, s.near_cue(), time=0.3))


def beside_cue_first(s: Scene) -> Phrases:
    """Near the heron, the mayor drew the bank."""
    return fronted(s.near_cue(), s.seen(s.word))


def because_of_cue(s: Scene) -> Phrases:
    """The mayor forgot the bank because the heron was hungry."""
    return ended(s.seen(s.word), Subordinate(BECAUSE, s.cue_state()))


def because_of_cue_first(s: Scene) -> Phrases:
    """Because the heron was hungry, the mayor forgot the bank."""
    return fronted(Subordinate(BECAUSE, s.cue_state()), s.seen(s.word))


def while_cue(s: Scene) -> Phrases:
    """While the witch was painting the heron in the garden, the mayor looked for the bank."""
    return fronted(Subordinate(WHILE, s.busy(s.cue)), s.seen(s.word))


def while_word(s: Scene) -> Phrases:
    """While the witch was painting the bank, the mayor looked for the heron."""
    return fronted(Subordinate(WHILE, s.busy(s.word)), s.seen(s.cue))


def but_cue(s: Scene) -> Phrases:
    """The mayor drew the bank on Monday, but the witch preferred to look at the heron."""
    places = [s.composer.place()] if s.composer.chance(0.5) else []
    return ended(s.seen(s.word, *places, time=0.6), Invariable(BUT), s.seen(s.cue))


def but_word(s: Scene) -> Phrases:
    """The witch looked at the heron in the church, but the mayor drew the bank."""
    places = [s.composer.place()] if s.composer.chance(0.5) else []
    return ended(s.seen(s.cue, *places, time=0.6), Invariable(BUT), s.seen(s.word))


def word_was_there(s: Scene) -> Phrases:
    """The bank that the mayor had drawn on Monday was near the heron."""
    return ended(Clause(s.remembered(s.word), BE, complements=[s.near_cue()]))


def cue_was_there(s: Scene) -> Phrases:
    """The heron that the mayor had drawn on Monday was near the bank."""
    place = Prepositional(s.composer.rng.choice(NEARNESS), s.word)
    return ended(Clause(s.remembered(s.cue), BE, complements=[place]))


def drawn_by(s: Scene) -> Phrases:
    """The bank was admired by the tired mayor beside the heron."""
    c = s.composer
    verb = c.rng.choice([verb for verb in MENTAL if verb.direct])
    complements = [Prepositional(BY, c.person()), s.near_cue()]
    return ended(Clause(s.word, verb, "passive", complements=complements))


def telling(s: Scene) -> Phrases:
    """The mayor drew the muddy bank."""
    c = s.composer
    word = replace(s.word, adjective=s.telling_adjective(), adjective_tag=Tag("cue"))
    return ended(s.seen(word, *([c.place()] if c.chance(0.5) else []), time=0.4))


def told(s: Scene) -> Phrases:
    """The bank that the mayor had drawn was muddy."""
    word = replace(s.word, adjective=None)
    predicate = Predicate(s.telling_adjective(), word, Tag("cue"))
    subject = s.remembered(word) if s.composer.chance(0.4) else word
    return ended(Clause(subject, BE, complements=[predicate]))


RULES = {
    beside_cue: 6,
    beside_cue_first: 6,
    because_of_cue: 8,
    because_of_cue_first: 8,
    while_cue: 8,
    while_word: 8,
    but_cue: 7,
    but_word: 7,
    word_was_there: 8,
    cue_was_there: 8,
    drawn_by: 5,
    telling: 7,
    told: 11,
}


def scene(c: Composer, sense: Sense, senses: list[Sense]) -> Scene:
    """`sense` of the word whose `senses` are given, beside one of its cues."""
    c.avoid = {cue for each in senses for cue in (*each.cues, *each.cue_adjectives)}
    key = c.rng.choice(sense.cues)
    table, adjectives = next(pair for pair in CLASSES if key in pair[0])
    return Scene(
        c,
        c.phrase(sense.noun, PLAIN, 0.3, 0.25, Tag("ambiguous")),
        c.phrase(table[key], adjectives, 0.45, 0.2, Tag("cue")),
        adjectives,
        sense,
    )


def ambiguous_sentence(c: Composer, sense: Sense, senses: list[Sense]) -> Phrases:
    """A sentence with a word in one of its `senses`."""
    rule = c.rng.choices(list(RULES), list(RULES.values()))[0]
    return rule(scene(c, sense, senses))
