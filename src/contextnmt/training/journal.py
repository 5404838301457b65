"""The course of a training run: JSON lines for the report, TensorBoard for whoever watches."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from contextnmt.files import atomic

#: What a record of a machine names.
MACHINE = ("processor", "gpu")


class Journal:
    """Records in order of time, each a JSON object with `kind` and `update`.

    A checkpoint holds them all, so a resumed run has each record once, whatever the file on disk,
    which is there to be watched, held when the run was killed.
    """

    def __init__(
        self, folder: Path, tensorboard: Path, update: int, records: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Write the journal in `folder` anew, with the `records` of a run up to `update`."""
        self.path = folder / "log.jsonl"
        self.records = list(records)
        with atomic(self.path) as out:
            out.writelines(json.dumps(record) + "\n" for record in self.records)
        self._stream = open(self.path, "a", encoding="utf-8")  # noqa: SIM115, closed by close()
        self._board = SummaryWriter(str(tensorboard), purge_step=update + 1)

    def write(self, kind: str, update: int, **values: float | str) -> None:
        """Add a record; in TensorBoard, its numbers become curves `kind/name`, its texts notes."""
        record = {"kind": kind, "update": update, **values}
        self.records.append(record)
        self._stream.write(json.dumps(record) + "\n")
        self._stream.flush()
        for name, value in values.items():
            if isinstance(value, str):
                self._board.add_text(f"{kind}/{name}", value, update)
            else:
                self._board.add_scalar(f"{kind}/{name}", value, update)

    def write_machine(self, update: int, names: Mapping[str, str]) -> None:
        """Add a record of the machine that is at work from here on, unless it was before."""
        machines = (each for each in reversed(self.records) if each["kind"] == "machine")
        before = {name: value for name, value in next(machines, {}).items() if name in MACHINE}
        if before != names:
            self.write("machine", update, **names)

    def close(self) -> None:
        """Write everything out."""
        self._stream.close()
        self._board.close()
