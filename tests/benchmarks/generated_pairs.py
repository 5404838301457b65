"""Pairs of sentences with words as frequent as in real text, for the tests of scale.py."""

import random
from collections.abc import Iterator


def spelt(number: float) -> str:
    """A number in letters."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(int(number)))


def generate(count: int) -> Iterator[tuple[str, str]]:
    """Pairs of words as frequent as in real text, with a name and a number on both sides."""
    generator = random.Random(1)
    for _ in range(count):
        words = [spelt(generator.paretovariate(0.4)) for _ in range(9)]
        same = f"{spelt(generator.paretovariate(0.4)).title()} {generator.randrange(999)}"
        source, target = (" ".join(letter + word for word in words) for letter in "xz")
        yield f"The {same} {source}.", f"Le {same} {target}."
