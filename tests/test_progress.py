"""Progress bars as they are read."""

import pytest

from contextnmt.progress import bar


@pytest.mark.parametrize(
    ("count", "total", "seconds", "unit", "shown"),
    [
        (0, None, 0, "lines", "0 lines [00:00, ? lines/s]"),
        (3, None, 2, "lines", "3 lines [00:02,  1.50 lines/s]"),
        (3_000_000, None, 2, "lines", "3000000 lines [00:02, 1500000.00 lines/s]"),
        (3, 6, 9, "update", "3/6 [00:09<00:09,  0.33 update/s]"),
        (3e6, 6e6, 2, "B", "3.00M/6.00M [00:02<00:02, 1.50MB/s]"),
    ],
)
def test_a_space_stands_before_the_unit(
    count: float, total: int | None, seconds: float, unit: str, shown: str
) -> None:
    with bar("test", unit, total) as made:
        facts = {**made.format_dict, "n": count, "elapsed": seconds, "ncols": 60}
    meter = made.format_meter(**facts)
    assert meter.endswith(shown)
    assert len(meter) <= 60
