"""Results folders with made-up numbers, and the report made from one of them."""

from pathlib import Path

import pytest
from results_folder import Made, make_report, make_results


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
