"""The files of stage `length-scores`, read for the table and the figure."""

from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, System, match

#: Keys of the groups of sentences.
BINS, WINDOWS = "bins", "windows"
#: Keys of what is said of all of them.
STATED = {"name", "seeds", "window", "resamples", "confidence_percent", BINS, WINDOWS}
#: Sentences of a bin from which on its scores are shown: fewer tell nothing, nor do their
#: intervals.
LEAST = 20


def read_length_groups(about: Experiment, scores: list[Path]) -> dict[str, dict[str, Any]]:
    """What the stage wrote of each language pair, the folder of the file, with the gaps of systems
    that are not finished.

    Raises UserError unless there is one file a pair, each with all systems of the experiment.
    """
    files = match("--scores", scores, lambda path: path.absolute().parent.name, about.pairs)
    return {pair: content_of(about, pair, path) for pair, path in files.items()}


def content_of(about: Experiment, pair: str, path: Path) -> dict[str, Any]:
    """The content of a file, with the gaps. Raises UserError if a system or a part is missing."""
    content = read_json(path)
    try:
        unfinished = {name: {"gap": gap} for name, gap in about.gaps.get(pair, {}).items()}
        systems = {**content["systems"], **unfinished}
        whole = all(complete(content, systems[system.id]) for system in about.systems)
        if whole and content.keys() >= STATED:
            return {**content, "systems": systems}
    except (KeyError, TypeError, AttributeError):
        pass
    raise UserError(f"{path}: no scores by length of all systems: make this file again")


def complete(content: dict[str, Any], scores: dict[str, Any]) -> bool:
    """Whether a system has a score of each group, or is a gap."""
    groups = ((kind, len(content[kind])) for kind in (BINS, WINDOWS))
    return "gap" in scores or all(len(scores[kind]) == count for kind, count in groups)


def scored(about: Experiment, content: dict[str, Any]) -> list[tuple[System, dict[str, Any]]]:
    """The systems that have scores, and these."""
    systems = [(system, content["systems"][system.id]) for system in about.systems]
    return [(system, scores) for system, scores in systems if "gap" not in scores]


def filled(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The bins up to that of the longest sentence; the first one if there is no sentence."""
    places = [place for place, group in enumerate(content[BINS]) if group["sentences"]]
    bins: list[dict[str, Any]] = content[BINS]
    return bins[: max(places, default=0) + 1]


def words_of(group: dict[str, Any]) -> str:
    """The lengths of a bin: ``up to 10``, ``11–20``, ``over 50``."""
    low, high = group["from"], group["to"]
    return f"over {low - 1}" if high is None else f"up to {high}" if low == 0 else f"{low}–{high}"
