"""benchmarks/pages.py: what the published pages have in common."""

from pathlib import Path

import pytest
from pages import made_by, publish, remarks, table


def test_a_table_has_words_to_the_left_and_numbers_to_the_right() -> None:
    rows = [["a", "1"], ["b", "23"]]
    assert table(["name", "count"], rows, words=1) == [
        "| name | count |",
        "| --- | --: |",
        "| a | 1 |",
        "| b | 23 |",
    ]
    assert table(["name", "count"], rows)[1] == "| --- | --- |"


def test_a_page_says_how_it_was_made() -> None:
    command, facts = made_by("python benchmarks/x.py", "numpy")
    assert command == "Made by `python benchmarks/x.py`."
    for part in ("commit ", " cores; Python 3.", ", numpy "):
        assert part in facts


def test_notes_are_one_line() -> None:
    assert remarks("\nOne\ntwo.\n") == "One two."


def test_a_page_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish(["# Title", "text"], tmp_path / "page.md")
    publish(["# Title", "text"], None)
    assert (tmp_path / "page.md").read_text() == "# Title\ntext\n"
    assert capsys.readouterr().out == "# Title\ntext\n" * 2
