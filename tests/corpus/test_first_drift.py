import random
from pathlib import Path

import pytest

from contextnmt.corpus.extract import first_drift
from contextnmt.files import read_lines

CORPORA = ["canada-laws_en-fr", "europarl-sample_en-de", "wmt14-sample_en-de", "gnome-help_en-de"]


@pytest.fixture(scope="module", params=CORPORA)
def sides(request: pytest.FixtureRequest, shared: Path) -> tuple[list[str], list[str]]:
    """The first 1,000 pairs of a real corpus; one of them has a sixth of wrong ones."""
    folder = shared / "data" / request.param
    names = ["train.en.gz", f"train.{request.param[-2:]}.gz"]
    source, target = (list(read_lines(folder / name))[:1000] for name in names)
    return source, target


@pytest.mark.parametrize("line", [20, 300, 900])
@pytest.mark.parametrize("change", ["lost", "split"])
def test_a_lost_or_split_line_is_found(
    sides: tuple[list[str], list[str]], line: int, change: str
) -> None:
    source, target = sides
    left, _, right = target[line - 1].partition(" ")
    new = [] if change == "lost" else [left, right]
    broken = [*target[: line - 1], *new, *target[line:]]
    for pairs in (zip(source, broken, strict=False), zip(broken, source, strict=False)):
        found = first_drift(pairs)
        assert found is not None
        assert abs(found[0] - line) <= 8


def test_the_first_of_several_drifts_is_found(sides: tuple[list[str], list[str]]) -> None:
    source, target = sides
    broken = [text for number, text in enumerate(target, 1) if number not in (200, 500, 800)]
    found = first_drift(zip(source, broken, strict=False))
    assert found is not None
    assert abs(found[0] - 200) <= 15


def test_where_the_sides_fit_there_is_no_drift(sides: tuple[list[str], list[str]]) -> None:
    source, target = sides
    assert first_drift(zip(source, target, strict=True)) is None
    assert first_drift(zip(source[:700], target, strict=False)) is None


def test_sides_that_never_fit_run_apart_at_the_start(sides: tuple[list[str], list[str]]) -> None:
    source, target = sides[0], list(sides[1])
    random.Random(1).shuffle(target)
    found = first_drift(zip(source, target, strict=True))
    assert found is not None
    assert found[0] <= 40


def test_a_few_lines_tell_nothing() -> None:
    assert first_drift([]) is None
    assert first_drift([("a", "b"), ("c", "a much longer line")]) is None
