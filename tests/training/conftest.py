"""A small task that can be learnt: copy the words, reversed."""

import random

import pytest

from contextnmt.files import write_lines
from contextnmt.text.binarize import binarize


@pytest.fixture(scope="session")
def reversal(tmp_path_factory):
    """A binarize folder of 400 training pairs, with 40 dev pairs in dev.x and dev.y."""
    folder = tmp_path_factory.mktemp("reversal")
    rng = random.Random(7)
    for text, count in (("train", 400), ("dev", 40)):
        pairs = []
        for _ in range(count):
            words = [rng.choice("abcdefgh") for _ in range(rng.randint(1, 6))]
            pairs.append((" ".join(words), " ".join(reversed(words))))
        write_lines(folder / f"{text}.x", [source for source, _ in pairs])
        write_lines(folder / f"{text}.y", [target for _, target in pairs])
    binarize(
        source=[folder / "train.x"],
        target=[folder / "train.y"],
        vocabulary_size=7,  # one letter of the eight is unknown
        out=folder,
    )
    return folder
