"""The training loop: batches in, a model out, and a checkpoint to go on from in between."""

import dataclasses
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from contextnmt.closure import code_marks
from contextnmt.configuration.model import ModelSettings
from contextnmt.configuration.training import PairFilter, TrainingSettings
from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.model.translator import Translator
from contextnmt.progress import bar, say
from contextnmt.text.vocabulary import PAD
from contextnmt.training.checkpoint import Checkpoints, Record, Tensors
from contextnmt.training.dataset import Batches, training_pairs, vocabularies
from contextnmt.training.journal import Journal, Window
from contextnmt.training.process import Signals, machine, stays_alive
from contextnmt.training.update import GraphUpdater, Updater, ready
from contextnmt.training.validation import Restored, Validation

#: The folder that holds the package.
SOURCE = Path(__file__).parents[2]

#: Records of a run in its journal, roughly: enough for a smooth curve.
RECORDS = 200


@dataclasses.dataclass
class EarlyStop:
    """The best validation so far, and the number of those after it, `misses`."""

    best_bleu: float = -1.0
    best_update: int = 0
    misses: int = 0

    def better(self, bleu: float, update: int, always: bool = False) -> bool:
        """Take in a validation; return whether it is the best so far, or counts so `always`."""
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
        dev: tuple[Sequence[Path], Sequence[Path]],
        model: ModelSettings,
        recipe: TrainingSettings,
        seed: int,
        state: Path,
        tensorboard: Path,
        checkpoint_minutes: float = 20,
        filters: Sequence[PairFilter] = (),
        identity: Mapping[str, Any] | None = None,
        restored: Restored | None = None,
        check: Callable[[], None] = lambda: None,
        signals: Signals | None = None,
    ) -> None:
        """Load the data and build the model: nothing is written. `resume` and `run` come next.

        `data`: folder of `contextnmt binarize`; `dev`: files of the dev texts, source sides and
        target sides; `checkpoint_minutes`: how often to write one besides those at each
        validation; `filters`: of other systems, that training pairs have to pass too (A14);
        `identity`: replaces model, recipe and source code in that of a checkpoint; `restored`: dev
        texts for a BLEU of words; `check`: is called before each write, and raises if another
        process owns `state`; `signals`: asked between updates. Raises UserError if the data do not
        fit together.
        """
        self.recipe, self.seed, self.device = recipe, seed, torch.device(recipe.device)
        own = PairFilter(str(data), recipe.max_length, recipe.unknown_limit)
        self.pairs = training_pairs(own, filters)
        manifest = read_json(data / "manifest.json")
        words = vocabularies(data, manifest)
        sizes = [*map(len, words)]
        self.batches = Batches(self.pairs, recipe.batch_size, recipe.sort_batches, seed, sizes)
        self.validation = Validation(*dev, words[0], words[1], restored, recipe.minimum_length)
        torch.manual_seed(seed)
        self.model = Translator(model, *sizes).to(self.device)
        self.updater = Updater(self.model, recipe, self.device)
        self.best = self._weights()
        #: Takes the updates: on a GPU a `GraphUpdater`, from `rehearse` on.
        self.take: Updater | GraphUpdater = self.updater
        described = [
            {**dataclasses.asdict(each), "data": read_json(Path(each.data) / "manifest.json")}
            for each in filters
        ]
        self.data = {"manifest": manifest, "dev": self.validation.text, "filters": described}
        if identity is None:
            settings = {"model": dataclasses.asdict(model), "training": dataclasses.asdict(recipe)}
            code = code_marks(SOURCE, __name__)
            code += code_marks(SOURCE, restored.restore.__module__) if restored else []
            identity = {**settings, "code": code}
        always = {"seed": seed, "data": self.data, "optimizer": recipe.optimizer}
        shapes = {name: weight.shape for name, weight in self.best.items()}
        #: A run resumes only from a checkpoint with the same identity, compared after JSON.
        self.identity = json.loads(json.dumps({**identity, **always, "weights": shapes}))
        self.checkpoints, self.check = Checkpoints(state, check), check
        self.checkpoint_seconds = 60 * checkpoint_minutes
        self.signals = signals or Signals()
        self.journal = Journal(state, tensorboard)
        self.window = Window(self.device, recipe)
        self.update, self.validated, self.early = 0, 0, EarlyStop()
        #: Of `update` and `validated`, what is in the newest checkpoint.
        self._saved: tuple[int, int] | None = None
        self._started = self._saved_at = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds at work, in all processes of the run, as far as checkpoints tell."""
        return time.monotonic() - self._started

    @property
    def stopped(self) -> str | None:
        """The reason why the training has ended, None if it goes on."""
        patience = self.recipe.patience
        if patience is not None and self.early.misses >= patience:
            return "patience"
        ended = self.update >= self.recipe.max_updates and not self._validation_due()
        return "max_updates" if ended else None

    def resume(self) -> None:
        """Go on from the newest checkpoint that fits, if there is one; rewrite the journal."""
        self.check()
        found = self.checkpoints.newest(self.identity)
        if found is not None:
            self._restore(*found)
            say(f"{self.checkpoints.folder}: resumed after update {self.update}")
        self.check()  # the digests of large checkpoints take a while
        self.journal.open(self.update, found[1]["journal"] if found else [])
        self.journal.write_machine(self.update, machine(self.device))

    def run(self) -> None:
        """Train until the recipe says stop.

        Raises TrainingInterruptedError after a signal that ends the run, with the state saved, and
        UserError if the training diverges or another process has taken over its state.
        """
        recipe = self.recipe
        every = max(1, min(recipe.validate_every, recipe.max_updates) // (RECORDS // 10))
        with bar("train", "update", recipe.max_updates, self.update) as shown:
            self._handle_signal()
            if not self.stopped:
                self.rehearse()
                if not any(self.window.counts):
                    self.window.restart()
            while not self.stopped:
                if self._validation_due():
                    self._validate()
                    self._save()
                    continue
                self.step()
                shown.update()
                if self.update % every == 0:
                    # Without `refresh`, which would make every record a line in a log file.
                    shown.set_postfix(self._record(), refresh=False)
                if time.monotonic() - self._saved_at > self.checkpoint_seconds:
                    self._save()
                self._handle_signal()
        self.journal.close()

    def rehearse(self) -> None:
        """Try the largest batches, and let a GPU take updates as graphs; see `update.ready`."""
        self.take = ready(self.updater, *map(torch.from_numpy, self.batches.largest()))
        self.validation.rehearse(self.model, self._handle_signal)

    def step(self) -> None:
        """One update of the weights."""
        batch = self.batches[self.update]
        self.update += 1
        torch.manual_seed((self.seed << 32) + self.update)
        self.updater.decay(self.update)
        taken = self.take(*map(torch.from_numpy, batch))
        self.window.add(self.update, taken, *(int((ids != PAD).sum()) for ids in batch))

    def _record(self) -> dict[str, float]:
        """Write the means of the window to the journal; return the numbers for a progress bar."""
        self._check_finite()
        self.check()
        numbers = self.window.numbers()
        epoch = round(self.update / self.batches.per_epoch, 2)
        self.journal.write("train", self.update, epoch=epoch, **numbers)
        return {"loss": numbers["loss"], "bleu": round(self.early.best_bleu, 2)}

    def _check_finite(self) -> None:
        """Raise UserError, naming the first update and its pairs, if the training has diverged."""
        if update := self.window.first_diverged():
            pairs = ", ".join(map(str, self.batches.rows(update - 1) + 1))
            raise UserError(
                f"the loss or its gradient was not finite in update {update}: the training has "
                "diverged; lower training.learning_rate. The batch of that update are the pairs "
                f"{pairs} of the training text, counted from 1"
            )

    def _validation_due(self) -> bool:
        """Whether the weights after this update are to be validated and have not been yet."""
        recipe, update = self.recipe, self.update
        due = update >= recipe.max_updates or update % recipe.validate_every == 0
        return due and update > self.validated

    def _validate(self) -> None:
        """Score the dev texts; keep the weights if they are the best so far, or the last."""
        self._check_finite()
        started = time.monotonic()
        bleu = self.validation.bleu(self.model, self._handle_signal)
        loss = self.validation.loss(self.model, self._handle_signal)
        gates = self.validation.gates(self.model)
        if self.early.better(bleu, self.update, always=self.recipe.patience is None):
            self.best = self._weights()
        self.validated = self.update
        seconds = round(time.monotonic() - started, 2)
        self.check()
        # Without it, BLEU is of the tokens of the view, as in an earlier version's logs (A22).
        of = {"validation": "restored"} if self.validation.restored else {}
        scores = {"bleu": round(bleu, 4), **of, "loss": round(loss, 4), **gates}
        spent = {"seconds": seconds, "elapsed": round(self.seconds, 2)}
        self.journal.write("dev", self.update, **scores, **spent)
        self.window.restart()

    def _weights(self) -> Tensors:
        """A copy of the model's weights."""
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}

    def _handle_signal(self) -> None:
        """After a signal, write a checkpoint; raise TrainingInterruptedError if the run ends."""
        if self.signals.received:
            self._save()
            then = ", training goes on until it is killed" if stays_alive() else ""
            say(f"signal {self.signals.received}: state saved after update {self.update}{then}")
            self.signals.handle()

    def _save(self) -> None:
        """Write a checkpoint, unless the newest one says the same."""
        if self._saved == (self.update, self.validated):
            return
        self._check_finite()
        tensors = {
            "model": self.model.state_dict(),
            "best": self.best,
            "optimizer": self.updater.optimizer.state_dict()["state"],
            "window": {"sums": self.window.sums},
        }
        record = {
            "identity": self.identity,
            "update": self.update,
            "validated": self.validated,
            "seconds": self.seconds,
            "early": dataclasses.asdict(self.early),
            "window": {"counts": self.window.counts, "seconds": self.window.seconds},
            "journal": self.journal.records,
        }
        self.checkpoints.write(tensors, record)
        self._saved, self._saved_at = (self.update, self.validated), time.monotonic()

    def _restore(self, tensors: Tensors, record: Record) -> None:
        """Restore the state that `_save` wrote."""
        self.model.load_state_dict(tensors["model"])
        optimizer = self.updater.optimizer
        state = {int(number): values for number, values in tensors.get("optimizer", {}).items()}
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
        self.best = tensors["best"]
        self.update, self.validated = self._saved = record["update"], record["validated"]
        self.early = EarlyStop(**record["early"])
        self.window.restore(tensors["window"]["sums"], **record["window"])
        self._started -= record["seconds"]
