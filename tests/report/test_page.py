"""The page: self-contained, true to its files, and fit for readers of every kind."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results, make_report, make_results, page_arguments

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.experiment import pair_of
from contextnmt.report.page import inline, page
from contextnmt.report.provenance import duration, times
from contextnmt.report.rendering import Heading, beam_of, filters, heading_rows
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


def test_numbers_of_the_files_stand_in_the_page(results: Results, text: str) -> None:
    scores = read_json(results.folder / "score/en-de/bpe-context/1/scores.json")
    assert f"{scores['test.beam12']['bleu']:.2f}" in text
    assert scores["test.beam12"]["signature"] in text
    for said in (
        "32.02",
        "1.77M",
        "0123456789ab",
        "0f" * 20,
        "A Processor @ 2.50GHz",
        "cc 12.2.0",
        "1,234,567",
    ):
        assert said in text
    assert (
        "Contextualization (C) helps in 2 of 3 comparisons, does harm in 1: from −2.50 BLEU" in text
    )


def test_the_page_is_the_same_bytes_whatever_the_order(
    results: Results, reported: Path, tmp_path: Path
) -> None:
    arguments = page_arguments(results) | {"out": reported.with_name("again.html")}
    page(**arguments | {"model": arguments["model"][::-1]})
    assert reported.with_name("again.html").read_bytes() == reported.read_bytes()


def test_a_missing_file_is_named(results: Results, reported: Path) -> None:
    arguments = page_arguments(results)
    arguments["model"] = arguments["model"][1:]
    with pytest.raises(UserError, match="model: no file for en-"):
        page(**arguments)


def test_tables_of_the_run_can_be_downloaded_from_the_page_itself(text: str) -> None:
    names = re.findall(r'href="data:text/plain;base64,[^"]+" download="([^"]+)"', text)
    tables = ("deviations", "training-data", "time")
    assert names == [f"{table}.{suffix}" for table in tables for suffix in ("csv", "md", "tex")]


def test_text_of_corpora_is_escaped(results: Results, reported: Path, tmp_path: Path) -> None:
    arguments: dict[str, Any] = page_arguments(results) | {"out": tmp_path / "index.html"}
    table, *_ = (path for path in arguments["table"] if path.stem == "examples")
    content = read_json(table)
    content["data"][0]["tokens"] = "<script>alert(1)</script> & more words are here"
    write_json(tmp_path / "examples.json", content)
    others = [path for path in arguments["table"] if path != table]
    page(**arguments | {"table": [*others, tmp_path / "examples.json"]})
    written = (tmp_path / "index.html").read_text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in written
    assert written.count("<script") == 1  # the page's own
    assert "alert(1)</script>" not in written


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table": []}, "no table4.json among the tables"),
    ],
)
def test_mistakes_are_told(
    results: Results, reported: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        page(**page_arguments(results) | change)


def test_a_model_without_its_parts_is_named(
    results: Results, reported: Path, tmp_path: Path
) -> None:
    arguments = page_arguments(results)
    broken = tmp_path / "en-fr/symbol/1/model.json"
    write_json(broken, {"environment": {}})
    models = [broken if "fr/symbol/" in str(path) else path for path in arguments["model"]]
    with pytest.raises(UserError, match=r"model.json: no 'best' in it"):
        page(**arguments | {"model": models})


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


def test_bleu_by_length_is_a_figure_and_a_folded_table(
    results: Results, reported: Path, text: str
) -> None:
    told = section(text, "lengths")
    assert told.count("<svg") == 2 and told.count("<table") == 2
    assert '<details id="length-scores">' in told
    assert "the BLEU of each group stands in the table after it" in told
    assert '<td>20.00 <span class="remark">(19.00 to 21.00)</span></td>' in told
    assert 'href="tables/length-scores.csv"' in told
    arguments = page_arguments(results) | {"out": reported.with_name("undrawn.html")}
    drawn = [path for path in arguments["figure"] if not path.name.startswith("lengths")]
    page(**arguments | {"figure": drawn})
    alone = section(arguments["out"].read_text(), "length-scores")
    assert "BLEU by sentence length" in alone and "<details id" not in alone


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


def test_what_was_not_made_is_not_shown(results: Results, reported: Path, tmp_path: Path) -> None:
    """Without a selection there is no heading for one, and without any of it no section."""
    arguments = page_arguments(results) | {"out": reported.with_name("without.html")}
    clean, *_ = (path for path in arguments["table"] if path.stem == "cleaning")
    others = [path for path in arguments["table"] if path.stem not in ("cleaning", "selection")]
    whole = arguments["figure"]
    arguments["figure"] = [path for path in whole if not path.name.startswith("selection")]
    page(**arguments | {"table": [*others, clean]})
    told = section(arguments["out"].read_text(), "training-text")
    assert re.findall(r"<h3[^>]*>(.*)</h3>", told) == ["What cleaning removed"]
    assert "<svg" not in told and "ranking" not in told and "Perplexity" not in told
    page(**arguments | {"table": others})
    assert "training-text" not in arguments["out"].read_text()


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Results, str]]:
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
    others: dict[str, tuple[Results, str]], name: str, heading: str
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


def test_a_reconstruction_says_so_everywhere(others: dict[str, tuple[Results, str]]) -> None:
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
    for path in results.files("report/figures/*.svg"):
        assert "(reconstruction)</text>" in path.read_text()
    assert "Reproduced" not in text


@pytest.mark.parametrize("name", ["choi2017", "bahdanau2015"])
def test_what_is_no_reconstruction_says_nothing_of_one(
    others: dict[str, tuple[Results, str]], text: str, name: str
) -> None:
    told = text if name == "choi2017" else others[name][1]
    assert "econstruct" not in told
    assert "+1.78" not in told


def test_a_page_without_comparisons_has_no_gains(
    others: dict[str, tuple[Results, str]],
) -> None:
    results, _ = others["bahdanau2015"]
    alone = Results(results.folder, results.about | {"methods": []})
    arguments = page_arguments(alone) | {"out": results.folder / "report/alone.html"}
    page(**arguments)
    assert 'id="gains"' not in arguments["out"].read_text()


def test_words_and_numbers_are_set_apart(text: str) -> None:
    assert '<td class="text">Ville-000</td>\n<td>300</td>' in text
    row = ['<td class="text published">30000</td>', '<td class="text">1600</td>']
    assert "\n".join([*row, '<td class="text">all</td>']) in text


def test_headings_know_whether_words_stand_below() -> None:
    columns = [("of it", "word"), ("of it", "note"), ("count", "")]
    assert heading_rows(Block("", columns, [], text_columns=2)) == [
        [Heading("of it", 2, 1, text=True), Heading("count", 1, 2)],
        [Heading("word", 1, 1, text=True), Heading("note", 1, 1, text=True)],
    ]


def test_headings_span_their_columns_and_empty_labels_below() -> None:
    columns = [("names", "seen"), ("names", "unseen"), ("numbers", "")]
    assert heading_rows(Block("", columns, [])) == [
        [Heading("names", 2, 1), Heading("numbers", 1, 2)],
        [Heading("seen", 1, 1), Heading("unseen", 1, 1)],
    ]


def test_only_a_drawing_can_be_inlined() -> None:
    with pytest.raises(UserError, match="figure x: not an SVG file"):
        inline("<html>", "x", "")


def test_times_are_added_up_by_stage(tmp_path: Path) -> None:
    for job, seconds in (("a", "50.5"), ("b", "30")):
        lines = ["s\tmax_rss", f"{seconds}\tNA"]
        write_lines(tmp_path / f"benchmarks/translate/{job}.tsv", lines)
    write_lines(tmp_path / "benchmarks/select.tsv", ["s\tmax_rss", "1\t20.4"])
    block = times(sorted(tmp_path.rglob("*.tsv")), [1.0])
    shown = {stage: [cell.text for cell in cells] for stage, cells in block.rows}
    assert shown["translate"] == ["2", "1:20 min", "50.5 s", "–"]
    assert shown["select"] == ["1", "1.0 s", "1.0 s", "20"]
    write_lines(tmp_path / "benchmarks/x.tsv", ["something", "else"])
    with pytest.raises(UserError, match="not a benchmark file of Snakemake"):
        times([tmp_path / "benchmarks/x.tsv"], [1.0])


def test_a_training_over_several_sittings_counts_whole(tmp_path: Path) -> None:
    write_lines(tmp_path / "benchmarks/train/a.tsv", ["s\tmax_rss", "5\t512.25"])
    write_lines(tmp_path / "benchmarks/score.tsv", ["s\tmax_rss", "600\t20"])
    block = times(sorted(tmp_path.rglob("*.tsv")), [3600.0, 7200.0])
    stage, cells = block.rows[0]
    assert (stage, [cell.text for cell in cells]) == ("train", ["2", "3:00 h", "2:00 h", "512"])


def test_what_was_run_is_told(text: str) -> None:
    for name, value in (("cores", "2"), ("sacrebleu", "2.5.1"), ("sacremoses", "0.2.0")):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in text


def test_durations() -> None:
    shown = [duration(seconds) for seconds in (3.21, 65, 3599, 7260)]
    assert shown == ["3.2 s", "1:05 min", "59:59 min", "2:01 h"]


def test_the_page_says_how_to_make_it_anew(results: Results, text: str) -> None:
    call = f"contextnmt report results/made-up {results.about['name']}"
    assert f"To remake it: <code>{call}</code>" in section(text, "run")


def test_parts_are_marked_with_their_pair_and_columns_with_their_beam(
    results: Results, elements: Elements
) -> None:
    about = results.experiment
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
