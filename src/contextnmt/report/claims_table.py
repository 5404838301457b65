"""What the paper says of its systems, what is measured here, and whether it holds, as a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from contextnmt.report.experiment import Claim, Experiment, match
from contextnmt.report.gains import REPEATS, Difference, beyond_chance, differences
from contextnmt.report.gaps import gap_notes, score_gap_notes
from contextnmt.report.significance_table import LEVEL, Key, content_of, key_of, rows_of
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, read_table, signed

COLUMNS = [("holds here",), ("paper",), ("here",), ("95 % interval",)]

#: Whether the first system is better, None: the difference may be chance -> the verdict.
VERDICTS = {True: "yes", False: "no, the opposite", None: "not shown"}
UNFINISHED, UNSCORED, UNTESTED = "not finished", "no score", "not tested"
TESTS = ("p_bootstrap", "p_randomization")


def claims_table(bleu_table: Path, significance: list[Path], about: Experiment) -> Table:
    """Hold the claims of the paper against the scores: differences, intervals, verdicts.

    On the first test text of each language pair, at the widest beam. Claims whose systems are not
    part of the run are left out.
    """
    bleu = read_table(bleu_table).data
    keys = [(pair, about.test[pair][0]) for pair in about.pairs]
    data = [
        row
        for key, path in match("significance", significance, key_of, keys).items()
        for row in held(about, key, bleu, content_of(about, key[0], path))
    ]
    blocks = [
        block(about, pair, [row for row in data if row["pair"] == pair]) for pair in about.pairs
    ]
    return Table([made for made in blocks if made.rows], data, notes(about, data, bleu))


def held(
    about: Experiment, key: Key, bleu: list[dict[str, Any]], content: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """One row for each pair of systems of each claim, those of one text."""
    pair, text = key
    there = {system.id for system in about.systems}
    tests = rows_of(about, key, content)
    tested = {(entry["system"], entry["baseline"]): entry for entry in content["contrasts"]}
    for claim in about.claims:
        for system, baseline in claim.contrasts:
            if {system, baseline} <= there:
                found = differences(about, bleu, tests, pair, [(system, baseline)])
                unfinished = any(about.gap(pair, each) for each in (system, baseline))
                without = UNFINISHED if unfinished else UNSCORED
                yield {
                    **{"pair": pair, "text": text, "beam": about.beam, "claim": claim.says},
                    **{"system": system, "baseline": baseline, "longer": claim.longer},
                    **outcome(claim, found, tested.get((system, baseline), {}), without),
                }


def outcome(
    claim: Claim, found: list[Difference], tested: dict[str, Any], without: str
) -> dict[str, Any]:
    """The numbers and the verdict on one pair of systems; `tested` is its entry of stage
    significance, or empty, and `without` the verdict where nothing is found."""
    empty = dict.fromkeys(
        ["difference", "paper", "low", "high", *TESTS, "spread", "median", "long", "short"]
    )
    if not found:
        return {**empty, "verdict": without}
    (difference,) = found
    if not claim.longer:
        numbers = {
            **{"difference": difference.gain, "paper": difference.paper},
            "spread": difference.spread,
        }
        tested = {} if difference.interval is None else tested
        verdict = difference.helps
    else:
        tested = tested.get("growth") or {}
        numbers = {key: tested.get(key) for key in ("difference", "spread", "median")}
        for half in ("long", "short") if tested else ():
            numbers[half] = tested[half][0] - tested[half][1]
        sure = bool(tested) and tested["p_bootstrap"] < LEVEL
        verdict = beyond_chance(numbers["difference"] or 0.0, numbers["spread"], sure)
    low, high = tested.get("interval", (None, None))
    p_values = {test: tested.get(test) for test in TESTS}
    word = VERDICTS[verdict] if tested else UNTESTED
    return {**empty, **numbers, "low": low, "high": high, **p_values, "verdict": word}


def block(about: Experiment, pair: str, data: list[dict[str, Any]]) -> Block:
    """The claims as a reader sees them."""
    labels = about.labels(pair)
    rows = [
        (f"{row['claim']} ({labels[row['system']]} over {labels[row['baseline']]})", cells(row))
        for row in data
    ]
    seeds = "one seed" if len(about.seeds) == 1 else f"{len(about.seeds)} seeds"
    title = f"{about.pair_title(pair)}, {about.test[pair][0]}, beam {about.beam}, {seeds}"
    return Block(title, COLUMNS, rows, text_columns=1)


def cells(row: dict[str, Any]) -> list[Cell]:
    """What one row shows."""
    verdict = row["verdict"]
    remark = ""
    if row["long"] is not None:
        remark = (
            f"{signed(row['long'])} over {row['median']:g} words, {signed(row['short'])} up to that"
        )
    span = NONE if row["low"] is None else f"{signed(row['low'])} to {signed(row['high'])}"
    return [
        Cell(verdict, best=verdict == VERDICTS[True]),
        Cell(number(row["paper"])),
        Cell(number(row["difference"]), remark),
        Cell(span),
    ]


def number(value: float | None) -> str:
    """A difference, or a dash where there is none."""
    return NONE if value is None else signed(value)


def notes(about: Experiment, data: list[dict[str, Any]], bleu: list[dict[str, Any]]) -> list[str]:
    """What a reader must know to read the table."""
    one = len(about.seeds) == 1
    training = (
        f"{REPEATS} BLEU, by which repeats of one system may differ"
        if one
        else "the standard deviation between seeds"
    )
    lines = [
        "Differences in BLEU, taken before rounding; the paper's are those of its own test text.",
        f"Yes, or no and the opposite: both tests of the difference have p < {LEVEL}, and it is "
        f"greater than {training}. Not shown: anything else.",
        "Intervals and tests tell what other test sentences would give with these models"
        + (", not what other trainings would: there is one seed." if one else ".")
        + " They are not corrected for how many claims there are.",
    ]
    if any(row["longer"] for row in data):
        lines.append(
            "Whether length matters: the difference on source sentences longer than the median, "
            "less that on the others, both in points of BLEU; tested by the paired bootstrap alone."
        )
    return lines + gap_notes(about) + score_gap_notes(about, bleu, texts=1) + stale_notes(about)
