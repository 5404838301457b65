"""How sure the differences of BLEU are: confidence intervals and tests, as a table."""

from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, match
from contextnmt.report.gaps import dashes, gap_notes
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, signed

#: A difference is significant if both tests find one as large by chance less often than this.
LEVEL = 0.05
#: Columns of the blocks.
SCORE = [("BLEU",), ("95 % interval",)]
DIFFERENCE = [("difference",), ("95 % interval",), ("p, bootstrap",), ("p, randomization",)]

#: Pair and test text.
Key = tuple[str, str]


def significance_table(significance: list[Path], about: Experiment) -> Table:
    """Tabulate BLEU with confidence intervals, and every difference with two tests of it."""
    keys = [(pair, text) for pair in about.pairs for text in about.test[pair]]
    contents = {
        key: content_of(about, key[0], path)
        for key, path in match("significance", significance, key_of, keys).items()
    }
    blocks = [
        made
        for key, content in contents.items()
        for made in [scores(about, key, content), differences(about, key, content)]
        if made.rows
    ]
    data = [row for key, content in contents.items() for row in rows_of(about, key, content)]
    lines = notes(list(contents.values())) + gap_notes(about) + stale_notes(about)
    return Table(blocks, data, lines)


def key_of(path: Path) -> Key:
    """Pair and text of a file ``…/{pair}/{text}.beam{width}.json``."""
    return path.absolute().parent.name, path.name.partition(".")[0]


def content_of(about: Experiment, pair: str, path: Path) -> dict[str, Any]:
    """What the stage wrote of a language pair, with the gaps of systems that are not finished.

    Raises UserError unless it is of all others at the widest beam.
    """
    content = read_json(path)
    try:
        beam, systems = content["name"].partition(".beam")[2], content["systems"]
        if beam == str(about.beam) and all(each.id in systems for each in about.finished(pair)):
            unfinished = {name: {"gap": gap} for name, gap in about.gaps.get(pair, {}).items()}
            return {**content, "systems": {**systems, **unfinished}}
    except (KeyError, TypeError, AttributeError):
        pass
    raise UserError(
        f"{path}: no significance of all systems with beam {about.beam}: make this file again"
    )


def scores(about: Experiment, key: Key, content: dict[str, Any]) -> Block:
    """BLEU of every system with its interval."""
    rows = []
    for system in about.marked(key[0]):
        entry = content["systems"][system.id]
        if about.gap(key[0], system.id):
            cells = dashes(len(SCORE))  # a note tells why
        elif "gap" in entry:
            cells = [Cell(NONE, entry["gap"]), Cell(NONE)]
        else:
            cells = scored(entry)
        rows.append((system.label, cells))
    return Block(title(about, key, ""), SCORE, rows)


def scored(entry: dict[str, Any]) -> list[Cell]:
    """BLEU with the deviation of its seeds, if there are several, and its interval."""
    deviation = entry["deviation"]
    spread = "" if deviation is None else f"± {deviation:.2f}"
    return [Cell(f"{entry['bleu']:.2f}", spread), span(entry["interval"], "{:.2f}".format)]


def differences(about: Experiment, key: Key, content: dict[str, Any]) -> Block:
    """Every difference that was tested; the significant ones are marked."""
    labels = about.labels(key[0])
    rows = [
        (f"{labels[entry['system']]} over {labels[entry['baseline']]}", tested(entry))
        for entry in content["contrasts"]
    ]
    return Block(title(about, key, ": differences"), DIFFERENCE, rows)


def tested(entry: dict[str, Any]) -> list[Cell]:
    """A difference, its interval and the p of both tests, or why there is none."""
    if "gap" in entry:
        return [Cell(NONE, entry["gap"]), *[Cell(NONE)] * (len(DIFFERENCE) - 1)]
    p_values = [entry["p_bootstrap"], entry["p_randomization"]]
    return [
        Cell(signed(entry["difference"]), best=significant(p_values)),
        span(entry["interval"], signed),
        *(Cell(p_value(p)) for p in p_values),
    ]


def significant(p_values: list[float]) -> bool:
    """Whether chance alone explains a difference badly, by both tests."""
    return max(p_values) < LEVEL


def beyond_first(about: Experiment, files: list[Path]) -> dict[tuple[str, str, str], bool]:
    """Pair, test text and system of every BLEU that was tested against that of the first system of
    the experiment, at the widest beam -> whether it differs significantly.

    `files` are those of stage `significance`.
    """
    first = about.systems[0].id
    keys = [(pair, text) for pair in about.pairs for text in about.test[pair]]
    return {
        (*key, entry["system"]): significant([entry["p_bootstrap"], entry["p_randomization"]])
        for key, path in match("significance", files, key_of, keys).items()
        for entry in content_of(about, key[0], path)["contrasts"]
        if entry["baseline"] == first and "gap" not in entry
    }


def span(interval: list[float], form: Any) -> Cell:
    """Both ends of an interval."""
    return Cell(" to ".join(map(form, interval)))


def p_value(p: float) -> str:
    """A p value: three digits, or that it is smaller."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def title(about: Experiment, key: Key, what: str) -> str:
    """The title of a block: pair, text and beam."""
    pair, text = key
    return f"{about.pair_title(pair)}, {text}, beam {about.beam}{what}"


def rows_of(about: Experiment, key: Key, content: dict[str, Any]) -> list[dict[str, Any]]:
    """One row for each system's BLEU (`baseline` is None), one for each difference."""
    first = {"pair": key[0], "text": key[1], "beam": about.beam}
    rows = [
        {**first, "system": system.id, "baseline": None, **numbers(entry, "bleu")}
        for system in about.systems
        for entry in [content["systems"][system.id]]
    ]
    rows += [
        {
            **first,
            **{name: entry[name] for name in ("system", "baseline")},
            **numbers(entry, "difference"),
            **{name: entry.get(name) for name in ("p_bootstrap", "p_randomization")},
        }
        for entry in content["contrasts"]
    ]
    return rows


def numbers(entry: dict[str, Any], value: str) -> dict[str, Any]:
    """Value and interval of a row, or its gap."""
    low, high = entry.get("interval", (None, None))
    return {"value": entry.get(value), "low": low, "high": high, "gap": entry.get("gap")}


def notes(contents: list[dict[str, Any]]) -> list[str]:
    """What a reader must know to read the table."""
    seeds = contents[0]["seeds"]
    training = (
        "not what another training would give, which the deviation of seeds tells"
        if len(seeds) > 1
        else "not what another training would give: there is one seed"
    )
    lines = [
        f"Bold: both tests find such a difference by chance in less than {100 * LEVEL:.0f} % of "
        "cases. They are two-sided and not corrected for how many are made.",
        f"Intervals of {contents[0]['confidence_percent']} % and the first p by the paired "
        f"bootstrap (Koehn 2004), the second by approximate randomization (Riezler and Maxwell "
        f"2005), {contents[0]['resamples']:,} draws each.",
        "They tell what another choice of test sentences would give with these models, "
        f"{training}. Differences are taken before rounding.",
    ]
    if len(seeds) > 1:
        lines.append(f"Mean ± standard deviation of {len(seeds)} seeds.")
    return lines
