"""benchmarks/language_model.py: what it measures of two small texts."""

import runpy
from pathlib import Path

import pytest

from contextnmt.files import write_lines
from contextnmt.selection.ngrams import Vocabulary

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPT = runpy.run_path(str(BENCHMARKS / "language_model.py"))

IN_DOMAIN = ["a b c", "a b c d", "a a b"] * 20
GENERAL = ["a b x", "y", "c b a"] * 40


@pytest.fixture
def texts(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "in.en.gz", tmp_path / "general.en.gz"
    write_lines(paths[0], IN_DOMAIN)
    write_lines(paths[1], GENERAL)
    return paths


def test_a_report_has_a_row_a_model_and_a_row_a_batch_size(
    texts: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SCRIPT["main"](*texts, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert page == capsys.readouterr().out
    assert "| in-domain | 200 | 0.0 | 7 |" in page
    assert "| general | 280 | 28.6 | 7 |" in page
    for lines in SCRIPT["BATCHES"]:
        assert f"| {lines:,} | " in page
    widths = {line.count("|") for line in page.split("\n") if line.startswith("| ")}
    assert widths == {12, 6}


def test_a_sample_comes_from_all_over_the_text(texts: tuple[Path, Path]) -> None:
    assert list(SCRIPT["sampled"](texts[1], 40)) == ["a b x"] * 40
    assert list(SCRIPT["sampled"](texts[1], 500)) == GENERAL


def test_every_word_is_looked_up_in_every_model(texts: tuple[Path, Path]) -> None:
    vocabulary = Vocabulary(["a", "b", "c"])
    made = [
        SCRIPT["measure_estimation"](name, vocabulary.encode(lines), len(vocabulary))
        for name, lines in (("in", IN_DOMAIN), ("general", GENERAL))
    ]
    models = [model for model, _ in made]
    assert [estimation.unknown > 0 for _, estimation in made] == [True, True]
    once = SCRIPT["measure_scoring"](texts[1], 7, vocabulary, models[:1])
    assert 0 < once.everything < once.scoring
    assert 0 < once.everything < once.encoding
