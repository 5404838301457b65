"""The page: all tables and figures of an experiment, in one self-contained HTML file."""

import base64
import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from contextnmt.closure import ROOT
from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.contents import FIGURE_FORMATS, outputs, parts
from contextnmt.report.crate import crate
from contextnmt.report.differences import shown_differences
from contextnmt.report.failures import failure_lines
from contextnmt.report.figures import INK, RULE
from contextnmt.report.findings import findings, observations
from contextnmt.report.gains import Difference, PairScores
from contextnmt.report.gaps import reason_lines
from contextnmt.report.provenance import (
    checklist,
    deviations,
    facts,
    read_models,
    times,
    training_data,
)
from contextnmt.report.published import headline
from contextnmt.report.rendering import filters, render
from contextnmt.report.results import Results, read_record
from contextnmt.report.sentences import shown_examples
from contextnmt.report.tables import Block, Row, signed, table_of, texts_of

CAPTIONS = ROOT / "workflow/report"

#: Colours of a figure's file -> colours of the page's scheme.
SCHEME = {INK: "currentColor", RULE: "var(--rule)", "#ffffff": "none"}

#: Figure, by its file's name without the pair -> what it shows.
DESCRIPTIONS = {
    "alignments.chosen": "Alignments of chosen sentences",
    "alignments.random": "Alignments of random sentences",
    "curves.bleu": "BLEU on the dev texts by update",
    "curves.loss": "Training loss by update",
    "gains": "Gain of each method",
    "lengths": "BLEU by the length of the source sentence",
    "selection.scores": "Scores of the pairs of each training corpus",
    "selection.perplexity": "Perplexity of selected and of random text",
    "local-charts": "Local charts of words",
    "masks": "The context masks of a word in two contexts",
}
#: Figure -> where those find its numbers who do not see it.
DESCRIBED_ELSEWHERE = {
    "curves.bleu": "the best of each training stands in the table of trainings",
    "curves.loss": "the one at the best update of each training stands in the table of trainings",
    "lengths": "the BLEU of each group stands in the table after it",
    "local-charts": "the words along the axes stand in the table before it",
    "masks": "the mean distances stand in the table of words in their contexts",
}
#: Parts that are numbered in the paper of an experiment -> how their headings end.
NUMBERED = {"lengths": " (Figure 2 of the paper)", "trainings": " (Table 2 of the paper)"}
#: Formats of a table that a reader downloads.
TEXT_FORMATS = ("csv", "md", "tex")
#: Models of more characters than this go to a page of their own, of this name.
LARGE, TRIED = 8_000_000, "try-it.html"
#: Suffix of a file -> the name of its format.
FORMATS = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
FORMATS |= {suffix: suffix.upper() for suffix in FIGURE_FORMATS}


def page(results: Results) -> None:
    """Write the page, from the findings to what was run, and the list of what is in its folder."""
    tables = {part.table: results.read_table(part.table) for part in parts(results) if part.table}
    data = {name: table.data for name, table in tables.items()}
    models = read_models(results)
    figures = list(drawings(results, data))
    tried = browser_models(results)
    content = {
        "DIFFERENCES": "differences.html.j2",
        "results": results,
        "bleu_heading": bleu_heading(results),
        "headline": headline(results.name),
        "filters": filters([results]),
        "captions": captions(),
        "findings": findings(results, data),
        "tables": tables,
        "links": {name: links(f"tables/{name}", TEXT_FORMATS) for name in tables},
        "figures": figures,
        "kinds": {each["kind"] for each in figures},
        "numbers": NUMBERED if results.name == "bahdanau2015" else dict.fromkeys(NUMBERED, ""),
        "examples": shown_examples(results, data["examples"]),
        "differences": list(shown_differences(results, data["differences"])),
        "observations": observations(results, data.get("masks", [])),
        "facts": facts(results, models),
        "checklist": checklist(results, models),
        "gaps": reason_lines(results, results.gaps),
        "stale": reason_lines(results, results.stale),
        "pretrained": reason_lines(results, results.pretrained),
        "failed": failure_lines(results, data["trainings"]),
        "tried": tried,
        "tried_beside": sum(len(each["text"]) for each in tried) > LARGE,
        "TRIED": TRIED,
        "deviations": enclosed("deviations", [deviations(results)]),
        "training_data": enclosed("training-data", training_data(results, models)),
        "times": enclosed(
            "time", [times(results, [model["seconds"] for model in models.values()])]
        ),
    }
    beside = results.report / TRIED
    if content["tried_beside"]:
        render("try_page.html.j2", content, beside)
    else:
        beside.unlink(missing_ok=True)
    render("page.html.j2", content, results.report / "index.html")
    crate(results, models)


def browser_models(results: Results) -> list[dict[str, Any]]:
    """The systems that translate in the page: a label, JSON for its script, and what it compared.

    No ``<`` is in the JSON, so that nothing in it ends the element that holds it.
    """
    found = []
    for run, path in results.browser_models().items():
        record = read_record(path)
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        found.append(
            {
                "label": f"{results.pair_title(run.pair)}, {results.labels(run.pair)[run.system]}",
                "text": text.replace("<", "\\u003c"),
                "beam": record["beam"],
                "compared": record["compared"],
            }
        )
    return found


def bleu_heading(results: Results) -> str:
    """The heading of the BLEU table, with the number that it has in the paper, if it has one."""
    number = re.fullmatch(r"table(\d+)", results.table)
    return "BLEU of every system" + (f" (Table {number[1]} of the paper)" if number else "")


def captions() -> dict[str, str]:
    """The text of each caption, by its name."""
    files = sorted(CAPTIONS.glob("*.rst"))
    return {path.stem: " ".join(path.read_text(encoding="utf-8").split()) for path in files}


def links(stem: str, suffixes: Sequence[str]) -> list[tuple[str, str, str]]:
    """The files `stem` + ``.csv`` and so on: format, relative link, and no name to save it by."""
    return [(FORMATS[suffix], f"{stem}.{suffix}", "") for suffix in suffixes]


def enclosed(name: str, blocks: list[Block]) -> dict[str, Any]:
    """A table of this name that is a part of the page alone, with its `links`, which hold files."""
    held = []
    for suffix, text in texts_of(table_of(blocks)).items():
        content = base64.b64encode(text.encode()).decode()
        link = f"data:text/plain;base64,{content}"
        held.append((FORMATS[suffix], link, f"{name}.{suffix}"))
    return {"blocks": blocks, "links": held}


def drawings(results: Results, data: dict[str, list[Row]]) -> Iterator[dict[str, Any]]:
    """The figures of finished pairs as the template wants them.

    Each has its kind (the first part of its name), pair, title, SVG and links. One of gains without
    any is left out. `data` is that of the tables.
    """
    gains = {
        pair: PairScores(results, pair, data[results.table], data["significance"]).gains()
        for pair in results.pairs
    }
    for path in (path for part in parts(results) for path in outputs(results, part, "svg")):
        kind, pair, *quantity = path.stem.split(".")
        if pair not in gains or (kind == "gains" and not gains[pair]):
            continue
        name = ".".join([kind, *quantity])
        figure_title = f"{DESCRIPTIONS.get(name, kind)}, {results.pair_title(pair)}"
        described = [figure_title, *filter(None, [DESCRIBED_ELSEWHERE.get(name)])]
        if kind == "gains":
            described += (gain_in_words(each) for _, found in gains[pair] for each in found)
        yield {
            "kind": kind,
            "pair": pair,
            "quantity": ".".join(quantity),
            "title": figure_title,
            "svg": inline("\n".join(read_lines(path)), path.stem, "; ".join(described)),
            "links": links(f"figures/{path.stem}", FIGURE_FORMATS),
        }


def gain_in_words(gain: Difference) -> str:
    """``+Context (C) over Baseline +1.20 here, +0.90 in the paper``."""
    paper = "" if gain.paper is None else f", {signed(gain.paper)} in the paper"
    return f"{gain.label} {signed(gain.gain)} here{paper}"


def inline(svg: str, name: str, alternative: str) -> str:
    """An SVG file as a part of the page, in the page's colours, its ids its own.

    Raises UserError if `svg` holds no drawing.
    """
    start = svg.find("<svg")
    if start < 0:
        raise UserError(f"figure {name}: not an SVG file: draw it again")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[start:], flags=re.DOTALL)
    svg = re.sub(r' (width|height)="[^"]*"', "", svg, count=2)  # the first are its own
    svg = re.sub(r"<[^>]*>", lambda tag: adapted(tag[0], name), svg)  # no text between tags
    label = f'<svg role="img" aria-label="{html.escape(alternative)}"'
    return svg.replace("<svg", label, 1)


def adapted(tag: str, name: str) -> str:
    """A tag of the SVG file `name` in the font and colours of the page, its ids its own."""
    tag = re.sub(r" font-family: [^;\"]*;", "", tag)
    tag = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}.", tag)
    for colour, own in SCHEME.items():
        tag = tag.replace(colour, own)
    return tag
