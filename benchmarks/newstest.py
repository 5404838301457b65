"""How long a text of the size of newstest takes to translate: part of decoding.py."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from contestants import clock, sizes_of
from pages import table
from safetensors.torch import save_file
from training import MEMORY, PAPER_WORDS, PAPERS, named

from contextnmt.configuration.model import ModelSettings
from contextnmt.files import write_json
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, SPECIALS, Vocabulary
from contextnmt.translation.beam import Search
from contextnmt.translation.saved import Precision, SavedTranslator

#: Sentences of the text, as in newstest2013 and newstest2014; translated before the clock runs.
SENTENCES, WARM = 3000, 40

HEAD = ["", "sizes", "seconds", "sentences/s"]

NOTES = """
Models in the sizes of the papers, with random weights, translate a text of the size of newstest
once, as the stage `translate` does: read from their files, sentences of like length in a batch,
longest first. Made-up sentences as above; every translation is as long as its source, end of the
sentence included. Sizes: embedding, hidden state, alignment if there is one, maxout. Seconds: of
the whole text, without reading the model.
"""

#: Words of a sentence.
Sentence = Sequence[str]


class Took(NamedTuple):
    """The seconds of a text; tensors on the GPU meanwhile, in MB."""

    seconds: float
    memory: int


class Measured(SavedTranslator):
    """A model whose translations are as long as their sources, whatever it says."""

    @torch.inference_mode()
    def translate(self, sentences: Sequence[Sentence], width: int) -> None:
        """Search for the likeliest translation of each sentence."""
        for _, source in self._batches(sentences, width, ""):
            search = Search(self.ensemble, source, width, EOS, None, best=True)
            lengths = search.longest // 3
            search.shortest, search.longest = lengths, lengths
            search.run()

    def took(self, sentences: Sequence[Sentence], width: int) -> Took:
        """What it takes to translate them."""
        on_gpu = self.device.type == "cuda"
        self.translate(sentences[:WARM], width)
        if on_gpu:
            torch.cuda.reset_peak_memory_stats(self.device)
        started = clock(self.device)
        self.translate(sentences, width)
        seconds = clock(self.device) - started
        return Took(seconds, torch.cuda.max_memory_allocated(self.device) >> 20 if on_gpu else 0)


def save(settings: ModelSettings, words: Vocabulary, folder: Path) -> Path:
    """A model of random weights in the files of `contextnmt train`, with these words a side."""
    torch.manual_seed(1)
    model = Translator(settings, len(words), len(words))
    save_file(model.state_dict(), folder / "model.safetensors")
    write_json(folder / "model.json", {"model": asdict(settings)})
    for side in ("source", "target"):
        words.write(folder / f"vocabulary.{side}.tsv", dict.fromkeys(words.words, 1))
    return folder


def newstest(
    texts: Callable[[int, int], list[list[int]]],
    width: int,
    precisions: dict[str, Precision],
    device: torch.device,
) -> Iterator[str]:
    """The lines of the table that tells how long a text takes, in precisions by name.

    `texts` makes so many sentences of so many ids, which end each; nothing else is on the GPU.
    """
    vocabulary = Vocabulary([str(number) for number in range(len(SPECIALS), ids())])
    sentences = [list(map(str, each[:-1])) for each in texts(SENTENCES, ids())]
    head = [*HEAD, *[MEMORY] * (device.type == "cuda")]
    rows = []
    for name, precision in precisions.items():
        for paper, settings in PAPERS.items():
            with TemporaryDirectory() as folder:
                saved = save(settings, vocabulary, Path(folder))
                model = Measured([saved], device, precision)
            took = model.took(sentences, width)
            speed = f"{len(sentences) / took.seconds:.2f}"
            row = [named(paper, name), sizes_of(settings), f"{took.seconds:,.1f}", speed]
            rows.append([*row, f"{took.memory:,}"][: len(head)])
            del model  # its memory is not the next one's
    yield f"{len(sentences):,} sentences, {ids():,} words (ids) a side, beam {width}."
    yield from ("", " ".join(NOTES.split()), "")
    yield from table(head, rows, words=2)


def ids() -> int:
    """How many ids the papers' models know, on either side."""
    return PAPER_WORDS + len(SPECIALS)
