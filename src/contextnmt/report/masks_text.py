"""What the context masks do, in sentences that say no more than the numbers."""

import statistics
from collections.abc import Iterator
from typing import Any

from contextnmt.report.masks import distance
from contextnmt.report.results import Results

#: Half of all comparisons, in percent: what contexts give that have nothing to do with the sense.
CHANCE = 50.0
#: Percent of the values of masks above 0.99 from which on a mask is next to none.
OPEN = 95.0
#: Standard errors from chance from which on a separation is called one.
ERRORS = 2.0

TOGETHER = "the masks draw different senses together"
NO_SIGN = "no sign that the masks tell the senses apart"
APART = "the masks tell the senses apart more often than chance"

#: The data of the table of masks, or some of its rows.
Rows = list[dict[str, Any]]


def observations(results: Results, data: Rows) -> list[str]:
    """A sentence or two for each pair and system in the `data` of the table of masks.

    Systems without masks, for want of a word to look at, are left out.
    """
    return [
        f"{results.pair_title(pair)}, {label}: {opening(rows)} {senses(rows)[0]}".rstrip()
        for pair in results.pairs
        for label, rows in by_system(results, pair, data)
    ]


def caveats(results: Results, pair: str, data: Rows) -> list[str]:
    """A sentence for each system of a pair whose masks let nearly everything pass, or show no sign
    of telling the senses of words apart."""
    lines = []
    for label, rows in by_system(results, pair, data):
        share = mean(rows, "open_percent")
        if share > OPEN:
            lines.append(
                f"{label} hardly contextualizes: {share:.1f} % of the values of its context masks, "
                "in the sentences looked at, are above 0.99, which leaves source vectors as they "
                "are."
            )
        elif senses(rows)[1] in (TOGETHER, NO_SIGN):
            lines.append(
                f"The context masks of {label} show no sign of telling the senses of ambiguous "
                "words apart."
            )
    return lines


def by_system(results: Results, pair: str, data: Rows) -> Iterator[tuple[str, Rows]]:
    """Label and rows of each system of a pair that has masks."""
    known = [row for row in data if row["pair"] == pair and row["open_percent"] is not None]
    for system in results.marked(pair):
        if rows := [row for row in known if row["system"] == system.id]:
            yield system.label, rows


def mean(rows: Rows, key: str) -> float:
    """The mean over rows of seeds and kinds of pairs."""
    return statistics.fmean(row[key] for row in rows)


def opening(rows: Rows) -> str:
    """How far the masks are open, and so how much they change a vector."""
    share = mean(rows, "open_percent")
    told = f"{share:.1f} % of the values of the masks are above 0.99"
    if compared := [row for row in rows if row.get("cosine") is not None]:
        told += (
            ", and the vectors of a word in two sentences have a cosine distance of "
            f"{distance(mean(compared, 'cosine'))}, the mean over kinds of pairs"
        )
    return f"{told}{': most of a vector passes as it is' if share > CHANCE else ''}."


def senses(rows: Rows) -> tuple[str, str]:
    """A sentence on whether the masks tell the senses of words apart, and the verdict in it.

    Both are empty where senses are not known; a single word has no error, and so no verdict.
    """
    different = [row for row in rows if row["senses"] == "different"]
    of_seeds = [row for row in different if row["separation"] is not None]
    if not of_seeds:
        return "", ""
    share = 100 * mean(of_seeds, "separation")
    told = (
        f"In {share:.1f} % of comparisons two sentences in which a word has two senses are farther "
        "apart than two in which it has one (chance: 50 %"
    )
    if any(row["separation_error"] is None for row in of_seeds):
        return f"{told}).", ""
    # The seeds see the same words, so their mean is no surer than one of them.
    error = 100 * mean(of_seeds, "separation_error")
    if abs(share - CHANCE) <= ERRORS * error:
        verdict = NO_SIGN
    else:
        verdict = APART if share > CHANCE else TOGETHER
    words = of_seeds[0]["words"]
    return f"{told}, standard error over {words} words: {error:.1f}): {verdict}.", verdict
