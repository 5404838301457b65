"""The two releases of newstest2014, told apart by name and number of lines."""

from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.releases import check_release, stated_lines

REFERENCE = Path("ref.gz")


@pytest.mark.parametrize(
    ("name", "lines", "language"),
    [
        ("newstest2014.beam12", 3003, "fr"),
        ("newstest2014.beam12", 3003, "de"),
        ("newstest2014-filtered.beam1", 2737, "de"),
        ("newstest2014-filtered.beam1", 3003, "fr"),  # as far as is known, both are the same
        ("newstest2014.beam12", 60, "de"),  # somebody's own sample of it
        ("newstest2015.beam12", 2737, "de"),
    ],
)
def test_each_release_has_its_lines(name: str, lines: int, language: str) -> None:
    check_release(name, REFERENCE, lines, language=language)


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        (
            "newstest2014.beam12",
            2737,
            "ref.gz has 2737 lines, and newstest2014 has 3003: .* newstest2014-filtered",
        ),
        (
            "newstest2014-filtered.beam12",
            3003,
            "ref.gz has 3003 lines, and newstest2014-filtered has 2737: .* newstest2014$",
        ),
    ],
)
def test_a_release_by_the_name_of_the_other_is_refused(name: str, lines: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        check_release(name, REFERENCE, lines, language="de")


def test_the_stated_number_decides() -> None:
    check_release("newstest2014.beam12", REFERENCE, 2737, 2737)
    for lines in (3002, 3004):
        with pytest.raises(UserError, match=f"ref.gz has {lines} lines, and newstest2014 has 3003"):
            check_release("newstest2014.beam12", REFERENCE, lines, 3003)


def test_numbers_of_lines_are_stated_by_text() -> None:
    assert stated_lines(["newstest2014=3003", "dev=10"]) == {"newstest2014": 3003, "dev": 10}
    for wrong in ("3003", "test=many", "=1"):
        with pytest.raises(UserError, match="write TEXT=NUMBER"):
            stated_lines([wrong])
