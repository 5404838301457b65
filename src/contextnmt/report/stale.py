"""Which numbers are stale: of systems trained with other settings or text than there are now.

Snakemake trains anew what has changed, unless it is told not to (``--touch``,
``--rerun-triggers mtime``). Then the old numbers stay, and the report marks them.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.model.settings import model_settings
from contextnmt.report.experiment import Experiment, Run, by_run, match, parse_experiment
from contextnmt.report.nested import differences, shown
from contextnmt.report.provenance import read_models
from contextnmt.settings import json_object
from contextnmt.training.settings import training_settings

#: Settings of a training that say where it runs, not what is learnt.
PLACE = {"device", "threads"}
#: Part of a system's recipe, which stands before its keys -> what fills in what it leaves out.
PARTS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "model": model_settings,
    "training": training_settings,
}


def stale(
    model: Annotated[list[Path], typer.Option(help="model.json of a run; repeatable")],
    manifest: Annotated[
        list[Path], typer.Option(help="manifest.json of the ids of a view; repeatable")
    ],
    recipes: Annotated[
        str, typer.Option(help="model and training now, by pair and system, as a JSON object")
    ],
    experiment: Annotated[str, typer.Option(help="the experiment, as a JSON object")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Find the systems whose settings or training text have changed since they were trained.

    Code is not compared: whoever accepts an edit of it says that the numbers stay.

    Example: contextnmt stale --model results/demo/train/en-fr/baseline/1/model.json
    --manifest results/demo/binarize/en-fr/word/manifest.json --recipes "$RECIPES"
    --experiment "$JSON" --out results/demo/stale/choi2017.json
    """
    about = parse_experiment(experiment)
    models = read_models(by_run("--model", model, about))
    wanted = {(run.pair, view_of(about, run)): None for run in models}
    manifests = {
        key: read_json(path) for key, path in match("--manifest", manifest, text_of, wanted).items()
    }
    recipe = json_object("--recipes", recipes)
    found: dict[str, dict[str, str]] = {}
    for pair in about.pairs:
        for system in about.finished(pair):
            try:
                now = whole(recipe[pair][system.id])
            except (KeyError, TypeError):
                raise UserError(f"--recipes: no recipe of {pair} {system.id}") from None
            reasons = {
                run.seed: changed(models[run], now, manifests[pair, system.view])
                for run in models
                if run[:2] == (pair, system.id)
            }
            if told := together(reasons):
                found.setdefault(pair, {})[system.id] = told
    write_json(out, found)


def whole(recipe: dict[str, Any]) -> dict[str, Any]:
    """A recipe with every setting, as a model's record has it. Raises UserError at a wrong one."""
    parts = {part: dataclasses.asdict(fill(recipe[part])) for part, fill in PARTS.items()}
    found: dict[str, Any] = json.loads(json.dumps(parts))  # a list is no tuple there
    return found


def view_of(about: Experiment, run: Run) -> str:
    """How the text of a run is written."""
    return next(system.view for system in about.systems if system.id == run.system)


def text_of(path: Path) -> tuple[str, str]:
    """The pair and the view of a file ``…/{pair}/{view}/manifest.json``."""
    pair, view = ("", "", *path.absolute().parts)[-3:-1]
    return pair, view


def changed(model: dict[str, Any], now: dict[str, Any], manifest: dict[str, Any]) -> str:
    """What is not as it was when a model was trained; empty if all is."""
    told = []
    for part in PARTS:
        for key, was, there in differences(model.get(part, {}), now[part]):
            if key not in PLACE:
                told.append(
                    f"{part}.{key} was {shown(was) or 'not there'}, "
                    f"is {shown(there) or 'not there'} now"
                )
    recorded = model["data"]["manifest"]
    if digests(recorded["train"]) != digests(manifest.get("train", {})):
        told.append("the training text was another one")
    elif recorded["vocabulary"] != manifest.get("vocabulary"):
        told.append("the vocabulary was another one")
    return ", ".join(told)


def digests(train: dict[str, Any]) -> list[Any]:
    """Those of both sides of a training text."""
    return [train.get(side, {}).get("sha256") for side in ("source", "target")]


def together(reasons: dict[int, str]) -> str:
    """The reasons of all seeds: once if they have one reason, else each seed's that has any."""
    if len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    return "; ".join(f"seed {seed}: {reason}" for seed, reason in reasons.items() if reason)
