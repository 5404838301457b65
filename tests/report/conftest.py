"""Results folders with made-up numbers, and the report made from one of them."""

from pathlib import Path

import pytest
from made_up_experiments import experiment, results_of
from results_folder import Made, make_pair, make_report, make_results

from contextnmt.report.results import Results


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """One seed, one test text."""
    return make_results(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="session")
def results_of_seeds(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Three seeds, two test texts."""
    folder = tmp_path_factory.mktemp("results-of-seeds")
    return make_results(folder, (1, 2, 3), ("test_2016_flickr", "test_2017_flickr"))


@pytest.fixture(scope="session")
def reported(results: Made) -> Path:
    """The page of `results`, with all that belongs to it."""
    return make_report(results)


@pytest.fixture
def corpora(tmp_path: Path) -> Results:
    """Files of the corpora of choi2017, without runs."""
    about = experiment("choi2017")
    for pair in about["pairs"]:
        make_pair(tmp_path, pair, ("test",))
    return results_of(tmp_path, about)
