from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_lines, write_pairs
from contextnmt.selection.cross_entropy import draw, random_numbers, sample

lengths = st.lists(st.integers(0, 6), max_size=40)


def pairs_of(lengths: list[int]) -> list[tuple[str, str]]:
    """Pairs told apart by their source, with so many words on the target side."""
    return [(str(number), " ".join(["w"] * length)) for number, length in enumerate(lengths)]


@given(lengths, st.integers(1, 60), st.integers(0, 5))
def test_the_smallest_random_numbers_are_drawn(lengths: list[int], words: int, seed: int) -> None:
    pairs = pairs_of(lengths)
    numbered = zip(random_numbers(seed), range(len(pairs)), strict=False)
    expected: list[int] = []
    for _, position in sorted(numbered):
        if lengths[position] and sum(lengths[drawn] for drawn in expected) < words:
            expected.append(position)
    assert draw(pairs, words, seed) == [pairs[position] for position in sorted(expected)]


def test_random_numbers_stay_what_they_are() -> None:
    """A sample, and all that rests on it, must not change with the version of numpy."""
    numbers = random_numbers(1)
    first = [9441442522235856127, 17532960557476522086, 2659275481604167885]
    assert [next(numbers) for _ in range(3)] == first


def test_a_pair_with_an_empty_side_is_not_drawn() -> None:
    pairs = [("a", "b"), ("c", "d")]
    assert draw([("", "x"), *pairs, ("x", " ")], 100, 1) == pairs


def test_the_sample_has_as_many_words_as_the_in_domain_text(tmp_path: Path) -> None:
    pairs = pairs_of([5] * 3000)
    write_lines(tmp_path / "domain.1.fr", ["a b", "", "c"] * 100)
    write_lines(tmp_path / "domain.2.fr", ["a"])
    in_domain = [tmp_path / "domain.1.fr", tmp_path / "domain.2.fr"]
    found = []
    for shards in (1, 3, 8):
        bounds = [len(pairs) * number // shards for number in range(shards + 1)]
        sides = []
        for number, (begin, end) in enumerate(pairwise([0, *bounds])):  # the first one is empty
            sides.append((tmp_path / f"{number}.en", tmp_path / f"{number}.fr"))
            write_pairs(*sides[-1], pairs[begin:end])
        source, target = map(list, zip(*sides, strict=True))
        out = tmp_path / f"out.{shards}.en", tmp_path / f"out.{shards}.fr"
        sample(source, target, in_domain, *out, seed=3)
        found.append(list(read_pairs(*out)))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 61  # of 5 words each, for 301
    assert [int(source) for source, _ in found[0]] == sorted(int(source) for source, _ in found[0])


def test_a_domain_without_words_and_a_part_without_a_side_are_refused(tmp_path: Path) -> None:
    write_pairs(tmp_path / "a.en", tmp_path / "a.fr", [("a", "b")])
    write_lines(tmp_path / "domain.fr", ["", " "])
    out = tmp_path / "out.en", tmp_path / "out.fr"
    with pytest.raises(UserError, match=r"domain\.fr: no words"):
        sample([tmp_path / "a.en"], [tmp_path / "a.fr"], [tmp_path / "domain.fr"], *out, seed=1)
    assert not any(path.exists() for path in out)
    with pytest.raises(UserError, match="2 --source, 1 --target: give one"):
        sample([tmp_path / "a.en"] * 2, [tmp_path / "a.fr"], [tmp_path / "a.fr"], *out, seed=1)
