"""benchmarks/pages.py: what the published pages have in common."""

from pathlib import Path

import pytest
from pages import made_by, publish, table


def test_a_page_says_how_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks/x.py", "--test", "a b"])
    command, facts = made_by("numpy")
    assert command == "Made by `python benchmarks/x.py --test 'a b'`."
    for part in ("commit ", " cores; Python 3.", ", numpy "):
        assert part in facts


def test_a_page_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = ["# Title", "\nOne\ntwo.\n", table(["name", "count"], [["a", "1"]], words=1)]
    publish(tmp_path / "page.md", *page)
    publish(None, *page)
    lines = "# Title\n\nOne two.\n\n| name | count |\n| --- | --: |\n| a | 1 |\n"
    assert (tmp_path / "page.md").read_text() == lines
    assert capsys.readouterr().out == lines * 2
