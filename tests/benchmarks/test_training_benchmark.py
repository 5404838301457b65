"""benchmarks/training.py: what it counts, how it reads logs, and a page of small models."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import training
import typer
from made_up_pairs import Batch, batches, counted, made_up, target_words
from multiply_adds import PASSES, of_translator, of_yardstick
from peers import TOOLKITS, Recipe, peers, write_corpus
from torch.utils.flop_counter import FlopCounterMode
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


def adds(call: Callable[[], object]) -> int:
    """The multiply-adds of matrix products in a call, those of LSTMs too."""
    with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
        call()
    return int(counter.get_total_flops()) // 2


def full(sentences: int, source: int, target: int) -> Batch:
    """A batch without padding."""
    return Batch(torch.full((sentences, source), 3), torch.full((sentences, target), 4))


@pytest.mark.parametrize("name", MODELS)
def test_multiply_adds_are_those_of_the_model(name: str) -> None:
    batch = full(4, 9, 12)
    torch.manual_seed(1)
    model = Translator(MODELS[name], WORDS, WORDS)

    def forward() -> torch.Tensor:
        """Word by word, as the model is defined."""
        encoded = model.encode(batch.source)
        state, words = encoded.start, torch.split(batch.target, 1, 1)
        first, context, _ = model.predict(state, encoded)
        logits = [first]
        for word in words[:-1]:
            state = model.advance(state, word, context, encoded)
            following, context, _ = model.predict(state, encoded)
            logits.append(following)
        return torch.cat(logits, 1)

    expected = of_translator(MODELS[name], WORDS, counted([batch]))
    assert adds(forward) == expected
    executed = adds(lambda: torch.autograd.backward(forward().sum()))
    # Not exactly: nothing comes back to the zeros that the encoder starts from.
    assert PASSES * expected == pytest.approx(executed, rel=0.05)


def test_multiply_adds_are_those_of_the_yardstick() -> None:
    batch = full(4, 9, 12)
    model = Yardstick(WORDS, WORDS, 12, 16)
    expected = of_yardstick(12, 16, WORDS, counted([batch]))
    assert adds(lambda: model(*batch)) == expected
    executed = adds(lambda: torch.autograd.backward(model(*batch)))
    assert PASSES * expected == pytest.approx(executed, rel=0.05)


def test_the_yardstick_trains_on_what_search_predicts() -> None:
    """Step by step, and without the padding."""
    torch.manual_seed(1)
    model = Yardstick(WORDS, WORDS, 12, 16)
    source = torch.tensor([[5, 6, 7, 1], [8, 1, 0, 0]])
    target = torch.tensor([[9, 10, 1], [11, 1, 0]])
    read = model.encode(source)
    words, *memory = model.start(*read, 1)
    losses = []
    for step in range(3):
        logs, *memory = model.write(words, *memory, *read[:3])
        words = target[:, step : step + 1]
        losses.append(-logs[:, 0].gather(1, words)[words != 0])
    torch.testing.assert_close(model(source, target), torch.cat(losses).mean())


def test_batches_have_all_pairs_and_little_padding() -> None:
    pairs = made_up(100, WORDS)
    lengths = [len(side) for pair in pairs for side in pair]
    assert (min(lengths), max(lengths)) == (4, 50)
    assert {int(word) for pair in pairs for side in pair for word in side} <= {*range(3, 43)}
    cut = batches(pairs, 8, torch.device("cpu"))
    text = counted(cut)
    assert text.sentences == 100
    assert text.source + text.target == sum(lengths) + 200
    assert text.target == target_words(cut)
    assert text.places == sum((len(x) + 1) * (len(y) + 1) for x, y in pairs)
    assert sum(batch.target.numel() for batch in cut) < 1.2 * text.target


def test_hours_are_those_of_all_rows() -> None:
    window = [full(2, 9, 12), full(4, 5, 6)]  # 24 target words a batch
    speeds = {"baseline (Choi et al.)": 24.0, "with context (Choi et al.)": 12.0}
    updates = 2 * 100_000
    expected = (3 * updates + 4 * 2 * updates) / 3600
    assert training.hours_of_table_4(speeds, window) == pytest.approx(expected)


def test_models_are_as_large_as_the_yardstick_and_hardly_larger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("contestants.ready", lambda updater, *batch: updater)  # none is trained
    asked = training.Asked(8000, Recipe(8, 2, 1), 1, ["fp32", "bf16"], torch.device("cpu"), 1)
    makers = training.contestants(asked, batches(made_up(16, 8000), 8, asked.device))
    first, settled, *others = [make() for make in makers.values()]
    assert settled[1:] == first[1:]
    assert [each.precision for each in others] == ["fp32", "bf16"] * 3
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
    (tmp_path / "corpus").mkdir()
    corpus = write_corpus(tmp_path / "corpus", made_up(5, WORDS), WORDS)
    assert len(corpus.text("source").read_text().split("\n")) == 6
    assert corpus.vocabulary.read_text().split() == [str(number) for number in range(3, 43)]
    found = peers(environments, 1, corpus, Recipe(2, 3, 1), tmp_path)
    assert [peer.name for peer in found] == ["JoeyNMT", "OpenNMT-py", "eole", "fairseq"]
    assert [peer.speeds() for peer in found] == list(SPEEDS.values())
    for peer in found:
        assert peer.version() == f"{peer.package} 1.2 with torch 2.13.0"
    program(environments / "eole" / "bin" / "eole", "echo nothing")
    with pytest.raises(SystemExit, match="eole reported no speed:\nnothing"):
        found[2].speeds()
    program(environments / "onmt" / "bin" / "onmt_train", "echo no such option; exit 2")
    with pytest.raises(SystemExit, match="onmt_train failed:\nno such option"):
        found[1].speeds()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Small models; options of a quick run."""
    monkeypatch.setattr(training, "YARDSTICK_SIZES", (8, 16))
    monkeypatch.setattr(training, "PROPORTIONS", {"scaled": SMALL})
    monkeypatch.setattr(training, "SAME_SIZES", {"same": replace(SMALL, cell="lstm")})
    monkeypatch.setattr(training, "PAPERS", {"paper": SMALL})
    monkeypatch.setattr(training, "PAPER_WORDS", WORDS)
    monkeypatch.setattr(training, "TABLE_4", {"paper": 7})
    monkeypatch.setattr("roofline.SIDES", {"cpu": 64})
    sizes = {"pairs": 12, "words": WORDS, "batch_size": 4, "updates": 3, "report": 1}
    return {**sizes, "rounds": 2, "threads": 1}


def test_the_page_has_a_row_for_each(small: dict, environments: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.md"
    training.main(**small, environments=environments, bf16=True, out=out)
    page = out.read_text()
    options = "--pairs 12 --words 40 --batch-size 4 --updates 3 --report 1 --rounds 2 --bf16"
    assert f"`python benchmarks/training.py --threads 1 {options} --peers peers`" in page
    assert "3 updates with a report every 1, 1 threads; joeynmt 1.2 with torch 2.13.0; " in page
    for name in ("plain PyTorch", "plain PyTorch, memory as in contextnmt"):
        assert f"| {name} | 8/16 |" in page
    for name in ("scaled", "scaled, bf16", "same", "same, bf16", "paper", "paper, bf16"):
        assert f"| {name} | " in page
    assert re.search(r"\| JoeyNMT \|  \|  \| 2,100 \| [\d.]+ \| 0.40 \|", page)
    assert re.search(r"\| fairseq \|  \|  \| 5,250 \| [\d.]+ \| 1.00 \|", page)
    assert re.search(
        r" has 14 trainings, .* 100,000 of each, .*: [\d,]+ in fp32, [\d,]+ in bf16", page
    )
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
