"""benchmarks/short_pairs.py: which pairs it draws."""

from pathlib import Path

import pytest
import typer
from short_pairs import main

from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_pairs


def drawn(folder: Path, least: int, most: int, pairs: int) -> list[tuple[str, str]]:
    """Pairs from those of 1 to 40 tokens, a full stop included; some sides are empty."""
    text = [(f"{'a ' * (n % 40)}{n}.", f"{'b ' * (n % 37)}{n}.") for n in range(800)]
    text[::50] = [("", "b.")] * 16
    given, out = ([folder / f"{name}.{lang}" for lang in ("en", "fr")] for name in ("all", "short"))
    write_pairs(*given, text)
    main(*given, "en", "fr", *out, least, most, pairs)
    return list(read_pairs(*out))


def test_pairs_are_short_and_in_their_order(tmp_path: Path) -> None:
    found = drawn(tmp_path, 3, 12, 40)
    numbers = [int(source.split()[-1].rstrip(".")) for source, _ in found]
    lengths = [len(side.split()) + 1 for pair in found for side in pair]
    assert len(found) == 40
    assert numbers == sorted(set(numbers))
    assert (min(lengths), max(lengths)) == (3, 12)
    assert found == drawn(tmp_path, 3, 12, 40)


def test_too_few_short_pairs_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="of 800 pairs have 1 to 2 tokens per side"):
        drawn(tmp_path, 1, 2, 500)
    with pytest.raises(typer.BadParameter, match="--least 5 is more than --most 4"):
        drawn(tmp_path, 5, 4, 1)
