"""Translations of a made-up text that are wrong by a known share of their words."""

import random

WORDS = ["le", "la", "chat", "chien", "voit", "un", "arbre", "sous", "pluie", "rouge", "."]


def sentences(count: int) -> list[str]:
    """Random sentences of 4 to 20 words, always the same."""
    rng = random.Random(1)
    return [" ".join(rng.choices(WORDS, k=rng.randint(4, 20))) for _ in range(count)]


REFERENCES = sentences(60)


def damaged(share: float, seed: int = 1) -> list[str]:
    """The references with this share of their words replaced; a larger share has all of a less."""
    rng = random.Random(seed)
    return [
        " ".join("x" if rng.random() < share else word for word in line.split())
        for line in REFERENCES
    ]
