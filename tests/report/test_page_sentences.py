"""The parts of the page that show single sentences: examples, alignments, differences."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from results_folder import Made
from test_page import section

from contextnmt.report.contents import parts
from contextnmt.report.page import page
from contextnmt.report.report import make
from contextnmt.report.results import Results


@pytest.fixture(scope="module")
def text(reported: Path) -> str:
    return reported.read_text(encoding="utf-8")


def test_examples_and_alignments_have_their_sections(text: str) -> None:
    told = section(text, "examples")
    assert told.count("<dl>") == 2 * (1 + 4)  # of each pair one was chosen, and four differ
    assert "no sentence of test, dev has the words “the bank of the river” in a row" in told
    assert '<p class="line">test, line 1</p>' in told
    assert re.search('</div>\\s*<p class="remark">no sentence', told)  # below the others
    assert 'a visité la <span class="other" title="not in the reference">UNK</span>' in told
    assert 'href="tables/examples.csv"' in told
    assert section(text, "alignments").count("<svg") == 4


@pytest.fixture
def copied(results: Made, reported: Path, tmp_path: Path) -> Made:
    """A copy of the results folder with its report, to be changed."""
    shutil.copytree(results.folder, tmp_path / "results")
    return Made(tmp_path / "results", dict(results.about))


def differences_of(results: Results) -> str:
    """The section of differences, of a page that is made again with their table."""
    (part,) = (part for part in parts(results) if part.table == "differences")
    make(results, part)
    page(results)
    return section((results.report / "index.html").read_text(), "differences")


def test_without_alignments_the_page_has_no_section_of_them(copied: Made) -> None:
    page(replace(copied.results, aligned=""))
    assert "#alignments" not in (copied.report / "index.html").read_text()


def test_differences_are_folded_and_marked(text: str) -> None:
    told = section(text, "differences")
    named = re.findall(r"<summary>.*, (.*) over (.*): 30 better, 0 worse, 0 the same", told)
    assert named[:2] == [("+Context (C)", "Baseline"), ("+C+S", "+Symbol (S)")]
    assert len(named) == 2 * (6 + 1)  # language pairs; contrasts of methods, and of a claim alone
    assert "<summary>a claim of the paper, +C+S over +Context (C): " in told
    others = re.findall(r"<summary>([^,]*) over ([^,]*): (\d+) better, (\d+) worse", told)
    assert len(others) == 2 * (8 * 7 // 2 - 7)
    assert ("+BPE+C+S", "+BPE", "30", "0") in others
    assert told.count("<summary>The other 21 pairs of systems</summary>") == 2
    assert "<details open" not in told
    assert told.count('<article class="example">') == len(named) * 3 + len(others)
    assert '<span class="number unknown" title="number, unknown word">14</span>' in told
    assert '<span class="acronym unknown" title="acronym, unknown word">IMF</span>' in told
    assert '<span class="unknown" title="unknown word">UNK</span>' in told
    assert "Worse" not in told
    assert 'href="tables/differences.csv"' in told


def test_a_comparison_without_a_translation_has_its_reason(copied: Made) -> None:
    (copied.folder / "restore/en-fr/symbol/1/test.beam12.gz").unlink()
    told = differences_of(copied.results)
    reason = r"\+Symbol \(S\) over Baseline: .*symbol/1/test\.beam12\.gz: no such file"
    assert re.search(rf'<p class="remark">.*{reason}', told)
    pairs = 2 * 8 * 7 // 2
    assert told.count('<details class="excerpt">') == pairs - told.count("no such file")
    assert told.count("no such file") == 7  # +Symbol (S) beside each other system


@pytest.mark.parametrize("named", ["methods", "nothing"])
def test_pairs_of_systems_are_folded_below_those_that_are_named(copied: Made, named: str) -> None:
    """Sentences with nothing to fold them below stand by themselves."""
    methods = copied.results.methods if named == "methods" else []
    told = differences_of(replace(copied.results, methods=methods, claims=[]))
    count = 2 if named == "methods" else 0
    assert told.count("<summary>The other 22 pairs of systems</summary>") == count
    assert told.count('<details class="excerpt">') == 2 * 28
