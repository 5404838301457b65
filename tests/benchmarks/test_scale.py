"""benchmarks/scale.py: every command runs as it is written there, and the figures add up."""

import sys
from pathlib import Path

import memory_tables
import pytest
import scale
import text_steps
from generated_pairs import generate
from memory_tables import TABLES, Grown, grown_tables
from text_steps import STEPS, Cost, Run, Text

from contextnmt import cli
from contextnmt.errors import UserError
from contextnmt.files import write_pairs

LANGUAGES = ("en", "fr")
SIZES = (60, 120, 240)


def run_here(text: Text, command: str, arguments: list[str]) -> Cost:
    """`measure` without a process of its own, and with made-up figures: all is linear."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(text.folder)
        patch.setattr(sys, "argv", ["contextnmt", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    assert not ended.value.code, arguments
    return Cost(command, text.name, text.pairs, 1.0, 1 + text.pairs / 100, 30 + text.pairs / 1000)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Texts of three sizes that every command has run on."""
    place = tmp_path_factory.mktemp("scale")
    dev = place / "dev.en", place / "dev.fr"
    write_pairs(*dev, generate(30))
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_steps, "measure", run_here)
        for size in SIZES:
            folder = place / str(size)
            write_pairs(folder / "raw.source.gz", folder / "raw.target.gz", generate(size))
            made.append(text_steps.run(Text(str(size), size, folder), LANGUAGES, dev))
    return made


@pytest.fixture(scope="module")
def tables(runs: list[Run]) -> list[Grown]:
    """The tables in the memory of the commands."""
    return list(grown_tables(runs))


def test_every_step_is_measured(runs: list[Run]) -> None:
    measured = [step.name for step in STEPS if step.name]
    assert [list(run.costs) for run in runs] == [measured] * 3
    assert {table.step for table in TABLES} < set(measured)
    for run in runs:
        assert run.text.pairs / 2 < run.kept <= run.text.pairs
        assert run.costs["tokenize"].pairs == run.text.pairs
        assert run.costs["symbolize"].pairs == run.kept


def test_the_workflow_asks_for_memory_for_every_step() -> None:
    asked = text_steps.memory_asked()
    assert {step.rule for step in STEPS} - set(asked) == {"perplexity"}  # its own reckoning
    assert all(100 <= megabytes <= 1_000_000 for megabytes in asked.values())


def test_tables_have_entries_of_some_bytes(tables: list[Grown]) -> None:
    assert [each.table for each in tables] == TABLES
    for each in tables:
        assert each.entries == sorted(each.entries)
        assert each.entries[0] > 0, each.table
        assert each.extrapolated > each.entries[-1]
        assert each.table.size is None or 4 < each.size < 10_000, each
        assert each.table.most is None or each.extrapolated <= each.table.most
    by_name = {(each.table.step, each.table.name): each for each in tables}
    assert by_name["rank", "ranking"].extrapolated == memory_tables.POOL.pairs
    assert by_name["binarize", "words"].extrapolated == memory_tables.BOTH_WORDS
    assert by_name["survey", "words"].extrapolated < by_name["clean", "words"].extrapolated


def test_the_page_tells_linear_time_and_enough_memory(runs: list[Run], tables: list[Grown]) -> None:
    for row in scale.time_rows(runs):
        assert row[-1] == "1.00"
        assert float(row[-2]) < 1  # the start weighs in the small text
    rules = {step.rule for step in STEPS}
    verdicts = [
        [row[-1] for row in scale.memory_rows(runs, tables, dict.fromkeys(rules, megabytes))]
        for megabytes in (1, 10**9)
    ]
    assert set(verdicts[0]) == {"**no**"}
    assert set(verdicts[1]) == {"yes"}
    lines = scale.page(runs, tables)
    assert sum(line.startswith("| symbolize |") for line in lines) == 2 + 4  # and four tables
    words = next(line for line in lines if line.startswith("| 60 |"))
    assert words.split(" | ")[2] == ""  # no text before the first


def test_quadratic_time_is_told(runs: list[Run]) -> None:
    slow = [
        run._replace(costs={"rank": run.costs["rank"]._replace(cpu=run.text.pairs**2, pairs=size)})
        for run, size in zip(runs, SIZES, strict=True)
    ]
    (row,) = scale.time_rows(slow)
    assert row[-2:] == ["4.00", "2.00"]


def test_a_table_has_no_more_entries_than_its_limit(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = next(each for each in TABLES if each.name == "rules")
    monkeypatch.setattr(memory_tables, "TABLES", [rules._replace(most=3)])
    (limited,) = grown_tables(runs)
    assert limited.entries == [3, 3, 3]
    assert limited.growth == 0


def test_a_power_law_is_found() -> None:
    factor, exponent = memory_tables.power_law([100, 400, 1600], [30, 60, 120])
    assert factor == pytest.approx(3)
    assert exponent == pytest.approx(0.5)


def test_two_sizes_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="three times or more"):
        scale.main(*[tmp_path] * 2, *LANGUAGES, *[tmp_path] * 2, [10, 10, 20])
