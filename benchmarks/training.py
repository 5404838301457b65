"""How fast training is, beside plain PyTorch and other toolkits, and the limit: a Markdown page.

All train on the same made-up sentences, in turns. The toolkits are those that are there: each has
an environment of its own, joeynmt, onmt, eole or fairseq, in one folder (benchmarks/README.md).

Example: python benchmarks/training.py --threads 2 --out benchmarks/published/training.md
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import torch
import typer
from contestants import (
    EXACT,
    Contestant,
    device_of,
    in_proportion,
    ours,
    steady,
    yardstick,
)
from made_up_pairs import Batch, batches, counted, largest, made_up, target_words
from multiply_adds import of_yardstick
from pages import made_by, publish, remarks, table
from peers import TOOLKITS, Peer, Recipe, peers, write_corpus
from roofline import Reached, reached
from training_process import TrainingProcess

from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.text.vocabulary import SPECIALS
from contextnmt.training.process import settle

BAHDANAU = ModelSettings(620, 1000, 1000, 500, cell="gru")
CHOI = ModelSettings(620, 1000, 2000, 500)
YARDSTICK, YARDSTICK_SIZES = "plain PyTorch", (256, 512)
SETTLED = f"{YARDSTICK}, memory as in contextnmt"

#: Our models: scaled to the multiply-adds of the yardstick, and in its sizes.
PROPORTIONS = {
    "contextnmt, proportions of Bahdanau et al.": BAHDANAU,
    "contextnmt, proportions of Choi et al.": CHOI,
}
SAME_SIZES = {"contextnmt, sizes of the yardstick": ModelSettings(256, 512, 512, 512)}

#: The models of the papers, and the words that they know.
PAPERS = {
    "RNNencdec (Bahdanau et al.)": replace(BAHDANAU, attention=False),
    "RNNsearch (Bahdanau et al.)": BAHDANAU,
    "baseline (Choi et al.)": CHOI,
    "with context (Choi et al.)": replace(
        CHOI, contextualizer=ContextualizerSettings((1000, 1000))
    ),
    "with context, shared table (Choi et al.)": replace(
        CHOI, contextualizer=ContextualizerSettings((1000, 1000), table="shared")
    ),
}
PAPER_WORDS = 30_001

#: Rows that Table 4 of Choi et al. has of each, for so many language pairs, and updates of a row.
TABLE_4 = {"baseline (Choi et al.)": 3, "with context (Choi et al.)": 4}
LANGUAGE_PAIRS, UPDATES = 2, 100_000

HEAD = ["", "sizes", "multiply-adds", "tokens/s", f"to {YARDSTICK}", "to the fastest toolkit"]
LIMIT_HEAD = ["", "sizes", "multiply-adds", "tokens/s", "roofline", "share"]
MEMORY = "GPU memory (MB)"

DEFAULTS = {
    **{"pairs": 5000, "words": 8000, "rounds": 3},
    **{"batch_size": 80, "updates": 40, "report": 5},
}

NOTES = """
Made-up pairs of 4 to 50 words (log-normal, 22 on average; target and source differ by a tenth),
words by Zipf's law, batches of pairs whose longer sides are alike. Adam, clip 1, no dropout.
Tokens: target words and ends of sentences. Tokens a second: in each round the median of all reports
but the first, then the median of the rounds. In a round, our models and plain PyTorch train in
turns, report by report, by the same batches, each in a process of its own, and then each toolkit by
its own command and as its log says, from the start. To plain PyTorch, to the fastest toolkit: the
median of the rounds' ratios, to the toolkit that was the fastest in the round. Sizes: embedding,
hidden state, alignment, maxout. Multiply-adds of a target token, in millions: of all products of
matrices, forward and backward, the encoder's too, as the models are defined, without padding. The
proportions are those of the papers (620, 1000, 1000, 500 and GRUs; 620, 1000, 2000, 500 and LSTMs),
scaled until there are as many multiply-adds as in plain PyTorch. That (`yardstick.py`) is a
bidirectional LSTM of 2x256, a decoder of 512 with additive attention after the step and input
feeding; keys and what words contribute to the gates are computed once for all steps, and the output
layer after them, without padding. The toolkits have models of the same kind and sizes, but the
attention of fairseq is bilinear, which is lighter; they read the text while they train, where ours
and plain PyTorch have their batches at hand, and JoeyNMT does not sort the pairs by length. On a
CPU, freed memory stays with the processes of ours, on huge pages (`training/process.py`), in a
row of its own with that of plain PyTorch, and with the toolkits, by glibc's variables of the
environment, on small ones. What multiplies in bfloat16 there compiles itself for each shape, in
the first round for most: `training/process.py` and `model/padding.py` say how it is kept.
On a GPU, ours are CUDA graphs (`training/graphs.py`), captured in the first round for most, whose
recurrences are functions in Triton (`model/fused`), and plain PyTorch is none.
"""

LIMIT_NOTES = """
Models in the sizes of the papers. Roofline: tokens a second if a training were nothing but the
multiply-adds (counted as above, two operations each) at the rate of products of large matrices
(2048 x 2048, on a GPU 8192 x 8192), the best of those between the rounds. Tokens a second: the
median of the rounds. What sets in before: element by element functions, which a processor does at
the speed of its memory, padding, and updates of the weights.
"""


class Asked(NamedTuple):
    """What the options ask for."""

    words: int
    recipe: Recipe
    rounds: int
    precisions: list[str]
    device: torch.device
    threads: int


def named(name: str, precision: str) -> str:
    """The name of a row."""
    return name if precision == EXACT else f"{name}, {precision}"


def contestants(asked: Asked, measured: Sequence[Batch]) -> dict[str, Callable[[], Contestant]]:
    """What makes the yardstick, and our models in each precision."""
    text, words, device = counted(measured), asked.words + len(SPECIALS), asked.device
    goal = of_yardstick(*YARDSTICK_SIZES, words, text)
    scaled = {name: in_proportion(each, words, text, goal) for name, each in PROPORTIONS.items()}
    plain = partial(yardstick, *YARDSTICK_SIZES, words, text, device)
    own = {
        named(name, precision): partial(
            ours, settings, words, text, largest(measured), precision, device
        )
        for name, settings in (scaled | SAME_SIZES).items()
        for precision in asked.precisions
    }
    settled = {SETTLED: partial(plain, settled=True)} if device.type == "cpu" else {}
    return {YARDSTICK: partial(plain, settled=False), **settled, **own}


def cut(measured: Sequence[Batch], length: int) -> list[Sequence[Batch]]:
    """Windows of so many batches."""
    return [measured[first : first + length] for first in range(0, len(measured), length)]


def compared(
    makers: Mapping[str, Callable[[], Contestant]],
    others: Sequence[Peer],
    asked: Asked,
    measured: Sequence[Batch],
) -> list[list[str]]:
    """The rows of the table that compares."""
    windows = cut(measured, asked.recipe.report)
    rounds = []
    with ExitStack() as stack:
        found = {}
        for name, make in makers.items():
            process = TrainingProcess(make, windows, asked.device, asked.threads)
            found[name] = stack.enter_context(closing(process))
        for process in found.values():
            process.wait()
        for _ in range(asked.rounds):
            own = in_turns(found, len(windows))
            rounds.append(own | {peer.name: steady(peer.speeds()) for peer in others})
    names = [peer.name for peer in others]
    fastest = [max((each[name] for name in names), default=0.0) for each in rounds]
    first = [each[YARDSTICK] for each in rounds]
    rows = []
    for name in rounds[0]:
        speeds = [each[name] for each in rounds]
        one = found.get(name)
        about = [one.sizes, f"{one.adds:.1f}"] if one else ["", ""]
        ratios = [ratio(speeds, first), ratio(speeds, fastest) if others else ""]
        rows.append([name, *about, f"{median(speeds):,.0f}", *ratios])
    return rows


def in_turns(found: Mapping[str, TrainingProcess], windows: int) -> dict[str, float]:
    """The speed of each, window by window in turns."""
    speeds: dict[str, list[float]] = {name: [] for name in found}
    for window in range(windows):
        for name, each in found.items():
            speeds[name].append(each.speed(window))
    return {name: steady(each) for name, each in speeds.items()}


def ratio(speeds: Sequence[float], others: Sequence[float]) -> str:
    """How many times as fast as another, in the median round."""
    return f"{median(own / other for own, other in zip(speeds, others, strict=True)):.2f}"


def limit(asked: Asked, text: Sequence[Batch]) -> Iterator[str]:
    """The lines of the table that tells how near the papers' models come to the limit."""
    words, window = PAPER_WORDS + len(SPECIALS), text[: asked.recipe.report]
    rates, rows, hours = {}, [], {}
    for precision in asked.precisions:
        found = {
            name: reached(settings, words, window, asked.rounds, precision, asked.device)
            for name, settings in PAPERS.items()
        }
        rates[precision] = rate = max(each.rate for each in found.values())
        hours[precision] = hours_of_table_4({name: found[name].speed for name in TABLE_4}, text)
        rows += [limit_row(named(name, precision), each, rate) for name, each in found.items()]
    gpu = asked.device.type == "cuda"
    measured = ", ".join(f"{rate:,.0f} in {precision}" for precision, rate in rates.items())
    yield f"{words:,} words (ids) a side; {len(window)} batches a round."
    yield f"Products of matrices, in billions of operations a second: {measured}."
    yield from ("", remarks(LIMIT_NOTES), "")
    head = [*LIMIT_HEAD, *[MEMORY] * gpu]
    yield from table(head, [row[: len(head)] for row in rows], words=2)
    taken = ", ".join(f"{each:,.0f} in {precision}" for precision, each in hours.items())
    trainings = LANGUAGE_PAIRS * sum(TABLE_4.values())
    yield ""
    yield (
        f"Table 4 of Choi et al. has {trainings} trainings, of which the paper does not tell the "
        f"updates: hours for {UPDATES:,} of each, one training after the other: {taken}."
    )


def hours_of_table_4(speeds: Mapping[str, float], text: Sequence[Batch]) -> float:
    """What its trainings take at so many target words a second, by batches like those."""
    words = LANGUAGE_PAIRS * UPDATES * target_words(text) / len(text)
    return sum(count * words / speeds[name] for name, count in TABLE_4.items()) / 3600


def limit_row(name: str, found: Reached, rate: float) -> list[str]:
    """Its last column is for a GPU alone."""
    roof = found.roof(rate)
    speeds = [f"{found.speed:,.0f}", f"{roof:,.0f}", f"{found.speed / roof:.0%}"]
    return [name, found.sizes, f"{found.adds:.1f}", *speeds, f"{found.memory:,}"]


def command(asked: Asked, pairs: int, threads: int, toolkits: bool) -> str:
    """What makes the page again."""
    numbers = {
        "pairs": pairs,
        "words": asked.words,
        **asked.recipe._asdict(),
        "rounds": asked.rounds,
    }
    options = [f"--threads {threads}"]
    options += [
        f"--{name.replace('_', '-')} {value}"
        for name, value in numbers.items()
        if value != DEFAULTS[name]
    ]
    options += ["--device cuda"] * (asked.device.type == "cuda")
    options += [f"--{precision}" for precision in asked.precisions if precision != EXACT]
    options += ["--peers peers"] * toolkits
    return f"python benchmarks/training.py {' '.join(options)}"


def facts(asked: Asked, pairs: int, threads: int, others: Sequence[Peer], busy: float) -> str:
    """What was asked for, the toolkits, and the load before."""
    batch_size, updates, report = asked.recipe
    parts = [
        f"{pairs:,} pairs, {asked.words:,} words a side, batches of {batch_size}, {asked.rounds} "
        f"rounds of {updates} updates with a report every {report}, {threads} threads",
        *([torch.cuda.get_device_name()] if asked.device.type == "cuda" else []),
        *(peer.version() for peer in others),
    ]
    return f"{'; '.join(parts)}. Load before: {busy:.1f}."


def main(
    pairs: Annotated[int, typer.Option(min=1)] = DEFAULTS["pairs"],
    words: Annotated[int, typer.Option(help="of either side", min=1)] = DEFAULTS["words"],
    batch_size: Annotated[int, typer.Option(help="pairs an update", min=1)] = DEFAULTS[
        "batch_size"
    ],
    updates: Annotated[int, typer.Option(help="in a round", min=1)] = DEFAULTS["updates"],
    report: Annotated[
        int, typer.Option(help="updates from one report to the next", min=1)
    ] = DEFAULTS["report"],
    rounds: Annotated[int, typer.Option(min=1)] = DEFAULTS["rounds"],
    threads: Annotated[int, typer.Option(min=1)] = 2,
    environments: Annotated[
        Path | None,
        typer.Option("--peers", help="folder of the environments joeynmt, onmt, eole, fairseq"),
    ] = None,
    bf16: Annotated[
        bool, typer.Option("--bf16", help="also in bfloat16, on a processor that multiplies it")
    ] = False,
    tf32: Annotated[bool, typer.Option("--tf32", help="also in TF32, on a GPU")] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda")] = "cpu",
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Train in turns and compare; hold the papers' models against the limit."""
    if environments and device != "cpu":
        raise typer.BadParameter("--peers: the toolkits train on the CPU alone")
    place = device_of(device)
    settle(place)
    torch.set_num_threads(threads)
    busy = os.getloadavg()[0]
    precisions = [EXACT, *["tf32"] * tf32, *["bf16"] * bf16]
    recipe = Recipe(batch_size, updates, report)
    asked = Asked(words, recipe, rounds, precisions, place, threads)
    text = made_up(pairs, words)
    measured = list(islice(cycle(batches(text, batch_size, torch.device("cpu"))), updates))
    with TemporaryDirectory() as name:
        others: list[Peer] = []
        if environments:
            corpus = write_corpus(Path(name), text, words)
            others = peers(environments, threads, corpus, recipe, Path(name))
            if not others:
                raise typer.BadParameter(f"--peers: {environments} holds none of {list(TOOLKITS)}")
        rows = compared(contestants(asked, measured), others, asked, measured)
        stated = facts(asked, pairs, threads, others, busy)
    lines = [
        *("# Speed of training", ""),
        *made_by(command(asked, pairs, threads, bool(others)), "torch"),
        *(stated, "", remarks(NOTES), ""),
        *table(HEAD, rows, words=2),
        *("", "## Towards the limit", ""),
        *limit(asked, batches(made_up(pairs, PAPER_WORDS), batch_size, asked.device)),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
