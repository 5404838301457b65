"""The page: all tables and figures of an experiment, in one self-contained HTML file."""

import base64
import html
import os
import re
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.report.contextualization import observations
from contextnmt.report.differences import on_page, shown_differences, title
from contextnmt.report.experiment import Experiment, by_run
from contextnmt.report.figures import INK, RULE
from contextnmt.report.findings import findings
from contextnmt.report.gains import Contrast, contrasts
from contextnmt.report.gaps import gap_lines
from contextnmt.report.provenance import (
    deviations,
    facts,
    read_models,
    times,
    training_data,
)
from contextnmt.report.published import headline
from contextnmt.report.rendering import filters, render
from contextnmt.report.sentences import shown_examples
from contextnmt.report.stale import stale_lines
from contextnmt.report.tables import Block, read_table, signed, table_of, texts_of

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
#: Suffix of a file -> the name of its format.
FORMATS = {
    "csv": "CSV",
    "md": "Markdown",
    "tex": "LaTeX",
    "svg": "SVG",
    "pdf": "PDF",
    "png": "PNG",
}


def page(
    table: list[Path],
    figure: list[Path],
    caption: list[Path],
    model: list[Path],
    benchmark: list[Path],
    about: Experiment,
    out: Path,
) -> None:
    """Write the page: findings, tables, figures, example translations, and what was run.

    Parts whose tables or figures are not given are left out.
    """
    tables = {path.stem: read_table(path) for path in table}
    if about.table not in tables:
        raise UserError(f"table: no {about.table}.json among the tables: the page needs it")
    data = {name: made.data for name, made in tables.items()}
    bleu, tests = data[about.table], data.get("significance", [])
    models = read_models(by_run("model", model, about))
    found = {pair: contrasts(about, bleu, tests, pair) for pair in about.pairs}
    figures = [
        drawn(about, path, found[pair], out)
        for pair in about.pairs
        for path in figure
        if shows(path, pair, found[pair])
    ]
    content = {
        "DIFFERENCES": DIFFERENCES,
        "contrast_title": title,
        "about": about,
        "bleu_heading": bleu_heading(about),
        "headline": headline(about.name),
        "filters": filters([about]),
        "captions": captions(caption),
        "findings": findings(about, data),
        "tables": {
            path.stem: {
                "blocks": tables[path.stem].blocks,
                "notes": tables[path.stem].notes,
                "excerpts": tables[path.stem].excerpts,
                "links": links(path, ("csv", "md", "tex"), out),
            }
            for path in table
        },
        "figures": figures,
        "kinds": {each["kind"] for each in figures},
        "numbers": NUMBERED.get(about.name, {}),
        "examples": shown_examples(about, tables["examples"].data) if "examples" in tables else [],
        "differences": on_page(shown_differences(about, tables["differences"].data))
        if "differences" in tables
        else [],
        "contextualized": not (CONTEXTUALIZATION - {about.table}).isdisjoint(tables),
        "observations": observations(about, data.get("masks", [])),
        "symbolized": not SYMBOLIZATION.isdisjoint(tables),
        "facts": facts(about, models),
        "gaps": gap_lines(about),
        "stale": stale_lines(about),
        "deviations": enclosed("deviations", [deviations(about)]),
        "training_data": enclosed("training-data", training_data(about, models)),
        "times": enclosed(
            "time", [times(benchmark, [entry["seconds"] for entry in models.values()])]
        ),
    }
    render(TEMPLATE, content, out)


def bleu_heading(about: Experiment) -> str:
    """The heading of the BLEU table, with the number that it has in the paper, if it has one."""
    number = re.fullmatch(r"table(\d+)", about.table)
    return "BLEU of every system" + (f" (Table {number[1]} of the paper)" if number else "")


def shows(path: Path, pair: str, found: list[Contrast]) -> bool:
    """Whether a figure is of this pair and, if it is one of gains, has any."""
    kind, of, *_ = path.name.split(".")
    return of == pair and (kind != "gains" or bool(found))


def captions(files: list[Path]) -> dict[str, str]:
    """The text of each caption file, by its name."""
    return {path.stem: " ".join(" ".join(read_lines(path)).split()) for path in files}


def links(path: Path, suffixes: tuple[str, ...], out: Path) -> list[tuple[str, str, str]]:
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


def drawn(about: Experiment, path: Path, found: list[Contrast], out: Path) -> dict[str, Any]:
    """A figure as the template wants it: kind (the first part of its name), SVG, and links."""
    kind, pair, *quantity = path.stem.split(".")
    name = ".".join([kind, *quantity])
    text = f"{DESCRIPTIONS.get(name, kind)}, {about.pair_title(pair)}"
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
        "links": links(path, ("svg", "pdf", "png"), out),
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
