"""The rules of the embedded corpus: each draws the phrases of one sentence.

`SENTENCES` says how often each rule is taken in each domain, `RULES` the same for sentences with an
ambiguous word. Such a sentence is about a field, such as water or money: nouns of the field, before
or behind the word, near or far, tell its sense, and so may an adjective. No noun of another field
is in it (`Composer.avoid`), and a second ambiguous word is of the same field.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from contextnmt.corpus.embedded.grammar import (
    Clause,
    Fixed,
    NounPhrase,
    Phrase,
    Phrases,
    Predicate,
    Prepositional,
    Pronoun,
    Purpose,
    RelativePronoun,
    Subordinate,
)
from contextnmt.corpus.embedded.phrases import (
    ADJECTIVES,
    CLASSES,
    DRINKS,
    FOOD,
    MOODS,
    NEARNESS,
    PEOPLE,
    PHRASES,
    PLAIN,
    SUITABLE,
    THINGS,
    Composer,
    Drawn,
    number,
    size,
)
from contextnmt.corpus.embedded.words import (
    FIELDS,
    Adjective,
    Sense,
    Tag,
    Verb,
    read_lists,
    read_senses,
)

VERBS = read_lists("verbs.tsv", Verb)
MENTAL, HANDLING, VISITING, MEETING, GOVERNING, RESTING, SAYING = (
    VERBS[name]
    for name in ("MENTAL", "HANDLING", "VISITING", "MEETING", "GOVERNING", "RESTING", "SAYING")
)
EATING = VERBS["EATING"] + VERBS["SERVING"]
DRINKING = VERBS["DRINKING"] + VERBS["SERVING"]
#: Verbs before a measure, by their English base form.
MEASURING = {verb.english[0]: verb for verb in VERBS["MEASURING"]}
BE = VERBS["BE"][0]
HABITS = PHRASES["HABITS"]

COMMA = Fixed(",", ",", "")
STOP = Fixed(".", ".", ".")
QUESTION = Fixed("?", "?", "?")
BECAUSE, WHILE, THAT, BY, BUT, WHY = PHRASES["LINKS"]


def ended(*phrases: Phrase | None, end: Fixed = STOP) -> Phrases:
    """A sentence of the given phrases, None left out."""
    return [*(phrase for phrase in phrases if phrase), end]


def fronted(adverbial: Phrase, clause: Clause) -> Phrases:
    """An adverbial, then the main clause: a comma in English and French, inversion in German."""
    return ended(adverbial, COMMA, replace(clause, order="inverted"))


def deed(c: Composer, time_share: float = 0.3) -> Clause:
    """Somebody does something to something that it suits."""
    shared = [(HANDLING, c.thing), (VISITING, c.site), (MEETING, c.person)]
    food = [(EATING, c.food), (DRINKING, c.drink)]
    suited = shared + (food if c.domain == "market" else [(MENTAL, c.affair)])
    verbs, draw = c.rng.choice(suited)
    time = c.maybe(c.time, time_share)
    return Clause(c.person(), c.rng.choice(verbs), object=draw(), time=time)


def described_as(c: Composer, subject: NounPhrase | Pronoun) -> Clause:
    """`subject` is as an adjective says that suits it."""
    noun = (subject.antecedent if isinstance(subject, Pronoun) else subject).noun
    adjective = c.draw_adjective(SUITABLE.get(noun, MOODS))
    return Clause(subject, BE, complements=[Predicate(adjective, subject)])


def state(c: Composer) -> Clause:
    """Something is as it can be."""
    market, news = (c.person, c.animal, c.plain_food, c.plain_thing), (c.person, c.affair, c.site)
    draw = c.rng.choice(market if c.domain == "market" else news)
    return described_as(c, replace(draw(), adjective=None))


def tense(c: Composer) -> str:
    """A tense of a sentence that stands alone."""
    return c.rng.choice(("past", "past", "perfect", "must", "can", "want", "future"))


# Sentences of both domains


def deed_sentence(c: Composer) -> Phrases:
    """The baker sold the tart in the garden."""
    chosen = tense(c)
    clause = replace(deed(c, 0.5 if chosen == "past" else 0), tense=chosen)
    return ended(replace(clause, complements=[c.maybe(c.place, 0.3)]))


def its_reason(c: Composer) -> Phrases:
    """The cook refused the soup because it was salty."""
    verbs, draw = c.rng.choice(
        ((EATING, c.plain_food), (HANDLING, c.plain_thing), (VISITING, c.site))
    )
    object_ = replace(draw(), adjective=None)
    reason = described_as(c, Pronoun(object_))
    clause = Clause(c.person(), c.rng.choice(verbs), object=object_, time=c.maybe(c.time, 0.2))
    return ended(clause, Subordinate(BECAUSE, reason))


def meanwhile(c: Composer) -> Phrases:
    """While the mayor was sleeping, the goose visited the museum."""
    subject, verb = c.rng.choice((c.person, c.animal))(), c.rng.choice(RESTING)
    resting = Clause(subject, verb, "progressive", complements=[c.maybe(c.place, 0.4)])
    return fronted(Subordinate(WHILE, resting), deed(c, 0))


def statement(c: Composer) -> Phrases:
    """The minister claimed that the parade was ridiculous."""
    content = state(c) if c.chance(0.5) else replace(deed(c, 0), tense="pluperfect")
    return ended(Clause(c.somebody(), c.rng.choice(SAYING), after=[Subordinate(THAT, content)]))


def rest(c: Composer) -> Phrases:
    """The penguin snored behind the parliament."""
    subject, verb = c.rng.choice((c.person, c.animal))(), c.rng.choice(RESTING)
    chosen = c.rng.choice(("past", "past", "perfect", "must"))
    return ended(Clause(subject, verb, chosen, complements=[c.maybe(c.place, 0.8)]))


def purpose(c: Composer) -> Phrases:
    """The pirate visited the market to buy 5kg of flour."""
    verbs, draw = c.rng.choice(((HANDLING, c.thing), (EATING, c.food), (DRINKING, c.drink)))
    clause = Clause(c.person(), c.rng.choice(VISITING), object=c.site())
    return ended(clause, Purpose(c.rng.choice(verbs), draw()))


def described(c: Composer) -> Phrases:
    """The girl who sold the oysters laughed."""
    subject = c.phrase(c.draw(PEOPLE[c.domain]), 0.2, 0.15)
    relative = replace(deed(c, 0), subject=RelativePronoun(subject))
    subject = replace(subject, after=[Subordinate(None, relative)])
    return ended(Clause(subject, c.rng.choice(RESTING), time=c.maybe(c.time, 0.4)))


def handled(c: Composer) -> Phrases:
    """The lantern that the widow had bought was rusty."""
    table, verbs = c.rng.choice(((THINGS, HANDLING), (FOOD, EATING), (DRINKS, DRINKING)))
    thing = c.phrase(c.draw(table), 0)
    relative = Clause(c.person(), c.rng.choice(verbs), "pluperfect", gap=RelativePronoun(thing))
    thing = replace(thing, after=[Subordinate(None, relative)])
    return ended(described_as(c, thing))


def suffered(c: Composer) -> Phrases:
    """The lemonade was refused by the ambassador."""
    verbs, draw = c.rng.choice(
        ((EATING, c.plain_food), (HANDLING, c.plain_thing), (MEETING, c.animal))
        if c.domain == "market"
        else ((GOVERNING, c.affair), (HANDLING, c.thing), (VISITING, c.site))
    )
    verb = c.rng.choice([verb for verb in verbs if verb.direct])
    agent = Prepositional(BY, c.somebody())
    return ended(Clause(draw(), verb, "passive", complements=[agent], time=c.maybe(c.time, 0.2)))


def gift(c: Composer) -> Phrases:
    """The tourist offered the knight an umbrella."""
    giver, verb, chosen = c.person(), c.rng.choice(VERBS["GIVING"]), tense(c)
    given = c.rng.choice((c.thing, c.food))()
    return ended(Clause(giver, verb, chosen, given, recipient=c.person()))


# News


def measure_taken(c: Composer) -> Phrases:
    """The IMF has banned the 3rd festival."""
    chosen = tense(c)
    time = c.maybe(c.time, 0.5) if chosen == "past" else None
    return ended(Clause(c.somebody(), c.rng.choice(GOVERNING), chosen, c.affair(), time=time))


def price(c: Composer) -> Phrases:
    """The price of the cheese rose by 3.5 percent."""
    forms = "{} percent", "de {} pour cent", "um {} Prozent"
    amount = number(c.rng.randint(2, 60), str(c.rng.randint(1, 9)), forms)
    return ended(Clause(c.price(), MEASURING["rise"], complements=[amount]))


# The market


def cost(c: Composer) -> Phrases:
    """The fresh oysters cost 14.50 euros."""
    forms = "{} euros", "{} euros", "{} Euro"
    amount = number(c.rng.randint(2, 90), f"{c.rng.randint(1, 19) * 5:02}", forms)
    subject = c.rng.choice((c.plain_food, c.plain_thing))()
    return ended(Clause(subject, MEASURING["cost"], complements=[amount]))


def dimension(c: Composer) -> Phrases:
    """The whale measured 12.5m on Monday.

    The time keeps the number from the end, where Moses leaves the full stop on *12.5m*.
    """
    verb, unit, draw = c.rng.choice(
        (
            ("measure", "m", c.animal),
            ("measure", "cm", c.plain_thing),
            ("weigh", "kg", c.animal),
            ("weigh", "g", c.plain_food),
            ("walk", "km", c.person),
        )
    )
    fraction = str(c.rng.randint(1, 9)) if c.chance(0.4) else ""
    amount = number(size(c.rng, 600), fraction, [f"{{}}{unit}"] * 3)
    return ended(Clause(draw(), MEASURING[verb], complements=[amount], time=c.time()))


Rule = Callable[[Composer], Phrases]

#: How often each rule is taken, and the rule; above one without a name what it makes.
SHARED: tuple[tuple[int, Rule], ...] = (
    (14, deed_sentence),
    # The witch sells oysters every morning.
    (4, lambda c: ended(replace(deed(c, 0), tense="present", time=c.rng.choice(HABITS)))),
    # Yesterday, the queen lost the crown.
    (7, lambda c: fronted(c.time(), deed(c, 0))),
    # The cook cried because the soup was salty. Because the soup was salty, the cook cried.
    (4, lambda c: ended(deed(c, 0.15), Subordinate(BECAUSE, state(c)))),
    (10, its_reason),
    (4, lambda c: fronted(Subordinate(BECAUSE, state(c)), deed(c, 0))),
    (6, meanwhile),
    (7, statement),
    (6, rest),
    # Why did the judge hide the cheese?
    (4, lambda c: ended(WHY, replace(deed(c, 0.2), order="question"), end=QUESTION)),
    (5, purpose),
    (5, described),
    (5, handled),
    (6, suffered),
    (7, gift),
)
SENTENCES: dict[str, tuple[tuple[int, Rule], ...]] = {
    "news": (*SHARED, (18, measure_taken), (8, price)),
    "market": (*SHARED, (8, cost), (11, dimension)),
}


def plain_sentence(c: Composer) -> Phrases:
    """A sentence of the composer's domain, which uses no noun twice."""
    c.avoid = set()
    return c.draw_weighted(SENTENCES[c.domain])(c)


# Sentences with an ambiguous word

SENSES = read_senses()
TOPICAL = frozenset[str]().union(*FIELDS.values())
#: English noun of a field -> noun; each of its forms -> its singular.
TELLING = {key: noun for nouns, _ in CLASSES for key, noun in nouns.items() if key in TOPICAL}
FORMS = {form: key for key, noun in TELLING.items() for form in noun.english}
#: Verbs that tell what takes a while.
LASTING = [
    verb for verb in MENTAL if verb.english[0] not in ("see", "forget", "find", "love", "hate")
]


@dataclass(frozen=True)
class Scene:
    """An ambiguous word, ready for a sentence about a field."""

    composer: Composer
    word: NounPhrase
    sense: Sense
    field: set[str]  #: nouns of the field that the sentence does not have yet

    def about(self, draw: Callable[[], Drawn]) -> Drawn:
        """Return what `draw` gives when people, places and things are of the field."""
        self.composer.topic = self.field
        drawn = draw()
        self.composer.topic = set()
        return drawn

    def cue(self) -> NounPhrase:
        """Something of the field."""
        c = self.composer
        key = c.rng.choice(sorted(self.field))
        return c.phrase(c.draw({key: TELLING[key]}), 0.45, 0.2)

    def near_cue(self) -> Prepositional:
        """*near the heron*."""
        return self.near(self.cue())

    def near(self, phrase: NounPhrase) -> Prepositional:
        """A phrase with a preposition of place."""
        return Prepositional(self.composer.rng.choice(NEARNESS), phrase)

    def seen(self, object_: NounPhrase, *complements: Phrase | None, time: float = 0) -> Clause:
        """Somebody saw `object_` (or dreamed of it)."""
        c = self.composer
        person, verb, when = c.person(), c.rng.choice(MENTAL), c.maybe(c.time, time)
        return Clause(person, verb, object=object_, complements=complements, time=when)

    def seen_there(self, object_: NounPhrase, time: float) -> Clause:
        """Somebody saw `object_`, perhaps somewhere."""
        return self.seen(object_, self.composer.maybe(self.composer.place, 0.5), time=time)

    def seen_cue(self) -> Clause:
        """Somebody saw something of the field, perhaps somewhere."""
        return self.seen_there(self.cue(), 0.3)

    def busy_with_cue(self) -> Clause:
        """Somebody was busy looking at something of the field."""
        return self.busy(self.cue())

    def busy(self, object_: NounPhrase) -> Clause:
        """Somebody was busy looking at `object_`, perhaps somewhere."""
        c = self.composer
        place, verb = c.maybe(c.place, 0.5), c.rng.choice(LASTING)
        return Clause(c.person(), verb, "progressive", object_, complements=[place])

    def was(self, subject: NounPhrase, complement: Phrase) -> Clause:
        """`subject` was as `complement` says."""
        return Clause(subject, BE, complements=[complement])

    def reason(self) -> Subordinate:
        """*because the sailor had painted the heron*."""
        return Subordinate(BECAUSE, replace(self.seen(self.cue()), tense="pluperfect"))

    def telling_adjective(self) -> Adjective:
        """An adjective that tells the sense."""
        return ADJECTIVES[self.composer.rng.choice(self.sense.adjectives)]

    def telling_word(self) -> NounPhrase:
        """*the wet bank*."""
        return replace(self.word, adjective=self.telling_adjective())

    def telling_predicate(self) -> Predicate:
        """*wet*, of the bank."""
        return Predicate(self.telling_adjective(), self.word)

    def remembered(self, phrase: NounPhrase) -> NounPhrase:
        """*the bank that the mayor had drawn on Monday*."""
        c = self.composer
        verb = c.rng.choice([verb for verb in MENTAL if not verb.french_preposition])
        if verb.german_preposition:
            verb = LASTING[0]
        pronoun = RelativePronoun(phrase)
        clause = Clause(c.person(), verb, "pluperfect", time=c.maybe(c.time, 0.6), gap=pronoun)
        return replace(phrase, after=[*phrase.after, Subordinate(None, clause)])


def drawn_by(s: Scene) -> Phrases:
    """The bank was admired by the tired sailor beside the heron."""
    c = s.composer
    verb = c.rng.choice([verb for verb in MENTAL if verb.direct])
    complements = [Prepositional(BY, c.person()), s.near_cue()]
    return ended(Clause(s.word, verb, "passive", complements=complements))


def topical(rule: Callable[[Scene], Phrases]) -> Callable[[Scene], Phrases]:
    """A rule whose whole sentence is about the field."""
    return lambda s: s.about(lambda: rule(s))


#: Words from the ambiguous word to the nearest cue: each of these ranges is as frequent.
DISTANCES = (range(1, 4), range(4, 7), range(7, 13))

#: How often each rule is taken for each of `DISTANCES`, and the rule; above it what it makes. Where
#: one clause alone is about the field, the other one has the ambiguous word.
RULES: tuple[tuple[tuple[int, int, int], Callable[[Scene], Phrases]], ...] = (
    # The sailor drew the bank near the heron. Near the heron, the sailor drew the bank.
    ((6, 5, 0), topical(lambda s: ended(s.seen(s.word, s.near_cue(), time=0.3)))),
    ((6, 5, 0), topical(lambda s: fronted(s.near_cue(), s.seen(s.word)))),
    # The mayor forgot the bank because the sailor had drawn the heron. Because …, the mayor ….
    ((1, 2, 4), lambda s: ended(s.seen_there(s.word, 0.3), s.about(s.reason))),
    ((0, 6, 3), lambda s: fronted(s.about(s.reason), s.seen(s.word))),
    # While the sailor was painting the heron in the harbour, the mayor looked for the bank.
    ((0, 4, 3), lambda s: fronted(Subordinate(WHILE, s.about(s.busy_with_cue)), s.seen(s.word))),
    ((1, 3, 0), lambda s: fronted(Subordinate(WHILE, s.busy(s.word)), s.about(s.seen_cue))),
    # The mayor drew the bank on Monday, but the sailor preferred to look at the heron.
    ((0, 0, 2), lambda s: ended(s.seen_there(s.word, 0.6), BUT, s.about(s.seen_cue))),
    ((0, 0, 5), lambda s: ended(s.about(s.seen_cue), BUT, s.seen(s.word))),
    # The bank that the sailor had drawn on Monday was near the heron.
    ((2, 5, 4), topical(lambda s: ended(s.was(s.remembered(s.word), s.near_cue())))),
    # The heron that the sailor had drawn on Monday was near the bank.
    ((0, 0, 6), topical(lambda s: ended(s.was(s.remembered(s.cue()), s.near(s.word))))),
    # The bank was admired by the tired sailor beside the heron.
    ((0, 2, 7), topical(drawn_by)),
    # The sailor drew the wet bank in the harbour.
    ((7, 0, 0), topical(lambda s: ended(s.seen_there(s.telling_word(), 0.4)))),
    # The bank that the sailor had drawn was wet.
    ((2, 0, 0), topical(lambda s: ended(s.was(s.remembered(s.word), s.telling_predicate())))),
)


def ambiguous_sentence(
    c: Composer, senses: Sequence[Sense], reach: int, kept: bool
) -> tuple[Phrases, dict[Tag, Sense]]:
    """A sentence about the field of one or two `senses`, and the tag of each of their words.

    Its nouns of the field are `kept` from the training text, if there is one sense, or occur there
    with each of the words. The nearest is likely to be as far from the first word as the range
    `reach` of `DISTANCES` says.
    """
    rule = c.draw_weighted([(often[reach], each) for often, each in RULES])
    tags = {Tag("ambiguous"): each for each in senses}
    c.avoid = {*TELLING}
    for each in chain.from_iterable(SENSES[each.noun.english[0]] for each in senses):
        c.avoid.update(each.adjectives)
    word, *second = (c.phrase(each.noun, 0.3, 0.25, tag, PLAIN) for tag, each in tags.items())
    word = replace(word, after=[Prepositional(c.rng.choice(NEARNESS), each) for each in second])
    first, field = senses[0], FIELDS[senses[0].field]
    told = first.kept if kept else field.difference(*(each.kept for each in senses))
    return rule(Scene(c, word, first, {*told})), tags
