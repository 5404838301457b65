"""The table of significance: intervals, differences, both tests, gaps."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_significance import make_significance
from results_folder import Made, csv_rows

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.certainty import significance_table, significant
from contextnmt.report.tables import Cell, Table

FRENCH = "English → French, test, beam 12"
CONTEXT = "+Context (C) over Baseline"


@pytest.fixture
def tested(results: Made, tmp_path: Path) -> Made:
    """The files of stage significance alone, free to be changed."""
    make_significance(tmp_path, results.about, results.folder)
    return Made(tmp_path, results.about)


def change(tested: Made, edit: Callable[[Any], Any]) -> None:
    """Edit the content of the file of en-fr."""
    path = tested.results.compared("significance")["en-fr", "test"]
    content = read_json(path)
    edit(content)
    write_json(path, content)


def row_of(table: Table, title: str, label: str) -> list[Cell]:
    (block,) = [block for block in table.blocks if block.title == title]
    return dict(block.rows)[label]


def test_scores_differences_and_tests(tested: Made) -> None:
    table = significance_table(tested.results)
    assert row_of(table, FRENCH, "Baseline") == [Cell("20.25"), Cell("18.25 to 22.25")]
    cells = row_of(table, f"{FRENCH}: differences", CONTEXT)
    assert [cell.text for cell in cells] == ["+1.50", "+0.60 to +2.40", "< 0.001", "< 0.001"]
    assert cells[0].best


def test_a_difference_that_one_test_takes_for_chance_is_not_marked(tested: Made) -> None:
    change(tested, lambda content: content["contrasts"][0].update(p_bootstrap=0.0512))
    cells = row_of(significance_table(tested.results), f"{FRENCH}: differences", CONTEXT)
    assert (cells[0].best, cells[2].text) == (False, "0.051")


def test_every_number_is_in_the_csv_file(tested: Made) -> None:
    rows = {
        (row["pair"], row["system"], row["baseline"]): row
        for row in csv_rows(significance_table(tested.results))
    }
    row = rows["en-fr", "context", "baseline"]
    keys = ("text", "beam", "value", "low", "p_bootstrap", "p_randomization")
    assert [row[key] for key in keys] == ["test", "12", "1.5", "0.6", "0.0002", "0.0001"]
    assert rows["en-de", "bpe", ""]["p_bootstrap"] == ""


def test_seeds_are_told_with_their_deviation(results_of_seeds: Made) -> None:
    table = significance_table(results_of_seeds.results)
    title = "English → French, test_2017_flickr, beam 12"
    assert row_of(table, title, "Baseline")[0].remark == "± 0.50"
    assert "Mean ± standard deviation of 3 seeds." in table.notes


def test_a_gap_has_its_reason(tested: Made) -> None:
    reason = "context: no translation of seed 2"

    def leave_gap(content: Any) -> None:
        content["systems"]["context"] = {"gap": "no translation of seed 2"}
        for place, entry in enumerate(content["contrasts"]):
            names = {key: entry[key] for key in ("system", "baseline")}
            if "context" in names.values():
                content["contrasts"][place] = {**names, "gap": reason}

    change(tested, leave_gap)
    table = significance_table(tested.results)
    assert row_of(table, FRENCH, "+Context (C)")[0] == Cell("–", "no translation of seed 2")
    cells = row_of(table, f"{FRENCH}: differences", CONTEXT)
    assert cells == [Cell("–", reason), *[Cell("–")] * 3]
    (row,) = [
        row
        for row in table.data
        if (row["pair"], row["system"], row["baseline"]) == ("en-fr", "context", "baseline")
    ]
    assert (row["value"], row["gap"]) == (None, reason)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda content: content.pop("contrasts"), "test.beam12.json: no contrasts in it"),
        (lambda content: content["systems"].pop("bpe"), "test.beam12.json: no bpe in it"),
        (lambda content: content["contrasts"][0].pop("p_bootstrap"), "no p_bootstrap in it"),
    ],
)
def test_a_damaged_file_is_named(edit: Any, message: str, tested: Made) -> None:
    change(tested, edit)
    with pytest.raises(UserError, match=message):
        significance_table(tested.results)


def test_both_tests_have_to_agree() -> None:
    assert significant([0.049, 0.001])
    assert not significant([0.001, 0.05])
