"""BLEU by sentence length, the numbers of Figure 2 of Bahdanau et al. 2015, as a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contextnmt.report.experiment import Experiment, parse_experiment
from contextnmt.report.gaps import dashes, gap_notes
from contextnmt.report.length_groups import (
    BINS,
    LEAST,
    WINDOWS,
    filled,
    read_length_groups,
    words_of,
)
from contextnmt.report.staleness import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, write_table

#: Key of the groups of sentences -> the kind of a row of the data.
KINDS = {BINS: "bin", WINDOWS: "window"}


def length_scores_table(scores: list[Path], experiment: str, out: Path) -> None:
    """Tabulate BLEU by sentence length, with confidence intervals.

    Readers see groups of ten lengths; the CSV file has the running windows of the figure too. The
    pair is the folder of the scores.
    """
    about = parse_experiment(experiment)
    contents = read_length_groups(about, scores)
    blocks = [block(about, pair, content) for pair, content in contents.items()]
    data = [row for pair, content in contents.items() for row in rows_of(about, pair, content)]
    lines = notes(list(contents.values())) + gap_notes(about) + stale_notes(about)
    write_table(out, Table(blocks, data, lines))


def block(about: Experiment, pair: str, content: dict[str, Any]) -> Block:
    """The table of one language pair: a column a bin, up to the longest sentence."""
    groups = filled(content)
    text, _, beam = content["name"].partition(".beam")
    columns = [(f"{words_of(each)} words", counted(each["sentences"])) for each in groups]
    rows = [(system.label, cells(about, pair, system.id, content)) for system in about.marked(pair)]
    return Block(f"{about.pair_title(pair)}, {text}, beam {beam}", columns, rows)


def counted(sentences: int) -> str:
    """``1,500 sentences``."""
    return f"{sentences:,} sentence{'' if sentences == 1 else 's'}"


def cells(about: Experiment, pair: str, system: str, content: dict[str, Any]) -> list[Cell]:
    """BLEU of a system on each bin, with its interval; dashes where it has none."""
    groups, scores = filled(content), content["systems"][system]
    if about.gap(pair, system):
        return dashes(len(groups))  # a note tells why
    if "gap" in scores:
        return [Cell(NONE, scores["gap"]), *dashes(len(groups) - 1)]
    of_groups = zip(groups, scores[BINS], strict=False)  # not those beyond the longest sentence
    return [cell(group, entry) for group, entry in of_groups]


def cell(group: dict[str, Any], entry: dict[str, Any]) -> Cell:
    """BLEU and its interval, or a dash where too few sentences are in the group."""
    if group["sentences"] < LEAST or entry["bleu"] is None:
        return Cell(NONE)
    low, high = entry["interval"]
    return Cell(f"{entry['bleu']:.2f}", f"({low:.2f} to {high:.2f})")


def rows_of(about: Experiment, pair: str, content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One row for each system and group, bins first; a system without scores has one, its gap."""
    text, _, beam = content["name"].partition(".beam")
    columns = ("from", "to", "sentences", "mean_length")
    for system in about.systems:
        first = {"pair": pair, "text": text, "beam": int(beam), "system": system.id}
        scores = content["systems"][system.id]
        if "gap" in scores:
            empty = dict.fromkeys(("kind", *columns, "bleu", "low", "high"))
            yield {**first, **empty, "gap": scores["gap"]}
            continue
        for key, kind in KINDS.items():
            for group, entry in zip(content[key], scores[key], strict=True):
                low, high = entry["interval"] or (None, None)
                numbers = {"bleu": entry["bleu"], "low": low, "high": high}
                described = {column: group[column] for column in columns}
                yield {**first, "kind": kind, **described, **numbers, "gap": None}


def notes(contents: list[dict[str, Any]]) -> list[str]:
    """What a reader must know to read the table."""
    first = contents[0]
    unscored = any("gap" in scores for each in contents for scores in each["systems"].values())
    reasons = f"fewer than {LEAST} sentences{', or a system without scores' * unscored}"
    lines = [
        f"BLEU (interval of {first['confidence_percent']} %) of the sentences of each group, by "
        "the words of their source.",
        f"Intervals by the bootstrap (Koehn 2004) over the sentences of a group, "
        f"{first['resamples']:,} draws. They tell what other sentences of these lengths would give "
        "with these models, not what another training would.",
        f"A dash: {reasons}. The CSV file has the scores of few sentences too, and those of the "
        "running windows that the figure draws.",
    ]
    if len(first["seeds"]) > 1:
        lines.append(f"Mean of {len(first['seeds'])} seeds.")
    return lines
