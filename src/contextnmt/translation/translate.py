"""The stage `translate`: texts of one view, by one model, with beams of several widths."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import torch
import typer
from safetensors.torch import load_file

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, write_lines
from contextnmt.model.device import choose_device
from contextnmt.model.settings import model_settings
from contextnmt.model.translator import PADDING, Translator
from contextnmt.progress import progress
from contextnmt.text.vocabulary import EOS, UNK, Vocabulary
from contextnmt.translation.beam import Hypothesis, beam_search

#: What an unknown word becomes in a translation (A20): it matches no word of a reference.
UNKNOWN = "UNK"

#: Hypotheses that a batch holds at most; wide beams get fewer sentences.
HYPOTHESES = 1200


def translate(
    model: Annotated[Path, typer.Option(help="folder that `contextnmt train` wrote")],
    text: Annotated[list[Path], typer.Option(help="source text in the model's view; repeatable")],
    beam: Annotated[list[int], typer.Option(help="beam width; repeatable", min=1)],
    out: Annotated[
        list[Path], typer.Option(help="translation; one for each text and width, texts outermost")
    ],
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    threads: Annotated[int, typer.Option(help="threads of torch on the CPU")] = 1,
) -> None:
    """Translate texts by beam search. Writes the tokens of the view, one sentence a line.

    Unknown words are written as UNK; an empty line stays empty.

    Example: contextnmt translate --model model --text test.en.gz --beam 1 --beam 12
    --out test.beam1.gz --out test.beam12.gz
    """
    if len(out) != len(text) * len(beam):
        raise UserError(
            f"{len(text)} --text and {len(beam)} --beam need {len(text) * len(beam)} --out, "
            f"not {len(out)}"
        )
    torch.set_num_threads(threads)
    translator = SavedTranslator(model, choose_device(device))
    names = iter(out)
    for path in text:
        sentences = [line.split() for line in read_lines(path)]
        for width in beam:
            write_lines(next(names), translator.translate(sentences, width, path.name))


class SavedTranslator:
    """A trained model with its vocabularies, ready to translate sentences of its view."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        """Load the folder that `contextnmt train` wrote. Raises UserError if a file is missing."""
        weights = folder / "model.safetensors"
        if not weights.is_file():
            raise UserError(f"{weights}: no such file; run `contextnmt train` first")
        self.source = Vocabulary.read(folder / "vocabulary.source.tsv")
        self.target = Vocabulary.read(folder / "vocabulary.target.tsv")
        settings = model_settings(read_json(folder / "model.json")["model"])
        self.model = Translator(settings, len(self.source), len(self.target))
        self.model.load_state_dict(load_file(weights))
        self.model.to(device).eval()
        self.device = device

    def translate(self, sentences: list[list[str]], width: int, name: str) -> list[str]:
        """One translation a sentence, in order."""
        translations = [""] * len(sentences)
        batches = list(self._batches(sentences, max(1, HYPOTHESES // width)))
        for numbers in progress(batches, f"{name}, beam {width}", "batches", len(batches)):
            hypotheses = beam_search(
                self.model, self._padded([sentences[n] for n in numbers]), width, EOS
            )
            for number, hypothesis in zip(numbers, hypotheses, strict=True):
                translations[number] = " ".join(self._words(hypothesis))
        return translations

    def _batches(self, sentences: list[list[str]], size: int) -> Iterator[list[int]]:
        """Numbers of the sentences that hold words, longest first (memory fails at once)."""
        numbers = [number for number, words in enumerate(sentences) if words]
        numbers.sort(key=lambda number: -len(sentences[number]))
        for start in range(0, len(numbers), size):
            yield numbers[start : start + size]

    def _padded(self, sentences: list[list[str]]) -> torch.Tensor:
        """Source ids [sentences, longest + 1], each ended by end-of-sentence."""
        ids = [[*self.source.encode(words), EOS] for words in sentences]
        padded = torch.full((len(ids), max(map(len, ids))), PADDING)
        for row, line in enumerate(ids):
            padded[row, : len(line)] = torch.tensor(line)
        return padded.to(self.device)

    def _words(self, hypothesis: Hypothesis) -> list[str]:
        decoded = self.target.decode(hypothesis.ids)
        return [
            UNKNOWN if number == UNK else word
            for number, word in zip(hypothesis.ids, decoded, strict=True)
        ]
