"""Trainings that may have failed are named, drawn and stay in the means."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from results_folder import Made, make_results, make_tables

from contextnmt.files import read_json, write_json
from contextnmt.report.failures import failure_lines, failures, loss_course
from contextnmt.report.learning_curves import curves
from contextnmt.report.page import page
from contextnmt.report.scores import bleu_table

#: Best dev BLEU of each seed of a system of which one failed, and of one of which none did.
FAILED, SOUND = [82.24, 37.61, 81.59, 82.89], [77.1, 76.5, 78.0, 77.4]


def trainings(**bleu: list[float]) -> list[dict[str, Any]]:
    """Rows of the table of trainings."""
    return [
        {"source": "here", "pair": "en-fr", "system": system, "seed": seed, "dev_bleu": score}
        for system, scores in bleu.items()
        for seed, score in enumerate(scores, start=1)
    ]


@pytest.mark.parametrize(
    ("bleu", "expected"),
    [
        ({"a": SOUND, "b": FAILED}, {"b": "best dev BLEU 37.61, 44.3"}),
        ({"b": FAILED}, {"b": "best dev BLEU 37.61, 44.3"}),
        ({"a": FAILED, "b": [37.0, 82.0, 36.0]}, {"a": "37.61, 44.3", "b": "45.00 above the"}),
        ({"a": SOUND[:2], "b": FAILED[:2]}, {"b": "best dev BLEU 82.24 and 37.61, 44.63 apart"}),
        ({"a": SOUND[:2], "b": [80.0, 83.9]}, {}),
        # Systems may differ as much as they like, and so may seeds where those of others do.
        ({"rnnencdec": [17.0], "rnnsearch": [76.0]}, {}),
        ({"a": [70.0, 73.0, 76.0], "b": [70.0, 72.0, 78.0]}, {}),
    ],
)
def test_a_seed_far_from_the_others_may_have_failed(
    bleu: dict[str, list[float]], expected: dict[str, str]
) -> None:
    rows = [*trainings(**bleu), {"source": "paper", "system": "a"}]
    found = failures(rows, "en-fr")
    assert [runs[0].system for runs, _ in found] == list(expected)
    for (_, reason), start in zip(found, expected.values(), strict=True):
        assert start in reason
    assert failures(rows, "en-de") == []


def log_of(losses: list[float]) -> list[dict[str, Any]]:
    return [{"kind": "train", "update": 10 * n, "loss": loss} for n, loss in enumerate(losses, 1)]


@pytest.mark.parametrize(
    ("losses", "failed"),
    [
        ([3.0] * 40 + [1.0] * 40 + [2.5] * 20, True),
        ([3.0] * 40 + [1.0] * 20 + [6.0] * 10 + [1.2] * 30, False),  # came back
        ([3.0] * 40 + [1.0, 0.3, 1.6, 0.9, 1.4] * 12, False),  # noise
        ([7.0] * 50, False),
        ([3.0, 1.0, 2.0], True),
        ([], False),
    ],
)
def test_a_loss_that_rises_and_stays_high_is_a_failure(losses: list[float], failed: bool) -> None:
    (row,) = trainings(a=[20.0])
    found = failures([row | loss_course(log_of(losses))], "en-fr")
    assert len(found) == failed
    if len(losses) == 100 and failed:
        assert found[0].reason == "training loss 2.50 at the end, after 1.00 at update 450"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Three seeds of each system; the second one of +C+S failed in one language pair."""
    made = make_results(tmp_path_factory.mktemp("failed"), (1, 2, 3))
    run = "en-fr/context-symbol/2"
    scores = made.folder / f"score/{run}/scores.json"
    write_json(scores, {key: each | {"bleu": 7.5} for key, each in read_json(scores).items()})
    model = made.folder / f"train/{run}/model.json"
    write_json(model, read_json(model) | {"best": {"update": 600, "dev_bleu": 8.5}})
    return made


def test_a_failed_seed_is_named_and_its_system_has_a_median(made: Made) -> None:
    rows = make_tables(made, "trainings")["trainings"].data
    line = (
        "English → French: +C+S, seed 2: best dev BLEU 8.50, 16.00 below the median of its 3 seeds."
    )
    assert failure_lines(made.results, rows) == [line]
    table = bleu_table(made.results)
    cells = dict(table.blocks[0].rows)
    assert cells["+C+S"][2].remark.startswith("± 10.26, median 24.75 (")
    assert not any("median" in each.remark for row in cells if row != "+C+S" for each in cells[row])
    assert any(note.endswith("may have failed: +C+S (en-fr).") for note in table.notes)
    assert {row["system"] for row in table.data if "bleu_median" in row} == {"context-symbol"}


def test_a_failed_seed_has_a_line_of_its_own(made: Made) -> None:
    def names(figure: Figure) -> list[str]:
        return [text.get_text() for text in figure.legends[0].get_texts()]

    drawn = dict(curves(made.results))
    whole = names(drawn["curves.en-de.loss"])
    for quantity in ("bleu", "loss"):
        found = names(drawn[f"curves.en-fr.{quantity}"])
        assert [name for name in found if name not in whole] == ["+C+S, seed 2"]


def test_the_page_names_a_single_seed_whose_loss_rose(
    results: Made, reported: Path, tmp_path: Path
) -> None:
    assert 'id="failed"' not in reported.read_text()
    copied = Made(shutil.copytree(results.folder, tmp_path / "made"), results.about)
    path = copied.report / "tables/trainings.json"
    content = read_json(path)
    content["data"][0] |= {"lowest_loss": 1.5, "lowest_loss_update": 1400, "final_loss": 4.25}
    write_json(path, content)
    page(copied.results)
    text = (copied.report / "index.html").read_text()
    warning = text[text.index('id="failed"') : text.index('<article class="card"')]
    assert "Baseline: training loss 4.25 at the end, after 1.50 at update 1,400." in warning
    assert '<a href="#curves">' in warning
