"""Claims of a paper beside the measurements, and whether they hold."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_significance import make_significance
from results_folder import Made, csv_rows, make_results, make_tables

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.tables import Table

CONTEXT = "Contextualized embeddings are better (+Context (C) over Baseline)"
LONGER = "In long sentences more so (RNNsearch-50 over RNNencdec-50)"


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make_results(tmp_path)


@pytest.fixture
def bahdanau(tmp_path: Path) -> Made:
    return make_results(tmp_path, name="bahdanau2015")


def claims(made: Made, change: Callable[[Any], Any] = lambda entry: None) -> Table:
    """The table of claims, after a `change` of each tested difference."""
    for path in make_significance(made.folder, made.about):
        content = read_json(path)
        for entry in content["contrasts"]:
            change(entry)
        write_json(path, content)
    return make_tables(made, "bleu-table", "significance", "claims")["claims"]


def row_of(table: Table, place: int, label: str) -> list[str]:
    """The cells of a row in one of the blocks."""
    return [cell.plain for cell in dict(table.blocks[place].rows)[label]]


def test_a_claim_holds_or_its_opposite_does(made: Made) -> None:
    table = claims(made)
    assert [block.title for block in table.blocks] == [
        "English → French, test, beam 12, one seed",
        "English → German, test, beam 12, one seed",
    ]
    assert row_of(table, 0, CONTEXT) == ["yes", "+1.25", "+1.50", "+0.60 to +2.40"]
    assert row_of(table, 1, CONTEXT)[0] == "no, the opposite"
    assert [label for label, _ in table.blocks[0].rows][1:] == [
        "Either adds (+C+S over +Symbol (S))",
        "Either adds (+C+S over +Context (C))",
    ]
    rows = csv_rows(table)
    assert len(rows) == 6
    assert (rows[0]["system"], rows[0]["verdict"]) == ("context", "yes")
    assert float(rows[0]["paper"]) == pytest.approx(28.87 - 27.62)
    assert [float(rows[0][test]) for test in ("p_bootstrap", "p_randomization")] == [0.0002, 0.0001]


def test_what_chance_explains_is_not_shown(made: Made) -> None:
    table = claims(made, lambda entry: entry.update(p_randomization=0.0512))
    assert row_of(table, 0, CONTEXT)[0] == row_of(table, 1, CONTEXT)[0] == "not shown"


def test_without_a_test_there_is_no_verdict(made: Made) -> None:
    def damage(entry: dict[str, Any]) -> None:
        names = {key: entry[key] for key in ("system", "baseline")}
        entry.clear()
        entry.update(names, gap="seed 1: damaged")

    assert row_of(claims(made, damage), 0, CONTEXT) == ["not tested", "+1.25", "+1.50", "–"]


def test_a_claim_about_length_is_about_the_halves_of_the_text(bahdanau: Made) -> None:
    table = claims(bahdanau)
    assert row_of(table, 0, LONGER) == [
        "yes",
        "–",
        "+1.50 +3.00 over 14 words, +1.50 up to that",
        "+0.30 to +2.70",
    ]
    assert any("longer than the median" in note for note in table.notes)


@pytest.mark.parametrize(
    ("growth", "verdict", "here"),
    [
        ({"difference": -2.0, "p_bootstrap": 0.01}, "no, the opposite", "−2.00"),
        ({"difference": 2.0, "p_bootstrap": 0.06}, "not shown", "+2.00"),
        ({"difference": 0.2, "p_bootstrap": 0.01}, "not shown", "+0.20"),
        ({"difference": 2.0, "p_bootstrap": 0.01, "spread": 2.5}, "not shown", "+2.00"),
        (None, "not tested", "–"),
    ],
)
def test_a_claim_about_length_may_not_hold(
    growth: dict[str, float] | None, verdict: str, here: str, bahdanau: Made
) -> None:
    def change(entry: dict[str, Any]) -> None:
        entry["growth"] = entry["growth"] | growth if growth else None

    cells = row_of(claims(bahdanau, change), 0, LONGER)
    assert [cells[0], cells[2].split()[0]] == [verdict, here]


def test_a_file_without_the_halves_is_named(bahdanau: Made) -> None:
    with pytest.raises(UserError, match=r"test\.beam12\.json: no long in it"):
        claims(bahdanau, lambda entry: entry["growth"].pop("long"))


def test_what_is_not_finished_is_no_verdict(tmp_path: Path) -> None:
    table = claims(make_results(tmp_path, gaps={"en-de": {"context": "not trained"}}))
    assert row_of(table, 0, CONTEXT)[0] == "yes"
    assert row_of(table, 1, CONTEXT) == ["not finished", "–", "–", "–"]
    assert "Not finished: English → German: +Context (C) (not trained)." in table.notes
