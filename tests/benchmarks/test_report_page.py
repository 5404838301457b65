"""benchmarks/report_page.py: pages are opened, and one that cannot be is no second."""

import runpy
import shutil
from pathlib import Path

import pytest

from contextnmt.errors import UserError

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "report_page.py"))
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(not BROWSER, reason="no chromium: apt-get install chromium")
def test_the_table_has_a_row_for_each_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(folder: Path, name: str) -> Path:
        folder.mkdir()
        page = folder / "index.html"
        page.write_text(f"<!doctype html><p>{name}</p>{'<p>more</p>' * 20000}")
        return page

    monkeypatch.setitem(SCRIPT["main"].__globals__, "make_full_size", made)
    SCRIPT["main"](out=tmp_path / "page.md", openings=1)
    text = (tmp_path / "page.md").read_text()
    assert text == capsys.readouterr().out
    rows = [line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| ")]
    assert [row[0] for row in rows[2:]] == list(SCRIPT["EXPERIMENTS"])
    for _, size, median, slowest in rows[2:]:
        assert size == "0.2"
        assert 0 < float(median) <= float(slowest) < 60


def test_without_a_browser_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match="install Debian's package chromium"):
        SCRIPT["seconds_to_open"](tmp_path / "index.html", tmp_path)
