"""The parts of the page that show single sentences: examples, alignments, differences."""

import re
from pathlib import Path

import pytest
from results_folder import Results, page_arguments
from sentence_results import difference_arguments, written
from test_page import section

from contextnmt.report.differences import differences
from contextnmt.report.page import page


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


def test_without_examples_and_alignments_the_page_has_no_such_sections(
    results: Results, reported: Path
) -> None:
    arguments = page_arguments(results) | {"out": reported.with_name("without.html")}
    for option, start in {"table": "examples", "figure": "alignments"}.items():
        arguments[option] = [path for path in arguments[option] if not path.name.startswith(start)]
    page(**arguments)
    written = arguments["out"].read_text()
    assert "#alignments" not in written and "#examples" not in written


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


def test_without_their_table_there_are_no_differences(results: Results, reported: Path) -> None:
    arguments = page_arguments(results) | {"out": reported.with_name("uncompared.html")}
    others = [path for path in arguments["table"] if path.stem != "differences"]
    page(**arguments | {"table": others})
    assert 'id="differences"' not in arguments["out"].read_text()


def test_a_comparison_without_a_translation_has_its_reason(
    results: Results, reported: Path, tmp_path: Path
) -> None:
    arguments = difference_arguments(results) | {"out": tmp_path / "differences"}
    kept = [path for path in arguments["hypothesis"] if "en-fr/symbol/" not in str(path)]
    written(differences, arguments | {"hypothesis": kept})
    of_page = page_arguments(results) | {"out": tmp_path / "index.html"}
    others = [path for path in of_page["table"] if path.stem != "differences"]
    page(**of_page | {"table": [*others, tmp_path / "differences.json"]})
    told = section(of_page["out"].read_text(), "differences")
    reason = "+Symbol (S) over Baseline: no test.beam12: not translated</p>"
    assert re.findall(rf'<p class="remark">.*{re.escape(reason)}', told)
    pairs = 2 * 8 * 7 // 2
    assert told.count('<details class="excerpt">') == pairs - told.count("not translated")
    assert told.count("not translated") == 7  # +Symbol (S) beside each other system


@pytest.mark.parametrize("named", ["methods", "nothing"])
def test_pairs_of_systems_are_folded_below_those_that_are_named(
    results: Results, tmp_path: Path, named: str
) -> None:
    """Where there is nothing to fold them below, they stand by themselves."""
    methods = results.about["methods"] if named == "methods" else []
    other = Results(results.folder, results.about | {"methods": methods, "claims": []})
    written(differences, difference_arguments(other) | {"out": tmp_path / "differences"})
    of_page = page_arguments(other) | {"out": tmp_path / "index.html"}
    others = [path for path in of_page["table"] if path.stem != "differences"]
    page(**of_page | {"table": [*others, tmp_path / "differences.json"]})
    told = section(of_page["out"].read_text(), "differences")
    count = 2 if named == "methods" else 0
    assert told.count("<summary>The other 22 pairs of systems</summary>") == count
    assert told.count('<details class="excerpt">') == 2 * 28
