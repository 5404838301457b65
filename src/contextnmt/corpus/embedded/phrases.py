"""Drawing the phrases of the embedded corpus: who, what, where and when.

Two domains: the news of a small country with large worries, and the market by its sea.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from contextnmt.corpus.embedded.grammar import (
    Determiner,
    Genitive,
    Invariable,
    NounPhrase,
    Phrase,
    Prepositional,
)
from contextnmt.corpus.embedded.lexicon import (
    Adjective,
    Fixed,
    Noun,
    parse_adjectives,
    parse_nouns,
    parse_phrases,
    read_lists,
)
from contextnmt.corpus.embedded.names import (
    NamePool,
    invariable_noun,
    number,
    ordinal,
    quantity,
    size,
)
from contextnmt.corpus.embedded.writing import Tag, Word

DOMAINS = ("news", "market")

NOUNS, ADJECTIVE_LISTS = read_lists("nouns.tsv"), read_lists("adjectives.tsv")
PHRASES = read_lists("phrases.tsv")
PEOPLE = {
    "news": parse_nouns(NOUNS["NEWS_PEOPLE"], person=True),
    "market": parse_nouns(NOUNS["MARKET_PEOPLE"], person=True),
}
ANIMALS = parse_nouns(NOUNS["ANIMALS"])
FOOD = parse_nouns(NOUNS["FOOD"])
DRINKS = parse_nouns(NOUNS["DRINKS"])
THINGS = parse_nouns(NOUNS["THINGS"])
ROOMS = parse_nouns(NOUNS["ROOMS"])
GROUNDS = parse_nouns(NOUNS["GROUNDS"])
SIGHTS = parse_nouns(NOUNS["SIGHTS"])
AFFAIRS = parse_nouns(NOUNS["AFFAIRS"])
ODDITIES = parse_nouns(NOUNS["ODDITIES"])
ACRONYMS = list(parse_nouns(NOUNS["ACRONYMS"]).values())
PRICE = parse_nouns(NOUNS["PRICE"])["price"]
PLACES = ROOMS | GROUNDS | SIGHTS

PLAIN = parse_adjectives(ADJECTIVE_LISTS["PLAIN"])
MOODS = parse_adjectives(ADJECTIVE_LISTS["MOODS"])
STATES = parse_adjectives(ADJECTIVE_LISTS["STATES"])
FLAVOURS = parse_adjectives(ADJECTIVE_LISTS["FLAVOURS"])
SITES = parse_adjectives(ADJECTIVE_LISTS["SITES"])
TITLED = parse_adjectives(ADJECTIVE_LISTS["TITLED"])
ADJECTIVES = PLAIN | MOODS | STATES | FLAVOURS | SITES | TITLED

#: Each class of nouns with the adjectives that suit it.
CLASSES = (
    (PEOPLE["news"], MOODS),
    (PEOPLE["market"], MOODS),
    (ANIMALS, MOODS),
    (FOOD, FLAVOURS),
    (DRINKS, FLAVOURS),
    (THINGS, STATES),
    (PLACES, SITES),
    (AFFAIRS, TITLED),
    (ODDITIES, PLAIN),
)

TIMES = parse_phrases(PHRASES["TIMES"])
HABITS = parse_phrases(PHRASES["HABITS"])
NEARNESS = parse_phrases(PHRASES["NEARNESS"])

THE = Determiner(("the", "the"), ("le", "la", "les"), "d", "der")
THIS = Determiner(("this", "these"), ("ce", "cette", "ces"), "dies", "dieser")
A = Determiner(("a", ""), ("un", "une", ""), "ein", "ein")
NONE = Determiner(("", ""), ("", "", ""), "", "none")
SINGULAR = ((THE, 7), (A, 4), (THIS, 1))
PLURAL = tuple(
    (Determiner(("", english), ("", "", french), german, declension), weight)
    for english, french, german, declension, weight in (
        ("two", "deux", "zwei", "none", 2),
        ("three", "trois", "drei", "none", 2),
        ("seven", "sept", "sieben", "none", 1),
        ("some", "quelques", "einig", "viele", 1),
        ("many", "beaucoup de", "viel", "viele", 1),
    )
)

IN = Fixed("in", "dans", "in")
ON = Fixed("on", "sur", "auf")
IN_TOWN = Fixed("in", "à", "in")
OF_TOWN = Fixed("of", "de", "aus")


@dataclass
class OpenClasses:
    """The pools from which names and acronyms are drawn."""

    names: dict[str, NamePool]
    acronyms: NamePool


@cache
def weights(count: int) -> list[float]:
    """Cumulated weights of `count` words of a table, of which the first is the likeliest."""
    return list(accumulate(1 / (rank + 8) ** 0.5 for rank in range(count)))


def first_name_gender(name: str) -> str:
    """f if the first name ends in *a*, else m."""
    return "f" if name.split()[0].endswith("a") else "m"


class Composer:
    """Draws phrases of one domain; `avoid` holds the English words that none may use."""

    def __init__(
        self, rng: random.Random, open_classes: OpenClasses, domain: str, training: bool
    ) -> None:
        self.rng = rng
        self.open_classes = open_classes
        self.domain = domain
        self.training = training
        self.avoid: set[str] = set()

    # Drawing

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.rng.random() < probability

    def draw(self, table: dict[str, Noun]) -> Noun:
        """A noun of `table` that is not to be avoided, and is from now on."""
        keys = list(table)
        while True:
            key = self.rng.choices(keys, cum_weights=weights(len(keys)))[0]
            if key not in self.avoid:
                self.avoid.add(key)
                return table[key]

    def draw_adjective(self, table: dict[str, Adjective]) -> Adjective:
        """An adjective of `table` that is not to be avoided."""
        return self.rng.choice([table[key] for key in table if key not in self.avoid])

    def draw_determiner(self, choices: Sequence[tuple[Determiner, int]]) -> Determiner:
        """A determiner by its weight."""
        determiners = [determiner for determiner, _ in choices]
        return self.rng.choices(determiners, [weight for _, weight in choices])[0]

    def phrase(
        self,
        noun: Noun,
        adjectives: dict[str, Adjective],
        adjective_share: float = 0.3,
        plural_share: float = 0.2,
        tag: Tag | None = None,
    ) -> NounPhrase:
        """A noun phrase around `noun`."""
        adjective = self.draw_adjective(adjectives) if self.chance(adjective_share) else None
        plural = noun.has_plural and self.chance(plural_share)
        if plural:
            determiner = THE if self.chance(0.5) else self.draw_determiner(PLURAL)
        elif noun.has_plural:
            determiner = self.draw_determiner(SINGULAR)
        else:
            determiner = THE
        return NounPhrase(determiner, noun, plural, tag, adjective)

    def name(self, kind: str) -> tuple[str, Tag]:
        """A name of `kind` and its tag."""
        return self.open_classes.names[kind].draw(self.rng, self.training), Tag("name")

    def namesake(self, noun: Noun) -> tuple[str, Tag]:
        """A person's name that fits the gender of `noun`."""
        while True:
            text, tag = self.name("person")
            if first_name_gender(text) == noun.french_gender:
                return text, tag

    def proper(self, kind: str) -> NounPhrase:
        """A name alone."""
        text, tag = self.name(kind)
        gender = first_name_gender(text)
        return NounPhrase(NONE, invariable_noun(text, gender, gender, kind == "person"), tag=tag)

    def person(self) -> NounPhrase:
        """Somebody of the domain, by name, by profession or by both."""
        way = self.rng.random()
        if way < 0.18:
            return self.proper("person")
        domain = self.domain if self.chance(0.8) else self.rng.choice(DOMAINS)
        noun = self.draw(PEOPLE[domain])
        if way < 0.28:
            return NounPhrase(THE, noun, apposition=Word(*self.namesake(noun)))
        if way < 0.38:
            town = Prepositional(OF_TOWN, self.proper("town"))
            return NounPhrase(THE, noun, after=[town])
        return self.phrase(noun, MOODS, 0.25, 0.12)

    def somebody(self) -> NounPhrase:
        """A person or, in the news, an organisation."""
        return self.acronym() if self.domain == "news" and self.chance(0.4) else self.person()

    def acronym(self) -> NounPhrase:
        """An organisation, with an acronym that differs by language or not."""
        tag = Tag("acronym")
        if self.chance(0.5):
            return NounPhrase(THE, self.rng.choice(ACRONYMS), tag=tag)
        text = self.open_classes.acronyms.draw(self.rng, self.training)
        return NounPhrase(THE, invariable_noun(text, "f", "f", person=False), tag=tag)

    def animal(self) -> NounPhrase:
        """An animal."""
        return self.phrase(self.draw(ANIMALS), MOODS)

    def plain_food(self) -> NounPhrase:
        """Something to eat."""
        return self.phrase(self.draw(FOOD), FLAVOURS, plural_share=0.4)

    def food(self) -> NounPhrase:
        """Something to eat, at times weighed."""
        return self.measured(FOOD, ("kg", "kg", "g")) if self.chance(0.5) else self.plain_food()

    def drink(self) -> NounPhrase:
        """Something to drink, at times measured."""
        if self.chance(0.4):
            return self.measured(DRINKS, ("l", "cl"))
        return self.phrase(self.draw(DRINKS), FLAVOURS)

    def measured(self, table: dict[str, Noun], units: Sequence[str]) -> NounPhrase:
        """*2.5kg of flour*, *2kg of plums*, *2l of wine*."""
        noun = self.draw(table)
        fraction = str(self.rng.randint(1, 9)) if self.chance(0.5) else ""
        amount = number(size(self.rng, 1500), fraction, self.rng.choice(units))
        plural = noun.has_plural and table is FOOD
        return NounPhrase(quantity(amount, of=True), noun, plural)

    def plain_thing(self) -> NounPhrase:
        """A thing."""
        return self.phrase(self.draw(THINGS), STATES)

    def thing(self) -> NounPhrase:
        """A thing, at times counted or with a name."""
        noun = self.draw(THINGS)
        if noun.has_plural and self.chance(0.4):
            return self.counted(noun)
        if self.chance(0.1):
            noun = self.rng.choice([THINGS["book"], THINGS["film"], THINGS["song"]])
            text, tag = self.name("title")
            return NounPhrase(THE, noun, apposition=Word(text, tag))
        return self.phrase(noun, STATES)

    def counted(self, noun: Noun) -> NounPhrase:
        """Some hundreds of them."""
        return NounPhrase(quantity(number(size(self.rng, 90000))), noun, plural=True)

    def affair(self) -> NounPhrase:
        """Something the news are about."""
        noun = self.draw(AFFAIRS)
        if self.chance(0.2):
            value = ordinal(self.rng.randint(2, 99))
            return NounPhrase(THE, noun, ordinal=Invariable(value, Tag("number")))
        if self.chance(0.14):
            return NounPhrase(THE, noun, compound=Word(*self.name("patron")))
        phrase = self.phrase(noun, TITLED | PLAIN)
        return replace(phrase, after=[self.owner()]) if self.chance(0.1) else phrase

    def price(self) -> NounPhrase:
        """*the price of the cheese*."""
        noun = self.draw(self.rng.choice((FOOD, THINGS)))
        return NounPhrase(THE, PRICE, after=[Genitive(self.phrase(noun, PLAIN, 0))])

    def owner(self) -> Genitive:
        """*of the baker*."""
        return Genitive(self.phrase(self.draw(PEOPLE[self.domain]), MOODS, 0.1, 0))

    def site(self) -> NounPhrase:
        """A place, at times named after somebody."""
        noun = self.draw(PLACES)
        if self.chance(0.2):
            return NounPhrase(THE, noun, compound=Word(*self.name("patron")))
        if self.chance(0.06):
            value = ordinal(self.rng.randint(2, 99))
            return NounPhrase(THE, noun, ordinal=Invariable(value, Tag("number")))
        return self.phrase(noun, SITES, plural_share=0.08)

    def place(self) -> Phrase:
        """*in the garden*, *near the river*, *in Morvan*."""
        way = self.rng.random()
        if way < 0.18:
            return Prepositional(IN_TOWN, self.proper("town"))
        if way < 0.5:
            return Prepositional(IN, self.phrase(self.draw(ROOMS), SITES, 0.15, 0))
        if way < 0.7:
            return Prepositional(ON, self.phrase(self.draw(GROUNDS), SITES, 0.15, 0))
        return Prepositional(self.rng.choice(NEARNESS), self.site())

    def time(self) -> Phrase:
        """When something happened."""
        if self.domain == "news" and self.chance(0.35):
            year = str(self.rng.randint(1711, 2031))
            when = Fixed(f"in {year}", f"en {year}", f"im Jahr {year}")
            return Invariable(when, Tag("number"))
        return Invariable(self.rng.choice(TIMES))

    def habit(self) -> Phrase:
        """When something happens again and again."""
        return Invariable(self.rng.choice(HABITS))

    def maybe(self, draw: Callable[[], Phrase], share: float) -> Phrase | None:
        """What `draw` gives, with probability `share`."""
        return draw() if self.chance(share) else None
