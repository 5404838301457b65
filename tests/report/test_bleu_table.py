"""The BLEU table: our BLEU beside the paper's, for any experiment."""

import csv
import json
from pathlib import Path

import pytest
from made_up_significance import make_significance
from results_folder import FIRST, Results, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.experiment import experiment_of
from contextnmt.report.tables import write_table


def made(results: Results, out: Path) -> list[dict[str, str]]:
    """The rows of the CSV file, after making the table."""
    write_table(
        out / "table4", bleu_table(results.files("score/*/*/*/scores.json"), results.experiment)
    )
    with open(out / "table4.csv", newline="") as stream:
        return list(csv.DictReader(stream))


def test_numbers_are_those_of_the_scores_files(results: Results, tmp_path: Path) -> None:
    rows = made(results, tmp_path)
    here = [row for row in rows if row["source"] == "here"]
    assert len(here) == 2 * 8 * 2 * 2  # pairs, systems, texts, beams
    for row in here:
        path = results.folder / f"score/{row['pair']}/{row['system']}/1/scores.json"
        entry = read_json(path)[f"{row['text']}.beam{row['beam']}"]
        for metric in ("bleu", "bleu_detokenized", "chrf", "ter"):
            assert float(row[metric]) == pytest.approx(entry[metric])


def test_paper_numbers_are_printed_unchanged(results: Results, tmp_path: Path) -> None:
    rows = made(results, tmp_path)
    printed = {
        (row["pair"], row["system"], row["beam"], row["split"]): float(row["bleu"])
        for row in rows
        if row["source"] == "paper"
    }
    assert len(printed) == 2 * 7 * 2 * 2
    # Choi et al. 2017, Table 4: first and last row of either pair, and both bold ones of En-Fr.
    assert printed["en-fr", "baseline", "1", "test"] == 24.54
    assert printed["en-fr", "bpe-context", "12", "test"] == 32.02
    assert printed["en-fr", "context-symbol", "12", "dev"] == 33.30
    assert printed["en-de", "bpe-context-symbol", "12", "test"] == 21.99
    assert printed["en-de", "bpe-context-symbol", "12", "dev"] == 20.97


def test_dev_is_in_brackets_and_the_best_of_a_column_is_bold(
    results: Results, tmp_path: Path
) -> None:
    made(results, tmp_path)
    block = read_json(tmp_path / "table4.json")["blocks"][0]
    assert block["columns"] == [
        ["beam 1", "test (dev)"],
        ["beam 1", "paper"],
        ["beam 12", "test (dev)"],
        ["beam 12", "paper"],
    ]
    detokenized = read_json(tmp_path / "table4.json")["blocks"][1]
    assert detokenized["columns"] == [
        [f"beam {beam}", metric, "test (dev)"]
        for beam in (1, 12)
        for metric in ("BLEU", "chrF", "TER")
    ]
    # The greatest made-up BLEU and chrF are 30.5 and more; TER is the better the lower.
    assert [cell["best"] for cell in detokenized["rows"][-1]["cells"]] == [True] * 6
    assert [cell["best"] for cell in detokenized["rows"][0]["cells"]] == [False] * 6
    notes = read_json(tmp_path / "table4.json")["notes"]
    assert any(note.startswith("chrF: nrefs:1|case:mixed|eff:yes") for note in notes)
    assert any(note.startswith("TER (the lower the better): nrefs:1|case:lc") for note in notes)
    first, last = block["rows"][0]["cells"], block["rows"][-1]["cells"]
    plain = {"best": False, "marked": False}
    assert first[0] == {"text": f"{FIRST:.2f}", "remark": "(20.88)", **plain}
    assert first[3] == {"text": "27.62", "remark": "(29.21)", **plain}
    assert [cell["best"] for cell in last] == [True, False, True, False]
    assert r"\textbf{30.50} (31.38)" in (tmp_path / "table4.tex").read_text()
    assert "**30.50** (31.38)" in (tmp_path / "table4.md").read_text()


def test_seeds_give_mean_and_deviation_and_each_test_text_a_column(
    results_of_seeds: Results, tmp_path: Path
) -> None:
    rows = made(results_of_seeds, tmp_path)
    row = next(row for row in rows if row["text"] == "test_2017_flickr")
    # three seeds, half a BLEU apart
    assert (float(row["bleu_deviation"]), row["seeds"]) == (0.5, "3")
    block = read_json(tmp_path / "table4.json")["blocks"][0]
    assert [labels[1] for labels in block["columns"][:3]] == [
        "test_2016_flickr (dev)",
        "paper",
        "test_2017_flickr",
    ]
    assert block["rows"][0]["cells"][0]["remark"] == "± 0.50 (21.25 ± 0.50)"


def test_the_papers_numbers_stand_beside_the_papers_text(
    results_of_seeds: Results, tmp_path: Path
) -> None:
    """Where it is not the first one."""
    text = json.dumps(results_of_seeds.about).replace("test_2017_flickr", "newsdiscusstest2015")
    files = []
    for path in results_of_seeds.files("score/*/*/*/scores.json"):
        files.append(tmp_path / "score" / Path(*path.parts[-4:]))
        scores = path.read_text().replace("test_2017_flickr", "newsdiscusstest2015")
        write_json(files[-1], json.loads(scores))
    about = experiment_of(json.loads(text))
    write_table(tmp_path / "table4", bleu_table(files, about))
    french, _, german, _ = read_json(tmp_path / "table4.json")["blocks"]
    assert [labels[1] for labels in french["columns"][:3]] == [
        "test_2016_flickr (dev)",
        "newsdiscusstest2015",
        "paper",
    ]
    assert [labels[1] for labels in german["columns"][:2]] == ["test_2016_flickr (dev)", "paper"]


def test_scores_that_differ_from_the_first_system_are_marked(
    results: Results, tmp_path: Path
) -> None:
    """At the widest beam, which was tested; by one of both tests +Context differs by chance."""
    tests = make_significance(tmp_path, results.about, scores=results.folder)
    content = read_json(tests[0])
    content["contrasts"][0] |= {"p_randomization": 0.06}
    write_json(tests[0], content)
    files = results.files("score/*/*/*/scores.json")
    out = tmp_path / "table4"
    write_table(out, bleu_table(files, results.experiment, significance=tests))
    table = read_json(out.with_suffix(".json"))
    french, detokenized, *_ = table["blocks"]
    tested = {
        entry["system"]: entry["p_bootstrap"] < 0.05 and entry["p_randomization"] < 0.05
        for entry in read_json(tests[0])["contrasts"]
        if entry["baseline"] == "baseline"
    }
    assert tested == {"context": False, "symbol": True, "bpe": True}
    labels = {system["id"]: system["label"] for system in results.about["systems"]}
    marked = [
        (row["label"], place)
        for row in french["rows"]
        for place, cell in enumerate(row["cells"])
        if cell["marked"]
    ]
    assert marked == [(labels[system], 2) for system, differs in tested.items() if differs]
    assert not any(cell["marked"] for row in detokenized["rows"] for cell in row["cells"])
    (note,) = [
        note for note in table["notes"] if note.startswith("†: differs from Baseline by more than")
    ]
    assert "p < 0.05. Tested with beam 12 alone" in note
    bpe = next(row["cells"][2]["text"] for row in french["rows"] if row["label"] == "+BPE")
    assert rf"{bpe}$^\dagger$ (" in out.with_suffix(".tex").read_text()
    assert f"{bpe}† (" in out.with_suffix(".md").read_text()
    content["contrasts"] = [{**each, "gap": "not translated"} for each in content["contrasts"]]
    write_json(tests[0], content)
    write_table(out, bleu_table(files, results.experiment, significance=tests))
    notes = read_json(out.with_suffix(".json"))["notes"]
    assert any("beam 12 alone, and not in English → French test." in note for note in notes)


def test_systems_of_one_printed_score_are_all_the_best(results: Results, tmp_path: Path) -> None:
    """30.50 and 30.496 are one number to a reader."""
    files = results.files("score/*/*/*/scores.json")
    made_equal = tmp_path / "en-fr/symbol/1/scores.json"
    scores = read_json(next(path for path in files if "en-fr/symbol" in str(path)))
    scores["test.beam1"] |= {"bleu": 30.496}
    write_json(made_equal, scores)
    files = [made_equal if "en-fr/symbol" in str(path) else path for path in files]
    write_table(tmp_path / "table4", bleu_table(files, results.experiment))
    rows = read_json(tmp_path / "table4.json")["blocks"][0]["rows"]
    best = {row["label"]: row["cells"][0]["text"] for row in rows if row["cells"][0]["best"]}
    assert best == {"+Symbol (S)": "30.50", "+BPE+S": "30.50"}


def test_tables_are_the_same_bytes_whatever_the_order(results: Results, tmp_path: Path) -> None:
    files = results.files("score/*/*/*/scores.json")
    for name, order in (("a", files), ("b", files[::-1])):
        write_table(tmp_path / name / "table4", bleu_table(order, results.experiment))
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_a_missing_run_is_named(results: Results, tmp_path: Path) -> None:
    files = results.files("score/*/*/*/scores.json")
    lost = next(path for path in files if "en-fr/symbol" in str(path))
    files.remove(lost)
    with pytest.raises(UserError, match=r"scores: no file for en-fr/symbol/1"):
        write_table(tmp_path / "table4", bleu_table(files, results.experiment))
    assert not list(tmp_path.iterdir())


def test_a_missing_translation_is_named(results: Results, tmp_path: Path) -> None:
    files = results.files("score/*/*/*/scores.json")
    broken = tmp_path / "en-fr/symbol/1/scores.json"
    scores = read_json(files[0])
    del scores["test.beam12"]
    write_json(broken, scores)
    files = [broken if "en-fr/symbol" in str(path) else path for path in files]
    with pytest.raises(UserError, match=r"scores.json: no BLEU for test.beam12"):
        write_table(tmp_path / "table4", bleu_table(files, results.experiment))


def test_another_experiments_run_is_refused(results: Results, tmp_path: Path) -> None:
    about = results.about | {"systems": results.about["systems"][:3]}
    files = results.files("score/*/*/*/scores.json")
    with pytest.raises(UserError, match="not part of the experiment"):
        write_table(tmp_path / "table4", bleu_table(files, experiment_of(about)))


@pytest.fixture(scope="module")
def bahdanau(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return make_results(tmp_path_factory.mktemp("bahdanau"), name="bahdanau2015")


@pytest.fixture(scope="module")
def chen(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return make_results(tmp_path_factory.mktemp("chen"), name="chen2017")


def test_a_system_that_the_paper_has_not_is_told(results: Results, tmp_path: Path) -> None:
    rows = made(results, tmp_path)
    assert [row["source"] for row in rows if row["system"] == "bpe-symbol"] == ["here"] * 8
    table = read_json(tmp_path / "table4.json")
    (row,) = (row for row in table["blocks"][0]["rows"] if row["label"] == "+BPE+S")
    assert [cell["text"] for cell in row["cells"]] == ["30.50", "–", "30.75", "–"]
    assert "Not in the paper's table: +BPE+S." in table["notes"]


def test_a_paper_without_beams_stands_beside_the_widest(bahdanau: Results, tmp_path: Path) -> None:
    rows = made(bahdanau, tmp_path)
    printed = {row["system"]: row for row in rows if row["source"] == "paper"}
    # Bahdanau et al. 2015, Table 1, column "All": first and last system.
    assert printed["rnnencdec-30"]["bleu"] == "13.93"
    assert printed["rnnsearch-50-star"]["bleu"] == "28.45"
    assert {row["beam"] for row in printed.values()} == {""}
    table = read_json(tmp_path / "table4.json")
    first, detokenized = table["blocks"]
    assert [labels[1] for labels in first["columns"]] == ["test (dev)", "test (dev)", "paper"]
    assert first["columns"][-1][0] == "beam 12"
    assert "The paper tells no beam width: its numbers stand beside the widest." in table["notes"]
    assert len(detokenized["rows"]) == 5


def test_a_row_of_the_paper_alone_is_last_and_has_dashes(bahdanau: Results, tmp_path: Path) -> None:
    made(bahdanau, tmp_path)
    *_, last = read_json(tmp_path / "table4.json")["blocks"][0]["rows"]
    assert last["label"] == "Moses (quoted)"
    assert [cell["text"] for cell in last["cells"]] == ["–", "–", "33.30"]
    assert "| Moses (quoted) |" in (tmp_path / "table4.md").read_text()


def test_a_lost_table_is_told_with_the_one_number_that_is_known(
    chen: Results, tmp_path: Path
) -> None:
    assert {row["source"] for row in made(chen, tmp_path)} == {"here"}
    reconstruction, known, *others = read_json(tmp_path / "table4.json")["notes"]
    assert reconstruction == f"Reconstruction: {chen.about['reconstruction']}"
    assert "+1.78 BLEU on average" in known
    assert "NIST Chinese-to-English, another data set than those here" in known
    assert not any("paper" in note for note in others)
    for suffix in ("md", "tex"):
        text = (tmp_path / f"table4.{suffix}").read_text()
        assert reconstruction in text and known in text
        assert text.count("(reconstruction)") == 2 * 2  # pairs, metrics


def test_a_users_own_systems_have_their_rows_of_the_paper_alone(
    results: Results, tmp_path: Path
) -> None:
    systems = [system for system in results.about["systems"] if system["id"] == "context"]
    about = experiment_of(results.about | {"systems": systems})
    write_table(
        tmp_path / "table4", bleu_table(results.files("score/*/context/*/scores.json"), about)
    )
    table = read_json(tmp_path / "table4.json")
    assert {row["system"] for row in table["data"]} == {"context"}
    assert [row["label"] for row in table["blocks"][0]["rows"]] == ["+Context (C)"]
