"""The training loop: batches in, a model out, and a checkpoint to go on from in between."""

import dataclasses
import json
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from contextnmt.closure import code_marks
from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.model.device import choose_device
from contextnmt.model.settings import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.progress import bar
from contextnmt.text.vocabulary import PAD, SPECIALS
from contextnmt.training import checkpoint
from contextnmt.training.batches import Batches, Ids
from contextnmt.training.checkpoint import set_aside
from contextnmt.training.dataset import training_pairs
from contextnmt.training.journal import Journal
from contextnmt.training.precision import autocast, set_precision
from contextnmt.training.rehearsal import rehearse
from contextnmt.training.settings import PairFilter, TrainingSettings
from contextnmt.training.update import build_optimizer, clip_gradients, objective
from contextnmt.training.validation import Validation
from contextnmt.training.window import Window

#: The folder that holds the package.
SOURCE = Path(__file__).parents[2]

#: Records of a run in its journal, roughly: enough for a smooth curve.
RECORDS = 200


class TrainingInterruptedError(Exception):
    """A signal, of number `signal`, asked the training to stop. The checkpoint is written."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.signal = number


@dataclasses.dataclass
class EarlyStop:
    """The best validation so far, and how many have come after it."""

    best_bleu: float = -1.0
    best_update: int = 0
    misses: int = 0

    def better(self, bleu: float, update: int, always: bool = False) -> bool:
        """Take in a validation; whether it is the best one so far, or to count as it `always`."""
        if always or bleu > self.best_bleu:
            self.best_bleu, self.best_update, self.misses = bleu, update, 0
            return True
        self.misses += 1
        return False


class Training:
    """One training run, from its data to the weights of its model.

    Each update draws its randomness from the seed and its own number, so a run that was stopped
    and resumed takes the same steps as one that was not.
    """

    def __init__(
        self,
        data: Path,
        model: ModelSettings,
        recipe: TrainingSettings,
        seed: int,
        state: Path,
        tensorboard: Path,
        checkpoint_minutes: float = 20,
        filters: Sequence[PairFilter] = (),
    ) -> None:
        """Load the data, build the model, and take up the checkpoint in `state` if it fits.

        `checkpoint_minutes`: how often to write one besides those at each validation; `filters`:
        those that training pairs have to pass besides the recipe's own (A14).
        """
        torch.set_num_threads(recipe.threads)
        self.recipe, self.seed, self.device = recipe, seed, choose_device(recipe.device)
        set_precision(recipe.precision)
        own = PairFilter(str(data), recipe.max_length, recipe.unknown_limit)
        self.pairs = training_pairs(own, filters)
        self.batches = Batches(self.pairs, recipe.batch_size, recipe.sort_batches, seed)
        self.validation = Validation(data)
        manifest = read_json(data / "manifest.json")
        words = [
            manifest["vocabulary"][side]["words"] + len(SPECIALS) for side in ("source", "target")
        ]
        torch.manual_seed(seed)
        self.model = Translator(model, *words).to(self.device)
        self.optimizer = build_optimizer(recipe, self.model.parameters())
        self.checkpoint_seconds = 60 * checkpoint_minutes
        #: What a checkpoint must agree with to be gone on from.
        self.identity = {
            "model": as_json(dataclasses.asdict(model)),
            "training": dataclasses.asdict(recipe),
            "seed": seed,
            "data": {"manifest": manifest, "filters": [described(each) for each in filters]},
            "code": code_marks(SOURCE, __name__),
        }
        self.checkpoint = state / "checkpoint.safetensors"
        self.update, self.seconds, self.early = 0, 0.0, EarlyStop()
        self.best = self._weights()
        self._resume()
        self.journal = Journal(state, tensorboard, self.update)

    def run(self) -> None:
        """Train until the recipe says stop.

        Raises TrainingInterruptedError after a signal, with the state saved.
        """
        recipe, started, saved = self.recipe, time.monotonic() - self.seconds, time.monotonic()
        window = Window(self.device, recipe)
        every = max(1, min(recipe.validate_every, recipe.max_updates) // (RECORDS // 10))
        shown = bar("train", "update", recipe.max_updates, self.update)
        with shown, Signals() as signals:
            if not self.stopped:
                self.rehearse()
                window.restart()
            while not self.stopped:
                self._step(window)
                shown.update()
                if self.update % every == 0:
                    numbers = window.numbers()
                    epoch = round(self.update / self.batches.per_epoch, 2)
                    self.journal.write("train", self.update, epoch=epoch, **numbers)
                    shown.set_postfix(loss=numbers["loss"], bleu=round(self.early.best_bleu, 2))
                    self._check(window)
                self.seconds = time.monotonic() - started
                due = time.monotonic() - saved > self.checkpoint_seconds
                last = self.update == recipe.max_updates
                validate = last or self.update % recipe.validate_every == 0
                if validate or due or signals.received:
                    self._check(window)  # nothing spoilt is scored or saved
                if validate:
                    self._validate()
                    self.seconds = time.monotonic() - started
                    window.restart()
                    due = True
                if due or signals.received:
                    self._save()
                    saved = time.monotonic()
                if signals.received:
                    raise TrainingInterruptedError(signals.received)
        self.journal.close()

    @property
    def stopped(self) -> str | None:
        """What has ended the training, None if it goes on."""
        patience = self.recipe.patience
        if patience is not None and self.early.misses >= patience:
            return "patience"
        return "max_updates" if self.update >= self.recipe.max_updates else None

    def rehearse(self) -> None:
        """Pass the largest batch through the model, without a trace; see `rehearsal`."""
        rehearse(self.model, self.recipe, *self._on_device(self.batches.largest()))

    def _step(self, window: Window) -> None:
        """One update of the weights."""
        batch = self.batches[self.update]
        source, target = self._on_device(batch)
        self.update += 1
        torch.manual_seed((self.seed << 32) + self.update)
        self.optimizer.zero_grad()
        with autocast(self.device, self.recipe.precision):
            losses = self.model(source, target)  # nats, one a target word
        torch.autograd.backward(objective(losses, len(source), self.recipe.loss))
        norm = clip_gradients(self.model.parameters(), self.recipe)
        self.optimizer.step()
        window.add(self.update, losses.detach(), int((batch[0] != PAD).sum()), norm)

    def _on_device(self, batch: tuple[Ids, Ids]) -> list[torch.Tensor]:
        """Source and target ids of a batch, where the model computes."""
        return [torch.from_numpy(ids).to(self.device, non_blocking=True) for ids in batch]

    def _check(self, window: Window) -> None:
        """Raises UserError, naming the first cause, if the training has diverged."""
        update = window.first_spoilt()
        if update:
            pairs = ", ".join(map(str, self.batches.rows(update - 1) + 1))
            raise UserError(
                f"the loss or its gradient was not finite in update {update}: the training has "
                "diverged; lower training.learning_rate. The batch of that update are the pairs "
                f"{pairs} of the training text, counted from 1"
            )

    def _validate(self) -> None:
        """Score the development set; keep the weights if they are the best so far, or the last."""
        started = time.monotonic()
        bleu = self.validation.bleu(self.model, self.device)
        if self.early.better(bleu, self.update, always=self.recipe.patience is None):
            self.best = self._weights()
        seconds = round(time.monotonic() - started, 2)
        self.journal.write("dev", self.update, bleu=round(bleu, 4), seconds=seconds)

    def _weights(self) -> checkpoint.Tensors:
        """A copy of the model's weights."""
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}

    def _save(self) -> None:
        tensors = {
            **checkpoint.grouped("model", self.model.state_dict()),
            **checkpoint.grouped("best", self.best),
            **checkpoint.grouped("optimizer", checkpoint.optimizer_tensors(self.optimizer)),
        }
        record = {
            "identity": self.identity,
            "update": self.update,
            "seconds": self.seconds,
            "early": dataclasses.asdict(self.early),
        }
        checkpoint.save(self.checkpoint, tensors, record)

    def _resume(self) -> None:
        """Go on from the checkpoint; one of another configuration or other data is moved aside."""
        found = checkpoint.load(self.checkpoint)
        if found is None:
            return
        tensors, record = found
        other = [key for key, value in self.identity.items() if record["identity"][key] != value]
        if other:
            set_aside(self.checkpoint, f"made with other {' and '.join(other)}")
            return
        self.model.load_state_dict(checkpoint.group(tensors, "model"))
        checkpoint.restore_optimizer(self.optimizer, checkpoint.group(tensors, "optimizer"))
        self.best = checkpoint.group(tensors, "best")
        self.update, self.seconds = record["update"], record["seconds"]
        self.early = EarlyStop(**record["early"])
        print(f"{self.checkpoint}: resumed after update {self.update}", file=sys.stderr)


class Signals:
    """Catches SIGINT, SIGTERM and SIGUSR1, to be asked about between two updates."""

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)

    def __init__(self) -> None:
        self.received = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Signals":
        for number in self.NUMBERS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = number


def described(other: PairFilter) -> dict[str, Any]:
    """A filter with the manifest of its data in place of their folder, which may be moved."""
    manifest = read_json(Path(other.data) / "manifest.json")
    return {**dataclasses.asdict(other), "data": manifest}


def as_json(record: dict[str, Any]) -> Any:
    """`record` as it comes back from JSON: tuples are lists there."""
    return json.loads(json.dumps(record))
