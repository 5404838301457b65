"""The course of a training run: JSON lines for the report, TensorBoard for whoever watches."""

import json
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from contextnmt.files import atomic, read_lines


class Journal:
    """Records in order of time, each a JSON object with `kind` and `update`.

    A resumed run forgets what was written after its checkpoint, and goes on from there.
    """

    def __init__(self, folder: Path, tensorboard: Path, update: int) -> None:
        """Open the journal in `folder`, keeping the records up to `update`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "log.jsonl"
        self.records = [record for record in self._read() if record["update"] <= update]
        with atomic(self.path) as out:
            out.writelines(json.dumps(record) + "\n" for record in self.records)
        self._stream = open(self.path, "a", encoding="utf-8")  # noqa: SIM115, closed by close()
        self._board = SummaryWriter(str(tensorboard), purge_step=update + 1)

    def _read(self) -> list[dict[str, Any]]:
        if not self.path.is_file():
            return []
        records = []
        for line in read_lines(self.path):
            try:
                records.append(json.loads(line))
            except ValueError:  # the line that a kill cut short
                break
        return records

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
