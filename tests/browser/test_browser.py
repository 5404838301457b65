"""The page in Chromium: it fits laptops and phones, loads nothing, follows the dark scheme, is
accessible; tables are sorted, a language pair and a beam width chosen."""

import re
from pathlib import Path

import pytest
from chromium import CHROMIUM, shown

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium: apt-get install chromium")

#: What is wider than the page, what it loads, and its colours.
FIT = """
const root = page.documentElement, style = inside.getComputedStyle(page.body);
const wide = [...page.querySelectorAll("body *")].filter(element =>
  !element.closest("nav, .scroll") && !element.closest("svg")
  && element.getBoundingClientRect().right > root.clientWidth + 1);
return {
  overflow: root.scrollWidth - root.clientWidth,
  wide: wide.map(element => element.outerHTML.slice(0, 80)),
  requests: inside.performance.getEntriesByType("resource").map(entry => entry.name),
  text: style.color,
  background: style.backgroundColor,
};
"""

#: What is wider than a sheet of paper with the styles of paper, and what is open there.
SHEET = """
const root = page.documentElement, fold = page.querySelector("#significance");
for (const sheet of page.styleSheets)
  for (const rule of sheet.cssRules)
    if (rule.media)
      rule.media.mediaText = { print: "all", screen: "not all" }[rule.media.mediaText]
        ?? rule.media.mediaText;
const steps = [fold.open];
for (const name of ["beforeprint", "afterprint"]) {
  inside.dispatchEvent(new Event(name));
  steps.push(fold.open);
}
fold.open = true;
const wide = [...page.querySelectorAll("table")].filter(table =>
  table.getBoundingClientRect().right > root.clientWidth + 1);
return {
  steps, overflow: root.scrollWidth - root.clientWidth, wide: wide.map(each => each.innerText),
};
"""

#: Where a verdict and the first paragraphs are, and the contents far below.
FIRST = """
const top = selector => page.querySelector(selector).getBoundingClientRect().top;
const found = { verdict: top("#summary tbody td"), text: top("main p") };
page.documentElement.style.scrollBehavior = "auto";
inside.scrollTo(0, 5000);
return { ...found, contents: top("nav a") };
"""

#: A click after a click on the head of a column, and the rows of the table after each.
CLICKS = """
const table = page.querySelector(given.table);
const head = [...table.tHead.querySelectorAll("th")].find(th => th.textContent === given.head);
const button = head.querySelector("button");
const texts = row => [...row.cells].map(cell => cell.innerText);
const rows = () => [...table.tBodies[0].rows].map(texts);
const steps = [{ order: head.getAttribute("aria-sort"), rows: rows() }];
for (let click = 0; click < 3; click += 1) {
  button.focus();
  page.activeElement.click();
  steps.push({ order: head.getAttribute("aria-sort"), rows: rows() });
}
const buttons = [...table.tHead.querySelectorAll("button")].map(each => each.textContent);
return { steps, buttons };
"""

#: Which values of the `given.names` (pair, beam, card) are to be seen: at first, with En-De and a
#: beam of 12 chosen, and with all again.
CHOICES = """
const seen = name => [...new Set([...page.querySelectorAll(`[data-${name}]`)]
  .filter(element => element.checkVisibility()).map(element => element.dataset[name]))].sort();
const all = () => given.names.map(seen);
const choose = (name, value) =>
  page.querySelector(`.filters [name=${name}][value="${value}"]`).click();
const steps = [all()];
choose("pair", "en-de");
choose("beam", "12");
steps.push(all());
const enter = new Event("submit", { cancelable: true });
page.querySelector(".filters").dispatchEvent(enter);
choose("pair", "");
choose("beam", "");
steps.push(all());
return { steps, reloaded: !enter.defaultPrevented };
"""

#: What axe-core finds in a page: the rules that are broken, how badly, and the first elements.
CHECK = """
const script = page.createElement("script");
script.src = given.axe;
const loaded = new Promise((resolve, reject) => {
  script.onload = resolve;
  script.onerror = reject;
});
page.head.append(script);
await loaded;
const found = await inside.axe.run(page);
return {
  passed: found.passes.length,
  broken: found.violations.map(rule => [
    rule.impact, rule.help, rule.nodes.slice(0, 3).map(node => node.html.slice(0, 120)),
  ]),
};
"""


def check_fit(page: Path, width: int, folder: Path) -> None:
    """A page of that width has nothing beyond it, and loads no other file."""
    measured = shown(page, FIT, folder, width=width)
    assert measured["overflow"] == 0, measured["wide"]
    assert measured["wide"] == []
    assert [name for name in measured["requests"] if not name.startswith("data:")] == []


@pytest.mark.parametrize("width", [390, 1280])
def test_page_fits_and_loads_nothing(reported: Path, tmp_path: Path, width: int) -> None:
    check_fit(reported, width, tmp_path)


@pytest.mark.parametrize("width", [390, 1280])
def test_verdicts_come_before_any_paragraph(reported: Path, tmp_path: Path, width: int) -> None:
    found = shown(reported, FIRST, tmp_path, width=width)
    assert found["verdict"] < min(found["text"], 700)
    assert (0 <= found["contents"] < 900) == (width == 1280)  # in sight where there is room


def test_page_fits_on_paper(reported: Path, tmp_path: Path) -> None:
    """A browser makes all of a page smaller that has something wider than the sheet."""
    found = shown(reported, SHEET, tmp_path, width=740)
    assert found["wide"] == []
    assert found["overflow"] == 0
    assert found["steps"] == [False, True, False]


@pytest.mark.parametrize("options", [(), ("--force-dark-mode",)])
def test_text_stands_out_in_both_schemes(
    reported: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    measured = shown(reported, FIT, tmp_path, *options)
    text, background = luminance(measured["text"]), luminance(measured["background"])
    assert (text > background) == bool(options)
    # The strictest level of the Web Content Accessibility Guidelines (AAA).
    assert (max(text, background) + 0.05) / (min(text, background) + 0.05) >= 7


@pytest.mark.skipif(not AXE.exists(), reason=f"no axe-core: npm ci --prefix {AXE.parents[2]}")
@pytest.mark.parametrize(("width", "options"), [(390, ()), (1280, ("--force-dark-mode",))])
def test_page_is_accessible(
    reported: Path, tmp_path: Path, width: int, options: tuple[str, ...]
) -> None:
    found = shown(reported, CHECK, tmp_path, *options, width=width, axe=AXE.as_uri())
    assert found["broken"] == []
    assert found["passed"] > 20


def test_a_click_on_the_head_of_a_column_sorts_the_table(reported: Path, tmp_path: Path) -> None:
    found = shown(reported, CLICKS, tmp_path, table="#summary .blocks table", head="here")
    assert found["buttons"] == ["verdict", "claimed", "paper", "here", "95 %"]
    made, upwards, downwards, again = found["steps"]
    assert [step["order"] for step in found["steps"]] == [None, "ascending", "descending", None]
    assert again["rows"] == made["rows"]
    gains = [[float(cells[4].split()[0]) for cells in step["rows"]] for step in found["steps"]]
    assert gains[1] == sorted(gains[0])
    assert gains[2] == sorted(gains[0], reverse=True)
    assert sorted(upwards["rows"]) == sorted(downwards["rows"]) == sorted(made["rows"])


def test_one_pair_and_one_beam_can_be_chosen(reported: Path, tmp_path: Path) -> None:
    everything = [["en-de", "en-fr"], ["1", "12"]]
    found = shown(reported, CHOICES, tmp_path, names=["pair", "beam"])
    assert found["steps"] == [everything, [["en-de"], ["12"]], everything]
    assert not found["reloaded"]


def test_a_card_about_another_pair_alone_goes(reported: Path, tmp_path: Path) -> None:
    text = reported.read_text()
    card = '<aside><ul data-card><li data-pair="en-fr">Baseline</li></ul></aside>'
    assert text.count('<section id="summary">') == 1
    page = tmp_path / "page.html"
    page.write_text(text.replace('<section id="summary">', f'<section id="summary">{card}'))
    found = shown(page, CHOICES, tmp_path, names=["card"])
    assert found["steps"] == [[[""]], [[]], [[""]]]


def test_minus_signs_thousands_and_gaps_have_their_places(reported: Path, tmp_path: Path) -> None:
    page = reported.read_text()
    cells = [
        "13:20 h",
        "4:05 min",
        "59.9 s",
        "−1.25",
        "1,000",
        "5e-05",
        "–",
        "< 0.001",
        "1.77M",
        "+2.50",
        "0.44M",
        "yes",
    ]
    body = "".join(
        f"<tr><th>{cell}</th><td>{cell} <i class=remark>9</i></td></tr>" for cell in cells
    )
    head = "<thead><tr><td></td><th data-column=1>n</th></tr></thead>"
    table = f"<table id=made-up>{head}<tbody>{body}</tbody></table>"
    path = tmp_path / "page.html"
    path.write_text(page.replace("<main>", f"<main>{table}", 1))
    _, upwards, downwards, _ = shown(path, CLICKS, tmp_path, table="#made-up", head="n")["steps"]
    numbers = ["−1.25", "5e-05", "< 0.001", "+2.50", "59.9 s", "4:05 min", "1,000", "13:20 h"]
    numbers += ["0.44M", "1.77M"]
    labels = [[cells[0] for cells in step["rows"]] for step in (upwards, downwards)]
    assert labels == [[*numbers, "yes", "–"], [*numbers[::-1], "yes", "–"]]


def luminance(colour: str) -> float:
    """Relative luminance of a colour like ``rgb(1, 2, 3)``, as the guidelines define it."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
