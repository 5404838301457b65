"""Trained models with their vocabularies, ready to translate sentences of their view."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch.nn.utils.rnn import pad_sequence

from contextnmt.configuration.model import ModelSettings, recorded_settings
from contextnmt.configuration.values import MINIMUM_LENGTH
from contextnmt.errors import UserError
from contextnmt.files import below, check_recorded, read_json
from contextnmt.model.attention import Attention
from contextnmt.model.translator import PADDING, Translator
from contextnmt.progress import progress
from contextnmt.text.vocabulary import EOS, UNK, UNKNOWN, Vocabulary
from contextnmt.translation.alignment_file import Weights
from contextnmt.translation.beam import beam_search
from contextnmt.translation.ensemble import Ensemble, attention_weights
from contextnmt.translation.hypothesis import Hypothesis

#: Most hypotheses of a batch, by device; wide beams get fewer sentences. More of them share the
#: fixed cost of a step, but take memory and padding.
HYPOTHESES = {"cpu": 960, "cuda": 6000}

#: Most source symbols of a batch, padding and ends of sentences included; a longer sentence is a
#: batch of its own. Each takes 38 KB at the sizes of the papers (620 / 1000 / 2000): 0.6 GB on a
#: CPU, 5 GB on a GPU. Alignment adds 8 bytes for each symbol of a translation, which has at most
#: three times as many.
POSITIONS = {"cpu": 2**14, "cuda": 2**17}


#: Advice about a folder that is damaged.
AGAIN = "copy the folder again, or train again"


class Precision(StrEnum):
    """In how many bits search multiplies the factors of matrix products (A46); all else has 32."""

    FP32 = "fp32"
    BF16 = "bf16"


class SavedTranslator:
    """One model, or an ensemble of several, with the vocabularies that they share."""

    def __init__(
        self,
        folders: Sequence[Path],
        device: torch.device,
        precision: Precision = Precision.FP32,
        alignments: bool = False,
        minimum_length: float = MINIMUM_LENGTH,
    ) -> None:
        """Load folders of `contextnmt train`, one at least; see `set_precision`.

        `minimum_length` is as for `beam_search`.

        Raises UserError as `read_vocabularies` and `load_model`, if the words of two models differ,
        or if `alignments` are wanted and a model has no attention.
        """
        vocabularies = self.source, self.target = read_vocabularies(folders[0])
        words = [each.words for each in vocabularies]
        for folder in folders[1:]:
            if [each.words for each in read_vocabularies(folder)] != words:
                raise UserError(
                    f"{folder}: its vocabularies are not those of {folders[0]}: an ensemble "
                    "is of models that were trained on the same ids, such as seeds of a system"
                )
        self.device, self.minimum_length = torch.device(device), minimum_length
        set_precision(precision, self.device)
        models = [load_model(folder, *vocabularies).to(self.device) for folder in folders]
        self.ensemble = Ensemble(models, in_bfloat16(precision, self.device))
        for folder, model in zip(folders, models, strict=True):
            if alignments and not isinstance(model.attention, Attention):
                raise UserError(f"{folder}: a model without attention: leave out --alignments")

    def search(
        self,
        sentences: Sequence[Sequence[str]],
        width: int,
        name: str,
        no_unknown: bool = False,
        every: bool = False,
    ) -> list[list[Hypothesis]]:
        """The likeliest translation of each sentence, in order; of one without words, none.

        With `every`, all that its beam ends, best first. With `no_unknown` none has an unknown word
        (spec sec. 2.8). `name` is for the progress bar; without a name there is none.
        """
        found: list[list[Hypothesis]] = [[] for _ in sentences]
        forbidden = UNK if no_unknown else None
        for numbers, source in self._batches(sentences, width, name):
            lists = beam_search(
                self.ensemble, source, width, EOS, forbidden, every, self.minimum_length
            )
            for number, hypotheses in zip(numbers, lists, strict=True):
                found[number] = hypotheses
        return found

    def align(
        self, sentences: Sequence[Sequence[str]], found: Sequence[Sequence[Hypothesis]], name: str
    ) -> list[Weights]:
        """Attention weights of the first translation that `search` found for each sentence.

        They are [0, 0] where it is missing, or empty and not finished. The models need attention.
        """
        targets = [
            [*hypotheses[0].ids, *[EOS] * hypotheses[0].finished] if hypotheses else []
            for hypotheses in found
        ]
        aligned: list[Weights] = [np.empty((0, 0), np.float32)] * len(targets)
        kept = [words if ids else [] for words, ids in zip(sentences, targets, strict=True)]
        for numbers, source in self._batches(kept, 1, name):
            weights = attention_weights(self.ensemble, source, [targets[n] for n in numbers])
            for number, matrix in zip(numbers, weights, strict=True):
                aligned[number] = matrix
        return aligned

    def text(self, hypothesis: Hypothesis) -> str:
        """The words of a translation, unknown ones as `UNKNOWN`."""
        decoded = self.target.decode(hypothesis.ids)
        return " ".join(
            UNKNOWN if number == UNK else word
            for number, word in zip(hypothesis.ids, decoded, strict=True)
        )

    def _batches(
        self, sentences: Sequence[Sequence[str]], width: int, name: str
    ) -> Iterator[tuple[list[int], torch.Tensor]]:
        """Numbers of the sentences that hold words and their ids [sentences, longest + 1], ended by
        end-of-sentence; longest first (memory fails at once). A bar shows them going by."""
        numbers = [number for number, words in enumerate(sentences) if words]
        numbers.sort(key=lambda number: -len(sentences[number]))
        batches, start = [], 0
        while start < len(numbers):
            longest = len(sentences[numbers[start]]) + 1
            kind = self.device.type
            size = max(1, min(HYPOTHESES[kind] // width, POSITIONS[kind] // longest))
            batches.append(numbers[start : start + size])
            start += size
        shown = progress(batches, name, "batches", len(batches)) if name else iter(batches)
        for batch in shown:
            ids = [torch.tensor([*self.source.encode(sentences[n]), EOS]) for n in batch]
            padded = pad_sequence(ids, batch_first=True, padding_value=PADDING)
            yield batch, padded.to(self.device)


def read_vocabularies(folder: Path) -> tuple[Vocabulary, Vocabulary]:
    """Source and target words of a model. Raises UserError if the folder does not have them."""
    if not (folder / "model.safetensors").is_file():
        raise UserError(
            f"{folder / 'model.safetensors'}: no such file; run `contextnmt train` first"
        )
    source, target = (folder / f"vocabulary.{side}.tsv" for side in ("source", "target"))
    return Vocabulary.read(source), Vocabulary.read(target)


def read_settings(folder: Path) -> ModelSettings:
    """The settings of the model in a folder. Raises UserError if model.json does not have them."""
    told = folder / "model.json"
    block = below(read_json(told), "model")
    if not isinstance(block, dict):
        raise UserError(f"{told}: no settings of a model in it: {AGAIN}")
    try:
        return recorded_settings(block)
    except UserError as error:
        raise UserError(f"{told}: {error}") from None


def load_model(folder: Path, source: Vocabulary, target: Vocabulary) -> Translator:
    """The model in a folder that `contextnmt train` wrote, of words that `read_vocabularies` read.

    Weights in bfloat16 become float32.

    Raises UserError if a file is missing or damaged, if they are of several trainings, or if a
    weight is not finite.
    """
    path, told = folder / "model.safetensors", folder / "model.json"
    record, settings = read_json(told), read_settings(folder)
    check_recorded(path, told, "weights_sha256")
    for side, words in (("source", source), ("target", target)):
        recorded = below(record, "data", "manifest", "vocabulary", side, "sha256")
        if recorded not in (None, words.sha256):
            place = folder / f"vocabulary.{side}.tsv"
            raise UserError(f"{place}: not the words that {told} names: {AGAIN}")
    try:
        weights = load_file(path)
    except SafetensorError as error:
        raise UserError(f"{path}: damaged ({error}): {AGAIN}") from None
    # `contextnmt export --half` writes bfloat16.
    weights = {k: w.float() if w.dtype == torch.bfloat16 else w for k, w in weights.items()}
    with torch.device("meta"):  # without memory: damaged settings may name any sizes
        expected = Translator(settings, len(source), len(target)).state_dict()
    kinds, found = (
        {name: (tensor.shape, tensor.dtype) for name, tensor in each.items()}
        for each in (expected, weights)
    )
    if kinds != found:
        name = next(name for name in {**kinds, **found} if kinds.get(name) != found.get(name))
        raise UserError(
            f"{path}: {name} does not fit the settings in {told} and the words beside it: they are "
            f"of several trainings: {AGAIN}"
        )
    if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
        raise UserError(f"{path}: not all weights are finite: the training failed, repeat it")
    model = Translator(settings, len(source), len(target))
    model.load_state_dict(weights)
    return model


#: Instructions that multiply bfloat16, by their names in torch: of x86, and of ARM.
INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16")


def set_precision(precision: Precision, device: torch.device) -> None:
    """Let matrix products on a GPU round their factors to TF32 with `bf16`, in the whole process.

    For a CPU see `in_bfloat16`.
    """
    if device.type == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = precision is Precision.BF16


def in_bfloat16(precision: Precision, device: torch.device) -> bool:
    """Whether search keeps its matrices in bfloat16: on request, on a CPU that multiplies it.

    Another CPU would take longer than in 32 bits.
    """
    if precision is not Precision.BF16 or device.type != "cpu":
        return False
    able = torch.cpu.get_capabilities()  # which torch uses by way of oneDNN alone
    has_onednn: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return has_onednn and any(able.get(name) for name in INSTRUCTIONS)
