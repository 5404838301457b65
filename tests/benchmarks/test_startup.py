"""benchmarks/startup.py on a small text."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from contextnmt.text.vocabulary import SPECIALS, UNK
from contextnmt.training.dataset import Side

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "startup.py"))


def test_the_text_is_written_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCRIPT["blocks"].__globals__, "BLOCK", 300)
    SCRIPT["write_text"](tmp_path, 1000, 8)
    for name in ("source", "target"):
        side = Side.open(tmp_path / "data", name)
        assert len(side) == 1000
        assert side.offsets[-1] == len(side.ids) == side.lengths.sum()
        assert (side.lengths.min(), side.lengths.max()) == (1, 15)
        assert side.ids.min() == UNK
        assert side.ids.max() < len(SPECIALS) + SCRIPT["WORDS"]
        assert 0.01 < np.mean(side.ids == UNK) < 0.06


def test_the_page_has_a_row_for_each_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    SCRIPT["main"](pairs=2000, words=5, folder=tmp_path, out=tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert page == capsys.readouterr().out
    rows = [line for line in page.split("\n") if line.startswith("| from ")]
    assert len(rows) == 2
    assert "| 2,000 pairs | start (s) |" in page
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]
