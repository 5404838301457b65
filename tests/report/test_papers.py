"""The page of all papers, and the start page of Snakemake's report."""

import io
import re
from pathlib import Path

import pytest
from docutils.core import publish_parts
from made_up_experiments import experiment
from results_folder import make_results, make_tables

from contextnmt.report.findings import Findings
from contextnmt.report.papers import papers, start_page
from contextnmt.report.tables import Block, Cell

PAPERS = ["choi2017", "bahdanau2015", "chen2017"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with the tables of all papers; one of them makes no claims."""
    folder = tmp_path_factory.mktemp("papers")
    found = []
    for name in PAPERS:
        made = make_results(folder, name=name)
        make_tables(made)
        made.report.joinpath("index.html").touch()
        if name == "chen2017":
            made.about["claims"] = []
        found.append(made.results)
    papers(folder, found, ["no system of x is finished"])
    return folder / "report"


def test_every_paper_has_its_claims_numbers_and_link(folder: Path) -> None:
    text = (folder / "index.html").read_text()
    sections = re.findall(r'<section id="(\w+)">(.*?)</section>', text, flags=re.DOTALL)
    assert [name for name, _ in sections] == PAPERS
    for name, section in sections:
        assert f'<a href="{name}/index.html">' in section
        assert '<p class="headline">' in section
        assert "trainings the last validation raised the best dev BLEU" in section
        assert ("whether it holds here" in section) == (name != "chen2017")
        assert ('<dd>here / <span class="published">paper' in section) == (name != "chen2017")
        assert ("<dd>the paper's is not known</dd>" in section) == (name == "chen2017")
        assert ("Reconstruction." in section) == (name == "chen2017")
        assert "<th" in section
    assert "English → French, detokenized" not in text
    assert "no system of x is finished" in text
    assert 'name="beam"' in text  # all of them have 1 and 12
    for target in re.findall(r'href="([^"#]+)"', text):
        assert target == "data:," or (folder / target).exists(), target
    assert "src=" not in text


def rendered(**more: object) -> str:
    """The start page of a paper as docutils makes it, which has nothing to complain of."""

    class About:
        title, mark = str(experiment("bahdanau2015")["title"]), " (reconstruction)"

    claim = "Search is *better* (RNNsearch-50* over `x`, |y|)"
    rows = [(claim, [Cell("yes"), Cell("+1.50", "± 0.2")])]
    claims = Block("English → French, test", [("holds here",), ("here",)], rows)
    cells = [Cell("20.00", "(21.00)", best=True, marked=True), Cell("–")]
    columns = [("beam 1", "test"), ("beam 1", "paper")]
    paper = {
        "results": About,
        "findings": [Findings("English → French", "X is best.", [], ["more"], ["C does nothing."])],
        "gaps": [],
        "stale": [],
        "pretrained": [],
        "failed": [],
        "claims": type("Claims", (), {"blocks": [claims]}),
        "bleu": [Block("English → French", columns, [("RNNsearch-50*", cells)])],
        "bleu_notes": ["Scores in percent.", "†: differs significantly from *Baseline*"],
        **more,
    }
    said = io.StringIO()
    settings = {"warning_stream": said}
    lines = "\n".join(start_page([paper]))
    html: str = publish_parts(lines, writer="html", settings_overrides=settings)["html_body"]
    assert said.getvalue() == ""
    return html


def test_the_start_page_has_claims_bleu_warnings_and_what_marks_mean() -> None:
    html = rendered()
    cells = re.findall(r"<t[dh][^>]*>(?:<p>)?(.*?)(?:</p>)?</t[dh]>", html, flags=re.DOTALL)
    assert {
        *("Search is *better* (RNNsearch-50* over `x`, |y|)", "+1.50 ± 0.2"),
        *("RNNsearch-50*", "20.00† (21.00)", "beam 1 paper"),
    } <= set(cells)
    assert "X is best. C does nothing." in html
    assert "†: differs significantly from *Baseline*" in html
    assert "Scores in percent." not in html


def test_the_start_page_tells_what_is_missing_stale_or_may_have_failed() -> None:
    claims = type("Claims", (), {"blocks": []})
    failed = ["+C: training loss_5."]
    told = {"gaps": ["Baseline (x*)."], "stale": ["+C (hidden_size)."], "failed": failed}
    html = rendered(**told, claims=claims)
    assert "<em>Not finished:</em> Baseline (x*)." in html
    assert "<em>Stale:</em> +C (hidden_size)." in html
    assert "<em>May have failed:</em> +C: training loss_5." in html
    assert "whether it holds" not in html
