"""The BLEU table with the translations beside the likeliest: variants, and ensembles of seeds."""

import csv
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.bleu_scores import DETOKENIZED
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.experiment import experiment_of
from contextnmt.report.findings import best_system
from contextnmt.report.tables import write_table

ENDINGS = ["beam1", "beam1.no-unknown", "beam12", "beam12.no-unknown", "beam12.normalised"]
SEEDS = (1, 2)
#: What the variants gain over the likeliest translation in the made-up scores.
GAINS = {"no-unknown": 7.0, "normalised": 0.125}
REASON = "no sentence of the text is in the subset"


def with_variants(folder: Path, name: str = "bahdanau2015") -> Results:
    """Results of an experiment with two seeds and all variants; on `dev` no line is known."""
    made = make_results(folder, seeds=SEEDS, name=name)
    for path in made.files("score/*/*/*/scores.json"):
        scores = read_json(path)
        for ending in ENDINGS:
            beam, _, variant = ending.partition(".")
            if variant:
                for text in ("test", "dev"):
                    entry = dict(scores[f"{text}.{beam}"])
                    entry["bleu"] += GAINS[variant]
                    size = {"sentences": 12, "of": 30} if variant == "no-unknown" else {}
                    if size and text == "dev":
                        entry, size = {"gap": REASON}, {"sentences": 0, "of": 30}
                    scores[f"{text}.{ending}"] = entry | size
        write_json(path, scores)
    return Results(folder, made.about | {"translations": ENDINGS})


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return with_variants(tmp_path / "results")


def with_ensembles(results: Results) -> Results:
    """The same with an ensemble of each system, two BLEU above its first seed."""
    for path in results.files("score/*/*/1/scores.json"):
        scores = read_json(path)
        for entry in scores.values():
            if "bleu" in entry:
                entry["bleu"] += 2
        write_json(path.parents[1] / "ensemble" / path.name, scores)
    return Results(results.folder, results.about | {"ensemble": True})


def made(results: Results, out: Path) -> dict[str, Any]:
    """The table."""
    ensembles = results.files("score/*/*/ensemble/scores.json")
    runs = [path for path in results.files("score/*/*/*/scores.json") if path not in ensembles]
    write_table(out / "table1", bleu_table(runs, results.experiment, ensembles))
    table: dict[str, Any] = read_json(out / "table1.json")
    return table


def test_columns_are_those_of_the_paper_and_a_marked_one_more(
    results: Results, tmp_path: Path
) -> None:
    table = made(results, tmp_path)
    block, detokenized = table["blocks"]
    assert block["columns"] == [
        ["beam 1", "All", "test (dev)"],
        ["beam 1", "No UNK", "test (dev)"],
        ["beam 12", "All", "test (dev)"],
        ["beam 12", "All", "paper"],
        ["beam 12", "No UNK", "test (dev)"],
        ["beam 12", "No UNK", "paper"],
        ["beam 12", "normalised (extra)", "test (dev)"],
    ]
    first, *_, moses = block["rows"]
    cells = [cell["text"] for cell in first["cells"]]
    # Two seeds of 20 and 20.5, beam 12 a quarter above; Bahdanau et al. 2015, Table 1, first row.
    assert cells == ["20.25", "27.25", "20.50", "13.93", "27.50", "24.19", "20.62"]
    assert [cell["text"] for cell in moses["cells"]] == ["–", "–", "–", "33.30", "–", "35.63", "–"]
    headings = [(beam, metric) for beam in ("beam 1", "beam 12") for metric in DETOKENIZED.values()]
    assert detokenized["columns"] == [[*heading, "test (dev)"] for heading in headings]
    assert len(detokenized["rows"]) == len(block["rows"]) - 1


def test_the_size_of_the_subset_and_gaps_are_told(results: Results, tmp_path: Path) -> None:
    table = made(results, tmp_path)
    assert table["blocks"][0]["rows"][0]["cells"][1]["remark"] == "± 0.35 (–)"
    notes = "\n".join(table["notes"])
    assert "(test: 12 of 30; dev: 0 of 30)" in notes
    assert f"No UNK, en-fr dev, beam 1: all systems: {REASON}." in notes
    assert "no column of the paper. Beam 1 has none" in notes
    with open(tmp_path / "table1.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    here = {(r["text"], r["beam"]): r for r in rows if r["system"] == "rnnsearch-50"}
    assert here["test", "12"]["bleu_no_unknown"] == "32"
    assert here["test", "12"]["no_unknown_sentences"] == "12"
    assert here["dev", "12"]["bleu_no_unknown"] == ""
    assert here["dev", "12"]["no_unknown_sentences"] == "0"
    assert here["test", "1"]["bleu_normalised"] == ""
    assert here["newstest2014", ""]["bleu_no_unknown"] == "34.16"


def test_a_gap_of_one_seed_leaves_no_mean_of_the_others(results: Results, tmp_path: Path) -> None:
    path = results.folder / "score/en-fr/rnnsearch-50/2/scores.json"
    gap = {"gap": "no word", "sentences": 12, "of": 30}
    write_json(path, read_json(path) | {"test.beam12.no-unknown": gap})
    table = made(results, tmp_path)
    rows = {row["label"]: row["cells"] for row in table["blocks"][0]["rows"]}
    assert [rows[label][4]["text"] for label in ("RNNsearch-50", "RNNsearch-30")] == ["–", "29.00"]
    assert "No UNK, en-fr test, beam 12: RNNsearch-50: no word." in table["notes"]


def test_what_score_noted_stands_below_the_table(results: Results, tmp_path: Path) -> None:
    path = results.folder / "score/en-fr/rnnsearch-50/2/scores.json"
    scores = read_json(path)
    scores["test.beam12"]["notes"] = ["no word in any line"]
    write_json(path, scores)
    notes = made(results, tmp_path)["notes"]
    assert "en-fr test, beam 12: RNNsearch-50: no word in any line." in notes


def test_views_have_subsets_of_their_own(tmp_path: Path) -> None:
    results = with_variants(tmp_path / "results", "choi2017")
    for path in results.files("score/*/symbol/*/scores.json"):
        scores = read_json(path)
        scores["test.beam12.no-unknown"]["sentences"] = 21
        write_json(path, scores)
    notes = "\n".join(made(results, tmp_path)["notes"])
    assert "en-fr test (word): 12 of 30; en-fr test (sym): " in notes


def test_an_ensemble_is_a_row_that_no_mean_and_no_mark_knows_of(
    results: Results, tmp_path: Path
) -> None:
    plain = made(results, tmp_path)
    table = made(with_ensembles(results), tmp_path)
    for before, after in zip(plain["blocks"], table["blocks"], strict=True):
        own = [row for row in after["rows"] if "ensemble" not in row["label"]]
        assert own == before["rows"]
        assert [row["label"] for row in after["rows"]][:2] == [
            "RNNencdec-30",
            "RNNencdec-30, ensemble of 2 seeds",
        ]
    ensemble = table["blocks"][0]["rows"][1]["cells"]
    shown = ["22.00", "29.00", "22.25", "–", "29.25", "–", "22.38"]
    assert [cell["text"] for cell in ensemble] == shown
    assert ensemble[0]["remark"] == "(22.88)"
    assert not any(cell["best"] for cell in ensemble)
    assert [row for row in table["data"] if row["source"] != "ensemble"] == plain["data"]
    assert any(note.startswith("Ensemble: ") for note in table["notes"])


def test_the_best_system_is_one_of_the_runs(results: Results, tmp_path: Path) -> None:
    about = results.experiment
    plain = best_system(about, "en-fr", made(results, tmp_path)["data"], [])
    together = best_system(about, "en-fr", made(with_ensembles(results), tmp_path)["data"], [])
    assert together == plain
    assert together[1].value == "26.50"  # two seeds of 26 and 26.5, beam 12 a quarter above


def test_a_missing_ensemble_is_named(results: Results, tmp_path: Path) -> None:
    both = with_ensembles(results)
    (both.folder / "score/en-fr/rnnsearch-30/ensemble/scores.json").unlink()
    with pytest.raises(UserError, match="ensemble scores: no file for en-fr/rnnsearch-30"):
        made(both, tmp_path)


def test_an_ensemble_that_was_not_asked_for_is_refused(results: Results, tmp_path: Path) -> None:
    with_ensembles(results)
    with pytest.raises(UserError, match="is not part of the experiment"):
        made(results, tmp_path)


def test_a_run_is_no_ensemble(results: Results, tmp_path: Path) -> None:
    files = results.files("score/*/*/*/scores.json")
    with pytest.raises(UserError, match="should end in PAIR/SYSTEM/ensemble/FILE"):
        write_table(tmp_path / "table1", bleu_table(files, experiment_of(results.about), files[:1]))


def test_a_missing_variant_is_named(results: Results, tmp_path: Path) -> None:
    path = results.folder / "score/en-fr/rnnsearch-50/1/scores.json"
    scores = read_json(path)
    del scores["test.beam12.normalised"]
    write_json(path, scores)
    with pytest.raises(UserError, match=r"no BLEU for test.beam12.normalised: score this"):
        made(results, tmp_path)
