"""benchmarks/decoding.py: what it counts, and a page of small models."""

import runpy
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import training
import typer
import yaml
from peers import Beam, Recipe, peers
from speed import LENGTH

from contextnmt.configuration.model import ModelSettings
from contextnmt.translation.saved import Precision

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "decoding.py"))


def test_multiply_adds_are_those_of_the_equations(script: dict) -> None:
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


def test_the_page_has_a_row_for_each(script: dict, tmp_path: Path) -> None:
    small = {"small": ModelSettings(4, 4, 4, 4)}
    script["MODELS"].clear()
    script["MODELS"].update(small)
    out = tmp_path / "page.md"
    script["main"](sentences=3, words=20, width=2, steps=3, rounds=2, threads=1, bf16=True, out=out)
    page = out.read_text()
    assert "| plain PyTorch |" in page
    assert "| small |" in page
    assert "| small, bf16 |" in page
    assert "| 1.00 |" in page


#: What the commands of the toolkits print when they have translated.
SAID = {
    "joeynmt": ("python", "Generation took 15.0[sec]."),
    "onmt": ("onmt_translate", "Total translation time (s): 6.0"),
    "eole": (
        "eole",
        "Step 0 time (s): 1.0\nSubsequent prediction time including all (s): 2.0",
    ),
    "fairseq": ("fairseq-generate", "Translated 3 sentences (9 tokens) in 1.5s (2 sentences/s)"),
}
#: All else that is called.
OTHERS = ["python", "onmt_train", "fairseq-preprocess", "fairseq-train"]


def program(path: Path, said: str) -> None:
    """A shell script in the place of a program; `python -c` tells versions."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "\n".join(f"echo '{line}'" for line in said.split("\n"))
    path.write_text(f'#!/bin/sh\n[ "$1" = -c ] && echo 1.2 2.13.0 && exit\n{lines}\n')
    path.chmod(0o755)


def test_toolkits_take_their_turns(script: dict, tmp_path: Path) -> None:
    """Programs that say what the toolkits say stand for them."""
    script["MODELS"].clear()
    for name, (command, said) in SAID.items():
        for other in OTHERS:
            program(tmp_path / name / "bin" / other, "")
        program(tmp_path / name / "bin" / command, said)
    options = {"sentences": 3, "words": 20, "width": 2, "steps": 3, "rounds": 2, "threads": 1}
    out = tmp_path / "page.md"
    script["main"](**options, environments=tmp_path, out=out)
    page = out.read_text()
    assert "OpenNMT-py 1.2 with torch 2.13.0; eole 1.2 with" in page
    rows = [line.split(" | ") for line in page.split("\n") if line.startswith("| ")]
    to_fastest = {cells[0].strip("| "): (cells[2], cells[4].strip("| ")) for cells in rows}
    assert to_fastest["JoeyNMT"] == ("0.20", "0.10")
    assert to_fastest["OpenNMT-py"] == ("0.50", "0.25")
    assert to_fastest["eole"] == ("1.00", "0.50")
    assert to_fastest["fairseq"] == ("2.00", "1.00")

    program(tmp_path / "eole" / "bin" / "eole", "nothing")
    with pytest.raises(SystemExit, match="eole reported no time:\nnothing"):
        script["main"](**options, environments=tmp_path, out=out)
    with pytest.raises(typer.BadParameter, match="holds none of"):
        script["main"](**options, environments=tmp_path / "onmt", out=out)


def test_joeynmt_writes_no_end_of_a_sentence(tmp_path: Path) -> None:
    """Its search knows no least length, and never writes what it takes for a mark."""
    python = tmp_path / "joeynmt" / "bin" / "python"
    program(python, "")
    (tmp_path / "work").mkdir()
    (peer,) = peers(tmp_path, 1, [([3, 4], [5, 6])], 4, Recipe(2, 2, 1), tmp_path / "work")
    peer.learn()
    trained = yaml.safe_load((peer.folder / "config.yaml").read_text())
    program(python, "Generation took 15.0[sec].")
    peer.seconds(Beam(12, 25, 16))
    asked = yaml.safe_load((peer.folder / "config.yaml").read_text())
    vocabulary = Path(asked["data"]["trg"]["voc_file"]).read_text().split("\n")
    mark = asked["data"].pop("special_symbols")
    assert vocabulary[mark["sep_id"]] == mark["sep_token"] == "</s>"
    assert (asked["testing"]["beam_size"], asked["testing"]["max_output_length"]) == (12, 25)
    assert asked["testing"]["batch_size"] == 16
    assert {**asked, "testing": trained["testing"]} == trained


def test_a_test_set_is_translated_by_the_papers_models(script: dict, tmp_path: Path) -> None:
    small = ModelSettings(5, 6, 4, 5)
    script["MODELS"].clear()
    papers = {"first": small, "second": replace(small, cell="gru")}
    names = script["main"].__globals__
    names |= {"TEST_SET": 50, "PAPER_WORDS": 40, "PAPERS": papers}
    options = {"sentences": 2, "words": 20, "width": 2, "steps": 3, "rounds": 1, "threads": 1}
    out = tmp_path / "page.md"
    script["main"](**options, bf16=True, with_test_set=True, out=out)
    _, second = out.read_text().split("## Translating a test set\n\n")
    assert second.startswith("50 sentences, 40 words a side, beam 2.")
    for name in ("first", "second", "first, bf16", "second, bf16"):
        assert f"| {name} | 5/6/4/5 | " in second

    script["main"](**options, out=out)
    assert "Translating a test set" not in out.read_text()


def test_translations_of_a_test_set_are_as_long_as_their_sources(script: dict) -> None:
    cpu = torch.device("cpu")
    model = script["ours"](ModelSettings(5, 6, 4, 5), 8, 3, None, Precision.FP32, cpu)
    assert model.translate([[3, 4, 5, 6], [3, 4], [5]]) == [5, 3, 2]


def test_options_that_do_not_go_together_are_refused(script: dict) -> None:
    with pytest.raises(typer.BadParameter, match="--tf32 is for a GPU: add --device cuda"):
        script["main"](tf32=True)
    with pytest.raises(typer.BadParameter, match="the toolkits run on the CPU alone"):
        script["main"](device="cuda", environments=Path("peers"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
def test_without_a_gpu_cuda_is_refused(script: dict) -> None:
    for main in (script["main"], training.main):
        with pytest.raises(typer.BadParameter, match=r"--device: .*torch sees no GPU here"):
            main(device="cuda")
