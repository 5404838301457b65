"""The table of what cleaning removed, and the pairs that it shows of each filter."""

import csv
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results

from contextnmt.configuration.keys import Cleaning
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.cleaning import FILTERS, cleaning_table
from contextnmt.report.tables import LENGTH, read_table, write_table


def removed(*lines: int, **counts: int) -> dict[str, Any]:
    """What clean says of a part; the first filter has the examples."""
    entries: dict[str, Any] = {name: {"count": n, "examples": []} for name, n in counts.items()}
    for line in lines:
        example = {"line": line, "source": f"line {line}", "target": ""}
        entries[next(iter(counts))]["examples"].append(example)
    return {"read": 2000 + sum(counts.values()), "kept": 2000, "removed": entries}


def made(results: Results, folder: Path, *files: str) -> Path:
    """The table of files below `folder`."""
    out = folder / "cleaning"
    write_table(out, cleaning_table([folder / file for file in files], results.experiment))
    return out


def test_every_corpus_has_a_row_in_the_order_given(results: Results, tmp_path: Path) -> None:
    write_json(tmp_path / "en-de/web.removed.json", removed(max_ratio=1500, drop_empty=0))
    write_json(tmp_path / "en-de/news.removed.json", removed(drop_empty=3))
    write_json(tmp_path / "en-fr/web.removed.json", removed(drop_empty=0))
    order = ("en-de/web", "en-fr/web", "en-de/news")
    out = made(results, tmp_path, *(f"{name}.removed.json" for name in order))
    french, german = read_table(out.with_suffix(".json")).blocks
    assert (french.title, german.title) == ("English → French", "English → German")
    assert [label for (label,) in german.columns] == [
        *("read", "drop_empty", "max_ratio", "kept"),
        "kept (%)",
    ]
    assert [(corpus, [cell.text for cell in cells]) for corpus, cells in german.rows] == [
        ("web", ["3,500", "0", "1,500", "2,000", "57.1"]),
        ("news", ["2,003", "3", "–", "2,000", "99.9"]),
        ("total", ["5,503", "3", "1,500", "4,000", "72.7"]),
    ]
    assert [corpus for corpus, _ in french.rows] == ["web"]
    with open(out.with_suffix(".csv"), newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0] == {"pair": "en-fr", "corpus": "web", "quantity": "read", "pairs": "2000"}
    assert {"pair": "en-de", "corpus": "web", "quantity": "max_ratio", "pairs": "1500"} in rows
    assert len(rows) == 3 + 4 + 3


def test_parts_count_together_and_lines_go_on(results: Results, tmp_path: Path) -> None:
    """The tenth part comes after the second, and ten pairs are shown of all of them."""
    write_json(tmp_path / "en-de/web.removed.json", removed())
    files = ["en-de/web.removed.json"]
    for number in range(1, 12):
        files.append(f"en-fr/un.{number}of11.removed.json")
        lines = [7] if number < 10 else [number, 20 * number]
        write_json(tmp_path / files[-1], removed(*lines, drop_empty=2))
    table = read_table(made(results, tmp_path, *files[::-1]).with_suffix(".json"))
    assert [cell.text for cell in table.blocks[0].rows[0][1]] == ["22,022", "22", "22,000", "99.9"]
    (excerpt,) = table.excerpts
    assert excerpt.title == ("English → French, drop_empty: a side without words (10 of 22 pairs)")
    places = [pair.place for pair in excerpt.sentence_pairs]
    assert places[:2] == ["un, line 7", "un, line 2,009"]
    assert places[9:] == [f"un, line {9 * 2002 + 10:,}"]


def test_what_is_shown_can_be_read(results: Results, tmp_path: Path) -> None:
    content = removed(4, drop_garbled=1)
    source, target = "a\x85\x00\tb\u2028é", "x" * 10**6
    content["removed"]["drop_garbled"]["examples"][0] |= {"source": source, "target": target}
    write_json(tmp_path / "en-fr/web.removed.json", content)
    write_json(tmp_path / "en-de/web.removed.json", removed())
    out = made(results, tmp_path, "en-fr/web.removed.json", "en-de/web.removed.json")
    (pair,) = read_table(out.with_suffix(".json")).excerpts[0].sentence_pairs
    assert pair.source == "a\\x85\\x00\\x09b\u2028é"
    assert pair.target == "x" * LENGTH + "…"


def test_the_filters_are_those_of_the_settings() -> None:
    assert set(FILTERS) == {field.name for field in fields(Cleaning)}


def test_filters_that_are_off_are_not_explained(results: Results, tmp_path: Path) -> None:
    files = ["en-fr/web.removed.json", "en-de/web.removed.json"]
    for file in files:
        write_json(tmp_path / file, removed())
    out = made(results, tmp_path, *files)
    assert read_json(out.with_suffix(".json"))["notes"] == ["No filter is on."]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["en-fr/web"], "removed: no file for en-de"),
        (["en-fr/web", "en-cs/web"], "en-cs is not a pair of the experiment"),
        (["en-fr/web", "en-de/un.1of2"], r"removed: no file for un\.2of2"),
        (["en-de/web", "en-fr/un.1of2", "en-fr/un.1of3"], r"un\.1of3\S*: un\.1of3 is not part"),
        (["en-de/web", "en-de/web", "en-fr/web"], "are both of web"),
        (["en-fr/web", "en-de/web.old"], r"CORPUS\.removed\.json or CORPUS\.2of8"),
    ],
)
def test_wrong_files_are_named(
    results: Results, tmp_path: Path, names: list[str], message: str
) -> None:
    for name in names:
        write_json(tmp_path / f"{name}.removed.json", removed())
    with pytest.raises(UserError, match=message):
        made(results, tmp_path, *(f"{name}.removed.json" for name in names))


@pytest.mark.parametrize("content", [{"removed": []}, [], {"read": 1, "kept": 1}])
def test_another_file_is_named(results: Results, tmp_path: Path, content: object) -> None:
    for pair in ("en-fr", "en-de"):
        write_json(tmp_path / f"{pair}/web.removed.json", content)
    with pytest.raises(UserError, match=r"en-fr/web.removed.json: not what clean removed"):
        made(results, tmp_path, "en-fr/web.removed.json", "en-de/web.removed.json")
