"""How the scores of a selection are distributed, and what the selected text is worth."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import (
    LANGUAGES,
    Experiment,
    by_some_pairs,
    parse_experiment,
)
from contextnmt.report.figures import COLOURS, INK, drawing, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours of what is kept and of the rest: dark and light, for readers without colour.
KEPT, REST = COLOURS[4], COLOURS[2]
#: Height in inches of a corpus' histogram, and of what is above and below all of them.
PANEL, MARGIN = 0.72, 1.1
#: Text in `perplexity/PAIR.json` -> its colour, line and marker.
TEXTS = {"selected": (COLOURS[4], "-", "o"), "random": (COLOURS[5], "--", "D")}


def selection_figures(
    ranking: list[Path],
    perplexity: list[Path],
    experiment: str,
    out: Path,
) -> None:
    """Draw selection.{pair}.{scores,perplexity} in SVG, PDF and PNG, of the pairs that have one."""
    about = parse_experiment(experiment)
    rankings = by_some_pairs("--ranking", ranking, about)
    perplexities = by_some_pairs("--perplexity", perplexity, about)
    if list(rankings) != list(perplexities):
        raise UserError("--ranking and --perplexity: not of the same pairs: give both of each")
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
