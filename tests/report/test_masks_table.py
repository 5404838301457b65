"""The table of masks: distances in contexts of one sense and of two."""

from pathlib import Path

import pytest
from analysed_models import masks_content, without_senses
from made_up_experiments import experiment

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.experiment import Experiment, experiment_of
from contextnmt.report.masks import distance, masks_table, notes
from contextnmt.report.tables import write_table


def about(*seeds: int) -> Experiment:
    return experiment_of(experiment("choi2017", seeds or (1,), ("test",)))


def write(folder: Path, run: str, content: object) -> Path:
    path = folder / run / "test.json"
    write_json(path, content)
    return path


def rows_of(folder: Path) -> dict[str, list[dict]]:
    """Of the first block: the cells by the label of their row."""
    (block,) = read_json(folder / "masks.json")["blocks"]
    assert [label for label, _ in block["columns"]] == [
        "mask above 0.99 (%)",
        *["cosine distance"] * 2,
        *["Euclidean distance"] * 2,
        "two senses farther (%)",
        "words",
    ]
    return {row["label"]: row["cells"] for row in block["rows"]}


def test_systems_with_and_without_contextualizer(tmp_path: Path) -> None:
    content = masks_content()
    files = [
        write(tmp_path, "en-fr/context/1", content),
        write(tmp_path, "en-fr/baseline/1", masks_content(contextualizer=False)),
    ]
    write_table(tmp_path / "masks", masks_table(files, about()))
    rows = rows_of(tmp_path)
    assert list(rows) == ["Baseline", "+Context (C)"]
    assert [cell["text"] for cell in rows["Baseline"]] == ["–", *["0"] * 4, "50.0", "2"]
    means = content["all"]
    assert [cell["text"] for cell in rows["+Context (C)"]] == [
        f"{means['open_percent']:.1f}",
        f"{means['same']['cosine']:.2g}",
        f"{means['different']['cosine']:.2g}",
        f"{means['same']['euclidean']:.2g}",
        f"{means['different']['euclidean']:.2g}",
        f"{100 * means['separation']:.1f}",
        "2",
    ]
    data = read_json(tmp_path / "masks.json")["data"]
    assert [(row["system"], row["senses"]) for row in data[2:]] == [
        ("context", "same"),
        ("context", "different"),
    ]
    assert data[3]["euclidean"] == means["different"]["euclidean"]
    assert data[3]["separation_error"] == means["separation_error"]


def test_senses_that_nobody_knows_have_columns_of_their_own(tmp_path: Path) -> None:
    content = without_senses(masks_content())
    write_table(
        tmp_path / "masks", masks_table([write(tmp_path, "en-fr/context/1", content)], about())
    )
    table = read_json(tmp_path / "masks.json")
    (block,) = table["blocks"]
    assert block["columns"][1:] == [
        ["cosine distance", "any two sentences"],
        ["Euclidean distance", "any two sentences"],
        ["words", ""],
    ]
    means = content["all"]["unknown"]
    cells = [cell["text"] for cell in block["rows"][0]["cells"]]
    assert cells[1:] == [f"{means['cosine']:.2g}", f"{means['euclidean']:.2g}", "2"]
    (row,) = table["data"]
    assert (row["senses"], row["pairs"], row["separation"]) == ("unknown", 30, None)


def test_small_distances_have_two_digits() -> None:
    assert [distance(value) for value in (0, 0.00001, 0.0123, 12)] == [
        "0",
        "1.0e-05",
        "0.012",
        "12",
    ]


def test_seeds_are_averaged_and_none_may_be_missing(tmp_path: Path) -> None:
    files = []
    for seed, separation in ((1, 0.5), (2, 0.7)):
        content = masks_content()
        content["all"]["separation"] = separation
        content["all"]["same"]["cosine"] = separation
        files.append(write(tmp_path, f"en-fr/context/{seed}", content))
    write_table(tmp_path / "masks", masks_table(files, about(1, 2)))
    cells = rows_of(tmp_path)["+Context (C)"]
    assert (cells[5]["text"], cells[5]["remark"]) == ("60.0", "± 14.1")
    assert cells[1]["text"] == "0.6"
    with pytest.raises(UserError, match="no file for en-fr/context/3"):
        write_table(tmp_path / "masks", masks_table(files, about(1, 2, 3)))


def test_without_pairs_of_both_kinds_there_is_a_dash(tmp_path: Path) -> None:
    files = [write(tmp_path, "en-fr/context/1", masks_content(words=()))]
    write_table(tmp_path / "masks", masks_table(files, about()))
    cells = rows_of(tmp_path)["+Context (C)"]
    assert {cell["text"] for cell in cells[:-1]} == {"–"}
    assert (cells[-1]["text"], cells[-1]["remark"]) == ("0", "(no word has the pairs)")


def test_wrong_files_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, "en-fr/context/1", {"words": {}})
    with pytest.raises(UserError, match=r"test\.json: not context masks"):
        write_table(tmp_path / "masks", masks_table([path], about()))


def test_notes_are_of_what_is_there() -> None:
    """Texts of which it is known what words mean in them, others, and both in one table."""
    tagged, untagged = {"same", "different"}, {"unknown"}
    for kinds in (tagged, untagged, tagged | untagged):
        text = " ".join(notes(kinds))
        both = "ambiguous words that the test text has in both kinds" in text
        assert both == ("Two senses farther" in text) == (kinds != untagged)
        assert ("where nobody has said what it means" in text) == (kinds != tagged)
