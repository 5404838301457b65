"""How sure the differences of BLEU are: confidence intervals and tests, as a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from contextnmt.report.results import Record, Results
from contextnmt.report.tables import NONE, Block, Cell, Table, signed

#: Keys of the p values of both tests.
TESTS = ["p_bootstrap", "p_randomization"]
#: Why there is no verdict.
ONE_SEED = "one seed"
#: Columns of the blocks.
SCORE = [("BLEU",), ("95 % interval",)]
DIFFERENCE = [
    *(("difference",), ("95 %, sentences",), ("95 %, sentences and seeds",)),
    *(("p, bootstrap",), ("p, randomization",)),
]


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
    return Table(blocks, data, notes(results, contents))


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
    """A difference, its intervals and the p of both tests; marked if no chance explains it."""
    if "gap" in entry:
        return [Cell(NONE, entry["gap"]), *[Cell(NONE)] * (len(DIFFERENCE) - 1)]
    both = entry["interval_with_seeds"]
    return [
        Cell(signed(entry["difference"]), best=direction(both) is not None),
        span(entry["interval"], signed),
        span(both, signed),
        *(Cell(p_value(entry[test])) for test in TESTS),
    ]


def direction(interval: Sequence[float] | None) -> bool | None:
    """Whether an interval is above zero, False: below; None if neither or if there is none."""
    low, high = interval or (0.0, 0.0)
    return low > 0 if low > 0 or high < 0 else None


def span(interval: Sequence[float] | None, form: Callable[[float], str]) -> Cell:
    """Both ends of an interval."""
    return Cell(" to ".join(map(form, interval)) if interval else NONE)


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
        low, high = entry.get("interval_with_seeds") or (None, None)
        both = {"low_with_seeds": low, "high_with_seeds": high}
        p_values = {test: entry.get(test) for test in TESTS}
        yield {**first, **names, **numbers(entry, "difference"), **both, **p_values}


def numbers(entry: dict[str, Any], value: str) -> dict[str, Any]:
    """Value and interval of a row, or its gap."""
    low, high = entry.get("interval", (None, None))
    return {"value": entry.get(value), "low": low, "high": high, "gap": entry.get("gap")}


def notes(results: Results, contents: Mapping[tuple[str, str], Record]) -> list[str]:
    """Notes of the table."""
    content, *_ = contents.values()
    tests = (
        f"Over sentences: intervals of {content['confidence_percent']} % and the first p by the "
        "paired bootstrap (Koehn 2004), the second by approximate randomization (Riezler and "
        f"Maxwell 2005), {content['resamples']:,} draws each, two-sided. They tell what other test "
        "sentences would give with these models. Differences are taken before rounding."
    )
    if len(results.seeds) == 1:
        return [tests, f"Not what other trainings would give: {ONE_SEED}."]
    lines = [
        "Bold: zero is outside of the interval over sentences and seeds. There is no "
        "correction for multiple comparisons.",
        tests,
        "Over sentences and seeds: this includes the variance over seeds, shrunk towards that of "
        "all systems; the more alike their variances, the more it is shrunk (A41 and the row below "
        "it in docs/decisions.md).",
        f"BLEU: mean ± standard deviation of {len(results.seeds)} seeds.",
    ]
    for (pair, text), content in contents.items():
        if content["seed_variance"] and (apart := content["seed_variance"]["apart"]):
            labels = map(results.labels(pair).__getitem__, apart)
            lines.append(
                f"{results.pair_title(pair)}, {text}: not shrunk, since far larger than that "
                f"of the others: the variance over seeds of {', '.join(labels)}."
            )
    return lines


def beyond_first(results: Results) -> dict[tuple[str, str, str], bool]:
    """Whether each BLEU differs from that of the first system by more than chance, widest beam.

    By pair, test text and system, as far as it was tested; none of one seed does.
    """
    first = results.systems[0].id
    return {
        (*key, entry["system"]): direction(entry["interval_with_seeds"]) is not None
        for key, content in results.read_compared("significance").items()
        for entry in content["contrasts"]
        if entry["baseline"] == first and "gap" not in entry
    }
