"""The dev texts: what is read of them, what they are known by, and what is refused."""

from pathlib import Path

import pytest
import torch

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.model.translator import Translator
from contextnmt.text.parts import LONGEST
from contextnmt.text.restore import restore_tokens
from contextnmt.text.vocabulary import EOS, UNK, Vocabulary
from contextnmt.training import validation
from contextnmt.training.validation import Restored, Validation, read_dev

SOURCE, TARGET = Vocabulary(["the", "cat"]), Vocabulary(["la", "chat@@", "te"])
TEXT = [("the cow", "la vache"), ("", ""), ("a cat the", "la chat@@ te")]


def written(folder: Path, name: str, pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    paths = folder / f"{name}.en.gz", folder / f"{name}.fr"
    for number, path in enumerate(paths):
        write_lines(path, [pair[number] for pair in pairs])
    return paths


def texts(folder: Path, *several: list[tuple[str, str]]) -> tuple[list[Path], list[Path]]:
    files = [written(folder, f"dev{number}", pairs) for number, pairs in enumerate(several)]
    return [source for source, _ in files], [target for _, target in files]


def test_dev_texts_are_read_one_after_the_other(tmp_path: Path):
    ready = Validation(*texts(tmp_path, TEXT, [("cat", "chat@@ te la")]), SOURCE, TARGET)
    sentences = [ready.source.padded([row]).tolist()[0] for row in range(4)]
    assert sentences == [[3, UNK, EOS], [EOS], [UNK, 4, 3, EOS], [4, EOS]]
    assert ready.references == ["la vache", "", "la chatte", "chatte la"]


def test_what_is_translated_as_the_reference_is_scored_100(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Subwords joined, each sentence in its place, though the shorter ones are translated first."""
    long = [("the cat the cat", "la chat@@ te la la te"), ("the", "la"), ("cat", "chat@@ te te la")]
    ready = Validation(*texts(tmp_path, long), SOURCE, TARGET)
    answers = {(3, 4, 3, 4): long[0][1], (3,): long[1][1], (4,): long[2][1]}

    def greedy(self, source: torch.Tensor, end: int, minimum_length: float) -> torch.Tensor:
        rows = [tuple(i for i in row if i > UNK) for row in source.tolist()]
        ids = [[*TARGET.encode(answers[row].split()), end] for row in rows]
        return torch.tensor([each + [end] * (9 - len(each)) for each in ids])

    monkeypatch.setattr(Translator, "greedy", greedy)
    monkeypatch.setattr(validation, "BATCH", 2)
    model = Translator(ModelSettings(2, 2, 2, 2), len(SOURCE), len(TARGET))
    assert ready.bleu(model) == pytest.approx(100)
    answers[(4,)] = "la la la te"
    assert ready.bleu(model) < 90


def test_restored_words_are_of_other_sentences_than_the_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """BLEU reads symbols made from the source alone, the loss symbols made from both sides."""
    words = Vocabulary(["la", "<N>_1", "<N>_2"])
    fitting = texts(tmp_path, [("la la <N>_1", "la <N>_1"), ("la", "la")])
    restored = Restored(
        source=["<N>_2 la la", "<N>_1"],
        reference=["la 17 la 17 la", "la 3 la la"],
        surfaces=[{"<N>_2": "17"}, {"<N>_1": "3"}],
        restore=restore_tokens,
    )
    ready = Validation(*fitting, words, words, restored)
    answers = {5: "la <N>_2 la <N>_2 la <N>_1", 4: "la <N>_1 la <N>_2 la"}  # by the first word

    def greedy(self, source: torch.Tensor, end: int, minimum_length: float) -> torch.Tensor:
        ids = [[*words.encode(answers[row[0]].split()), end, end] for row in source.tolist()]
        return torch.tensor([each[:7] for each in ids])

    monkeypatch.setattr(Translator, "greedy", greedy)
    model = Translator(ModelSettings(2, 2, 2, 2), len(words), len(words))
    assert ready.bleu(model) == pytest.approx(100)
    assert ready.loss(model) == Validation(*fitting, words, words).loss(model)
    assert ready.text.keys() == {"pairs", "source", "target", "restored"}


def test_sides_of_different_length_are_refused_with_both_counts(tmp_path: Path):
    (source,), (target,) = texts(tmp_path, TEXT)
    write_lines(target, ["une"])
    with pytest.raises(UserError, match=r"dev0\.en\.gz has 3 lines and .*dev0\.fr has 1"):
        read_dev([source], [target])
    with pytest.raises(UserError, match="1 --dev-source and 0 --dev-target"):
        read_dev([source], [])


@pytest.mark.parametrize("pairs", [[], [("", "rien"), ("nothing", " ")]])
def test_dev_texts_without_a_pair_are_refused(tmp_path: Path, pairs: list[tuple[str, str]]):
    with pytest.raises(
        UserError, match=rf"dev0\.en\.gz, .*dev0\.fr: the dev text has {len(pairs)} sentence pairs"
    ):
        read_dev(*texts(tmp_path, pairs))


def test_a_dev_text_that_memory_is_not_meant_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(validation, "MOST_PAIRS", 3)
    assert len(read_dev(*texts(tmp_path, TEXT))) == 3
    with pytest.raises(UserError, match=r"dev1\.fr: more than 3 sentence pairs"):
        read_dev(*texts(tmp_path, TEXT, TEXT[:1]))


def test_the_loss_is_that_of_all_target_symbols_whatever_the_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ready = Validation(*texts(tmp_path, TEXT), SOURCE, TARGET)
    torch.manual_seed(1)
    model = Translator(ModelSettings(2, 2, 2, 2, dropout=0.5), len(SOURCE), len(TARGET))
    slowly = []
    for left, right in TEXT:
        ids = [
            [*side.encode(line.split()), EOS] for side, line in ((SOURCE, left), (TARGET, right))
        ]
        model.eval()
        slowly += model(*(torch.tensor([each]) for each in ids))[0].tolist()
    for sentences in (1, 2, 3):
        monkeypatch.setattr(validation, "SCORED", sentences)
        model.train()
        assert ready.loss(model) == pytest.approx(sum(slowly) / len(slowly))
        assert model.training
    assert len(slowly) == 3 + 1 + 4  # words of the sentences, and an end each


def test_gate_statistics_are_those_of_all_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(validation, "BATCH", 2)
    ready = Validation(*texts(tmp_path, TEXT), SOURCE, TARGET)
    settings = ModelSettings(9, 2, 2, 2, ContextualizerSettings((4, 2)))
    model = Translator(settings, len(SOURCE), len(TARGET))
    torch.manual_seed(1)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=3)
    expected = {}
    sentences = [torch.tensor([[*SOURCE.encode(left.split()), EOS]]) for left, _ in TEXT]
    for side, gates in enumerate(zip(*map(model.gates, sentences), strict=True)):
        values = torch.cat(gates).detach().double().numpy()
        name = ("source", "target")[side]
        expected[f"{name}_gate_mean"] = values.mean()
        expected[f"{name}_gate_open"] = (values > 0.95).mean()
        expected[f"{name}_gate_closed"] = (values < 0.05).mean()
        expected[f"{name}_gate_deviation"] = values.std(axis=0).mean()
    assert ready.gates(model) == pytest.approx(expected, abs=1e-5)
    assert all(0 < value < 1 for value in expected.values())


def test_a_long_line_is_translated_in_parts_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The largest batches are tried before the first update."""
    words, read = Vocabulary(["a", "b"]), []

    def greedy(self, source: torch.Tensor, end: int, minimum_length: float) -> torch.Tensor:
        read.append(tuple(source.shape))
        return source

    monkeypatch.setattr(Translator, "greedy", greedy)
    line = " ".join(["a", "b"] * LONGEST)
    second = [("a", "a"), (line, line), ("b a b b", "b a b b")]
    ready = Validation(*texts(tmp_path, [("a b b a b", "a b b a b")], second), words, words)
    said = capsys.readouterr().err
    assert f"dev1.en.gz, line 2: longer than {LONGEST} tokens, as are 1 of 4 lines" in said
    model = Translator(ModelSettings(2, 2, 2, 2), len(words), len(words))
    assert ready.bleu(model) == pytest.approx(100)
    assert max(length for _, length in read) == LONGEST + 1
    assert ready.source.lengths.max() == ready.target.lengths.max() == LONGEST
    read.clear()
    ready.rehearse(model)
    assert read == [(len(ready.sentences), LONGEST + 1)]
