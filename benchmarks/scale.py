"""How time and memory of the text stages grow with the text: Markdown tables.

Every stage runs as its command on texts of several sizes, each the beginning of the next. Where the
text at hand has too few pairs, it is repeated with altered words, so that the words and the pairs
go on growing as in real text. Memory is extrapolated to WMT14 by what fills it, and compared with
what the workflow asks for.

Example: python benchmarks/scale.py --source train.en.gz --target train.fr.gz
--source-language en --target-language fr --in-domain-source docs/dev.en.gz
--in-domain-target docs/dev.fr.gz --pairs 60000 --pairs 240000 --pairs 960000
--out benchmarks/published/scale.md
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from altered_text import COMMON, GROUP, endless
from pages import made_by, publish, remarks, table
from text_steps import MEASURES, STEPS, Run, Step, Text, memory_asked, run, stay_on_one_core, words

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_pairs
from contextnmt.text.binarize import SIDES

TEXT_NOTES = f"""
Each text is the beginning of the next. What is more than the corpus has is the corpus again, with
altered words: of the words that no side has more than twice (names, numbers, technical terms), as
many as make the words grow by Heaps' law get other letters and digits, the same on both sides, and
the lower-case words of one language alone, but for the {COMMON} most frequent ones, change places
with those of like frequency in groups of {GROUP}; so words, sentences and n-grams are new. Words:
distinct ones of tokenized text. Exponent: b of Heaps' law, words = K pairs^b, since the line
before. Repeated: pairs that clean drops since they came before.
"""

TIME_NOTES = """
CPU seconds a million pairs on one core, each command in a process of its own and alone; those after
clean by the pairs that clean leaves. The start of Python is in them, which weighs in a short text.
Ratio: of the time a pair in the largest and in the smallest text. Further pairs: the same for the
pairs alone that a text has more than the one before, in the largest against the second, so that the
start cancels out: 1 is linear.
"""

MEMORY_NOTES = """
The largest resident set of each command (MB), and what fills it, where it grows: pairs that are
kept, distinct words of both languages, or words of the selected target text. At WMT14: by the
growth between the two largest texts, in a straight line, up to what a command holds there.
`mem_mb`: what the workflow asks for, a fixed amount or one by the words of the text. What `pairs`
maps from disk the system can drop at any time.
"""


def exponents(runs: Sequence[Run], side: str) -> list[str]:
    """The exponent of Heaps' law between each size and the one before; of the first, none."""
    found = [
        np.log(words(large, side) / words(small, side))
        / np.log(large.text.pairs / small.text.pairs)
        for small, large in pairwise(runs)
    ]
    return ["", *(f"{exponent:.2f}" for exponent in found)]


def text_rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    """A row for each size: pairs, words of each side and their growth, repeated pairs."""
    growth = [exponents(runs, side) for side in SIDES]
    for made, *each in zip(runs, *growth, strict=True):
        removed = read_json(made.text.folder / "removed.json")["removed"]
        yield [
            f"{made.text.pairs:,}",
            *chain.from_iterable(
                (f"{words(made, side):,}", exponent)
                for side, exponent in zip(SIDES, each, strict=True)
            ),
            f"{removed['drop_duplicates']['count'] / made.text.pairs:.1%}",
        ]


def time_rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    """A row for each step."""
    for step in runs[0].costs:
        costs = [run.costs[step] for run in runs]
        each = [cost.cpu / cost.pairs for cost in costs]
        further = [
            (large.cpu - small.cpu) / (large.pairs - small.pairs)
            for small, large in pairwise(costs)
        ]
        yield [
            step,
            *(f"{1e6 * seconds:,.1f}" for seconds in each),
            f"{costs[-1].pairs / costs[-1].cpu:,.0f}",
            f"{each[-1] / each[0]:.2f}",
            f"{further[-1] / further[0]:.2f}" if further[0] > 0 else "",
        ]


def memory_rows(runs: Sequence[Run], asked: Mapping[str, int]) -> Iterator[list[str]]:
    """A row for each step: memory measured, what fills it, extrapolated and asked for."""
    for step in STEPS:
        if step.name:
            needed = at_wmt14(step, runs)
            yield [
                step.name,
                *(f"{run.costs[step.name].megabytes:,.0f}" for run in runs),
                step.grows_with,
                f"{needed:,.0f}",
                *enough(needed, asked.get(step.rule)),
            ]


def at_wmt14(step: Step, runs: Sequence[Run]) -> float:
    """MB of a command at WMT14: linear in what fills its memory, through the two largest texts."""
    before, last = (run.costs[step.name].megabytes for run in runs[-2:])
    if not step.grows_with:
        return last
    entries = [MEASURES[step.grows_with](run) for run in runs[-2:]]
    growth = max(0.0, last - before) / max(1, entries[1] - entries[0])
    return last + growth * max(0, step.wmt14 - entries[1])


def enough(needed: float, asked: int | None) -> tuple[str, str]:
    """The memory asked for, if it is a fixed amount, and whether it is as much as is needed."""
    if asked is None:
        return "by the text", ""
    return f"{asked:,}", "yes" if needed < asked else "**no**"


def page(runs: Sequence[Run]) -> list[str]:
    """The tables."""
    sizes = [f"{run.text.pairs:,}" for run in runs]
    return [
        remarks(TEXT_NOTES),
        "",
        *table(
            ["pairs", "source words", "exponent", "target words", "exponent", "repeated"],
            text_rows(runs),
            words=0,
        ),
        "",
        remarks(TIME_NOTES),
        "",
        *table(
            ["stage", *sizes, "pairs/s", "ratio", "further pairs"],
            time_rows(runs),
            words=1,
        ),
        "",
        remarks(MEMORY_NOTES),
        "",
        *table(
            ["stage", *sizes, "grows with", "at WMT14", "`mem_mb`", "enough"],
            memory_rows(runs, memory_asked()),
            words=1,
        ),
    ]


def main(
    source: Annotated[Path, typer.Option(help="source side of a text, not tokenized")],
    target: Annotated[Path, typer.Option(help="its target side")],
    source_language: Annotated[str, typer.Option(help="language code of the source, as en")],
    target_language: Annotated[str, typer.Option(help="language code of the target, as fr")],
    in_domain_source: Annotated[Path, typer.Option(help="in-domain text to select by, its source")],
    in_domain_target: Annotated[Path, typer.Option(help="its target side")],
    pairs: Annotated[list[int], typer.Option(help="size of a text; repeatable, three or more")],
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Measure time and memory of the text stages on texts of several sizes."""
    if len(set(pairs)) < 3:
        raise UserError("give --pairs three times or more, each time another number")
    languages, in_domain = (source_language, target_language), (in_domain_source, in_domain_target)
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for size in sorted(set(pairs)):
            place = Path(folder, str(size))
            text = islice(endless(source, target), size)
            write_pairs(place / "raw.source.gz", place / "raw.target.gz", text)
            runs.append(run(Text(str(size), size, place), languages, in_domain))
        found = page(runs)
    command = (
        f"python benchmarks/scale.py --source {shown(source)} --target {shown(target)}"
        f" --source-language {source_language} --target-language {target_language}"
        f" --in-domain-source {shown(in_domain_source)}"
        f" --in-domain-target {shown(in_domain_target)}"
        + "".join(f" --pairs {size}" for size in pairs)
    )
    about = made_by(command, "numpy", "sacremoses", "subword-nmt")
    publish(["# The text stages on ever larger texts", "", *about, "", *found], out)


def shown(path: Path) -> str:
    """A path as the page names it."""
    return f"{path.parent.name}/{path.name}"


if __name__ == "__main__":
    stay_on_one_core()
    typer.run(main)
