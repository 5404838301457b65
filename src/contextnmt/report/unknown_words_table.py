"""What replacing the unknown words of translations does to their BLEU, system by system."""

from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import (
    Experiment,
    Run,
    match,
    pair_title,
    run_of,
)
from contextnmt.report.gaps import gap_notes
from contextnmt.report.published import published
from contextnmt.report.sentences import texts_of
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import (
    NONE,
    Block,
    Cell,
    Table,
    mean_and_deviation,
    rounded,
    signed,
)

#: Heuristic of `replace-unknown` -> what its column is called; None: unknown words stay.
HEURISTICS = {None: "kept", 0: "copied (0)", 1: "looked up (1)", 2: "lower case looked up (2)"}

#: What others print, among them Jean et al. 2015, by the names that two systems have there: their
#: heuristic (2, their section 4.1) -> system.
PRINTED = "paper/elsewhere.csv"
JEAN = {None: "RNNsearch", 2: "RNNsearch + unknown words replaced"}
LABEL = "RNNsearch (Jean et al. 2015)"

#: BLEU of all seeds by pair, system, text and heuristic; none if a seed has none.
Scores = dict[tuple[str, str, str, int | None], list[float]]
#: Why a seed has none.
Gaps = dict[tuple[str, str, str, int | None], list[str]]
#: Percent of the words of a translation that are unknown, by pair, system and text, of all seeds.
Shares = dict[tuple[str, str, str], list[float]]


def unknown_words_table(
    scores: list[Path],
    replaced_scores: list[Path],
    statistics: list[Path],
    about: Experiment,
) -> Table:
    """Tabulate the share of unknown words and BLEU before and after they are replaced.

    Systems without attention have no such files, and no row.
    """
    there = set(map(run_of, replaced_scores))
    wanted = [run for run in about.runs if any(run[:2] == other[:2] for other in there)]
    of_replaced = match("replaced scores", replaced_scores, run_of, wanted)
    of_kept = match("scores", scores, run_of, wanted)
    of_counts = match("statistics", statistics, run_of, wanted)
    found: Scores = {}
    gaps: Gaps = {}
    shares: Shares = {}
    for run in wanted:
        kept, replaced, counts = (
            (path, read_json(path)) for path in (of_kept[run], of_replaced[run], of_counts[run])
        )
        for text in texts_of(about, run.pair):
            name = f"{text}.beam{about.beam}"
            key = (*run[:2], text)
            add(found, gaps, (*key, None), *kept, name)
            heuristics = heuristics_in(replaced[1], name)
            if not heuristics:
                raise UserError(f"{replaced[0]}: no scores of {name}.replaced…: score these too")
            for heuristic in heuristics:
                add(found, gaps, (*key, heuristic), *replaced, f"{name}.replaced{heuristic}")
                unknown, words = entry(*counts, f"{name}.replaced{heuristic}", ["unknown", "words"])
            shares.setdefault(key, []).append(100 * unknown / words if words else 0.0)
    found |= {key: [] for key in gaps}
    blocks = [
        block(about, pair, text, found, shares)
        for pair in about.pairs
        if any(run.pair == pair for run in wanted)
        for text in about.test[pair]
    ]
    return Table(blocks, data(about, found, shares), notes(about, wanted, gaps))


def add(
    found: Scores,
    gaps: Gaps,
    key: tuple[str, str, str, int | None],
    path: Path,
    content: Any,
    name: str,
) -> None:
    """Add the BLEU of a translation that a file has, or why there is none."""
    if isinstance(content, dict) and "gap" in content.get(name, {}):
        gaps.setdefault(key, []).append(content[name]["gap"])
    else:
        found.setdefault(key, []).append(entry(path, content, name, ["bleu"])[0])


def heuristics_in(content: Any, name: str) -> list[int]:
    """The heuristics by which the unknown words of a translation were replaced, as scored."""
    return [
        heuristic
        for heuristic in HEURISTICS
        if heuristic is not None and f"{name}.replaced{heuristic}" in content
    ]


def entry(path: Path, content: Any, name: str, keys: list[str]) -> list[Any]:
    """What a file says of a translation. Raises UserError if it does not."""
    try:
        return [content[name][key] for key in keys]
    except (KeyError, TypeError):
        raise UserError(f"{path}: no {keys[0]} of {name}: make this file again") from None


def block(about: Experiment, pair: str, text: str, scores: Scores, shares: Shares) -> Block:
    """The systems of one language pair on one test text, and those of Jean et al. below them."""
    shown = [heuristic for heuristic in HEURISTICS if (pair, text, heuristic) in columns_of(scores)]
    rows = [
        (system.label, system_cells(scores, shares, (pair, system.id, text), shown))
        for system in about.marked(pair)
        if (pair, system.id, text) in shares
    ]
    if printed := printed_rows(pair):
        bleu = {heuristic: float(row["bleu"]) for heuristic, row in printed.items()}
        rows.append((LABEL, [Cell(NONE), *printed_cells(bleu, shown)]))
    headings = [("unknown words (%)", ""), *(("BLEU", HEURISTICS[each]) for each in shown)]
    return Block(f"{about.pair_title(pair)}, {text}, beam {about.beam}", headings, rows)


def columns_of(scores: Scores) -> set[tuple[str, str, int | None]]:
    """The language pairs, texts and heuristics that there are scores of."""
    return {(pair, text, heuristic) for pair, _, text, heuristic in scores}


def system_cells(
    scores: Scores, shares: Shares, key: tuple[str, str, str], shown: list[int | None]
) -> list[Cell]:
    """The share of unknown words, and BLEU by heuristic with what it gains; the best marked. A
    dash where there is none."""
    means = {each: mean_of(scores[*key, each]) for each in shown}
    best = max((mean for mean in means.values() if mean is not None), default=None)
    cells = [Cell(*rounded(shares[key]))]
    for heuristic, mean in means.items():
        if mean is None:
            cells.append(Cell(NONE))
            continue
        text, spread = rounded(scores[*key, heuristic])
        gain = None if heuristic is None else difference(mean, means[None])
        remark = "" if gain is None else f"({signed(gain)})"
        cells.append(Cell(text, f"{spread} {remark}".strip(), mean == best))
    return cells


def mean_of(values: list[float]) -> float | None:
    """The mean of all seeds; None if there is none."""
    return mean_and_deviation(values)[0] if values else None


def difference(present: float | None, without: float | None) -> float | None:
    """What the first has more than the second; None if one is missing."""
    return None if present is None or without is None else present - without


def printed_rows(pair: str) -> dict[int | None, dict[str, str]]:
    """The rows of Jean et al. for a language pair, by heuristic."""
    return {
        heuristic: row
        for row in published(PRINTED)
        for heuristic, system in JEAN.items()
        if (row["source"], row["system"], row["pair"]) == ("Jean et al. 2015", system, pair)
    }


def printed_cells(printed: dict[int | None, float], shown: list[int | None]) -> list[Cell]:
    """BLEU of a system of Jean et al. in the columns that are shown."""
    return [
        Cell(
            f"{printed[each]:.2f}",
            "" if each is None else f"({signed(printed[each] - printed[None])})",
        )
        if each in printed
        else Cell(NONE)
        for each in shown
    ]


def data(about: Experiment, scores: Scores, shares: Shares) -> list[dict[str, Any]]:
    """One row for each pair, system, text and heuristic, and each number of Jean et al."""
    rows: list[dict[str, Any]] = []
    for (pair, system, text, heuristic), values in scores.items():
        mean, deviation = mean_and_deviation(values) if values else (None, None)
        rows.append(
            {
                "source": "here",
                "pair": pair,
                "system": system,
                "text": text,
                "beam": about.beam,
                "heuristic": "" if heuristic is None else heuristic,
                "bleu": mean,
                "bleu_deviation": deviation,
                "gain": difference(mean, mean_of(scores[pair, system, text, None])),
                "unknown_percent": mean_and_deviation(shares[pair, system, text])[0],
                "seeds": len(shares[pair, system, text]),
            }
        )
    for pair in about.pairs:
        for heuristic, row in printed_rows(pair).items():
            rows.append(
                {
                    "source": "paper",
                    "pair": pair,
                    "system": LABEL,
                    "text": row["text"],
                    "beam": int(row["beam"]),
                    "heuristic": "" if heuristic is None else heuristic,
                    "bleu": float(row["bleu"]),
                }
            )
    return rows


def notes(about: Experiment, runs: list[Run], gaps: Gaps) -> list[str]:
    """What a reader must know to read the table."""
    lines = [f"Reconstruction: {about.reconstruction}"] if about.reconstruction else []
    lines += [
        "BLEU in percent, on tokenized text; in brackets what the replacement gains over keeping "
        "UNK; bold: best of a row.",
    ]
    kept = {pair: printed_rows(pair).get(None) for pair in about.pairs}
    printed = [
        f"{pair_title(pair)}, {row['text']} ({row['remark']})" for pair, row in kept.items() if row
    ]
    if printed:
        lines.append(
            f"Jean et al. 2015, Table 2: {'; '.join(printed)}. Where texts and trainings are "
            "others, compare the gains."
        )
    if len(about.seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(about.seeds)} seeds.")
    there = {run.system for run in runs}
    unfinished = {system for of_pair in about.gaps.values() for system in of_pair}
    left = [system.label for system in about.systems if system.id not in there | unfinished]
    if left:
        lines.append(f"Not replaced, for want of attention or of whole words: {', '.join(left)}.")
    labels = {system.id: system.label for system in about.systems}
    for (pair, system, text, heuristic), told in gaps.items():
        where = f"{pair_title(pair)}, {text}, {HEURISTICS[heuristic]}"
        lines.append(f"No score: {where}: {labels[system]} ({'; '.join(told)}).")
    return lines + gap_notes(about) + stale_notes(about)
