"""BLEU of every system, as a paper's table has it: test and (dev) at each beam width.

Beside the likeliest translations, as far as they are asked for: those without unknown words, on the
sentences without any (A21), the best by score per token (A18), and those of ensembles of seeds.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.report.bleu_scores import (
    ALL,
    DETOKENIZED,
    LOWEST,
    METRICS,
    SIGNATURES,
    VARIANTS,
    Of,
    Scores,
    gap_of,
    remarks,
    scores_of_ensembles,
    scores_of_runs,
    subset_sizes,
    values,
    variants,
    variants_at,
)
from contextnmt.report.experiment import Experiment, pair_title
from contextnmt.report.gaps import gap_notes
from contextnmt.report.published import headline, published_bleu
from contextnmt.report.significance_table import LEVEL, beyond_first
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import (
    MARK,
    NONE,
    PAPER,
    Block,
    Cell,
    Table,
    as_printed,
    mean_and_deviation,
    rounded,
)

#: The paper's rows, as printed, by pair, system and beam.
Printed = dict[tuple[str, str, int], dict[str, str]]


#: A score of runs that was tested against that of the first system -> whether it differs.
Tested = Mapping[Of, bool]
NOT_TESTED: Tested = {}


class Row(NamedTuple):
    """A row of a block: a system's runs, its ensemble, or (without scores) the paper's alone."""

    label: str
    system: str
    scores: Scores
    compared: bool = False  # with the others, for the best of a column
    printed: bool = False  # with the paper's numbers


def bleu_table(
    scores: list[Path],
    about: Experiment,
    ensemble_scores: list[Path] | None = None,
    significance: list[Path] | None = None,
) -> Table:
    """Set the BLEU of every system beside the paper's, and write it as CSV, Markdown and LaTeX.

    Beside it stand BLEU, chrF and TER of the detokenized translations. With `significance`, which
    is of all test texts at the widest beam, BLEU there is marked where it differs from that of the
    first system by more than chance.
    """
    runs = scores_of_runs(about, scores)
    ensembles = scores_of_ensembles(about, ensemble_scores or [])
    paper = printed(about)
    outcomes = beyond_first(about, significance) if significance else {}
    tested = {
        Of(pair, system, text, about.beam, ""): differs
        for (pair, text, system), differs in outcomes.items()
    }
    blocks = []
    for pair in about.pairs:
        blocks.append(block(about, pair, rows(about, pair, runs, ensembles, paper), paper, tested))
        blocks.append(detokenized_block(about, pair, rows(about, pair, runs, ensembles, {})))
    numbers = data(about, runs, ensembles, paper)
    return Table(blocks, numbers, notes(about, runs, ensembles, paper, tested))


def printed(about: Experiment) -> Printed:
    """The paper's rows of the experiment's pairs, systems and beams, and those for comparison.

    One whose beam the paper does not tell stands beside the widest.
    """
    systems = {system.id for system in about.systems}
    rows = {
        (row["pair"], row["system"], int(row["beam"] or about.beam)): row
        for row in published_bleu(about.name)
        if row["pair"] in about.pairs and (row["system"] in systems or row["label"])
    }
    return {key: row for key, row in rows.items() if key[-1] in about.beams}


def rows(
    about: Experiment, pair: str, runs: Scores, ensembles: Scores, paper: Printed
) -> list[Row]:
    """Each system, its ensemble below it; those that the paper has for comparison come last.

    A system that is not finished has a row without scores, and none for its ensemble.
    """
    shown = []
    for system in about.marked(pair):
        shown.append(Row(system.label, system.id, runs, compared=True, printed=True))
        if ensembles and not about.gap(pair, system.id):
            label = f"{system.label}, ensemble of {len(about.seeds)} seeds"
            shown.append(Row(label, system.id, ensembles))
    others = compared(paper, pair)
    return shown + [Row(row["label"], row["system"], {}, printed=True) for row in others]


def block(about: Experiment, pair: str, shown: list[Row], paper: Printed, tested: Tested) -> Block:
    """BLEU of one language pair: for each beam the test texts, the paper's numbers beside its own.

    Those of a paper whose text is not here stand beside the first one. As in the papers, the dev
    texts stand in brackets, beside the first test text. Variants have a heading each, and so have
    the translations beside them.
    """
    beside = text_of_paper(about, pair, paper)
    columns: list[tuple[str, ...]] = []
    of_columns = []
    for beam in about.beams:
        for variant in ["", *variants_at(about, beam)]:
            heading = [f"beam {beam}"]
            if variants(about):
                heading.append(VARIANTS[variant].heading if variant else ALL)
            cells = [printed_cell(paper, pair, beam, variant, row) for row in shown]
            for label, of in texts(about, pair, beam, variant):
                columns.append((*heading, label))
                of_columns.append(column(shown, "bleu", of, tested))
                if of[0].text == beside and any(cell.text != NONE for cell in cells):
                    columns.append((*heading, PAPER))
                    of_columns.append(cells)
    return Block(about.pair_title(pair), columns, block_rows(shown, of_columns))


def detokenized_block(about: Experiment, pair: str, shown: list[Row]) -> Block:
    """All scores of detokenized text of one language pair, of the likeliest translations."""
    columns = []
    of_columns = []
    for beam in about.beams:
        for metric, heading in DETOKENIZED.items():
            for label, of in texts(about, pair, beam):
                columns.append((f"beam {beam}", heading, label))
                of_columns.append(column(shown, metric, of))
    title = f"{about.pair_title(pair)}, detokenized"
    return Block(title, columns, block_rows(shown, of_columns))


def texts(about: Experiment, pair: str, beam: int, variant: str = "") -> list[tuple[str, list[Of]]]:
    """The columns of one kind of translations: a heading, and a test text with its dev texts."""
    found = []
    for position, text in enumerate(about.test[pair]):
        dev = [] if position else about.dev[pair]
        label = f"{text} ({', '.join(dev)})" if dev else text
        found.append((label, [Of(pair, "", name, beam, variant) for name in [text, *dev]]))
    return found


def block_rows(shown: list[Row], of_columns: list[list[Cell]]) -> list[tuple[str, list[Cell]]]:
    """The rows of a block, from its columns."""
    return [
        (row.label, [cells[number] for cells in of_columns]) for number, row in enumerate(shown)
    ]


def text_of_paper(about: Experiment, pair: str, paper: Printed) -> str:
    """The test text that the paper's numbers stand beside."""
    theirs = {row["test_set"] for (of, _, _), row in paper.items() if of == pair}
    first, *_ = about.test[pair]
    return next((text for text in about.test[pair] if text in theirs), first)


def compared(paper: Printed, pair: str) -> list[dict[str, str]]:
    """The paper's rows of a pair that no system here stands for."""
    return [row for key, row in paper.items() if key[0] == pair and row["label"]]


def printed_cell(paper: Printed, pair: str, beam: int, variant: str, row: Row) -> Cell:
    """The paper's test BLEU with its dev BLEU, if it tells one, in brackets; or a dash."""
    numbers = paper.get((pair, row.system, beam), {}) if row.printed else {}
    if variant:
        return Cell(numbers.get(VARIANTS[variant].printed or "") or NONE)
    if "test" not in numbers:
        return Cell(NONE)
    return Cell(numbers["test"], f"({numbers['dev']})" if "dev" in numbers else "")


def column(rows: list[Row], metric: str, of: list[Of], tested: Tested = NOT_TESTED) -> list[Cell]:
    """A score of all rows on a text, the best marked, with those on the dev texts in brackets.

    `of` names the text and then the dev texts. A row without a score has a dash. Scores of
    different sentences, as views have them without unknown words, have no best. A score of runs
    that was `tested` has a mark if it differs from that of the first system.
    """
    found = [
        [values(row.scores, each._replace(system=row.system), metric) for each in of]
        for row in rows
    ]
    means = [None if seeds is None else as_printed(seeds) for seeds, *_ in found]
    rivals = [
        mean for row, mean in zip(rows, means, strict=True) if row.compared and mean is not None
    ]
    sizes = {
        entry.get("sentences")
        for row in rows
        if row.compared
        for entry in row.scores.get(of[0]._replace(system=row.system), [])
        if "gap" not in entry
    }
    cells = []
    for row, mean, (seeds, *dev) in zip(rows, means, found, strict=True):
        if seeds is None:
            cells.append(Cell(NONE))
            continue
        text, spread = rounded(seeds)
        others = [NONE if each is None else " ".join(rounded(each)).rstrip() for each in dev]
        brackets = f"({', '.join(others)})" if others else ""
        highest = (min if metric in LOWEST else max)(rivals, default=None)
        best = row.compared and len(sizes) == 1 and mean == highest
        marked = row.compared and tested.get(of[0]._replace(system=row.system), False)
        cells.append(Cell(text, f"{spread} {brackets}".strip(), best, marked))
    return cells


def data(
    about: Experiment, runs: Scores, ensembles: Scores, paper: Printed
) -> list[dict[str, Any]]:
    """One row for each pair, system, text and beam, and one for each number of the paper.

    The source of an ensemble's row is ``ensemble``. A beam is None where the paper does not tell
    it. Variants are columns: a row is one of a system. One without scores has a `gap`, the reason.
    """
    table: list[dict[str, Any]] = []
    for source, scores in [("here", runs), ("ensemble", ensembles)]:
        for of, entries in scores.items():
            if not of.variant:
                row = key_of(source, of.pair, of.system, of.beam)
                row |= {"split": "dev" if of.text in about.dev[of.pair] else "test"}
                row |= {"text": of.text}
                for metric in METRICS:
                    row |= summary(metric, values(scores, of, metric))
                row |= {"seeds": len(entries) if source == "here" else len(about.seeds)}
                row |= {"gap": reason} if (reason := gap_of(scores, of)) else {}
                table.append(row | variant_columns(scores, of))
    for (pair, system, _), printed_row in paper.items():
        told = int(printed_row["beam"]) if printed_row["beam"] else None
        for split in ("test", "dev"):
            if split in printed_row:
                row = key_of(PAPER, pair, system, told)
                row |= {"split": split, "text": printed_row[f"{split}_set"]}
                row |= {"bleu": float(printed_row[split])}
                if split == "test":
                    row |= printed_variants(about, printed_row)
                table.append(row)
    return table


def summary(name: str, seeds: list[float] | None) -> dict[str, float | None]:
    """The columns of a score: its mean and its deviation, both None for a gap."""
    mean, deviation = (None, None) if seeds is None else mean_and_deviation(seeds)
    return {name: mean, f"{name}_deviation": deviation}


def variant_columns(scores: Scores, of: Of) -> dict[str, float | None]:
    """The BLEU of each variant of a translation, and the size of a subset that it is of."""
    found: dict[str, float | None] = {}
    for variant in VARIANTS:
        key = of._replace(variant=variant)
        if key in scores:
            name = variant.replace("-", "_")
            found |= summary(f"bleu_{name}", values(scores, key, "bleu"))
            for entry in (each for each in scores[key] if "of" in each):
                found |= {f"{name}_sentences": entry["sentences"]}
    return found


def printed_variants(about: Experiment, row: dict[str, str]) -> dict[str, float]:
    """The paper's BLEU of the variants that there are here too."""
    return {
        f"bleu_{variant.replace('-', '_')}": float(row[column])
        for variant in variants(about)
        if (column := VARIANTS[variant].printed) and row.get(column)
    }


def key_of(source: str, pair: str, system: str, beam: int | None) -> dict[str, Any]:
    """The columns that say whose number a row holds."""
    return {"source": source, "pair": pair, "system": system, "beam": beam}


def notes(
    about: Experiment, runs: Scores, ensembles: Scores, paper: Printed, tested: Tested
) -> list[str]:
    """What a reader must know to read the table."""
    lines = [f"Reconstruction: {about.reconstruction}"] if about.reconstruction else []
    lines += filter(None, [headline(about.name)])
    lines.append("Scores in percent; dev texts in brackets; bold: best of a column.")
    if tested:
        lines.append(note_on_marks(about, tested))
    if len(about.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(about.seeds)} seeds.")
    if ensembles:
        lines.append(
            "Ensemble: one translation, whose words the models of all seeds predict together; not "
            "in the mean, and never bold."
        )
    lines += gap_notes(about) + stale_notes(about)
    lines += notes_on_variants(about, runs)
    lines += remarks(about, runs) + remarks(about, ensembles, ", ensemble")
    lines += notes_on_paper(about, paper)
    entries = [entry for entries in runs.values() for entry in entries]
    for signature, name in SIGNATURES.items():
        found = {entry[signature] for entry in entries if signature in entry}
        as_printed = ", as in the paper" if paper and signature == "signature" else ""
        lines.append(f"{name}{as_printed}: {', '.join(sorted(found))}")
    return lines


def note_on_marks(about: Experiment, tested: Tested) -> str:
    """What a mark says, and where a score without one was not tested."""
    there = {(of.pair, of.text) for of in tested}
    missing = [
        f"{pair_title(pair)} {text}"
        for pair in about.pairs
        for text in about.test[pair]
        if (pair, text) not in there
    ]
    untested = f", and not in {', '.join(missing)}" if missing else ""
    return (
        f"{MARK}: differs from {about.systems[0].label} by more than the choice of test sentences "
        f"explains: both tests have p < {LEVEL}. Tested with beam {about.beam} alone{untested}."
    )


def notes_on_variants(about: Experiment, runs: Scores) -> list[str]:
    """What the columns beside that of all sentences are."""
    there = variants(about)
    lines = []
    if "no-unknown" in there:
        sizes = "; ".join(subset_sizes(about, runs))
        lines.append(
            f"{VARIANTS['no-unknown'].heading}: sentences without an unknown word in source and "
            f"reference, translated without the unknown word ({sizes})."
        )
    if "normalised" in there:
        wide = all("normalised" in variants_at(about, beam) for beam in about.beams)
        one = "" if wide else " Beam 1 has none: of one translation none is better."
        lines.append(
            f"{VARIANTS['normalised'].heading}: of all translations that a beam ends, the best by "
            f"score per token instead of the likeliest; no column of the paper.{one}"
        )
    return lines


def notes_on_paper(about: Experiment, paper: Printed) -> list[str]:
    """What a reader must know to compare with the paper's numbers; nothing if there are none."""
    texts = {}
    for (pair, _, _), row in paper.items():
        dev = f" ({row['dev_set']})" if "dev_set" in row else ""
        texts[pair] = f"{pair_title(pair)} {row['test_set']}{dev}"
    if not texts:
        return []
    lines = [
        f"The paper's texts are {' and '.join(texts.values())}: where the texts here are others, "
        "compare the differences between systems, not the scores."
    ]
    if not all(row["beam"] for row in paper.values()):
        lines.append("The paper tells no beam width: its numbers stand beside the widest.")
    quoted = dict.fromkeys(row["label"] for row in paper.values() if row["label"])
    if quoted:
        lines.append(f"{', '.join(quoted)}: a row of the paper alone, for comparison.")
    there = {system for _, system, _ in paper}
    missing = [system.label for system in about.systems if system.id not in there]
    if missing:
        lines.append(f"Not in the paper's table: {', '.join(missing)}.")
    return lines
