"""The benchmark of search in bfloat16, on a random model."""

import gzip
import json
import runpy
from pathlib import Path

import pytest
import torch
import typer
from translation.random_model import save

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "search_precision.py"))


def text(path: Path, *lines: str) -> Path:
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def trained(folder: Path) -> Path:
    """What `contextnmt train` would leave, of a random model."""
    save(folder)
    facts = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**facts, "best": {"update": 1200}}))
    return folder


def test_the_page_has_a_row_for_each_text(
    script: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"amx_bf16": True})
    model, out = trained(tmp_path / "model"), tmp_path / "page.md"
    source = text(tmp_path / "dev.en.gz", "a b c", "", "f e d")
    target = text(tmp_path / "dev.de.gz", "a b c", "d", "f e d")
    script["main"]([model], [source], [target], width=2, threads=1, out=out)
    page = out.read_text()
    assert "--model MODEL --text dev.en.gz --reference dev.de.gz" in page
    assert "| lstm, 5/6, 1,200 updates | dev | 3 | 100.0% |" in page


def test_a_processor_without_bfloat16_is_no_place_for_it(
    script: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    with pytest.raises(typer.BadParameter, match="does not multiply bfloat16"):
        script["main"]([tmp_path], [tmp_path], [tmp_path])
