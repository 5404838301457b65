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


#: BLEU of the widest beam by page, language pair, text and system.
PUBLISHED = {
    ("demo_scores", "en-fr", "test"): {
        **{"baseline": 40.0, "symbol": 51.0, "gru": 33.0},
        **{"rnnencdec-30": 20.0, "rnnsearch-50": 35.5},
    },
    ("demo_scores", "en-de", "test"): {"baseline": 30.0, "symbol": 29.5},
    ("multi30k_gpu", "en-de", "test_2016_flickr"): {
        **{"baseline": 30.0, "bpe": 33.25, "rnnsearch-50": 31.5},
    },
    ("multi30k_gpu", "en-de", "test_2017_flickr"): {"baseline": 20.0},
    ("business_en-de", "en-de", "dynamics365-test"): {"bpe": 9.0, "rnnsearch-50": 9.0},
    ("canada_laws", "en-fr", "laws-test"): {"context": 14.0, "rnnencdec-50": 14.0},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Published scores of a few systems."""
    for page in {page for page, *_ in PUBLISHED}:
        rows = [
            (pair, system, text, beam, bleu - (beam == "1"))
            for (where, pair, text), scores in PUBLISHED.items()
            for system, bleu in scores.items()
            for beam in ("12", "1")
            if where == page
        ]
        publish(tmp_path / f"{page}.md", rows)
    return tmp_path


def filled(folder: Path, page: str = "docs/results.md", text: str = MARKED) -> list[str]:
    """The lines of a page with its tables."""
    return README["filled"](page, text, folder).split("\n")


def test_a_row_has_the_paper_beside_each_preset(folder: Path) -> None:
    lines = filled(folder)
    for row in (
        "Baseline | 27.62 | 40.00 | 15.93 | 30.00 |  | 30.00 |  |",
        "+Symbol (S) | 29.39 (+1.77) | 51.00 (+11.00) | 19.45 (+3.52) | 29.50 (-0.50) |  |  |  |",
        "+BPE | 30.35 (+2.73) |  | 20.51 (+4.58) |  | 9.00 | 33.25 (+3.25) |  |",
        "RNNencdec-30 | 13.93 | 20.00 |  |  |  |",
        "RNNsearch-50 | 26.75 (+12.82) | 35.50 (+15.50) |  | 9.00 | 31.50 |",
        "Baseline (GRU) | 33.00 |  |",
    ):
        assert f"| {row}" in lines
    assert not [line for line in lines if "Moses" in line]


def test_differences_of_several_seeds_have_half_of_their_interval(folder: Path) -> None:
    cells = [
        ["en-de", "baseline", "test_2016_flickr", "12", "30.00 ± 0.60", "1.000", "1.00"],
        ["en-de", "bpe", "test_2016_flickr", "12", "33.25 ± 0.80", "1.000", "1.00"],
        *([f"en-de/{system}/{seed}", "1"] for system in ("baseline", "bpe") for seed in "1234"),
    ]
    write_lines(folder / "multi30k_gpu.md", [f"| {' | '.join(row)} |" for row in cells])
    lines = filled(folder, "README.md")
    [row] = [line for line in lines if "+BPE − Baseline" in line]
    assert row.endswith("| +2.73 | +4.58 |  | +3.25 ± 1.22 |  |  |  |")
    [row] = [line for line in lines if "+S − Baseline" in line and "+C" not in line]
    assert row.endswith("| +1.77 | +3.52 |  |  |  | +11.00 | -0.50 |")


def test_only_the_text_between_the_marks_changes(folder: Path) -> None:
    once = filled(folder)
    assert (once[:2], once[-3:]) == (MARKED.split("\n")[:2], MARKED.split("\n")[-3:])
    assert "old" not in once
    assert filled(folder, text="\n".join(once)) == once


def test_missing_files_marks_and_rows_are_named(folder: Path) -> None:
    with pytest.raises(UserError, match="marks"):
        filled(folder, text="no marks")
    publish(folder / "multi30k_gpu.md", [("en-de", "bpe", "test_2017_flickr", "12", 20.0)])
    with pytest.raises(UserError, match=r"multi30k_gpu\.md: no BLEU of en-de, test_2016_flickr"):
        filled(folder)
    (folder / "demo_scores.md").unlink()
    with pytest.raises(UserError, match="demo_scores"):
        filled(folder)
