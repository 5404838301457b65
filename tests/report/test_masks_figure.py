"""The figure of masks: one word in two contexts."""

from pathlib import Path

import numpy as np
import pytest
from analysed_models import masks_content, without_senses, words_of
from made_up_experiments import experiment

from contextnmt.files import write_json
from contextnmt.report.experiment import experiment_of
from contextnmt.report.figures import drawing
from contextnmt.report.masks import (
    apart,
    choose_word,
    draw_masks,
    draw_words,
    masked,
    masks_figure,
    power_of,
    typical,
)

ABOUT = experiment_of(experiment("choi2017", (1,), ("test",)))


def figure_of(folder: Path, content: dict, **options: str) -> list[str]:
    path = folder / "en-fr/context/1/test.json"
    write_json(path, content)
    masks_figure([path], ABOUT, folder / "figures", **options)
    return words_of(folder / "figures/masks.en-fr.svg")


def test_the_figure_says_what_it_shows(tmp_path: Path) -> None:
    said = " ".join(figure_of(tmp_path, masks_content(), word="pen"))
    for text in ("English → French, +Context (C): “pen” in two contexts", "pen-a", "pen-b"):
        assert text in said
    assert "“pen”: 15 pairs of sentences" in said
    assert "two senses farther" in said
    files = sorted((tmp_path / "figures").iterdir())
    before = [path.read_bytes() for path in files]
    assert [path.suffix for path in files] == [".pdf", ".png", ".svg"]
    figure_of(tmp_path, masks_content(), word="pen")
    assert before == [path.read_bytes() for path in files]


def test_dollars_stay_what_they_are(tmp_path: Path) -> None:
    content = masks_content(words=("$_$",))
    assert "$_$ number" in " ".join(figure_of(tmp_path, content))


def test_a_word_in_two_senses_is_chosen() -> None:
    words = masks_content()["words"]
    assert choose_word(words, "pen") == "pen"
    assert choose_word(words, "notebook") == "bank"
    words["pen"]["same"]["pairs"] = words["pen"]["different"]["pairs"] = 9
    assert choose_word(words, "seal") == "pen"
    assert choose_word({"seal": words["seal"]}, "seal") is None


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (masks_content(contextualizer=False), "no system with contextualizer"),
        (masks_content(words=()), "no word in two contexts"),
    ],
)
def test_without_masks_of_two_contexts_it_says_so(
    tmp_path: Path, content: dict, reason: str
) -> None:
    assert reason in figure_of(tmp_path, content)


def test_contexts_of_unknown_senses_are_far_apart(tmp_path: Path) -> None:
    content = without_senses(masks_content())
    said = " ".join(figure_of(tmp_path, content, word="pen"))
    assert "“pen” in two contexts" in said
    assert "any two sentences" in said
    assert "senses" not in said
    vectors, _ = masked(content["words"]["pen"])
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    first, second = divmod(int((units @ units.T).argmin()), len(units))
    for context in (first, second):
        assert f"line {context + 1}: the pen number {context + 1}" in said
    assert apart(vectors) == [first, second]
    assert choose_word(content["words"], "notebook") == "bank"


def test_contexts_are_typical_of_their_senses() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.3], [1.0, 0.9], [0.0, 1.0], [0.1, 1.0], [1.0, 1.0]])
    assert typical(vectors, ["b", "b", "b", "a", "a", "c"]) == [1, 3]


def test_masks_are_drawn_in_the_order_of_their_difference() -> None:
    contexts = [
        {"mask": [0.5, 0.1, 0.9], "sense": "one"},
        {"mask": [0.6, 0.9, 0.2], "sense": "two"},
    ]
    with drawing() as figure:
        axes, below = figure.subplots(2)
        draw_masks(figure, axes, below, contexts)
        masks, difference = (panel.images[0].get_array() for panel in (axes, below))
        assert masks.tolist() == [[0.9, 0.5, 0.1], [0.2, 0.6, 0.9]]
        assert difference.tolist()[0] == pytest.approx([-0.7, 0.1, 0.8])
        assert axes.images[0].get_clim() == (0, 1)
        low, high = below.images[0].get_clim()
        assert (low, high) == pytest.approx((-0.8, 0.8))


def test_a_dot_a_word() -> None:
    content = masks_content()
    with drawing() as figure:
        axes = figure.subplots()
        draw_words(axes, content)
        dots = axes.collections[0].get_offsets().tolist()
    found = [content["words"][word] for word in ("bank", "pen")]
    assert dots == [[each["same"]["cosine"], each["different"]["cosine"]] for each in found]


def test_masked_vectors_are_products() -> None:
    found = {"vector": [2.0, 4.0], "occurrences": [{"mask": [0.5, 1.0], "sense": "a"}]}
    vectors, senses = masked(found)
    assert (vectors.tolist(), senses) == ([[1.0, 4.0]], ["a"])


def test_units_of_an_axis() -> None:
    assert [power_of(largest) for largest in (0, 0.5, 0.05, 0.005, 1.7e-5, 99, 12345)] == [
        *(0, 0, -2, -3, -5, 0, 4)
    ]
