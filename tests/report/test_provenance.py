"""Facts on the page about the trainings behind its numbers."""

import base64
import copy
import csv
from pathlib import Path

from made_up_experiments import deviation, experiment, results_of

from contextnmt.report.page import enclosed
from contextnmt.report.provenance import deviations, facts
from contextnmt.report.results import Run
from contextnmt.report.tables import Block, Cell


def test_systems_with_the_same_deviation_share_a_row() -> None:
    made_up = experiment("bahdanau2015")
    labels = [system["label"] for system in made_up["systems"]]
    made_up["deviations"] = [
        deviation("text.vocabulary_size", 30000, 1600),
        *(deviation("training.max_updates", 471000, 1600, label) for label in labels[:2]),
        *(deviation("training.validate_every", None, 100, label) for label in labels),
    ]
    block = deviations(results_of(Path(), made_up))
    assert block.columns == [("paper",), ("here",), ("systems",)]
    assert [(key, [cell.text for cell in cells]) for key, cells in block.rows] == [
        ("test text, English → French", ["newstest2014", "test", "all"]),
        ("text.vocabulary_size", ["30000", "1600", "all"]),
        ("training.max_updates", ["471000", "1600", "RNNencdec-30, RNNsearch-30"]),
        ("training.validate_every", ["null", "100", "all"]),
    ]


def test_code_that_was_changed_since_its_commit_is_said_so() -> None:
    record = {"environment": {"commit": "1" * 40}, "training": {"threads": 1}}
    results = results_of(Path(), experiment("chen2017"))
    for dirty in (True, False):
        models = {Run("en-fr", "gru", seed): copy.deepcopy(record) for seed in (1, 2)}
        models[Run("en-fr", "gru", 2)]["environment"]["dirty"] = dirty
        assert (("working tree", "changed since the commit") in facts(results, models)) is dirty


def test_a_reconstruction_has_no_settings_of_the_paper() -> None:
    block = deviations(results_of(Path(), experiment("chen2017")))
    assert block.title == "Texts and settings that differ from the reconstruction's"
    assert block.columns[0] == ("reconstruction",)


def test_what_stands_in_the_page_alone_can_be_downloaded() -> None:
    columns = [("tokens", "source"), ("SHA-256", "")]
    blocks = [
        Block(title, columns, [("bpe", [Cell("1,234"), Cell("0f0f", "of 2 & 3")])])
        for title in ("English → French", "English → German")
    ]
    files = {
        form: base64.b64decode(link.partition("base64,")[2]).decode()
        for form, link, _ in enclosed("tokens", blocks)["links"]
    }
    french, german = csv.DictReader(files["CSV"].split("\n"))
    told = {"row": "bpe", "tokens source": "1,234", "SHA-256": "0f0f of 2 & 3"}
    assert french == {"table": "English → French", **told}
    assert german == {"table": "English → German", **told}
    assert "**English → French**" in files["Markdown"]
    assert files["LaTeX"].count(r"\begin{tabular}") == 2
    assert r"0f0f of 2 \& 3" in files["LaTeX"]
