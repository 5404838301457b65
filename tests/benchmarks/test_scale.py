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

COMMANDS = {*RAW, *CLEAN, *GROWS_WITH}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """A call of Snakemake on a text of 60 pairs."""
    text, dev = ((tmp_path / f"{name}.en", tmp_path / f"{name}.fr") for name in ("text", "dev"))
    write_pairs(*text, generate(60))
    write_pairs(*dev, generate(30))
    return scale.prepared(tmp_path, 60, text, dev, "en-fr")


def test_every_command_is_called_and_asks_for_memory(words: list[str]) -> None:
    asked = {job.rule.replace("_", "-"): job.memory for job in planned(words).jobs}
    assert asked.keys() >= COMMANDS
    assert all(100 <= asked[command] <= 1_000_000 for command in COMMANDS - {"perplexity"})


@pytest.mark.slow
def test_every_command_is_measured(words: list[str], tmp_path: Path) -> None:
    snakemake(*words, measured=tmp_path)
    run = scale.read_run(tmp_path, 60, "en-fr")
    assert set(run.costs) >= COMMANDS
    assert 20 < run.selected < run.kept <= run.pairs == 60
    assert run.kept + run.repeated <= 60
    assert all(count > 100 for count in run.words)
    assert all(cpu > 0 and megabytes > 10 for cpu, megabytes in run.costs.values())


@pytest.fixture
def runs() -> list[Run]:
    """Texts of three sizes, with made-up figures: all is linear."""
    made = []
    for size in (60, 120, 240):
        run = Run(size, size // 2, size // 10, size // 4, 9 * size, [5 * size, 6 * size], {})
        costs = {name: (1 + run.read(name) / 100, 30 + size / 1000) for name in COMMANDS}
        made.append(run._replace(costs=costs))
    return made


def test_the_page_shows_linear_time_and_enough_memory(runs: list[Run]) -> None:
    for row in scale.time_rows(runs):
        assert row[-1] == "1.00"
        assert float(row[-2]) < 1  # the start weighs in the small text
    for megabytes, verdict in ((1, "**no**"), (10**9, "yes")):
        asked = dict.fromkeys(COMMANDS, megabytes)
        assert {row[-1] for row in scale.memory_rows(runs, asked)} == {verdict}
    assert {tuple(row[-2:]) for row in scale.memory_rows(runs, {})} == {("by the text", "")}
    first, second, _ = scale.text_rows(runs)
    assert first[2] == ""  # no text before the first
    assert second[2] == second[4] == "1.00"
    slow = [
        run._replace(kept=run.pairs, costs={"rank": (float(run.pairs**2), 1.0)}) for run in runs
    ]
    (row,) = scale.time_rows(slow)
    assert row[-2:] == ["4.00", "2.00"]


def test_two_sizes_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="three times or more"):
        scale.main(*[tmp_path] * 2, "en", "fr", *[tmp_path] * 2, [10, 10, 20])
