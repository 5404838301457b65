"""The table of masks: distances in contexts of one sense and of two."""

import json
from pathlib import Path

import pytest
from analysed_models import masks_content
from made_up_experiments import experiment

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.masks_table import masks_table


def about(*seeds: int) -> str:
    return json.dumps(experiment("choi2017", seeds or (1,), ("test",)))


def write(folder: Path, run: str, content: object) -> Path:
    path = folder / run / "test.json"
    write_json(path, content)
    return path


def rows_of(folder: Path) -> dict[str, list[dict]]:
    """Of the first block: the cells by the label of their row."""
    (block,) = read_json(folder / "masks.json")["blocks"]
    assert len(block["columns"]) == 5
    return {row["label"]: row["cells"] for row in block["rows"]}


def test_systems_with_and_without_contextualizer(tmp_path: Path) -> None:
    content = masks_content()
    files = [
        write(tmp_path, "en-fr/context/1", content),
        write(tmp_path, "en-fr/baseline/1", masks_content(contextualizer=False)),
    ]
    masks_table(files, about(), tmp_path / "masks")
    rows = rows_of(tmp_path)
    assert list(rows) == ["Baseline", "+Context (C)"]
    assert [cell["text"] for cell in rows["Baseline"]] == ["0", "0", "0", "0", "50.0"]
    means = content["all"]
    assert rows["+Context (C)"][1]["text"] == f"{means['different']['cosine']:.2g}"
    assert rows["+Context (C)"][2]["text"] == f"{means['same']['euclidean']:.2g}"
    assert rows["+Context (C)"][4]["text"] == f"{100 * means['separation']:.1f}"
    assert rows["+Context (C)"][4]["remark"] == "(2 words)"
    data = read_json(tmp_path / "masks.json")["data"]
    assert [(row["system"], row["senses"]) for row in data[2:]] == [
        ("context", "same"),
        ("context", "different"),
    ]
    assert data[3]["euclidean"] == means["different"]["euclidean"]


def test_seeds_are_averaged_and_none_may_be_missing(tmp_path: Path) -> None:
    files = []
    for seed, separation in ((1, 0.5), (2, 0.7)):
        content = masks_content()
        content["all"]["separation"] = separation
        content["all"]["same"]["cosine"] = separation
        files.append(write(tmp_path, f"en-fr/context/{seed}", content))
    masks_table(files, about(1, 2), tmp_path / "masks")
    cells = rows_of(tmp_path)["+Context (C)"]
    assert (cells[4]["text"], cells[4]["remark"]) == ("60.0", "± 14.1 (2 words)")
    assert cells[0]["text"] == "0.6"
    with pytest.raises(UserError, match="no file for en-fr/context/3"):
        masks_table(files, about(1, 2, 3), tmp_path / "masks")


def test_without_pairs_of_both_kinds_there_is_a_dash(tmp_path: Path) -> None:
    files = [write(tmp_path, "en-fr/context/1", masks_content(words=()))]
    masks_table(files, about(), tmp_path / "masks")
    cells = rows_of(tmp_path)["+Context (C)"]
    assert {cell["text"] for cell in cells} == {"–"}
    assert cells[4]["remark"] == "(no word has both kinds of pairs)"


def test_wrong_files_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, "en-fr/context/1", {"words": {}})
    with pytest.raises(UserError, match=r"test\.json: not context masks"):
        masks_table([path], about(), tmp_path / "masks")
