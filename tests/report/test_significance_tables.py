"""Differences of systems: their significance, claims of a paper on them, the figure of gains."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from made_up_experiments import claim
from made_up_lengths import group
from made_up_significance import make_significance
from results_folder import Made, as_svg, csv_rows, make_results, make_tables

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.certainty import significance_table
from contextnmt.report.claims import claims_table, verdict
from contextnmt.report.experiment import claim_of
from contextnmt.report.published import published_bleu, published_in
from contextnmt.report.tables import Cell, Table, write_table

EXPERIMENTS = Path(__file__).parents[2] / "workflow" / "experiments"

#: A title of the table of significance, and a row.
FRENCH = "English → French, test, beam 12"
CONTEXT = "+Context (C) over Baseline"
SEEDS = (1, 2, 3)
WIDE = "undecided the interval is too wide"
MORE = "; a true +0.52, as in the paper, needs more test sentences"
#: Rows of the table of claims.
CLAIM = "Contextualized embeddings are better (+Context (C) over Baseline)"
LONGER = "In long sentences more so (RNNsearch-50 over RNNencdec-50)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Results of three seeds, to which each test gives a significance of its own."""
    return make_results(tmp_path_factory.mktemp("choi"), SEEDS)


@pytest.fixture(scope="module")
def bahdanau(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_results(tmp_path_factory.mktemp("bahdanau"), SEEDS, name="bahdanau2015")


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
        "English → French, test, beam 12, 3 seeds",
        "English → German, test, beam 12, 3 seeds",
    ]
    assert row_of(table, 0, CLAIM) == ["holds", "> 0", "+1.25", "+1.50", "+0.50 to +2.50"]
    assert row_of(table, 1, CLAIM)[0] == "opposite"
    assert table.blocks[0].rows[2][0] == "Either adds (+C+S over +Context (C))"
    rows = csv_rows(table)
    assert len(rows) == 6
    assert (rows[0]["system"], rows[0]["verdict"]) == ("context", "holds")
    assert float(rows[0]["paper"]) == pytest.approx(28.87 - 27.62)
    assert [float(rows[0][end]) for end in ("low", "high")] == [0.5, 2.5]


def test_one_seed_gives_no_verdict(results: Made) -> None:
    table = make_tables(results, "bleu-table", "significance", "claims")["claims"]
    title, *headings = table.blocks[0].title, *table.blocks[0].columns
    assert (title, headings[-1]) == (f"{FRENCH}, one seed", ("95 %, sentences alone",))
    cells = row_of(table, 0, CLAIM)
    assert cells == ["undecided one seed", "> 0", "+1.25", "+1.50", "+0.60 to +2.40"]
    assert {(row["verdict"], row["reason"]) for row in table.data} == {("undecided", "one seed")}
    assert any("With one seed there is no verdict" in note for note in table.notes)


def test_a_claim_about_length_is_about_the_halves_of_the_text(bahdanau: Made) -> None:
    table = claims(bahdanau)
    halves = "+1.50 +3.00 over 14 words, +1.50 up to that"
    assert row_of(table, 0, LONGER) == ["holds", "> 0", "–", halves, "+0.20 to +2.80"]
    assert any("longer than the median" in note for note in table.notes)
    with pytest.raises(UserError, match=r"test\.beam12\.json: no long in it"):
        claims(bahdanau, lambda entry: entry["growth"].pop("long"))


@pytest.mark.parametrize(
    ("growth", "verdict", "here"),
    [
        ({"interval_with_seeds": [-3.0, -1.0]}, "opposite", "+1.50"),
        ({"interval_with_seeds": [-0.1, 3.0]}, "undecided the interval is too wide", "+1.50"),
        (None, "undecided not tested", "–"),
    ],
)
def test_a_claim_about_length_may_not_hold(
    growth: dict[str, Any] | None, verdict: str, here: str, bahdanau: Made
) -> None:
    def change(entry: dict[str, Any]) -> None:
        entry["growth"] = entry["growth"] | growth if growth else None

    cells = row_of(claims(bahdanau, change), 0, LONGER)
    assert [cells[0], cells[3].split()[0]] == [verdict, here]


def test_without_a_sure_test_there_is_no_verdict(made: Made) -> None:
    def damage(entry: dict[str, Any]) -> None:
        names = {key: entry[key] for key in ("system", "baseline")}
        entry.clear()
        entry.update(names, gap="seed 1: damaged")

    wide = {"interval": [1.0, 2.0], "interval_with_seeds": [-0.1, 3.1]}
    table = claims(made, lambda entry: entry.update(wide))
    assert row_of(table, 0, CLAIM)[0] == f"{WIDE}; a true +1.25, as in the paper, needs 5 seeds"
    cells = row_of(claims(made, damage), 0, CLAIM)
    assert cells == ["undecided not tested", "> 0", "+1.25", "+1.50", "–"]
    table = claims(Made(made.folder, made.about | {"gaps": {"en-de": {"context": "not trained"}}}))
    assert row_of(table, 1, CLAIM) == ["undecided not finished", "> 0", "–", "–", "–"]
    assert "Not finished: English → German: +Context (C) (not trained)." in table.notes


#: A claimed range, how it is shown, and whether a difference of 1.5 ± 1 is in it.
RANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"at_least": 0.5}, "≥ 0.5 (sec. 6.1)", "holds"),
    ({"at_least": {"en-fr": 2}}, "≥ 2 (sec. 6.1)", "undecided"),
    ({"at_least": 2.6}, "≥ 2.6 (sec. 6.1)", "fails"),
    ({"within": 2.5}, "±2.5 (sec. 6.1)", "holds"),
    ({"within": 1.0}, "±1 (sec. 6.1)", "undecided"),
    ({"within": 0.4}, "±0.4 (sec. 6.1)", "fails"),
]


def test_a_claim_of_a_range_is_judged_by_the_interval(made: Made) -> None:
    contrast, section = ("context", "baseline"), {"section": "6.1"}
    told = [claim(shown, contrast, **section, **claimed) for claimed, shown, _ in RANGES]
    told.append(claim("On En-De alone", contrast, within={"en-de": 0.5}))
    table = claims(Made(made.folder, made.about | {"claims": told}))
    numbers = ["+1.25", "+1.50", "+0.50 to +2.50"]
    for (_, cells), (_, shown, said) in zip(table.blocks[0].rows, RANGES, strict=True):
        assert [cells[0].text, *(each.plain for each in cells[1:])] == [said, shown, *numbers]
    assert len(table.blocks[1].rows) == len(RANGES)  # without the claim on En-Fr, with the last
    assert any("whole interval lies in the range" in note for note in table.notes)


STEADY = "It is steady (RNNsearch-50, over 50 words)"


@pytest.mark.parametrize(
    ("bleu", "cells"),
    [
        (29.0, ["holds", "≥ −0.5", "–", "+2.00 29.00 over 50 words, 27.00 up to that"]),
        (26.5, [WIDE, "≥ −0.5", "–", "−0.50 26.50 over 50 words, 27.00 up to that"]),
        (24.0, ["fails", "≥ −0.5", "–", "−3.00 24.00 over 50 words, 27.00 up to that"]),
        (None, ["undecided too few sentences", "≥ −0.5", "–", "–"]),
    ],
)
def test_long_sentences_of_a_system_are_held_against_its_others(
    bleu: float | None, cells: list[str], bahdanau: Made
) -> None:
    """Groups of 100 and 300 sentences with 30 and 26 BLEU; one of few sentences does not count."""
    told = claim("It is steady", long_sentences={"rnnsearch-50": 50}, at_least=-0.5)
    about = Made(bahdanau.folder, bahdanau.about | {"claims": [told]})
    spans = [(0, 10, 100), (11, 40, 300), (41, 50, 19), (51, None, 19 if bleu is None else 100)]
    values = [(30.0, 1.0), (26.0, 0.8), (1.0, 0.5), (bleu or 0.0, 1.1)]
    for path in bahdanau.files("length-scores/*/*/*.json"):
        content = read_json(path)
        content["bins"] = [group(*span) for span in spans]
        for system in content["systems"].values():
            system["bins"] = [
                {"bleu": v, "bleu_of_seeds": [v] * 3, "interval": [v - h, v + h]} for v, h in values
            ]
        write_json(path, content)
    table = claims(about)
    *shown, interval = row_of(table, 0, STEADY)
    assert shown == cells
    if bleu is not None:
        (row,) = table.data
        # 1.1 ** 2 + (0.25 * 1.0) ** 2 + (0.75 * 0.8) ** 2 = 1.278 ** 2
        ends = [float(row[end]) - row["difference"] for end in ("low", "high")]
        assert ends == pytest.approx([-1.278, 1.278], abs=0.001)
    else:
        assert interval == "–"


@pytest.mark.parametrize("name", ["bahdanau2015", "chen2017", "choi2017"])
def test_the_gains_that_a_paper_prints_are_never_against_its_claims(name: str) -> None:
    """Differences on its test texts at the widest beam, with an interval of ± 0.5."""
    entry = yaml.safe_load((EXPERIMENTS / f"{name}.yaml").read_text())["experiments"][name]
    rows = [row for row in published_bleu(name) if row["beam"] in ("", "12")]
    bleu = {(row["pair"], row["system"]): float(row["test"]) for row in rows}
    headline = [float(row["gain"]) for row in published_in(name, "headline")]
    found = []
    for told in map(claim_of, entry["claims"]):
        for pair in ("en-fr", "en-de"):
            compared = [[(pair, system) for system in contrast] for contrast in told.contrasts]
            gains = [bleu[a] - bleu[b] for a, b in compared if {a, b} <= bleu.keys()] or headline
            claimed = told.claimed(pair)
            if claimed and claimed[0] > 0 and not told.longer:
                for gain in gains:
                    interval = (gain - 0.5, gain + 0.5)
                    found.append(verdict(claimed, interval))
    assert found
    assert set(found) <= {"holds", "undecided"}


@pytest.mark.parametrize(
    ("text", "bleu", "known", "cells"),
    [
        ("test", 36.6, 30, ["holds", "+0.52", "+0.97", "−0.03 to +1.97"]),
        ("test", 36.6, 7.5, [WIDE + MORE, "+0.52", "+0.97", "−1.03 to +2.97"]),
        ("test", 35.3, 30, [WIDE + MORE, "+0.52", "−0.33", "−1.33 to +0.67"]),
        ("test", 34.0, 30, ["fails", "+0.52", "−1.63", "−2.63 to −0.63"]),
        ("test", 32.0, 7.5, ["fails", "+0.52", "−3.63", "−5.63 to −1.63"]),
        ("test", 36.6, None, ["undecided not tested", "+0.52", "+0.97", "–"]),
        ("test", None, 30, ["undecided no score", "–", "–", "–"]),
        ("newstest2014", 36.6, 30, ["undecided another text", "–", "–", "–"]),
    ],
)
def test_a_quoted_system_is_beaten_on_the_papers_text_alone(
    text: str, bleu: float | None, known: float | None, cells: list[str], bahdanau: Made
) -> None:
    """The paper's text is `text`, the one here is ``test``. Its 30 sentences give an interval of
    ± 1; without `known` ones there is none."""
    told = claim("As good", quoted=[("rnnsearch-50-star", "moses")], at_least=-0.5)
    made = Made(bahdanau.folder, bahdanau.about | {"claims": [told]})
    for path in make_significance(made.folder, made.about):
        content = read_json(path)
        entry = content["systems"]["rnnsearch-50-star"]
        entry["interval"] = [entry["bleu"] - 1, entry["bleu"] + 1]
        if known is None:
            content["systems"]["rnnsearch-50-star"] = {"gap": "seed 1: damaged"}
        write_json(path, content)
    scores = make_tables(made, "bleu-table", "significance")["bleu-table"]
    printed = {"rnnsearch-50-star": 36.15, "moses": 35.63}
    for row in scores.data:
        of_paper = row["source"] == "paper"
        row["bleu_no_unknown"] = printed.get(row["system"]) if of_paper else bleu
        here = {"bleu_no_unknown_deviation": 0.0, "no_unknown_sentences": known or 30}
        row |= {"text": text} if of_paper else here
    write_table(made.report / "tables" / made.results.table, scores)
    table = claims_table(made.results)
    shown = row_of(table, 0, "As good (RNNsearch-50* over Moses (quoted))")
    assert [shown[0], *shown[2:]] == cells
    assert any("interval is estimated" in note for note in table.notes)


def test_claims_about_an_unfinished_system_are_undecided(bahdanau: Made) -> None:
    told = [
        claim("As good", quoted=[("rnnsearch-50-star", "moses")], at_least=-0.5),
        claim("It is steady", long_sentences={"rnnsearch-50-star": 50}, at_least=-0.5),
    ]
    gaps = {"en-fr": {"rnnsearch-50-star": "not trained"}}
    table = claims(Made(bahdanau.folder, bahdanau.about | {"claims": told, "gaps": gaps}))
    assert [[cell.plain for cell in cells] for _, cells in table.blocks[0].rows] == [
        ["undecided not finished", "≥ −0.5", "–", "–", "–"]
    ] * len(told)


@pytest.mark.parametrize(("points", "holds"), [(6.3, "holds"), (6.4, "fails")])
def test_coverage_is_counted_and_compared_as_printed(points: float, holds: str, made: Made) -> None:
    told = claim("Symbols cover more", coverage=True, at_least={"en-fr": points})
    table = claims(Made(made.folder, made.about | {"claims": [told]}))
    assert len(table.data) == 1
    cells = row_of(table, 0, "Symbols cover more (here English)")
    assert cells == [holds, f"≥ {points}", "+3.00", "+6.30", "–"]


def cells_of(table: Table, title: str, label: str) -> list[Cell]:
    (block,) = [block for block in table.blocks if block.title == title]
    return dict(block.rows)[label]


def test_seeds_are_told_with_their_deviation(results_of_seeds: Made) -> None:
    table = significance_table(results_of_seeds.results)
    title = "English → French, test_2017_flickr, beam 12"
    assert cells_of(table, title, "Baseline")[0].remark == "± 0.50"
    assert "BLEU: mean ± standard deviation of 3 seeds." in table.notes
    title += ": differences"
    cells = cells_of(table, title, CONTEXT)
    assert [cell.text for cell in cells[1:3]] == ["+0.60 to +2.40", "+0.50 to +2.50"]
    assert cells[0].best


def test_scores_differences_and_tests(results: Made) -> None:
    table = significance_table(results.results)
    assert cells_of(table, FRENCH, "Baseline") == [Cell("20.25"), Cell("18.25 to 22.25")]
    cells = cells_of(table, f"{FRENCH}: differences", CONTEXT)
    assert [cell.text for cell in cells] == ["+1.50", "+0.60 to +2.40", "–", "< 0.001", "< 0.001"]
    assert not cells[0].best  # one seed
    rows = {(row["pair"], row["system"], row["baseline"]): row for row in csv_rows(table)}
    row = rows["en-fr", "context", "baseline"]
    keys = ("text", "beam", "value", "low", "p_bootstrap", "p_randomization")
    assert [row[key] for key in keys] == ["test", "12", "1.5", "0.6", "0.0002", "0.0001"]
    assert rows["en-de", "bpe", ""]["p_bootstrap"] == ""


def test_chance_and_gaps_are_not_marked(results: Made, tmp_path: Path) -> None:
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
    assert (cells[0].best, cells[3].text) == (False, "0.051")
    assert cells_of(table, FRENCH, "+Symbol (S)")[0] == Cell("–", "no translation of seed 2")
    cells = cells_of(table, f"{FRENCH}: differences", "+Symbol (S) over Baseline")
    assert cells == [Cell("–", "symbol: no translation of seed 2"), *[Cell("–")] * 4]
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
        assert ">gain in BLEU on test_2016_flickr, beam 12</text>" in svg
        assert ">95 % over sentences and seeds, 3 seeds</text>" in svg
    methods = [each | {"name": "a method"} for each in results_of_seeds.about["methods"]]
    for svg in gains_of(results_of_seeds, methods=methods).values():
        assert svg.count(">a method</text>") == len(methods)  # each of that name


def test_without_two_systems_to_compare_the_figure_says_so(made: Made) -> None:
    alone = [system for system in made.about["systems"] if system["id"] == "context"]
    make_significance(made.folder, made.about | {"systems": alone})
    for svg in gains_of(made, systems=alone).values():
        assert ">no two systems to compare</text>" in svg
