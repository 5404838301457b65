"""How sure the differences of BLEU are: confidence intervals and tests, as a table."""

from collections.abc import Callable, Iterator
from typing import Any

from contextnmt.report.results import Results
from contextnmt.report.tables import NONE, Block, Cell, Table, signed

#: A difference is significant if both tests find one as large by chance less often than this.
LEVEL = 0.05
#: Keys of the p values of both tests.
TESTS = ["p_bootstrap", "p_randomization"]
#: Columns of the blocks.
SCORE = [("BLEU",), ("95 % interval",)]
DIFFERENCE = [("difference",), ("95 % interval",), ("p, bootstrap",), ("p, randomization",)]


def significance_table(results: Results) -> Table:
    """Tabulate BLEU with confidence intervals, and every difference with two tests of it."""
    contents = results.read_compared("significance")
    blocks: list[Block] = []
    data: list[dict[str, Any]] = []
    for (pair, text), content in contents.items():
        title = f"{results.pair_title(pair)}, {text}, beam {results.beam}"
        labels = results.labels(pair)
        systems = content["systems"]
        scores = [
            (label, [Cell(NONE)] * 2 if results.gap(pair, system) else scored(systems[system]))
            for system, label in labels.items()
        ]
        differences = [
            (f"{labels[entry['system']]} over {labels[entry['baseline']]}", tested(entry))
            for entry in content["contrasts"]
        ]
        blocks += [Block(title, SCORE, scores)]
        blocks += [Block(f"{title}: differences", DIFFERENCE, differences)] if differences else []
        data += rows_of_tests(results, pair, text, content)
    return Table(blocks, data, notes(next(iter(contents.values()))))


def scored(entry: dict[str, Any]) -> list[Cell]:
    """BLEU and its interval, or its gap."""
    if "gap" in entry:
        return [Cell(NONE, entry["gap"]), Cell(NONE)]
    bleu = bleu_cell(entry["bleu"], entry["deviation"])
    return [bleu, span(entry["interval"], "{:.2f}".format)]


def bleu_cell(bleu: float, deviation: float | None) -> Cell:
    """BLEU with the standard deviation of its seeds, None of one seed."""
    return Cell(f"{bleu:.2f}", "" if deviation is None else f"± {deviation:.2f}")


def tested(entry: dict[str, Any]) -> list[Cell]:
    """A difference, its interval and the p of both tests; the significant ones are marked."""
    if "gap" in entry:
        return [Cell(NONE, entry["gap"]), *[Cell(NONE)] * 3]
    p_values = [entry[test] for test in TESTS]
    return [
        Cell(signed(entry["difference"]), best=significant(p_values)),
        span(entry["interval"], signed),
        *(Cell(p_value(p)) for p in p_values),
    ]


def significant(p_values: list[float]) -> bool:
    """Whether chance alone explains a difference badly, by both tests."""
    return max(p_values) < LEVEL


def span(interval: list[float], form: Callable[[float], str]) -> Cell:
    """Both ends of an interval."""
    return Cell(" to ".join(map(form, interval)))


def p_value(p: float) -> str:
    """A p value: three digits, or that it is smaller."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def rows_of_tests(
    results: Results, pair: str, text: str, content: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """One row for each system's BLEU (`baseline` is None), one for each difference."""
    first = {"pair": pair, "text": text, "beam": results.beam}
    for system in results.systems:
        entry = content["systems"][system.id]
        yield {**first, "system": system.id, "baseline": None, **numbers(entry, "bleu")}
    for entry in content["contrasts"]:
        names = {name: entry[name] for name in ("system", "baseline")}
        p_values = {test: entry.get(test) for test in TESTS}
        yield {**first, **names, **numbers(entry, "difference"), **p_values}


def numbers(entry: dict[str, Any], value: str) -> dict[str, Any]:
    """Value and interval of a row, or its gap."""
    low, high = entry.get("interval", (None, None))
    return {"value": entry.get(value), "low": low, "high": high, "gap": entry.get("gap")}


def notes(content: dict[str, Any]) -> list[str]:
    """Notes of the table."""
    seeds = len(content["seeds"])
    training = "which the deviation of seeds tells" if seeds > 1 else "there is one seed"
    return [
        f"Bold: both tests find such a difference by chance in less than {100 * LEVEL:.0f} % of "
        "cases. They are two-sided and not corrected for how many are made.",
        f"Intervals of {content['confidence_percent']} % and the first p by the paired bootstrap "
        "(Koehn 2004), the second by approximate randomization (Riezler and Maxwell 2005), "
        f"{content['resamples']:,} draws each.",
        "They tell what another choice of test sentences would give with these models, "
        f"not what another training would give{',' if seeds > 1 else ':'} {training}. Differences "
        "are taken before rounding.",
        *([f"Mean ± standard deviation of {seeds} seeds."] if seeds > 1 else []),
    ]


def beyond_first(results: Results) -> dict[tuple[str, str, str], bool]:
    """Whether each BLEU differs significantly from that of the first system, widest beam.

    By pair, test text and system, as far as it was tested.
    """
    first = results.systems[0].id
    return {
        (*key, entry["system"]): significant([entry[test] for test in TESTS])
        for key, content in results.read_compared("significance").items()
        for entry in content["contrasts"]
        if entry["baseline"] == first and "gap" not in entry
    }
