"""Maps of alignments: which sentences, the right weights at the right words, and that words fit."""

import base64
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up_experiments import experiment
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from results_folder import Made

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.alignments import (
    LARGE,
    SMALL,
    Aligned,
    Panel,
    alignment_maps,
    draw,
    inches,
    random_panels,
)
from contextnmt.report.figures import save_all
from contextnmt.translation.alignment_file import write_alignments

SOURCE = ["The bank rises .", "", "He sees the bank of the river over there today ."]
REFERENCE = ["La banque monte .", "", "Il voit la rive du fleuve là-bas aujourd' hui ."]
TRANSLATION = ["La rive", "", "Il voit la rive du fleuve là-bas ."]


def weights_of(number: int) -> np.ndarray:
    """Weights of a line, no two alike."""
    shape = (len(TRANSLATION[number].split()) + 1, len(SOURCE[number].split()) + 1)
    return np.arange(1, shape[0] * shape[1] + 1).reshape(shape) / (2.0 * shape[0] * shape[1])


#: The translations of RNNsearch-30 of the two texts, and their weights.
OUTPUTS = "translate/en-fr/rnnsearch-30/1/{text}.beam12.{suffix}"


def made_up(folder: Path, sentences: list[str]) -> Made:
    """A results folder with alignments of two texts alike."""
    for text in ("test", "dev"):
        write_lines(folder / f"tokenize/en-fr/{text}.en.gz", SOURCE)
        write_lines(folder / f"tokenize/en-fr/{text}.fr.gz", REFERENCE)
    write_outputs(folder, TRANSLATION, [weights_of(0), np.empty((0, 0)), weights_of(2)])
    for language, lines in {"en": SOURCE, "fr": REFERENCE}.items():
        words = dict.fromkeys(" ".join(lines).split())
        write_lines(folder / f"word-counts/en-fr/{language}.tsv", [f"{word}\t1" for word in words])
    return Made(folder, experiment("bahdanau2015") | {"sentences": {"en-fr": sentences}})


def write_outputs(folder: Path, lines: list[str], weights: list[np.ndarray]) -> None:
    """Translations of both texts with their weights."""
    for text in ("test", "dev"):
        write_lines(folder / OUTPUTS.format(text=text, suffix="gz"), lines)
        write_alignments(folder / OUTPUTS.format(text=text, suffix="alignments.npz"), weights)


def drawn(made: Made) -> dict[str, str]:
    """The figures as SVG, by the last part of their names."""
    out = made.report / "figures"
    save_all(alignment_maps(made.results), out)
    return {path.stem.split(".")[-1]: path.read_text() for path in out.glob("*.svg")}


def texts(svg: str) -> list[str]:
    """The texts in a figure."""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return [text.replace("&lt;", "<").replace("&gt;", ">") for text in found]


def maps(svg: str) -> list[np.ndarray]:
    """The pixels of the maps in a figure, from 0 to 255."""
    data = re.findall(r'xlink:href="data:image/png;base64,([^"]*)"', svg)
    images = (Image.open(io.BytesIO(base64.b64decode(each))) for each in data)
    # An image of a figure begins at the bottom, which its place in the SVG file turns upside down.
    return [np.asarray(image.convert("L")) for image in images]


def test_a_map_has_a_pixel_for_each_weight_and_the_words_at_its_sides(tmp_path: Path) -> None:
    svg = drawn(made_up(tmp_path, ["The bank"]))["chosen"]
    (pixels,) = maps(svg)
    assert pixels.shape == (3, 5)
    expected = np.round(255 * weights_of(0))
    upright = pixels if abs(int(pixels[0, 0]) - expected[0, 0]) < 2 else pixels[::-1]
    np.testing.assert_allclose(upright, expected, atol=1.5)
    written = texts(svg)
    assert written[-1] == "RNNsearch-30, chosen sentences: English → French"
    assert written[:-1] == [*SOURCE[0].split(), "<end>", "La", "rive", "<end>", "test, line 1"]


def test_the_first_words_stand_at_the_top_and_at_the_left() -> None:
    weights = np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 0.25]])
    figure = draw("", [Panel("", ["a", "b", "c"], ["d", "e"], weights)])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (axes,) = figure.axes
    pixels = np.asarray(canvas.buffer_rgba())[:, :, 0]
    centres = axes.transData.transform([(x, y) for y in range(2) for x in range(3)])
    shown = [pixels[len(pixels) - 1 - int(y), int(x)] for x, y in centres]
    np.testing.assert_allclose(shown, 255 * weights.ravel(), atol=1)
    words = {text.get_text(): axes.transData.transform(text.get_position()) for text in axes.texts}
    for word, (x, y) in zip(["a", "b", "c"], centres, strict=False):
        assert words[word][0] == pytest.approx(x) and words[word][1] > y
    for word, (x, y) in zip(["d", "e"], centres[::3], strict=True):
        assert words[word][1] == pytest.approx(y) and words[word][0] < x


def test_the_source_is_in_the_view_of_the_system(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["The bank"])
    made.about["systems"][1]["view"] = "sym"
    for text in ("test", "dev"):
        write_lines(tmp_path / f"symbolize/en-fr/{text}.en.gz", ["The <S>_1 rises .", *SOURCE[1:]])
    assert texts(drawn(made)["chosen"])[:4] == ["The", "<S>_1", "rises", "."]
    write_lines(tmp_path / "symbolize/en-fr/test.en.gz", SOURCE[:2])
    with pytest.raises(UserError, match=r"symbolize/en-fr/test\.en\.gz has 2 lines and"):
        drawn(made)


def test_a_translation_that_was_cut_off_has_no_end(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["The bank"])
    write_outputs(tmp_path, TRANSLATION, [weights_of(0)[:2], np.empty((0, 0)), weights_of(2)])
    svg = drawn(made)["chosen"]
    assert texts(svg).count("<end>") == 1
    assert maps(svg)[0].shape == (2, 5)


def test_gaps_are_told(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["no such words", "The bank"])
    empty = np.empty((0, 0))
    write_outputs(tmp_path, ["", *TRANSLATION[1:]], [empty, empty, weights_of(2)])
    assert texts(drawn(made)["chosen"])[1:] == [
        "no sentence of test, dev has the words “no such words” in a row",
        "test, line 1: an empty translation",
    ]


def test_without_chosen_sentences_there_are_random_ones_alone(tmp_path: Path) -> None:
    figures = drawn(made_up(tmp_path, []))
    assert list(figures) == ["random"]
    assert texts(figures["random"])[-2] == "test, line 3"  # the only one of 10 words
    assert len(maps(figures["random"])) == 1


@pytest.mark.parametrize("language", ["en", "fr"])
def test_random_sentences_have_no_unknown_word(tmp_path: Path, language: str) -> None:
    made = made_up(tmp_path, [])
    counts = tmp_path / f"word-counts/en-fr/{language}.tsv"
    lines = [line for line in counts.read_text().split("\n") if line]
    write_lines(counts, [line for line in lines if not line.startswith(("there", "là-bas"))])
    assert texts(drawn(made)["random"])[1:] == [
        "no sentence of test has 10 to 20 words and no unknown one"
    ]


def aligned(lengths: list[int], unknown: set[int] = frozenset()) -> Aligned:  # type: ignore[assignment]
    """A text whose lines have so many words, of which some translations have an unknown one."""
    sides = [(" ".join(["a"] * length), "b") for length in lengths]
    outputs = [["b"] + ["UNK"] * (number in unknown) for number in range(len(lengths))]
    weights = [np.ones((len(rows) + 1, n + 1)) for rows, n in zip(outputs, lengths, strict=True)]
    return Aligned(sides, [source.split() for source, _ in sides], outputs, weights)


def titles(panels: list[Panel | str]) -> list[str]:
    """The titles of maps; reasons for gaps have none."""
    return [panel.title for panel in panels if isinstance(panel, Panel)]


def test_random_sentences_are_the_same_each_time_and_of_the_wanted_lengths() -> None:
    lengths = [5, 9, *range(10, 21), 21, 60] * 3
    text = aligned(lengths, unknown={3, 4, 5})
    first, second = (random_panels("test", text, {"a"}, {"b"}) for _ in range(2))
    assert titles(first) == titles(second)
    lines = [int(title.split()[-1]) for title in titles(first)]
    assert lines == sorted(set(lines)) and len(lines) == 4
    assert all(10 <= lengths[line - 1] <= 20 and line not in {4, 5, 6} for line in lines)
    few = random_panels("test", aligned([12, 3, 20]), {"a"}, {"b"})
    assert titles(few) == ["test, line 1", "test, line 3"]


def test_sides_of_different_lengths_are_named(tmp_path: Path) -> None:
    made = made_up(tmp_path, [])
    write_lines(tmp_path / "tokenize/en-fr/test.fr.gz", REFERENCE[:2])
    with pytest.raises(UserError, match=r"test\.en\.gz has 3 lines and .*test\.fr\.gz has 2"):
        drawn(made)


def damaged(path: Path) -> None:
    path.write_bytes(b"nothing of the kind")


def no_weights_of_one(path: Path) -> None:
    write_alignments(path, [np.empty((0, 0)), np.empty((0, 0)), weights_of(2)])


def weights_are_of(numbers: list[int]) -> Any:
    return lambda path: write_alignments(path, map(weights_of, numbers))


@pytest.mark.parametrize(
    ("suffix", "change", "reason"),
    [
        ("gz", lambda path: write_lines(path, TRANSLATION[:2]), "gz has 2 lines and .* has 3"),
        ("gz", lambda path: write_lines(path, [*TRANSLATION, ""]), "gz has 4 lines and .* has 3"),
        ("gz", damaged, "gz: damaged gzip file"),
        ("gz", lambda path: write_lines(path, REFERENCE), r"sentence 1: 3 x 5 weights for 4 and 4"),
        ("alignments.npz", weights_are_of([0, 2]), "npz has 2 sentences and .* has 3"),
        ("alignments.npz", weights_are_of([2, 0, 0]), "sentence 1: 9 x 12 weights for 2 and 4"),
        ("alignments.npz", no_weights_of_one, "sentence 1: 0 x 0 weights for 2 and 4"),
        ("alignments.npz", damaged, "npz: no alignments of `contextnmt translate`"),
    ],
)
def test_what_does_not_fit_is_a_gap_and_other_texts_are_drawn(
    tmp_path: Path, suffix: str, change: Any, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = made_up(tmp_path, ["The bank", "The dev"])
    write_lines(tmp_path / "tokenize/en-fr/dev.en.gz", ["The dev rises .", *SOURCE[1:]])
    change(tmp_path / OUTPUTS.format(text="test", suffix=suffix))
    figures = drawn(made)
    for figure in figures.values():
        told = "".join(texts(figure)).replace(" ", "")
        assert re.search(reason.replace(" ", ""), told)
    assert capsys.readouterr().err.count("warning: no alignments: ") == 1
    assert maps(figures["random"]) == []
    assert len(maps(figures["chosen"])) == 1 and "dev, line 1" in texts(figures["chosen"])


def test_weights_that_are_not_there_are_a_mistake_of_the_call(tmp_path: Path) -> None:
    made = made_up(tmp_path, [])
    (tmp_path / OUTPUTS.format(text="test", suffix="alignments.npz")).unlink()
    with pytest.raises(UserError, match=r"alignments\.npz: no such file"):
        drawn(made)


def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    results = made_up(tmp_path, ["The bank"]).results
    for out in ("a", "b"):
        save_all(alignment_maps(results), tmp_path / out)
    written = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert written == [
        f"alignments.en-fr.{kind}.{suffix}"
        for kind in ("chosen", "random")
        for suffix in ("pdf", "png", "svg")
    ]
    for name in written:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def panel(columns: int, rows: int, word: str = "word") -> Panel:
    """A map with words that are all alike."""
    weights = np.full((rows, columns), 1 / columns)
    return Panel(f"{columns} x {rows}", [word] * columns, [word] * rows, weights)


@pytest.mark.parametrize(
    "panels",
    [
        [panel(12, 20), panel(21, 15), panel(20, 11), panel(10, 10)],
        [panel(62, 70)],
        [panel(150, 100), panel(3, 2), "no sentence has these words"],
        [panel(16, 18, "Arbeiterunfallversicherungsgesetz"), panel(14, 13, "œuvre"), panel(40, 9)],
        ["no sentence has these words"],
        ["results/demo/translate/en-fr/RNNsearch-50/1/test.beam12.gz has 99 lines " * 4],
    ],
    ids=["random", "long", "longest", "German", "none", "long reason"],
)
def test_words_and_maps_fit_and_do_not_overlap(panels: list[Panel | str]) -> None:
    figure = draw("RNNsearch-50, chosen sentences: English → German", panels)
    FigureCanvasAgg(figure)
    whole = figure.bbox
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    boxes += [text.get_window_extent() for text in figure.texts]
    for number, box in enumerate(boxes):
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1
        assert whole.y0 <= box.y0 and box.y1 <= whole.y1
        assert not any(box.overlaps(other) for other in boxes[:number])
    cells = {
        axes.get_window_extent().width / figure.dpi / np.ptp(axes.get_xlim())
        for axes in figure.axes
    }
    assert len(figure.axes) == sum(isinstance(each, Panel) for each in panels)
    assert all(inches("x") * 1.3 < cell < 0.17 for cell in cells)


def test_a_map_of_few_words_has_large_cells() -> None:
    sizes = [panel(words, words).cell for words in (8, 20, 30, 60)]
    assert sizes == pytest.approx([LARGE, 0.144, LARGE, SMALL], abs=0.01)
