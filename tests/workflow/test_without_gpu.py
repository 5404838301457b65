"""Models are made anew on a device that is there, or not at all."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TINY = ROOT / ".test" / "config" / "config.yaml"

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_without_a_gpu_no_job_that_wants_one_is_begun(
    snakemake: Run,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setitem(environment, "CUDA_VISIBLE_DEVICES", "")  # if there is one
    arguments = ["-s", f"{ROOT}/Snakefile", "--configfile", f"{TINY}", "--cores", "2"]
    arguments += ["--config", "device=cuda"]
    run = snakemake(tmp_path, "results/demo/train/en-fr/baseline/1/model.json", *arguments)
    assert run.returncode != 0
    assert "device cuda: torch sees no GPU here" in run.stdout
    assert "Traceback" not in run.stdout
    assert not (tmp_path / "results").exists()
    text = snakemake(tmp_path, "results/demo/extract/en-fr/test.en.gz", *arguments)
    assert text.returncode == 0, text.stdout[-3000:]
