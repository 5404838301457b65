"""The page: self-contained, true to its files, and fit for readers of every kind."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from results_folder import Made, make_report, make_results, make_tables

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.figures import save_all
from contextnmt.report.learning_curves import curves
from contextnmt.report.page import inline, page
from contextnmt.report.provenance import duration, times
from contextnmt.report.rendering import (
    LETTERS,
    WIDE,
    Heading,
    beam_of,
    filters,
    heading_rows,
    is_wide,
)
from contextnmt.report.results import pair_of, pair_title
from contextnmt.report.tables import Block, Cell, Table, texts_of

VOID = {"meta", "link", "wbr", "br", "img", "input"}


class Elements(HTMLParser):
    """Every element of a page with its attributes; fails at one that is closed wrongly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def text(reported: Path) -> str:
    return reported.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def elements(text: str) -> Elements:
    return Elements(text)


def test_the_page_is_whole_in_itself(reported: Path, text: str, elements: Elements) -> None:
    """Nothing is loaded from elsewhere, and every link leads to something."""
    assert elements.all("script") == [{}]  # the page's own, inside it
    for _, attributes in elements.found:
        assert not (attributes.get("src") or "").startswith("http")
    assert [link["href"] for link in elements.all("link")] == ["data:,"]
    assert "@import" not in text
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for reference in re.findall(r"url\(([^)]*)\)|xlink:href=\"(#[^\"]*)\"", text):
        assert "".join(reference).removeprefix("#") in ids
    targets = [link["href"] or "" for link in elements.all("a")]
    assert len(targets) > 20
    for target in targets:
        if target.startswith("#"):
            assert target[1:] in ids
        elif not target.startswith("data:"):  # that is the file itself
            assert (reported.parent / target).is_file()
    names = re.findall(r'href="data:text/plain;base64,[^"]+" download="([^"]+)"', text)
    tables = ("deviations", "training-data", "time")
    assert names == [f"{table}.{suffix}" for table in tables for suffix in ("csv", "md", "tex")]


def test_tables_and_figures_can_be_read_out(text: str, elements: Elements) -> None:
    assert len(elements.all("caption")) == len(elements.all("table"))
    scopes = {heading.get("scope") for heading in elements.all("th")}
    assert scopes == {"row", "col", "colgroup"}
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in elements.all("svg"))
    assert len(elements.all("svg")) == 18
    assert len(elements.all("h1")) == 1
    drawings = "".join(re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL))
    assert "currentColor" in drawings  # of the page
    assert "#24292f" not in drawings and "#ffffff" not in drawings


def copy_of(made: Made, folder: Path) -> Made:
    return Made(shutil.copytree(made.folder, folder / "made"), made.about)


def made_again(made: Made, folder: Path, **about: Any) -> str:
    """The page of a copy of a results folder of which something else is told."""
    copied = Made(copy_of(made, folder).folder, made.about | about)
    make_tables(copied)
    page(copied.results)
    return (copied.report / "index.html").read_text()


def test_the_report_is_the_same_bytes_again(results: Made, reported: Path, tmp_path: Path) -> None:
    copied = copy_of(results, tmp_path)
    shutil.rmtree(copied.report)
    make_report(copied)
    written = [path.relative_to(copied.report) for path in copied.report.glob("**/*.*")]
    assert len(written) > 100
    for path in written:
        assert (copied.report / path).read_bytes() == (reported.parent / path).read_bytes()
    for folder in ("a", "b"):  # the other formats of figures
        [first, *_] = curves(copied.results)
        save_all([first], tmp_path / folder)
    for name in ("curves.en-fr.bleu.pdf", "curves.en-fr.bleu.png"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_text_of_corpora_is_escaped(results: Made, reported: Path, tmp_path: Path) -> None:
    copied = copy_of(results, tmp_path)
    content = read_json(reported.parent / "tables/examples.json")
    content["data"][0]["tokens"] = "<script>alert(1)</script> & more words are here"
    write_json(copied.report / "tables/examples.json", content)
    page(copied.results)
    written = (copied.report / "index.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in written
    assert written.count("<script") == 1  # the page's own
    assert "alert(1)</script>" not in written
    write_json(copied.folder / "train/en-fr/symbol/1/model.json", {"environment": {}})
    with pytest.raises(UserError, match=r"model\.json: no \w+ in it: make this file again"):
        page(copied.results)
    write_json(copied.report / "tables/table4.json", {"blocks": 1})
    with pytest.raises(UserError, match=r"table4\.json: not a table of this report"):
        page(copied.results)


def section(text: str, name: str) -> str:
    """The part of a page with this id."""
    begin = text.index(f'<section id="{name}">')
    return text[begin : text.index("</section>", begin)]


#: Section -> its figures, and some of what it says.
SECTIONS = {
    "summary": (0, ["(C) (one seed: no verdict): from −2.50 BLEU"]),
    "table4": (0, ["nrefs:1|case:mixed|eff:no|tok:none", "32.02", "(Table 4 of the paper)"]),
    "symbolization": (
        0,
        [
            *("The &lt;S&gt;_1 and &lt;S&gt;_2 American", "(equal, word by word)", "1.77M"),
            *("9,750", "<td>1,200</td>", '<details id="symbols">'),
            '<td class="text">Ville-000</td>\n<td>300</td>',
        ],
    ),
    "contextualization": (
        4,
        [
            *("<td>0.500</td>", "<td>25.0</td>", "diary notebooks (notebook) sketchbook jottings"),
            "In 100.0 % of comparisons",
        ],
    ),
    "lengths": (
        2,
        [
            *('<details id="length-scores">', 'href="tables/length-scores.csv"'),
            '<td>20.00 <span class="remark">(19.00 to 21.00)</span></td>',
        ],
    ),
    "training-text": (
        2,
        [
            *("<td>30,231</td>", "<td>10,000</td>", "272.5M", "348M"),
            'data-pair="en-de">\n<summary>English → German, max_ratio: one side',
            '<dd lang="fr"><span class="remark">empty</span></dd>',
            "giga-fren, line 10,005: −3.50 bits per word",
        ],
    ),
    "alignments": (4, []),
    "examples": (
        0,
        [
            "no sentence of test, dev has the words “the bank of the river” in a row",
            '<p class="line">test, line 1</p>',
            '</div>\n<p class="remark">no sentence',  # below the others
            'a visité la <span class="other" title="not in the reference">UNK</span>',
            'href="tables/examples.csv"',
        ],
    ),
    "run": (
        0,
        [
            *("<dt>cores</dt><dd>2</dd>", "<dt>sacremoses</dt><dd>0.2.0</dd>", "0f" * 20),
            *("A Processor @ 2.50GHz", "1,234,567", "0123456789ab"),
            "To remake it: <code>contextnmt report results/made-up choi2017</code>",
            '<td class="text published">30000</td>\n<td class="text">1600</td>',
        ],
    ),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_show_tables_and_figures(text: str, name: str) -> None:
    told, (figures, expected) = section(text, name), SECTIONS[name]
    assert [said for said in expected if said not in told] == []
    assert told.count("<svg") == figures
    assert f'<a href="#{name}">' in text
    assert "<details open" not in told


def test_systems_are_tried_in_the_page_or_if_large_beside_it(
    results: Made, reported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = Made(
        copy_of(results, tmp_path).folder,
        results.about | {"tried": [(pair, "baseline") for pair in results.about["pairs"]]},
    )
    for path in copied.results.browser_models().values():
        told = {"sentences": ["</script><b>"], "beam": 12}
        compared = {"sentences": 200, "equal": 199, "bleu": [20.5, 20.25]}
        write_json(path, {**told, "compared": compared})
    shutil.rmtree(copied.report, ignore_errors=True)
    shutil.copytree(reported.parent, copied.report)
    page(copied.results)
    told = (copied.report / "index.html").read_text()
    tried = section(told, "try-it")
    assert tried.count('<script type="application/json"') == len(results.about["pairs"])
    assert "199 of 200" in tried and "BLEU 20.25, with 32-bit weights 20.50" in tried
    assert "</script><b>" not in told
    beside = copied.report / "try-it.html"
    assert not beside.exists()
    monkeypatch.setattr("contextnmt.report.page.LARGE", 10)
    page(copied.results)
    told = (copied.report / "index.html").read_text()
    assert 'href="try-it.html"' in section(told, "try-it")
    assert "application/json" not in told
    assert "application/json" in section(beside.read_text(), "try-it")


def test_what_has_no_part_is_left_out(results: Made, reported: Path, tmp_path: Path) -> None:
    written = made_again(results, tmp_path, selected=[], methods=[], aligned="")
    told = section(written, "training-text")
    assert "<svg" not in told and "Perplexity" not in told
    assert 'id="gains"' not in written and "#alignments" not in written


def test_a_reconstruction_says_so_everywhere(tmp_path: Path, text: str) -> None:
    results = make_results(tmp_path, name="chen2017")
    told = make_report(results).read_text()
    found = [section["id"] for section in Elements(told).all("section")]
    assert found == [
        *("summary", "bleu", "gains", "lengths", "training-text", "phenomena"),
        *("curves", "alignments", "examples", "differences", "run"),
    ]
    assert re.findall(r'<li><a href="#(.*)">', told) == found
    assert "<h2>BLEU of every system</h2>" in told
    for said in ("symboliz", "Symboliz", "ontextualiz", "own repeats", "Reproduced"):
        assert said not in told
    title = f"{results.about['title']} (reconstruction)"
    assert f"<title>{title}: made-up</title>" in told
    assert f"<h1>{title}</h1>" in told
    summary = section(told, "summary")
    assert "+1.78 BLEU on average" in summary and "another data set" in summary
    for part in (summary, section(told, "bleu")):
        assert results.about["reconstruction"] in part
    drawings = re.findall(r"<svg.*?</svg>", told, flags=re.DOTALL)
    assert len(drawings) == 14
    assert all("(reconstruction)</text>" in drawing for drawing in drawings)
    # All gains of a method are over one system, which stands in its heading.
    assert ">smoothing by convolution (CCWM) over GRU baseline</text>" in told
    assert ">CCWM, all words</text>" in told
    assert "econstruct" not in text and "+1.78" not in text  # another paper


def test_headings_span_their_columns_and_empty_labels_below() -> None:
    columns = [("of it", "word"), ("of it", "note"), ("count",)]
    block = Block("", columns, [], text_columns=2)
    assert "nan" not in texts_of(Table([block], [], []))["tex"]
    assert heading_rows(block) == [
        [Heading("of it", 2, 1, text=True), Heading("count", 1, 2, column=3)],
        [Heading("word", 1, 1, text=True, column=1), Heading("note", 1, 1, text=True, column=2)],
    ]


def test_only_a_drawing_can_be_inlined() -> None:
    with pytest.raises(UserError, match="figure x: not an SVG file"):
        inline("<html>", "x", "")


def benchmark(made: Made, job: str, seconds: float, memory: str) -> None:
    """A benchmark file of Snakemake."""
    write_lines(made.folder / f"benchmarks/{job}.tsv", ["s\tmax_rss", f"{seconds}\t{memory}"])


def test_times_are_added_up_by_stage(tmp_path: Path) -> None:
    made = Made(tmp_path, experiment("bahdanau2015", (1, 2)))
    for seed, seconds in ((1, 50.5), (2, 30)):
        benchmark(made, f"translate/en-fr/rnnsearch-30/{seed}", seconds, "NA")
        benchmark(made, f"train/en-fr/rnnsearch-30/{seed}", 5, "512.25")  # the last sitting
    benchmark(made, "translate/en-fr/bpe/1", 9, "NA")  # of another experiment
    benchmark(made, "rank/en-fr", 1, "20.4")
    rows = times(made.results, [3600.0, 7200.0]).rows
    assert [(stage, [cell.text for cell in cells]) for stage, cells in rows] == [
        ("train", ["2", "3:00 h", "2:00 h", "512"]),
        ("translate", ["2", "1:20 min", "50.5 s", "–"]),
        ("rank", ["1", "1.0 s", "1.0 s", "20"]),
    ]
    for row in ("else", "nan\t1", "-5\t1", "1\t1e400", "9" * 200_000):
        write_lines(tmp_path / "benchmarks/rank/en-fr.tsv", ["s\tmax_rss", row])
        with pytest.raises(UserError, match="not a benchmark file of Snakemake"):
            times(made.results, [1.0])


def test_durations() -> None:
    shown = [duration(seconds) for seconds in (3.21, 65, 3599, 7260)]
    assert shown == ["3.2 s", "1:05 min", "59:59 min", "2:01 h"]


def test_parts_are_marked_with_their_pair_and_columns_with_their_beam(
    results: Made, elements: Elements
) -> None:
    about = results.results
    choices = {name: [value for value, _ in each] for name, _, each in filters([about])}
    marked = {each["data-pair"] for _, each in elements.found if "data-pair" in each}
    assert marked == set(about.pairs)
    beams = {each["data-beam"] for _, each in elements.found if "data-beam" in each}
    assert beams == set(choices["beam"]) == {"1", "12"}
    assert len(elements.all("input")) == len(choices) + sum(map(len, choices.values()))
    assert pair_of("English → French, test: more") == "en-fr"
    assert pair_of("Table 2: English → German") == "en-de"
    assert pair_of("English → French and English → German") == ""
    assert pair_title("zh-en") == "Chinese → English"
    assert beam_of(("beam 12", "paper")) == "12"
    assert beam_of(("beams", "12")) == beam_of(("here", "beam 12")) == ""


def differences_of(made: Made, **about: Any) -> str:
    """The section of differences, of a page of which something else is told."""
    results = Made(made.folder, made.about | about)
    make_tables(results, "differences")
    page(results.results)
    return section((results.report / "index.html").read_text(), "differences")


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


def test_pairs_of_systems_are_folded_below_those_that_are_named(
    results: Made, reported: Path, tmp_path: Path
) -> None:
    """Sentences with nothing to fold them below stand by themselves."""
    copied = copy_of(results, tmp_path)
    pairs = 2 * 8 * 7 // 2
    for methods, count in ((results.about["methods"], 2), ([], 0)):
        told = differences_of(copied, methods=methods, claims=[])
        assert told.count("<summary>The other 22 pairs of systems</summary>") == count
        assert told.count('<details class="excerpt">') == pairs
    (copied.folder / "restore/en-fr/symbol/1/test.beam12.gz").unlink()
    told = differences_of(copied)
    reason = r"\+Symbol \(S\) over Baseline: .*symbol/1/test\.beam12\.gz: no such file"
    assert re.search(rf'<p class="remark">.*{reason}', told)
    assert told.count('<details class="excerpt">') == pairs - told.count("no such file")
    assert told.count("no such file") == 7  # +Symbol (S) beside each other system


@pytest.mark.parametrize(
    ("columns", "remark", "words", "wide"),
    [
        (0, "", 0, False),
        (6, "(13.45)", 0, False),
        (6, "± 0.50 (13.45 ± 0.50)", 0, True),  # of several seeds
        (2, "± 0.50 (13.45 ± 0.50)", 0, False),
        (WIDE, "", 0, True),
        (1, "word " * LETTERS, 1, False),  # words go on in the next line
    ],
)
def test_remarks_stand_below_where_rows_are_long(
    columns: int, remark: str, words: int, wide: bool
) -> None:
    rows = [("Baseline", [Cell("12.34", remark)] * columns)] * (columns > 0)
    names = [(f"column {number}",) for number in range(columns)]
    assert is_wide(Block("English → French", names, rows, words)) == wide
