"""Noise for the training text of the embedded corpus: what real parallel corpora suffer from.

Each kind is a function of (random source, the three lines of a good sentence, all clean lines)
that returns the spoilt lines and the languages concerned, separated by commas; none if the
sentence has nothing to spoil.
"""

import random
from collections.abc import Callable
from functools import partial

Texts = dict[str, str]

#: More than 60 words in every language.
OVERLONG_WORDS = 64


def misaligned(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """The translations of another sentence."""
    return {**rng.choice(clean), "en": texts["en"]}, "fr,de"


def empty(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """Nothing on one side or on both."""
    languages = rng.choice(("en", "fr,de", "en,fr,de"))
    return {key: "" if key in languages.split(",") else texts[key] for key in texts}, languages


def wrong_language(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """The source copied untranslated, or French and German exchanged."""
    if rng.random() < 0.5:
        return dict.fromkeys(texts, texts["en"]), "fr,de"
    return {"en": texts["en"], "fr": texts["de"], "de": texts["fr"]}, "fr,de"


def overlong(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """Many sentences in one line."""
    longer = texts
    while min(len(text.split()) for text in longer.values()) < OVERLONG_WORDS:
        more = rng.choice(clean)
        longer = {key: f"{longer[key]} {more[key]}" for key in texts}
    return longer, "en,fr,de"


def duplicate(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """A sentence from the first tenth of the corpus once more."""
    return rng.choice(clean[: len(clean) // 10]), "en,fr,de"


def mojibake(rng: random.Random, texts: Texts, clean: list[Texts]) -> tuple[Texts, str]:
    """UTF-8 that was taken for Windows-1252 on its way."""
    broken = {key: text.encode().decode("cp1252") for key, text in texts.items()}
    return broken, ",".join(key for key in texts if broken[key] != texts[key])


def within_each(
    characters: str, rng: random.Random, texts: Texts, clean: list[Texts]
) -> tuple[Texts, str]:
    """One of `characters` behind a word of each line."""
    noisy = {}
    for key, text in texts.items():
        character, words = rng.choice(characters), text.split(" ")
        words[rng.randrange(len(words) - 1)] += character
        noisy[key] = " ".join(words)
    return noisy, "en,fr,de"


NOISE: dict[str, Callable[[random.Random, Texts, list[Texts]], tuple[Texts, str]]] = {
    "misaligned": misaligned,
    "empty": empty,
    "wrong-language": wrong_language,
    "overlong": overlong,
    "duplicate": duplicate,
    "mojibake": mojibake,
    # Characters that no printer knows; then those at which some programs end a line, not this one.
    "control-characters": partial(within_each, "\x00\x07\x08\x1b\x7f"),
    "line-separators": partial(within_each, "\u2028\u0085"),
}
