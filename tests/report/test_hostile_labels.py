"""Names and sentences of a configuration are text in every file of a report, whatever they say."""

import csv
import html
import io
import re
import shutil
import xml.etree.ElementTree as ET

import pytest
from docutils.core import publish_parts
from markdown_it import MarkdownIt
from results_folder import Made, make_report

from contextnmt.report.papers import papers
from contextnmt.report.results import Results

#: Commands of reStructuredText, mathtext, spreadsheets, LaTeX, Markdown, HTML and of the page.
EVIL = [
    ".. include:: secret.txt",
    r"$\frac{$ #ffffff url(#x",
    '=HYPERLINK("http://localhost/x","y")',
    "[2em] ![x](http://localhost/x.png) [y](javascript:y) ~~z~~ &lt;",
    "_x_ </text><script>alert(1)</script> `x <javascript:alert(1)>`_ |x|",
    r"\input{secret.txt} ~ ^^41 {{ 7*7 }}",
    "* :file: secret.txt, .. image:: http://localhost/x.png",
    ":file: secret.txt",
    "- +1+cmd|' /C calc'!A1",
    "@SUM(1)",
]


@pytest.fixture(scope="module")
def made(results: Made, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A report on systems, methods and claims of these names."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "secret.txt").write_text("SECRET")
    about = dict(results.about)
    for key, name in (("systems", "label"), ("methods", "name"), ("claims", "says")):
        named = about[key] if key != "claims" else about[key] * 5
        about[key] = [each | {name: evil} for each, evil in zip(named, EVIL, strict=False)]
    copied = Made(shutil.copytree(results.folder, folder / "made"), about)
    make_report(copied)
    papers(copied.folder, [copied.results], EVIL)
    return copied.results


def labels(made: Results) -> list[str]:
    return [system.label for system in made.systems]


def read(made: Results, pattern: str) -> dict[str, str]:
    """The text of the files of a report that fit a glob pattern."""
    found = {path.name: path.read_text() for path in made.report.glob(pattern)}
    assert found
    return found


def test_snakemakes_report_includes_nothing(made: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made.folder.parent)
    start = (made.folder / "report/start.rst").read_text()
    said = io.StringIO()
    text: str = publish_parts(start, writer="html", settings_overrides={"warning_stream": said})[
        "html_body"
    ]
    assert said.getvalue() == ""
    assert not re.search(r"SECRET|<(a|img|script|em|ul|ol|dl)\b", text)
    assert all(label in html.unescape(text) for label in EVIL)


def test_spreadsheets_evaluate_nothing(made: Results) -> None:
    shown = set()
    for text in read(made, "tables/*.csv").values():
        for cell in (cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row):
            shown.add(cell.removeprefix("'"))
            assert not re.match(r"[=+@\t-]", cell) or float(cell) is not None
    assert shown >= set(labels(made))


def test_markdown_has_neither_links_nor_markup(made: Results) -> None:
    for name, text in read(made, "tables/*.md").items():
        rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
        assert not re.search(r"<(a|img|script|s|ul|ol)\b", rendered), name
        plain = html.unescape(re.sub(r"</?em>", "", rendered))
        assert ("_x_" in plain) == ("alert(1)" in plain), name
    assert "&amp;lt;" in MarkdownIt("commonmark").enable("table").render(
        read(made, "tables/table4.md")["table4.md"]
    )


def test_latex_runs_no_command(made: Results) -> None:
    for name, text in read(made, "tables/*.tex").items():
        text = re.sub("^%.*", "", text, flags=re.MULTILINE)
        assert not re.search(r"\\(input|frac)|\^\^", text), name
        assert not re.search(r"(\\\\|rule)\s*[\[*]", text), name
    assert r"{}[2em] !" in read(made, "tables/table4.tex")["table4.tex"]


def test_figures_show_labels_letter_by_letter(made: Results) -> None:
    for name, text in read(made, "figures/*.svg").items():
        shown = {"".join(each.itertext()) for each in ET.fromstring(text).iter() if each.text}
        if name.startswith(("curves", "lengths")):
            assert shown >= set(labels(made)), name


def test_the_page_has_no_script_but_its_own(made: Results) -> None:
    for page in (made.report / "index.html", made.folder / "report/index.html"):
        text = page.read_text()
        assert text.count("<script") == 1
        assert not re.search(r'(href|src)="(javascript|http)', text)
        assert all(label in html.unescape(text) for label in labels(made))


def test_the_page_shows_figures_letter_by_letter(made: Results) -> None:
    page = (made.report / "index.html").read_text()
    losses = re.findall(r'<svg[^>]*aria-label="Training loss.*?</svg>', page, flags=re.DOTALL)
    assert losses
    for drawn in map(ET.fromstring, losses):
        assert {each.text for each in drawn.iter()} >= set(labels(made))
