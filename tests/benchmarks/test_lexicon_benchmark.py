"""benchmarks/lexicon.py: shares of a small corpus, with a stand-in for the other aligner."""

from pathlib import Path

import pytest
from lexicon import main, right

from contextnmt.files import read_lines, write_lines

ALIGNER = """#!/bin/sh
while [ $# -gt 0 ]; do case $1 in -s) source=$2;; -f) links=$2;; esac; shift; done
sed 's/.*/0-0 1-1/' "$source" > "$links"
"""


def test_the_page_has_the_shares_of_both_lexicons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "made_en-fr"
    pairs = [
        (f"the {a}{b}", f"le {a}{b}x")
        for a in "abcdefghijklmnopqrst"
        for b in "abcdefghijklmnopqrst"
    ]
    for name, kept in {
        "train": pairs,
        "dev": pairs[-3:],
        "test": [*pairs[-1:], ("the tt", "le tt")],
    }.items():
        for side, language in enumerate(("en", "fr")):
            write_lines(folder / f"{name}.{language}.gz", [pair[side] for pair in kept])
    (tmp_path / "eflomal-align").write_text(ALIGNER)
    (tmp_path / "eflomal-align").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}", prepend=":")
    main([folder], tmp_path / "page.md")
    lines = list(read_lines(tmp_path / "page.md"))
    assert "| made_en-fr | 301 to 2,000 | lower case | 5 | 20.0 | 80.0 | 80.0 |" in lines
    assert any(line.startswith("| made_en-fr | 400 | ") for line in lines)


def test_words_are_grouped_by_rank_and_case() -> None:
    train = [([f"w{n}" for n in range(300)] * 2 + ["Ada", "bee"], [])]
    tests = [(["Ada", "bee", "w1", "new"], ["Ada", "abeille"])]
    rows = list(
        right([{"Ada": "Ada", "bee": "bee"}, {"Ada": "Adèle", "bee": "abeille"}], train, tests)
    )
    assert rows == [
        ["301 to 2,000", "lower case", "1", "0.0", "100.0"],
        ["301 to 2,000", "others", "1", "100.0", "0.0"],
        ["above 2,000", "lower case", "0", "0.0", "0.0"],
        ["above 2,000", "others", "0", "0.0", "0.0"],
    ]
