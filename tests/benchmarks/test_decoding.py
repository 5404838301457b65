"""benchmarks/decoding.py: what it counts, and a page of small models."""

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import training
import typer
import yaml
from peers import Beam, Recipe, peers
from speed import LENGTH
from toolkits import environments, program

from contextnmt.configuration.model import ModelSettings
from contextnmt.translation.saved import Precision

SMALL = ModelSettings(5, 6, 4, 5)
QUICK = {"sentences": 3, "words": 20, "width": 2, "steps": 3, "rounds": 1, "threads": 1}


@pytest.fixture
def script() -> dict[str, Any]:
    """The script, with small models."""
    found = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "decoding.py"))
    found["MODELS"].clear()
    papers = {"first": SMALL, "second": replace(SMALL, cell="gru")}
    found["main"].__globals__.update(TEST_SET=50, PAPER_WORDS=40, PAPERS=papers)
    return found


def test_multiply_adds_are_those_of_the_equations(script: dict[str, Any]) -> None:
    m, n, a, maxout, words, time = 6, 5, 4, 3, 47, LENGTH
    made = script["ours"](
        ModelSettings(m, n, a, maxout), words, 2, 3, Precision.FP32, torch.device("cpu")
    )
    state = n * a + n * 2 * maxout + n * 4 * n
    word = m * 2 * maxout + m * 4 * n
    attention, context = time * a, 2 * maxout + 4 * n
    output = maxout * (words + 3)
    defined = state + word + attention + output + time * 2 * n + 2 * n * context
    assert made.adds * 1e6 == pytest.approx(defined)


def test_the_page_has_a_row_for_each(script: dict[str, Any], tmp_path: Path) -> None:
    script["MODELS"]["small"] = SMALL
    out = tmp_path / "page.md"
    script["main"](**QUICK, bf16=True, with_test_set=True, out=out)
    first, second = out.read_text().split("## Translating a test set\n\n")
    for row in ("| plain PyTorch |", "| small |", "| small, bf16 |", "| 1.00 |"):
        assert row in first
    assert second.startswith("50 sentences, 40 words per side, beam 2.")
    for name in ("first", "second", "first, bf16", "second, bf16"):
        assert f"| {name} | 5/6/4/5 | " in second


#: What the commands of the toolkits print when they have translated.
SAID = {
    "joeynmt": ("python", ["Generation took 15.0[sec]."]),
    "onmt": ("onmt_translate", ["Total translation time (s): 6.0"]),
    "eole": (
        "eole",
        ["Step 0 time (s): 1.0", "Subsequent prediction time including all (s): 2.0"],
    ),
    "fairseq": ("fairseq-generate", ["Translated 3 sentences (9 tokens) in 1.5s (2 sentences/s)"]),
}


def test_toolkits_take_their_turns(script: dict[str, Any], tmp_path: Path) -> None:
    options = {**QUICK, "environments": environments(tmp_path, SAID), "out": tmp_path / "page.md"}
    script["main"](**options)
    page = options["out"].read_text()
    assert "OpenNMT-py 1.2 with torch 2.13.0; eole 1.2 with" in page
    assert "Translating a test set" not in page
    rows = [line.split(" | ") for line in page.split("\n") if line.startswith("| ")]
    to_fastest = {cells[0].strip("| "): (cells[2], cells[4].strip("| ")) for cells in rows}
    assert to_fastest["JoeyNMT"] == ("0.20", "0.10")
    assert to_fastest["OpenNMT-py"] == ("0.50", "0.25")
    assert to_fastest["eole"] == ("1.00", "0.50")
    assert to_fastest["fairseq"] == ("2.00", "1.00")
    program(tmp_path / "eole/bin/eole", "nothing")
    with pytest.raises(SystemExit, match="eole reported no time:\nnothing"):
        script["main"](**options)


def test_joeynmt_writes_no_end_of_a_sentence(tmp_path: Path) -> None:
    """Its search knows no least length, and never writes what it takes for a mark."""
    environments(tmp_path, {"joeynmt": SAID["joeynmt"]})
    (tmp_path / "work").mkdir()
    (peer,) = peers(tmp_path, 1, [([3, 4], [5, 6])], 4, Recipe(2, 2, 1), tmp_path / "work")
    peer.learn()
    trained = yaml.safe_load((peer.folder / "config.yaml").read_text())
    peer.seconds(Beam(12, 25, 16))
    asked = yaml.safe_load((peer.folder / "config.yaml").read_text())
    vocabulary = Path(asked["data"]["trg"]["voc_file"]).read_text().split("\n")
    mark = asked["data"].pop("special_symbols")
    assert vocabulary[mark["sep_id"]] == mark["sep_token"] == "</s>"
    assert (asked["testing"]["beam_size"], asked["testing"]["max_output_length"]) == (12, 25)
    assert asked["testing"]["batch_size"] == 16
    assert {**asked, "testing": trained["testing"]} == trained


def test_options_that_cannot_be_are_refused(script: dict[str, Any], tmp_path: Path) -> None:
    decode, train = script["main"], training.main
    for main, options, message in [
        (decode, {"tf32": True}, "--tf32 is for a GPU: add --device cuda"),
        (decode, {"device": "cuda", "environments": tmp_path}, "the toolkits run on the CPU alone"),
        (train, {"device": "cuda", "environments": tmp_path}, "the toolkits run on the CPU alone"),
        (train, {"pairs": 2, "words": 20, "environments": tmp_path}, "holds none of"),
        (train, {"device": "gpu"}, "--device: device 'gpu': choose from cpu, cuda"),
    ]:
        with pytest.raises(typer.BadParameter, match=message):
            main(**options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_without_a_gpu_cuda_is_refused(script: dict[str, Any]) -> None:
    with pytest.raises(typer.BadParameter, match=r"--device: .*torch sees no GPU here"):
        script["main"](device="cuda")
