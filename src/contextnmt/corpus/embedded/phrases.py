"""Drawing the phrases of the embedded corpus: who, what, where and when.

Two domains: the news of a small country with large worries, and the market by its sea. Names,
numbers and acronyms are the rare words: a name is either one of the training text, a few of which
are frequent, or one that is kept for the dev and test sets.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from typing import NamedTuple, TypeVar

from contextnmt.corpus.embedded.grammar import Determiner, Fixed, NounPhrase, Phrase, Prepositional
from contextnmt.corpus.embedded.words import (
    Adjective,
    Noun,
    Tag,
    Word,
    parse_entry,
    read_lists,
    read_rows,
)

Drawn = TypeVar("Drawn")

DOMAINS = ("news", "market")

#: List of nouns.tsv -> English singular -> noun.
NOUNS = {
    name: {noun.english[0]: noun for noun in nouns}
    for name, nouns in read_lists("nouns.tsv", Noun).items()
}
PEOPLE = {
    domain: {
        name: replace(noun, person=True) for name, noun in NOUNS[f"{domain.upper()}_PEOPLE"].items()
    }
    for domain in DOMAINS
}
ANIMALS, FOOD, DRINKS, THINGS, ROOMS, GROUNDS, AFFAIRS = (
    NOUNS[name] for name in ("ANIMALS", "FOOD", "DRINKS", "THINGS", "ROOMS", "GROUNDS", "AFFAIRS")
)
PLACES = ROOMS | GROUNDS | NOUNS["SIGHTS"]

#: List of adjectives.tsv -> English -> adjective.
ADJECTIVE_LISTS = {
    name: {adjective.english: adjective for adjective in adjectives}
    for name, adjectives in read_lists("adjectives.tsv", Adjective).items()
}
PLAIN, MOODS, STATES, FLAVOURS, SITES, TITLED = (
    ADJECTIVE_LISTS[name] for name in ("PLAIN", "MOODS", "STATES", "FLAVOURS", "SITES", "TITLED")
)
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
    (NOUNS["ODDITIES"], PLAIN),
)
#: Noun -> the adjectives that suit it; any other noun is a person's name, which MOODS suit.
SUITABLE = {noun: adjectives for nouns, adjectives in CLASSES for noun in nouns.values()}

PHRASES = read_lists("phrases.tsv", Fixed)
NEARNESS = PHRASES["NEARNESS"]

THE = Determiner(("the", "the"), ("le", "la", "les"), "d", "der")
THIS = Determiner(("this", "these"), ("ce", "cette", "ces"), "dies", "dieser")
A = Determiner(("a", ""), ("un", "une", ""), "ein", "ein")
NONE = Determiner(("", ""), ("", "", ""), "", "none")
#: How often each determiner is drawn, and the determiner.
SINGULAR = [(7, THE), (4, A), (1, THIS)]
PLURAL = [
    (int(weight), parse_entry(Determiner, cells)) for weight, *cells in read_rows("determiners.tsv")
]

IN, ON, IN_TOWN, OF_TOWN = PHRASES["PREPOSITIONS"]
OF = Fixed("of", "de", "")

#: The lists of names.tsv.
LISTS = {name: cells for name, *cells in read_rows("names.tsv")}

#: How many names of each kind: in the training text, kept for dev and test.
SIZES = {"person": (900, 200), "town": (600, 140), "title": (260, 60), "patron": (500, 120)}
#: The larger, the fewer names make up most of the text.
STEEPNESS = 0.85
UNSEEN_SHARE = 0.26

NO_BREAK_SPACE = "\u00a0"
#: Between groups of digits and before the fraction, in English, French and German.
DIGIT_SEPARATORS = ((",", "."), (NO_BREAK_SPACE, ","), (".", ","))


@cache
def weights(count: int, offset: int = 8, steepness: float = 0.5) -> list[float]:
    """Cumulated weights of `count` words of a table, of which the first is the likeliest."""
    return list(accumulate(1 / (rank + offset) ** steepness for rank in range(count)))


class NamePool(NamedTuple):
    """Names of one kind: those of the training text by falling frequency, and those kept back."""

    known: list[str]
    kept: list[str]

    def draw(self, rng: random.Random, training: bool) -> str:
        """A name for a sentence of the training text or of dev and test."""
        if not training and rng.random() < UNSEEN_SHARE:
            return rng.choice(self.kept)
        cumulated = weights(len(self.known), 3, STEEPNESS)
        return rng.choices(self.known, cum_weights=cumulated)[0]


def name_pools(rng: random.Random) -> dict[str, NamePool]:
    """The pool of each kind of name; no invented part of a name is in two pools.

    Acronyms, which are the same in the three languages, have one too.
    """
    invented: dict[str, None] = {}
    while len(invented) < sum(map(sum, SIZES.values())):
        middle = "".join(rng.choices(LISTS["middle"], k=rng.choice((0, 1, 1))))
        root = rng.choice(LISTS["onset"]) + middle + rng.choice(LISTS["coda"])
        if len(root) > 3:
            invented[root] = None
    roots = iter(invented)
    pools = {
        kind: NamePool(
            *([rng.choice(LISTS[kind]).format(next(roots)) for _ in range(n)] for n in sizes)
        )
        for kind, sizes in SIZES.items()
    }
    drawn = ["".join(rng.choices("BCDGKPTVZ", k=rng.choice((3, 3, 4)))) for _ in range(160)]
    acronyms = list(dict.fromkeys(drawn))
    return {**pools, "acronym": NamePool(acronyms[:120], acronyms[120:])}


def invariable_noun(text: str, french_gender: str, german_gender: str, person: bool) -> Noun:
    """A name as a noun without any inflection."""
    forms = (text,)
    return Noun(forms, forms, french_gender, forms, german_gender, text, text, person)


def number(whole: int, fraction: str = "", forms: Sequence[str] = ("{}", "{}", "{}")) -> Fixed:
    """1,234.5 / 1 234,5 / 1.234,5 in the three languages; `forms`: what stands around each."""
    english, french, german = (
        form.format(f"{whole:,}".replace(",", group) + (decimal + fraction if fraction else ""))
        for form, (group, decimal) in zip(forms, DIGIT_SEPARATORS, strict=True)
    )
    return Fixed(english, french, german, Tag("number"))


def ordinal(value: int) -> Fixed:
    """3rd / 3e / 3. for a value of 2 or more."""
    teen = value % 100 in (11, 12, 13)
    suffix = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return Fixed(f"{value}{suffix}", f"{value}e", f"{value}.", Tag("number"))


def size(rng: random.Random, largest: int) -> int:
    """A whole number from 11 to `largest`, small ones as likely as large ones on a log scale."""
    return int(11 * (largest / 11) ** rng.random())


def quantity(value: Fixed, of: bool = False) -> Determiner:
    """A number before a noun; with `of`, as a measure of it (5kg of flour)."""
    english, french = value.english + " of" * of, value.french + " de" * of
    return Determiner((english,) * 2, (french,) * 3, value.german, "none", value.tag)


def first_name_gender(name: str) -> str:
    """f if the first name ends in *a*, else m."""
    return "f" if name.split()[0].endswith("a") else "m"


@dataclass
class Composer:
    """Draws phrases of one domain."""

    rng: random.Random
    pools: dict[str, NamePool]  #: as of `name_pools`
    domain: str
    training: bool  #: whether for the training text
    avoid: set[str] = field(default_factory=set)  #: English words that no phrase may use
    topic: set[str] = field(default_factory=set)  #: English nouns that phrases use if they can

    # Drawing

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.rng.random() < probability

    def draw(self, table: dict[str, Noun]) -> Noun:
        """Draw a noun of `table`, once: one of the topic if it has any, else none of `avoid`."""
        keys = list(table)
        if topical := [key for key in keys if key in self.topic]:
            key = self.rng.choice(topical)
        else:
            while (key := self.rng.choices(keys, cum_weights=weights(len(keys)))[0]) in self.avoid:
                pass
        self.avoid.add(key)
        self.topic.discard(key)
        return table[key]

    def draw_adjective(self, table: dict[str, Adjective]) -> Adjective:
        """Draw an adjective of `table`, none of `avoid`."""
        return self.rng.choice([table[key] for key in table if key not in self.avoid])

    def draw_weighted(self, choices: Sequence[tuple[int, Drawn]]) -> Drawn:
        """One of `choices`, each with how often it is drawn."""
        weights, drawn = zip(*choices, strict=True)
        result: Drawn = self.rng.choices(drawn, weights)[0]
        return result

    def phrase(
        self,
        noun: Noun,
        adjective_share: float = 0.3,
        plural_share: float = 0.2,
        tag: Tag | None = None,
        adjectives: dict[str, Adjective] | None = None,
    ) -> NounPhrase:
        """A noun phrase around `noun`; `adjectives` instead of those that suit it."""
        drawn = self.chance(adjective_share)
        adjective = self.draw_adjective(adjectives or SUITABLE[noun]) if drawn else None
        plural = noun.has_plural and self.chance(plural_share)
        if plural:
            determiner = THE if self.chance(0.5) else self.draw_weighted(PLURAL)
        else:
            determiner = self.draw_weighted(SINGULAR) if noun.has_plural else THE
        return NounPhrase(determiner, noun, plural, tag, adjective)

    def name(self, kind: str) -> Word:
        """A name of `kind`, tagged."""
        return Word(self.pools[kind].draw(self.rng, self.training), Tag("name"))

    def namesake(self, noun: Noun) -> Word:
        """A person's name that fits the gender of `noun`."""
        while True:
            name = self.name("person")
            if first_name_gender(name.text) == noun.french_gender:
                return name

    def proper(self, kind: str) -> NounPhrase:
        """A name alone."""
        text, tag = self.name(kind)
        gender = first_name_gender(text)
        return NounPhrase(NONE, invariable_noun(text, gender, gender, kind == "person"), tag=tag)

    def person(self) -> NounPhrase:
        """Somebody of the domain, by name, by profession or by both."""
        topical = [people for people in PEOPLE.values() if self.topic & people.keys()]
        way = self.rng.random()
        if way < 0.18 and not topical:
            return self.proper("person")
        domain = self.domain if self.chance(0.8) else self.rng.choice(DOMAINS)
        noun = self.draw(self.rng.choice(topical or [PEOPLE[domain]]))
        if way < 0.28:
            return NounPhrase(THE, noun, apposition=self.namesake(noun))
        if way < 0.38:
            return NounPhrase(THE, noun, after=[Prepositional(OF_TOWN, self.proper("town"))])
        return self.phrase(noun, 0.25, 0.12)

    def somebody(self) -> NounPhrase:
        """A person or, in the news, an organisation."""
        return self.acronym() if self.domain == "news" and self.chance(0.4) else self.person()

    def acronym(self) -> NounPhrase:
        """An organisation, with an acronym that differs by language or not."""
        tag = Tag("acronym")
        if self.chance(0.5):
            return NounPhrase(THE, self.rng.choice(list(NOUNS["ACRONYMS"].values())), tag=tag)
        text = self.pools["acronym"].draw(self.rng, self.training)
        return NounPhrase(THE, invariable_noun(text, "f", "f", person=False), tag=tag)

    def animal(self) -> NounPhrase:
        """An animal."""
        return self.phrase(self.draw(ANIMALS))

    def plain_food(self) -> NounPhrase:
        """Something to eat."""
        return self.phrase(self.draw(FOOD), plural_share=0.4)

    def food(self) -> NounPhrase:
        """Something to eat, at times weighed."""
        return self.measured(FOOD, ("kg", "kg", "g")) if self.chance(0.5) else self.plain_food()

    def drink(self) -> NounPhrase:
        """Something to drink, at times measured."""
        if self.chance(0.4):
            return self.measured(DRINKS, ("l", "cl"))
        return self.phrase(self.draw(DRINKS))

    def measured(self, table: dict[str, Noun], units: Sequence[str]) -> NounPhrase:
        """*2.5kg of flour*, *2kg of plums*, *2l of wine*."""
        noun = self.draw(table)
        fraction = str(self.rng.randint(1, 9)) if self.chance(0.5) else ""
        amount = number(size(self.rng, 1500), fraction, [f"{{}}{self.rng.choice(units)}"] * 3)
        plural = noun.has_plural and table is FOOD
        return NounPhrase(quantity(amount, of=True), noun, plural)

    def plain_thing(self) -> NounPhrase:
        """A thing."""
        return self.phrase(self.draw(THINGS))

    def thing(self) -> NounPhrase:
        """A thing, at times counted or with a name."""
        noun = self.draw(THINGS)
        if noun.has_plural and self.chance(0.4):
            return NounPhrase(quantity(number(size(self.rng, 90000))), noun, plural=True)
        if self.chance(0.1):
            noun = self.rng.choice([THINGS["book"], THINGS["film"], THINGS["song"]])
            return NounPhrase(THE, noun, apposition=self.name("title"))
        return self.phrase(noun)

    def affair(self) -> NounPhrase:
        """Something the news are about."""
        noun = self.draw(AFFAIRS)
        if self.chance(0.2):
            return NounPhrase(THE, noun, ordinal=ordinal(self.rng.randint(2, 99)))
        if self.chance(0.14):
            return NounPhrase(THE, noun, compound=self.name("patron"))
        phrase = self.phrase(noun, adjectives=TITLED | PLAIN)
        if self.chance(0.1):
            owner = self.phrase(self.draw(PEOPLE[self.domain]), 0.1, 0)
            return replace(phrase, after=[Prepositional(OF, owner, "gen")])
        return phrase

    def price(self) -> NounPhrase:
        """*the price of the cheese*."""
        noun = self.draw(self.rng.choice((FOOD, THINGS)))
        of_noun = Prepositional(OF, self.phrase(noun, 0), "gen")
        return NounPhrase(THE, NOUNS["PRICE"]["price"], after=[of_noun])

    def site(self) -> NounPhrase:
        """A place, at times named after somebody."""
        noun = self.draw(PLACES)
        if self.chance(0.2):
            return NounPhrase(THE, noun, compound=self.name("patron"))
        if self.chance(0.06):
            return NounPhrase(THE, noun, ordinal=ordinal(self.rng.randint(2, 99)))
        return self.phrase(noun, plural_share=0.08)

    def place(self) -> Phrase:
        """*in the garden*, *near the river*, *in Morvan*."""
        way = self.rng.random()
        if way < 0.18:
            return Prepositional(IN_TOWN, self.proper("town"))
        if way < 0.5:
            return Prepositional(IN, self.phrase(self.draw(ROOMS), 0.15, 0))
        if way < 0.7:
            return Prepositional(ON, self.phrase(self.draw(GROUNDS), 0.15, 0))
        return Prepositional(self.rng.choice(NEARNESS), self.site())

    def time(self) -> Phrase:
        """When something happened."""
        if self.domain == "news" and self.chance(0.35):
            year = str(self.rng.randint(1711, 2031))
            return Fixed(f"in {year}", f"en {year}", f"im Jahr {year}", Tag("number"))
        return self.rng.choice(PHRASES["TIMES"])

    def maybe(self, draw: Callable[[], Phrase], share: float) -> Phrase | None:
        """Return what `draw` gives with probability `share`, else nothing."""
        return draw() if self.chance(share) else None
