"""Open word classes of the embedded corpus: names, numbers, acronyms.

They give the corpus its rare words. A name is drawn either from the names of the training text,
a few of which are frequent, or from names that are kept for the dev and test sets.
"""

import random
from itertools import accumulate

from contextnmt.corpus.embedded.grammar import Determiner
from contextnmt.corpus.embedded.lexicon import Fixed, Noun
from contextnmt.corpus.embedded.writing import Tag

ONSETS = """
Mor Pel Tra Bel Quin Zan Fen Lu Vor Gal Ros Tam Wil Dra Ker Nol Sil Ba Kol Pim Ru Sto Gri Bro
Fla Ve Do Ta Mi Ja Or Al Es Ul
"""
MIDDLES = """
va li do ne ri mo la bu ti se ko ga ni pu ro da
"""
CODAS = """
n ck tto lle sk mont by lini nard ra s ville mar x dorf nova quet ltz
"""

FIRST_NAMES = """
Ada Otto Emma Paul Lina Hugo Clara Felix Nora Oskar Alma Victor Rosa Anton Ida Leo Greta Max
Olga Simon Vera Jules Mila Arthur
"""
#: Books, series and newspapers keep their English titles.
TITLES = ["House of", "Voice of", "Songs of", "Return to", "Lords of", "The Ghost of"]
TOWNS = ("{}", "{}", "{}", "Port {}", "Saint-{}", "Bad {}")

#: How many names of each kind: in the training text, kept for dev and test.
SIZES = {"person": (900, 200), "town": (600, 140), "title": (260, 60), "patron": (500, 120)}
#: The larger, the fewer names make up most of the text.
STEEPNESS = 0.85
UNSEEN_SHARE = 0.26

NO_BREAK_SPACE = "\u00a0"
DIGIT_SEPARATORS = {"en": (",", "."), "fr": (NO_BREAK_SPACE, ","), "de": (".", ",")}


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


def root_names(rng: random.Random, count: int) -> list[str]:
    """`count` different invented names."""
    roots: dict[str, None] = {}
    while len(roots) < count:
        middle = "".join(rng.choices(MIDDLES.split(), k=rng.choice((0, 1, 1))))
        root = rng.choice(ONSETS.split()) + middle + rng.choice(CODAS.split())
        if len(root) > 3:
            roots[root] = None
    return list(roots)


def name_pools(rng: random.Random) -> dict[str, NamePool]:
    """The pool of each kind of name; no invented part of a name is in two pools."""
    roots = iter(root_names(rng, sum(sum(size) for size in SIZES.values())))
    frames = {
        "person": [f"{first} {{}}" for first in FIRST_NAMES.split()],
        "town": list(TOWNS),
        "title": [f"{title} {{}}" for title in TITLES],
        "patron": ["{}"],
    }
    return {
        kind: NamePool(
            *([rng.choice(frames[kind]).format(next(roots)) for _ in range(n)] for n in sizes)
        )
        for kind, sizes in SIZES.items()
    }


def acronym_pool(rng: random.Random) -> NamePool:
    """Acronyms that are the same in the three languages."""
    letters = "BCDGKPTVZ"
    pool = list(
        dict.fromkeys("".join(rng.choices(letters, k=rng.choice((3, 3, 4)))) for _ in range(160))
    )
    return NamePool(pool[:120], pool[120:])


def invariable_noun(text: str, french_gender: str, german_gender: str, person: bool) -> Noun:
    """A name as a noun without any inflection."""
    forms = (text,)
    return Noun(forms, forms, french_gender, forms, german_gender, text, text, person)


def grouped(whole: int, fraction: str, language: str) -> str:
    """A number as `language` writes it: 1,234.5 / 1 234,5 / 1.234,5."""
    group, decimal = DIGIT_SEPARATORS[language]
    digits = f"{whole:,}".replace(",", group)
    return digits + (decimal + fraction if fraction else "")


def number(whole: int, fraction: str = "", unit: str = "") -> Fixed:
    """A number in the three languages, with its unit glued to it."""
    return Fixed(*(grouped(whole, fraction, language) + unit for language in DIGIT_SEPARATORS))


def ordinal(value: int) -> Fixed:
    """3rd / 3e / 3. for a value of 2 or more."""
    suffix = (
        "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    )
    return Fixed(f"{value}{suffix}", f"{value}e", f"{value}.")


def size(rng: random.Random, largest: int) -> int:
    """A whole number from 11 to `largest`, small ones as likely as large ones on a log scale."""
    return int(11 * (largest / 11) ** rng.random())


def quantity(value: Fixed, of: bool = False) -> Determiner:
    """A number before a noun; with `of`, as a measure of it (5kg of flour)."""
    english = f"{value.english} of" if of else value.english
    french = f"{value.french} de" if of else value.french
    return Determiner((english, english), (french,) * 3, value.german, "none", Tag("number"))
