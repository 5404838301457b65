"""The stage `train`: a model from binarized pairs.

The steps of an update, in order: `Training.run` and `Training.step` in `loop`; the batch in
`dataset`; loss, gradient, clip and optimizer in `update`, on a GPU as one graph; sums for the log
in `journal`. Between updates, `loop` validates (`validation`) and saves the state
(`checkpoint`).
"""

import dataclasses
import json
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.configuration.model import ModelSettings, model_settings
from contextnmt.configuration.training import TrainingSettings, pair_filter, training_settings
from contextnmt.configuration.values import json_object
from contextnmt.errors import UserError, one_of_each
from contextnmt.files import atomic, atomic_path, file_digest, read_block, write_json, write_lines
from contextnmt.progress import say
from contextnmt.training.checkpoint import digest, save
from contextnmt.training.lock import Lock
from contextnmt.training.loop import Training
from contextnmt.training.process import Signals, TrainingInterruptedError, environment, prepare
from contextnmt.training.update import REMEDY, out_of_memory
from contextnmt.training.validation import Restored

#: Largest seed: with the number of the update it makes up 64 bits.
MAX = 2**31 - 1

#: Copied from the data, so that a model folder is all that translation needs.
VOCABULARIES = ("vocabulary.source.tsv", "vocabulary.target.tsv")


def train(
    data: Annotated[Path, typer.Option(help="folder that `contextnmt binarize` wrote")],
    dev_source: Annotated[
        list[Path], typer.Option(help="dev text in the view of DATA, source side; repeatable")
    ],
    dev_target: Annotated[
        list[Path], typer.Option(help="dev text in the view of DATA, target side; repeatable")
    ],
    out: Annotated[Path, typer.Option(help="folder for the model, its log and vocabularies")],
    state: Annotated[Path, typer.Option(help="folder for checkpoints, removed when all is done")],
    model: Annotated[str, typer.Option(help="model settings, JSON")] = "{}",
    training: Annotated[str, typer.Option(help="recipe settings, JSON")] = "{}",
    seed: Annotated[int, typer.Option(help="seed of weights, order, dropout", min=0, max=MAX)] = 1,
    checkpoint_minutes: Annotated[
        float, typer.Option(help="how often to save the state, besides at each validation", min=0)
    ] = 20,
    filter: Annotated[
        list[str] | None,
        typer.Option(help="another system's filter that pairs must pass too, JSON; repeatable"),
    ] = None,
    identity: Annotated[
        Path | None,
        typer.Option(help="JSON file that a checkpoint must match to be resumed"),
    ] = None,
    dev_text: Annotated[
        list[Path] | None,
        typer.Option(
            help="dev text in the view of DATA, symbols made from the source alone; repeatable"
        ),
    ] = None,
    dev_symbols: Annotated[
        list[Path] | None, typer.Option(help="its symbols, one for each --dev-text")
    ] = None,
    dev_reference: Annotated[
        list[Path] | None,
        typer.Option(help="its translation, tokenized words, one for each --dev-text"),
    ] = None,
    rules: Annotated[Path | None, typer.Option(help="rule dictionary; with --dev-symbols")] = None,
    source_language: Annotated[
        str, typer.Option(help="language of the source, such as en; with --external-rules")
    ] = "",
    target_language: Annotated[
        str, typer.Option(help="language of the target, such as fr; with --external-rules")
    ] = "",
    external_rules: Annotated[
        bool,
        typer.Option("--external-rules", help="restore numbers as the target language has them"),
    ] = False,
) -> None:
    """Train a model; stop when greedy BLEU on the dev texts no longer grows.

    Writes model.safetensors (the best weights; without patience the last), model.json (settings,
    seed, data, environment, time), log.jsonl (losses, dev BLEU) and the two vocabularies into OUT,
    and TensorBoard events into OUT/tensorboard. On SIGINT, SIGTERM, SIGHUP or SIGUSR1, training
    saves a checkpoint in STATE and stops; in a Slurm batch job it saves one and trains on until it
    is killed. Run the same command again to resume from the newest checkpoint. That needs the same
    data, seed, settings and program code; with --identity, the checkpoint must fit that file
    instead of settings and code. While another process trains in STATE, the command waits.

    Example: contextnmt train --data data/bpe --dev-source dev.bpe.en.gz
    --dev-target dev.bpe.fr.gz --out model --state model/state
    --model '{"hidden": 256}' --training '{"batch_size": 80}'

    To train only on pairs that another system also keeps, name its `binarize` folder and
    its limits: --filter '{"data": "data/word", "max_length": 50, "unknown_limit": 0.1}'

    BLEU is that of the tokens in the view, subwords joined. With --training
    '{"validation": "restored"}' it is that of words: the translations of --dev-text are restored,
    as by `contextnmt restore`, and compared with --dev-reference.
    """
    recipe = training_settings(json_object("--training", training))
    architecture = model_settings(json_object("--model", model))
    filters = [pair_filter("--filter", each) for each in filter or []]
    agreed = None if identity is None else read_block(identity)
    if external_rules and not (source_language and target_language):
        raise UserError("--external-rules: give --source-language and --target-language too")
    languages = (source_language, target_language) if external_rules else None
    restored = restored_texts(recipe, dev_text, dev_symbols, dev_reference, rules, languages)
    prepare(recipe)
    before = stamp(out)
    try:
        with Signals() as signals, Lock(state, waiting=signals.handle) as lock:
            run = Training(
                *(data, (dev_source, dev_target), architecture, recipe, seed),
                *(state, out / "tensorboard"),
                checkpoint_minutes=checkpoint_minutes,
                filters=filters,
                identity=agreed,
                restored=restored,
                check=lock.check,
                signals=signals,
            )
            if lock.waited and stamp(out) != before and made_by(run, out):
                say(f"{out}: made by the training that this one waited for")
            else:
                run.resume()
                run.run()
                lock.check()
                write_model(run, architecture, data, out)
            # A job of Slurm that was signalled to end fails, and loses its outputs, even if the
            # training comes to its end before the kill. From its last state they are made again.
            if not (signals.outlived or signals.received):
                run.checkpoints.clear()
    except TrainingInterruptedError as interrupted:
        say("stopped by a signal; run the same command again to resume")
        sys.exit(128 + interrupted.signal)
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        raise UserError(
            f"out of memory on {recipe.device}: {REMEDY}. If you change a key, training starts "
            "anew, since it cannot resume with other settings"
        ) from None


def restored_texts(
    recipe: TrainingSettings,
    text: list[Path] | None,
    symbols: list[Path] | None,
    reference: list[Path] | None,
    rules: Path | None,
    languages: tuple[str, str] | None,
) -> Restored | None:
    """The dev texts of validations that restore words; None without them (A22).

    Raises UserError if options are missing or useless, or if their files do not fit.
    """
    given = {
        "--dev-text": text,
        "--dev-symbols": symbols,
        "--dev-reference": reference,
        "--rules": rules,
    }
    if recipe.validation == "view":
        if useless := [option for option, value in given.items() if value]:
            raise UserError(
                f'{", ".join(useless)}: only for --training \'{{"validation": "restored"}}\': '
                "add that or leave out these options"
            )
        return None
    if not (text and symbols and reference and rules):
        missing = [option for option, value in given.items() if not value]
        raise UserError(
            f"--training: validation is restored, which needs {', '.join(missing)}: give these "
            "options, or make it view"
        )
    one_of_each("dev text", dev_text=text, dev_symbols=symbols, dev_reference=reference)
    # Systems without symbols do not load it, nor depend on an edit of it.
    from contextnmt.training.restored import read_restored

    return read_restored(text, symbols, reference, rules, languages)


def stamp(out: Path) -> int:
    """Time at which model.json was written, in nanoseconds; 0 if it is not there."""
    path = out / "model.json"
    return path.stat().st_mtime_ns if path.is_file() else 0


def made_by(run: Training, out: Path) -> bool:
    """Whether model.json is that of a training of the same settings, data and code."""
    return stamp(out) > 0 and read_block(out / "model.json").get("identity") == digest(run.identity)


def write_model(run: Training, model: ModelSettings, data: Path, out: Path) -> None:
    """Write the files of a finished training; model.json comes last."""
    for name in VOCABULARIES:
        with atomic(out / name, "wb") as copy, open(data / name, "rb") as original:
            shutil.copyfileobj(original, copy)
    write_lines(out / "log.jsonl", map(json.dumps, run.journal.records))
    # In the folder of the state, where a killed training's files are found and removed.
    weights = run.checkpoints.folder / "model.part"
    save(weights, run.best, {"best": dataclasses.asdict(run.early)})
    with atomic_path(out / "model.safetensors") as copied:
        shutil.copyfile(weights, copied)
    weights.unlink()
    write_json(
        out / "model.json",
        {
            "model": dataclasses.asdict(model),
            "training": dataclasses.asdict(run.recipe),
            "seed": run.seed,
            "best": {"update": run.early.best_update, "dev_bleu": run.early.best_bleu},
            "updates": run.update,
            "stopped": run.stopped,
            "seconds": round(run.seconds, 1),
            "weights_sha256": file_digest(out / "model.safetensors"),
            "parameters": sum(p.numel() for p in run.model.parameters()),
            "data": {**run.data, "pairs": len(run.pairs.rows), "dropped": run.pairs.dropped},
            "identity": digest(run.identity),
            "environment": environment(),
        },
    )
