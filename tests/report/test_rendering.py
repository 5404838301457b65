"""Tables on a page."""

import pytest

from contextnmt.report.rendering import LETTERS, WIDE, is_wide
from contextnmt.report.tables import Block, Cell


@pytest.mark.parametrize(
    ("columns", "remark", "words", "wide"),
    [
        (6, "(13.45)", 0, False),
        (6, "± 0.50 (13.45 ± 0.50)", 0, True),  # of several seeds
        (2, "± 0.50 (13.45 ± 0.50)", 0, False),
        (WIDE, "", 0, True),
        (1, "word " * LETTERS, 1, False),  # words go on in the next line
    ],
)
def test_remarks_stand_below_where_rows_are_long(
    columns: int, remark: str, words: int, wide: bool
) -> None:
    rows = [("Baseline", [Cell("12.34", remark)] * columns)]
    names = [(f"column {number}",) for number in range(columns)]
    assert is_wide(Block("English → French", names, rows, words)) == wide


def test_a_table_without_rows_is_not_wide() -> None:
    assert not is_wide(Block("empty", [("column",)], []))
