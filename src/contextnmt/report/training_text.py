"""The training texts: what cleaning removed from each corpus, and what a selection keeps of it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from contextnmt.errors import UserError
from contextnmt.report.figures import COLOURS, INK, Named
from contextnmt.report.published import published
from contextnmt.report.results import LANGUAGES, Results, pair_title, read_record
from contextnmt.report.tables import (
    NONE,
    PAPER,
    Block,
    Columns,
    Excerpt,
    SentencePair,
    Table,
    block_of,
    sentence_pair,
)

#: Corpus -> quantity -> how much of it there is, of all parts of the corpus together.
Counts = dict[str, Counter[str]]

#: Filter -> what it drops, in the order in which a pair goes through them.
FILTERS = {
    "drop_empty": "a side without words",
    "drop_garbled": "broken encoding",
    "max_length": "a side with too many words",
    "max_ratio": "one side too long for the other",
    "drop_identical": "both sides the same",
    "wrong_language": "a side in the other side's language",
    "drop_duplicates": "a pair that came before in the same text",
}

#: Columns of the table of cleaning: sentence pairs.
QUANTITIES = ("read", *FILTERS, "kept")

#: Pairs shown of each filter and corpus.
EXAMPLES = 10


def cleaning_table(results: Results) -> Table:
    """Tabulate how many pairs of each training corpus cleaning removed, by filter.

    The parts of a corpus count together.
    """
    table = Table([], [], [])
    for pair, corpora in results.of_parts("clean", "removed.json").items():
        counts: Counts = {}
        dropped: dict[str, list[SentencePair]] = {name: [] for name in FILTERS}
        for corpus, parts in corpora.items():
            counts[corpus], examples = removed_from(corpus, parts)
            for name in FILTERS:
                dropped[name] += examples.get(name, [])
        table.data.extend(
            {"pair": pair, "corpus": corpus, "quantity": quantity, "pairs": counted[quantity]}
            for corpus, counted in counts.items()
            for quantity in QUANTITIES
            if quantity in counted
        )
        found = {name for counted in counts.values() for name in counted}
        columns = {name: ((name,), "{:,}") for name in QUANTITIES if name in found}
        columns["kept_percent"] = (("kept (%)",), "{:.1f}")
        # Cleaning does not count what a filter drops that is off.
        table.blocks.append(block_of(pair_title(pair), columns, with_total(counts).items()))
        for name, pairs in dropped.items():
            if pairs:
                count = sum(counted[name] for counted in counts.values())
                what = f"{FILTERS[name]} ({len(pairs)} of {count:,} pairs)"
                table.excerpts.append(Excerpt(f"{pair_title(pair)}, {name}: {what}", pair, pairs))
    table.notes.extend(cleaning_notes(table))
    return table


def removed_from(
    corpus: str, parts: list[Path]
) -> tuple[Counter[str], dict[str, list[SentencePair]]]:
    """Pairs of a corpus: read, dropped by each filter and kept; up to `EXAMPLES` of each filter."""
    counts: Counter[str] = Counter()
    examples: dict[str, list[SentencePair]] = {}
    for content in map(read_record, parts):
        for name, removed in content["removed"].items():
            found = examples.setdefault(name, [])
            for pair in removed["examples"][: EXAMPLES - len(found)]:
                place = f"{corpus}, line {counts['read'] + pair['line']:,}"
                found.append(sentence_pair(place, pair["source"], pair["target"]))
        counts.update({name: removed["count"] for name, removed in content["removed"].items()})
        counts.update({"read": content["read"], "kept": content["kept"]})
    return counts, examples


def cleaning_notes(table: Table) -> list[str]:
    """Notes of the table."""
    quantities = {row["quantity"] for row in table.data}
    on = [f"{name}: {what}" for name, what in FILTERS.items() if name in quantities]
    if not on:
        return ["No filter is on."]
    rows = [row for block in table.blocks for row in block.rows]
    off = any(cell.text == NONE for _, cells in rows for cell in cells[:-1])
    return [
        "A pair counts for the first filter that drops it."
        + (f" {NONE}: the filter is off." if off else ""),
        f"Filters, in their order: {'; '.join(on)}.",
    ]


def with_total(counts: Counts, unit: str = "") -> dict[str, dict[str, Any]]:
    """Rows of a table: each corpus and, if there are several, all together.

    Each has the share that is kept, of all pairs or of a `unit` (``target_words_``).
    """
    total: Counter[str] = Counter()
    for counted in counts.values():
        total.update(counted)
    name = "all corpora" if "total" in counts else "total"
    rows = {**counts, name: total} if len(counts) > 1 else counts
    whole, kept = f"{unit}read", f"{unit}kept"
    return {
        corpus: {**row, f"{kept}_percent": 100 * row[kept] / row[whole] if row[whole] else None}
        for corpus, row in rows.items()
    }


#: Counts of a corpus, and the pairs that they are of.
UNITS = ("pairs", "source_words", "target_words")
WHEN = ("read", "kept")

NOTES = {
    "selected": "Read: the cleaned corpora. Kept: the pairs that the ranking keeps, which are the "
    "training text.",
    "whole": "Without a selection, the cleaned corpora are the training text.",
    "printed": "Printed in papers: “read” in Bahdanau et al. 2015 (section 4.1), after giga-fren "
    "was cut from 780M words by an undescribed method; “kept” in Sutskever et al. 2014 (section "
    "3.1) and, in round numbers, Choi et al. 2017 (section 5.1). Table 3 of the latter has 294M "
    "English words for En-Fr and 117M for En-De.",
}


def selection_table(results: Results) -> Table:
    """Tabulate what each corpus gives to the training text, and show the best and worst pairs.

    The parts of a corpus count together.
    """
    rankings = results.of_pairs("rank", results.selected)
    table, notes = Table([], [], []), set()
    for pair, corpora in results.of_parts("select", "selected.json").items():
        counts: Counts = {corpus: Counter() for corpus in corpora}
        texts: dict[str, dict[str, str]] = {}  # position in the pool -> both sides of the pair
        for corpus, parts in corpora.items():
            for content in map(read_record, parts):
                counts[corpus].update(
                    {f"{unit}_{when}": content[when][unit] for unit in UNITS for when in WHEN}
                )
                texts |= content["examples"]
        rows = with_total(counts, "target_words_")
        table.data.extend({"pair": pair, "corpus": corpus, **rows[corpus]} for corpus in corpora)
        columns = columns_of(pair)
        if pair not in rankings:  # all that was read was kept
            kept = {name: columns[name] for name in columns if name.endswith("_kept")}
            columns = {name: (labels[:1], form) for name, (labels, form) in kept.items()}
        table.blocks.append(block_of(pair_title(pair), columns, rows.items()))
        notes.add("selected" if pair in rankings else "whole")
        if pair in rankings:
            table.excerpts.extend(excerpts(pair, rankings[pair], texts))
        printed = [row for row in published("paper/selection.csv") if row["pair"] == pair]
        if {row["corpus"] for row in printed} == {*corpora, "total"}:
            table.blocks.append(printed_block(pair, [row for row in printed if row["printed"]]))
            notes.add("printed")
    table.notes.extend(text for name, text in NOTES.items() if name in notes)
    return table


def columns_of(pair: str) -> Columns:
    """The columns of the table of a language pair that is selected."""
    source, target = (f"{LANGUAGES.get(language, language)} words" for language in pair.split("-"))
    headings = zip(UNITS, ("sentence pairs", source, target), strict=True)
    counted = {
        f"{unit}_{when}": ((heading, when), "{:,}") for unit, heading in headings for when in WHEN
    }
    return {**counted, "target_words_kept_percent": ((target, "kept (%)"), "{:.1f}")}


def printed_block(pair: str, printed: list[dict[str, str]]) -> Block:
    """The selection as papers print it, from the rows of ``paper/selection.csv``."""
    rows: dict[str, dict[str, str]] = {}
    for row in printed:
        label = f"{row['corpus']} ({row['paper']})"
        rows.setdefault(label, {})[row["quantity"]] = row["printed"]
    columns = {
        name: ((PAPER, " ".join(labels)), "{}")
        for name, (labels, _) in columns_of(pair).items()
        if any(name in row for row in rows.values())
    }
    return block_of(f"{pair_title(pair)}: printed in papers", columns, rows.items())


def excerpts(pair: str, ranking: Path, texts: dict[str, dict[str, str]]) -> Iterator[Excerpt]:
    """The best and the worst pairs of a ranking, with the text that stage select found of them.

    Raises UserError if a pair's text is missing.
    """
    content = read_record(ranking)
    for name, what in [("best", "lowest scores"), ("worst", "highest scores")]:
        pairs = []
        for entry in content[name]:
            text = texts.get(str(entry["position"]))
            if text is None:
                raise UserError(
                    f"{ranking}: not the ranking that the texts were selected by: "
                    "rank and select again"
                )
            score = f"{entry['score']:.2f} bits per word".replace("-", "−")
            place = f"{entry['corpus']}, line {entry['line']:,}: {score}"
            pairs.append(sentence_pair(place, **text))
        yield Excerpt(f"{pair_title(pair)}: the {len(pairs)} pairs with the {what}", pair, pairs)


def overlap_table(results: Results) -> Table:
    """Tabulate how much of each dev and test text is in the training text.

    A results folder of an earlier version need not have the counts.
    """
    table = Table([], [], [])
    columns: Columns = {
        "read": (("sentence pairs",), "{:,}"),
        "pairs": (("in the training text", "pairs"), "{:,}"),
        "sources": (("in the training text", "source sentences"), "{:,}"),
    }
    for pair, path in results.of_pairs("overlap", results.all_pairs).items():
        if not path.is_file():
            table.notes.append(f"{pair_title(pair)}: not counted.")
            continue
        counts = read_record(path)
        texts = [text for text in results.texts(pair) if text in counts]
        rows = {text: {name: counts[text][name] for name in columns} for text in texts}
        table.data.extend({"pair": pair, "text": text, **row} for text, row in rows.items())
        table.blocks.append(block_of(pair_title(pair), columns, rows.items()))
    return table


#: Colours of what is kept and of the rest: dark and light, for readers without colour.
KEPT, REST = COLOURS[4], COLOURS[2]
#: Height in inches of a corpus' histogram, and of what is above and below all of them.
PANEL, MARGIN = 0.72, 1.1
#: Text in `perplexity/PAIR.json` -> how its line is drawn.
TEXTS: dict[str, dict[str, Any]] = {
    "selected": {"color": COLOURS[4], "linestyle": "-", "marker": "o"},
    "random": {"color": COLOURS[5], "linestyle": "--", "marker": "D", "mfc": "none"},
}


def selection_figures(results: Results) -> Iterator[Named]:
    """Draw selection.{pair}.{scores,perplexity} of the pairs whose training text is a selection."""
    for pair, path in results.of_pairs("rank", results.selected).items():
        yield f"selection.{pair}.scores", draw_scores(results, pair, read_record(path))
    for pair, path in results.of_pairs("perplexity", results.selected).items():
        yield f"selection.{pair}.perplexity", draw_perplexity(results, pair, read_record(path))


def draw_scores(results: Results, pair: str, ranking: dict[str, Any]) -> Figure:
    """A histogram a corpus, one below the other; what is kept is left of the threshold.

    The heights are shares of each corpus' own pairs, since the corpora differ in size by far more
    than a common scale could show.
    """
    sizes, edges = ranking["histogram"]["pairs"], ranking["histogram"]["edges"]
    corpora = list(dict.fromkeys(part.partition(".")[0] for part in results.parts[pair]))
    figure = Figure()
    figure.set_figheight(MARGIN + PANEL * len(corpora))
    panels = figure.subplots(len(corpora), sharex=True, sharey=True, squeeze=False)[:, 0]
    for axes, corpus in zip(panels, corpora, strict=True):
        heights = [100 * size / (sum(sizes[corpus]) or 1) for size in sizes[corpus]]
        draw_histogram(axes, edges, heights, ranking["threshold"])
        axes.set_title(corpus, fontsize=8, pad=2)
    panels[0].set_ylim(bottom=0)
    panels[-1].set_xlabel("score (bits per word); low: like the in-domain text")
    figure.supylabel("pairs (%)", fontsize=9)
    figure.suptitle(results.pair_title(pair), x=0, ha="left", fontsize=10)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def draw_histogram(axes: Axes, edges: list[float], heights: list[float], threshold: float) -> None:
    """The bars of one corpus, dark up to the threshold, and a line there.

    `edges` [bins + 1], `heights` [bins]. The bin that has the threshold in it is dark in part.
    """
    below = [edge for edge in edges[:-1] if edge < threshold]
    kept = [*below, min(threshold, edges[-1])] if below else edges[:1]
    axes.stairs(heights[: len(below)], kept, fill=True, color=KEPT, zorder=2, label="kept")
    axes.stairs(heights, edges, fill=True, color=REST, label="left out")
    axes.axvline(threshold, color=INK, linewidth=1, label="threshold")


def draw_perplexity(results: Results, pair: str, content: dict[str, Any]) -> Figure:
    """A line of models of selected text and one of random text, over the words that they have."""
    language = pair.split("-")[1]
    figure = Figure()
    axes = figure.subplots()
    words = [cut_off["target_words"] for cut_off in content["cut_offs"]]
    for name, style in TEXTS.items():
        values = [cut_off[name]["perplexity"] for cut_off in content["cut_offs"]]
        axes.plot(words, values, label=name, **style)
    axes.set_xscale("log")
    axes.set_xticks(words, list(map(short, words)))
    axes.set_xticks([], minor=True)
    axes.set(
        title=results.pair_title(pair),
        xlabel=f"{LANGUAGES.get(language, language)} words that the model was made of",
        ylabel="perplexity on the dev text",
    )
    figure.legend(loc="outside lower center", ncols=2, handlelength=2.4)
    return figure


def short(count: int) -> str:
    """A number in three digits: ``348M``, ``10.9M``, ``950k``."""
    return EngFormatter(sep="").format_eng(float(f"{count:.3g}"))
