"""benchmarks/time_to_bleu.py: what it reads from journals."""

import json
from pathlib import Path

import pytest
from time_to_bleu import main

from contextnmt.errors import UserError
from contextnmt.files import write_json, write_lines
from contextnmt.report.tables import NONE

MODEL = {
    "environment": dict.fromkeys(("gpu", "commit", "processor", "cores", "python", "torch"), "x"),
    "training": {"device": "cuda", "precision": "bf16", "batch_size": 80, "learning_rate": 0.001},
    "best": {"dev_bleu": 36.0},
}
MODEL["training"]["validate_every"] = 200
RECORDS = [
    *({"kind": "train", "target_tokens_per_second": speed} for speed in (1.0, 900.4, 3000.0)),
    {"kind": "dev", "update": 200, "bleu": 20.0, "elapsed": 10.0},
    {"kind": "dev", "update": 400, "bleu": 36.0, "elapsed": 25.25},
    {"kind": "dev", "update": 600, "bleu": 35.0, "elapsed": 40.0}
    | {f"source_gate_{key}": value for key, value in (("open", 0.875), ("deviation", 0.02))}
    | {f"target_gate_{key}": value for key, value in (("open", 1.0), ("deviation", 0.0))},
]


def test_every_finished_training_has_a_row_with_its_first_good_validations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = [15, 36, 36.1]
    with pytest.raises(UserError, match="no finished training"):
        main(tmp_path, levels)
    for seed in (1, 2):
        folder = tmp_path / "train" / "en-de" / "baseline" / str(seed)
        write_json(folder / "model.json", MODEL)
        write_lines(folder / "log.jsonl", map(json.dumps, RECORDS))
    main(tmp_path, levels, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    reached = f"200 | 10.0 | 400 | 25.2 | {NONE} | {NONE}"
    for seed in (1, 2):
        assert f"| en-de/baseline/{seed} | x | bf16 | 900 | 36.00 | {reached} |" in page
        assert f"| en-de/baseline/{seed} | 600 | 35.00 | 88% | 0.020 | 100% | 0.000 |" in page
    assert capsys.readouterr().out.strip() == page.strip()
