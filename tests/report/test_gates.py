"""Gates and masks: their tables, the figure of a word in two contexts, and sentences on them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysed_models import gates_of, masks_content, without_senses, without_target, words_of
from made_up_experiments import experiment, results_of
from matplotlib.figure import Figure
from results_folder import as_svg

from contextnmt.evaluation.distances import distances
from contextnmt.files import write_json, write_lines
from contextnmt.report.figures import save_all
from contextnmt.report.findings import observations
from contextnmt.report.gates import gates_table, masks_figure, masks_table, typical
from contextnmt.report.results import Results
from contextnmt.report.tables import Block


def results(folder: Path, *seeds: int) -> Results:
    """The English-French systems of choi2017, of which one has a contextualizer."""
    return results_of(folder, experiment("choi2017", seeds or (1,)) | {"pairs": ["en-fr"]})


def write(folder: Path, content: Any, run: str = "context/1") -> None:
    write_json(folder / f"masks/en-fr/{run}/test.json", content)


def train(folder: Path, seed: int, means: dict[int, float], best: int) -> None:
    """A training whose gates had these means at its validations, by update."""
    run = folder / f"train/en-fr/context/{seed}"
    validations = [
        {"kind": "dev", "update": at, "bleu": 1.0, **gates_of(mean)} for at, mean in means.items()
    ]
    records = [*validations, {"kind": "train", "update": best, "epoch": 1.0, "loss": 1.0}]
    write_lines(run / "log.jsonl", map(json.dumps, records))
    write_json(run / "model.json", {"best": {"update": best}})


def texts(block: Block) -> dict[str, list[str]]:
    """The values of a table, by the label of their row."""
    return {label: [cell.text for cell in cells] for label, cells in block.rows}


def test_masks_are_averaged_over_seeds(tmp_path: Path) -> None:
    for seed, separation in ((1, 0.5), (2, 0.7)):
        content = masks_content()
        content["all"]["separation"] = content["all"]["same"]["cosine"] = separation
        write(tmp_path, content, f"context/{seed}")
    [(_, cells), _] = masks_table(results(tmp_path, 1, 2)).blocks[0].rows
    assert cells[7].plain == "60.0 ± 14.1"
    assert cells[3].text == "0.6"


def figure_of(folder: Path, content: Any, word: str = "notebook") -> Figure:
    write(folder, content)
    [(name, figure)] = masks_figure(replace(results(folder), word=word))
    assert name == "masks.en-fr"
    return figure


def test_masks_are_drawn_in_the_order_of_their_difference(tmp_path: Path) -> None:
    content = masks_content(words=("pen",))
    for each in content["words"]["pen"]["occurrences"]:
        each["mask"] = [0.5, 0.1, 0.9, *[0.0] * 5]
        each["target_mask"] = [0.5, 0.1, 0.2, *[0.0] * 5]
        if each["sense"] == "pen-b":
            each["mask"] = [0.6, 0.9, 0.2, *[0.0] * 5]
            each["target_mask"] = [0.5, 0.1, 0.4, *[0.0] * 5]
    above, of_target, below, _ = (axes.images[0] for axes in figure_of(tmp_path, content).axes[:4])
    assert above.get_array()[0].tolist() == [0.9, *[0.0] * 5, 0.5, 0.1]
    assert above.get_array()[1].tolist() == [0.2, *[0.0] * 5, 0.6, 0.9]
    assert below.get_array()[0].tolist() == pytest.approx([-0.7, *[0.0] * 5, 0.1, 0.8])
    assert of_target.get_array().tolist() == [
        [0.5, 0.1, *[0.0] * 5, 0.2],
        [0.5, 0.1, *[0.0] * 5, 0.4],
    ]
    assert above.get_clim() == (0, 1)
    assert below.get_clim() == pytest.approx((-0.8, 0.8))


def test_gates_are_those_of_the_best_update_and_means_over_seeds(tmp_path: Path) -> None:
    train(tmp_path, 1, {10: 0.9, 20: 0.4}, 20)
    train(tmp_path, 2, {10: 0.2, 20: 0.9}, 10)
    table = gates_table(results(tmp_path, 1, 2))
    [block] = table.blocks
    assert block.columns[::5] == [("source gate", "mean"), ("target gate", "above 0.95 (%)")]
    [(label, cells)] = block.rows
    assert label == "+Context (C)"
    assert [cell.plain for cell in cells[:3]] == ["0.300 ± 0.141", "25.0 ± 0.0", "12.5 ± 0.0"]
    assert [cell.text for cell in cells[3:]] == ["0.0625", "0.600", "50.0", "25.0", "0.1250"]
    first = {"pair": "en-fr", "system": "context", "seed": 1, "side": "source"}
    statistics = {"mean": 0.4, "open": 0.25, "closed": 0.125, "deviation": 0.0625}
    assert table.data[0] == first | statistics
    assert len(table.data) == 2 * 2  # seeds, sides
    train(tmp_path, 2, {}, 10)
    table = gates_table(results(tmp_path, 1, 2))
    assert set(texts(table.blocks[0])["+Context (C)"]) == {"–"}
    assert table.notes[0] == "en-fr context, seed 2: trained before gates were logged."


def test_masks_have_a_row_for_each_system(tmp_path: Path) -> None:
    content = masks_content()
    write(tmp_path, content)
    write(tmp_path, masks_content(words=()), "baseline/1")
    systems = [("en-fr", "context"), ("en-fr", "baseline")]
    table = masks_table(replace(results(tmp_path), contextualized=systems))
    [block] = table.blocks
    rows, means = texts(block), content["all"]
    assert list(rows) == [
        f"{label}, {side}"
        for label in ("Baseline", "+Context (C)")
        for side in ("source", "target")
    ]
    assert rows["Baseline, source"] == rows["Baseline, target"] == [*["–"] * 8, "0"]
    assert block.rows[0][1][-1].remark == "(no word has the pairs)"
    for side, of_side in (("source", means), ("target", means["target"])):
        cells = rows[f"+Context (C), {side}"]
        shown = dict(zip(map(" ".join, block.columns), cells, strict=True))
        assert shown["mask above 0.99 (%) "] == f"{of_side['open_percent']:.1f}"
        assert shown["mask 0.05 to 0.95 (%) "] == f"{of_side['between_percent']:.1f}"
        assert shown["dimensions that vary (%) "] == f"{of_side['varying_percent']:.1f}"
        assert shown["cosine distance one sense"] == f"{of_side['same']['cosine']:.2g}"
        assert shown["Euclidean distance two senses"] == f"{of_side['different']['euclidean']:.2g}"
        assert shown["two senses farther (%) "] == f"{100 * of_side['separation']:.1f}"
        assert shown["words "] == "2"
    assert means["same"]["euclidean"] != means["target"]["same"]["euclidean"]
    names = [(row["system"], row["side"], row["senses"]) for row in table.data[4:]]
    assert names == [
        ("context", side, kind) for side in ("source", "target") for kind in ("same", "different")
    ]
    for key in ("euclidean", "separation_error"):
        assert table.data[5][key] == (means["different"] | means)[key]
    notes = " ".join(table.notes)
    assert "a pair of two senses" in notes and "Two senses farther" in notes
    assert "are not known" not in notes


def test_senses_that_nobody_knows_have_columns_of_their_own(tmp_path: Path) -> None:
    content = without_senses(masks_content())
    write(tmp_path, content)
    table = masks_table(results(tmp_path))
    [block] = table.blocks
    assert [column for column, _ in block.columns[3:]] == [
        *("cosine distance", "Euclidean distance", "words")
    ]
    means = content["all"]["unknown"]
    expected = [f"{means['cosine']:.2g}", f"{means['euclidean']:.2g}", "2"]
    assert texts(block)["+Context (C), source"][3:] == expected
    opened, *shares = texts(block)["+Context (C), target"]
    assert opened == "0.0" and shares[2:] == ["–", "–", "0"]  # no rendering is known
    row, of_target = table.data
    assert of_target["words"] == 0 and "cosine" not in of_target
    assert (row["senses"], row["pairs"], row["separation"]) == ("unknown", 30, None)
    assert "senses are not known" in " ".join(table.notes)
    assert "Two senses" not in " ".join(table.notes)


def said(folder: Path, content: Any, word: str = "notebook") -> str:
    """The texts of the figure as it is saved."""
    with as_svg:
        save_all((("masks", figure_of(folder, content, word)) for _ in "1"), folder)
    return " ".join(words_of(folder / "masks.svg"))


def test_the_figure_says_what_it_shows(tmp_path: Path) -> None:
    text = said(tmp_path, masks_content(), "pen")
    for part in ("English → French, +Context (C): “pen” in two contexts", "pen-a", "pen-b"):
        assert part in text
    assert text.count("15 pairs of sentences") == 2
    assert "renderings of “pen”" in text
    assert "two senses farther" in text
    assert "$_$ number" in said(tmp_path, masks_content(words=("$_$",)))  # no formula
    assert "no word in two contexts" in said(tmp_path, masks_content(words=()))


def test_contexts_of_unknown_senses_are_far_apart(tmp_path: Path) -> None:
    content = without_senses(masks_content())
    text = said(tmp_path, content, "pen")
    assert "“pen” in two contexts" in text
    assert "any two sentences" in text
    assert "senses" not in text
    pen = content["words"]["pen"]
    vectors = np.array([each["mask"] for each in pen["occurrences"]]) * pen["vector"]
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for context in divmod(int((units @ units.T).argmin()), len(units)):
        assert f"line {context + 1}: the pen number {context + 1}" in text


def test_a_word_in_two_senses_is_chosen(tmp_path: Path) -> None:
    def chosen(content: Any, word: str) -> str:
        title = figure_of(tmp_path, content, word).get_suptitle()
        return title.partition("“")[2].partition("”")[0]

    content = masks_content()
    assert chosen(content, "pen") == "pen"
    assert chosen(content, "notebook") == "bank"
    pen = content["words"]["pen"]
    pen["same"]["pairs"] = pen["different"]["pairs"] = 9
    assert chosen(content, "seal") == "pen"
    pen["different"]["pairs"] = 0
    assert chosen(content, "pen") == "bank"


def test_contexts_are_typical_of_their_senses() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.3], [1.0, 0.9], [0.0, 1.0], [0.1, 1.0], [1.0, 1.0]])
    assert typical(distances(vectors)[0], ["b", "b", "b", "a", "a", "c"]) == [1, 3]


def test_dots_are_words_and_pairs_of_sentences(tmp_path: Path) -> None:
    content = masks_content()
    panels = figure_of(tmp_path, content, "pen").axes[4:8]
    words = [content["words"][word] for word in ("bank", "pen")]
    for side, of_pairs, of_words in ((0, *panels[::2]), (1, *panels[1::2])):
        found = [each["target"] for each in words] if side else words
        expected = [[each["same"]["cosine"], each["different"]["cosine"]] for each in found]
        assert of_words.collections[0].get_offsets().tolist() == expected
        one, two = (dots.get_offsets() for dots in of_pairs.collections)
        same, different = (found[1][kind] for kind in ("same", "different"))
        assert (len(one), len(two)) == (same["pairs"], different["pairs"])
        assert one[:, 0].mean() == pytest.approx(same["cosine"])
        assert two[:, 0].mean() == pytest.approx(different["cosine"])


def test_a_file_of_an_earlier_version_has_the_source_side_alone(tmp_path: Path) -> None:
    text = said(tmp_path, without_target(masks_content()), "pen")
    assert "source vectors" in text and "target vectors" not in text
    found = results(tmp_path)
    table = masks_table(found)
    rows = texts(table.blocks[0])
    assert set(rows["+Context (C), target"]) == {"–"}
    assert rows["+Context (C), source"][-1] == "2"
    assert table.notes[0].startswith("en-fr context, seed 1: its file of masks is of an earlier")
    assert observations(found, table.data) == []


def told(folder: Path, *of_seeds: dict[str, Any]) -> list[str]:
    """The sentences on one system, by the masks of its seeds; none if there is none."""
    for seed, content in enumerate(of_seeds, start=1):
        write(folder, content, f"context/{seed}")
    found = results(folder, *range(1, len(of_seeds) + 1))
    return observations(found, masks_table(found).data)


def masks(side: str = "source", **means: float) -> dict[str, Any]:
    """Masks with these means over all words, on one side."""
    content = masks_content()
    (content["all"] if side == "source" else content["all"]["target"]).update(means)
    return content


def test_masks_and_a_separation_by_chance_are_told(tmp_path: Path) -> None:
    shares = {"varying_percent": 4.9, "between_percent": 7.3, "open_percent": 92.7}
    content = masks(**shares, separation=0.51, separation_error=0.03)
    content["all"]["same"]["cosine"] = 1.04e-5
    content["all"]["different"]["cosine"] = 0.0123
    of_system, of_source, of_target = told(tmp_path, content)
    assert of_system == (
        "English → French, +Context (C): the masks of the target side change with the sentence, "
        "the source ones hardly."
    )
    assert of_source == (
        "English → French, +Context (C), source side: 4.9 % of the dimensions vary by more than "
        "0.05 over the sentences looked at; 7.3 % of the values of the masks are between 0.05 and "
        "0.95, 92.7 % above 0.99. The vectors of a word in two sentences have a mean cosine "
        "distance of 1.0e-05 where it has one sense, of 0.012 where it has two. In 51.0 % of "
        "comparisons a word's vectors are farther apart in two sentences with two senses than in "
        "two with one (chance: 50 %, standard error over 2 words, for these models: 3.0): no sign "
        "that the masks tell the senses apart."
    )
    assert of_target.startswith("English → French, +Context (C), target side: 100.0 % of the dim")


def test_a_contextualizer_that_does_nothing_is_told(tmp_path: Path) -> None:
    content = masks(varying_percent=4.9)
    content["all"]["target"]["varying_percent"] = 0.0
    assert "does next to nothing" in told(tmp_path, content)[0]
    assert "masks of both sides change" in told(tmp_path, masks_content())[0]


@pytest.mark.parametrize("side", ["source", "target"])
def test_seeds_are_averaged(tmp_path: Path, side: str) -> None:
    one, two = (
        masks(side, open_percent=opened, separation=separation, separation_error=0.1)
        for opened, separation in ((10.0, 0.9), (20.0, 0.8))
    )
    sentence = told(tmp_path, one, two)[1 + (side == "target")]
    assert "15.0 % above 0.99" in sentence
    assert "In 85.0 % of comparisons" in sentence
    assert (
        "2 words, for these models: 10.0): the masks tell the senses apart more often than chance."
        in sentence
    )


def test_what_nobody_knows_is_not_spoken_of(tmp_path: Path) -> None:
    _, of_source, of_target = told(tmp_path, without_senses(masks_content()))
    assert "have a cosine distance of" in of_source and "sense" not in of_source
    assert of_target.endswith("above 0.99.")  # no rendering is known
    assert told(tmp_path, masks_content(words=())) == []
    _, *one_word = told(tmp_path, masks_content(words=("bank",)))
    for sentence in one_word:
        assert sentence.endswith("than in two with one (chance: 50 %).")


@pytest.mark.parametrize(
    ("separation", "expected"), [(0.626, "more often"), (0.625, "no sign"), (0.374, "together")]
)
def test_two_standard_errors_make_a_verdict(
    tmp_path: Path, separation: float, expected: str
) -> None:
    assert expected in told(tmp_path, masks(separation=separation, separation_error=0.0625))[1]
