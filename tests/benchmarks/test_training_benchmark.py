"""benchmarks/training.py: what it counts, how it reads logs, and a page of small models."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import training
import typer
import yaml
from peers import TOOLKITS, Recipe, peers
from speed import LENGTH, made_up, millions
from torch.utils.flop_counter import FlopCounterMode
from training import PASSES, Task, multiply_adds
from yardstick import Yardstick

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.model.translator import Translator

WORDS = 40
SMALL = ModelSettings(12, 16, 20, 10, cell="gru")
MODELS = {
    "RNNsearch": SMALL,
    "RNNsearch with a rank": replace(SMALL, readout_rank=3),
    "RNNencdec": replace(SMALL, attention=False),
    "LSTM": replace(SMALL, cell="lstm"),
    "with context": replace(SMALL, cell="lstm", contextualizer=ContextualizerSettings((7, 5))),
    "with context, shared table": replace(
        SMALL, cell="lstm", contextualizer=ContextualizerSettings((7, 5), table="shared")
    ),
}

#: What torch says when LSTMs are told to consist of products that can be counted.
pytestmark = pytest.mark.filterwarnings("ignore:TF32 acceleration on top of oneDNN")


@pytest.mark.parametrize("name", MODELS)
def test_multiply_adds_are_those_of_the_model(name: str) -> None:
    words = torch.full((1, LENGTH), 3)
    torch.manual_seed(1)
    model = Translator(MODELS[name], WORDS, WORDS)

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


def test_multiply_adds_of_an_lstm_are_counted() -> None:
    m, n, time = 12, 16, 5
    model = torch.nn.LSTM(m, n, batch_first=True)
    found = millions(lambda: model(torch.zeros(1, time, m)))
    assert found * 1e6 == pytest.approx(time * 4 * n * (m + n))


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
    makers = training.makers(["fp32", "bf16"], task.device)
    first, settled, *others = [make(task) for make in makers.values()]
    assert settled[1:] == first[1:]
    assert len(others) == 6
    for each in others[:4]:
        assert 1 <= each.adds / first.adds < 1.02
        assert all(int(size) % 8 == 0 for size in each.sizes.split("/"))
    assert others[4].adds > first.adds
    assert others[4].sizes == "256/512/512/512"


# What the commands of the toolkits print, and as what they are called.
LOGS = {
    "joeynmt": ("python", "Epoch 1, Step: 5, Batch Loss: 9.0, Tokens per Sec:     {}, Lr: 0.001"),
    "onmt": ("onmt_train", "Step 5/ 40; acc: 0.0; lr: 0.001; sents: 400; 777/{} tok/s; 3 sec;"),
    "eole": ("eole", "Step 5/ 40; acc: 0.0; lr: 0.001; sents: 400; 777/{} tok/s; 3 sec;"),
    "fairseq": ("fairseq-train", "train_inner | epoch 001: 5 / 63 loss=9, wps={}, ups=0.5"),
}
#: What they print there, report by report.
SPEEDS = {
    "joeynmt": [1, 2000, 2200],
    "onmt": [1, 3000, 3300],
    "eole": [1, 4000, 4400],
    "fairseq": [1, 5000, 5500],
}


def program(path: Path, lines: str) -> None:
    """A shell script in the place of a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


@pytest.fixture
def environments(tmp_path: Path) -> Path:
    """Programs that print what the toolkits print, each of another speed."""
    for name, (command, line) in LOGS.items():
        folder = tmp_path / "environments" / name / "bin"
        program(folder / "fairseq-preprocess", "exit 0")
        windows = [f"echo '{line.format(speed)}'" for speed in SPEEDS[name]]
        program(folder / "python", "echo 1.2 2.13.0")
        said = "\n".join(windows)
        if command == "python":
            said = f"case $1 in -c) echo 1.2 2.13.0;; *) {'; '.join(windows)};; esac"
        program(folder / command, said)
    return tmp_path / "environments"


def test_speeds_are_read_from_logs(environments: Path, tmp_path: Path) -> None:
    found = peers(environments, 1, made_up(5, WORDS), WORDS, Recipe(2, 3, 1), tmp_path)
    assert len((tmp_path / "text.source").read_text().split("\n")) == 6
    assert [peer.name for peer in found] == ["JoeyNMT", "OpenNMT-py", "eole", "fairseq"]
    assert [peer.speeds() for peer in found] == list(SPEEDS.values())
    for peer in found:
        assert peer.version() == f"{peer.toolkit.package} 1.2 with torch 2.13.0"
        words = [str(number) for number in range(3, 43)]
        assert (peer.folder / "vocabulary").read_text().split()[-1] in (words[-1], "1")
        assert set(words) <= set((peer.folder / "vocabulary").read_text().split())
    program(environments / "eole" / "bin" / "eole", "echo nothing")
    with pytest.raises(SystemExit, match="eole reported no speed:\nnothing"):
        found[2].speeds()
    program(environments / "onmt" / "bin" / "onmt_train", "echo no such option; exit 2")
    with pytest.raises(SystemExit, match="onmt_train failed:\nno such option"):
        found[1].speeds()


def test_settings_are_those_of_the_yardstick(environments: Path, tmp_path: Path) -> None:
    joeynmt, onmt, eole, _ = peers(
        environments, 1, made_up(5, WORDS), WORDS, Recipe(2, 3, 1), tmp_path
    )
    for peer in (joeynmt, onmt, eole):
        peer.learn()
    read = [yaml.safe_load((p.folder / "config.yaml").read_text()) for p in (joeynmt, onmt, eole)]
    assert read[0]["training"]["learning_rate"] == read[1]["learning_rate"] == 0.001
    assert read[0]["model"]["decoder"]["hidden_size"] == read[1]["hidden_size"] == 512
    assert read[2]["model"]["encoder"]["encoder_type"] == read[1]["encoder_type"] == "brnn"
    assert read[2]["training"]["learning_rate"] == 0.001
    for each in read[1:]:
        assert each["data"]["corpus"]["path_tgt"] == str(tmp_path / "text.target")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Small models; options of a quick run."""
    monkeypatch.setattr(training, "YARDSTICK_SIZES", (8, 16))
    models = {"scaled": SMALL, "same": replace(SMALL, cell="lstm")}
    monkeypatch.setattr(training, "MODELS", models)
    monkeypatch.setattr(training, "PAPERS", {"paper": SMALL})
    monkeypatch.setattr(training, "PAPER_WORDS", WORDS)
    sizes = {"pairs": 12, "words": WORDS, "batch_size": 4, "updates": 3, "report": 1}
    return {**sizes, "rounds": 2, "threads": 1}


def test_the_page_has_a_row_for_each(small: dict, environments: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.md"
    training.main(**small, environments=environments, bf16=True, out=out)
    page = out.read_text()
    assert "3 updates with a report every 1, 1 threads; joeynmt 1.2 with torch 2.13.0; " in page
    for name in ("plain PyTorch", "plain PyTorch, memory as in contextnmt"):
        assert f"| {name} | 8/16 |" in page
    for name in ("scaled", "scaled, bf16", "same", "same, bf16", "paper", "paper, bf16"):
        assert f"| {name} | " in page
    assert re.search(r"\| JoeyNMT \|  \|  \| 2,100 \| [\d.]+ \| 0.40 \|", page)
    assert re.search(r"\| fairseq \|  \|  \| 5,250 \| [\d.]+ \| 1.00 \|", page)
    assert "GPU memory" not in page


def test_the_toolkits_are_optional(small: dict, environments: Path, tmp_path: Path) -> None:
    training.main(**small, out=tmp_path / "page.md")
    assert "| plain PyTorch | 8/16 |" in (tmp_path / "page.md").read_text()
    for name in TOOLKITS:
        (environments / name).rename(tmp_path / name)
    with pytest.raises(typer.BadParameter, match="holds none of"):
        training.main(**small, environments=environments)


def test_a_device_that_there_is_not_is_refused(small: dict) -> None:
    with pytest.raises(typer.BadParameter, match="--device: device 'gpu': choose from cpu, cuda"):
        training.main(**small, device="gpu")
