"""The effect of replacing unknown words on BLEU, system by system."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

from contextnmt.report.published import published
from contextnmt.report.results import Record, Results, pair_title, read
from contextnmt.report.scores import HERE, scores_of, summary
from contextnmt.report.tables import NONE, PAPER, Block, Cell, Table, rounded, signed

#: Treatment of unknown words, as columns are called -> ending of the names of translations.
KEPT, REPLACED = ENDINGS = {"kept": "", "replaced": ".replaced"}

#: Treatment -> names of systems in Table 2 of Jean et al. 2015.
JEAN = {KEPT: "RNNsearch", REPLACED: "RNNsearch + unknown words replaced"}
SOURCE = "Jean et al. 2015"
LABEL = f"RNNsearch ({SOURCE})"


class Row(NamedTuple):
    """A system on a text, scored here or in the paper.

    `bleu` and `gaps` are those of its seeds by what becomes of unknown words, without BLEU where a
    seed has a gap; `unknown` is the percentage of unknown words of each seed.
    """

    source: str
    pair: str
    system: str
    text: str
    beam: int
    bleu: dict[str, list[float]]
    gaps: dict[str, list[str]]
    unknown: Sequence[float] = ()
    remark: str = ""

    @property
    def gain(self) -> float | None:
        """BLEU that replacing gains over keeping UNK; None where one of the two has no score."""
        before, after = self.bleu.values()
        return fmean(after) - fmean(before) if before and after else None

    @property
    def cells(self) -> list[Cell]:
        """Unknown words and BLEU as readers see them; the better BLEU of a system here is bold."""
        best = max(map(fmean, filter(None, self.bleu.values())), default=None)
        cells = [Cell(*rounded(self.unknown)) if self.unknown else Cell(NONE)]
        for key, values in self.bleu.items():
            text, spread = rounded(values) if values else (NONE, "")
            if key == REPLACED and self.gain is not None:
                spread = f"{spread} ({signed(self.gain)})".strip()
            is_best = self.source == HERE and bool(values) and fmean(values) == best
            cells.append(Cell(text, spread, is_best))
        return cells

    @property
    def data(self) -> dict[str, Any]:
        """The row in full."""
        found: dict[str, Any] = dict(zip(Row._fields[:5], self, strict=False))
        for key, values in self.bleu.items():
            found |= summary(f"bleu_{key}", values)
        found["gain"] = self.gain
        if self.unknown:
            found |= {"unknown_percent": fmean(self.unknown), "seeds": len(self.unknown)}
        return found


def unknown_words_table(results: Results) -> Table:
    """Tabulate the share of unknown words and BLEU before and after they are replaced.

    Systems without attention have no such files, and no row.
    """
    rows, printed = read_rows(results), printed_rows(results)
    headings = [("unknown words (%)", ""), *(("BLEU", each) for each in ENDINGS)]
    blocks = []
    for pair in results.pairs:
        labels = results.labels(pair)
        for text in results.test[pair]:
            found = {row.system: row for row in rows if (row.pair, row.text) == (pair, text)}
            shown = [(label, found[name].cells) for name, label in labels.items() if name in found]
            if shown:
                shown += [(row.system, row.cells) for row in printed if row.pair == pair]
                title = f"{results.pair_title(pair)}, {text}, beam {results.beam}"
                blocks.append(Block(title, headings, shown))
    return Table(blocks, [row.data for row in [*rows, *printed]], notes(results, rows, printed))


def read_rows(results: Results) -> list[Row]:
    """The scores of the systems whose unknown words are replaced, on test and dev texts."""
    seeds: dict[tuple[str, str, str], list[dict[str, Record]]] = {}
    of_replaced, of_counts = results.replacements()
    for run, path in results.scores(results.replaced).items():
        kept, replaced, counts = map(read, (path, of_replaced[run], of_counts[run]))
        for text in results.texts(run.pair):
            name = f"{text}.beam{results.beam}"
            after = name + ENDINGS[REPLACED]
            entries = {KEPT: kept[name], REPLACED: replaced[after], "counts": counts[after]}
            seeds.setdefault((run.pair, run.system, text), []).append(entries)
    return [
        Row(
            *(HERE, *of, results.beam),
            {key: scores_of([each[key] for each in entries], "bleu") for key in ENDINGS},
            {key: [each[key]["gap"] for each in entries if "gap" in each[key]] for key in ENDINGS},
            [100 * each["counts"]["unknown"] / (each["counts"]["words"] or 1) for each in entries],
        )
        for of, entries in seeds.items()
    ]


def printed_rows(results: Results) -> list[Row]:
    """The rows of Jean et al. for the language pairs of the results."""
    rows = [row for row in published("paper/elsewhere.csv") if row["source"] == SOURCE]
    found = []
    for pair in results.pairs:
        of_pair = {row["system"]: row for row in rows if row["pair"] == pair}
        if set(JEAN.values()) <= set(of_pair):
            first = of_pair[JEAN[KEPT]]
            bleu = {key: [float(of_pair[name]["bleu"])] for key, name in JEAN.items()}
            names = (PAPER, pair, LABEL, first["text"], int(first["beam"]))
            found.append(Row(*names, bleu, {}, remark=first["remark"]))
    return found


def notes(results: Results, rows: list[Row], printed: list[Row]) -> list[str]:
    """Notes of the table."""
    lines = [f"Reconstruction: {results.reconstruction}"] if results.reconstruction else []
    lines.append(
        "BLEU in percent, on tokenized text; in brackets what the replacement gains over keeping "
        "UNK; bold: best of a row."
    )
    if printed:
        where = [f"{pair_title(row.pair)}, {row.text} ({row.remark})" for row in printed]
        lines.append(
            f"{SOURCE}, Table 2: {'; '.join(where)}. They copy words that do not begin with a "
            "lower-case letter; here all words are looked up. Where texts and trainings are others "
            "too, compare the gains."
        )
    if len(results.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(results.seeds)} seeds.")
    replaced = {system for _, system in results.replaced}
    left = [system.label for system in results.systems if system.id not in replaced]
    if left:
        lines.append(f"Not replaced, for want of attention or of whole words: {', '.join(left)}.")
    labels = {system.id: system.label for system in results.systems}
    return lines + [
        f"No score: {pair_title(row.pair)}, {row.text}, {key}: {labels[row.system]} "
        f"({'; '.join(gaps)})."
        for row in rows
        for key, gaps in row.gaps.items()
        if gaps
    ]
