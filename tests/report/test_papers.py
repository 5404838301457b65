"""The page of all papers, and the start page of Snakemake's report."""

import io
import re
from pathlib import Path

import pytest
from docutils.core import publish_parts
from made_up_experiments import experiment, results_of
from results_folder import make_report, make_results

from contextnmt.report.findings import Findings
from contextnmt.report.papers import papers, start_page
from contextnmt.report.tables import Block, Cell

CLAIMS = Block(
    "English → French, test",
    [("holds here",), ("here",)],
    [("Search is *better* (RNNsearch-50* over `x`, |y|)", [Cell("yes"), Cell("+1.50", "± 0.2")])],
)
BLEU = Block("English → French", [("beam 1", "test"), ("beam 1", "paper")], [])

PAPERS = ["choi2017", "bahdanau2015", "chen2017"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with the reports of all papers; one of them makes no claims."""
    folder = tmp_path_factory.mktemp("papers")
    for name in PAPERS:
        make_report(make_results(folder, name=name))
    made = {name: experiment(name) for name in PAPERS}
    made["chen2017"]["claims"] = []
    found = [results_of(folder, made[name]) for name in PAPERS]
    papers(folder, found, ["no system of x is finished"])
    return folder / "report"


def test_every_paper_has_its_claims_numbers_and_link(folder: Path) -> None:
    text = (folder / "index.html").read_text()
    sections = re.findall(r'<section id="(\w+)">(.*?)</section>', text, flags=re.DOTALL)
    assert [name for name, _ in sections] == PAPERS
    for name, section in sections:
        assert f'<a href="{name}/index.html">' in section
        assert '<p class="headline">' in section
        assert "trainings had the highest dev BLEU at the last validation" in section
        assert ("whether it holds here" in section) == (name != "chen2017")
        assert ("Reconstruction." in section) == (name == "chen2017")
        assert "<th" in section
    assert "English → French, detokenized" not in text
    assert "no system of x is finished" in text
    assert 'name="beam"' in text  # all of them have 1 and 12
    for target in re.findall(r'href="([^"#]+)"', text):
        assert target == "data:," or (folder / target).exists(), target
    assert "src=" not in text


def rendered(text: str) -> tuple[str, str]:
    """HTML and what docutils had to say."""
    said = io.StringIO()
    settings = {"warning_stream": said}
    body = publish_parts(text, writer="html", settings_overrides=settings)["html_body"]
    return body, said.getvalue()


def paper(**more: object) -> dict[str, object]:
    class About:
        title, mark = str(experiment("bahdanau2015")["title"]), " (reconstruction)"

    rows = [("RNNsearch-50*", [Cell("20.00", "(21.00)", best=True), Cell("–")])]
    return {
        "results": About,
        "findings": [Findings("English → French", "RNNsearch-50* is best: 20.00 BLEU.", [], [])],
        "gaps": [],
        "stale": [],
        "claims": type("Claims", (), {"blocks": [CLAIMS]}),
        "bleu": [Block(BLEU.title, BLEU.columns, rows)],
        "bleu_notes": [],
        **more,
    }


def test_claims_and_bleu_are_tables() -> None:
    html, said = rendered("\n".join(start_page([paper()])))
    assert said == ""
    cells = re.findall(r"<t[dh][^>]*>(?:<p>)?(.*?)(?:</p>)?</t[dh]>", html, flags=re.DOTALL)
    assert "Search is *better* (RNNsearch-50* over `x`, |y|)" in cells
    assert "+1.50 ± 0.2" in cells
    assert "RNNsearch-50*" in cells
    assert "20.00 (21.00)" in cells
    assert "beam 1 paper" in cells
    assert "RNNsearch-50* is best: 20.00 BLEU." in html


def test_what_is_missing_or_stale_is_told() -> None:
    html, said = rendered(
        "\n".join(start_page([paper(gaps=["Baseline (x*)."], stale=["+C (hidden_size)."])]))
    )
    assert said == ""
    assert "<em>Not finished:</em> Baseline (x*)." in html
    assert "<em>Stale:</em> +C (hidden_size)." in html


def test_warnings_and_what_marks_mean_are_told() -> None:
    found = Findings("English → French", "X is best.", [], ["a sentence"], ["C does nothing."])
    rows = [("X", [Cell("20.00", "(21.00)", best=True, marked=True), Cell("–")])]
    notes = ["Scores in percent.", "†: differs from *Baseline* by more"]
    more = {"findings": [found], "bleu": [Block(BLEU.title, BLEU.columns, rows)]}
    html, said = rendered("\n".join(start_page([paper(**more, bleu_notes=notes)])))
    assert said == ""
    assert "X is best. C does nothing." in html
    assert "20.00† (21.00)" in html
    assert "†: differs from *Baseline* by more" in html
    assert "Scores in percent." not in html


def test_a_paper_without_claims_has_no_such_heading() -> None:
    lines = start_page([paper(claims=type("Claims", (), {"blocks": []}))])
    html, said = rendered("\n".join(lines))
    assert said == ""
    assert "whether it holds" not in html
