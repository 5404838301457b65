"""benchmarks/time_to_bleu.py: what it reads from journals."""

import json
from pathlib import Path

import pytest
from time_to_bleu import main, row

from contextnmt.errors import UserError
from contextnmt.files import write_json, write_lines
from contextnmt.report.tables import NONE

MODEL = {
    "environment": dict.fromkeys(("gpu", "commit", "processor", "cores", "python", "torch"), "x"),
    "training": {
        "device": "cuda",
        "precision": "bf16",
        "batch_size": 80,
        "learning_rate": 0.001,
        "validate_every": 200,
    },
    "best": {"dev_bleu": 36.0},
}
RECORDS = [
    *({"kind": "train", "target_tokens_per_second": speed} for speed in (1.0, 900.4, 3000.0)),
    {"kind": "dev", "update": 200, "bleu": 20.0, "elapsed": 10.0},
    {"kind": "dev", "update": 400, "bleu": 36.0, "elapsed": 25.25},
    {"kind": "dev", "update": 600, "bleu": 35.0, "elapsed": 40.0},
]


@pytest.mark.parametrize(
    ("bleu", "update", "seconds"),
    [(15, "200", "10.0"), (35, "400", "25.2"), (36, "400", "25.2"), (36.1, NONE, NONE)],
)
def test_the_first_validation_that_is_good_enough_counts(
    bleu: float, update: str, seconds: str
) -> None:
    found = row("en-de/baseline/1", MODEL, RECORDS, [15, bleu])
    first = ["en-de/baseline/1", "x", "bf16", "900", "36.00", "200", "10.0"]
    assert found == [*first, update, seconds]


def test_every_finished_training_has_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError, match="no finished training"):
        main(tmp_path, [35])
    for seed in (1, 2):
        folder = tmp_path / "train" / "en-de" / "baseline" / str(seed)
        write_json(folder / "model.json", MODEL)
        write_lines(folder / "log.jsonl", map(json.dumps, RECORDS))
    main(tmp_path, [35], tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert page.count("| 400 | 25.2 |") == 2
    assert capsys.readouterr().out.strip() == page.strip()
