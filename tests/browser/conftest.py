"""A page with made-up numbers, from the same results folder as the report's own tests."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "report"))

from results_folder import make_report, make_results


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three seeds and two test texts, where the tables are widest."""
    folder = tmp_path_factory.mktemp("reported")
    return make_report(make_results(folder, (1, 2, 3), ("test_2016_flickr", "test_2017_flickr")))
