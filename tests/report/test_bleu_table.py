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
from contextnmt.report.tables import Block, Cell, texts_of

METRICS = ["BLEU", "chrF", "TER"]
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


@pytest.fixture(scope="module")
def bahdanau(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_results(tmp_path_factory.mktemp("bahdanau"), name="bahdanau2015")


@pytest.fixture(scope="module")
def chen(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make_results(tmp_path_factory.mktemp("chen"), name="chen2017")


@pytest.fixture
def varied(tmp_path: Path) -> Made:
    return with_variants(tmp_path)


def with_variants(folder: Path, name: str = "bahdanau2015") -> Made:
    """Results of an experiment with two seeds and all variants; on `dev` no line is known."""
    made = make_results(folder, seeds=(1, 2), name=name)
    for path in made.files("score/*/*/*/scores.json"):
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


def change(made: Made, run: str, key: str, **changes: Any) -> None:
    """Change an entry of a run's scores; `gap` replaces it."""
    path = made.folder / "score" / run / "scores.json"
    scores = read_json(path)
    scores[key] = changes if "gap" in changes else scores[key] | changes
    write_json(path, scores)


def cells_of(block: Block) -> dict[str, list[Cell]]:
    return dict(block.rows)


def texts(cells: list[Cell]) -> list[str]:
    return [cell.text for cell in cells]


def test_numbers_are_those_of_the_scores_files(results: Made) -> None:
    here = [row for row in csv_rows(bleu_table(results.results)) if row["source"] == "here"]
    assert len(here) == 2 * 8 * 2 * 2  # pairs, systems, texts, beams
    for row in here:
        path = results.folder / f"score/{row['pair']}/{row['system']}/1/scores.json"
        entry = read_json(path)[f"{row['text']}.beam{row['beam']}"]
        for metric in ("bleu", "bleu_detokenized", "chrf", "ter"):
            assert float(row[metric]) == pytest.approx(entry[metric])


def test_paper_numbers_are_printed_unchanged(results: Made) -> None:
    printed = {
        (row["pair"], row["system"], row["beam"], row["split"]): row["bleu"]
        for row in bleu_table(results.results).data
        if row["source"] == "paper"
    }
    assert len(printed) == 2 * 7 * 2 * 2
    # Choi et al. 2017, Table 4: first and last row of either pair, and both bold ones of En-Fr.
    assert printed["en-fr", "baseline", 1, "test"] == 24.54
    assert printed["en-fr", "bpe-context", 12, "test"] == 32.02
    assert printed["en-fr", "context-symbol", 12, "dev"] == 33.30
    assert printed["en-de", "bpe-context-symbol", 12, "test"] == 21.99
    assert printed["en-de", "bpe-context-symbol", 12, "dev"] == 20.97


def test_dev_is_in_brackets_and_the_best_of_a_column_is_bold(results: Made) -> None:
    table = bleu_table(results.results)
    block, detokenized, *_ = table.blocks
    assert block.columns == [
        (f"beam {beam}", label) for beam in (1, 12) for label in ("test (dev)", "paper")
    ]
    (_, first), *_, (_, last) = block.rows
    assert first[0] == Cell(f"{FIRST:.2f}", "(20.88)")
    assert first[3] == Cell("27.62", "(29.21)")
    assert [cell.best for cell in last] == [True, False, True, False]
    assert r"\textbf{30.50} (31.38)" in texts_of(table)["tex"]
    assert "**30.50** (31.38)" in texts_of(table)["md"]
    assert detokenized.columns == [
        (f"beam {beam}", metric, "test (dev)") for beam in (1, 12) for metric in METRICS
    ]
    # The greatest made-up BLEU and chrF are 30.5 and more; TER is the better the lower.
    (_, first), *_, (_, last) = detokenized.rows
    assert [cell.best for cell in last] == [True] * 6
    assert [cell.best for cell in first] == [False] * 6
    assert any(note.startswith("chrF: nrefs:1|case:mixed|eff:yes") for note in table.notes)
    assert any(n.startswith("TER (the lower the better): nrefs:1|case:lc") for n in table.notes)


def test_seeds_give_mean_and_deviation_and_each_test_text_a_column(results_of_seeds: Made) -> None:
    table = bleu_table(results_of_seeds.results)
    row = next(row for row in table.data if row["text"] == "test_2017_flickr")
    # three seeds, half a BLEU apart
    assert (row["bleu_deviation"], row["seeds"]) == (0.5, 3)
    block = table.blocks[0]
    labels = [label for _, label in block.columns[:3]]
    assert labels == ["test_2016_flickr (dev)", "paper", "test_2017_flickr"]
    assert cells_of(block)["Baseline"][0].remark == "± 0.50 (21.25 ± 0.50)"


def test_the_papers_numbers_stand_beside_the_papers_text(tmp_path: Path) -> None:
    """Where it is not the first one."""
    made = make_results(tmp_path, tests=("test", "newsdiscusstest2015"))
    french, _, german, _ = bleu_table(made.results).blocks
    labels = [label for _, label in french.columns[:3]]
    assert labels == ["test (dev)", "newsdiscusstest2015", "paper"]
    assert [label for _, label in german.columns[:2]] == ["test (dev)", "paper"]


def test_scores_that_differ_from_the_first_system_are_marked(own: Made) -> None:
    """At the widest beam, which was tested; by one of both tests +Context differs by chance."""
    path = own.folder / "significance/choi2017/en-fr/test.beam12.json"
    content = read_json(path)
    content["contrasts"][0] |= {"p_randomization": 0.06}
    write_json(path, content)
    table = bleu_table(own.results)
    french, detokenized, *_ = table.blocks
    tested = {
        entry["system"]: entry["p_bootstrap"] < 0.05 and entry["p_randomization"] < 0.05
        for entry in content["contrasts"]
        if entry["baseline"] == "baseline"
    }
    assert tested == {"context": False, "symbol": True, "bpe": True}
    marked = {
        (label, place)
        for label, cells in french.rows
        for place, cell in enumerate(cells)
        if cell.marked
    }
    assert marked == {("+Symbol (S)", 2), ("+BPE", 2)}
    assert not any(cell.marked for _, cells in detokenized.rows for cell in cells)
    (note,) = [
        note for note in table.notes if note.startswith("†: differs from Baseline by more than")
    ]
    assert "p < 0.05. Tested with beam 12 alone." in note
    bpe = cells_of(french)["+BPE"][2].text
    assert rf"{bpe}$^\dagger$ (" in texts_of(table)["tex"]
    assert f"{bpe}† (" in texts_of(table)["md"]
    content["contrasts"] = [{**each, "gap": "not translated"} for each in content["contrasts"]]
    write_json(path, content)
    notes = bleu_table(own.results).notes
    assert any("beam 12 alone, and not in English → French test." in note for note in notes)


def test_systems_of_one_printed_score_are_all_the_best(own: Made) -> None:
    """30.50 and 30.496 are one number to a reader."""
    change(own, "en-fr/symbol/1", "test.beam1", bleu=30.496)
    rows = bleu_table(own.results).blocks[0].rows
    best = {label: cells[0].text for label, cells in rows if cells[0].best}
    assert best == {"+Symbol (S)": "30.50", "+BPE+S": "30.50"}


def test_a_missing_translation_is_named(own: Made) -> None:
    path = own.folder / "score/en-fr/symbol/1/scores.json"
    scores = read_json(path)
    del scores["test.beam12"]
    write_json(path, scores)
    with pytest.raises(UserError, match=r"en-fr/symbol/1/scores.json: no test.beam12 in it"):
        bleu_table(own.results)


def test_a_system_that_the_paper_has_not_is_told(results: Made) -> None:
    table = bleu_table(results.results)
    assert {row["source"] for row in table.data if row["system"] == "bpe-symbol"} == {"here"}
    assert texts(cells_of(table.blocks[0])["+BPE+S"]) == ["30.50", "–", "30.75", "–"]
    assert "Not in the paper's table: +BPE+S." in table.notes


def test_a_paper_without_beams_stands_beside_the_widest(bahdanau: Made) -> None:
    table = bleu_table(bahdanau.results)
    printed = {row["system"]: row for row in table.data if row["source"] == "paper"}
    # Bahdanau et al. 2015, Table 1, column "All": first and last system.
    assert printed["rnnencdec-30"]["bleu"] == 13.93
    assert printed["rnnsearch-50-star"]["bleu"] == 28.45
    assert {row["beam"] for row in printed.values()} == {None}
    first, detokenized = table.blocks
    assert first.columns == [
        ("beam 1", "test (dev)"),
        ("beam 12", "test (dev)"),
        ("beam 12", "paper"),
    ]
    assert "The paper tells no beam width: its numbers stand beside the widest." in table.notes
    assert len(detokenized.rows) == 5


def test_a_row_of_the_paper_alone_is_last_and_has_dashes(bahdanau: Made) -> None:
    table = bleu_table(bahdanau.results)
    label, cells = table.blocks[0].rows[-1]
    assert (label, texts(cells)) == ("Moses (quoted)", ["–", "–", "33.30"])
    assert "| Moses (quoted) |" in texts_of(table)["md"]


def test_a_lost_table_is_told_with_the_one_number_that_is_known(chen: Made) -> None:
    table = bleu_table(chen.results)
    assert {row["source"] for row in table.data} == {"here"}
    reconstruction, known, *others = table.notes
    assert reconstruction == f"Reconstruction: {chen.about['reconstruction']}"
    assert "+1.78 BLEU on average" in known
    assert "NIST Chinese-to-English, another data set than those here" in known
    assert not any("paper" in note for note in others)
    for suffix in ("md", "tex"):
        text = texts_of(table)[suffix]
        assert reconstruction in text and known in text
        assert text.count("(reconstruction)") == 2 * 2  # pairs, metrics


def test_a_users_own_systems_have_their_rows_of_the_paper_alone(own: Made) -> None:
    systems = [system for system in own.about["systems"] if system["id"] == "context"]
    about = own.about | {"systems": systems}
    make_significance(own.folder, about)
    table = bleu_table(Made(own.folder, about).results)
    assert {row["system"] for row in table.data} == {"context"}
    assert [*cells_of(table.blocks[0])] == ["+Context (C)"]


def test_variants_have_columns_and_the_papers_numbers(varied: Made) -> None:
    block, detokenized = bleu_table(varied.results).blocks
    assert block.columns == [
        ("beam 1", "All", "test (dev)"),
        ("beam 1", "No UNK", "test (dev)"),
        ("beam 12", "All", "test (dev)"),
        ("beam 12", "All", "paper"),
        ("beam 12", "No UNK", "test (dev)"),
        ("beam 12", "No UNK", "paper"),
        ("beam 12", "normalised (extra)", "test (dev)"),
    ]
    (_, first), *_, (_, moses) = block.rows
    # Two seeds of 20 and 20.5, beam 12 a quarter above; Bahdanau et al. 2015, Table 1, first row.
    assert texts(first) == ["20.25", "27.25", "20.50", "13.93", "27.50", "24.19", "20.62"]
    assert texts(moses) == ["–", "–", "–", "33.30", "–", "35.63", "–"]
    assert detokenized.columns == [
        (f"beam {beam}", metric, "test (dev)") for beam in (1, 12) for metric in METRICS
    ]
    assert len(detokenized.rows) == len(block.rows) - 1


def test_the_size_of_the_subset_and_gaps_are_told(varied: Made) -> None:
    table = bleu_table(varied.results)
    assert table.blocks[0].rows[0][1][1].remark == "± 0.35 (–)"
    notes = "\n".join(table.notes)
    assert "(test: 12 of 30; dev: 0 of 30)" in notes
    assert f"No UNK, en-fr dev, beam 1: all systems: {REASON}." in notes
    assert "no column of the paper. Beam 1 has none" in notes
    rows = [row for row in csv_rows(table) if row["system"] == "rnnsearch-50"]
    here = {(row["text"], row["beam"]): row for row in rows}
    assert here["test", "12"]["bleu_no_unknown"] == "32"
    assert here["test", "12"]["no_unknown_sentences"] == "12"
    assert here["dev", "12"]["bleu_no_unknown"] == ""
    assert here["dev", "12"]["no_unknown_sentences"] == "0"
    assert here["test", "1"]["bleu_normalised"] == ""
    assert here["newstest2014", ""]["bleu_no_unknown"] == "34.16"


def test_a_gap_of_one_seed_leaves_no_mean_of_the_others(varied: Made) -> None:
    change(
        varied, "en-fr/rnnsearch-50/2", "test.beam12.no-unknown", gap="no word", sentences=12, of=30
    )
    table = bleu_table(varied.results)
    rows = cells_of(table.blocks[0])
    assert [rows[label][4].text for label in ("RNNsearch-50", "RNNsearch-30")] == ["–", "29.00"]
    assert "No UNK, en-fr test, beam 12: RNNsearch-50: no word." in table.notes


def test_what_score_noted_stands_below_the_table(varied: Made) -> None:
    change(varied, "en-fr/rnnsearch-50/2", "test.beam12", notes=["no word in any line"])
    notes = bleu_table(varied.results).notes
    assert "en-fr test, beam 12: RNNsearch-50: no word in any line." in notes


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


def with_ensembles(made: Made) -> Made:
    """The same with an ensemble of each system, two BLEU above its first seed."""
    for path in made.files("score/*/*/1/scores.json"):
        scores = read_json(path)
        for entry in scores.values():
            if "bleu" in entry:
                entry["bleu"] += 2
        write_json(path.parents[1] / "ensemble" / path.name, scores)
    return Made(made.folder, made.about | {"ensemble": True})


def test_an_ensemble_is_a_row_that_no_mean_and_no_mark_knows_of(varied: Made) -> None:
    both = with_ensembles(varied)
    plain, table = bleu_table(varied.results), bleu_table(both.results)
    for before, after in zip(plain.blocks, table.blocks, strict=True):
        assert [row for row in after.rows if "ensemble" not in row[0]] == before.rows
        assert [label for label, _ in after.rows][:2] == [
            "RNNencdec-30",
            "RNNencdec-30, ensemble of 2 seeds",
        ]
    _, ensemble = table.blocks[0].rows[1]
    assert texts(ensemble) == ["22.00", "29.00", "22.25", "–", "29.25", "–", "22.38"]
    assert ensemble[0].remark == "(22.88)"
    assert not any(cell.best or cell.marked for cell in ensemble)
    assert [row for row in table.data if row["source"] != "ensemble"] == plain.data
    assert any(note.startswith("Ensemble: ") for note in table.notes)
    assert not any(note.startswith("Ensemble: ") for note in plain.notes)


def test_the_best_system_is_one_of_the_runs(varied: Made) -> None:
    both = with_ensembles(varied).results
    (found,) = findings(both, {both.table: bleu_table(both).data})
    # two seeds of 26 and 26.5, beam 12 a quarter above
    assert found.headline.startswith("RNNsearch-50* is ")
    assert found.figures[0].value == "26.50"


def with_replacements(made: Made) -> Made:
    """The same with the unknown words of RNNsearch-30 and -50 replaced, which gains three BLEU."""
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


def test_replaced_unknown_words_are_a_row_at_the_widest_beam(varied: Made) -> None:
    both = with_replacements(varied)
    plain, table = bleu_table(varied.results), bleu_table(both.results)
    for before, after in zip(plain.blocks, table.blocks, strict=True):
        assert [row for row in after.rows if "replaced" not in row[0]] == before.rows
    label = "RNNsearch-30, unknown words replaced"
    assert [label for label, _ in table.blocks[0].rows][1:3] == ["RNNsearch-30", label]
    kept, replaced = (cells_of(table.blocks[0])[each] for each in ("RNNsearch-30", label))
    columns = table.blocks[0].columns
    for place, (beam, variant, text) in enumerate(columns):
        if (beam, variant) == ("beam 12", "All") and text != "paper":
            assert float(replaced[place].text) == float(kept[place].text) + 3
            assert replaced[place].remark.startswith("± ")
        else:
            assert replaced[place].text == "–"
    assert not any(cell.best or cell.marked for cell in replaced)
    rows = [row for row in table.data if row["source"] == "replaced"]
    assert [row for row in table.data if row not in rows] == plain.data
    assert {(row["system"], row["text"], row["beam"]) for row in rows} == {
        (system, text, 12)
        for system in ("rnnsearch-30", "rnnsearch-50")
        for text in ("test", "dev")
    }
    assert {row["unknown_percent"] for row in rows} == {5.5}
    (note,) = (note for note in table.notes if note.startswith("Unknown words replaced: "))
    assert "RNNsearch-30, en-fr test: 5.50 ± 0.71 %; RNNsearch-50, en-fr test" in note


@pytest.mark.parametrize("stage", ["score", "replace-unknown"])
def test_a_file_that_lacks_a_replaced_translation_is_named(varied: Made, stage: str) -> None:
    both = with_replacements(varied)
    path = both.folder / stage / "en-fr/rnnsearch-50/1/replaced.json"
    write_json(path, {"dev.beam12.replaced": read_json(path)["dev.beam12.replaced"]})
    with pytest.raises(UserError, match=r"replaced\.json: no test\.beam12\.replaced in it"):
        bleu_table(both.results)


def test_a_gap_of_a_replaced_translation_is_a_dash_and_a_note(varied: Made) -> None:
    both = with_replacements(varied)
    path = both.folder / "score/en-fr/rnnsearch-50/1/replaced.json"
    write_json(path, read_json(path) | {"test.beam12.replaced": {"gap": "it has 2 lines"}})
    table = bleu_table(both.results)
    cells = cells_of(table.blocks[0])["RNNsearch-50, unknown words replaced"]
    assert {cell.text for cell in cells} == {"–"}
    where = "en-fr test, beam 12, unknown words replaced"
    assert f"{where}: RNNsearch-50: it has 2 lines." in table.notes
