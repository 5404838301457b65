"""The stage `train`: a model from binarized pairs."""

import dataclasses
import json
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.files import atomic, write_json
from contextnmt.model.settings import model_settings
from contextnmt.settings import json_object
from contextnmt.training.checkpoint import locked, save
from contextnmt.training.environment import environment
from contextnmt.training.loop import Training, TrainingInterruptedError
from contextnmt.training.settings import pair_filter, training_settings

#: Largest seed: with the number of the update it makes up 64 bits.
MAX = 2**31 - 1

#: Copied from the data, so that a model folder is all that translation needs.
VOCABULARIES = ("vocabulary.source.tsv", "vocabulary.target.tsv")


def train(
    data: Annotated[Path, typer.Option(help="folder that `contextnmt binarize` wrote")],
    out: Annotated[Path, typer.Option(help="folder for the model, its log and vocabularies")],
    state: Annotated[Path, typer.Option(help="folder for checkpoints, removed at the end")],
    model: Annotated[str, typer.Option(help="model settings, JSON")] = "{}",
    training: Annotated[str, typer.Option(help="recipe settings, JSON")] = "{}",
    seed: Annotated[int, typer.Option(help="of weights, order and dropout", min=0, max=MAX)] = 1,
    checkpoint_minutes: Annotated[
        float, typer.Option(help="how often to save the state, besides at each validation", min=0)
    ] = 20,
    filter: Annotated[
        list[str] | None,
        typer.Option(help="of another system, for pairs to pass as well, JSON; repeatable"),
    ] = None,
) -> None:
    """Train a model; stop when greedy BLEU on the development set no longer grows.

    Writes model.safetensors (the best weights; without patience the last), model.json (settings,
    seed, data, environment, time), log.jsonl (the course) and the two vocabularies into OUT, and
    TensorBoard events into OUT/tensorboard. SIGINT, SIGTERM and SIGUSR1 write a checkpoint into
    STATE and end; the same command goes on from there.

    Example: contextnmt train --data data/bpe --out model --state model/state
    --model '{"hidden": 256}' --training '{"batch_size": 80}'

    To train on the pairs alone that another system keeps too, name its view of them and its
    limits: --filter '{"data": "data/word", "max_length": 50, "unknown_limit": 0.1}'
    """
    recipe = training_settings(json_object("--training", training))
    architecture = model_settings(json_object("--model", model))
    filters = [pair_filter("--filter", each) for each in filter or []]
    with locked(state):
        run = Training(
            *(data, architecture, recipe, seed, state, out / "tensorboard"),
            checkpoint_minutes=checkpoint_minutes,
            filters=filters,
        )
        try:
            run.run()
        except TrainingInterruptedError as interrupted:
            print(f"stopped by a signal after update {run.update}; state saved", file=sys.stderr)
            sys.exit(128 + interrupted.signal)
        write_model(run, data, out)
        shutil.rmtree(state)


def write_model(run: Training, data: Path, out: Path) -> None:
    """Write what a finished training leaves; model.json, which tells of it all, comes last."""
    for name in VOCABULARIES:
        with atomic(out / name, "wb") as copy, open(data / name, "rb") as original:
            shutil.copyfileobj(original, copy)
    with atomic(out / "log.jsonl") as log:
        log.writelines(json.dumps(record) + "\n" for record in run.journal.records)
    save(out / "model.safetensors", run.best, {"best": dataclasses.asdict(run.early)})
    write_json(
        out / "model.json",
        {
            "model": run.identity["model"],
            "training": run.identity["training"],
            "seed": run.seed,
            "best": {"update": run.early.best_update, "dev_bleu": run.early.best_bleu},
            "updates": run.update,
            "stopped": run.stopped,
            "seconds": round(run.seconds, 1),
            "parameters": sum(p.numel() for p in run.model.parameters()),
            "data": {
                **run.identity["data"],
                "pairs": len(run.pairs.rows),
                "dropped": run.pairs.dropped,
            },
            "environment": environment(),
        },
    )
