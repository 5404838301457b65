"""benchmarks/training.py: what it counts, how it reads logs, and a page of small models."""

import multiprocessing
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import training
import yaml
from peers import Recipe, peers
from speed import LENGTH, made_up, millions
from toolkits import environments, program
from torch.utils.flop_counter import FlopCounterMode
from training import PASSES, Task, multiply_adds
from yardstick import Yardstick

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.model.translator import Translator

WORDS = 40
SMALL = ModelSettings(12, 16, 20, 10, cell="gru")
SHARED = ContextualizerSettings((7, 5), table="shared")

#: What torch says when LSTMs are told to consist of products that can be counted.
pytestmark = pytest.mark.filterwarnings("ignore:TF32 acceleration on top of oneDNN")


@pytest.mark.parametrize(
    "settings",
    [
        replace(SMALL, readout_rank=3),
        replace(SMALL, attention=False),
        replace(SMALL, cell="lstm", contextualizer=SHARED),
    ],
)
def test_multiply_adds_are_those_of_the_model(settings: ModelSettings) -> None:
    words = torch.full((1, LENGTH), 3)
    torch.manual_seed(1)
    model = Translator(settings, WORDS, WORDS)

    def forward() -> torch.Tensor:
        """Word by word, as the model is defined."""
        encoded = model.encode(words)
        state = encoded.start
        first, context, _ = model.predict(state, encoded)
        logits = [first]
        for word in torch.split(words, 1, 1)[:-1]:
            state = model.advance(state, word, context, encoded)
            following, context, _ = model.predict(state, encoded)
            logits.append(following)
        return torch.cat(logits, 1)

    adds = multiply_adds(model) * LENGTH
    assert adds == pytest.approx(PASSES * millions(forward))
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        torch.autograd.backward(forward().sum())
    # Not exactly: nothing comes back to the zeros that the encoder starts from.
    assert adds * 2e6 == pytest.approx(counter.get_total_flops(), rel=0.05)


def test_the_yardstick_trains_on_what_search_predicts() -> None:
    """Step by step, and without the padding."""
    torch.manual_seed(1)
    model = Yardstick(WORDS, WORDS, 12, 16)
    source = torch.tensor([[5, 6, 7, 1], [8, 1, 0, 0]])
    target = torch.tensor([[9, 10, 1], [11, 1, 0]])
    read, state = model.encode(source)
    words, memory = model.start(state, 1)
    losses = []
    for step in range(3):
        logs, memory = model.write(words, memory, read)
        words = target[:, step : step + 1]
        losses.append(-logs[:, 0].gather(1, words)[words != 0])
    torch.testing.assert_close(model(source, target), torch.cat(losses).mean())


def test_batches_have_all_pairs_and_little_padding() -> None:
    pairs = made_up(100, WORDS)
    lengths = [len(side) for pair in pairs for side in pair]
    assert (min(lengths), max(lengths)) == (4, 50)
    assert {int(word) for pair in pairs for side in pair for word in side} <= {*range(3, 43)}
    [cut] = Task(100, WORDS, Recipe(8, 13, 13), torch.device("cpu"), 1).windows()
    words = sum(len(target) + 1 for _, target in pairs)
    assert sum(len(source) for source, _ in cut) == 100
    assert sum(int((side != 0).sum()) for batch in cut for side in batch) == sum(lengths) + 200
    assert sum(target.numel() for _, target in cut) < 1.2 * words


def test_models_are_as_large_as_the_yardstick_and_hardly_larger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("training.ready", lambda updater, *batch: updater)  # none is trained
    task = Task(16, 8000, Recipe(8, 2, 1), torch.device("cpu"), 1)
    first, _, *others = [make(task) for make in training.makers(["fp32"], task.device).values()]
    for each in others[:2]:
        assert 1 <= each.adds / first.adds < 1.02
        assert all(int(size) % 8 == 0 for size in each.sizes.split("/"))
    assert others[2].adds > first.adds
    assert others[2].sizes == "256/512/512/512"


#: What the toolkits print, report by report.
SPEEDS = {
    "joeynmt": ("python", "Step: 5, Batch Loss: 9.0, Tokens per Sec:     {}", [1, 2000, 2200]),
    "onmt": ("onmt_train", "Step 5/ 40; sents: 400; 777/{} tok/s; 3 sec;", [1, 3000, 3300]),
    "eole": ("eole", "Step 5/ 40; sents: 400; 777/{} tok/s; 3 sec;", [1, 4000, 4400]),
    "fairseq": ("fairseq-train", "train_inner | loss=9, wps={}, ups=0.5", [1, 5000, 5500]),
}


@pytest.fixture
def toolkits(tmp_path: Path) -> Path:
    """Programs that print what the toolkits print, each of another speed."""
    said = {
        name: (command, [line.format(speed) for speed in speeds])
        for name, (command, line, speeds) in SPEEDS.items()
    }
    return environments(tmp_path / "environments", said)


def test_toolkits_train_in_the_settings_of_the_yardstick(toolkits: Path, tmp_path: Path) -> None:
    found = peers(toolkits, 1, made_up(5, WORDS), WORDS, Recipe(2, 3, 1), tmp_path)
    assert len((tmp_path / "text.source").read_text().split("\n")) == 6
    assert [peer.name for peer in found] == ["JoeyNMT", "OpenNMT-py", "eole", "fairseq"]
    assert [peer.speeds() for peer in found] == [speeds for _, _, speeds in SPEEDS.values()]
    for peer in found:
        assert peer.version() == f"{peer.toolkit.package} 1.2 with torch 2.13.0"
        assert {*map(str, range(3, 43))} <= {*(peer.folder / "vocabulary").read_text().split()}
    joeynmt, onmt, eole = (
        yaml.safe_load((peer.folder / "config.yaml").read_text()) for peer in found[:3]
    )
    assert joeynmt["training"]["learning_rate"] == onmt["learning_rate"] == 0.001
    assert joeynmt["model"]["decoder"]["hidden_size"] == onmt["hidden_size"] == 512
    assert eole["model"]["encoder"]["encoder_type"] == onmt["encoder_type"] == "brnn"
    for each in (onmt, eole):
        assert each["data"]["corpus"]["path_tgt"] == str(tmp_path / "text.target")
    program(toolkits / "eole/bin/eole", "nothing")
    with pytest.raises(SystemExit, match="eole reported no speed:\nnothing"):
        found[2].speeds()
    program(toolkits / "onmt/bin/onmt_train", "no such option", status=2)
    with pytest.raises(SystemExit, match="onmt_train failed:\nno such option"):
        found[1].speeds()


def test_the_page_has_a_row_for_each(
    toolkits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"YARDSTICK_SIZES": (8, 16), "PAPERS": {"paper": SMALL}, "PAPER_WORDS": WORDS}
    small["MODELS"] = {"scaled": SMALL, "same": replace(SMALL, cell="lstm")}
    for name, value in small.items():
        monkeypatch.setattr(training, name, value)
    forked = multiprocessing.get_context("fork")  # which need not load torch
    monkeypatch.setattr(training, "get_context", lambda method: forked)
    quick = {"pairs": 12, "words": WORDS, "batch_size": 4, "updates": 3, "report": 1}
    out = tmp_path / "page.md"
    training.main(**quick, rounds=2, threads=1, environments=toolkits, bf16=True, out=out)
    page = out.read_text()
    assert "3 updates with a report every 1, 1 threads; joeynmt 1.2 with torch 2.13.0; " in page
    for name in ("plain PyTorch", "plain PyTorch, memory as in contextnmt"):
        assert f"| {name} | 8/16 |" in page
    for name in ("scaled", "scaled, bf16", "same", "same, bf16", "paper", "paper, bf16"):
        assert f"| {name} | " in page
    assert re.search(r"\| JoeyNMT \|  \|  \| 2,100 \| [\d.]+ \| 0.40 \|", page)
    assert re.search(r"\| fairseq \|  \|  \| 5,250 \| [\d.]+ \| 1.00 \|", page)
    assert "GPU memory" not in page
