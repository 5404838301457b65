"""Differences of systems: their significance, claims of a paper on them, the figure of gains."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_significance import make_significance
from results_folder import Made, as_svg, csv_rows, make_results, make_tables

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.certainty import significance_table
from contextnmt.report.tables import Cell, Table

#: A title of the table of significance, and a row.
FRENCH = "English → French, test, beam 12"
CONTEXT = "+Context (C) over Baseline"
#: Rows of the table of claims.
CLAIM = "Contextualized embeddings are better (+Context (C) over Baseline)"
LONGER = "In long sentences more so (RNNsearch-50 over RNNencdec-50)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Results to which each test gives a significance of its own."""
    return make_results(tmp_path_factory.mktemp("choi"))


@pytest.fixture(scope="module")
def bahdanau(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_results(tmp_path_factory.mktemp("bahdanau"), name="bahdanau2015")


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
    assert row_of(table, 0, CLAIM) == ["yes", "+1.25", "+1.50", "+0.60 to +2.40"]
    assert row_of(table, 1, CLAIM)[0] == "no, the opposite"
    assert table.blocks[0].rows[2][0] == "Either adds (+C+S over +Context (C))"
    rows = csv_rows(table)
    assert len(rows) == 6
    assert (rows[0]["system"], rows[0]["verdict"]) == ("context", "yes")
    assert float(rows[0]["paper"]) == pytest.approx(28.87 - 27.62)
    assert [float(rows[0][test]) for test in ("p_bootstrap", "p_randomization")] == [0.0002, 0.0001]


def test_a_claim_about_length_is_about_the_halves_of_the_text(bahdanau: Made) -> None:
    table = claims(bahdanau)
    halves = "+1.50 +3.00 over 14 words, +1.50 up to that"
    assert row_of(table, 0, LONGER) == ["yes", "–", halves, "+0.30 to +2.70"]
    assert any("longer than the median" in note for note in table.notes)
    with pytest.raises(UserError, match=r"test\.beam12\.json: no long in it"):
        claims(bahdanau, lambda entry: entry["growth"].pop("long"))


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


def test_without_a_sure_test_there_is_no_verdict(made: Made) -> None:
    def damage(entry: dict[str, Any]) -> None:
        names = {key: entry[key] for key in ("system", "baseline")}
        entry.clear()
        entry.update(names, gap="seed 1: damaged")

    table = claims(made, lambda entry: entry.update(p_randomization=0.0512))
    assert row_of(table, 0, CLAIM)[0] == row_of(table, 1, CLAIM)[0] == "not shown"
    assert row_of(claims(made, damage), 0, CLAIM) == ["not tested", "+1.25", "+1.50", "–"]
    table = claims(Made(made.folder, made.about | {"gaps": {"en-de": {"context": "not trained"}}}))
    assert row_of(table, 1, CLAIM) == ["not finished", "–", "–", "–"]
    assert "Not finished: English → German: +Context (C) (not trained)." in table.notes


def cells_of(table: Table, title: str, label: str) -> list[Cell]:
    (block,) = [block for block in table.blocks if block.title == title]
    return dict(block.rows)[label]


def test_seeds_are_told_with_their_deviation(results_of_seeds: Made) -> None:
    table = significance_table(results_of_seeds.results)
    title = "English → French, test_2017_flickr, beam 12"
    assert cells_of(table, title, "Baseline")[0].remark == "± 0.50"
    assert "Mean ± standard deviation of 3 seeds." in table.notes


def test_scores_differences_and_tests(results: Made) -> None:
    table = significance_table(results.results)
    assert cells_of(table, FRENCH, "Baseline") == [Cell("20.25"), Cell("18.25 to 22.25")]
    cells = cells_of(table, f"{FRENCH}: differences", CONTEXT)
    assert [cell.text for cell in cells] == ["+1.50", "+0.60 to +2.40", "< 0.001", "< 0.001"]
    assert cells[0].best
    rows = {(row["pair"], row["system"], row["baseline"]): row for row in csv_rows(table)}
    row = rows["en-fr", "context", "baseline"]
    keys = ("text", "beam", "value", "low", "p_bootstrap", "p_randomization")
    assert [row[key] for key in keys] == ["test", "12", "1.5", "0.6", "0.0002", "0.0001"]
    assert rows["en-de", "bpe", ""]["p_bootstrap"] == ""


def test_chance_and_gaps_are_not_marked(results: Made, tmp_path: Path) -> None:
    """By one of both tests a difference is chance; another one has no translation."""
    shutil.copytree(results.folder / "significance", tmp_path / "significance")
    for path in tmp_path.glob("significance/*/*/*.json"):
        content = read_json(path)
        content["systems"]["symbol"] = {"gap": "no translation of seed 2"}
        for place, entry in enumerate(content["contrasts"]):
            names = {key: entry[key] for key in ("system", "baseline")}
            entry["p_bootstrap"] = 0.0512
            if "symbol" in names.values():
                content["contrasts"][place] = {**names, "gap": "symbol: no translation of seed 2"}
        write_json(path, content)
    table = significance_table(Made(tmp_path, results.about).results)
    cells = cells_of(table, f"{FRENCH}: differences", CONTEXT)
    assert (cells[0].best, cells[2].text) == (False, "0.051")
    assert cells_of(table, FRENCH, "+Symbol (S)")[0] == Cell("–", "no translation of seed 2")
    cells = cells_of(table, f"{FRENCH}: differences", "+Symbol (S) over Baseline")
    assert cells == [Cell("–", "symbol: no translation of seed 2"), *[Cell("–")] * 3]
    values = {(row["system"], row["baseline"]): row["value"] for row in table.data if row["gap"]}
    assert values["symbol", "baseline"] is None


@as_svg
def gains_of(made: Made, **about: Any) -> dict[str, str]:
    """The figure of gains of each pair, as SVG, where something else is told of the experiment."""
    make_tables(Made(made.folder, made.about | about), "bleu-table", "significance", "gains")
    return {path.stem: path.read_text() for path in made.files("report/*/figures/gains.*.svg")}


def test_gains_are_drawn_for_each_pair(results_of_seeds: Made) -> None:
    drawn = gains_of(results_of_seeds)
    assert list(drawn) == ["gains.en-de", "gains.en-fr"]
    for svg in drawn.values():
        for text in ("contextualization (C)", "+C+S over +Symbol (S)", "paper"):
            assert f">{text}</text>" in svg
        assert ">on test_2016_flickr, beam 12</text>" in svg
    methods = [each | {"name": "a method"} for each in results_of_seeds.about["methods"]]
    for svg in gains_of(results_of_seeds, methods=methods).values():
        assert svg.count(">a method</text>") == len(methods)  # each of that name


def test_without_two_systems_to_compare_the_figure_says_so(made: Made) -> None:
    alone = [system for system in made.about["systems"] if system["id"] == "context"]
    make_significance(made.folder, made.about | {"systems": alone})
    for svg in gains_of(made, systems=alone).values():
        assert ">no two systems to compare</text>" in svg
