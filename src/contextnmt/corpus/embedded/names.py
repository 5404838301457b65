"""Open word classes of the embedded corpus: names, numbers, acronyms.

They give the corpus its rare words. A name is drawn either from the names of the training text,
a few of which are frequent, or from names that are kept for the dev and test sets.
"""

import random
from itertools import accumulate

from contextnmt.corpus.embedded.grammar import Determiner, Fixed
from contextnmt.corpus.embedded.lexicon import Noun, read_rows
from contextnmt.corpus.embedded.writing import Tag

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


class NamePool:
    """Names of one kind: those of the training text by falling frequency, and those kept back."""

    def __init__(self, known: list[str], kept: list[str]) -> None:
        self.known = known
        self.kept = kept
        self.weights = list(accumulate(1 / (rank + 3) ** STEEPNESS for rank in range(len(known))))

    def draw(self, rng: random.Random, training: bool) -> str:
        """A name for a sentence of the training text or of dev and test."""
        if not training and rng.random() < UNSEEN_SHARE:
            return rng.choice(self.kept)
        return rng.choices(self.known, cum_weights=self.weights)[0]


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


def number(whole: int, fraction: str = "", unit: str = "") -> Fixed:
    """1,234.5 / 1 234,5 / 1.234,5 in the three languages, with the unit glued to it."""
    english, french, german = (
        f"{whole:,}".replace(",", group) + (decimal + fraction if fraction else "") + unit
        for group, decimal in DIGIT_SEPARATORS
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
