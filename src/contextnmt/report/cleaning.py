"""What the stage *clean* removed from each training text: ``{pair}/{text}.removed.json``."""

from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, pair_title
from contextnmt.report.tables import NONE, Block, Cell

SUFFIX = ".removed.json"


def cleaning(about: Experiment, files: list[Path]) -> list[Block]:
    """Pairs read, removed by each filter, and kept: one block a language pair, one row a text.

    Raises UserError if a file is not of a pair of the experiment, or not of the stage clean.
    """
    texts: dict[str, dict[str, dict[str, int]]] = {pair: {} for pair in about.pairs}
    for path in sorted(files):
        pair = path.parent.name
        if pair not in texts:
            raise UserError(f"--cleaned {path}: {pair} is not a pair of the experiment")
        texts[pair][path.name.removesuffix(SUFFIX)] = counts(path)
    return [block(pair_title(pair), rows) for pair, rows in texts.items() if rows]


def counts(path: Path) -> dict[str, int]:
    """``read``, each filter, and ``kept`` -> sentence pairs."""
    content = read_json(path)
    try:
        removed = {name: entry["count"] for name, entry in content["removed"].items()}
        return {"read": content["read"], **removed, "kept": content["kept"]}
    except (KeyError, TypeError, AttributeError):
        raise UserError(f"{path}: not what clean removed: clean this text again") from None


def block(title: str, texts: dict[str, dict[str, int]]) -> Block:
    """The texts of one pair; a filter that was off for one of them has no count there."""
    filters = {name for row in texts.values() for name in row} - {"read", "kept"}
    columns = ["read", *sorted(filters), "kept"]
    rows = [
        (text, [Cell(f"{row[name]:,}" if name in row else NONE) for name in columns])
        for text, row in texts.items()
    ]
    return Block(title, [(name,) for name in columns], rows)
