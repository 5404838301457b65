"""What a paper says, what is measured, and whether it holds."""

import csv
from pathlib import Path
from typing import Any

import pytest
from made_up_significance import make_significance
from results_folder import Results, make_results

from contextnmt.files import read_json, write_json
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.claims_table import claims_table
from contextnmt.report.tables import write_table

CONTEXT = "Contextualized embeddings are better (+Context (C) over Baseline)"
GAPS = {"en-de": {"context": "not trained"}}


def made(results: Results, folder: Path, change: Any = None) -> dict[str, Any]:
    """The table of a results folder, after a `change` of each file of stage significance."""
    bleu = folder / "bleu"
    write_table(bleu, bleu_table(results.files("score/*/*/*/scores.json"), results.experiment))
    tested = make_significance(results.folder, results.about)
    if change:
        for path in tested:
            content = read_json(path)
            for entry in content["contrasts"]:
                change(entry)
            write_json(path, content)
    write_table(
        folder / "claims", claims_table(bleu.with_suffix(".json"), tested, results.experiment)
    )
    table: dict[str, Any] = read_json(folder / "claims.json")
    return table


def row_of(table: dict[str, Any], place: int, label: str) -> list[str]:
    """Value and remark of the cells of a row in one of the blocks."""
    (row,) = [row for row in table["blocks"][place]["rows"] if row["label"] == label]
    return [f"{cell['text']} {cell['remark']}".rstrip() for cell in row["cells"]]


def test_a_claim_holds_or_its_opposite_does(results: Results, tmp_path: Path) -> None:
    table = made(results, tmp_path)
    assert [block["title"] for block in table["blocks"]] == [
        "English → French, test, beam 12, one seed",
        "English → German, test, beam 12, one seed",
    ]
    assert row_of(table, 0, CONTEXT) == ["yes", "+1.25", "+1.50", "+0.60 to +2.40"]
    assert row_of(table, 1, CONTEXT)[0] == "no, the opposite"
    assert [row["label"] for row in table["blocks"][0]["rows"]][1:] == [
        "Either adds (+C+S over +Symbol (S))",
        "Either adds (+C+S over +Context (C))",
    ]
    with open(tmp_path / "claims.csv") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 6
    assert (rows[0]["system"], rows[0]["verdict"]) == ("context", "yes")
    assert float(rows[0]["paper"]) == pytest.approx(28.87 - 27.62)
    assert [float(rows[0][test]) for test in ("p_bootstrap", "p_randomization")] == [0.0002, 0.0001]


def test_what_chance_explains_is_not_shown(results: Results, tmp_path: Path) -> None:
    table = made(results, tmp_path, lambda entry: entry.update(p_randomization=0.0512))
    assert row_of(table, 0, CONTEXT)[0] == row_of(table, 1, CONTEXT)[0] == "not shown"


def test_without_a_test_there_is_no_verdict(results: Results, tmp_path: Path) -> None:
    def damage(entry: dict[str, Any]) -> None:
        names = {key: entry[key] for key in ("system", "baseline")}
        entry.clear()
        entry.update(names, gap="seed 1: damaged")

    table = made(results, tmp_path, damage)
    assert row_of(table, 0, CONTEXT) == ["not tested", "+1.25", "+1.50", "–"]


def test_a_claim_about_length_is_about_the_halves_of_the_text(tmp_path: Path) -> None:
    results = make_results(tmp_path / "results", name="bahdanau2015")
    table = made(results, tmp_path)
    label = "In long sentences more so (RNNsearch-50 over RNNencdec-50)"
    assert row_of(table, 0, label) == [
        "yes",
        "–",
        "+1.50 +3.00 over 14 words, +1.50 up to that",
        "+0.30 to +2.70",
    ]
    assert any("longer than the median" in note for note in table["notes"])


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
    growth: dict[str, float] | None, verdict: str, here: str, tmp_path: Path
) -> None:
    def change(entry: dict[str, Any]) -> None:
        entry["growth"] = entry["growth"] | growth if growth else None

    table = made(make_results(tmp_path / "results", name="bahdanau2015"), tmp_path, change)
    cells = row_of(table, 0, "In long sentences more so (RNNsearch-50 over RNNencdec-50)")
    assert cells[0] == verdict
    assert cells[2].split()[0] == here


def test_what_is_not_finished_is_no_verdict(tmp_path: Path) -> None:
    results = make_results(tmp_path / "results", gaps=GAPS)
    table = made(results, tmp_path)
    assert row_of(table, 0, CONTEXT)[0] == "yes"
    assert row_of(table, 1, CONTEXT) == ["not finished", "–", "–", "–"]
    assert "Not finished: English → German: +Context (C) (not trained)." in table["notes"]
