"""The page of a preset as large as wmt14 stays small, and fits, in Chromium too."""

from pathlib import Path

import pytest
from chromium import CHROMIUM
from full_size import make_full_size
from test_browser import check_fit

#: Bytes that a page may have.
LIMIT = 10_000_000


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_full_size(tmp_path_factory.mktemp("full-size"), "choi2017")


def test_the_page_is_no_larger_than_can_be_mailed(page: Path) -> None:
    assert 1_000_000 < page.stat().st_size < LIMIT


@pytest.mark.skipif(not CHROMIUM, reason="no chromium: apt-get install chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_and_loads_nothing(page: Path, tmp_path: Path, width: int) -> None:
    check_fit(page, width, tmp_path)
