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
from results_folder import Made, as_svg

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.alignments import Panel, alignment_maps, draw, inches
from contextnmt.report.figures import save_all
from contextnmt.translation.alignment_file import write_alignments

SOURCE = ["The bank rises .", "", "He sees the bank of the river over there today ."]
REFERENCE = ["La banque monte .", "", "Il voit la rive du fleuve là-bas aujourd' hui ."]
TRANSLATION = ["La rive", "", "Il voit la rive du fleuve là-bas ."]
#: The translations of RNNsearch-30 of the two texts, and their weights.
OUTPUTS = "translate/en-fr/rnnsearch-30/1/{text}.beam12.{suffix}"


def weights(translation: str, source: str) -> np.ndarray:
    """Weights of a line, no two alike."""
    shape = (len(translation.split()) + 1, len(source.split()) + 1)
    return np.arange(1, shape[0] * shape[1] + 1).reshape(shape) / (2.0 * shape[0] * shape[1])


EMPTY = np.empty((0, 0))
WEIGHTS = [weights(TRANSLATION[0], SOURCE[0]), EMPTY, weights(TRANSLATION[2], SOURCE[2])]


def write_sides(folder: Path, source: list[str], reference: list[str]) -> None:
    """Both texts, and their words."""
    for language, lines in {"en": source, "fr": reference}.items():
        for text in ("test", "dev"):
            write_lines(folder / f"tokenize/en-fr/{text}.{language}.gz", lines)
        words = dict.fromkeys(" ".join(lines).split())
        write_lines(folder / f"word-counts/en-fr/{language}.tsv", [f"{word}\t1" for word in words])


def write_outputs(folder: Path, lines: list[str], matrices: list[np.ndarray]) -> None:
    """Translations of both texts with their weights."""
    for text in ("test", "dev"):
        write_lines(folder / OUTPUTS.format(text=text, suffix="gz"), lines)
        write_alignments(folder / OUTPUTS.format(text=text, suffix="alignments.npz"), matrices)


def made_up(folder: Path, sentences: list[str]) -> Made:
    """A results folder with alignments of two texts alike."""
    write_sides(folder, SOURCE, REFERENCE)
    write_outputs(folder, TRANSLATION, WEIGHTS)
    return Made(folder, experiment("bahdanau2015") | {"sentences": {"en-fr": sentences}})


def drawn(made: Made) -> dict[str, str]:
    """The figures as SVG, by the last part of their names."""
    out = made.report / "figures"
    out.mkdir(parents=True, exist_ok=True)
    with as_svg:
        save_all(alignment_maps(made.results), out)
    return {path.stem.split(".")[-1]: path.read_text() for path in out.glob("*.svg")}


def texts(svg: str) -> list[str]:
    """The texts in a figure."""
    found = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return [text.replace("&lt;", "<").replace("&gt;", ">") for text in found]


def maps(svg: str) -> list[np.ndarray]:
    """The pixels of the maps in a figure, from 0 to 255."""
    data = re.findall(r'xlink:href="data:image/png;base64,([^"]*)"', svg)
    return [
        np.asarray(Image.open(io.BytesIO(base64.b64decode(each))).convert("L")) for each in data
    ]


def test_a_map_has_a_pixel_for_each_weight_and_the_words_at_its_sides(tmp_path: Path) -> None:
    svg = drawn(made_up(tmp_path, ["The bank"]))["chosen"]
    (pixels,) = maps(svg)
    assert pixels.shape == (3, 5)
    written = texts(svg)
    assert written[-1] == "RNNsearch-30, chosen sentences: English → French"
    assert written[:-1] == [*SOURCE[0].split(), "<end>", "La", "rive", "<end>", "test, line 1"]


def test_the_first_words_stand_at_the_top_and_at_the_left(tmp_path: Path) -> None:
    [(_, figure), _] = alignment_maps(made_up(tmp_path, ["The bank"]).results)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (axes,) = figure.axes
    pixels = np.asarray(canvas.buffer_rgba())[:, :, 0]
    centres = axes.transData.transform([(x, y) for y in range(3) for x in range(5)])
    shown = [pixels[len(pixels) - 1 - int(y), int(x)] for x, y in centres]
    np.testing.assert_allclose(shown, 255 * WEIGHTS[0].ravel(), atol=1)
    words = {text.get_text(): axes.transData.transform(text.get_position()) for text in axes.texts}
    for word, (x, y) in zip(SOURCE[0].split(), centres, strict=False):
        assert words[word][0] == pytest.approx(x) and words[word][1] > y
    for word, (x, y) in zip(["La", "rive"], centres[::5], strict=False):
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
    write_outputs(tmp_path, TRANSLATION, [WEIGHTS[0][:2], *WEIGHTS[1:]])
    svg = drawn(made)["chosen"]
    assert texts(svg).count("<end>") == 1
    assert maps(svg)[0].shape == (2, 5)


def test_a_sentence_without_a_map_has_its_reason(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["no such words", "The bank"])
    write_outputs(tmp_path, ["", *TRANSLATION[1:]], [EMPTY, *WEIGHTS[1:]])
    assert texts(drawn(made)["chosen"])[1:] == [
        "no sentence of test, dev has the words “no such words” in a row",
        "test, line 1: an empty translation",
    ]


def test_without_chosen_sentences_there_are_random_ones_alone(tmp_path: Path) -> None:
    figures = drawn(made_up(tmp_path, []))
    assert list(figures) == ["random"]
    assert texts(figures["random"])[-2] == "test, line 3"  # the only one of 10 words


@pytest.mark.parametrize("language", ["en", "fr"])
def test_random_sentences_have_no_unknown_word(tmp_path: Path, language: str) -> None:
    made = made_up(tmp_path, [])
    counts = tmp_path / f"word-counts/en-fr/{language}.tsv"
    lines = counts.read_text().split()
    write_lines(counts, [f"{word}\t1" for word in lines[::2] if word not in ("there", "là-bas")])
    assert texts(drawn(made)["random"])[1:] == [
        "no sentence of test has 10 to 20 words and no unknown one"
    ]


def test_random_sentences_are_four_of_10_to_20_words_in_their_order(tmp_path: Path) -> None:
    made = made_up(tmp_path, [])
    lengths = [5, 9, *range(10, 21), 21, 60] * 3
    source = [" ".join(["a"] * length) for length in lengths]
    translation = ["b UNK" if line in (3, 4, 5) else "b" for line in range(1, 46)]
    write_sides(tmp_path, source, ["b"] * 45)
    write_outputs(tmp_path, translation, list(map(weights, translation, source)))
    titles = [text for text in texts(drawn(made)["random"]) if text.startswith("test, line ")]
    lines = [int(title.split()[-1]) for title in titles]
    assert lines == sorted(set(lines)) and len(lines) == 4
    assert all(10 <= lengths[line - 1] <= 20 and line not in (3, 4, 5) for line in lines)


def damaged(path: Path) -> None:
    path.write_bytes(b"nothing of the kind")


def lines_are(lines: list[str]) -> Any:
    return lambda path: write_lines(path, lines)


def weights_are(*matrices: np.ndarray) -> Any:
    return lambda path: write_alignments(path, matrices)


@pytest.mark.parametrize(
    ("suffix", "change", "reason"),
    [
        ("gz", lines_are(TRANSLATION[:2]), "gz has 2 lines and .* has 3"),
        ("gz", damaged, "gz: damaged packed file"),
        ("gz", lines_are(REFERENCE), "sentence 1: 3 x 5 weights for 4 and 4"),
        ("alignments.npz", weights_are(*WEIGHTS[1:]), "npz has 2 sentences and .* has 3"),
        ("alignments.npz", weights_are(*WEIGHTS[::-1]), "sentence 1: 9 x 12 weights for 2 and 4"),
        ("alignments.npz", weights_are(EMPTY, *WEIGHTS[1:]), "sentence 1: 0 x 0 weights for 2 and"),
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


def panel(columns: int, rows: int, word: str = "word") -> Panel:
    """A map with words that are all alike."""
    cells = np.full((rows, columns), 1 / columns)
    return Panel(f"{columns} x {rows}", [word] * columns, [word] * rows, cells)


@pytest.mark.parametrize(
    "panels",
    [
        [panel(12, 20), panel(21, 15), panel(20, 11), panel(10, 10)],
        [panel(150, 100), panel(3, 2), "no sentence has these words"],
        [panel(16, 18, "Arbeiterunfallversicherungsgesetz"), panel(14, 13, "œuvre"), panel(40, 9)],
        ["results/demo/translate/en-fr/RNNsearch-50/1/test.beam12.gz has 99 lines " * 4],
    ],
    ids=["random", "longest", "German", "long reason"],
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
