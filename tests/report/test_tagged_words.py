"""The phenomena table: shares and counts of what is tagged in the test text."""

import csv
from pathlib import Path
from typing import Any

from made_up_experiments import experiment, results_of
from results_folder import Made

from contextnmt.files import write_json
from contextnmt.report.tables import Cell, texts_of
from contextnmt.report.tagged_words import phenomena_table


def test_shares_and_counts(results: Made) -> None:
    table = phenomena_table(results.results)
    lines = texts_of(table)["csv"].split("\n")
    rows = {(r["pair"], r["system"], r["phenomenon"]): r for r in csv.DictReader(lines)}
    row = rows["en-de", "symbol", "name unseen"]
    assert (row["right"], row["total"], row["right_percent"]) == ("6", "30", "20")
    block = table.blocks[0]
    assert block.columns[-1] == ("acronyms", "")
    assert block.rows[1][1][-1] == Cell("15.0", "(3/20)")
    assert all(cell.best for cell in block.rows[-1][1])


def test_counts_of_seeds_are_added_up(results_of_seeds: Made) -> None:
    table = phenomena_table(results_of_seeds.results)
    row = table.data[0]
    assert (row["right"], row["total"], row["right_percent"]) == (60, 240, 25.0)
    assert table.blocks[0].rows[0][1][0] == Cell("25.0", "± 0.0 of 80")
    assert "Mean ± standard deviation of 3 seeds." in table.notes


def test_a_phenomenon_that_the_text_lacks_is_left_out(tmp_path: Path) -> None:
    about = experiment("bahdanau2015")
    none = {"right": 0, "total": 0}
    counts = {"kinds": {"number": {"right": 1, "total": 2}}, "names_by_seen": {"seen": none}}
    counts["ambiguous_by_distance"] = {}
    contents: dict[str, Any] = dict.fromkeys((each["id"] for each in about["systems"]), counts)
    contents["rnnsearch-50"] = {"gap": "it has 2 lines"}
    for system, content in contents.items():
        write_json(tmp_path / f"phenomena/en-fr/{system}/1/test.json", {"test.beam12": content})
    table = phenomena_table(results_of(tmp_path, about))
    (block,) = table.blocks
    assert block.columns == [("numbers", "")]
    shown = {label: cell for label, (cell,) in block.rows}
    assert shown.pop("RNNsearch-50") == Cell("–")
    assert set(shown.values()) == {Cell("50.0", "(1/2)")}  # none is the best of equals
    assert "No counts: English → French: RNNsearch-50 (it has 2 lines)." in table.notes
