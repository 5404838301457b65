"""The scale of the trainings beside the paper's."""

from pathlib import Path

import pytest
from results_folder import make_results, make_tables

from contextnmt.files import write_lines
from contextnmt.report.scale import comparison


def test_the_scale_of_a_paper_stands_beside_as_it_is_printed(tmp_path: Path) -> None:
    lost = {"en-fr": {"rnnencdec-30": "not trained"}}
    made = make_results(tmp_path, (1, 2), name="bahdanau2015", gaps=lost)
    write_lines(tmp_path / "word-counts/en-fr/fr.tsv", ["de\t20000", "la\t14567"])
    table = make_tables(made, "trainings", "scale")["scale"]
    found = comparison(table.data, "en-fr")
    assert found == {
        "training pairs": ("8.76k", "–"),
        "target words": ("34.6k", "348M"),
        "updates": ("600", "288k–667k"),  # of the systems that are finished
        "epochs": ("4", "2.2–5"),
        "parameters": ("1.23M", "–"),
        "time of a training": ("1:15 min", "108:00–252:00 h"),
        "device": ("CPU", "Quadro K-6000, TITAN BLACK"),
        "seeds": ("2", "–"),
    }
    (block,) = table.blocks
    cells = {label: [cell.text for cell in row] for label, row in block.rows}
    assert cells == {
        "here": [here for here, _ in found.values()],
        "paper": [paper for _, paper in found.values()],
    }
    (words,) = (
        row for row in table.data if (row["source"], row["quantity"]) == ("paper", "target_words")
    )
    assert (words["low"], words["high"]) == (348e6, 348e6)
    assert comparison(table.data, "en-de") == {}


@pytest.mark.parametrize(("name", "words"), [("choi2017", "336M"), ("chen2017", "–")])
def test_a_paper_that_prints_little_has_dashes(tmp_path: Path, name: str, words: str) -> None:
    made = make_results(tmp_path, name=name)
    found = comparison(make_tables(made, "trainings", "scale")["scale"].data, "en-fr")
    printed = {heading: paper for heading, (_, paper) in found.items()}
    assert printed.pop("target words") == words
    assert set(printed.values()) == {"–"}
