"""Scores of others on the same texts, and the ranges of a reproduction."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import deviation, experiment, results_of

from contextnmt.report.literature import ACCEPTANCE, COLUMNS, ELSEWHERE, literature_table
from contextnmt.report.published import published
from contextnmt.report.tables import Block, Table, write_table


def rows(pair: str, text: str, **bleu: float | None) -> list[dict[str, Any]]:
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
        }
        for system, score in bleu.items()
        for source, beam in (("here", 12), ("here", 1), ("ensemble", 12))
    ]


def choi(bpe: float | None = 20.0, context: float = 21.0) -> list[dict[str, Any]]:
    """Scores of two systems of choi2017 in both language pairs; those of en-de are given."""
    return [
        *rows("en-de", "newstest2015", bpe=bpe, bpe_context=context),
        *rows("en-fr", "newstest2015", bpe=30.0, bpe_context=31.0),
    ]


def made(folder: Path, name: str, text: str, data: list[dict[str, Any]], **changes: Any) -> Table:
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


def test_a_gain_has_a_range_of_its_own(tmp_path: Path) -> None:
    table = made(tmp_path, "choi2017", "newstest2015", choi(19.0, 19.25))
    assert shown(table.blocks[-1]) == {
        "+BPE, newstest2015": ["19.00", "19.5 to 22", "below"],
        "+BPE+C over +BPE, newstest2015": ["+0.25", "0.5 to 2", "below"],
    }
    assert ranges(table) == [(19.0, "below"), (0.25, "below")]
    table = made(tmp_path, "choi2017", "newstest2015", choi(19.5, 21.5))
    assert ranges(table) == [(19.5, "within"), (2.0, "within")]  # at the ends of both


def test_a_run_with_other_settings_is_not_asked(tmp_path: Path) -> None:
    changes = [
        deviation("training.optimizer", "adam", "adadelta", "+BPE+C"),
        deviation("decoding.beams", [1, 12], [12]),
        deviation("training.clip", 1.0, 2.0, "Baseline"),
    ]
    table = made(tmp_path, "choi2017", "newstest2015", choi(), deviations=changes)
    assert [word for _, word in ranges(table)] == ["within", "not asked: 1 setting differs"]


def test_a_range_is_of_its_beam(tmp_path: Path) -> None:
    assert ranges(made(tmp_path, "choi2017", "newstest2015", choi(), beams=[1])) == []


def test_a_gap_has_no_verdict(tmp_path: Path) -> None:
    table = made(tmp_path, "choi2017", "newstest2015", choi(bpe=None))
    assert ranges(table) == [(None, "no score")] * 2


def test_a_system_that_is_not_finished_has_no_verdict(tmp_path: Path) -> None:
    gaps = {"en-de": {"bpe": "not trained"}}
    data = [row for row in choi() if (row["pair"], row["system"]) != ("en-de", "bpe")]
    table = made(tmp_path, "choi2017", "newstest2015", data, gaps=gaps)
    assert ranges(table) == [(None, "not finished")] * 2
    (row,) = (shown(each)["+BPE (here)"] for each in table.blocks if "German" in each.title)
    assert row == ["–", "–", "12", ""]


def test_texts_that_nobody_else_has_make_no_blocks(tmp_path: Path) -> None:
    table = made(tmp_path, "choi2017", "test", rows("en-de", "test", bpe=20.0))
    assert (table.blocks, table.data) == ([], [])
    assert table.notes == ["No scores of others on these test texts are known here."]


def test_a_stale_system_is_named_so(tmp_path: Path) -> None:
    data = rows("en-fr", "newstest2014", rnnsearch_50=27.0, rnnsearch_50_star=29.75)
    stale = {"en-fr": {"rnnsearch-50": "model.hidden was 9, is 8 now"}}
    table = made(tmp_path, "bahdanau2015", "newstest2014", data, stale=stale)
    labels = [label for block in table.blocks for label, _ in block.rows]
    ours = [label for label in labels if label.startswith(("RNNsearch-50 (", "RNNsearch-50,"))]
    assert ours
    assert all(label.startswith("RNNsearch-50 (stale)") for label in ours)
    assert not any(label.startswith("RNNsearch-50* (stale)") for label in labels)


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


def test_no_system_of_others_is_quoted_twice() -> None:
    keys = ("source", "system", "pair", "text", "beam")
    found = Counter(tuple(row[key] for key in keys) for row in published(ELSEWHERE))
    assert set(found.values()) == {1}


@pytest.mark.parametrize("file", [ELSEWHERE, ACCEPTANCE])
def test_published_rows_are_whole(file: str) -> None:
    for row in published(file):
        assert None not in row
        assert None not in row.values()
        assert row["pair"] in ("en-fr", "en-de")
        if file == ACCEPTANCE:
            assert float(row["low"]) < float(row["high"])
            assert row["sentences"] in COLUMNS
            systems = {each["id"] for each in experiment(row["experiment"])["systems"]}
            assert {row["system"], row["baseline"]} - {""} <= systems
