"""BLEU of the demo under alternatives to five decisions of docs/decisions.md: a Markdown page.

A9: is the loss that is clipped a sum or a mean? A11: what does the contextualizer read, how deep is
it, and how does it start? A14: whose unknown words decide which pairs are trained on? A22: what do
validations compare? A34: does its mask reach the readout too? Each is trained with several seeds.

Example: python benchmarks/decisions.py --out benchmarks/published/decisions.md
"""

import json
import math
import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import chain, repeat
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any, NamedTuple
from unittest.mock import patch

import torch
import typer
from calls import finished_run
from pages import Out, made_by, publish, table
from torch import Tensor, nn
from torch.nn import functional

from contextnmt.configuration.model import model_settings
from contextnmt.configuration.training import PairFilter, training_settings
from contextnmt.evaluation.phenomena import count_right, read_tags
from contextnmt.files import read_json, read_lines
from contextnmt.model.arithmetic import is_cpu
from contextnmt.model.decoder import State
from contextnmt.model.padding import Packed
from contextnmt.model.translator import Encoded, Translator
from contextnmt.training import loop
from contextnmt.training.process import prepare
from contextnmt.training.validation import Validation

PAIR = "en-fr"
#: The ambiguous words are learnt when so many of the dev text are right: the step is behind.
LEARNT = 0.7


def contextual(layers: int, table: str = "own") -> dict[str, Any]:
    """A system with context, over the demo's configuration."""
    contextualizer = {"layers": [64] * layers, "table": table}
    return {"context": True, "model": {"contextualizer": contextualizer}}


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
}
#: The contextualizer whose mask spares the readout: not a system, but a model of this script.
SPARED = "mask in the decoder alone"
#: Trainings long enough for the senses of ambiguous words, validated often enough to see when: the
#: system whose settings they have, but for initialisation and learning rate.
LONG = {"max_updates": 1500, "validate_every": 100}
STARTS = {
    "N(0, 0.01²), rate 0.0004": ("layers-2", "gaussian", 0.0004, 0),
    "Glorot, rate 0.0004": ("layers-2", "glorot", 0.0004, 0),
    "N(0, 0.01²), rate 0.012": ("layers-2", "gaussian", 0.012, 0),
    "N(0, 0.01²), biases 2, rate 0.012": ("layers-2", "gaussian", 0.012, 2),
    "N(0, 0.01²), biases -2, rate 0.012": ("layers-2", "gaussian", 0.012, -2),
    "Glorot, rate 0.012": ("layers-2", "glorot", 0.012, 0),
    "Baseline: Glorot, rate 0.012": ("mean", "glorot", 0.012, 0),
}

NOTES = f"""
Dev BLEU: greedy, as validated in training, at the best update of each seed; mean ± standard
deviation over the seeds. Difference: of the means to the decision, ± its standard error, which is
what seeds alone make of it. Clipped: the share of updates whose gradient was shortened. Open: the
share of the values of the source gate above 0.95, on the dev text. Ambiguous: the share of the
ambiguous words that come out right, of the test text at beam 12, in the long trainings of the dev
text; 50 % is chance. Learnt: the update of the first validation with {LEARNT:.0%} of them right, by
seed; – if there is none. Biases: at which b_x and b_y start; zero where no row names them. With a
table of its own, the contextualizer reads the one-hot word, and its first layer is that table. The
demo is small and made up: it shows whether a decision decides, not how on news.
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
        f"A11: how the contextualizer starts, in {LONG['max_updates']:,} updates",
        *(next(iter(STARTS)), list(STARTS)[1:]),
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
    learnt: int | None = None  # the update, if it was asked and there was one


class Tagged(Validation):
    """A validation that counts ambiguous words too: ``ambiguous``, the share that is right."""

    tags: dict[int, list[Any]]

    def hypotheses(self, model: Translator, between: Callable[[], None]) -> list[str]:
        """See `Validation.hypotheses`."""
        found = super().hypotheses(model, between)
        counted = count_right(self.tags, found)["kinds"]["ambiguous"]
        self.ambiguous = counted["right"] / counted["total"]
        return found

    def gates(self, model: Translator) -> dict[str, float]:
        """See `Validation.gates`; what it returns goes into the journal."""
        return {**super().gates(model), "ambiguous": self.ambiguous}


class Biased(Translator):
    """The biases of its gates start at ``bias``."""

    bias: float

    def __init__(self, *settings: Any) -> None:
        """See `Translator`."""
        super().__init__(*settings)
        if self.contextualizer is not None:
            for gate in (self.contextualizer.source_gate, self.contextualizer.target_gate):
                nn.init.constant_(gate.bias, self.bias)


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
    validations = [each for each in found if each["kind"] == "dev"]
    best = next(each for each in validations if each["bleu"] == round(bleu, 4))
    clipped = fmean(each["clip_rate"] for each in found if each["kind"] == "train")
    learnt = (each["update"] for each in validations if each.get("ambiguous", 0) >= LEARNT)
    gate, right = best.get("source_gate_open"), best.get("ambiguous")
    return Outcome(bleu, clipped, gate, right, next(learnt, None))


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


def trained_here(folder: Path, name: str, seed: int) -> Outcome:
    """Train what is no system of the workflow: `Spared`, or one of `STARTS`."""
    like, initialisation, rate, bias = STARTS.get(name, (QUESTIONS[-1].decision, None, None, 0))
    made, _ = trained(folder, like, seed)
    demo, state = folder / "results" / "demo", folder / "here" / name / str(seed)
    source, target = (demo / "tokenize" / PAIR / f"dev.{side}.gz" for side in PAIR.split("-"))
    asked, learning = made["model"], made["training"]
    if name in STARTS:
        asked = {**asked, "initialisation": initialisation}
        learning = {**learning, **LONG, "learning_rate": rate}
    recipe = training_settings(learning)
    limits = [(each["max_length"], each["unknown_limit"]) for each in made["data"]["filters"]]
    prepare(recipe)
    torch.set_num_threads(1)
    # Unlike that of other trainings, the code of this one is partly here.
    script = sha256(Path(__file__).read_bytes()).hexdigest()
    archive = demo / "generate" / "embedded" / "embedded.tar.gz"
    with (
        patch.object(loop, "Translator", Biased if name in STARTS else Spared),
        patch.object(Biased, "bias", bias, create=True),
        patch.object(loop, "Validation", Tagged if name in STARTS else Validation),
        patch.object(
            Tagged, "tags", read_tags(f"{archive}::dev.phenomena.tsv", PAIR[-2:]), create=True
        ),
    ):
        run = loop.Training(
            demo / "binarize" / PAIR / "word",
            ([source], [target]),
            model_settings(asked),
            recipe,
            seed,
            state,
            state / "tensorboard",
            filters=[PairFilter(str(demo / "binarize" / PAIR / "sym"), *each) for each in limits],
            identity={"like": made["identity"], "script": script, "name": name},
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
        learnt = ", ".join(f"{each.learnt or '–'}" for each in found[name])
        yield [
            SYSTEMS[name][0] if name in SYSTEMS else name,
            f"{fmean(bleu):.2f} ± {stdev(bleu):.2f}",
            "decided" if name == question.decision else difference,
            f"{fmean(each.clipped for each in found[name]):.0%}",
            f"{fmean(gates):.0%}" if gates else "",
            f"{fmean(shares):.0%} ({min(shares):.0%} to {max(shares):.0%})" if shares else "",
            learnt if name in STARTS else "",
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
        # One training on each processor. Forked processes would share the threads of torch.
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(os.cpu_count(), spawn) as pool:
            for name in (SPARED, *STARTS):
                found[name] = [*pool.map(trained_here, repeat(place), repeat(name), asked["seeds"])]
    head = ["", "dev BLEU", "difference", "clipped", "open", "ambiguous", "learnt", "each seed"]
    tables = ((f"## {each.title}", table(head, rows(each, found))) for each in QUESTIONS)
    facts = [*made_by("torch"), f"Language pair {PAIR}; configuration {digest}."]
    publish(out, "# Decisions, measured on the demo", facts, NOTES, *chain.from_iterable(tables))


if __name__ == "__main__":
    typer.run(main)
