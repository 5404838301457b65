"""The course of a training, as its log.jsonl tells it."""

import json
from pathlib import Path
from typing import Any

from contextnmt.errors import UserError
from contextnmt.files import read_lines


def read_log(path: Path) -> list[dict[str, Any]]:
    """The records of a training log. Raises UserError, naming the line, if one is not JSON."""
    records = []
    for line_number, line in enumerate(read_lines(path), start=1):
        try:
            records.append(json.loads(line))
        except ValueError:
            raise UserError(f"{path}, line {line_number}: not JSON: train this run again") from None
    return records
