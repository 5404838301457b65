"""The course of a training run: JSON lines for the report, TensorBoard for whoever watches."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from contextnmt.files import atomic


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

    def write(self, kind: str, update: int, **numbers: float) -> None:
        """Add a record; its numbers become curves `kind/name` in TensorBoard."""
        record = {"kind": kind, "update": update, **numbers}
        self.records.append(record)
        self._stream.write(json.dumps(record) + "\n")
        self._stream.flush()
        for name, number in numbers.items():
            self._board.add_scalar(f"{kind}/{name}", number, update)

    def close(self) -> None:
        """Write everything out."""
        self._stream.close()
        self._board.close()
