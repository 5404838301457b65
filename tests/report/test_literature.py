"""Scores of others on the same texts, and the ranges of a reproduction."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import EXPERIMENTS, deviation, experiment, results_of

from contextnmt.configuration.checks import PRINTED_PAIRS, QUOTED
from contextnmt.report.literature import ACCEPTANCE, COLUMNS, ELSEWHERE, literature_table
from contextnmt.report.published import published, published_bleu
from contextnmt.report.tables import Block, Table, write_table

Rows = list[dict[str, Any]]


def rows(pair: str, text: str, **bleu: float | None) -> Rows:
    """Data of a BLEU table: the systems' scores, for sentences without unknown words 8 more."""
    return [
        {
            "source": source,
            "pair": pair,
            "system": system.replace("_", "-"),
            "text": text,
            "beam": beam,
            "bleu": None if score is None else score - 10 * (beam == 1),
            "bleu_no_unknown": None if score is None else score + 8,
            "gap": "it has 2 lines" if score is None else None,
        }
        for system, score in bleu.items()
        for source, beam in (("here", 12), ("here", 1), ("ensemble", 12))
    ]


def choi(bpe: float | None = 20.0, context: float = 21.0) -> Rows:
    """Scores of two systems of choi2017 in both language pairs; those of en-de are given."""
    return [
        *rows("en-de", "newstest2015", bpe=bpe, bpe_context=context),
        *rows("en-fr", "newstest2015", bpe=30.0, bpe_context=31.0),
    ]


def made(folder: Path, name: str, text: str, data: Rows, **changes: Any) -> Table:
    """The table beside a BLEU table with this data and the systems in it."""
    about = experiment(name, tests=(text,)) | {"deviations": []} | changes
    there = {row["system"] for row in data}
    about["systems"] = [each for each in about["systems"] if each["id"] in there]
    results = results_of(folder, about)
    write_table(results.report / "tables" / results.table, Table([], data, []))
    return literature_table(results)


def shown(block: Block) -> dict[str, list[str]]:
    return {label: [cell.text for cell in cells] for label, cells in block.rows}


def ranges(table: Table) -> list[tuple[float | None, str]]:
    return [(row["value"], row["verdict"]) for row in table.data if row["kind"] == "range"]


def test_ours_stand_above_those_of_others(tmp_path: Path) -> None:
    data = rows("en-fr", "newstest2014", rnnsearch_50=27.0, rnnsearch_50_star=29.75)
    block, verdicts = made(tmp_path, "bahdanau2015", "newstest2014", data).blocks
    found = shown(block)
    assert next(iter(found)) == "RNNsearch-50 (here)"
    assert found["RNNsearch-50 (here)"][:3] == ["27.00", "35.00", "12"]
    assert found["Reproduction of 2026: RNNsearch-50, 8 epochs"][:3] == ["28.24", "35.79", "10"]
    assert not any("Jean" in label for label in found)  # theirs is the filtered set
    assert shown(verdicts) == {
        "RNNsearch-50, newstest2014": ["27.00", "26 to 28.5", "within"],
        "RNNsearch-50, newstest2014, no unknown words": ["35.00", "33.5 to 36", "within"],
        "RNNsearch-50*, newstest2014": ["29.75", "28 to 29.5", "above"],
    }


def test_a_stale_system_is_named_so(tmp_path: Path) -> None:
    data = rows("en-fr", "newstest2014", rnnsearch_50=27.0, rnnsearch_50_star=29.75)
    stale = {"en-fr": {"rnnsearch-50": "model.hidden was 9, is 8 now"}}
    table = made(tmp_path, "bahdanau2015", "newstest2014", data, stale=stale)
    marked = [label for block in table.blocks for label, _ in block.rows if "stale" in label]
    assert marked == [
        "RNNsearch-50 (stale) (here)",
        "RNNsearch-50 (stale), newstest2014",
        "RNNsearch-50 (stale), newstest2014, no unknown words",
    ]


def test_texts_that_nobody_else_has_make_no_blocks(tmp_path: Path) -> None:
    table = made(tmp_path, "choi2017", "test", rows("en-de", "test", bpe=20.0))
    assert (table.blocks, table.data) == ([], [])
    assert table.notes == ["No scores of others on these test texts are known here."]


#: Known tables of others -> their columns of scores on a text, and which rows are of it.
TABLES: dict[str, tuple[list[str], dict[str, str]]] = {
    "cho2014a_table1": (["bleu_test"], {}),
    "jean2015a_table2": (["bleu_test"], {}),
    "sennrich2016_table2_ende": (["bleu_single", "bleu_ens8"], {}),
    "choi2018fga_table1": (["bleu"], {"pair": "en-de", "split": "test", "beam": "12"}),
    "repro2026_rnnsearch50_enfr": (["bleu_all_newstest2014"], {}),
}


@pytest.mark.parametrize("name", TABLES)
def test_all_that_others_print_on_test_texts_of_ours_is_there(name: str, shared: Path) -> None:
    columns, of_it = TABLES[name]
    with (shared / "spec" / "paper_tables" / f"{name}.csv").open(newline="") as table:
        scores = [
            round(float(row[column]), 2)
            for row in csv.DictReader(table)
            for column in columns
            if row[column] and all(row[key] == value for key, value in of_it.items())
        ]
    assert scores
    quoted = Counter(float(row["bleu"]) for row in published(ELSEWHERE))
    assert not Counter(scores) - quoted


def test_published_rows_are_whole() -> None:
    quoted, asked = published(ELSEWHERE), published(ACCEPTANCE)
    keys = ("source", "system", "pair", "text", "beam")
    assert len({tuple(row[key] for key in keys) for row in quoted}) == len(quoted)
    for row in [*quoted, *asked]:
        assert None not in row and None not in row.values()
        assert row["pair"] in ("en-fr", "en-de")
    for row in asked:
        assert float(row["low"]) < float(row["high"])
        assert row["sentences"] in COLUMNS
        systems = {each["id"] for each in experiment(row["experiment"])["systems"]}
        assert {row["system"], row["baseline"]} - {""} <= systems


def test_the_configuration_knows_the_quoted_rows_and_the_pairs() -> None:
    bleu = {name: published_bleu(name) for name in EXPERIMENTS}
    labels = {
        name: {row["system"]: row["label"] for row in rows if row["label"]}
        for name, rows in bleu.items()
    }
    assert {name: rows for name, rows in labels.items() if rows} == QUOTED
    assert {row["pair"] for rows in bleu.values() for row in rows} == PRINTED_PAIRS


def test_the_papers_are_within_their_ranges() -> None:
    columns = {"all": "test", "no unknown": "no_unk"}
    for row in published(ACCEPTANCE):
        printed = {
            each["system"]: float(each[columns[row["sentences"]]])
            for each in published_bleu(row["experiment"])
            if (each["pair"], each["beam"], each["test_set"])
            == (row["pair"], row["beam"], row["text"])
        }
        value = printed[row["system"]] - (printed[row["baseline"]] if row["baseline"] else 0)
        assert float(row["low"]) <= value <= float(row["high"]), row


def test_a_gain_has_a_range_of_its_own(tmp_path: Path) -> None:
    table = made(tmp_path, "choi2017", "newstest2015", choi(19.0, 19.25))
    assert shown(table.blocks[-1]) == {
        "+BPE, newstest2015": ["19.00", "19.5 to 22", "below"],
        "+BPE+C over +BPE, newstest2015": ["+0.25", "0.5 to 2", "below"],
    }
    assert ranges(table) == [(19.0, "below"), (0.25, "below")]


SKIPPED = "skipped: 1 setting differs"
SETTINGS = [
    deviation("training.optimizer", "adam", "adadelta", "+BPE+C"),
    deviation("decoding.beams", [1, 12], [12]),
    deviation("training.clip", 1.0, 2.0, "Baseline"),
]


@pytest.mark.parametrize(
    ("data", "about", "expected"),
    [
        (choi(19.5, 21.5), {}, [(19.5, "within"), (2.0, "within")]),  # at the ends of both
        (choi(), {"deviations": SETTINGS}, [(20.0, "within"), (1.0, SKIPPED)]),
        (choi(), {"beams": [1]}, []),  # a range is of its beam
        (choi(bpe=None), {}, [(None, "no score")] * 2),
        (choi()[3:], {"gaps": {"en-de": {"bpe": "not trained"}}}, [(None, "not finished")] * 2),
    ],
)
def test_verdicts_are_those_that_can_be_had(
    tmp_path: Path, data: Rows, about: dict[str, Any], expected: list[tuple[float | None, str]]
) -> None:
    table = made(tmp_path, "choi2017", "newstest2015", data, **about)
    assert ranges(table) == expected
    where = "No score: English → German, newstest2015, beam 12"
    noted = f"{where}: +BPE (it has 2 lines)." in table.notes
    assert noted == ((None, "no score") in expected)
