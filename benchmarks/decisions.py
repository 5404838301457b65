"""BLEU of the demo under alternatives to five decisions of docs/decisions.md: a Markdown page.

A9: is the loss that is clipped a sum or a mean? A11: what does the contextualizer read, how deep is
it, and how does it start? A14: whose unknown words decide which pairs are trained on? A22: what do
validations compare? A34: does its mask reach the readout too? Each is trained with several seeds.

Example: python benchmarks/decisions.py --out benchmarks/published/decisions.md
"""

import json
import math
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any, NamedTuple
from unittest.mock import patch

import torch
import typer
from calls import finished_run
from pages import Out, made_by, publish, table
from torch import Tensor
from torch.nn import functional

from contextnmt.configuration.model import model_settings
from contextnmt.configuration.training import PairFilter, training_settings
from contextnmt.files import read_json, read_lines
from contextnmt.model.arithmetic import is_cpu
from contextnmt.model.decoder import State
from contextnmt.model.padding import Packed
from contextnmt.model.translator import Encoded, Translator
from contextnmt.training import loop
from contextnmt.training.process import prepare

PAIR = "en-fr"


def contextual(layers: int, table: str = "own") -> dict[str, Any]:
    """A system with context, over the demo's configuration."""
    contextualizer = {"layers": [64] * layers, "table": table}
    return {"context": True, "model": {"contextualizer": contextualizer}}


def started(initialisation: str, rate: float, context: bool = True) -> dict[str, Any]:
    """A system in a training that is long enough for the senses of ambiguous words."""
    training = {"learning_rate": rate, "max_updates": 3000, "validate_every": 500}
    return {"context": context, "model": {"initialisation": initialisation}, "training": training}


#: Systems by their names: a label, and what is over the demo's configuration.
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "mean": ("mean over the sentences", {"training": {"loss": "mean"}}),
    "sum": ("sum over the batch", {"training": {"loss": "sum"}}),
    "layers-1": ("own table, 1 layer", contextual(1)),
    "layers-2": ("own table, 2 layers", contextual(2)),
    "layers-3": ("own table, 3 layers", contextual(3)),
    "shared": ("the source embedding, 2 layers", contextual(2, "shared")),
    "own-words": ("of the system's own text", {"training": {"filters": "own"}}),
    "restored": ("restored words", {"view": "sym", "training": {"validation": "restored"}}),
    "symbols": ("text with symbols", {"view": "sym", "training": {"validation": "view"}}),
    "glorot": ("Glorot, rate 0.004", started("glorot", 0.004)),
    "gaussian": ("N(0, 0.01²), rate 0.004", started("gaussian", 0.004)),
    "slow": ("N(0, 0.01²), rate 0.0004", started("gaussian", 0.0004)),
    "glorot-slow": ("Glorot, rate 0.0004", started("glorot", 0.0004)),
    "without": ("Baseline: Glorot, rate 0.004", started("glorot", 0.004, context=False)),
}
#: The contextualizer whose mask spares the readout: not a system, but a model of this script.
SPARED = "mask in the decoder alone"

NOTES = """
Dev BLEU: greedy, as validated in training, at the best update of each seed; mean ± standard
deviation over the seeds. Difference: of the means to the decision, ± its standard error, which is
what seeds alone make of it. Clipped: the share of updates whose gradient was shortened. Open: the
share of the values of the source gate above 0.95, on the dev text. Ambiguous: the share of the
ambiguous words of the test text that beam 12 renders right; 50 % is chance. With a table of its
own, the contextualizer reads the one-hot word, and its first layer is that table. The demo is small
and made up: it shows whether a decision decides, not how on news.
"""


class Question(NamedTuple):
    """A decision and its alternatives: rows by their labels, the decision first."""

    title: str
    decision: str
    others: list[str]


QUESTIONS = [
    Question("A9: the loss that is clipped (baseline)", "mean", ["sum"]),
    Question("A11: what the contextualizer reads", "layers-2", ["shared"]),
    Question("A11: depth of the contextualizer", "layers-2", ["layers-1", "layers-3"]),
    Question(
        "A11: how the contextualizer starts, in 3,000 updates",
        "slow",
        ["gaussian", "glorot", "glorot-slow", "without"],
    ),
    Question("A14: whose unknown words filter the pairs of words", "mean", ["own-words"]),
    Question("A22: what the dev BLEU of +Symbol is of", "restored", ["symbols"]),
    Question("A34: where the mask is", "layers-2", [SPARED]),
]


class Outcome(NamedTuple):
    """Of one training."""

    bleu: float
    clipped: float
    open: float | None = None  # of the source gate
    right: float | None = None  # of ambiguous words


class Spared(Translator):
    """The readout sees target embeddings that no mask has changed (A34)."""

    def _losses(self, source: Tensor, target: Tensor, lengths: Tensor) -> Tensor:
        """See `Translator._losses`."""
        packed = Packed(lengths, target.size(1), padded=not is_cpu(target.device))
        plain, seen = (
            self.readout.losses,
            packed.before(self.dropout(self.target_embedding(target))),
        )
        seen = functional.pad(seen, (0, 0, len(target), 0))

        def losses(states: Tensor, _: Tensor, contexts: Tensor, chosen: Tensor) -> Tensor:
            return plain(states, seen, contexts, chosen)

        with patch.object(self.readout, "losses", losses):
            return super()._losses(source, target, lengths)

    def advance(self, state: State, words: Tensor, context: Tensor, encoded: Encoded) -> State:
        """See `Translator.advance`."""
        advanced = super().advance(state, words, context, encoded)
        return advanced._replace(previous=self.target_embedding(words))


def overlay(seeds: int) -> dict[str, Any]:
    """The configuration over that of the demo."""
    systems = {
        name: {"label": label, "view": "word", **made} for name, (label, made) in SYSTEMS.items()
    }
    return {
        "preset": "demo",
        "pairs": [PAIR],
        "seeds": list(range(1, seeds + 1)),
        "systems": list(systems),
        "experiments": {"choi2017": {"systems": systems}},
    }


def outcome(bleu: float, records: Iterator[dict[str, Any]]) -> Outcome:
    """From the best dev BLEU and the journal of a training."""
    found = list(records)
    validations = (each for each in found if each["kind"] == "dev")
    best = next(each for each in validations if each["bleu"] == round(bleu, 4))
    clipped = fmean(each["clip_rate"] for each in found if each["kind"] == "train")
    return Outcome(bleu, clipped, best.get("source_gate_open"))


def trained(folder: Path, system: str, seed: int) -> tuple[dict[str, Any], Outcome]:
    """The model.json and the outcome of a training of the workflow."""
    place = folder / "results" / "demo" / "train" / PAIR / system / str(seed)
    records, model = (
        map(json.loads, read_lines(place / "log.jsonl")),
        read_json(place / "model.json"),
    )
    counts, scores = (
        read_json(Path(str(place).replace("/train/", f"/{stage}/"), name))
        for stage, name in (("phenomena", "test.json"), ("score", "scores.json"))
    )
    words = counts["test.beam12"]["kinds"]["ambiguous"]
    found = outcome(model["best"]["dev_bleu"], records)
    # The same as in training, but of words where a validation has symbols (A22).
    bleu = scores["dev.beam1"]["bleu"]
    return model, found._replace(bleu=bleu, right=words["right"] / words["total"])


def spared(folder: Path, seed: int) -> Outcome:
    """Train `Spared`, in all else as the decision is."""
    like, _ = trained(folder, QUESTIONS[-1].decision, seed)
    demo, state = folder / "results" / "demo", folder / "spared" / str(seed)
    source, target = (demo / "tokenize" / PAIR / f"dev.{side}.gz" for side in PAIR.split("-"))
    recipe = training_settings(like["training"])
    limits = [(each["max_length"], each["unknown_limit"]) for each in like["data"]["filters"]]
    prepare(recipe)
    # Unlike that of other trainings, the code of this one is partly here.
    script = sha256(Path(__file__).read_bytes()).hexdigest()
    with patch.object(loop, "Translator", Spared):
        run = loop.Training(
            demo / "binarize" / PAIR / "word",
            ([source], [target]),
            model_settings(like["model"]),
            recipe,
            seed,
            state,
            state / "tensorboard",
            filters=[PairFilter(str(demo / "binarize" / PAIR / "sym"), *each) for each in limits],
            identity={"like": like["identity"], "script": script},
        )
        run.resume()
        run.run()
    return outcome(run.early.best_bleu, iter(run.journal.records))


def rows(question: Question, found: dict[str, list[Outcome]]) -> Iterator[list[str]]:
    """A row for each alternative."""
    decided = [each.bleu for each in found[question.decision]]
    for name in (question.decision, *question.others):
        bleu = [each.bleu for each in found[name]]
        noise = math.sqrt(sum(stdev(each) ** 2 / len(each) for each in (decided, bleu)))
        difference = f"{fmean(bleu) - fmean(decided):+.2f} ± {noise:.2f}"
        gates = [each.open for each in found[name] if each.open is not None]
        shares = [each.right for each in found[name] if each.right is not None]
        yield [
            SYSTEMS[name][0] if name in SYSTEMS else name,
            f"{fmean(bleu):.2f} ± {stdev(bleu):.2f}",
            "decided" if name == question.decision else difference,
            f"{fmean(each.clipped for each in found[name]):.0%}",
            f"{fmean(gates):.0%}" if gates else "",
            f"{fmean(shares):.0%} ({min(shares):.0%} to {max(shares):.0%})" if shares else "",
            ", ".join(f"{each:.2f}" for each in bleu),
        ]


def main(
    seeds: Annotated[int, typer.Option(help="trainings of each kind", min=2)] = 5,
    folder: Annotated[Path | None, typer.Option(help="to run in, and to go on in; kept")] = None,
    out: Out = None,
) -> None:
    """Train every alternative and compare."""
    asked = overlay(seeds)
    with finished_run(folder, asked, "counts", "scores") as (place, digest):
        found = {
            name: [trained(place, name, seed)[1] for seed in asked["seeds"]] for name in SYSTEMS
        }
        torch.set_num_threads(1)
        found[SPARED] = [spared(place, seed) for seed in asked["seeds"]]
    head = ["", "dev BLEU", "difference", "clipped", "open", "ambiguous", "each seed"]
    tables = ((f"## {each.title}", table(head, rows(each, found))) for each in QUESTIONS)
    facts = [*made_by("torch"), f"Language pair {PAIR}; configuration {digest}."]
    publish(out, "# Decisions, measured on the demo", facts, NOTES, *chain.from_iterable(tables))


if __name__ == "__main__":
    typer.run(main)
