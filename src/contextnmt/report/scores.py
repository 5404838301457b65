"""The table of scores: BLEU of every system, test and (dev) at each beam width, as papers print it.

The configuration may ask for more translations: without unknown words, on the sentences without any
(A21); with the best score per token (A18); by ensembles of seeds; with unknown words replaced. A
second block has the scores of detokenized text.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any, NamedTuple

from contextnmt.report.certainty import beyond_first
from contextnmt.report.failures import Failure
from contextnmt.report.learning_curves import failures_of
from contextnmt.report.published import headline, published_bleu
from contextnmt.report.results import Record, Results, pair_title, read_record
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

#: Sources of scores in the data, beside `PAPER`: the runs of all seeds, their ensemble, and their
#: translations of the widest beam with unknown words replaced.
HERE, ENSEMBLE, REPLACED = "here", "ensemble", "replaced"
#: Ending of the label of a row of the last ones.
WITH_REPLACED = ", unknown words replaced"
#: Variant of a translation, as its name ends (empty: the likeliest) -> its heading, its column in
#: the data, and its column in a paper's file.
VARIANTS = {"": "All", "no-unknown": "No UNK", "normalised": "normalised (extra)"}
COLUMNS = {"": "bleu", "no-unknown": "bleu_no_unknown", "normalised": "bleu_normalised"}
PRINTED = {"": "test", "no-unknown": "no_unk"}
#: Key of a score of detokenized text in scores.json -> its heading. Papers print none of these.
DETOKENIZED = {"bleu_detokenized": "BLEU", "chrf": "chrF", "ter": "TER"}
#: Key of a signature in scores.json -> its score.
SIGNATURES = {
    "signature": "BLEU on tokenized text",
    "signature_detokenized": "Detokenized, with an untouched reference: BLEU",
    "signature_chrf": "chrF",
    "signature_ter": "TER (lower is better)",
}


class Translation(NamedTuple):
    """A translation of a text; as a string, its key in scores.json."""

    text: str
    beam: int
    variant: str = ""

    def __str__(self) -> str:
        return f"{self.text}.beam{self.beam}.{self.variant}".rstrip(".")


class Row(NamedTuple):
    """A row of a block: a system's runs, their ensemble, or a system that only the paper has.

    `contents` are those of scores.json: one for each seed, one for an ensemble, otherwise none. Of
    runs with unknown words replaced, they have the counts of these words too. A training of a row
    that `failed` may have failed: beside its means stand medians.
    """

    source: str
    pair: str
    system: str
    label: str
    contents: Sequence[Mapping[str, Record]]
    failed: bool = False

    def entries(self, translation: Translation) -> list[Record]:
        """The scores of a translation, or the `gap` in their place, of each seed.

        A row of replaced words has none of other translations.
        """
        name = str(translation)
        there = (each for each in self.contents if self.source != REPLACED or name in each)
        return [content[name] for content in there]

    def values(self, translation: Translation, metric: str) -> list[float]:
        """A score of each seed; empty if one is missing."""
        return scores_of(self.entries(translation), metric)


#: A score of one seed, or its gap.
Entry = tuple[Row, Translation, Record]
#: The columns of a block: headings and cells.
Columns = dict[tuple[str, ...], list[Cell]]
#: The paper's rows, as printed, by pair, system and beam.
Printed = dict[tuple[str, str, int], dict[str, str]]
#: Pair, test text and system -> whether its BLEU differs from that of the first system.
Tested = Mapping[tuple[str, str, str], bool]


def bleu_table(results: Results) -> Table:
    """Set the BLEU of every system beside the paper's.

    Beside it stand BLEU, chrF and TER of the detokenized translations. BLEU at the widest beam is
    marked where it differs from that of the first system by more than chance.
    """
    paper, tested = printed(results), beyond_first(results)
    blocks, scored, failed = [], [], failures_of(results) if len(results.seeds) > 1 else []
    for pair in results.pairs:
        title, rows = results.pair_title(pair), rows_of(results, pair, paper, failed)
        here = [row for row in rows if row.source != PAPER]
        of_all = [row for row in here if row.source != REPLACED]
        detokenized: Columns = {
            (f"beam {beam}", heading, label): column(of_all, metric, of, {})
            for beam in results.beams
            for metric, heading in DETOKENIZED.items()
            for label, of in of_texts(results, pair, beam)
        }
        blocks += [
            block(title, rows, bleu_columns(results, pair, rows, paper, tested)),
            block(f"{title}, detokenized", of_all, detokenized),
        ]
        scored += [row for row in here if row.contents]
    scored.sort(key=lambda row: [HERE, ENSEMBLE, REPLACED].index(row.source))
    return Table(blocks, data(results, scored, paper), notes(results, scored, paper, tested))


def printed(results: Results) -> Printed:
    """The paper's rows of the experiment's pairs, systems and beams, and those for comparison.

    Numbers without a beam width stand beside the widest beam.
    """
    systems = {system.id for system in results.systems}
    return {
        (row["pair"], row["system"], beam): row
        for row in published_bleu(results.name)
        if row["pair"] in results.pairs
        and (row["system"] in systems or row["label"])
        and (beam := int(row["beam"] or results.beam)) in results.beams
    }


def rows_of(results: Results, pair: str, paper: Printed, failed: list[Failure]) -> list[Row]:
    """Each system, with replaced words and its ensemble below it; the paper's other rows come last.

    A system that is not finished has a row without scores alone.
    """
    scores, ensembles = results.scores().items(), results.ensemble_scores()
    replacements = results.replacements().items()
    with_failed = {run[:2] for each in failed for run in each.runs}
    rows = []
    for system in results.marked(pair):
        of = (pair, system.id)
        contents = [read_record(path) for run, path in scores if run[:2] == of]
        rows.append(Row(HERE, *of, system.label, contents, of in with_failed))
        if replaced := [files for run, files in replacements if run[:2] == of]:
            names = [str(Translation(text, results.beam)) for text in results.texts(pair)]
            contents = [of_replaced(names, *map(read_record, files)) for files in replaced]
            label = system.label + WITH_REPLACED
            rows.append(Row(REPLACED, *of, label, contents, of in with_failed))
        if of in ensembles:
            label = f"{system.label}, ensemble of {len(results.seeds)} seeds"
            rows.append(Row(ENSEMBLE, *of, label, [read_record(ensembles[of])]))
    quoted = [row for key, row in paper.items() if key[0] == pair and row["label"]]
    return rows + [Row(PAPER, pair, row["system"], row["label"], []) for row in quoted]


def of_replaced(names: list[str], scores: Record, counts: Record) -> dict[str, Record]:
    """BLEU of translations with unknown words replaced, with the counts of these words."""
    files = {name: f"{name}.replaced" for name in names}
    for of in files.values():
        scores[of].update(counts[of])
    return {name: scores[of] for name, of in files.items()}


def block(title: str, rows: list[Row], columns: Columns) -> Block:
    """A block from its columns."""
    cells = map(list, zip(*columns.values(), strict=True))
    return Block(title, [*columns], [*zip([row.label for row in rows], cells, strict=True)])


def bleu_columns(
    results: Results, pair: str, rows: list[Row], paper: Printed, tested: Tested
) -> Columns:
    """BLEU of one language pair: for each beam and variant the test texts.

    The paper's numbers stand beside its test text, or beside the first one if its text is not here.
    """
    theirs = {row["test_set"] for (of, *_), row in paper.items() if of == pair}
    texts = results.test[pair]
    beside = next((text for text in texts if text in theirs), texts[0])
    several = len(variants(results, *results.beams)) > 1
    columns: Columns = {}
    for beam in results.beams:
        for variant in variants(results, beam):
            heading = [f"beam {beam}", *([VARIANTS[variant]] if several else [])]
            cells = [printed_cell(paper, beam, variant, row) for row in rows]
            marks = tested if (beam, variant) == (results.beam, "") else {}
            for label, of in of_texts(results, pair, beam, variant):
                columns[*heading, label] = column(rows, "bleu", of, marks)
                if of[0].text == beside and any(cell.text != NONE for cell in cells):
                    columns[*heading, PAPER] = cells
    return columns


def variants(results: Results, *beams: int) -> list[str]:
    """The variants that there are at any of these beam widths, in the order of the table."""
    ends = [name.partition(".")[::2] for name in results.translations]
    there = {variant for width, variant in ends if width in {f"beam{beam}" for beam in beams}}
    return [variant for variant in VARIANTS if variant in there]


def of_texts(
    results: Results, pair: str, beam: int, variant: str = ""
) -> Iterator[tuple[str, list[Translation]]]:
    """Headings, and the translations of a test text and of the dev texts in brackets beside it.

    As in the papers, the dev texts stand beside the first test text.
    """
    for number, text in enumerate(results.test[pair]):
        dev = [] if number else results.dev[pair]
        label = f"{text} ({', '.join(dev)})" if dev else text
        yield label, [Translation(name, beam, variant) for name in [text, *dev]]


def printed_cell(paper: Printed, beam: int, variant: str, row: Row) -> Cell:
    """The paper's BLEU, with its dev BLEU, if it prints one, in brackets; or a dash."""
    of_paper = row.source in (HERE, PAPER)
    numbers = paper.get((row.pair, row.system, beam), {}) if of_paper else {}
    dev = f"({numbers['dev']})" if "dev" in numbers and not variant else ""
    return Cell(numbers.get(PRINTED.get(variant, "")) or NONE, dev)


def column(rows: list[Row], metric: str, of: list[Translation], tested: Tested) -> list[Cell]:
    """A score of a test text in all rows, the best marked, with its dev texts in brackets.

    Only runs are best or marked. None is best where they are scored on different sentences, as
    views are without unknown words. A score that was `tested` is marked if it differs.
    """
    test, *dev = of
    runs = [row for row in rows if row.source == HERE and row.values(test, metric)]
    means = {row.system: as_printed(row.values(test, metric)) for row in runs}
    sizes = {entry.get("sentences") for row in runs for entry in row.entries(test)}
    best = (min if metric == "ter" else max)(means.values()) if len(sizes) == 1 else None
    cells = []
    for row in rows:
        if not (seeds := row.values(test, metric)):
            cells.append(Cell(NONE))
            continue
        text, spread = rounded(seeds)
        spread += f", median {median(seeds):.2f}" if row.failed else ""
        others = [
            " ".join(rounded(values)).rstrip() if (values := row.values(each, metric)) else NONE
            for each in dev
        ]
        brackets = f"({', '.join(others)})" if others else ""
        of_run = row.source == HERE
        is_best = of_run and means[row.system] == best
        marked = of_run and tested.get((row.pair, test.text, row.system), False)
        cells.append(Cell(text, f"{spread} {brackets}".strip(), is_best, marked))
    return cells


def data(results: Results, scored: list[Row], paper: Printed) -> list[dict[str, Any]]:
    """One row for each pair, system, text and beam, and one for each number of the paper.

    The source of an ensemble's row is ``ensemble``, with unknown words replaced ``replaced``. A
    beam is None where the paper does not tell it. Variants are columns: a row is one of a system.
    One without scores has a `gap`, the reason.
    """
    table = [
        numbers(results, row, text, beam)
        for row in scored
        for text in results.texts(row.pair)
        for beam in results.beams
        if row.entries(Translation(text, beam))
    ]
    here = variants(results, *results.beams)
    test = {COLUMNS[variant]: of for variant, of in PRINTED.items() if variant in here}
    for (pair, system, _), row in paper.items():
        key: dict[str, Any] = {"source": PAPER, "pair": pair, "system": system}
        key["beam"] = int(row["beam"]) if row["beam"] else None
        for split, columns in [("test", test), ("dev", {"bleu": "dev"})]:
            if split in row:
                bleu = {name: float(row[of]) for name, of in columns.items() if row.get(of)}
                table.append({**key, "split": split, "text": row[f"{split}_set"], **bleu})
    return table


def numbers(results: Results, row: Row, text: str, beam: int) -> dict[str, Any]:
    """A row of data: all scores of the translations of a text."""
    likeliest = Translation(text, beam)
    split = "dev" if text in results.dev[row.pair] else "test"
    key = {"source": row.source, "pair": row.pair, "system": row.system, "beam": beam}
    found: dict[str, Any] = {**key, "split": split, "text": text}
    for metric in ["bleu", *([] if row.source == REPLACED else DETOKENIZED)]:
        found |= summary(metric, row.values(likeliest, metric))
    found["seeds"] = len(results.seeds)
    if row.failed and (seeds := row.values(likeliest, "bleu")):
        found["bleu_median"] = median(seeds)
    if row.source == REPLACED:
        found["unknown_percent"] = fmean(unknown_percents(row.entries(likeliest)))
    gaps = dict.fromkeys(entry["gap"] for entry in row.entries(likeliest) if "gap" in entry)
    if gaps:
        found["gap"] = "; ".join(gaps)
    for variant in filter(None, variants(results, beam)):
        translation = Translation(text, beam, variant)
        found |= summary(COLUMNS[variant], row.values(translation, "bleu"))
        for entry in row.entries(translation):
            found |= {"no_unknown_sentences": entry["sentences"]} if "of" in entry else {}
    return found


def unknown_percents(entries: list[Record]) -> list[float]:
    """The percentage of unknown words in the translation of each seed."""
    return [100 * each["unknown"] / (each["words"] or 1) for each in entries]


def summary(name: str, seeds: list[float]) -> dict[str, float | None]:
    """The columns of a score: its mean and its deviation, both None for a gap."""
    mean, deviation = mean_and_deviation(seeds) if seeds else (None, None)
    return {name: mean, f"{name}_deviation": deviation}


def scores_of(entries: list[Record], metric: str) -> list[float]:
    """A score of each seed; empty if one is missing, as a mean is one of all seeds."""
    return [] if any("gap" in each for each in entries) else [each[metric] for each in entries]


def notes(results: Results, scored: list[Row], paper: Printed, tested: Tested) -> list[str]:
    """The notes of the table."""
    entries = [
        (row, translation, entry)
        for row in scored
        for text in results.texts(row.pair)
        for beam in results.beams
        for translation in (Translation(text, beam, each) for each in variants(results, beam))
        for entry in row.entries(translation)
    ]
    lines = [f"Reconstruction: {results.reconstruction}"] if results.reconstruction else []
    lines += filter(None, [headline(results.name)])
    lines.append(
        "Scores in percent; dev texts in brackets; bold: best of its column, significant or not."
    )
    if any(tested.values()):
        lines.append(note_on_marks(results, tested))
    if len(results.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(results.seeds)} seeds.")
    if failed := dict.fromkeys(f"{row.label} ({row.pair})" for row in scored if row.failed):
        lines.append(
            f"The median stands beside the mean where a training may have failed: "
            f"{', '.join(failed)}."
        )
    if results.ensemble:
        lines.append(
            "Ensemble: one translation, whose words the models of all seeds predict together; not "
            "in the mean, and never bold."
        )
    lines += notes_on_replaced(results, scored)
    lines += notes_on_variants(results, entries) + remarks(results, entries)
    lines += notes_on_paper(results, paper)
    for signature, name in SIGNATURES.items():
        found = {entry[signature] for *_, entry in entries if signature in entry}
        as_printed = ", as in the paper" if paper and signature == "signature" else ""
        lines.append(f"{name}{as_printed}: {', '.join(sorted(found))}")
    return lines


def notes_on_replaced(results: Results, scored: list[Row]) -> list[str]:
    """A note on unknown words that are replaced, and how many there are; nothing if none are."""
    shares = [
        f"{row.label.removesuffix(WITH_REPLACED)}, {row.pair} {text}: "
        f"{' '.join(rounded(found)).rstrip()} %"
        for row in scored
        if row.source == REPLACED
        for text in results.test[row.pair]
        if (found := unknown_percents(row.entries(Translation(text, results.beam))))
    ]
    return shares and [
        "Unknown words replaced: the source word with the largest attention weight is looked up in "
        "a lexicon of the training data, and copied if it is not there (Jean et al. 2015, sec. "
        "3.3). Their printed scores copy every word that does not begin with a lower-case letter. "
        f"These rows are never bold. Share of unknown words: {'; '.join(shares)}."
    ]


def note_on_marks(results: Results, tested: Tested) -> str:
    """The meaning of a mark, and where a score without one was not tested."""
    there = {(pair, text) for pair, text, _ in tested}
    texts = [(pair, text) for pair in results.pairs for text in results.test[pair]]
    missing = [f"{pair_title(of[0])} {of[1]}" for of in texts if of not in there]
    untested = f", and not in {', '.join(missing)}" if missing else ""
    return (
        f"{MARK}: differs significantly from {results.systems[0].label} over test sentences and "
        f"trainings (95 %). Tested with beam {results.beam} alone{untested}."
    )


def notes_on_variants(results: Results, entries: list[Entry]) -> list[str]:
    """Notes on the columns beside that of all sentences."""
    there = variants(results, *results.beams)
    lines = []
    if "no-unknown" in there:
        sizes = "; ".join(subset_sizes(results, entries))
        lines.append(
            f"{VARIANTS['no-unknown']}: sentences without an unknown word in source and reference, "
            f"translated without the unknown word ({sizes})."
        )
    if "normalised" in there:
        wide = all("normalised" in variants(results, beam) for beam in results.beams)
        one = "" if wide else " Beam 1 has no such column: it finishes a single translation."
        lines.append(
            f"{VARIANTS['normalised']}: of all finished translations of a beam, the best by score "
            f"per token instead of the most likely one; the paper has no such column.{one}"
        )
    return lines


def subset_sizes(results: Results, entries: list[Entry]) -> list[str]:
    """How many sentences of each text have no unknown word, by view if the views differ.

    ``newstest2014: 737 of 3,003``.
    """
    views = {system.id: system.view for system in results.systems}
    sizes: dict[str, dict[str, str]] = {}
    for row, of, entry in entries:
        if "of" in entry:
            where = f"{row.pair} {of.text}" if len(results.pairs) > 1 else of.text
            size = f"{entry['sentences']:,} of {entry['of']:,}"
            sizes.setdefault(where, {})[views[row.system]] = size
    return [
        f"{where} ({view}): {size}" if len(by_view) > 1 else f"{where}: {size}"
        for where, by_view in sizes.items()
        for view, size in by_view.items()
    ]


def remarks(results: Results, entries: list[Entry]) -> list[str]:
    """Why scores are missing, and what `score` noted of others, each once for all systems."""
    labels = {system.id: system.label for system in results.systems}
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row, of, entry in entries:
        heading = f"{VARIANTS[of.variant]}, " if of.variant else ""
        kind = {ENSEMBLE: ", ensemble", REPLACED: WITH_REPLACED}.get(row.source, "")
        where = f"{heading}{row.pair} {of.text}, beam {of.beam}{kind}"
        for reason in [entry["gap"]] if "gap" in entry else entry.get("notes", []):
            found.setdefault((where, reason), {})[labels[row.system]] = None
    return [
        f"{where}: {'all systems' if len(of) == len(labels) else ', '.join(of)}: {reason}."
        for (where, reason), of in found.items()
    ]


def notes_on_paper(results: Results, paper: Printed) -> list[str]:
    """Notes on comparing with the paper's numbers; nothing if there are none."""
    if not paper:
        return []
    texts = {}
    for (pair, *_), row in paper.items():
        dev = f" ({row['dev_set']})" if "dev_set" in row else ""
        texts[pair] = f"{pair_title(pair)} {row['test_set']}{dev}"
    lines = [
        f"The paper's texts are {' and '.join(texts.values())}: where the texts here are others, "
        "compare the differences between systems, not the scores."
    ]
    if not all(row["beam"] for row in paper.values()):
        lines.append("The paper states no beam width; its numbers stand at the widest.")
    quoted = dict.fromkeys(row["label"] for row in paper.values() if row["label"])
    if quoted:
        lines.append(f"{', '.join(quoted)}: quoted from the paper for comparison, not run here.")
    there = {system for _, system, _ in paper}
    missing = [system.label for system in results.systems if system.id not in there]
    if missing:
        lines.append(f"Not in the paper's table: {', '.join(missing)}.")
    return lines
