"""The training loop: batches in, a model out, and a checkpoint to go on from in between."""

import dataclasses
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
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
from contextnmt.training.batches import Batches
from contextnmt.training.checkpoint import Checkpoints
from contextnmt.training.dataset import check_vocabularies, training_pairs
from contextnmt.training.journal import Journal
from contextnmt.training.settings import PairFilter, TrainingSettings
from contextnmt.training.signals import Signals, stays_alive
from contextnmt.training.validation import Validation

#: The folder that holds the package.
SOURCE = Path(__file__).parents[2]

#: Records of a run in its journal, roughly: enough for a smooth curve.
RECORDS = 200


@dataclasses.dataclass
class EarlyStop:
    """The best validation so far, and how many have come after it."""

    best_bleu: float = -1.0
    best_update: int = 0
    misses: int = 0

    def better(self, bleu: float, update: int) -> bool:
        """Take in a validation; whether it is the best one so far."""
        if bleu > self.best_bleu:
            self.best_bleu, self.best_update, self.misses = bleu, update, 0
            return True
        self.misses += 1
        return False


class Training:
    """One training run, from its data to its best weights.

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
        identity: Mapping[str, Any] | None = None,
        check: Callable[[], None] = lambda: None,
        signals: Signals | None = None,
    ) -> None:
        """Load the data, build the model, and take up the newest checkpoint in `state` if it fits.

        `checkpoint_minutes`: how often to write one besides those at each validation; `filters`:
        those that training pairs have to pass besides the recipe's own (A14); `identity`: what a
        checkpoint must agree with instead of model, recipe and the source code as they are;
        `check`: raises if another process owns `state`, called before each write; `signals`: to
        be heeded between updates. Raises UserError if the data do not fit together.
        """
        torch.set_num_threads(recipe.threads)
        self.recipe, self.seed, self.device = recipe, seed, choose_device(recipe.device)
        own = PairFilter(str(data), recipe.max_length, recipe.unknown_limit)
        self.pairs = training_pairs(own, filters)
        self.batches = Batches(self.pairs, recipe.batch_size, recipe.sort_batches, seed)
        self.validation = Validation(data)
        manifest = read_json(data / "manifest.json")
        check_vocabularies(data, manifest)
        words = [
            manifest["vocabulary"][side]["words"] + len(SPECIALS) for side in ("source", "target")
        ]
        torch.manual_seed(seed)
        self.model = Translator(model, *words).to(self.device)
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=recipe.learning_rate, fused=True
        )
        self.checkpoint_seconds = 60 * checkpoint_minutes
        self.data = {"manifest": manifest, "filters": [described(each) for each in filters]}
        if identity is None:
            identity = {
                "model": as_json(dataclasses.asdict(model)),
                "training": dataclasses.asdict(recipe),
                "code": code_marks(SOURCE, __name__),
            }
        #: What a checkpoint must agree with to be gone on from.
        self.identity = {**as_json(identity), "seed": seed, "data": as_json(self.data)}
        self.checkpoints, self.check = Checkpoints(state, check), check
        self.signals = signals or Signals()
        self.update, self.validated, self.early = 0, 0, EarlyStop()
        self.window = Window(self.device)
        self.best = self._weights()
        #: Of `update` and `validated`, what is in the newest checkpoint.
        self._saved: tuple[int, int] | None = None
        self._started = self._saved_at = time.monotonic()
        records = self._resume()
        self.check()
        self.journal = Journal(state, tensorboard, self.update, records)

    @property
    def seconds(self) -> float:
        """How long the run has been at work, in all its lives, as far as checkpoints tell."""
        return time.monotonic() - self._started

    @property
    def finished(self) -> bool:
        """Whether the recipe says stop."""
        ended = self.update >= self.recipe.max_updates and not self._validation_due()
        return ended or self.early.misses >= self.recipe.patience

    def run(self) -> None:
        """Train until the recipe says stop.

        Raises TrainingInterruptedError after a signal that ends the run, with the state saved, and
        UserError if the training diverges or another process has taken over its state.
        """
        recipe = self.recipe
        every = max(1, min(recipe.validate_every, recipe.max_updates) // (RECORDS // 10))
        with bar("train", "update", recipe.max_updates, self.update) as shown:
            self._heed()
            while not self.finished:
                if self._validation_due():
                    self._validate()
                    self._save()
                    continue
                self._step(self.window)
                shown.update()
                if self.update % every == 0:
                    shown.set_postfix(self._record())
                if time.monotonic() - self._saved_at > self.checkpoint_seconds:
                    self._save()
                self._heed()
        self.journal.close()

    def _validation_due(self) -> bool:
        """Whether the weights after this update are to be validated and have not been yet."""
        last = self.update >= self.recipe.max_updates
        return self.update > self.validated and (
            last or self.update % self.recipe.validate_every == 0
        )

    def _record(self) -> dict[str, float]:
        """Write down the means of the window; those that a progress bar shows are returned."""
        self._check_divergence()
        self.check()
        numbers = self.window.numbers(self.recipe.clip)
        epoch = round(self.update / self.batches.per_epoch, 2)
        self.journal.write("train", self.update, epoch=epoch, **numbers)
        return {"loss": numbers["loss"], "bleu": round(self.early.best_bleu, 2)}

    def _check_divergence(self) -> None:
        """Raises UserError, naming the batch, if a loss was no number."""
        update = int(self.window.diverged)
        if update:
            rows = self.batches.rows(update - 1)
            raise UserError(
                f"the loss is not finite at update {update} (epoch "
                f"{(update - 1) // self.batches.per_epoch + 1}): the training has diverged; lower "
                "training.learning_rate or training.clip. Its batch: lines "
                f"{', '.join(str(row + 1) for row in sorted(rows.tolist()))} of the training text"
            )

    def _heed(self) -> None:
        """After a signal, write a checkpoint at once.

        Raises TrainingInterruptedError if the run is to end.
        """
        if self.signals.received:
            self._save()
            then = ", training goes on until it is killed" if stays_alive() else ""
            print(
                f"signal {self.signals.received}: state saved after update {self.update}{then}",
                file=sys.stderr,
                flush=True,
            )
            self.signals.heed()

    def _step(self, window: "Window") -> None:
        """One update of the weights."""
        source, target = (
            torch.from_numpy(ids).to(self.device, non_blocking=True)
            for ids in self.batches[self.update]
        )
        self.update += 1
        torch.manual_seed((self.seed << 32) + self.update)
        self.optimizer.zero_grad()
        losses = self.model(source, target)  # nats, one a target word
        (losses.sum() / len(source)).backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        self.optimizer.step()
        tokens = int((source != PAD).sum())
        window.add(self.update, losses.detach(), tokens, norm, self.recipe.clip)

    def _validate(self) -> None:
        """Score the development set; keep the weights if they are the best so far."""
        self._check_divergence()
        started = time.monotonic()
        bleu = self.validation.bleu(self.model, self.device, self._heed)
        if self.early.better(bleu, self.update):
            self.best = self._weights()
        self.validated = self.update
        seconds = round(time.monotonic() - started, 2)
        self.check()
        self.journal.write("dev", self.update, bleu=round(bleu, 4), seconds=seconds)
        self.window = Window(self.device)

    def _weights(self) -> checkpoint.Tensors:
        """A copy of the model's weights."""
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}

    def _save(self) -> None:
        """Write a checkpoint, unless the newest one says the same."""
        if self._saved == (self.update, self.validated):
            return
        self._check_divergence()
        tensors = {
            **checkpoint.grouped("model", self.model.state_dict()),
            **checkpoint.grouped("best", self.best),
            **checkpoint.grouped("optimizer", checkpoint.optimizer_tensors(self.optimizer)),
            **checkpoint.grouped("window", self.window.sums),
        }
        record = {
            "identity": self.identity,
            "optimizer": type(self.optimizer).__name__,
            "update": self.update,
            "validated": self.validated,
            "seconds": self.seconds,
            "early": dataclasses.asdict(self.early),
            "window": self.window.counts(),
            "journal": self.journal.records,
        }
        self.checkpoints.write(tensors, record)
        self._saved, self._saved_at = (self.update, self.validated), time.monotonic()

    def _resume(self) -> list[dict[str, Any]]:
        """Go on from the newest checkpoint that is whole and fits; the journal up to it."""
        found = self.checkpoints.newest(self.identity)
        if found is None:
            return []
        tensors, record = found
        weights = checkpoint.group(tensors, "model")
        if shapes(weights) != shapes(self.model.state_dict()) or (
            record["optimizer"] != type(self.optimizer).__name__
        ):
            self.checkpoints.set_aside("does not fit the model or its optimizer")
            return []
        self.model.load_state_dict(weights)
        checkpoint.restore_optimizer(self.optimizer, checkpoint.group(tensors, "optimizer"))
        self.best = checkpoint.group(tensors, "best")
        self.update, self.validated = record["update"], record["validated"]
        self._saved = (self.update, self.validated)
        self.early = EarlyStop(**record["early"])
        self.window.restore(checkpoint.group(tensors, "window"), record["window"])
        self._started -= record["seconds"]
        print(
            f"{self.checkpoints.folder}: resumed after update {self.update}",
            file=sys.stderr,
            flush=True,
        )
        return record["journal"]  # type: ignore[no-any-return]


class Window:
    """Sums over the updates since the last record, on the device: no update waits for the host."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        #: The number of the first update whose loss was not finite, 0 if there was none.
        self.diverged = torch.zeros((), dtype=torch.int64, device=device)
        self._reset()

    def _reset(self) -> None:
        self.sums = {
            name: torch.zeros((), device=self.device) for name in ("loss", "norm", "clipped")
        }
        self.updates = self.source_tokens = self.target_tokens = 0
        self.started = time.monotonic()

    def add(
        self,
        update: int,
        losses: torch.Tensor,
        source_tokens: int,
        norm: torch.Tensor,
        clip: float,
    ) -> None:
        """Take in an update."""
        loss = losses.sum()
        first = ~torch.isfinite(loss) & (self.diverged == 0)
        self.diverged += first * update
        self.sums["loss"] += loss
        self.sums["norm"] += norm
        self.sums["clipped"] += norm > clip
        self.updates += 1
        self.source_tokens += source_tokens
        self.target_tokens += len(losses)

    def counts(self) -> dict[str, float]:
        """What `restore` needs besides the sums."""
        return {
            "updates": self.updates,
            "source_tokens": self.source_tokens,
            "target_tokens": self.target_tokens,
            "seconds": time.monotonic() - self.started,
        }

    def restore(self, sums: checkpoint.Tensors, counts: dict[str, Any]) -> None:
        """Go on with the sums and `counts` of a window that a checkpoint holds."""
        self.sums = {name: tensor.to(self.device) for name, tensor in sums.items()}
        self.updates = counts["updates"]
        self.source_tokens, self.target_tokens = counts["source_tokens"], counts["target_tokens"]
        self.started = time.monotonic() - counts["seconds"]

    def numbers(self, clip: float) -> dict[str, float]:
        """Means of the window, which starts anew: nats a target word, symbols a second."""
        seconds = time.monotonic() - self.started
        numbers = {
            "loss": round(float(self.sums["loss"]) / self.target_tokens, 4),
            "gradient_norm": round(float(self.sums["norm"]) / self.updates, 4),
            "clip_rate": round(float(self.sums["clipped"]) / self.updates, 4),
            "source_tokens_per_second": round(self.source_tokens / seconds, 1),
            "target_tokens_per_second": round(self.target_tokens / seconds, 1),
        }
        self._reset()
        return numbers


def shapes(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Size]:
    """The shape of each tensor."""
    return {name: tensor.shape for name, tensor in tensors.items()}


def described(other: PairFilter) -> dict[str, Any]:
    """A filter with the manifest of its data in place of their folder, which may be moved."""
    manifest = read_json(Path(other.data) / "manifest.json")
    return {**dataclasses.asdict(other), "data": manifest}


def as_json(record: Mapping[str, Any]) -> Any:
    """`record` as it comes back from JSON: tuples are lists there."""
    return json.loads(json.dumps(record))
