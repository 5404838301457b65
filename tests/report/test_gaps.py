"""Reports of experiments of which a part is not finished: gaps with reasons, no wrong numbers."""

import re
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from results_folder import Results, make_report, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.bleu_scores import scores_of_ensembles
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.experiment import Run, experiment_of
from contextnmt.report.gaps import gap_lines
from contextnmt.report.literature_table import verdict
from contextnmt.report.tables import write_table

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


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two seeds, with `GAPS`, and the report of what there is."""
    results = make_results(tmp_path_factory.mktemp("gaps"), (1, 2), gaps=GAPS)
    make_report(results)
    return results


def table(results: Results, name: str) -> dict[str, Any]:
    found: dict[str, Any] = read_json(results.folder / "report" / "tables" / f"{name}.json")
    return found


def test_runs_are_those_that_are_finished() -> None:
    about = experiment_of(experiment("choi2017") | {"gaps": GAPS})
    assert len(about.runs) == 2 * 8 - 3
    assert Run("en-fr", "baseline", 1) not in about.runs
    assert Run("en-de", "baseline", 1) in about.runs
    assert [system.id for system in about.finished("en-de")][:2] == ["baseline", "symbol"]
    assert experiment_of(experiment("choi2017")).gaps == {}


def test_a_file_of_a_gap_or_none_of_a_finished_run_is_a_mistake(unfinished: Results) -> None:
    files = unfinished.files("score/*/*/*/scores.json")
    out = unfinished.folder / "other"
    with pytest.raises(UserError, match="no file for"):
        write_table(out, bleu_table(files[1:], unfinished.experiment))
    stray = unfinished.folder / "score/en-fr/baseline/1/scores.json"
    with pytest.raises(UserError, match="en-fr/baseline/1 is not part"):
        write_table(out, bleu_table([*files, stray], unfinished.experiment))


@pytest.mark.parametrize(
    "name", ["table4", "phenomena", "trainings", "significance", "length-scores"]
)
def test_a_gap_is_a_row_of_dashes_and_a_note(unfinished: Results, name: str) -> None:
    made = table(unfinished, name)
    assert [note for note in made["notes"] if note.startswith("Not finished")] == [
        f"Not finished: {line}" for line in NOTES
    ]
    labels = {system["id"]: system["label"] for system in unfinished.about["systems"]}
    for pair, title in [("en-fr", "English → French"), ("en-de", "English → German")]:
        blocks = [
            block
            for block in made["blocks"]
            if block["title"].startswith(title) and "differences" not in block["title"]
        ]
        assert blocks
        for block in blocks:
            dashed = {
                row["label"]
                for row in block["rows"]
                if all(
                    cell["text"] == "–"
                    for cell, column in zip(row["cells"], block["columns"], strict=True)
                    if column[-1] != "paper"
                )
            }
            assert dashed == {labels[system] for system in GAPS[pair]}
            assert len({row["label"].partition(",")[0] for row in block["rows"]}) == len(labels)


def test_no_number_of_a_gap_is_told(unfinished: Results) -> None:
    for name in ["table4", "phenomena", "trainings", "differences"]:
        for row in table(unfinished, name)["data"]:
            systems = {row.get(key) for key in ("system", "present", "without")}
            if row.get("source") != "paper" and not row.get("gap"):
                assert not systems & set(GAPS[row["pair"]])
    for row in table(unfinished, "significance")["data"]:
        assert (row["value"] is None) == (row["system"] in GAPS[row["pair"]])


def test_a_method_without_its_systems_has_no_verdict(unfinished: Results) -> None:
    page = (unfinished.folder / "report" / "index.html").read_text()
    of_page = " ".join(page.split())
    assert (
        "<li>Contextualization (C): no verdict on +Context (C) over Baseline yet "
        "(Baseline: not trained).</li>" in of_page
    )
    assert f"no verdict on +Context (C) over Baseline yet (+Context (C): {HALFWAY})" in of_page
    french, german = re.findall(r'<p class="headline">([^<]*)</p>', page)
    assert french.startswith("+BPE+S is best of the 7 finished systems (of 8): ")
    assert german.startswith("+BPE+C+S is best of the 6 finished systems (of 8): ")
    assert "over Baseline" not in french and "over Baseline" in german


def test_the_page_says_at_its_top_what_is_missing(unfinished: Results) -> None:
    page = (unfinished.folder / "report" / "index.html").read_text()
    assert page.index('id="gaps"') < page.index('class="findings"')
    for line in NOTES:
        assert page.count(f">{line}</li>") == 1


def test_figures_leave_gaps_out(unfinished: Results) -> None:
    figures = unfinished.folder / "report" / "figures"
    french, german = ((figures / f"curves.{pair}.bleu.svg").read_text() for pair in GAPS)
    assert ">Baseline<" not in french and ">Baseline<" in german
    assert ">+Context (C)<" in french and ">+Context (C)<" not in german
    drawn = {path.name for path in figures.glob("alignments.*.svg")}
    assert drawn == {"alignments.en-fr.chosen.svg", "alignments.en-fr.random.svg"}


def test_single_sentences_have_the_reason_in_place_of_a_translation(unfinished: Results) -> None:
    rows = [row for row in table(unfinished, "examples")["data"] if row["version"] == "context"]
    assert {row["pair"]: (bool(row["tokens"]), row["gap"]) for row in rows} == {
        "en-fr": (True, ""),
        "en-de": (False, HALFWAY),
    }
    gaps = [row["gap"] for row in table(unfinished, "differences")["data"] if row["gap"]]
    assert f"+Context (C): {HALFWAY}" in gaps


def test_one_finished_system_makes_a_report(tmp_path: Path) -> None:
    systems = [system["id"] for system in experiment("bahdanau2015")["systems"]]
    gaps = {"en-fr": {system: "not trained" for system in systems if system != "rnnsearch-30"}}
    results = make_results(tmp_path, name="bahdanau2015", gaps=gaps)
    page = " ".join(make_report(results).read_text().split())
    assert "RNNsearch-30 alone is finished: " in page
    assert "Attention (RNNsearch): no verdict on RNNsearch-30 over RNNencdec-30" in page


def test_all_systems_with_one_reason_share_it() -> None:
    whole = experiment("choi2017")
    systems = [system["id"] for system in whole["systems"]]
    whole |= {"pairs": ["en-fr"], "gaps": {"en-de": dict.fromkeys(systems, "not trained")}}
    assert gap_lines(experiment_of(whole)) == ["English → German: all systems (not trained)."]


def test_ensembles_are_those_of_finished_systems(tmp_path: Path) -> None:
    whole = experiment("bahdanau2015", (1, 2)) | {"ensemble": True, "gaps": {"en-fr": {}}}
    finished, *others = [system["id"] for system in whole["systems"]]
    about = experiment_of(whole | {"gaps": {"en-fr": dict.fromkeys(others, "no")}})
    results = make_results(tmp_path, (1,), name="bahdanau2015")
    ensemble = tmp_path / "score" / "en-fr" / finished / "ensemble" / "scores.json"
    ensemble.parent.mkdir()
    ensemble.write_bytes(
        (results.folder / "score" / "en-fr" / finished / "1" / "scores.json").read_bytes()
    )
    assert {of.system for of in scores_of_ensembles(about, [ensemble])} == {finished}


def test_no_verdict_on_a_reproduction_that_is_not_finished() -> None:
    whole = experiment("bahdanau2015") | {"gaps": {"en-fr": {"rnnencdec-50": "not trained"}}}
    row = {"pair": "en-fr", "text": "test", "system": "rnnsearch-50", "baseline": "rnnencdec-50"}
    row |= {"sentences": "all", "low": "5", "high": "15", "beam": "12"}
    scores = {("en-fr", "test", "rnnsearch-50"): {"bleu": 26.0}}
    made = verdict(experiment_of(whole), row, scores)
    assert (made["value"], made["verdict"]) == (None, "not finished")
