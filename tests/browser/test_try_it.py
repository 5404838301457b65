"""Systems that translate in the page: the answers are those of `contextnmt translate`."""

import json
import re
from pathlib import Path
from typing import Any

import jinja2
import pytest
from chromium import CHROMIUM, same_answers, shown
from random_model import write_model
from small_results import VIEWS, make, run_file
from test_browser import AXE, CHECK

from contextnmt.configuration.model import ContextualizerSettings
from contextnmt.files import read_json, write_lines
from contextnmt.report.rendering import FOLDER, NAMES
from contextnmt.translation.browser_model import browser_model

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium: apt-get install chromium")

#: Models of each view, one of each kind that the page knows.
MODELS: dict[str, dict[str, Any]] = {
    "word": {},
    "sym": {"contextualizer": ContextualizerSettings((4, 3))},
    "bpe": {"contextualizer": ContextualizerSettings((4,), True, "shared"), "readout_rank": 3},
    "sym-bpe": {"contextualizer": ContextualizerSettings((3,), end_of_sentence=True)},
}

#: Sentences that are hard to cut, to symbolize or to restore.
HARD = [
    "Mr. Smith's dog isn't at John's, e.g. in the U.S. No. 5 or Fig. three.",
    "“Quoted”… and 'single' -- he'd said: (3,000.5%), $5, 10th 2nd-hand No. x",
    "In Berlin, New York-based NATO and the EU's 3 World of Warcraft of IMF.",
    "a,b 1,2 ,c 12,345 1.5.2.3 <N>_1 <S>_1 ^^x \\^^y @@ a@@b @@@ \u2060@",
    "Ünïcödé 🙂 e\u0301 ｆｕｌｌ　width\u00a0blank\ttab\u200b \ufeffx 日本 हिन्दी ½ ²",
    "MARY-JANE Mary-Jane Anna-based COVID-19 Prof.Dr. X. IMF. . ' ` .' !?",
    "the 15th and 16th century, 21st-century 1 234 567",
    "the the the the the",
    f"{'the' * 33} {'the' * 334}",
]

#: What a reader sees after the section is opened, a sentence is typed and a token chosen.
USED = """
const section = page.querySelector("#try-it details");
const empty = section.querySelector(".side").children.length;
section.open = true;
await new Promise(done => setTimeout(done, 300));
const sides = [...section.querySelectorAll(".side")];
const said = () => sides.map(side => side.querySelector(".translation").textContent);
const lines = () => sides.map(side => side.querySelectorAll(".before").length);
const seen = { empty, first: said(), marks: lines() };
const typed = section.querySelector("input[type=text]");
typed.value = given.text;
typed.dispatchEvent(new inside.Event("input"));
await new Promise(done => setTimeout(done, 900));
seen.typed = said();
seen.after = lines();
sides[1].querySelectorAll(".tokens button")[1].click();
seen.chosen = sides[1].querySelector(".bars:last-child figcaption").textContent;
const cell = sides[0].querySelector(".heat tbody td");
cell.focus();
cell.dispatchEvent(new inside.KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
seen.cell = page.activeElement.cellIndex;
seen.told = sides[0].querySelector(".said").textContent;
const greedy = section.querySelector("input[value='1']");
greedy.click();
seen.greedy = said();
const captions = () => [...sides[1].querySelectorAll(".bars figcaption")].map(e => e.textContent);
seen.masks = captions().slice(0, 2);
sides[1].querySelectorAll(".tokens button")[0].click();
seen.again = captions().slice(0, 2);
return seen;
"""


def page_of(models: list[Path], folder: Path) -> Path:
    """A page with nothing but the section."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True)
    environment.globals.update(NAMES)
    texts = [json.dumps(read_json(path)) for path in models]
    tried = [
        {**json.loads(text), "label": path.stem, "text": text.replace("<", "\\u003c")}
        for path, text in zip(models, texts, strict=True)
    ]
    script, style = ((FOLDER / name).read_text() for name in ("try_it.js", "page.css"))
    section = environment.get_template("try_it.html.j2").render(tried=tried, try_script=script)
    page = folder / "page.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Try it</title><style>'
        f"{style}</style><body><main><h1>Try it</h1>{section}</main></body></html>"
    )
    return page


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A results folder with a random model of each view, and these models for a page."""
    folder = tmp_path_factory.mktemp("tried")
    lines = [*HARD, *make(folder)]
    write_lines(folder / "text.en", lines)
    written = []
    for number, view in enumerate(VIEWS):
        write_model(folder / "train" / view, number, 1.0, 2.0, **MODELS[view])
        out = folder / f"{view}.json"
        browser_model(run_file(folder, view), *2 * [folder / "text.en"], out, beam=3)
        written.append(out)
    return folder, written


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("beam", [1, 3])
def test_answers_are_those_of_translate(
    models: tuple[Path, list[Path]], tmp_path: Path, view: str, beam: int
) -> None:
    folder, written = models
    number = VIEWS.index(view)
    same = same_answers(
        page_of(written, tmp_path), number, run_file(folder, view), written[number], beam, tmp_path
    )
    assert all(same) and len(same) == 25


def test_a_reader_types_chooses_and_points(models: tuple[Path, list[Path]], tmp_path: Path) -> None:
    page = page_of([models[1][0], models[1][3]], tmp_path)
    used = shown(page, USED, tmp_path, text="Anna saw 5 cats")
    assert used["empty"] == 0
    assert used["first"] != used["typed"]
    assert used["marks"] == [0, 1]  # the vector without its mask
    assert used["after"] == [0, 3]  # and the masks of the sentence before
    assert used["chosen"].startswith("Vector of “")
    assert used["cell"] == 2
    assert "attends to" in used["told"]
    assert all(used["greedy"])
    # Neither another search nor a click makes the sentence before of the same one.
    assert used["masks"] == used["again"]
    for mask in used["masks"]:
        now, before = re.findall(r"0\.\d{3}", mask)
        assert now != before


@pytest.mark.skipif(not AXE.exists(), reason=f"no axe-core: npm ci --prefix {AXE.parents[2]}")
@pytest.mark.parametrize(("width", "options"), [(390, ()), (1280, ("--force-dark-mode",))])
def test_it_is_accessible(
    models: tuple[Path, list[Path]], tmp_path: Path, width: int, options: tuple[str, ...]
) -> None:
    page = page_of([models[1][0], models[1][3]], tmp_path)
    page.write_text(page.read_text().replace("<details>", "<details open>"))
    script = f"await new Promise(done => setTimeout(done, 500));{CHECK}"
    found = shown(page, script, tmp_path, *options, width=width, axe=AXE.as_uri())
    assert found["broken"] == []
    assert found["passed"] > 15
