"""benchmarks/scale.py: every command runs as it is written there, and the figures add up."""

import sys
from pathlib import Path

import pytest
import scale
import text_steps
from generated_pairs import generate
from text_steps import MEASURES, STEPS, Cost, Run, Step, Text

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


def test_every_step_is_measured(runs: list[Run]) -> None:
    measured = [step.name for step in STEPS if step.name]
    assert [list(run.costs) for run in runs] == [measured] * 3
    for run in runs:
        assert run.text.pairs / 2 < run.kept <= run.text.pairs
        assert run.costs["tokenize"].pairs == run.text.pairs
        assert run.costs["symbolize"].pairs == run.kept


def test_the_workflow_asks_for_memory_for_every_step() -> None:
    asked = text_steps.memory_asked()
    assert {step.rule for step in STEPS} - set(asked) == {"perplexity"}  # its own reckoning
    assert all(100 <= megabytes <= 1_000_000 for megabytes in asked.values())


def test_what_fills_memory_grows_with_the_text(runs: list[Run]) -> None:
    assert {step.grows_with for step in STEPS} == {"", *MEASURES}
    for measure in MEASURES.values():
        entries = [measure(run) for run in runs]
        assert 0 < entries[0] < entries[1] < entries[2]
    assert text_steps.words(runs[0], "source") < text_steps.words(runs[0])


def test_memory_is_extrapolated_in_a_straight_line(runs: list[Run]) -> None:
    kept = [run.kept for run in runs[-2:]]
    costs = [{"x": runs[0].costs["rank"]._replace(megabytes=10.0 + pairs)} for pairs in kept]
    filled = [run._replace(costs=cost) for run, cost in zip(runs[-2:], costs, strict=True)]
    assert scale.at_wmt14(Step("x", "x", "pairs", 5000), filled) == pytest.approx(5010)
    assert scale.at_wmt14(Step("x", "x", "pairs", 1), filled) == 10 + kept[-1]  # never less
    assert scale.at_wmt14(Step("x", "x"), filled) == 10 + kept[-1]


def test_the_page_shows_linear_time_and_enough_memory(runs: list[Run]) -> None:
    for row in scale.time_rows(runs):
        assert row[-1] == "1.00"
        assert float(row[-2]) < 1  # the start weighs in the small text
    rules = {step.rule for step in STEPS}
    verdicts = [
        [row[-1] for row in scale.memory_rows(runs, dict.fromkeys(rules, megabytes))]
        for megabytes in (1, 10**9)
    ]
    assert set(verdicts[0]) == {"**no**"}
    assert set(verdicts[1]) == {"yes"}
    lines = scale.page(runs)
    assert sum(line.startswith("| symbolize |") for line in lines) == 2
    words = next(line for line in lines if line.startswith("| 60 |"))
    assert words.split(" | ")[2] == ""  # no text before the first


def test_quadratic_time_shows(runs: list[Run]) -> None:
    slow = [
        run._replace(costs={"rank": run.costs["rank"]._replace(cpu=run.text.pairs**2, pairs=size)})
        for run, size in zip(runs, SIZES, strict=True)
    ]
    (row,) = scale.time_rows(slow)
    assert row[-2:] == ["4.00", "2.00"]


def test_two_sizes_are_too_few(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="three times or more"):
        scale.main(*[tmp_path] * 2, *LANGUAGES, *[tmp_path] * 2, [10, 10, 20])
