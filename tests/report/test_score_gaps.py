"""Reports of runs of which a translation has no score: gaps with reasons, no wrong numbers."""

import csv
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from made_up_significance import make_significance
from results_folder import Results, make_report, make_results

from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.claims_table import claims_table
from contextnmt.report.experiment import Experiment, experiment_of
from contextnmt.report.findings import findings
from contextnmt.report.gains import gains
from contextnmt.report.literature_table import literature_table
from contextnmt.report.papers import papers
from contextnmt.report.phenomena_table import phenomena_table
from contextnmt.report.significance_table import significance_table
from contextnmt.report.tables import write_table

REASON = "test.beam12.gz has 29 lines and test.fr.gz has 30"
#: Language pair -> systems of which a translation has no score and no counts.
UNSCORED = {"en-fr": ["baseline"], "en-de": ["context", "bpe-symbol"]}
LISTED = {"en-fr": f"Baseline ({REASON})", "en-de": f"+Context (C) ({REASON}); +BPE+S ({REASON})"}
TITLES = {"en-fr": "English → French", "en-de": "English → German"}


def leave_gap(file: Path, name: str, **more: Any) -> None:
    """Put a gap in the place of an entry."""
    write_json(file, read_json(file) | {name: {"gap": REASON, **more}})


def leave_gaps(results: Results, unscored: dict[str, list[str]], name: str) -> None:
    for pair, systems in unscored.items():
        for system in systems:
            # Of several seeds the last one.
            run = f"{pair}/{system}/{results.about['seeds'][-1]}"
            for file in (f"score/{run}/scores.json", f"phenomena/{run}/test.json"):
                leave_gap(results.folder / file, name)


@pytest.fixture(scope="module")
def unscored(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two seeds, with translations of the second one that have no score at the widest beam, and one
    of the first that is too short to be drawn with its alignments; and the report of the rest."""
    results = make_results(tmp_path_factory.mktemp("unscored"), (1, 2))
    leave_gaps(results, UNSCORED, "test.beam12")
    (path,) = results.files("translate/en-fr/*/1/test.beam12.gz")
    write_lines(path, ["une ligne"])
    make_report(results)
    return results


def table(results: Results, name: str) -> dict[str, Any]:
    found: dict[str, Any] = read_json(results.folder / "report" / "tables" / f"{name}.json")
    return found


def block_of(made: dict[str, Any], title: str) -> dict[str, list[dict[str, Any]]]:
    """The cells of each row of a block."""
    (block,) = [block for block in made["blocks"] if block["title"] == title]
    return {row["label"]: row["cells"] for row in block["rows"]}


def words_of_page(results: Results) -> str:
    page = (results.folder / "report" / "index.html").read_text()
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def test_a_score_that_is_missing_is_a_dash_and_a_note(unscored: Results) -> None:
    made = table(unscored, "table4")
    (block,) = [block for block in made["blocks"] if block["title"] == TITLES["en-fr"]]
    columns = [" ".join(column) for column in block["columns"]]
    row = next(row for row in block["rows"] if row["label"] == "Baseline")
    shown = {column: cell["text"] for column, cell in zip(columns, row["cells"], strict=True)}
    assert shown["beam 12 test (dev)"] == "–"
    assert shown["beam 1 test (dev)"].startswith("20.")
    assert f"en-fr test, beam 12: Baseline: {REASON}." in made["notes"]
    assert f"en-de test, beam 12: +Context (C), +BPE+S: {REASON}." in made["notes"]
    detokenized = block_of(made, f"{TITLES['en-fr']}, detokenized")["Baseline"]
    assert [cell["text"] == "–" for cell in detokenized] == [False] * 3 + [True] * 3


def test_the_best_of_the_others_is_marked_all_the_same(unscored: Results) -> None:
    rows = block_of(table(unscored, "table4"), TITLES["en-fr"])
    best = {label: sum(cell["best"] for cell in cells) for label, cells in rows.items()}
    assert best.pop("+BPE+S") == 2  # at both widths
    assert set(best.values()) == {0}


def test_a_row_without_a_score_has_its_reason(unscored: Results) -> None:
    with open(unscored.folder / "report/tables/table4.csv", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["source"] == "here"]
    gaps = {(row["pair"], row["system"], row["text"], row["beam"]) for row in rows if row["gap"]}
    expected = {
        (pair, system, "test", "12") for pair, systems in UNSCORED.items() for system in systems
    }
    assert gaps == expected
    for row in rows:
        assert bool(row["gap"]) == (not row["bleu"]) == (not row["ter"])
        assert row["gap"] in ("", REASON)


def test_a_claim_without_scores_has_no_verdict(unscored: Results) -> None:
    made = table(unscored, "claims")
    verdicts = {
        (row["pair"], row["system"], row["baseline"]): row["verdict"] for row in made["data"]
    }
    assert verdicts["en-fr", "context", "baseline"] == "no score"
    assert verdicts["en-fr", "context-symbol", "symbol"] != "no score"
    assert verdicts["en-de", "context-symbol", "context"] == "no score"
    for pair, listed in LISTED.items():
        assert f"No score: {TITLES[pair]}, test, beam 12: {listed}." in made["notes"]


def test_counts_that_are_missing_are_dashes_and_a_note(unscored: Results) -> None:
    made = table(unscored, "phenomena")
    for pair, listed in LISTED.items():
        assert f"No counts: {TITLES[pair]}: {listed}." in made["notes"]
    rows = block_of(made, TITLES["en-de"])
    assert {label for label, cells in rows.items() if cells[0]["text"] == "–"} == {
        "+Context (C)",
        "+BPE+S",
    }
    assert any(cell["best"] for cell in rows["+BPE+C+S"])
    there = {(row["pair"], row["system"]) for row in made["data"]}
    assert ("en-fr", "context") in there and ("en-fr", "baseline") not in there


def test_the_page_tells_the_reasons_beside_its_findings(unscored: Results) -> None:
    words = words_of_page(unscored)
    for listed in LISTED.values():
        assert f"No score on test with beam 12, and in no comparison: {listed}." in words
    assert (
        f"Contextualization (C): no verdict on +Context (C) over Baseline yet (Baseline: {REASON})."
    ) in words
    assert "of the 7 scored systems (of 8): " in words
    assert "of the 6 scored systems (of 8): " in words
    assert "nan" not in words.lower().split() and "None" not in words.split()


def test_gains_are_those_that_can_be_had(unscored: Results) -> None:
    french, german = (
        (unscored.folder / f"report/figures/gains.{pair}.svg").read_text() for pair in UNSCORED
    )
    assert "+Context (C) over Baseline" not in french
    assert "over Baseline" in german and "+C+S over +Context (C)" not in german


def test_the_page_of_all_papers_tells_them_too(unscored: Results) -> None:
    tables = unscored.folder / "report" / "choi2017" / "tables"
    for name in ("table4", "significance", "claims"):
        write_json(tables / f"{name}.json", table(unscored, name))
    out, start = unscored.folder / "papers.html", unscored.folder / "start.rst"
    pages = [unscored.folder / "report" / "choi2017" / "index.html"]
    papers([unscored.experiment], sorted(tables.glob("*.json")), pages, out, start)
    told = f"No score on test with beam 12, and in no comparison: {LISTED['en-fr']}."
    assert told in unescape(" ".join(out.read_text().split()))
    assert REASON in start.read_text()


def test_a_short_translation_has_its_reason_in_place_of_a_map(unscored: Results) -> None:
    svg = (unscored.folder / "report/figures/alignments.en-fr.random.svg").read_text()
    assert "has1linesand" in "".join(re.sub(r"<[^>]*>", "", svg).split())
    other = (unscored.folder / "report/figures/alignments.en-de.random.svg").read_text()
    assert "lines and" not in other


def tables_of(results: Results) -> tuple[Experiment, dict[str, Any]]:
    """The table of BLEU alone."""
    files = results.files("score/*/*/*/scores.json")
    write_table(results.folder / "table4", bleu_table(files, results.experiment))
    return results.experiment, read_json(results.folder / "table4.json")


def test_without_any_score_there_are_gaps_alone(tmp_path: Path) -> None:
    results = make_results(tmp_path)
    systems = [system["id"] for system in results.about["systems"]]
    leave_gaps(results, {"en-fr": systems}, "test.beam12")
    about, made = tables_of(results)
    french, german = findings(about, {"table4": made["data"]})
    assert french.headline == "No system has a score on test with beam 12."
    assert [figure.value for figure in french.figures] == ["–"]
    assert f"Baseline ({REASON}); +Context (C) ({REASON}); " in french.warnings[0]
    assert german.warnings == [] and german.headline.startswith("+BPE+S is best: ")
    out = tmp_path / "phenomena"
    write_table(out, phenomena_table(results.files("phenomena/*/*/*/*"), results.experiment))
    counted = read_json(out.with_suffix(".json"))
    assert [block["title"] for block in counted["blocks"]] == [TITLES["en-de"]]
    tested = make_significance(results.folder, results.about)
    write_table(
        tmp_path / "claims", claims_table(tmp_path / "table4.json", tested, results.experiment)
    )
    claims = read_json(tmp_path / "claims.json")["data"]
    assert {row["verdict"] for row in claims if row["pair"] == "en-fr"} == {"no score"}
    assert "no score" not in {row["verdict"] for row in claims if row["pair"] == "en-de"}
    write_table(tmp_path / "significance", significance_table(tested, results.experiment))
    made_tables = (tmp_path / f"{name}.json" for name in ("table4", "significance"))
    gains(*made_tables, results.experiment, tmp_path / "figures")
    assert "no two systems to compare" in (tmp_path / "figures/gains.en-fr.svg").read_text()


def test_dev_texts_and_narrow_beams_may_be_gaps(tmp_path: Path) -> None:
    results = make_results(tmp_path)
    leave_gap(tmp_path / "score/en-fr/baseline/1/scores.json", "dev.beam12")
    leave_gap(tmp_path / "score/en-de/baseline/1/scores.json", "test.beam1")
    about, made = tables_of(results)
    remarks = [cell["remark"] for cell in block_of(made, TITLES["en-fr"])["Baseline"]]
    assert "(–)" in remarks
    assert block_of(made, TITLES["en-de"])["Baseline"][0]["text"] == "–"
    assert [each.warnings for each in findings(about, {"table4": made["data"]})] == [[], []]


def test_a_gap_of_a_subset_that_was_not_even_read_has_no_size(tmp_path: Path) -> None:
    about = experiment("bahdanau2015") | {"translations": ["beam12", "beam12.no-unknown"]}
    results = Results(tmp_path, about | {"beams": [12]})
    make_results(tmp_path, name="bahdanau2015")
    for place, file in enumerate(results.files("score/*/*/*/scores.json")):
        scores = read_json(file)
        for text in ("dev", "test"):
            sizes = {"sentences": 20, "of": 30}
            scores[f"{text}.beam12.no-unknown"] = scores[f"{text}.beam12"] | sizes
            if place == 0:
                scores[f"{text}.beam12.no-unknown"] = {"gap": REASON}
        write_json(file, scores)
    files = results.files("score/*/*/*/scores.json")
    write_table(tmp_path / "table1", bleu_table(files, results.experiment))
    made = read_json(tmp_path / "table1.json")
    assert any("(test: 20 of 30; dev: 20 of 30)" in note for note in made["notes"])
    assert f"No UNK, en-fr test, beam 12: RNNsearch-50*: {REASON}." in made["notes"]
    gaps = [row for row in made["data"] if row["source"] == "here"]
    assert all(row["bleu"] is not None and "gap" not in row for row in gaps)


def test_scores_of_others_stand_beside_a_gap_with_its_reason(tmp_path: Path) -> None:
    results = make_results(tmp_path, name="bahdanau2015", tests=("newstest2014",))
    file = tmp_path / "score/en-fr/rnnsearch-50/1/scores.json"
    leave_gap(file, "newstest2014.beam12")
    write_table(
        tmp_path / "bleu", bleu_table(results.files("score/*/*/*/scores.json"), results.experiment)
    )
    write_table(
        tmp_path / "literature", literature_table(tmp_path / "bleu.json", results.experiment)
    )
    made = read_json(tmp_path / "literature.json")
    (cells,) = [
        row["cells"] for row in made["blocks"][0]["rows"] if row["label"] == "RNNsearch-50 (here)"
    ]
    assert cells[0]["text"] == "–"
    where = "No score: English → French, newstest2014, beam 12"
    assert f"{where}: RNNsearch-50 ({REASON})." in made["notes"]
    verdicts = {
        row["verdict"]
        for row in made["data"]
        if row["kind"] == "range" and row["system"] == "rnnsearch-50"
    }
    assert verdicts == {"no score"}


def test_one_score_alone_is_called_so() -> None:
    about = experiment_of(experiment("bahdanau2015"))
    rows = [
        {
            **{"source": "here", "pair": "en-fr", "system": system.id, "beam": 12},
            **{"split": "test", "text": "test", "bleu": None, "bleu_deviation": None},
            "gap": REASON,
        }
        for system in about.systems
    ]
    rows[1] |= {"bleu": 20.0, "gap": None}
    (found,) = findings(about, {about.table: rows})
    assert found.headline.startswith(f"{about.systems[1].label} alone is scored: 20.00 BLEU")
    assert f"RNNencdec-50: {REASON}" in found.sentences[0]
