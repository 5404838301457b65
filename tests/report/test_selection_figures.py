"""The figures of a selection: where the threshold falls, and what selected text is worth."""

import re
from pathlib import Path
from typing import Any

import pytest
from results_folder import TRAIN, Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.figures import drawing
from contextnmt.report.selection import (
    corpora_of,
    draw_histogram,
    selection_figures,
    short,
)


def test_figures_are_the_same_bytes_each_time(
    results: Results, reported: Path, tmp_path: Path
) -> None:
    rankings, perplexities = results.files("rank/*.json"), results.files("perplexity/*.json")
    selection_figures(rankings, perplexities, results.experiment, tmp_path)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == [
        f"selection.en-fr.{quantity}.{suffix}"
        for quantity in ("perplexity", "scores")
        for suffix in ("pdf", "png", "svg")
    ]
    for name in written:
        before = reported.parent / "figures" / name
        assert (tmp_path / name).read_bytes() == before.read_bytes()


def test_what_the_figures_say(results: Results, reported: Path) -> None:
    figures = reported.parent / "figures"
    scores = words_of(figures / "selection.en-fr.scores.svg")
    assert [word for word in scores if word in TRAIN["en-fr"]] == list(TRAIN["en-fr"])
    assert {"kept", "left out", "threshold"} <= set(scores)
    perplexity = words_of(figures / "selection.en-fr.perplexity.svg")
    for said in ("12.5k", "400k", "selected", "random"):
        assert said in perplexity
    assert "French words that the model was made of" in perplexity


def words_of(svg: Path) -> list[str]:
    """The texts of a figure."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg.read_text())


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [
        (1.5, ([3.0, 4.0], [0.0, 1.0, 1.5])),
        (1.0, ([3.0], [0.0, 1.0])),
        (9.0, ([3.0, 4.0, 5.0], [0.0, 1.0, 2.0, 3.0])),
        (-9.0, ([], [0.0])),
    ],
)
def test_bars_are_dark_up_to_the_threshold(
    threshold: float, kept: tuple[list[float], list[float]]
) -> None:
    with drawing() as figure:
        axes = figure.subplots()
        draw_histogram(axes, [0.0, 1.0, 2.0, 3.0], [3.0, 4.0, 5.0], threshold)
        dark, whole = (patch.get_data() for patch in axes.patches)
    assert ([*dark.values], [*dark.edges]) == kept
    assert [*whole.values] == [3.0, 4.0, 5.0]


def test_corpora_stand_in_the_order_of_the_pool() -> None:
    parts = {"b.10of10": 90, "b.9of10": 80, "c": 0, "a": 100}
    assert corpora_of({"parts": parts}) == ["c", "b", "a"]


def test_numbers_of_words_are_short() -> None:
    shown = [short(count) for count in (125, 2001, 999_999, 10_875_000, 348_000_013)]
    assert shown == ["125", "2k", "1M", "10.9M", "348M"]


def test_a_corpus_without_scores_and_one_score_for_all_are_drawn(
    results: Results, tmp_path: Path
) -> None:
    ranking: dict[str, Any] = read_json(results.folder / "rank/en-fr.json")
    ranking["histogram"]["edges"] = [-0.25] * 101
    ranking["histogram"]["pairs"]["un"] = [0] * 100
    write_json(tmp_path / "en-fr.json", ranking)
    perplexities = results.files("perplexity/*.json")
    selection_figures([tmp_path / "en-fr.json"], perplexities, results.experiment, tmp_path)
    assert "un" in words_of(tmp_path / "selection.en-fr.scores.svg")


def test_wrong_files_are_named(results: Results, tmp_path: Path) -> None:
    ranking, perplexity = results.files("rank/*.json"), results.files("perplexity/*.json")
    with pytest.raises(UserError, match="not of the same pairs"):
        selection_figures(ranking, [], results.experiment, tmp_path)
    with pytest.raises(UserError, match=r"en-fr\.json: not a ranking"):
        selection_figures(perplexity, perplexity, results.experiment, tmp_path)
    with pytest.raises(UserError, match=r"en-fr\.json: not perplexities"):
        selection_figures(ranking, ranking, results.experiment, tmp_path)
