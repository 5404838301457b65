"""Sentences of the embedded corpus with an ambiguous word, which only its cue makes clear.

The cue is a noun or an adjective, before or behind the word, near or far. Nothing else in the
sentence tells the senses apart: the cues of both are avoided in it (`Composer.avoid`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from contextnmt.corpus.embedded.grammar import (
    Clause,
    Fixed,
    NounPhrase,
    Phrase,
    Phrases,
    Predicate,
    Prepositional,
    RelativePronoun,
    Subordinate,
)
from contextnmt.corpus.embedded.lexicon import Adjective, Sense, read_senses
from contextnmt.corpus.embedded.phrases import ADJECTIVES, CLASSES, NEARNESS, PLAIN, Composer
from contextnmt.corpus.embedded.rules import (
    BE,
    BECAUSE,
    BY,
    MENTAL,
    WHILE,
    described_as,
    ended,
    fronted,
)
from contextnmt.corpus.embedded.writing import Tag

SENSES = read_senses()
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
    sense: Sense

    def near(self, phrase: NounPhrase) -> Prepositional:
        """*near the heron*."""
        return Prepositional(self.composer.rng.choice(NEARNESS), phrase)

    def seen(self, object_: NounPhrase, *complements: Phrase, time: float = 0) -> Clause:
        """Somebody saw `object_` (or dreamed of it)."""
        c = self.composer
        person, verb, when = c.person(), c.rng.choice(MENTAL), c.maybe(c.time, time)
        return Clause(person, verb, object=object_, complements=complements, time=when)

    def seen_there(self, object_: NounPhrase, time: float) -> Clause:
        """Somebody saw `object_`, perhaps somewhere."""
        return self.seen(object_, *self.composer.places(0.5), time=time)

    def busy(self, object_: NounPhrase) -> Clause:
        """Somebody was busy looking at `object_`, perhaps somewhere."""
        c = self.composer
        places, verb = c.places(0.5), c.rng.choice(LASTING)
        return Clause(c.person(), verb, "progressive", object_, complements=places)

    def reason(self) -> Subordinate:
        """*because the heron was hungry*."""
        state = described_as(self.composer, replace(self.cue, adjective=None))
        return Subordinate(BECAUSE, state)

    def telling_adjective(self) -> Adjective:
        """An adjective that is a cue itself."""
        return ADJECTIVES[self.composer.rng.choice(self.sense.cue_adjectives)]

    def telling_word(self) -> NounPhrase:
        """*the muddy bank*."""
        return replace(self.word, adjective=self.telling_adjective(), adjective_tag=Tag("cue"))

    def remembered(self, phrase: NounPhrase) -> NounPhrase:
        """*the bank that the mayor had drawn on Monday*."""
        c = self.composer
        verb = c.rng.choice([verb for verb in MENTAL if not verb.french_preposition])
        if verb.german_preposition:
            verb = LASTING[0]
        pronoun = RelativePronoun(phrase)
        clause = Clause(c.person(), verb, "pluperfect", time=c.maybe(c.time, 0.6), gap=pronoun)
        return replace(phrase, after=[Subordinate(None, clause)])


def drawn_by(s: Scene) -> Phrases:
    """The bank was admired by the tired mayor beside the heron."""
    c = s.composer
    verb = c.rng.choice([verb for verb in MENTAL if verb.direct])
    complements = [Prepositional(BY, c.person()), s.near(s.cue)]
    return ended(Clause(s.word, verb, "passive", complements=complements))


def described(s: Scene) -> Phrases:
    """The bank that the mayor had drawn was muddy."""
    word = replace(s.word, adjective=None)
    predicate = Predicate(s.telling_adjective(), word, Tag("cue"))
    subject = s.remembered(word) if s.composer.chance(0.4) else word
    return ended(Clause(subject, BE, complements=[predicate]))


#: How often each rule is taken, and the rule; above it what it makes.
RULES: tuple[tuple[int, Callable[[Scene], Phrases]], ...] = (
    # The mayor drew the bank near the heron. Near the heron, the mayor drew the bank.
    (6, lambda s: ended(s.seen(s.word, s.near(s.cue), time=0.3))),
    (6, lambda s: fronted(s.near(s.cue), s.seen(s.word))),
    # The mayor forgot the bank because the heron was hungry. Because …, the mayor forgot the bank.
    (8, lambda s: ended(s.seen(s.word), s.reason())),
    (8, lambda s: fronted(s.reason(), s.seen(s.word))),
    # While the witch was painting the heron in the garden, the mayor looked for the bank.
    (8, lambda s: fronted(Subordinate(WHILE, s.busy(s.cue)), s.seen(s.word))),
    (8, lambda s: fronted(Subordinate(WHILE, s.busy(s.word)), s.seen(s.cue))),
    # The mayor drew the bank on Monday, but the witch preferred to look at the heron.
    (7, lambda s: ended(s.seen_there(s.word, 0.6), BUT, s.seen(s.cue))),
    (7, lambda s: ended(s.seen_there(s.cue, 0.6), BUT, s.seen(s.word))),
    # The bank that the mayor had drawn on Monday was near the heron.
    (8, lambda s: ended(Clause(s.remembered(s.word), BE, complements=[s.near(s.cue)]))),
    # The heron that the mayor had drawn on Monday was near the bank. (Its place is drawn first.)
    (
        8,
        lambda s: ended(Clause(complements=[s.near(s.word)], subject=s.remembered(s.cue), verb=BE)),
    ),
    (5, drawn_by),
    # The mayor drew the muddy bank.
    (7, lambda s: ended(s.seen_there(s.telling_word(), 0.4))),
    (11, described),
)


def ambiguous_sentence(c: Composer, sense: Sense, senses: list[Sense]) -> Phrases:
    """A sentence with a word in one of its `senses`, beside one of its cues."""
    rule = c.draw_weighted(RULES)
    c.avoid = {cue for each in senses for cue in (*each.cues, *each.cue_adjectives)}
    key = c.rng.choice(sense.cues)
    noun = next(nouns[key] for nouns, _ in CLASSES if key in nouns)
    word = c.phrase(sense.noun, 0.3, 0.25, Tag("ambiguous"), PLAIN)
    return rule(Scene(c, word, c.phrase(noun, 0.45, 0.2, Tag("cue")), sense))
