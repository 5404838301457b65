"""benchmarks/precision.py: how its trainings are configured, and what it says of their results."""

import json
from pathlib import Path

import precision
import pytest
import yaml

from contextnmt.configuration import layers, recipes

#: Made-up dev BLEU of three seeds.
BLEU = {
    "lstm-fp32": [70.0, 71.0, 72.0],
    "lstm-bf16": [70.5, 72.0, 71.0],
    "gru-fp32": [80.0, 80.1, 80.2],
    "gru-bf16": [79.0, 79.1, 79.2],
}


def finished(overlay: Path, folder: Path) -> None:
    """What the workflow would leave in `folder`: seed s makes 100 s words a second, or less."""
    asked = yaml.safe_load(overlay.read_text())
    assert set(asked["systems"]) == set(BLEU)
    for system in asked["systems"]:
        for seed in asked["seeds"]:
            run = precision.results(folder, system, seed)
            run.mkdir(parents=True)
            best = {"update": 100 * seed, "dev_bleu": BLEU[system][seed - 1]}
            record = {"best": best, "seconds": 90.0, "environment": {"gpu": "a GPU"}}
            (run / "model.json").write_text(json.dumps(record))
            speeds = [100.0 * seed, 100.0 * seed, 1.0]  # one record that something held up
            lines = [{"kind": "train", "target_tokens_per_second": speed} for speed in speeds]
            lines.append({"kind": "dev", "bleu": 3.0})
            (run / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_trainings_differ_in_cell_and_precision_alone(tmp_path: Path, device: str) -> None:
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump(precision.overlay(device, 2)))
    made = layers.of_call(precision.ROOT, [overlay], {})
    assert (made["device"], made["pairs"], made["seeds"]) == (device, ["en-fr"], [1, 2])
    demo = layers.of_call(precision.ROOT, [], {"preset": "demo"})
    baseline = recipes.recipe(demo, "en-fr", "baseline")
    lowered = ["bf16"] if device == "cpu" else ["tf32", "bf16"]
    assert len(made["systems"]) == 2 * (1 + len(lowered))
    for cell in ("lstm", "gru"):
        for bits in ("fp32", *lowered):
            recipe = recipes.recipe(made, "en-fr", f"{cell}-{bits}")
            assert recipe["view"] == baseline["view"]
            assert recipe["model"] == {**baseline["model"], "cell": cell}
            assert recipe["training"] == {**baseline["training"], "precision": bits}


def test_the_page_compares_means_with_the_noise_of_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "train", finished)
    precision.main(folder=tmp_path, out=tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert page == capsys.readouterr().out
    lines = page.split("\n")
    assert "| lstm | fp32 | 71.00 ± 1.00 |  |  | 300 |" in lines
    # The standard error of a difference of two means: root of (1.00^2 + 0.76^2) / 3.
    assert "| lstm | bf16 | 71.17 ± 0.76 | +0.17 ± 0.73 | yes | 300 |" in lines
    assert "| gru | bf16 | 79.10 ± 0.10 | -1.00 ± 0.08 | no | 300 |" in lines
    assert "| gru | bf16 | 3 | 300 | 79.20 | 300 | 1.5 |" in lines
    assert len([line for line in lines if line.startswith(("| lstm ", "| gru "))]) == 4 + 12
    assert "Device: cpu; configuration " in page
    assert "a GPU" not in page
