"""Made-up text, multiply-adds, options and comparison of training.py and decoding.py."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated

import numpy as np
import numpy.typing as npt
import torch
import typer
from pages import made_by
from peers import Peer
from torch.utils.flop_counter import FlopCounterMode

from contextnmt.configuration.model import ModelSettings
from contextnmt.errors import UserError
from contextnmt.model.arithmetic import choose_device
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, SPECIALS

LOAD = os.getloadavg()[0]
YARDSTICK, FASTEST = "plain PyTorch", "the fastest toolkit"

#: Symbols of a made-up sentence in the mean, with its end.
LENGTH = 23

#: Options of both scripts.
Number = Annotated[int, typer.Option(min=1)]
Words = Annotated[int, typer.Option(help="of either side", min=1)]
Environments = Annotated[Path | None, typer.Option("--peers", help="folder of the toolkits' venvs")]
Bf16 = Annotated[bool, typer.Option("--bf16", help="also in bfloat16, on processors that have it")]
Tf32 = Annotated[bool, typer.Option("--tf32", help="also in TF32, on a GPU")]
Device = Annotated[str, typer.Option(help="cpu or cuda")]

NOTES = """
To plain PyTorch, to the fastest toolkit: the median of the rounds' ratios, to the toolkit that was
the fastest in the round. Plain PyTorch (`yardstick.py`): a bidirectional LSTM of 2x256, a decoder
of 512 with additive attention after the step and input feeding. The toolkits have models of the
same kind and sizes, but the attention of fairseq is bilinear, which is lighter.
"""

#: Ids of words, without the end of the sentence.
Sentence = npt.NDArray[np.int64]


def made_up(count: int, words: int) -> list[tuple[Sentence, Sentence]]:
    """Pairs of 4 to 50 words per side, log-normal, alike but for a tenth; words by Zipf's law."""
    rng = np.random.default_rng(1)
    source = rng.lognormal(3.0, 0.55, count)
    target = source * rng.lognormal(0.0, 0.1, count)
    shares = 1 / np.arange(1, words + 1)
    shares /= shares.sum()
    sides = []
    for each in (source, target):
        lengths = np.clip(each, 4, 50).astype(int)
        ids = rng.choice(words, lengths.sum(), p=shares) + len(SPECIALS)
        sides.append(np.split(ids, lengths.cumsum()[:-1]))
    return list(zip(*sides, strict=True))


def adds_of_parts(model: Translator) -> tuple[float, float, float]:
    """Multiply-adds to encode a sentence, to predict a word and to go on from it, in millions."""
    word = torch.full((1, 1), EOS)
    with torch.inference_mode():
        encoded = model.encode(word.expand(1, LENGTH))
        _, context, _ = model.predict(encoded.start, encoded)
    encode = millions(lambda: model.encode(word.expand(1, LENGTH)))
    predict = millions(lambda: model.predict(encoded.start, encoded))
    advance = millions(lambda: model.advance(encoded.start, word, context, encoded))
    return encode, predict, advance


def millions(call: Callable[[], object]) -> float:
    """The multiply-adds of matrix products in a call on the CPU, in millions."""
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")  # of oneDNN, without which LSTMs are products
        with torch.backends.mkldnn.flags(enabled=False), FlopCounterMode(display=False) as counter:
            call()
    return float(counter.get_total_flops()) / 2e6


def sizes_of(settings: ModelSettings) -> str:
    """Embedding, hidden state, alignment if there is one, maxout."""
    aligned = [settings.alignment] if settings.attention else []
    return "/".join(map(str, [settings.embedding, settings.hidden, *aligned, settings.maxout]))


def named(name: str, precision: str) -> str:
    """The name of a row."""
    return name if precision == "fp32" else f"{name}, {precision}"


def device_of(name: str, environments: Path | None) -> torch.device:
    """The device of --device. Raises BadParameter if it is not there, or has no --peers."""
    if environments and name != "cpu":
        raise typer.BadParameter("--peers: the toolkits run on the CPU alone")
    try:
        return choose_device(name)
    except UserError as error:
        raise typer.BadParameter(f"--device: {error}") from error


def about(asked: str, device: torch.device, others: Iterable[Peer]) -> list[str]:
    """How a page came about."""
    gpu = [torch.cuda.get_device_name()] if device.type == "cuda" else []
    facts = "; ".join([asked, *gpu, *(peer.version() for peer in others)])
    return [*made_by("torch"), f"{facts}. Load before: {LOAD:.1f}."]


def clock(device: torch.device) -> float:
    """Seconds, once the device has done all that it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return perf_counter()


def compared(
    rounds: Sequence[Mapping[str, float]],
    toolkits: Iterable[str],
    facts: Mapping[str, list[str]],
    digits: int,
) -> Iterator[list[str]]:
    """A row for each: its `facts`, the median of its speeds, and of its ratios to the yardstick and
    to the toolkit that was the fastest in the round."""
    fastest = [max((each[name] for name in toolkits), default=0.0) for each in rounds]
    for name in rounds[0]:
        speeds = [each[name] for each in rounds]
        about = facts.get(name, [""] * len(facts[YARDSTICK]))
        ratios = [ratio(speeds, [each[YARDSTICK] for each in rounds]), ratio(speeds, fastest)]
        yield [name, *about, f"{median(speeds):,.{digits}f}", *ratios]


def ratio(speeds: Sequence[float], others: Sequence[float]) -> str:
    """How many times as fast as another, in the median round; empty if there is none."""
    if not all(others):
        return ""
    return f"{median(own / other for own, other in zip(speeds, others, strict=True)):.2f}"
