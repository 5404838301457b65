"""The page: all tables and figures of an experiment, in one self-contained HTML file."""

import base64
import html
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from contextnmt.closure import ROOT
from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.claims import Contrast, PairScores
from contextnmt.report.contents import FIGURE_FORMATS, outputs, parts
from contextnmt.report.differences import on_page, shown_differences, title
from contextnmt.report.figures import INK, RULE
from contextnmt.report.findings import findings
from contextnmt.report.gaps import reason_lines
from contextnmt.report.masks_text import observations
from contextnmt.report.provenance import (
    deviations,
    facts,
    read_models,
    times,
    training_data,
)
from contextnmt.report.published import headline
from contextnmt.report.rendering import filters, render
from contextnmt.report.results import Results
from contextnmt.report.sentences import shown_examples
from contextnmt.report.tables import Block, signed, table_of, texts_of

CAPTIONS = ROOT / "workflow/report"
TEMPLATE = "page.html.j2"
DIFFERENCES = "differences.html.j2"  # a part of it

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
TOLD_ELSEWHERE = {
    "curves.bleu": "the best of each training stands in the table of trainings",
    "curves.loss": "the one at the best update of each training stands in the table of trainings",
    "lengths": "the BLEU of each group stands in the table after it",
    "local-charts": "the words along the axes stand in the table before it",
    "masks": "the mean distances stand in the table of words in their contexts",
}
#: Experiment -> the parts that its paper has too, with their names there.
NUMBERED = {"bahdanau2015": {"lengths": "Figure 2", "trainings": "Table 2"}}
#: Tables of the sections on contextualization and on symbolization.
CONTEXTUALIZATION = {"table1", "gates", "masks"}
SYMBOLIZATION = {"table2", "table3", "symbols", "symbol-scores", "symbol-errors", "restoration"}
#: Formats of a table that a reader downloads.
TEXT_FORMATS = ("csv", "md", "tex")
#: Suffix of a file -> the name of its format.
FORMATS = {
    "csv": "CSV",
    "md": "Markdown",
    "tex": "LaTeX",
    "svg": "SVG",
    "pdf": "PDF",
    "png": "PNG",
}


def page(results: Results) -> None:
    """Write the page: findings, tables, figures, example translations, and what was run."""
    out = results.report / "index.html"
    made = parts(results)
    tables = {part.table: results.read_table(part.table) for part in made if part.table}
    data = {name: table.data for name, table in tables.items()}
    models = read_models(results)
    found = {
        pair: PairScores(results, pair, data[results.table], data["significance"]).contrasts()
        for pair in results.pairs
    }
    figures = [
        drawn(results, path, found[pair], out)
        for pair in results.pairs
        for part in made
        for path in outputs(results, part, "svg")
        if shows(path, pair, found[pair])
    ]
    content = {
        "DIFFERENCES": DIFFERENCES,
        "contrast_title": title,
        "results": results,
        "bleu_heading": bleu_heading(results),
        "headline": headline(results.name),
        "filters": filters([results]),
        "captions": captions(),
        "findings": findings(results, data),
        "tables": {
            name: {
                "blocks": table.blocks,
                "notes": table.notes,
                "excerpts": table.excerpts,
                "links": links(results.report / "tables" / f"{name}.json", TEXT_FORMATS, out),
            }
            for name, table in tables.items()
        },
        "figures": figures,
        "kinds": {each["kind"] for each in figures},
        "numbers": NUMBERED.get(results.name, {}),
        "examples": shown_examples(results, tables["examples"].data)
        if "examples" in tables
        else [],
        "differences": on_page(shown_differences(results, tables["differences"].data))
        if "differences" in tables
        else [],
        "contextualized": not (CONTEXTUALIZATION - {results.table}).isdisjoint(tables),
        "observations": observations(results, data.get("masks", [])),
        "symbolized": not SYMBOLIZATION.isdisjoint(tables),
        "facts": facts(results, models),
        "gaps": reason_lines(results, results.gaps),
        "stale": reason_lines(results, results.stale),
        "deviations": enclosed("deviations", [deviations(results)]),
        "training_data": enclosed("training-data", training_data(results, models)),
        "times": enclosed(
            "time", [times(results, [entry["seconds"] for entry in models.values()])]
        ),
    }
    render(TEMPLATE, content, out)


def bleu_heading(results: Results) -> str:
    """The heading of the BLEU table, with the number that it has in the paper, if it has one."""
    number = re.fullmatch(r"table(\d+)", results.table)
    return "BLEU of every system" + (f" (Table {number[1]} of the paper)" if number else "")


def shows(path: Path, pair: str, found: list[Contrast]) -> bool:
    """Whether a figure is of this pair and, if it is one of gains, has any."""
    kind, of, *_ = path.name.split(".")
    return of == pair and (kind != "gains" or bool(found))


def captions() -> dict[str, str]:
    """The text of each caption, by its name."""
    files = sorted(CAPTIONS.glob("*.rst"))
    return {path.stem: " ".join(" ".join(read_lines(path)).split()) for path in files}


def links(path: Path, suffixes: Sequence[str], out: Path) -> list[tuple[str, str, str]]:
    """The files beside `path` that hold the same in other formats: format, relative link, and no
    name to save it by, as it has one."""
    stem = os.path.relpath(path.with_suffix(""), out.parent).replace(os.sep, "/")
    return [(FORMATS[suffix], f"{stem}.{suffix}", "") for suffix in suffixes]


def enclosed(name: str, blocks: list[Block]) -> dict[str, Any]:
    """A table of this name that is a part of the page alone, with its `links`, which hold files."""
    files = [
        (suffix, base64.b64encode(text.encode()).decode())
        for suffix, text in texts_of(table_of(blocks)).items()
    ]
    held = [
        (FORMATS[suffix], f"data:text/plain;base64,{content}", f"{name}.{suffix}")
        for suffix, content in files
    ]
    return {"blocks": blocks, "links": held}


def drawn(results: Results, path: Path, found: list[Contrast], out: Path) -> dict[str, Any]:
    """A figure as the template wants it: kind (the first part of its name), SVG, and links."""
    kind, pair, *quantity = path.stem.split(".")
    name = ".".join([kind, *quantity])
    text = f"{DESCRIPTIONS.get(name, kind)}, {results.pair_title(pair)}"
    text += f"; {TOLD_ELSEWHERE[name]}" if name in TOLD_ELSEWHERE else ""
    if kind == "gains":
        text += "".join(
            f"; {item.label} {signed(item.gain)} here"
            + ("" if item.paper is None else f", {signed(item.paper)} in the paper")
            for item in found
        )
    svg = "\n".join(read_lines(path))
    return {
        "kind": kind,
        "pair": pair,
        "svg": inline(svg, path.stem, text),
        "links": links(path, FIGURE_FORMATS, out),
        "title": text.split(";")[0],
    }


def inline(svg: str, name: str, alternative: str) -> str:
    """An SVG file as a part of the page, in the page's colours, its ids its own.

    Raises UserError if `svg` holds no drawing.
    """
    start = svg.find("<svg")
    if start < 0:
        raise UserError(f"figure {name}: not an SVG file: draw it again")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[start:], flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r" font-family: [^;\"]*;", "", svg)  # the page's own
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}.", svg)
    for colour, own in SCHEME.items():
        svg = svg.replace(colour, own)
    label = f'<svg role="img" aria-label="{html.escape(alternative)}"'
    return svg.replace("<svg", label, 1)
