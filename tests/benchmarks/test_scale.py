"""benchmarks/scale.py: the workflow runs on the texts of a size, and the figures add up."""

from pathlib import Path

import pytest
import scale
from calls import snakemake
from generated_pairs import generate
from scale import CLEAN, GROWS_WITH, RAW, Run

from contextnmt.errors import UserError
from contextnmt.files import write_pairs
from contextnmt.planning.jobs import planned

SIZES = (60, 120, 240)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, dict[str, int]]:
    """A text whose stages the workflow has run, and the memory that the rules ask for."""
    place = tmp_path_factory.mktemp("scale")
    text, dev = ((place / f"{name}.en", place / f"{name}.fr") for name in ("text", "dev"))
    write_pairs(*text, generate(60))
    write_pairs(*dev, generate(30))
    words = scale.prepared(place, 60, text, dev, "en-fr")
    asked = {job.rule.replace("_", "-"): job.memory for job in planned(words).jobs}
    snakemake(*words, measured=place)
    return scale.read_run(place, 60, "en-fr"), asked


@pytest.fixture
def runs(measured: tuple[Run, dict[str, int]]) -> list[Run]:
    """Texts of three sizes, with made-up figures: all is linear."""
    first, _ = measured
    made = []
    for size in SIZES:
        run = first._replace(
            pairs=size,
            **{key: getattr(first, key) * size // 60 for key in ("kept", "selected", "tokens")},
            words=[count * size // 60 for count in first.words],
        )
        costs = {name: (1 + run.read(name) / 100, 30 + size / 1000) for name in first.costs}
        made.append(run._replace(costs=costs))
    return made


def test_every_command_is_measured(measured: tuple[Run, dict[str, int]]) -> None:
    run, asked = measured
    assert {*RAW, *CLEAN, *GROWS_WITH} <= set(run.costs)
    assert set(run.costs) <= set(asked)
    assert all(100 <= asked[command] <= 1_000_000 for command in run.costs)
    assert 20 < run.selected < run.kept <= run.pairs == 60
    assert run.kept + run.repeated <= 60
    assert all(count > 100 for count in run.words)
    assert all(cpu > 0 and megabytes > 10 for cpu, megabytes in run.costs.values())


def test_memory_is_extrapolated_in_a_straight_line(runs: list[Run]) -> None:
    kept = [run.kept for run in runs[-2:]]
    filled = [
        run._replace(costs=dict.fromkeys(("rank", "pairs"), (1.0, 10.0 + run.kept)))
        for run in runs[-2:]
    ]
    assert scale.at_wmt14("rank", filled) == pytest.approx(10 + scale.POOL)
    assert scale.at_wmt14("pairs", filled) == 10 + kept[-1]
    large = [run._replace(kept=run.kept + scale.POOL) for run in filled]
    assert scale.at_wmt14("rank", large) == 10 + kept[-1]  # never less


def test_the_page_shows_linear_time_and_enough_memory(runs: list[Run]) -> None:
    for row in scale.time_rows(runs):
        assert row[-1] == "1.00"
        assert float(row[-2]) < 1  # the start weighs in the small text
    for megabytes, verdict in ((1, "**no**"), (10**9, "yes")):
        asked = dict.fromkeys(runs[0].costs, megabytes)
        assert {row[-1] for row in scale.memory_rows(runs, asked)} == {verdict}
    assert {tuple(row[-2:]) for row in scale.memory_rows(runs, {})} == {("by the text", "")}
    first, second, _ = scale.text_rows(runs)
    assert first[2] == ""  # no text before the first
    assert second[2] == second[4] == "1.00"


def test_quadratic_time_shows(runs: list[Run]) -> None:
    slow = [
        run._replace(kept=run.pairs, costs={"rank": (float(run.pairs**2), 1.0)}) for run in runs
    ]
    (row,) = scale.time_rows(slow)
    assert row[-2:] == ["4.00", "2.00"]


def test_two_sizes_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="three times or more"):
        scale.main(*[tmp_path] * 2, "en", "fr", *[tmp_path] * 2, [10, 10, 20])
