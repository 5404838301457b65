"""How fast the language models of the selection are on one core, and their size: Markdown tables.

The texts are tokenized. The in-domain text gives the vocabulary; the general model is made of lines
from all over the general text; both models then score all of that, as they would score a pool.

Example: python benchmarks/language_model.py --in-domain docs.en.gz --general laws.en.gz
--out benchmarks/published/language_model.md
"""

import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Annotated, NamedTuple

import numpy as np
import typer

from contextnmt.files import count_lines, read_lines, write_lines
from contextnmt.selection.language_model import LanguageModel, estimate
from contextnmt.selection.ngrams import UNK, Sentences, Vocabulary
from contextnmt.training.environment import environment

#: Lines of the general text that its model is made of, in an independent re-selection of WMT14.
SAMPLE = 100_000

#: Lines that are scored at a time.
BATCHES = (500, 2_000, 10_000, 50_000)

#: The pool of WMT14 En-Fr has some 2.5 billion words on both sides; two models score each.
LOOK_UPS = 5_000_000_000

NOTES = """
Rates are by processor seconds of one core. A look-up is a word that one model scores. Encoding:
from lines to ids. Scoring: from ids to the log10 probabilities of sentences. All: read and encoded
once, scored by both models. Memory: the most that estimation takes at a time.
"""


class Estimation(NamedTuple):
    """What estimating a model took, and what came out."""

    name: str
    words: int
    unknown: float  # percent of the words
    ngrams: list[int]  # by order
    rate: float  # words a second
    memory: float  # bytes a word
    size: int  # bytes of the file


class Scoring(NamedTuple):
    """What scoring took, so many lines at a time."""

    lines: int
    encoding: float  # words a second
    scoring: float  # look-ups a second
    everything: float  # look-ups a second


def sampled(text: Path, lines: int) -> Iterator[str]:
    """About so many lines, from all over the text."""
    return islice(read_lines(text), 0, None, max(1, count_lines(text) // lines))


def measure_estimation(name: str, text: Sentences, size: int) -> tuple[LanguageModel, Estimation]:
    """Estimate a model of `text` twice: for the time and for the memory."""
    started = process_time()
    model = estimate(text, size)
    seconds = process_time() - started
    tracemalloc.start()
    estimate(text, size)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.npz")
        model.save(path)
        saved = path.stat().st_size
    words = len(text.ids)
    unknown = 100 * float(np.mean(text.ids == UNK))
    ngrams = list(map(len, model.probabilities))
    return model, Estimation(name, words, unknown, ngrams, words / seconds, peak / words, saved)


def measure_scoring(
    text: Path, lines: int, vocabulary: Vocabulary, models: list[LanguageModel]
) -> Scoring:
    """Score a text by all models, so many lines at a time."""
    words, encoding, scoring = 0, 0.0, 0.0
    started = process_time()
    stream = read_lines(text)
    while batch := list(islice(stream, lines)):
        before = process_time()
        sentences = vocabulary.encode(batch)
        encoded = process_time()
        for model in models:
            model.log10_probabilities(sentences)
        encoding += encoded - before
        scoring += process_time() - encoded
        words += len(sentences.ids)
    look_ups = words * len(models)
    everything = look_ups / (process_time() - started)
    return Scoring(lines, words / encoding, look_ups / scoring, everything)


def table(head: str, rows: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table, the titles of its columns between bars, and an empty line."""
    rule = " | ".join("--:" for _ in head.split("|"))
    return [*(f"| {line} |" for line in (head, rule, *map(" | ".join, rows))), ""]


def estimation_row(made: Estimation) -> Iterator[str]:
    """The row of a model."""
    yield made.name
    yield f"{made.words:,}"
    yield f"{made.unknown:.1f}"
    yield from (f"{count:,}" for count in made.ngrams)
    yield f"{made.rate:,.0f}"
    yield f"{made.memory:.0f}"
    yield f"{made.size / 1e6:.1f}"
    yield f"{made.size / sum(made.ngrams):.1f}"


def scoring_row(took: Scoring) -> Iterator[str]:
    """The row of a batch size."""
    yield from (f"{value:,.0f}" for value in took)
    yield f"{LOOK_UPS / took.everything / 60:.0f}"


def report(estimations: Iterable[Estimation], scorings: Iterable[Scoring]) -> list[str]:
    """The two tables."""
    return [
        *table(
            "model | words | unknown (%) | 1-grams | 2-grams | 3-grams | 4-grams"
            " | words/s/core | bytes a word | file (MB) | bytes an n-gram",
            map(estimation_row, estimations),
        ),
        *table(
            "lines at a time | encoding: words/s/core | scoring: look-ups/s/core"
            f" | all: look-ups/s/core | minutes for {LOOK_UPS:,} look-ups",
            map(scoring_row, scorings),
        ),
    ]


def main(
    in_domain: Annotated[Path, typer.Option(help="tokenized in-domain text")],
    general: Annotated[Path, typer.Option(help="tokenized general text")],
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Estimate the two models and score the general text."""
    counts = Counter(word for line in read_lines(in_domain) for word in line.split())
    vocabulary = Vocabulary.frequent(counts)
    texts = {"in-domain": read_lines(in_domain), "general": sampled(general, SAMPLE)}
    models, estimations = [], []
    for name, lines in texts.items():
        encoded = vocabulary.encode(lines)
        model, estimation = measure_estimation(name, encoded, len(vocabulary))
        models.append(model)
        estimations.append(estimation)
    scorings = [measure_scoring(general, lines, vocabulary, models) for lines in BATCHES]
    facts = environment()
    page = [
        "# The language models of the selection",
        "",
        f"Made by `python benchmarks/language_model.py --in-domain {short(in_domain)} "
        f"--general {short(general)}`.",
        f"{date.today()}, commit {facts['commit']}"
        f"{' with uncommitted changes' if facts['dirty'] else ''}. {facts['processor']}, "
        f"{facts['cores']} cores, one in use; Python {facts['python']}, numpy {facts['numpy']}.",
        "",
        " ".join(NOTES.split()),
        "",
        *report(estimations, scorings),
    ]
    print("\n".join(page))
    if out:
        write_lines(out, page)


def short(path: Path) -> str:
    """The last two parts of a path."""
    return f"{path.parent.name}/{path.name}"


if __name__ == "__main__":
    typer.run(main)
