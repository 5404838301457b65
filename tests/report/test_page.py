"""The page: self-contained, true to its files, and fit for readers of every kind."""

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of
from results_folder import Made, make_report, make_results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.contents import parts
from contextnmt.report.page import inline, page
from contextnmt.report.provenance import duration, times
from contextnmt.report.rendering import Heading, beam_of, filters, heading_rows
from contextnmt.report.report import make
from contextnmt.report.results import pair_of
from contextnmt.report.tables import Block

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


def test_nothing_is_loaded_from_elsewhere(text: str, elements: Elements) -> None:
    assert elements.all("script") == [{}]  # the page's own, inside it
    for _, attributes in elements.found:
        assert not (attributes.get("src") or "").startswith("http")
    assert [link["href"] for link in elements.all("link")] == ["data:,"]
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_links_lead_to_sections_and_files_that_exist(reported: Path, elements: Elements) -> None:
    ids = {attributes["id"] for _, attributes in elements.found if "id" in attributes}
    targets = [link["href"] or "" for link in elements.all("a")]
    assert len(targets) > 20
    for target in targets:
        if target.startswith("#"):
            assert target[1:] in ids
        elif not target.startswith("data:"):  # that is the file itself
            assert (reported.parent / target).is_file()


def test_ids_are_unique_and_references_inside_figures_hit(text: str, elements: Elements) -> None:
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    for reference in re.findall(r"url\(#([^)]*)\)|xlink:href=\"#([^\"]*)\"", text):
        assert "".join(reference) in ids


def test_tables_and_figures_can_be_read_out(elements: Elements) -> None:
    assert len(elements.all("caption")) == len(elements.all("table"))
    scopes = {heading.get("scope") for heading in elements.all("th")}
    assert scopes == {"row", "col", "colgroup"}
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in elements.all("svg"))
    assert len(elements.all("svg")) == 18
    assert len(elements.all("h1")) == 1


def test_figures_take_the_colours_of_the_page(text: str) -> None:
    drawings = "".join(re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL))
    assert "currentColor" in drawings
    assert "#24292f" not in drawings
    assert "#ffffff" not in drawings


def test_numbers_of_the_files_stand_in_the_page(results: Made, text: str) -> None:
    scores = read_json(results.folder / "score/en-de/bpe-context/1/scores.json")
    assert f"{scores['test.beam12']['bleu']:.2f}" in text
    assert scores["test.beam12"]["signature"] in text
    for said in (
        "32.02",
        "1.77M",
        "0123456789ab",
        "0f" * 20,
        "A Processor @ 2.50GHz",
        "1,234,567",
    ):
        assert said in text
    assert (
        "Contextualization (C) helps in 2 of 3 comparisons, does harm in 1: from −2.50 BLEU" in text
    )


def made_again(made: Made, folder: Path, **about: Any) -> Path:
    """The page of a copy of a results folder of which something else is told."""
    shutil.copytree(made.folder, folder / "made")
    results = results_of(folder / "made", made.about | about)
    for part in parts(results):
        if part.table:
            make(results, part)
    page(results)
    return results.report / "index.html"


def test_the_page_is_the_same_bytes_again(results: Made, reported: Path, tmp_path: Path) -> None:
    assert made_again(results, tmp_path).read_bytes() == reported.read_bytes()


def test_tables_of_the_run_can_be_downloaded_from_the_page_itself(text: str) -> None:
    names = re.findall(r'href="data:text/plain;base64,[^"]+" download="([^"]+)"', text)
    tables = ("deviations", "training-data", "time")
    assert names == [f"{table}.{suffix}" for table in tables for suffix in ("csv", "md", "tex")]


def test_text_of_corpora_is_escaped(results: Made, reported: Path, tmp_path: Path) -> None:
    table = reported.parent / "tables/examples.json"
    content = read_json(table)
    content["data"][0]["tokens"] = "<script>alert(1)</script> & more words are here"
    shutil.copytree(results.folder, tmp_path / "made")
    copy = results_of(tmp_path / "made", results.about)
    write_json(copy.report / "tables/examples.json", content)
    page(copy)
    written = (copy.report / "index.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in written
    assert written.count("<script") == 1  # the page's own
    assert "alert(1)</script>" not in written


def test_a_damaged_file_is_named(results: Made, reported: Path, tmp_path: Path) -> None:
    shutil.copytree(results.folder, tmp_path / "made")
    copy = results_of(tmp_path / "made", results.about)
    write_json(copy.folder / "train/en-fr/symbol/1/model.json", {"environment": {}})
    with pytest.raises(UserError, match=r"model\.json: no \w+ in it: make this file again"):
        page(copy)
    write_json(copy.report / "tables/table4.json", {"blocks": 1})
    with pytest.raises(UserError, match=r"table4\.json: not a table of this report"):
        page(copy)


def section(text: str, name: str) -> str:
    """The part of a page with this id."""
    begin = text.index(f'<section id="{name}">')
    return text[begin : text.index("</section>", begin)]


def test_symbolization_has_its_section(text: str, elements: Elements) -> None:
    told = section(text, "symbolization")
    for said in ("The &lt;S&gt;_1 and &lt;S&gt;_2 American", "(equal, word by word)", "9,750"):
        assert said in told
    assert "<td>1,200</td>" in told  # symbols of +BPE+C+S that were copied
    folded = [attributes.get("id") for attributes in elements.all("details")]
    assert "symbols" in folded
    assert len(elements.all("summary")) == len(folded)
    assert not any("open" in attributes for attributes in elements.all("details"))


def test_contextualization_has_its_section(text: str) -> None:
    told = section(text, "contextualization")
    assert re.findall(r"<h3[^>]*>(.*)</h3>", told) == [
        "What is near a word (Table 1 of the paper)",
        "How far the gates are open",
        "Words in their contexts",
    ]
    assert "<td>0.500</td>" in told and "<td>25.0</td>" in told
    assert "diary notebooks (notebook) sketchbook jottings" in told
    assert told.count("<svg") == 4
    french, german = re.findall(r"<li>(English → .*)</li>", told)
    assert "In 100.0 % of comparisons" in french  # the masks are made up to tell senses apart
    assert "comparisons" not in german
    assert '<a href="#contextualization">' in text


def test_bleu_by_length_is_a_figure_and_a_folded_table(text: str) -> None:
    told = section(text, "lengths")
    assert told.count("<svg") == 2 and told.count("<table") == 2
    assert '<details id="length-scores">' in told
    assert "the BLEU of each group stands in the table after it" in told
    assert '<td>20.00 <span class="remark">(19.00 to 21.00)</span></td>' in told
    assert 'href="tables/length-scores.csv"' in told


def test_the_training_text_has_its_section(text: str) -> None:
    told = section(text, "training-text")
    for said in ("<td>30,231</td>", "<td>10,000</td>", "272.5M", "348M", "selection.en-fr.scores"):
        assert said in told
    assert told.count("<svg") == 2
    assert 'data-pair="en-de">\n<summary>English → German, max_ratio: one side' in told
    assert '<p class="line">un, line 20,157</p>' in told
    assert '<dd lang="fr"><span class="remark">empty</span></dd>' in told
    assert "giga-fren, line 10,005: −3.50 bits a word" in told
    assert '<a href="#training-text">' in text


def test_without_a_selection_there_is_no_figure_of_one(
    results: Made, reported: Path, tmp_path: Path
) -> None:
    written = made_again(results, tmp_path, selected=[]).read_text()
    told = section(written, "training-text")
    assert "<svg" not in told and "Perplexity" not in told


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Made, str]]:
    """Results and page of the experiments that have no symbols."""
    made = {}
    for name in ("bahdanau2015", "chen2017"):
        results = make_results(tmp_path_factory.mktemp(name), name=name)
        made[name] = results, make_report(results).read_text(encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("bahdanau2015", "BLEU of every system (Table 1 of the paper)"),
        ("chen2017", "BLEU of every system"),
    ],
)
def test_what_an_experiment_has_not_is_left_out(
    others: dict[str, tuple[Made, str]], name: str, heading: str
) -> None:
    results, text = others[name]
    found = Elements(text).all("section")
    assert [section["id"] for section in found] == [
        *("summary", results.about["table"], "gains", "lengths", "training-text", "phenomena"),
        *("curves", "alignments", "examples", "differences", "run"),
    ]
    anchors = re.findall(r'<li><a href="#(.*)">', text)
    assert anchors == [each["id"] for each in found]
    assert f"<h2>{heading}</h2>" in text
    for said in ("symboliz", "Symboliz", "ontextualiz", "own repeats"):
        assert said not in text


def test_a_reconstruction_says_so_everywhere(others: dict[str, tuple[Made, str]]) -> None:
    results, text = others["chen2017"]
    title = f"{results.about['title']} (reconstruction)"
    assert f"<title>{title}: made-up</title>" in text
    assert f"<h1>{title}</h1>" in text
    summary = section(text, "summary")
    assert results.about["reconstruction"] in summary
    assert "+1.78 BLEU on average" in summary and "another data set" in summary
    assert results.about["reconstruction"] in section(text, "bleu")
    drawings = re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL)
    assert len(drawings) == 14
    assert all("(reconstruction)</text>" in drawing for drawing in drawings)
    for path in (results.report / "figures").glob("*.svg"):
        assert "(reconstruction)</text>" in path.read_text()
    assert "Reproduced" not in text


@pytest.mark.parametrize("name", ["choi2017", "bahdanau2015"])
def test_what_is_no_reconstruction_says_nothing_of_one(
    others: dict[str, tuple[Made, str]], text: str, name: str
) -> None:
    told = text if name == "choi2017" else others[name][1]
    assert "econstruct" not in told
    assert "+1.78" not in told


def test_a_page_without_comparisons_has_no_gains(
    others: dict[str, tuple[Made, str]], tmp_path: Path
) -> None:
    made, _ = others["bahdanau2015"]
    assert 'id="gains"' not in made_again(made, tmp_path, methods=[]).read_text()


def test_words_and_numbers_are_set_apart(text: str) -> None:
    assert '<td class="text">Ville-000</td>\n<td>300</td>' in text
    row = ['<td class="text published">30000</td>', '<td class="text">1600</td>']
    assert "\n".join([*row, '<td class="text">all</td>']) in text


def test_headings_know_whether_words_stand_below() -> None:
    columns = [("of it", "word"), ("of it", "note"), ("count", "")]
    assert heading_rows(Block("", columns, [], text_columns=2)) == [
        [Heading("of it", 2, 1, text=True), Heading("count", 1, 2, column=3)],
        [Heading("word", 1, 1, text=True, column=1), Heading("note", 1, 1, text=True, column=2)],
    ]


def test_headings_span_their_columns_and_empty_labels_below() -> None:
    columns = [("names", "seen"), ("names", "unseen"), ("numbers", "")]
    assert heading_rows(Block("", columns, [])) == [
        [Heading("names", 2, 1), Heading("numbers", 1, 2, column=3)],
        [Heading("seen", 1, 1, column=1), Heading("unseen", 1, 1, column=2)],
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
    write_lines(tmp_path / "benchmarks/rank/en-fr.tsv", ["something", "else"])
    with pytest.raises(UserError, match="not a benchmark file of Snakemake"):
        times(made.results, [1.0])


def test_what_was_run_is_told(text: str) -> None:
    for name, value in (("cores", "2"), ("sacrebleu", "2.5.1"), ("sacremoses", "0.2.0")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in text


def test_durations() -> None:
    shown = [duration(seconds) for seconds in (3.21, 65, 3599, 7260)]
    assert shown == ["3.2 s", "1:05 min", "59:59 min", "2:01 h"]


def test_the_page_says_how_to_make_it_anew(results: Made, text: str) -> None:
    call = f"contextnmt report results/made-up {results.about['name']}"
    assert f"To remake it: <code>{call}</code>" in section(text, "run")


def test_parts_are_marked_with_their_pair_and_columns_with_their_beam(
    results: Made, elements: Elements
) -> None:
    about = results.results
    choices = {name: [value for value, _ in each] for name, _, each in filters([about])}
    marked = {each["data-pair"] for _, each in elements.found if "data-pair" in each}
    assert marked == set(about.pairs)
    assert choices.get("pair", about.pairs) == list(about.pairs)
    beams = {each["data-beam"] for _, each in elements.found if "data-beam" in each}
    assert beams == set(choices["beam"]) == set(map(str, about.beams))
    assert len(elements.all("input")) == len(choices) + sum(map(len, choices.values()))
    assert pair_of(f"{about.pair_title(about.pairs[-1])}, test: more") == about.pairs[-1]
    assert pair_of("Table 2: English → German") == "en-de"
    assert pair_of("Symbols in percent of all words") == ""
    assert pair_of("English → French and English → German") == ""
    assert beam_of(("beam 12", "paper")) == "12"
    assert beam_of(("beams", "12")) == beam_of(("here", "beam 12")) == ""
