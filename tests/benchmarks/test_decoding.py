"""benchmarks/decoding.py: what it counts, and a page of small models."""

import runpy
from pathlib import Path

import pytest

from contextnmt.model.bias_column import MULTIPLE
from contextnmt.model.settings import ModelSettings

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "decoding.py"))


def test_multiply_adds_are_those_of_the_equations(script: dict) -> None:
    m, n, a, maxout, words, time = 6, 5, 4, 3, 50, 7
    made = script["ours"](ModelSettings(m, n, a, maxout), words, 2, 3, time)
    state = n * a + n * 2 * maxout + n * 4 * n
    word = m * 2 * maxout + m * 4 * n
    attention, context = time * a, 2 * maxout + 4 * n
    shared = state + word + attention
    defined = shared + maxout * words + time * 2 * n + 2 * n * context
    assert made.defined * 1e6 == pytest.approx(defined)
    # With the bias and the zeros that fill up the output's columns.
    executed = shared + MULTIPLE * words + time * context
    assert made.executed * 1e6 == pytest.approx(executed)


def test_the_page_has_a_row_for_each(script: dict, tmp_path: Path) -> None:
    small = {"small": ModelSettings(4, 4, 4, 4)}
    script["MODELS"].clear()
    script["MODELS"].update(small)
    out = tmp_path / "page.md"
    script["main"](sentences=3, words=20, width=2, steps=3, rounds=2, threads=1, bf16=True, out=out)
    page = out.read_text()
    assert "| plain PyTorch |" in page
    assert "| small |" in page
    assert "| small, bf16 |" in page
    assert "--threads 1 --bf16`" in page
    assert "| 1.00 |" in page


def test_opennmt_takes_its_turns(script: dict, tmp_path: Path) -> None:
    """Programs that say what OpenNMT-py says stand for it."""
    script["MODELS"].clear()
    said = {
        "onmt_train": "[INFO] * number of parameters: 1",
        "onmt_translate": "Total translation time (s): 6.0",
        "python": "3.5.1 2.13.0",
    }
    for name, line in said.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{line}'\n")
        program.chmod(0o755)
    options = {"sentences": 3, "words": 20, "width": 2, "steps": 3, "rounds": 2, "threads": 1}
    out = tmp_path / "page.md"
    script["main"](**options, opennmt=tmp_path, out=out)
    page = out.read_text()
    assert "OpenNMT-py 3.5.1 with torch 2.13.0" in page
    assert "| OpenNMT-py |  |  | 0.50 |" in page
    (tmp_path / "onmt_train").write_text("#!/bin/sh\necho no such option; exit 2\n")
    with pytest.raises(SystemExit, match="onmt_train failed:\nno such option"):
        script["main"](**options, opennmt=tmp_path, out=out)
