"""What the training text consists of: all pairs of its corpora, or those that a ranking chose."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.cleaning import by_corpus
from contextnmt.report.experiment import (
    LANGUAGES,
    Experiment,
    by_some_pairs,
    pair_title,
)
from contextnmt.report.figures import COLOURS, INK, drawing, save
from contextnmt.report.published import published
from contextnmt.report.tables import (
    NONE,
    PAPER,
    Block,
    Cell,
    Excerpt,
    Table,
    sentence_pair,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: What is counted of a corpus, and of which of its pairs.
UNITS = ("pairs", "source_words", "target_words")
WHEN = ("read", "kept")
#: The share of the words on the target side that is kept.
SHARE = "target_words_kept_percent"

#: Quantity of a corpus (``target_words_read``, `SHARE`) -> how much of it there is.
Amounts = dict[str, Any]
#: Position in the pool, as text -> both sides of the pair.
Texts = dict[str, dict[str, str]]

#: List of a ranking -> what its pairs have.
EXCERPTS = {"best": "lowest scores", "worst": "highest scores"}

NOTES = {
    "selected": "Read: the cleaned corpora; kept: what the ranking leaves of them, which is the "
    "training text.",
    "whole": "Without a selection, the cleaned corpora are the training text.",
    "printed": "Printed in papers: what was read, by Bahdanau et al. 2015 (section 4.1), after "
    "giga-fren had been cut from 780M words in a way that no paper tells; what was kept, by "
    "Sutskever et al. 2014 (section 3.1).",
}


def selection_table(
    selected: list[Path],
    about: Experiment,
    ranking: list[Path] | None = None,
) -> Table:
    """Tabulate what each corpus gives to the training text, and show the best and worst pairs.

    The corpora stand in the order in which they are given; the parts of one count together.
    """
    rankings = by_some_pairs("ranking", ranking or [], about)
    table, notes = Table([], [], []), set()
    for pair, corpora in by_corpus("selected", selected, ".selected.json", about).items():
        texts: Texts = {}
        amounts = {corpus: read_corpus(parts.values(), texts) for corpus, parts in corpora.items()}
        if pair not in rankings and any(
            row["pairs_kept"] < row["pairs_read"] for row in amounts.values()
        ):
            raise UserError(f"ranking: no file for {pair}, whose pairs were selected: name it too")
        table.data.extend(
            {"pair": pair, "corpus": corpus, **row} for corpus, row in amounts.items()
        )
        table.blocks.append(block(pair, amounts, pair in rankings))
        notes.add("selected" if pair in rankings else "whole")
        if pair in rankings:
            table.excerpts.extend(excerpts(pair, rankings[pair], texts))
        rows = [row for row in published("paper/selection.csv") if row["pair"] == pair]
        if {row["corpus"] for row in rows} == {*amounts, "total"}:
            table.blocks.append(printed_block(pair, list(amounts), rows))
            notes.add("printed")
    table.notes.extend(text for name, text in NOTES.items() if name in notes)
    return table


def read_corpus(files: Iterable[Path], texts: Texts) -> Amounts:
    """How much the parts of a corpus have in all; adds the pairs that are shown to `texts`.

    Raises UserError if a file is not of stage select.
    """
    summed: Counter[str] = Counter()
    for path in files:
        content = read_json(path)
        try:
            summed.update(
                {f"{unit}_{when}": content[when][unit] for unit in UNITS for when in WHEN}
            )
            texts.update(content["examples"])
        except (KeyError, TypeError, ValueError):
            raise UserError(f"{path}: not counts of select: select this text again") from None
    return with_share(summed)


def with_share(amounts: Amounts) -> Amounts:
    """`amounts` and the share that is kept, None of nothing."""
    read, kept = amounts["target_words_read"], amounts["target_words_kept"]
    return {**amounts, SHARE: 100 * kept / read if read else None}


def columns_of(pair: str) -> dict[str, tuple[str, str]]:
    """Quantity -> its headings in the table of a language pair."""
    source, target = (f"{LANGUAGES.get(language, language)} words" for language in pair.split("-"))
    headings = zip(UNITS, ("sentence pairs", source, target), strict=True)
    amounts = {f"{unit}_{when}": (heading, when) for unit, heading in headings for when in WHEN}
    return amounts | {SHARE: (target, "kept (%)")}


def block(pair: str, corpora: dict[str, Amounts], selected: bool) -> Block:
    """The table of one pair; without a selection, all that was read was kept."""
    rows = dict(corpora)
    if len(corpora) > 1:
        sums = {
            f"{unit}_{when}": sum(amounts[f"{unit}_{when}"] for amounts in corpora.values())
            for unit in UNITS
            for when in WHEN
        }
        rows["total"] = with_share(sums)
    columns: dict[str, tuple[str, ...]] = {**columns_of(pair)}
    if not selected:
        columns = {name: columns[name][:1] for name in columns if name.endswith("_kept")}
    forms = {name: "{:.1f}" if name == SHARE else "{:,}" for name in columns}
    return Block(
        pair_title(pair),
        list(columns.values()),
        [
            (corpus, [shown(amounts[name], form) for name, form in forms.items()])
            for corpus, amounts in rows.items()
        ],
    )


def printed_block(pair: str, corpora: list[str], printed: list[dict[str, str]]) -> Block:
    """The same selection as papers print it, from the rows of ``paper/selection.csv``."""
    values = {(row["corpus"], row["quantity"]): row["printed"] for row in printed}
    columns = columns_of(pair)
    quantities = [name for name in columns if any(name == quantity for _, quantity in values)]
    return Block(
        f"{pair_title(pair)}: printed in papers",
        [(PAPER, " ".join(columns[name])) for name in quantities],
        [
            (corpus, [Cell(values.get((corpus, name), NONE)) for name in quantities])
            for corpus in [*corpora, "total"]
        ],
    )


def excerpts(pair: str, ranking: Path, texts: Texts) -> Iterator[Excerpt]:
    """The best and the worst pairs of a ranking, with the text that stage select found of them.

    Raises UserError if the file is not a ranking, or a pair's text is missing.
    """
    content = read_json(ranking)
    try:
        for name, what in EXCERPTS.items():
            pairs = [
                sentence_pair(
                    f"{entry['corpus']}, line {entry['line']:,}: {bits(entry['score'])}",
                    **texts[str(entry["position"])],
                )
                for entry in content[name]
            ]
            yield Excerpt(
                f"{pair_title(pair)}: the {len(pairs)} pairs with the {what}", pair, pairs
            )
    except (KeyError, TypeError, ValueError):
        raise UserError(
            f"{ranking}: not the ranking that the texts were selected by: rank and select again"
        ) from None


def bits(score: float) -> str:
    """A score with its unit, the minus as typeset."""
    return f"{score:.2f} bits a word".replace("-", "−")


#: Colours of what is kept and of the rest: dark and light, for readers without colour.
KEPT, REST = COLOURS[4], COLOURS[2]
#: Height in inches of a corpus' histogram, and of what is above and below all of them.
PANEL, MARGIN = 0.72, 1.1
#: Text in `perplexity/PAIR.json` -> its colour, line and marker.
TEXTS = {"selected": (COLOURS[4], "-", "o"), "random": (COLOURS[5], "--", "D")}


def selection_figures(
    ranking: list[Path],
    perplexity: list[Path],
    about: Experiment,
    out: Path,
) -> None:
    """Draw selection.{pair}.{scores,perplexity} in SVG, PDF and PNG, of the pairs that have one."""
    rankings = by_some_pairs("ranking", ranking, about)
    perplexities = by_some_pairs("perplexity", perplexity, about)
    if list(rankings) != list(perplexities):
        raise UserError("ranking and perplexity: not of the same pairs: give both of each")
    for pair, path in rankings.items():
        draw_scores(about.pair_title(pair), path, out / f"selection.{pair}.scores")
    for pair, path in perplexities.items():
        draw_perplexity(about, pair, path, out / f"selection.{pair}.perplexity")


def draw_scores(title: str, ranking: Path, out: Path) -> None:
    """A histogram a corpus, one below the other; what is kept is left of the threshold.

    The heights are shares of each corpus' own pairs, since the corpora differ in size by far more
    than a common scale could show. Raises UserError if the file is not a ranking.
    """
    content = read_json(ranking)
    try:
        threshold, edges = content["threshold"], content["histogram"]["edges"]
        sizes = content["histogram"]["pairs"]
        shares = {
            corpus: [100 * size / (sum(sizes[corpus]) or 1) for size in sizes[corpus]]
            for corpus in corpora_of(content)
        }
    except (KeyError, TypeError, AttributeError):
        raise UserError(f"{ranking}: not a ranking: rank this pair again") from None
    with drawing() as figure:
        figure.set_figheight(MARGIN + PANEL * len(shares))
        panels = figure.subplots(len(shares), sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, (corpus, heights) in zip(panels, shares.items(), strict=True):
            draw_histogram(axes, edges, heights, threshold)
            axes.set_title(corpus, fontsize=8, pad=2)
        panels[0].set_ylim(bottom=0)
        panels[-1].set_xlabel("score (bits a word); low: like the in-domain text")
        figure.supylabel("pairs (%)", fontsize=9)
        figure.suptitle(title, x=0, ha="left", fontsize=10)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        save(figure, out)


def corpora_of(ranking: dict[str, Any]) -> list[str]:
    """The corpora of a ranking in the order of its pool; JSON has them in that of the alphabet."""
    parts = sorted(ranking["parts"], key=ranking["parts"].__getitem__)
    return list(dict.fromkeys(part.partition(".")[0] for part in parts))


def draw_histogram(
    axes: "Axes", edges: list[float], heights: list[float], threshold: float
) -> None:
    """The bars of one corpus, dark up to the threshold, and a line there.

    `edges` [bins + 1], `heights` [bins]. The bin that has the threshold in it is dark in part.
    """
    below = [edge for edge in edges[:-1] if edge < threshold]
    kept = [*below, min(threshold, edges[-1])] if below else edges[:1]
    axes.stairs(heights[: len(below)], kept, fill=True, color=KEPT, zorder=2, label="kept")
    axes.stairs(heights, edges, fill=True, color=REST, label="left out")
    axes.axvline(threshold, color=INK, linewidth=1, label="threshold")


def draw_perplexity(about: Experiment, pair: str, perplexity: Path, out: Path) -> None:
    """A line of models of selected text and one of random text, over the words that they have.

    Raises UserError if the file is not of stage perplexity.
    """
    content = read_json(perplexity)
    language = pair.split("-")[1]
    with drawing() as figure:
        axes = figure.subplots()
        try:
            words = [cut_off["target_words"] for cut_off in content["cut_offs"]]
            for name, (colour, line, marker) in TEXTS.items():
                values = [cut_off[name]["perplexity"] for cut_off in content["cut_offs"]]
                filled = colour if name == "selected" else "none"
                axes.plot(words, values, line, marker=marker, color=colour, mfc=filled, label=name)
        except (KeyError, TypeError):
            raise UserError(f"{perplexity}: not perplexities: make this file again") from None
        axes.set_xscale("log")
        axes.set_xticks(words, list(map(short, words)))
        axes.set_xticks([], minor=True)
        axes.set(
            title=about.pair_title(pair),
            xlabel=f"{LANGUAGES.get(language, language)} words that the model was made of",
            ylabel="perplexity on the dev text",
        )
        figure.legend(loc="outside lower center", ncols=2, handlelength=2.4)
        save(figure, out)


def short(count: int) -> str:
    """A number in three digits: ``348M``, ``10.9M``, ``950k``."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="").format_eng(float(f"{count:.3g}"))
