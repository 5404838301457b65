"""Which numbers are stale: of systems trained with other settings than there are now.

Snakemake trains anew what has changed, unless it is told that the change does not matter
(``--touch``). Then the old numbers stay, and the report marks them.
"""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from contextnmt.configuration.model import recorded_settings
from contextnmt.configuration.training import training_settings
from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.contents import Contents
from contextnmt.report.experiment import (
    Experiment,
    Run,
    by_run,
    experiment_of,
    match,
    pair_title,
)
from contextnmt.report.nested import differences, shown

#: Settings of a training that say where it runs, not what is learnt.
PLACE = {"device", "threads"}
#: Part of a system's recipe, which stands before its keys -> what fills in what it leaves out.
PARTS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "model": recorded_settings,
    "training": training_settings,
}

#: Language pair -> system -> what has changed since it was trained.
Stale = dict[str, dict[str, str]]
#: The parts of a recipe, or of a record that has them.
Recipe = Mapping[str, Any]


def stale_systems(contents: Contents) -> Stale:
    """The stale systems of an experiment in its results folder. Raises like `found_stale`."""
    models, identities = (list(map(Path, paths)) for paths in contents.trained())
    recipes = {
        pair: {system: contents.recipe(pair, system) for system in contents.finished(pair)}
        for pair in contents.pairs
    }
    return found_stale(models, identities, recipes, experiment_of(contents.described()))


def found_stale(
    model: list[Path], identity: list[Path], recipes: Mapping[str, Any], about: Experiment
) -> Stale:
    """The systems whose settings of model and training have changed since they were trained.

    `model`: model.json of each run; `identity`: what each training was begun with; `recipes`: model
    and training now, by pair and system. Neither text nor translation nor code is compared: whoever
    accepts an edit of them says that the numbers stay.

    A training that was begun before a change that was accepted, and ended after it, has both
    recipes: what it was begun with and what its model tells are both compared. Raises UserError if
    a file is no such record, or of no run, or if a run has none.
    """
    records = [by_run("model", model, about), match("identity", identity, run_of, about.runs)]
    found: Stale = {}
    for pair in about.pairs:
        for system in about.finished(pair):
            try:
                recipe = whole(recipes[pair][system.id])
            except (KeyError, TypeError):
                raise UserError(f"recipes: no recipe of {pair} {system.id}") from None
            reasons = {
                seed: changed((files[Run(pair, system.id, seed)] for files in records), recipe)
                for seed in about.seeds
            }
            if told := together(reasons):
                found.setdefault(pair, {})[system.id] = told
    return found


def run_of(path: Path) -> Run:
    """The run of a file ``…/{pair}/{system}/{seed}.json``. Raises UserError if it is none."""
    pair, system = ("", "", *path.absolute().parts)[-3:-1]
    if not path.stem.isdecimal():
        raise UserError(f"identity {path}: its path should end in PAIR/SYSTEM/SEED.json")
    return Run(pair, system, int(path.stem))


def whole(recipe: Recipe) -> dict[str, Any]:
    """A recipe with every setting, as a record of this version has it. Raises UserError at a
    setting that there is not."""
    parts = {part: dataclasses.asdict(fill(recipe[part])) for part, fill in PARTS.items()}
    found: dict[str, Any] = json.loads(json.dumps(parts))  # a list is no tuple there
    return found


def changed(records: Iterable[Path], now: Recipe) -> str:
    """What is not as it was by the records of a training; empty if all is."""
    told: dict[str, None] = {}
    for path in records:
        content = read_json(path)
        try:
            was = whole(content)
        except UserError:  # a setting that there is no more
            was = {part: content[part] for part in PARTS}
        except (KeyError, TypeError):
            raise UserError(f"{path}: no settings in it: train this run again") from None
        for part in PARTS:
            for key, before, after in differences(was[part], now[part]):
                if key not in PLACE:
                    told[f"{part}.{key} was {named(before)}, is {named(after)} now"] = None
    return ", ".join(told)


def named(value: Any) -> str:
    """A value as a configuration has it."""
    return shown(value) or "not there"


def together(reasons: dict[int, str]) -> str:
    """The reasons of all seeds: once if they have one reason, else each seed's that has any."""
    if len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    return "; ".join(f"seed {seed}: {reason}" for seed, reason in reasons.items() if reason)


def stale_lines(about: Experiment) -> list[str]:
    """Which systems are stale and why, a line a language pair."""
    lines = []
    for pair in about.pairs:
        found = about.stale.get(pair, {})
        told = "; ".join(f"{s.label} ({found[s.id]})" for s in about.systems if s.id in found)
        if told:
            lines.append(f"{pair_title(pair)}: {told}.")
    return lines


def stale_notes(about: Experiment) -> list[str]:
    """The same as the notes of a table."""
    return [
        f"Stale, trained with other settings than there are now: {x}" for x in stale_lines(about)
    ]
