"""The table of scores: BLEU here beside the paper's, its variants, and ensembles of seeds."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from made_up_significance import make_significance
from results_folder import FIRST, Made, csv_rows, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.findings import findings
from contextnmt.report.scores import bleu_table
from contextnmt.report.tables import Cell, Table, texts_of

ENDINGS = ["beam1", "beam1.no-unknown", "beam12", "beam12.no-unknown", "beam12.normalised"]
#: BLEU that a variant gains over the likeliest translation in the made-up scores.
GAINS = {"no-unknown": 7.0, "normalised": 0.125}
REASON = "no sentence of the text is in the subset"


@pytest.fixture
def own(results: Made, tmp_path: Path) -> Made:
    """`results` whose scores a test may change."""
    for stage in ("score", "significance"):
        shutil.copytree(results.folder / stage, tmp_path / stage)
    return Made(tmp_path, results.about)


def with_variants(folder: Path, name: str = "bahdanau2015") -> Made:
    """Results of an experiment with two seeds and all variants; on `dev` no line is known."""
    made = make_results(folder, seeds=(1, 2), name=name)
    for path in made.files("score/*/*/[12]/scores.json"):
        scores = read_json(path)
        for ending in ENDINGS:
            beam, _, variant = ending.partition(".")
            for text in ("test", "dev") if variant else ():
                entry = dict(scores[f"{text}.{beam}"])
                entry["bleu"] += GAINS[variant]
                size = {"sentences": 12, "of": 30} if variant == "no-unknown" else {}
                if size and text == "dev":
                    entry, size = {"gap": REASON}, {"sentences": 0, "of": 30}
                scores[f"{text}.{ending}"] = entry | size
        write_json(path, scores)
    return Made(folder, made.about | {"translations": ENDINGS})


@pytest.fixture
def varied(tmp_path: Path) -> Made:
    return with_variants(tmp_path)


def change(made: Made, run: str, key: str, **changes: Any) -> None:
    """Change an entry of a run's scores; `gap` replaces it."""
    path = made.folder / "score" / run / "scores.json"
    scores = read_json(path)
    scores[key] = changes if "gap" in changes else scores[key] | changes
    write_json(path, scores)


def cells_of(table: Table, label: str) -> list[Cell]:
    """The cells of a row of the first block."""
    return dict(table.blocks[0].rows)[label]


def texts(table: Table, label: str) -> list[str]:
    return [cell.text for cell in cells_of(table, label)]


def labels(table: Table) -> list[str]:
    return [label for label, _ in table.blocks[0].rows]


def test_numbers_are_those_of_the_scores_files(results: Made) -> None:
    here = [row for row in csv_rows(bleu_table(results.results)) if row["source"] == "here"]
    assert len(here) == 2 * 8 * 2 * 2  # pairs, systems, texts, beams
    for row in here:
        path = results.folder / f"score/{row['pair']}/{row['system']}/1/scores.json"
        entry = read_json(path)[f"{row['text']}.beam{row['beam']}"]
        for metric in ("bleu", "bleu_detokenized", "chrf", "ter"):
            assert float(row[metric]) == pytest.approx(entry[metric])


def test_systems_of_one_printed_score_are_all_the_best(own: Made) -> None:
    """30.50 and 30.496 are one number to a reader."""
    change(own, "en-fr/symbol/1", "test.beam1", bleu=30.496)
    rows = bleu_table(own.results).blocks[0].rows
    best = {label: cells[0].text for label, cells in rows if cells[0].best}
    assert best == {"+Symbol (S)": "30.50", "+BPE+S": "30.50"}


def test_views_have_subsets_of_their_own_and_no_best(tmp_path: Path) -> None:
    made = with_variants(tmp_path, "choi2017")
    for run in ("symbol/1", "symbol/2", "context-symbol/1", "context-symbol/2"):
        change(made, f"en-fr/{run}", "test.beam12.no-unknown", sentences=21)
    table = bleu_table(made.results)
    notes = "\n".join(table.notes)
    assert "en-fr test (word): 12 of 30; en-fr test (sym): 21 of 30; " in notes
    block = table.blocks[0]
    place = block.columns.index(("beam 12", "No UNK", "test (dev)"))
    assert not any(cells[place].best for _, cells in block.rows)


def test_paper_numbers_are_printed_unchanged(results: Made) -> None:
    table = bleu_table(results.results)
    printed = {
        (row["pair"], row["system"], row["beam"], row["split"]): row["bleu"]
        for row in table.data
        if row["source"] == "paper"
    }
    assert len(printed) == 2 * 7 * 2 * 2
    # Choi et al. 2017, Table 4: first and last row of either pair, and both bold ones of En-Fr.
    assert printed["en-fr", "baseline", 1, "test"] == 24.54
    assert printed["en-fr", "bpe-context", 12, "test"] == 32.02
    assert printed["en-fr", "context-symbol", 12, "dev"] == 33.30
    assert printed["en-de", "bpe-context-symbol", 12, "test"] == 21.99
    assert printed["en-de", "bpe-context-symbol", 12, "dev"] == 20.97
    assert texts(table, "+BPE+S") == ["30.50", "–", "30.75", "–"]
    assert "Not in the paper's table: +BPE+S." in table.notes


def test_dev_is_in_brackets_and_the_best_of_a_column_is_bold(results: Made) -> None:
    table = bleu_table(results.results)
    assert cells_of(table, "Baseline")[::3] == [
        Cell(f"{FIRST:.2f}", "(20.88)"),
        Cell("27.62", "(29.21)"),
    ]
    assert [cell.best for cell in cells_of(table, "+BPE+S")] == [True, False, True, False]
    assert r"\textbf{30.50} (31.38)" in texts_of(table)["tex"]
    assert "**30.50** (31.38)" in texts_of(table)["md"]
    detokenized = table.blocks[1]
    assert detokenized.columns == [
        (f"beam {beam}", metric, "test (dev)")
        for beam in (1, 12)
        for metric in ("BLEU", "chrF", "TER")
    ]
    best = [[cell.best for cell in cells] for _, cells in detokenized.rows]
    assert best == [[False] * 6] * 7 + [[True] * 6]  # the last system has the lowest TER too
    assert any(note.startswith("chrF: nrefs:1|case:mixed|eff:yes") for note in table.notes)
    assert any(n.startswith("TER (lower is better): nrefs:1|case:lc") for n in table.notes)


def test_seeds_give_mean_and_deviation_and_each_test_text_a_column(results_of_seeds: Made) -> None:
    table = bleu_table(results_of_seeds.results)
    row = next(row for row in table.data if row["text"] == "test_2017_flickr")
    # three seeds, half a BLEU apart
    assert (row["bleu_deviation"], row["seeds"]) == (0.5, 3)
    columns = [label for _, label in table.blocks[0].columns[:3]]
    assert columns == ["test_2016_flickr (dev)", "paper", "test_2017_flickr"]
    assert cells_of(table, "Baseline")[0].remark == "± 0.50 (21.25 ± 0.50)"


def test_the_papers_numbers_stand_beside_the_papers_text(tmp_path: Path) -> None:
    """Where it is not the first one."""
    made = make_results(tmp_path, tests=("test", "newsdiscusstest2015"))
    french, _, german, _ = bleu_table(made.results).blocks
    columns = [label for _, label in french.columns[:3]]
    assert columns == ["test (dev)", "newsdiscusstest2015", "paper"]
    assert [label for _, label in german.columns[:2]] == ["test (dev)", "paper"]


def test_scores_that_differ_from_the_first_system_are_marked(own: Made) -> None:
    """At the widest beam, which was tested; other trainings may give +Context another sign."""
    for path in own.files("significance/choi2017/*/test.beam12.json"):
        content = read_json(path)
        for entry in content["contrasts"]:
            entry["interval_with_seeds"] = entry["interval"]
        content["contrasts"][0]["interval_with_seeds"] = [-0.1, 3.1]
        write_json(path, content)
    table = bleu_table(own.results)
    marked = {
        (label, place)
        for block in table.blocks[:2]
        for label, cells in block.rows
        for place, cell in enumerate(cells)
        if cell.marked
    }
    assert marked == {("+Symbol (S)", 2), ("+BPE", 2)}
    (note,) = [note for note in table.notes if note.startswith("†: differs significantly from ")]
    assert "(95 %). Tested with beam 12 alone." in note
    bpe = texts(table, "+BPE")[2]
    assert rf"{bpe}$^\dagger$ (" in texts_of(table)["tex"]
    assert f"{bpe}† (" in texts_of(table)["md"]
    content["contrasts"] = [{**each, "gap": "not translated"} for each in content["contrasts"]]
    write_json(own.folder / "significance/choi2017/en-fr/test.beam12.json", content)
    notes = bleu_table(own.results).notes
    assert any("beam 12 alone, and not in English → French test." in note for note in notes)


def test_a_users_own_systems_have_their_rows_of_the_paper_alone(own: Made) -> None:
    systems = [system for system in own.about["systems"] if system["id"] == "context"]
    about = own.about | {"systems": systems}
    make_significance(own.folder, about)
    table = bleu_table(Made(own.folder, about).results)
    assert {row["system"] for row in table.data} == {"context"}
    assert labels(table) == ["+Context (C)"]


def test_variants_have_columns_and_the_papers_numbers(varied: Made) -> None:
    table = bleu_table(varied.results)
    block, detokenized = table.blocks
    assert [" ".join(column) for column in block.columns] == [
        *("beam 1 All test (dev)", "beam 1 No UNK test (dev)"),
        *("beam 12 All test (dev)", "beam 12 All paper"),
        *("beam 12 No UNK test (dev)", "beam 12 No UNK paper"),
        "beam 12 normalised (extra) test (dev)",
    ]
    # Two seeds of 20 and 20.5, beam 12 a quarter above; Bahdanau et al. 2015, Table 1, first row.
    assert texts(table, "RNNencdec-30") == [
        *("20.25", "27.25", "20.50", "13.93", "27.50", "24.19", "20.62")
    ]
    assert texts(table, "Moses (quoted)") == ["–", "–", "–", "33.30", "–", "35.63", "–"]
    assert labels(table)[-1] == "Moses (quoted)"  # of the paper alone, without detokenized scores
    assert len(detokenized.rows) == len(block.rows) - 1
    assert {row["beam"] for row in table.data if row["source"] == "paper"} == {None}
    assert "The paper states no beam width; its numbers stand at the widest." in table.notes
    assert cells_of(table, "RNNencdec-30")[1].remark == "± 0.35 (–)"
    notes = "\n".join(table.notes)
    assert "(test: 12 of 30; dev: 0 of 30)" in notes
    assert f"No UNK, en-fr dev, beam 1: all systems: {REASON}." in notes
    assert "the paper has no such column. Beam 1 has no such column" in notes
    rows = [row for row in csv_rows(table) if row["system"] == "rnnsearch-50"]
    here = {(row["text"], row["beam"]): row for row in rows}
    columns = ("bleu_no_unknown", "no_unknown_sentences")
    assert [here["test", "12"][column] for column in columns] == ["32", "12"]
    assert [here["dev", "12"][column] for column in columns] == ["", "0"]
    assert here["newstest2014", ""]["bleu_no_unknown"] == "34.16"


def test_gaps_and_remarks_of_one_seed_are_notes(varied: Made) -> None:
    """The seeds that have a score make no mean without it."""
    run = "en-fr/rnnsearch-50/2"
    change(varied, run, "test.beam12.no-unknown", gap="no word")
    change(varied, run, "test.beam12", notes=["no word in any line"])
    table = bleu_table(varied.results)
    assert [texts(table, label)[4] for label in ("RNNsearch-50", "RNNsearch-30")] == ["–", "29.00"]
    assert "No UNK, en-fr test, beam 12: RNNsearch-50: no word." in table.notes
    assert "en-fr test, beam 12: RNNsearch-50: no word in any line." in table.notes


def with_ensembles(made: Made) -> Made:
    """Add an ensemble of each system, two BLEU above its first seed."""
    for path in made.files("score/*/*/1/scores.json"):
        scores = read_json(path)
        for entry in scores.values():
            if "bleu" in entry:
                entry["bleu"] += 2
        write_json(path.parents[1] / "ensemble" / path.name, scores)
    return Made(made.folder, made.about | {"ensemble": True})


def with_replacements(made: Made) -> Made:
    """Replace the unknown words of RNNsearch-30 and -50, which gains three BLEU."""
    systems = ["rnnsearch-30", "rnnsearch-50"]
    for system in systems:
        for path in made.files(f"score/en-fr/{system}/[12]/scores.json"):
            scores, seed = read_json(path), int(path.parent.name)
            names = [f"{text}.beam12" for text in ("test", "dev")]
            found = {f"{name}.replaced": {"bleu": scores[name]["bleu"] + 3} for name in names}
            write_json(path.with_name("replaced.json"), found)
            counts = {f"{name}.replaced": {"unknown": 4 + seed, "words": 100} for name in names}
            run = path.parent.relative_to(made.folder / "score")
            write_json(made.folder / "replace-unknown" / run / "replaced.json", counts)
    of_pair = [("en-fr", system) for system in systems]
    return Made(made.folder, made.about | {"replaced": of_pair})


def assert_rows_are_added(plain: Table, table: Table, source: str) -> None:
    """All else is as without the rows of this source, which nothing is best or marked for."""
    for before, after in zip(plain.blocks, table.blocks, strict=True):
        assert [row for row in after.rows if source not in row[0]] == before.rows
        added = [cell for label, cells in after.rows if source in label for cell in cells]
        assert not any(cell.best or cell.marked for cell in added)
    assert [row for row in table.data if row["source"] != source] == plain.data


def test_an_ensemble_is_a_row_that_no_mean_and_no_mark_knows_of(varied: Made) -> None:
    both = with_ensembles(varied)
    table = bleu_table(both.results)
    assert_rows_are_added(bleu_table(varied.results), table, "ensemble")
    label = "RNNencdec-30, ensemble of 2 seeds"
    assert labels(table)[1] == label
    assert texts(table, label) == ["22.00", "29.00", "22.25", "–", "29.25", "–", "22.38"]
    assert [note for note in table.notes if note.startswith("Ensemble: ")]
    # The best system is one of the runs: of seeds of 26 and 26.5, beam 12 a quarter above.
    (found,) = findings(both.results, {"table1": table.data})
    assert found.headline.startswith("RNNsearch-50* has the highest BLEU on ")
    assert found.figures[0].value == "26.50"


def test_replaced_unknown_words_are_a_row_at_the_widest_beam(varied: Made) -> None:
    table = bleu_table(with_replacements(varied).results)
    assert_rows_are_added(bleu_table(varied.results), table, "replaced")
    label = "RNNsearch-30, unknown words replaced"
    assert labels(table)[1:3] == ["RNNsearch-30", label]
    assert texts(table, label) == ["–", "–", "25.00", "–", "–", "–", "–"]
    assert cells_of(table, label)[2].remark.startswith("± ")
    rows = [row for row in table.data if row["source"] == "replaced"]
    assert len(rows) == 2 * 2  # systems, texts
    assert {(row["beam"], row["unknown_percent"]) for row in rows} == {(12, 5.5)}
    (note,) = (note for note in table.notes if note.startswith("Unknown words replaced: "))
    assert "RNNsearch-30, en-fr test: 5.50 ± 0.71 %; RNNsearch-50, en-fr test" in note


def test_a_replaced_translation_may_have_no_score(varied: Made) -> None:
    """A gap is a dash and a note; a file without it is a mistake."""
    both = with_replacements(varied)
    run = "en-fr/rnnsearch-50/1/replaced.json"
    path = both.folder / "score" / run
    write_json(path, read_json(path) | {"test.beam12.replaced": {"gap": "it has 2 lines"}})
    table = bleu_table(both.results)
    assert set(texts(table, "RNNsearch-50, unknown words replaced")) == {"–"}
    where = "en-fr test, beam 12, unknown words replaced"
    assert f"{where}: RNNsearch-50: it has 2 lines." in table.notes
    for stage in ("replace-unknown", "score"):
        write_json(both.folder / stage / run, {})
        with pytest.raises(UserError, match=rf"{stage}.*: no \w+\.beam12\.replaced in it"):
            bleu_table(both.results)
