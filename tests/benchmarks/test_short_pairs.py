"""benchmarks/short_pairs.py: which pairs it draws."""

from pathlib import Path

import pytest
import typer
from short_pairs import main

from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_pairs


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    """Pairs of 1 to 40 tokens, a full stop included; some sides are empty."""
    pairs = [(f"{'a ' * (n % 40)}{n}.", f"{'b ' * (n % 37)}{n}.") for n in range(3000)]
    pairs[::50] = [("", "b.")] * 60
    paths = [tmp_path / "train.en.gz", tmp_path / "train.fr.gz"]
    write_pairs(*paths, pairs)
    return paths


def drawn(texts: list[Path], least: int, most: int, pairs: int) -> list[tuple[str, str]]:
    out = [texts[0].with_name(name) for name in ("short.en", "short.fr")]
    main(*texts, "en", "fr", *out, least, most, pairs)
    return list(read_pairs(*out))


def test_pairs_are_short_and_in_their_order(texts: list[Path]) -> None:
    found = drawn(texts, 3, 12, 50)
    numbers = [int(source.split()[-1].rstrip(".")) for source, _ in found]
    lengths = [len(side.split()) + 1 for pair in found for side in pair]
    assert len(found) == 50
    assert numbers == sorted(set(numbers))
    assert (min(lengths), max(lengths)) == (3, 12)
    assert found == drawn(texts, 3, 12, 50)


def test_no_length_at_all_is_told(texts: list[Path]) -> None:
    with pytest.raises(typer.BadParameter, match="--least 5 is more than --most 4"):
        drawn(texts, 5, 4, 1)


def test_too_few_short_pairs_are_told(texts: list[Path]) -> None:
    with pytest.raises(UserError, match="of 3000 pairs have 1 to 2 tokens a side"):
        drawn(texts, 1, 2, 500)
