"""The table of what cleaning removed."""

from pathlib import Path
from typing import Any

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.cleaning import cleaning
from contextnmt.report.experiment import parse_experiment


def removed(**counts: int) -> dict[str, Any]:
    entries = {name: {"count": count, "examples": []} for name, count in counts.items()}
    return {"read": 2000 + sum(counts.values()), "kept": 2000, "removed": entries}


def test_every_text_of_a_pair_has_a_row(results: Results, tmp_path: Path) -> None:
    write_json(tmp_path / "en-de/news.removed.json", removed(drop_empty=3))
    write_json(tmp_path / "en-de/web.removed.json", removed(drop_empty=0, max_ratio=1500))
    write_json(tmp_path / "en-fr/web.removed.json", removed())
    files = sorted(tmp_path.rglob("*.json"), reverse=True)
    french, german = cleaning(parse_experiment(results.experiment), files)
    assert (french.title, german.title) == ("English → French", "English → German")
    assert german.columns == [("read",), ("drop_empty",), ("max_ratio",), ("kept",)]
    assert [(text, [cell.text for cell in cells]) for text, cells in german.rows] == [
        ("news", ["2,003", "3", "–", "2,000"]),
        ("web", ["3,500", "0", "1,500", "2,000"]),
    ]


def test_it_stands_on_the_page(reported: Path) -> None:
    text = reported.read_text(encoding="utf-8")
    section = text[text.index("<h3>What cleaning removed</h3>") :]
    assert "<td>10,077</td>" in section and "<td>17</td>" in section


def test_wrong_files_are_named(results: Results, tmp_path: Path) -> None:
    about = parse_experiment(results.experiment)
    write_json(tmp_path / "en-fr/train.removed.json", {"removed": []})
    with pytest.raises(UserError, match="not what clean removed"):
        cleaning(about, [tmp_path / "en-fr/train.removed.json"])
    with pytest.raises(UserError, match="en-cs is not a pair of the experiment"):
        cleaning(about, [tmp_path / "en-cs/train.removed.json"])
