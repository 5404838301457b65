"""The table of gates: statistics of both sides at the update that counts."""

import json
from pathlib import Path

from analysed_models import gates_of
from made_up_experiments import experiment

from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.contextualization import gates_table
from contextnmt.report.experiment import experiment_of
from contextnmt.report.tables import write_table


def write(folder: Path, run: str, means: dict[int, float], best: int) -> tuple[Path, Path]:
    """A training whose gates had these means at its validations, by update."""
    records = [
        {"kind": "dev", "update": update, "bleu": 9.0, **gates_of(mean)}
        for update, mean in means.items()
    ]
    records.append({"kind": "train", "update": best, "loss": 1.0})
    write_lines(folder / run / "log.jsonl", map(json.dumps, records))
    manifest = {"train": {}, "vocabulary": {}}
    model = {
        "environment": {"gpu": None},
        "best": {"update": best, "dev_bleu": 9.0},
        "data": {"manifest": manifest, "pairs": 1},
        "training": {"precision": "fp32", "device": "cpu"},
        **dict.fromkeys(("parameters", "updates", "stopped", "seconds"), 1),
    }
    write_json(folder / run / "model.json", model)
    return folder / run / "model.json", folder / run / "log.jsonl"


def test_statistics_are_those_of_the_best_update_and_means_over_seeds(tmp_path: Path) -> None:
    trained = [
        write(tmp_path, "en-fr/context/1", {10: 0.9, 20: 0.4}, 20),
        write(tmp_path, "en-fr/context/2", {10: 0.2, 20: 0.9}, 10),
    ]
    models, logs = zip(*trained, strict=True)
    about = experiment_of(experiment("choi2017", (1, 2), ("test",)))
    write_table(tmp_path / "gates", gates_table(list(models), list(logs), about))
    table = read_json(tmp_path / "gates.json")
    (block,) = table["blocks"]
    assert block["columns"][0] == ["source gate", "mean"]
    assert block["columns"][5] == ["target gate", "above 0.95 (%)"]
    (row,) = block["rows"]
    assert row["label"] == "+Context (C)"
    cells = [(cell["text"], cell["remark"]) for cell in row["cells"]]
    assert cells[0] == ("0.300", "± 0.141")
    assert cells[1:4] == [("25.0", "± 0.0"), ("12.5", "± 0.0"), ("0.0625", "± 0.0000")]
    assert [text for text, _ in cells[4:]] == ["0.600", "50.0", "25.0", "0.1250"]
    first = {"pair": "en-fr", "system": "context", "seed": 1, "side": "source"}
    assert table["data"][0] == first | {
        "mean": 0.4,
        "open": 0.25,
        "closed": 0.125,
        "deviation": 0.0625,
    }
    assert [(each["seed"], each["side"]) for each in table["data"]] == [
        (1, "source"),
        (1, "target"),
        (2, "source"),
        (2, "target"),
    ]


def test_a_system_without_the_statistics_of_a_seed_has_dashes_and_a_note(tmp_path: Path) -> None:
    trained = [write(tmp_path, f"en-fr/context/{seed}", {10: 0.9}, 10) for seed in (1, 2)]
    models, logs = zip(*trained, strict=True)
    write_lines(logs[1], [json.dumps({"kind": "dev", "update": 10, "bleu": 9.0})])
    about = experiment_of(experiment("choi2017", (1, 2), ("test",)))
    write_table(tmp_path / "gates", gates_table(list(models), list(logs), about))
    table = read_json(tmp_path / "gates.json")
    [row] = table["blocks"][0]["rows"]
    assert {cell["text"] for cell in row["cells"]} == {"–"}
    assert table["notes"][0] == "en-fr context, seed 2: trained before gates were logged."
