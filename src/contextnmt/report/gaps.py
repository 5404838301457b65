"""Results that are not finished, have no score, or are stale, with the reasons.

A mean is one of all seeds, so a system is a gap until every run of it has been trained and has
translated. What follows after that takes no model, and is made when it is needed.

A system is stale if it was trained with other settings than there are now. Snakemake trains anew
what has changed, unless `--touch` says that the change does not matter. Then the old
numbers stay, and the report marks them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from contextnmt.configuration import recipes
from contextnmt.configuration.model import recorded_settings
from contextnmt.configuration.training import training_settings
from contextnmt.errors import UserError
from contextnmt.report.results import Reasons, Results, Run, gap_of_system, pair_title, read_record

#: Settings of a training that say where it runs, not what is learnt.
PLACE = {"training.device", "training.threads"}

#: The parts of a recipe, or of a record that has them.
Recipe = Mapping[str, Any]

#: The value of a key that one of two records has not.
MISSING: Any = object()


def system_notes(results: Results) -> list[str]:
    """The systems that are not finished, stale or pretrained, and why, as notes of a table."""
    stale = "Stale, settings changed since training"
    pretrained = "Pretrained, exported models in place of trainings"
    kinds = {"Not finished": results.gaps, stale: results.stale, pretrained: results.pretrained}
    return [
        f"{what}: {line}"
        for what, reasons in kinds.items()
        for line in reason_lines(results, reasons)
    ]


def reason_lines(results: Results, reasons: Reasons) -> list[str]:
    """The systems that have a reason, a line per language pair; the unfinished pairs come last."""
    return [
        f"{pair_title(pair)}: {listed}."
        for pair in dict.fromkeys([*results.pairs, *reasons])
        if (listed := listed_gaps(results, reasons.get(pair, {})))
    ]


def score_gap_notes(
    results: Results, bleu: list[dict[str, Any]], texts: int | None = None
) -> list[str]:
    """The systems without a score on the first `texts` test texts of each pair, or all, as notes.

    `bleu` is the data of the BLEU table.
    """
    return [
        f"No score: {pair_title(pair)}, {text}, beam {results.beam}: {listed}."
        for pair in results.pairs
        for text in results.test[pair][:texts]
        if (listed := listed_gaps(results, score_gaps(results, bleu, pair, text)))
    ]


def score_gaps(
    results: Results, bleu: list[dict[str, Any]], pair: str, text: str
) -> dict[str, str]:
    """System -> why it is finished and yet has no BLEU on a text at the widest beam."""
    key = ("here", pair, text, results.beam)
    return {
        row["system"]: row["gap"]
        for row in bleu
        if row.get("gap") and (row["source"], row["pair"], row["text"], row["beam"]) == key
    }


def listed_gaps(results: Results, gaps: Mapping[str, str]) -> str:
    """Systems by their labels, each with its reason; all of them at once if they share it."""
    if len(gaps) == len(results.systems) > 1 and len(set(gaps.values())) == 1:
        return f"all systems ({next(iter(gaps.values()))})"
    listed = [(system.label, gaps[system.id]) for system in results.systems if system.id in gaps]
    return "; ".join(f"{label} ({reason})" for label, reason in listed)


def stale_systems(results: Results) -> Reasons:
    """The systems whose settings of model and training have changed since they were trained.

    Neither text nor translation nor code is compared: whoever accepts an edit of them says that the
    numbers stay. A training that was begun before a change that was accepted, and ended after it,
    has both recipes: what it was begun with and what its model tells are both compared. Raises
    UserError if a file is no such record.
    """
    models, identities = results.models(), results.identities()
    found: Reasons = {}
    for pair in results.pairs:
        for system in results.finished(pair):
            now = settings(recipes.recipe(results.configuration, pair, system.id))
            runs = [Run(pair, system.id, seed) for seed in results.seeds]
            changes = {
                f"seed {run.seed}": changed([models[run], identities[run]], now) for run in runs
            }
            if any(changes.values()):
                found.setdefault(pair, {})[system.id] = gap_of_system(changes)
    return found


def pretrained_systems(results: Results) -> Reasons:
    """The systems with exported models in place of trainings, and the precision of their weights.

    Raises UserError if a file is no record of a training.
    """
    found: Reasons = {}
    models = results.models()
    for pair in results.pairs:
        for system in results.finished(pair):
            told = {
                f"seed {seed}": read_record(models[Run(pair, system.id, seed)]).get("pretrained")
                for seed in results.seeds
            }
            of_runs = {name: each["precision"] if each else "" for name, each in told.items()}
            if any(of_runs.values()):
                found.setdefault(pair, {})[system.id] = gap_of_system(of_runs)
    return found


def settings(recipe: Recipe) -> dict[str, Any]:
    """Model and training of a recipe with every setting, as a record of this version has them.

    Raises UserError at a setting that there is not.
    """
    model, training = recorded_settings(recipe["model"]), training_settings(recipe["training"])
    parts = {"model": asdict(model), "training": asdict(training)}
    found: dict[str, Any] = json.loads(json.dumps(parts))  # a list is no tuple there
    return found


def changed(records: Iterable[Path], now: Recipe) -> str:
    """The settings that are not as they were by the records of a training; empty if all are."""
    changes: dict[str, None] = {}
    for path in records:
        record = read_record(path)
        try:
            was = settings(record)
        except UserError:  # a setting that there is no more
            was = {part: record[part] for part in now}
        for key, *values in differences(was, now):
            before, after = (shown(value) or "not there" for value in values)
            if key not in PLACE:
                changes[f"{key} was {before}, is {after} now"] = None
    return ", ".join(changes)


def differences(a: Any, b: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The dotted keys at which two blocks of settings differ, and both values.

    Where only one of the two is a block of keys it is one value: a part of the model that is there
    or is not.
    """
    both = [*a, *b] if isinstance(a, list) and isinstance(b, list) and len(a) == len(b) else [None]
    if all(isinstance(each, Mapping) for each in both):
        a, b = (dict(enumerate(each, start=1)) for each in (a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for step in {**a, **b}:
            below = f"{key}.{step}" if key else step
            yield from differences(a.get(step, MISSING), b.get(step, MISSING), below)
    elif a != b:
        yield key, a, b


def shown(value: Any) -> str:
    """A setting as a reader writes it: text bare, anything else as JSON; empty if it is missing."""
    if value is MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def gap_of_run(model: Iterable[Path], state: Path, translations: Iterable[Path]) -> str:
    """How far a run is that is not finished; empty if it is.

    `model` are the files that its training leaves; `state` is the folder that a training has while
    it is not finished; `translations` are the files that its translation leaves.
    """
    if not all(path.exists() for path in model):
        try:
            begun = any(state.iterdir())
        except OSError:  # no such folder, or moved while it is read
            begun = False
        if not begun:
            return "not trained"
        update = last_update(state / "log.jsonl")
        return "training not finished" + (f", at update {update:,}" if update else "")
    there = {path: path.exists() for path in translations}
    missing = [path.name for path in there if not there[path]]
    if len(missing) == len(there) > 0:
        return "trained, not translated"
    return f"trained, not all translated: no {missing[0]}" if missing else ""


def last_update(log: Path) -> int | None:
    """The update of the last whole record of a training's log; None without any."""
    try:
        lines = log.read_bytes().split(b"\n")
    except OSError:  # none yet, or moved while it is read
        return None
    for line in reversed(lines):
        # The last line may be still being written, or the rest of a cut one.
        with suppress(ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return int(json.loads(line)["update"])
    return None
