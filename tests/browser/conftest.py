"""Pages with made-up numbers and runs, by the tests of the report and of translation."""

import sys
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parents[1] / room) for room in ("report", "translation")]

from results_folder import make_report, make_results


@pytest.fixture(scope="session", params=["choi2017", "chen2017"])
def reported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seeds and two test texts, where tables are widest; chen2017 has the longest labels."""
    folder, tests = tmp_path_factory.mktemp("reported"), ("test_2016_flickr", "test_2017_flickr")
    return make_report(make_results(folder, (1, 2, 3), tests, request.param))
