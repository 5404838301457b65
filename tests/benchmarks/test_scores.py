"""The page of what a finished run measured, where some of it could not be."""

from pathlib import Path

import pytest
import scores

from contextnmt.errors import UserError
from contextnmt.files import write_json

ENVIRONMENT = {"processor": "a processor", "cores": 2, "gpu": None, "python": "3.11"}
ENVIRONMENT |= {"torch": "2", "commit": "0123456789abcdef", "dirty": False}
MODEL = {"environment": ENVIRONMENT, "parameters": 1000, "updates": 20, "stopped": "patience"}
MODEL |= {"best": {"update": 10, "dev_bleu": 1.5}, "seconds": 60.0}
SCORE = {"bleu": 12.345, "bp": 1.0, "bleu_detokenized": 11.0, "signature": "tok:none"}
SCORE |= {"signature_detokenized": "tok:13a"}
GAP = {"gap": "test.beam12.gz has 2 lines and test.fr.gz has 3"}


def page(folder: Path, **seeds: dict) -> str:
    """The page of runs, of which each has its scores."""
    for seed, entries in seeds.items():
        run = f"en-fr/baseline/{seed.removeprefix('seed')}"
        write_json(folder / "score" / run / "scores.json", entries)
        write_json(folder / "train" / run / "model.json", MODEL)
    scores.main(folder, out=folder / "page.md")
    return (folder / "page.md").read_text()


def test_a_gap_is_a_row_of_dashes_with_its_reason_below(tmp_path: Path) -> None:
    text = page(tmp_path, seed1={"test.beam1": GAP, "test.beam12": SCORE})
    assert "| en-fr | baseline | test | 1 | – | – | – |" in text
    assert "| en-fr | baseline | test | 12 | 12.35 | 1.000 | 11.00 |" in text
    assert f"No score of en-fr/baseline/1, test.beam1: {GAP['gap']}.\n" in text
    assert "`tok:none`" in text


def test_seeds_share_a_row(tmp_path: Path) -> None:
    bleu = {"seed1": 13.0, "seed2": 12.0, "seed3": 14.0}
    for other in ("ensemble", "1.ablation"):
        write_json(
            tmp_path / "score/en-fr/baseline" / other / "scores.json", {"test.beam12": SCORE}
        )
    text = page(tmp_path, **{n: {"test.beam12": SCORE | {"bleu": b}} for n, b in bleu.items()})
    row = "| en-fr | baseline | test | 12 | 13.00 ± 1.00 | 1.000 ± 0.000 | 11.00 ± 0.00 |"
    assert row in text
    assert text.count("| en-fr/baseline/") == 3


def test_without_any_score_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no run has a score\. No score of .* has 2 lines"):
        page(tmp_path, seed1={"test.beam12": GAP})
