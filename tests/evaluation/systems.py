"""Translations of a made-up text that are wrong by a known share of their words, and their scores
by a stage."""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from contextnmt.files import read_json, write_lines

WORDS = ["le", "la", "chat", "chien", "voit", "un", "arbre", "sous", "pluie", "rouge", "."]

#: Translations by system and seed; None: there is no such file.
Systems = Mapping[tuple[str, int], list[str] | None]


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


def scored(
    stage: Callable[..., None],
    folder: Path,
    systems: Systems,
    *more: object,
    source: Sequence[str] = REFERENCES,
    reference: Sequence[str] = REFERENCES,
    further: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The file that a stage writes on these systems; `more`: its last arguments; `further`: another
    reference."""
    texts = {"source": source, "reference": reference}
    texts |= {} if further is None else {"further": further}
    for path, lines in texts.items():
        write_lines(folder / path, lines)
    paths = [folder / f"{system}.{seed}.gz" for system, seed in systems]
    for path, text in zip(paths, systems.values(), strict=True):
        if text is not None:
            write_lines(path, text)
    names, seeds = ([run[place] for run in systems] for place in (0, 1))
    sides = [folder / path for path in texts]
    stage("test.beam12", sides[0], sides[1:], names, seeds, paths, folder / "out.json", *more)
    content: dict[str, Any] = read_json(folder / "out.json")
    return content
