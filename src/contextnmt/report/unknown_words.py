"""What replacing the unknown words of translations does to their BLEU, system by system."""

from dataclasses import dataclass, field
from typing import Any

from contextnmt.report.published import published
from contextnmt.report.results import Results, pair_title, read
from contextnmt.report.tables import NONE, Block, Cell, Table, mean_and_deviation, rounded, signed

#: What becomes of unknown words, as columns are called -> as names of translations end.
KEPT, REPLACED = ENDINGS = {"kept": "", "replaced": ".replaced"}

#: The same -> names of systems in Table 2 of Jean et al. 2015.
JEAN = {KEPT: "RNNsearch", REPLACED: "RNNsearch + unknown words replaced"}
SOURCE = "Jean et al. 2015"
LABEL = f"RNNsearch ({SOURCE})"

#: The source of what the workflow scored.
HERE = "here"


@dataclass
class Row:
    """A system on a text: BLEU of its seeds by what becomes of unknown words, why some have none,
    and the percentage of unknown words of each seed. ``source`` is here, or the paper."""

    source: str
    pair: str
    system: str
    text: str
    beam: int
    bleu: dict[str, list[float]] = field(default_factory=lambda: {each: [] for each in ENDINGS})
    gaps: dict[str, list[str]] = field(default_factory=lambda: {each: [] for each in ENDINGS})
    unknown: list[float] = field(default_factory=list)

    def mean(self, key: str) -> float | None:
        """The mean BLEU of all seeds; None if one has none."""
        return None if self.gaps[key] else mean_and_deviation(self.bleu[key])[0]

    @property
    def gain(self) -> float | None:
        """BLEU that replacing gains over keeping UNK; None where one of the two has no score."""
        before, after = map(self.mean, ENDINGS)
        return None if before is None or after is None else after - before

    @property
    def cells(self) -> list[Cell]:
        """Unknown words and BLEU as readers see them; the better BLEU of a system here is bold."""
        means = [mean for mean in map(self.mean, ENDINGS) if mean is not None]
        cells = [Cell(*rounded(self.unknown)) if self.unknown else Cell(NONE)]
        for key in ENDINGS:
            if self.gaps[key]:
                cells.append(Cell(NONE))
                continue
            text, spread = rounded(self.bleu[key])
            if key == REPLACED and self.gain is not None:
                spread = f"{spread} ({signed(self.gain)})".strip()
            is_best = self.source == HERE and self.mean(key) == max(means)
            cells.append(Cell(text, spread, is_best))
        return cells

    @property
    def data(self) -> dict[str, Any]:
        """The row in full."""
        names = ("source", "pair", "system", "text", "beam")
        found: dict[str, Any] = {name: getattr(self, name) for name in names}
        for key in ENDINGS:
            deviation = None if self.gaps[key] else mean_and_deviation(self.bleu[key])[1]
            found |= {f"bleu_{key}": self.mean(key), f"bleu_{key}_deviation": deviation}
        found["gain"] = self.gain
        if self.unknown:
            found["unknown_percent"] = mean_and_deviation(self.unknown)[0]
            found["seeds"] = len(self.unknown)
        return found


def unknown_words_table(results: Results) -> Table:
    """Tabulate the share of unknown words and BLEU before and after they are replaced.

    Systems without attention have no such files, and no row.
    """
    rows, printed = read_rows(results), printed_rows(results)
    headings = [("unknown words (%)", ""), *(("BLEU", each) for each in ENDINGS)]
    blocks = []
    for pair in results.pairs:
        labels = {system.id: system.label for system in results.marked(pair)}
        for text in results.test[pair]:
            found = {row.system: row for row in rows if (row.pair, row.text) == (pair, text)}
            shown = [(label, found[name].cells) for name, label in labels.items() if name in found]
            if shown:
                shown += [(row.system, row.cells) for row in printed if row.pair == pair]
                title = f"{results.pair_title(pair)}, {text}, beam {results.beam}"
                blocks.append(Block(title, headings, shown))
    return Table(blocks, [row.data for row in [*rows, *printed]], notes(results, rows))


def read_rows(results: Results) -> list[Row]:
    """The scores of the systems whose unknown words are replaced, on test and dev texts."""
    found: dict[tuple[str, str, str], Row] = {}
    of_replaced, of_counts = results.replacements()
    for run, path in results.scores(results.replaced).items():
        kept, replaced, counts = map(read, (path, of_replaced[run], of_counts[run]))
        for text in results.texts(run.pair):
            name = f"{text}.beam{results.beam}"
            after = name + ENDINGS[REPLACED]
            new = Row(HERE, run.pair, run.system, text, results.beam)
            row = found.setdefault((run.pair, run.system, text), new)
            for key, entry in ((KEPT, kept[name]), (REPLACED, replaced[after])):
                if "gap" in entry:
                    row.gaps[key].append(entry["gap"])
                else:
                    row.bleu[key].append(entry["bleu"])
            row.unknown.append(100 * counts[after]["unknown"] / (counts[after]["words"] or 1))
    return list(found.values())


def printed_rows(results: Results) -> list[Row]:
    """What Jean et al. print for the language pairs of the results."""
    rows = [row for row in published("paper/elsewhere.csv") if row["source"] == SOURCE]
    found = []
    for pair in results.pairs:
        of_pair = {row["system"]: row for row in rows if row["pair"] == pair}
        if set(JEAN.values()) <= set(of_pair):
            first = of_pair[JEAN[KEPT]]
            bleu = {key: [float(of_pair[name]["bleu"])] for key, name in JEAN.items()}
            found.append(Row("paper", pair, LABEL, first["text"], int(first["beam"]), bleu))
    return found


def notes(results: Results, rows: list[Row]) -> list[str]:
    """What a reader must know to read the table."""
    lines = [f"Reconstruction: {results.reconstruction}"] if results.reconstruction else []
    lines.append(
        "BLEU in percent, on tokenized text; in brackets what the replacement gains over keeping "
        "UNK; bold: best of a row."
    )
    printed = [
        f"{pair_title(row['pair'])}, {row['text']} ({row['remark']})"
        for pair in results.pairs
        for row in published("paper/elsewhere.csv")
        if (row["source"], row["system"], row["pair"]) == (SOURCE, JEAN[KEPT], pair)
    ]
    if printed:
        lines.append(
            f"{SOURCE}, Table 2: {'; '.join(printed)}. They copy words that do not begin with a "
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
