"""Reasons why a system has no results yet, by the files of its runs.

The workflow tells them to reports with gaps; `compare` finds them itself.

A mean is one of all seeds, so a system is a gap until every run of it has been trained and has
translated. What follows after that takes no model, and is made when it is needed.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

#: More than any line of log.jsonl takes, in bytes.
LAST = 65_536


def gap_of_run(model: Iterable[Path], state: Path, translations: Iterable[Path]) -> str:
    """How far a run is that is not finished; empty if it is.

    `model` are the files that its training leaves; `state` is the folder that a training has while
    it is not finished; `translations` are the files that its translation leaves.
    """
    if not all(path.exists() for path in model):
        return training_gap(state)
    return translation_gap(translations)


def training_gap(state: Path) -> str:
    """How far a training is that has not finished."""
    if not state.is_dir() or not any(state.iterdir()):
        return "not trained"
    update = last_update(state / "log.jsonl")
    return "training not finished" + (f", at update {update:,}" if update else "")


def last_update(log: Path) -> int | None:
    """The update of the last whole record of a training's log; None without any."""
    try:
        with open(log, "rb") as stream:
            stream.seek(max(0, log.stat().st_size - LAST))
            lines = stream.read().split(b"\n")
    except OSError:
        return None
    for line in reversed(lines):
        try:
            return int(json.loads(line)["update"])
        except (ValueError, TypeError, KeyError):
            continue  # a line that is being written, or the rest of a cut one
    return None


def translation_gap(translations: Iterable[Path]) -> str:
    """The reason why a trained model has no translations; empty if it has."""
    paths = list(translations)
    missing = [path for path in paths if not path.exists()]
    if not missing:
        return ""
    if len(missing) == len(paths):
        return "trained, not translated"
    return f"trained, not all translated: no {missing[0].name}"


def gap_of_system(of_runs: Mapping[str, str]) -> str:
    """The gap of a system, from those of its runs by their names (``seed 2``, ``ensemble``).

    Runs with the same reason share it; the names go where all have it.
    """
    names: dict[str, list[str]] = {}
    for name, reason in of_runs.items():
        if reason:
            names.setdefault(reason, []).append(name)
    if len(names) == 1 and len(next(iter(names.values()))) == len(of_runs):
        return next(iter(names))
    return "; ".join(f"{', '.join(each)}: {reason}" for reason, each in names.items())
