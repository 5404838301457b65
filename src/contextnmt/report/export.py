"""The command `export`: a finished run as one folder, which translates anywhere."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import torch
import typer

from contextnmt.errors import UserError
from contextnmt.files import (
    FOLDER,
    REMEDIES,
    atomic_path,
    file_digest,
    make_temporary,
    remove_abandoned,
    write_json,
    write_lines,
)
from contextnmt.report.card import card
from contextnmt.report.learning_curves import read_log
from contextnmt.report.report import read_results
from contextnmt.report.results import Record, Results, misfits_told, read_record
from contextnmt.training.checkpoint import save, sync_folder
from contextnmt.translation.exported import CARD, MANIFEST, RUN, TRAINED, WRITTEN, Manifest
from contextnmt.translation.run_file import SentenceView, read_run
from contextnmt.translation.saved import load_model, read_vocabularies


@misfits_told()
def export(
    run: Annotated[
        Path, typer.Option(help="the file of a run, results/PRESET/run/PAIR/SYSTEM/SEED.json")
    ],
    out: Annotated[Path, typer.Option(help="folder to make; there must be none of this name")],
    half: Annotated[
        bool, typer.Option("--half", help="weights in bfloat16, half as large; else float32")
    ] = False,
) -> None:
    """Collect a finished run into one folder that translates anywhere.

    The folder has weights, vocabularies, merges, symbols, settings, scores and a model card. It is
    written under a temporary name and renamed when complete. `contextnmt translate --model FOLDER`
    translates with it.

    Example: contextnmt export --run results/demo/run/en-fr/bpe-context-symbol/1.json --out exported
    """
    pair, system, seed = *run.absolute().parent.parts[-2:], run.stem
    found = read_run(run)
    if not seed.isdecimal():
        raise UserError(f"{run}: not named results/PRESET/run/PAIR/SYSTEM/SEED.json: name it so")
    trained = Path(found.model)
    for name in TRAINED:
        if not (trained / name).is_file():
            raise UserError(
                f"{trained / name}: no such file: the training is not finished: give its command "
                "again, then export"
            )
    results = run.parent / "../../.."
    copied = {trained / name: name for name in TRAINED if name != "model.json"}
    copied |= {Path(path): WRITTEN[key] for key, path in found.files.items()}
    record, scored = read_record(trained / "model.json"), Record()
    scores = results / "score" / pair / system / seed / "scores.json"
    if scores.is_file():
        copied[scores], scored = scores.name, read_record(scores)
    SentenceView(found), read_log(trained / "log.jsonl")  # say so if a file is damaged
    model = load_model(trained, *read_vocabularies(trained))
    rounded = record.get("pretrained", {}).get("precision") == "bf16"
    with new_folder(out) as folder:
        for path, name in copied.items():
            with atomic_path(folder / name) as copy:
                shutil.copyfile(path, copy)
        if half:
            weights = {name: each.to(torch.bfloat16) for name, each in model.state_dict().items()}
            save(folder / "model.safetensors", weights, {"best": record["best"]})
            record["weights_sha256"] = file_digest(folder / "model.safetensors")
        write_json(folder / "model.json", record)
        told = {**asdict(found), "model": "."}
        for key in found.files:
            block = told if key == "codes" else told["symbols"]
            block[key] = WRITTEN[key]
        write_json(folder / RUN, told)
        manifest = Manifest(
            pair=pair,
            system=system,
            seed=int(seed),
            precision="bf16" if half or rounded else "fp32",
            files={path.name: file_digest(path) for path in sorted(folder.iterdir())},
        )
        of_paper = results_with(results, pair, system)
        write_lines(folder / CARD, [card(record, found, scored, manifest, of_paper)])
        write_json(folder / MANIFEST, asdict(manifest))


def results_with(folder: Path, pair: str, system: str) -> Results | None:
    """The results of a pair in the experiment of `system`; None if `folder` has none."""
    if not (folder / "configuration.json").is_file():
        return None
    for results in read_results(folder).values():
        if pair in results.all_pairs and system in (each.id for each in results.systems):
            return replace(results, all_pairs=[pair])
    return None


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder that gets the name `path` when the block ends well, and else is removed.

    Raises UserError if there is something of this name, or if no folder can be made there.
    """
    there = f"{path}: there already: choose another --out, or remove it"
    if os.path.lexists(path):
        raise UserError(there)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path)
        handle, mark = make_temporary(path)
    except OSError as error:
        reason = REMEDIES.get(error.errno or 0, error.strerror)
        raise UserError(f"{path}: cannot be made, {reason}") from None
    made = mark.with_suffix(FOLDER)
    try:
        made.mkdir(mode=0o700)
        yield made
        umask = os.umask(0)
        os.umask(umask)
        made.chmod(0o777 & ~umask)
        sync_folder(made)
        try:
            made.rename(path)
        except OSError:  # another process was faster
            raise UserError(there) from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
        mark.unlink(missing_ok=True)
        os.close(handle)
