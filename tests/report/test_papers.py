"""The page of all papers: claims and a way to the page of each; what is missing is named."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results, make_report, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.experiment import experiment_of
from contextnmt.report.papers import papers

PAPERS = ["choi2017", "bahdanau2015", "chen2017"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, results: Results, reported: Path) -> Path:
    """The reports of all papers, laid as the workflow lays them."""
    folder = tmp_path_factory.mktemp("papers")
    for name in PAPERS:
        if name == results.about["name"]:
            made, page = results, reported
        else:
            made = make_results(tmp_path_factory.mktemp(name), name=name)
            page = make_report(made)
        shutil.copytree(page.parent, folder / name)
        write_json(folder / name / "experiment.json", made.about)
    return folder


def arguments(folder: Path) -> dict[str, Any]:
    """What `papers` is called with."""
    experiments = [read_json(folder / name / "experiment.json") for name in PAPERS]
    names = [
        "significance",
        "claims",
        "trainings",
        *(each["table"] for each in experiments),
    ]
    found = [path for name in names for path in folder.glob(f"*/tables/{name}.json")]
    tables = [path for path in found if path.parts[-3:] != ("chen2017", "tables", "claims.json")]
    return {
        "abouts": [experiment_of(each) for each in experiments],
        "table": tables,
        "page": [folder / name / "index.html" for name in PAPERS],
        "out": folder / "index.html",
        "start": folder / "start.rst",
    }


def test_every_paper_has_its_claims_numbers_and_link(folder: Path) -> None:
    papers(**arguments(folder), missing=["no system of x is finished"])
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


def test_what_is_missing_is_named(folder: Path) -> None:
    of = arguments(folder)
    with pytest.raises(UserError, match=r"page: give the page of chen2017 once"):
        papers(**of | {"page": of["page"][:2]})
    least = [path for path in of["table"] if path.stem != "significance"]
    with pytest.raises(UserError, match=r"table: no significance\.json of choi2017"):
        papers(**of | {"table": least})
    with pytest.raises(UserError, match=r"page index\.html: of none of the experiments choi2017, "):
        papers(**of | {"page": [*of["page"], Path("index.html")]})
