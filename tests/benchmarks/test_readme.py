"""benchmarks/readme.py: the tables of the README and docs/results.md are those of the published
files and the papers."""

import runpy
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.files import write_lines

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
README = runpy.run_path(str(BENCHMARKS / "readme.py"))
SCORES = runpy.run_path(str(BENCHMARKS / "scores.py"))
MARKED = "before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n"


def publish(path: Path, rows: list[tuple[str, str, str, str, float]]) -> None:
    """Write pair, system, text, beam width and BLEU as `scores.py` does."""
    cells = [[*names, f"{bleu:.2f}", "1.000", "1.00"] for *names, bleu in rows]
    write_lines(path, ["# BLEU", "", *SCORES["table"](SCORES["COLUMNS"], cells), "", "Minutes."])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Published scores of a few systems."""
    demo = [
        ("en-fr", "baseline", "test", "12", 40.0),
        ("en-fr", "baseline", "test", "1", 39.0),
        ("en-fr", "baseline", "dev", "12", 38.0),
        ("en-fr", "symbol", "test", "12", 51.0),
        ("en-de", "baseline", "test", "12", 30.0),
        ("en-de", "symbol", "test", "12", 29.5),
        ("en-fr", "rnnencdec-30", "test", "12", 20.0),
        ("en-fr", "rnnsearch-50", "test", "12", 35.5),
        ("en-fr", "gru", "test", "12", 33.0),
    ]
    publish(tmp_path / "demo_scores.md", demo)
    flickr = [
        ("en-de", "baseline", "test_2016_flickr", "12", 30.0),
        ("en-de", "baseline", "test_2017_flickr", "12", 20.0),
        ("en-de", "bpe", "test_2016_flickr", "12", 33.25),
        ("en-de", "rnnsearch-50", "test_2016_flickr", "12", 31.5),
    ]
    business = [
        ("en-de", system, "dynamics365-test", "12", 9.0) for system in ("bpe", "rnnsearch-50")
    ]
    publish(tmp_path / "business_en-de.md", business)
    publish(tmp_path / "multi30k_gpu.md", flickr)
    laws = [("en-fr", system, "laws-test", "12", 14.0) for system in ("context", "rnnencdec-50")]
    publish(tmp_path / "canada_laws.md", laws)
    return tmp_path


def test_a_row_has_the_paper_beside_each_preset(folder: Path) -> None:
    lines = README["filled"]("docs/results.md", MARKED, folder).split("\n")
    assert "| Baseline | 27.62 | 40.00 | 15.93 | 30.00 |  | 30.00 |  |" in lines
    assert (
        "| +Symbol (S) | 29.39 (+1.77) | 51.00 (+11.00) | 19.45 (+3.52) | 29.50 (-0.50) |  |  |  |"
        in (lines)
    )
    assert "| +BPE | 30.35 (+2.73) |  | 20.51 (+4.58) |  | 9.00 | 33.25 (+3.25) |  |" in lines


def test_every_paper_has_a_table(folder: Path) -> None:
    lines = README["filled"]("docs/results.md", MARKED, folder).split("\n")
    assert "| RNNencdec-30 | 13.93 | 20.00 |  |  |  |" in lines
    assert "| RNNsearch-50 | 26.75 (+12.82) | 35.50 (+15.50) |  | 9.00 | 31.50 |" in lines
    assert "| Baseline (GRU) | 33.00 |  |" in lines
    assert not [line for line in lines if "Moses" in line]


def test_differences_of_several_seeds_have_their_standard_error(folder: Path) -> None:
    cells = [
        ["en-de", "baseline", "test_2016_flickr", "12", "30.00 ± 0.60", "1.000", "1.00"],
        ["en-de", "bpe", "test_2016_flickr", "12", "33.25 ± 0.80", "1.000", "1.00"],
        *([f"en-de/{system}/{seed}", "1"] for system in ("baseline", "bpe") for seed in "1234"),
    ]
    write_lines(folder / "multi30k_gpu.md", [f"| {' | '.join(row)} |" for row in cells])
    lines = README["filled"]("README.md", MARKED, folder).split("\n")
    [row] = [line for line in lines if "+BPE − Baseline" in line]
    assert row.endswith("| +2.73 | +4.58 |  | +3.25 ± 0.50 |  |  |  |")
    [row] = [line for line in lines if "+S − Baseline" in line and "+C" not in line]
    assert row.endswith("| +1.77 | +3.52 |  |  |  | +11.00 | -0.50 |")


def test_only_the_text_between_the_marks_changes(folder: Path) -> None:
    once = README["filled"]("docs/results.md", MARKED, folder)
    assert once.startswith(
        "before\n<!-- measured: begin -->\n\n**Choi et al. 2017 (paper: Table 4)**\n\n| system |"
    )
    assert once.endswith("|\n\n<!-- measured: end -->\nafter\n")
    assert README["filled"]("docs/results.md", once, folder) == once


def test_missing_files_marks_and_rows_are_named(folder: Path) -> None:
    with pytest.raises(UserError, match="marks"):
        README["filled"]("docs/results.md", "no marks", folder)
    publish(folder / "multi30k_gpu.md", [("en-de", "bpe", "test_2017_flickr", "12", 20.0)])
    with pytest.raises(UserError, match=r"multi30k_gpu\.md: no BLEU of en-de, test_2016_flickr"):
        README["filled"]("docs/results.md", MARKED, folder)
    (folder / "demo_scores.md").unlink()
    with pytest.raises(UserError, match="demo_scores"):
        README["filled"]("docs/results.md", MARKED, folder)
