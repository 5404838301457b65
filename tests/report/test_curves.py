"""The learning curves and the figure of gains: same bytes each time, one file a format."""

from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.curves import curves, read_log
from contextnmt.report.gains import gains


def test_figures_are_the_same_bytes_each_time(results: Results, tmp_path: Path) -> None:
    logs = results.files("train/*/*/*/log.jsonl")
    for name, order in (("a", logs), ("b", logs[::-1])):
        curves(order, results.experiment, tmp_path / name)
    written = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert written == [
        f"curves.{pair}.{quantity}.{suffix}"
        for pair in ("en-de", "en-fr")
        for quantity in ("bleu", "loss")
        for suffix in ("pdf", "png", "svg")
    ]
    for name in written:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_every_system_has_a_line_in_the_legend(results: Results, tmp_path: Path) -> None:
    curves(results.files("train/*/*/*/log.jsonl"), results.experiment, tmp_path)
    svg = (tmp_path / "curves.en-fr.loss.svg").read_text()
    for system in results.about["systems"]:
        assert f">{system['label']}</text>" in svg


def test_a_damaged_log_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"kind": "train", "update": 1}\n{"kind": "tr\n')
    with pytest.raises(UserError, match=r"log\.jsonl, line 2: not JSON"):
        read_log(tmp_path / "log.jsonl")


def test_gains_are_drawn_for_each_pair(results_of_seeds: Results, tmp_path: Path) -> None:
    scores = results_of_seeds.files("score/*/*/*/scores.json")
    bleu_table(scores, results_of_seeds.experiment, tmp_path / "table4")
    gains(tmp_path / "table4.json", results_of_seeds.experiment, tmp_path / "figures")
    for pair in ("en-fr", "en-de"):
        svg = (tmp_path / f"figures/gains.{pair}.svg").read_text()
        assert ">S on +BPE+C</text>" in svg
        assert ">gain in BLEU on test_2016_flickr, beam 12</text>" in svg
