"""Tables of gates and masks, and the figure of a word in two contexts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysed_models import gates_of, masks_content, without_senses, words_of
from made_up_experiments import experiment, results_of
from matplotlib.figure import Figure

from contextnmt.errors import UserError
from contextnmt.evaluation.distances import distances
from contextnmt.files import write_json, write_lines
from contextnmt.report.figures import save_all
from contextnmt.report.gates import (
    choose_word,
    distance,
    gates_table,
    masks_figure,
    masks_table,
    notes,
    typical,
)
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


def test_gates_are_those_of_the_best_update_and_means_over_seeds(tmp_path: Path) -> None:
    train(tmp_path, 1, {10: 0.9, 20: 0.4}, 20)
    train(tmp_path, 2, {10: 0.2, 20: 0.9}, 10)
    table = gates_table(results(tmp_path, 1, 2))
    [block] = table.blocks
    assert block.columns[0] == ("source gate", "mean")
    assert block.columns[5] == ("target gate", "above 0.95 (%)")
    [(label, cells)] = block.rows
    assert label == "+Context (C)"
    assert [cell.plain for cell in cells[:3]] == ["0.300 ± 0.141", "25.0 ± 0.0", "12.5 ± 0.0"]
    assert cells[3].plain == "0.0625 ± 0.0000"
    assert [cell.text for cell in cells[4:]] == ["0.600", "50.0", "25.0", "0.1250"]
    first = {"pair": "en-fr", "system": "context", "seed": 1, "side": "source"}
    statistics = {"mean": 0.4, "open": 0.25, "closed": 0.125, "deviation": 0.0625}
    assert table.data[0] == first | statistics
    runs = [(each["seed"], each["side"]) for each in table.data]
    assert runs == [(1, "source"), (1, "target"), (2, "source"), (2, "target")]


def test_a_log_without_gates_makes_dashes_and_a_note(tmp_path: Path) -> None:
    train(tmp_path, 1, {10: 0.9}, 10)
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
    assert [heading for heading, _ in block.columns] == [
        "mask above 0.99 (%)",
        *["cosine distance"] * 2,
        *["Euclidean distance"] * 2,
        "two senses farther (%)",
        "words",
    ]
    rows, means = texts(block), content["all"]
    assert list(rows) == ["Baseline", "+Context (C)"]
    assert rows["Baseline"] == [*["–"] * 6, "0"]
    assert block.rows[0][1][-1].remark == "(no word has the pairs)"
    assert rows["+Context (C)"] == [
        f"{means['open_percent']:.1f}",
        f"{means['same']['cosine']:.2g}",
        f"{means['different']['cosine']:.2g}",
        f"{means['same']['euclidean']:.2g}",
        f"{means['different']['euclidean']:.2g}",
        f"{100 * means['separation']:.1f}",
        "2",
    ]
    names = [(row["system"], row["senses"]) for row in table.data[2:]]
    assert names == [("context", "same"), ("context", "different")]
    assert table.data[3]["euclidean"] == means["different"]["euclidean"]
    assert table.data[3]["separation_error"] == means["separation_error"]


def test_senses_that_nobody_knows_have_columns_of_their_own(tmp_path: Path) -> None:
    content = without_senses(masks_content())
    write(tmp_path, content)
    table = masks_table(results(tmp_path))
    [block] = table.blocks
    assert block.columns[1:] == [
        ("cosine distance", "any two sentences"),
        ("Euclidean distance", "any two sentences"),
        ("words", ""),
    ]
    means = content["all"]["unknown"]
    expected = [f"{means['cosine']:.2g}", f"{means['euclidean']:.2g}", "2"]
    assert texts(block)["+Context (C)"][1:] == expected
    [row] = table.data
    assert (row["senses"], row["pairs"], row["separation"]) == ("unknown", 30, None)


def test_distances_have_two_digits() -> None:
    shown = [distance(value) for value in (0, 0.00001, 0.0123, 12)]
    assert shown == ["0", "1.0e-05", "0.012", "12"]


def test_masks_are_averaged_over_seeds(tmp_path: Path) -> None:
    for seed, separation in ((1, 0.5), (2, 0.7)):
        content = masks_content()
        content["all"]["separation"] = content["all"]["same"]["cosine"] = separation
        write(tmp_path, content, f"context/{seed}")
    [(_, cells)] = masks_table(results(tmp_path, 1, 2)).blocks[0].rows
    assert cells[5].plain == "60.0 ± 14.1"
    assert cells[1].text == "0.6"


def test_wrong_files_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"words": {}})
    with pytest.raises(UserError, match=r"context/1/test\.json: no all in it"):
        masks_table(results(tmp_path))


def test_notes_are_of_what_is_there() -> None:
    """Texts of which it is known what words mean in them, others, and both in one table."""
    tagged, untagged = {"same", "different"}, {"unknown"}
    for kinds in (tagged, untagged, tagged | untagged):
        text = " ".join(notes(kinds))
        both = "ambiguous words that the test text has in both kinds" in text
        assert both == ("Two senses farther" in text) == (kinds != untagged)
        assert ("where nobody has said what it means" in text) == (kinds != tagged)


def figure_of(folder: Path, content: Any, word: str = "notebook") -> Figure:
    write(folder, content)
    [(name, figure)] = masks_figure(replace(results(folder), word=word))
    assert name == "masks.en-fr"
    return figure


def said(folder: Path, content: Any, word: str = "notebook") -> str:
    """The texts of the figure as it is saved."""
    save_all([("masks", figure_of(folder, content, word))], folder)
    return " ".join(words_of(folder / "masks.svg"))


def test_the_figure_says_what_it_shows(tmp_path: Path) -> None:
    text = said(tmp_path, masks_content(), "pen")
    for part in ("English → French, +Context (C): “pen” in two contexts", "pen-a", "pen-b"):
        assert part in text
    assert "“pen”: 15 pairs of sentences" in text
    assert "two senses farther" in text
    saved = (tmp_path / "masks.svg").read_bytes()
    said(tmp_path, masks_content(), "pen")
    assert (tmp_path / "masks.svg").read_bytes() == saved


def test_dollars_stay_what_they_are(tmp_path: Path) -> None:
    assert "$_$ number" in said(tmp_path, masks_content(words=("$_$",)))


def test_without_a_word_in_two_contexts_it_says_so(tmp_path: Path) -> None:
    assert "no word in two contexts" in said(tmp_path, masks_content(words=()))


def test_a_word_in_two_senses_is_chosen() -> None:
    content = masks_content()
    assert choose_word(content, "pen") == "pen"
    assert choose_word(content, "notebook") == "bank"
    pen = content["words"]["pen"]
    pen["same"]["pairs"] = pen["different"]["pairs"] = 9
    assert choose_word(content, "seal") == "pen"
    pen["different"]["pairs"] = 0
    assert choose_word(content, "pen") == "bank"
    assert choose_word(without_senses(masks_content()), "notebook") == "bank"
    assert choose_word(masks_content(words=()), "seal") is None


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


def test_contexts_are_typical_of_their_senses() -> None:
    vectors = np.array([[1.0, 0.0], [1.0, 0.3], [1.0, 0.9], [0.0, 1.0], [0.1, 1.0], [1.0, 1.0]])
    assert typical(distances(vectors)[0], ["b", "b", "b", "a", "a", "c"]) == [1, 3]


def test_masks_are_drawn_in_the_order_of_their_difference(tmp_path: Path) -> None:
    content = masks_content(words=("pen",))
    for each in content["words"]["pen"]["occurrences"]:
        each["mask"] = [0.5, 0.1, 0.9, *[0.0] * 5]
        if each["sense"] == "pen-b":
            each["mask"] = [0.6, 0.9, 0.2, *[0.0] * 5]
    above, below = (axes.images[0] for axes in figure_of(tmp_path, content).axes[:2])
    assert above.get_array()[0].tolist() == [0.9, *[0.0] * 5, 0.5, 0.1]
    assert above.get_array()[1].tolist() == [0.2, *[0.0] * 5, 0.6, 0.9]
    assert below.get_array()[0].tolist() == pytest.approx([-0.7, *[0.0] * 5, 0.1, 0.8])
    assert above.get_clim() == (0, 1)
    assert below.get_clim() == pytest.approx((-0.8, 0.8))


def test_a_dot_a_word(tmp_path: Path) -> None:
    content = masks_content()
    dots = figure_of(tmp_path, content).axes[3].collections[0].get_offsets()
    found = [content["words"][word] for word in ("bank", "pen")]
    expected = [[each["same"]["cosine"], each["different"]["cosine"]] for each in found]
    assert dots.tolist() == expected


def test_a_dot_a_pair_of_sentences(tmp_path: Path) -> None:
    content = masks_content()
    panel = figure_of(tmp_path, content, "pen").axes[2]
    one, two = (dots.get_offsets() for dots in panel.collections)
    same, different = (content["words"]["pen"][kind] for kind in ("same", "different"))
    assert (len(one), len(two)) == (same["pairs"], different["pairs"])
    farther = different["cosine"] / same["cosine"]
    assert two[:, 0].mean() / one[:, 0].mean() == pytest.approx(farther)
