"""Reports of which a part is not finished or has no score: gaps with reasons, no wrong numbers."""

import json
import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of
from made_up_significance import make_significance
from results_folder import Made, csv_rows, make_report, make_results, make_tables

from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.findings import findings
from contextnmt.report.gaps import gap_of_run
from contextnmt.report.papers import papers
from contextnmt.report.results import gap_of_system
from contextnmt.report.tables import Cell, Table

TITLES = {"en-fr": "English → French", "en-de": "English → German"}
HALFWAY = "seed 2: training not finished, at update 12,000"
#: In one pair the system that others are compared with, in the other the one whose alignments are
#: drawn and one more.
GAPS = {
    "en-fr": {"baseline": "not trained"},
    "en-de": {"context": HALFWAY, "bpe-symbol": "trained, not translated"},
}
NOTES = [
    "English → French: Baseline (not trained).",
    f"English → German: +Context (C) ({HALFWAY}); +BPE+S (trained, not translated).",
]
#: Why translations of these systems have neither score nor counts in the fixture `unscored`.
REASON = "test.beam12.gz has 29 lines and test.fr.gz has 30"
LISTED = {"en-fr": f"Baseline ({REASON})", "en-de": f"+Context (C) ({REASON}); +BPE+S ({REASON})"}


def leave_gap(made: Made, file: str, name: str) -> None:
    """Put a gap in the place of an entry."""
    path = made.folder / file
    write_json(path, read_json(path) | {name: {"gap": REASON}})


def leave_gaps(made: Made, pair: str, *systems: str) -> None:
    """Take away score and counts of the test text at the widest beam, of several seeds the last."""
    for system in systems:
        run = f"{pair}/{system}/{made.about['seeds'][-1]}"
        leave_gap(made, f"score/{run}/scores.json", "test.beam12")
        leave_gap(made, f"phenomena/{run}/test.json", "test.beam12")
    make_significance(made.folder, made.about)


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two seeds, with `GAPS`, and the report of what there is."""
    made = make_results(tmp_path_factory.mktemp("gaps"), (1, 2), gaps=GAPS)
    make_report(made)
    return made


@pytest.fixture(scope="module")
def unscored(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two seeds, with translations of the second one that have no score at the widest beam, and one
    of the first that is too short to be drawn with its alignments; and the report of the rest."""
    made = make_results(tmp_path_factory.mktemp("unscored"), (1, 2))
    leave_gaps(made, "en-fr", "baseline")
    leave_gaps(made, "en-de", "context", "bpe-symbol")
    (path,) = made.files("translate/en-fr/*/1/test.beam12.gz")
    write_lines(path, ["une ligne"])
    make_report(made)
    return made


def block_of(table: Table, title: str) -> dict[str, list[Cell]]:
    """The cells of each row of a block."""
    (block,) = [block for block in table.blocks if block.title == title]
    return dict(block.rows)


def words_of(made: Made) -> str:
    """The words of the page."""
    page = (made.report / "index.html").read_text()
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def figure(made: Made, name: str) -> str:
    return (made.report / f"figures/{name}.svg").read_text()


def test_single_sentences_have_the_reason_in_place_of_a_translation(unfinished: Made) -> None:
    examples, differences = map(unfinished.results.read_table, ("examples", "differences"))
    rows = [row for row in examples.data if row["version"] == "context"]
    assert {row["pair"]: (bool(row["tokens"]), row["gap"]) for row in rows} == {
        "en-fr": (True, ""),
        "en-de": (False, HALFWAY),
    }
    assert f"+Context (C): {HALFWAY}" in [row["gap"] for row in differences.data]


def test_one_finished_system_makes_a_report(tmp_path: Path) -> None:
    systems = [system["id"] for system in experiment("bahdanau2015")["systems"]]
    gaps = {"en-fr": {system: "not trained" for system in systems if system != "rnnsearch-30"}}
    made = make_results(tmp_path, name="bahdanau2015", gaps=gaps)
    make_report(made)
    words = words_of(made)
    assert "RNNsearch-30 alone is finished: " in words
    assert "Attention (RNNsearch): no verdict on RNNsearch-30 over RNNencdec-30" in words


def test_without_any_score_there_are_gaps_alone(tmp_path: Path) -> None:
    made = make_results(tmp_path)
    leave_gaps(made, "en-fr", *(system["id"] for system in made.about["systems"]))
    tables = make_tables(made, "bleu-table", "phenomena", "significance", "claims", "gains")
    french, german = findings(made.results, {"table4": tables["bleu-table"].data})
    assert french.headline == "No system has a score on test with beam 12."
    assert [figure.value for figure in french.figures] == ["–"]
    assert french.warnings[0].endswith(f", and in no comparison: all systems ({REASON}).")
    assert german.warnings == [] and german.headline.startswith("+BPE+S has the highest BLEU on ")
    assert [block.title for block in tables["phenomena"].blocks] == [TITLES["en-de"]]
    unscored = {row["pair"] for row in tables["claims"].data if row["reason"] == "no score"}
    assert unscored == {"en-fr"}
    assert "no two systems to compare" in figure(made, "gains.en-fr")


def test_dev_texts_and_narrow_beams_may_be_gaps(tmp_path: Path) -> None:
    made = make_results(tmp_path)
    leave_gap(made, "score/en-fr/baseline/1/scores.json", "dev.beam12")
    leave_gap(made, "score/en-de/baseline/1/scores.json", "test.beam1")
    table = make_tables(made, "bleu-table")["bleu-table"]
    assert "(–)" in [cell.remark for cell in block_of(table, TITLES["en-fr"])["Baseline"]]
    assert block_of(table, TITLES["en-de"])["Baseline"][0].text == "–"
    found = findings(made.results, {"table4": table.data})
    assert [each.warnings for each in found] == [[], []]


@pytest.mark.parametrize(
    "name", ["table4", "phenomena", "trainings", "significance", "length-scores"]
)
def test_a_gap_is_a_row_of_dashes_and_a_note(unfinished: Made, name: str) -> None:
    table = unfinished.results.read_table(name)
    assert [note for note in table.notes if note.startswith("Not finished")] == [
        f"Not finished: {line}" for line in NOTES
    ]
    labels = unfinished.results.labels("en-fr")
    for pair, title in TITLES.items():
        block = next(block for block in table.blocks if block.title.startswith(title))
        here = [place for place, column in enumerate(block.columns) if column[-1] != "paper"]
        texts = {label: {cells[place].text for place in here} for label, cells in block.rows}
        dashed = {label for label, found in texts.items() if found == {"–"}}
        assert dashed == {labels[system] for system in GAPS[pair]}
    for row in table.data:
        if row.get("source") != "paper" and not row.get("gap"):
            assert row["system"] not in GAPS[row["pair"]] or row["value"] is None


def test_the_page_says_what_is_missing_and_gives_no_verdict(unfinished: Made) -> None:
    words = words_of(unfinished)
    for reason in ("Baseline: not trained", f"+Context (C): {HALFWAY}"):
        assert f"no verdict on +Context (C) over Baseline yet ({reason})" in words
    page = (unfinished.report / "index.html").read_text()
    french, german = re.findall(r'<p class="headline">([^<]*)</p>', page)
    assert french.startswith("+BPE+S has the highest BLEU of the 7 finished systems (of 8) on ")
    assert german.startswith("+BPE+C+S has the highest BLEU of the 6 finished systems (of 8) on ")
    assert "over Baseline" not in french and "over Baseline" in german
    assert page.index('id="gaps"') < page.index('class="findings"')
    for line in NOTES:
        assert page.count(f">{line}</li>") == 1


def test_figures_leave_gaps_out(unfinished: Made, unscored: Made) -> None:
    french, german = (figure(unfinished, f"curves.{pair}.bleu") for pair in GAPS)
    assert ">Baseline<" not in french and ">Baseline<" in german
    assert ">+Context (C)<" in french and ">+Context (C)<" not in german
    drawn = {path.name for path in unfinished.files("report/*/figures/alignments.*.svg")}
    assert drawn == {"alignments.en-fr.chosen.svg", "alignments.en-fr.random.svg"}
    french, german = (figure(unscored, f"gains.{pair}") for pair in TITLES)
    assert "+Context (C) over Baseline" not in french
    assert "over Baseline" in german and "+C+S over +Context (C)" not in german


def test_a_score_that_is_missing_is_a_dash_and_a_note(unscored: Made) -> None:
    table = unscored.results.read_table("table4")
    rows = block_of(table, TITLES["en-fr"])
    columns = [" ".join(column) for column in table.blocks[0].columns]
    shown = {column: cell.text for column, cell in zip(columns, rows["Baseline"], strict=True)}
    assert shown["beam 12 test (dev)"] == "–"
    assert shown["beam 1 test (dev)"].startswith("20.")
    assert f"en-fr test, beam 12: Baseline: {REASON}." in table.notes
    assert f"en-de test, beam 12: +Context (C), +BPE+S: {REASON}." in table.notes
    detokenized = block_of(table, f"{TITLES['en-fr']}, detokenized")["Baseline"]
    assert [cell.text == "–" for cell in detokenized] == [False] * 3 + [True] * 3
    best = {label: sum(cell.best for cell in cells) for label, cells in rows.items()}
    assert best.pop("+BPE+S") == 2  # at both widths
    assert set(best.values()) == {0}
    of_gaps = [row for row in csv_rows(table) if row["gap"]]
    keys = ("pair", "system", "text", "beam", "bleu", "ter", "gap")
    assert [tuple(row[key] for key in keys) for row in of_gaps] == [
        ("en-fr", "baseline", "test", "12", "", "", REASON),
        ("en-de", "context", "test", "12", "", "", REASON),
        ("en-de", "bpe-symbol", "test", "12", "", "", REASON),
    ]


def test_claims_and_counts_without_scores_have_notes(unscored: Made) -> None:
    claims, counts = map(unscored.results.read_table, ("claims", "phenomena"))
    verdicts = {(row["pair"], row["system"], row["baseline"]): row["reason"] for row in claims.data}
    assert verdicts["en-fr", "context", "baseline"] == "no score"
    assert verdicts["en-fr", "context-symbol", "symbol"] != "no score"
    assert verdicts["en-de", "context-symbol", "context"] == "no score"
    for pair, listed in LISTED.items():
        assert f"No score: {TITLES[pair]}, test, beam 12: {listed}." in claims.notes
        assert f"No counts: {TITLES[pair]}: {listed}." in counts.notes
    rows = block_of(counts, TITLES["en-de"])
    dashed = {label for label, cells in rows.items() if cells[0].text == "–"}
    assert dashed == {"+Context (C)", "+BPE+S"}
    there = {(row["pair"], row["system"]) for row in counts.data}
    assert ("en-fr", "context") in there and ("en-fr", "baseline") not in there


def test_the_pages_tell_the_reasons_beside_their_findings(unscored: Made) -> None:
    words = words_of(unscored)
    told = [
        f"No score on test with beam 12, and in no comparison: {listed}."
        for listed in LISTED.values()
    ]
    no_verdict = f"no verdict on +Context (C) over Baseline yet (Baseline: {REASON})."
    for expected in (*told, no_verdict, "of the 7 scored systems (of 8) on test"):
        assert expected in words
    assert "nan" not in words.lower().split() and "None" not in words.split()
    papers(unscored.folder, [unscored.results], [])
    page, start = unscored.folder / "report/index.html", unscored.folder / "report/start.rst"
    assert told[0] in unescape(" ".join(page.read_text().split()))
    assert REASON in start.read_text().replace("\\", "")
    svg = figure(unscored, "alignments.en-fr.random")
    assert "has1linesand" in "".join(re.sub(r"<[^>]*>", "", svg).split())
    assert "lines and" not in figure(unscored, "alignments.en-de.random")


def test_one_score_alone_is_called_so() -> None:
    about = results_of(Path(), experiment("bahdanau2015"))
    row = {"source": "here", "pair": "en-fr", "beam": 12, "split": "test", "text": "test"}
    row |= {"bleu": None, "bleu_deviation": None, "gap": REASON}
    rows: list[dict[str, Any]] = [row | {"system": system.id} for system in about.systems]
    rows[1] |= {"bleu": 20.0, "gap": None}
    (found,) = findings(about, {about.table: rows})
    assert found.headline.startswith(f"{about.systems[1].label} alone is scored: 20.00 BLEU")
    assert f"RNNencdec-50: {REASON}" in found.sentences[0]


MODEL = ["model.safetensors", "model.json", "log.jsonl"]
TRANSLATIONS = ["dev.beam12.gz", "test.beam12.gz"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run that has finished."""
    (tmp_path / "state").mkdir()
    for name in MODEL + TRANSLATIONS:
        (tmp_path / name).touch()
    return tmp_path


def gap(run: Path) -> str:
    return gap_of_run(
        [run / name for name in MODEL], run / "state", [run / name for name in TRANSLATIONS]
    )


def test_a_trained_run_is_told_with_what_it_has_not_translated(run: Path) -> None:
    (run / "test.beam12.gz").unlink()
    assert gap(run) == "trained, not all translated: no test.beam12.gz"
    (run / "dev.beam12.gz").unlink()
    assert gap(run) == "trained, not translated"


@pytest.mark.parametrize(
    ("of_runs", "expected"),
    [
        ({"seed 1": "", "seed 2": ""}, ""),
        ({"seed 1": "not trained"}, "not trained"),
        ({"seed 1": "not trained", "seed 2": "not trained"}, "not trained"),
        ({"seed 1": "", "seed 2": "not trained"}, "seed 2: not trained"),
        (
            {"seed 1": "not trained", "seed 2": "at update 5", "seed 3": "not trained"},
            "seed 1, seed 3: not trained; seed 2: at update 5",
        ),
    ],
)
def test_a_system_is_as_far_as_all_its_runs(of_runs: dict[str, str], expected: str) -> None:
    assert gap_of_system(of_runs) == expected


def test_a_training_amid_its_way_is_told_with_its_update(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert gap(run) == ""
    (run / "model.json").unlink()
    assert gap(run) == "not trained"
    (run / "state" / "checkpoint.1.json").touch()
    assert gap(run) == "training not finished"
    lines = [json.dumps({"kind": "train", "update": update}) for update in range(0, 12001, 10)]
    damaged = ['{"update": 1e999}', "[" * 10**5, '{"kind": "tr']
    (run / "state" / "log.jsonl").write_text("\n".join([*lines, *damaged]))
    assert gap(run) == "training not finished, at update 12,000"

    def gone(path: Path) -> bytes:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_bytes", gone)  # a training may end meanwhile
    assert gap(run) == "training not finished"
    shutil.rmtree(run / "state")
    assert gap(run) == "not trained"
