"""How time and memory of the text stages grow with the text: Markdown tables.

Every stage runs as its command on texts of several sizes, each the beginning of the next. Where the
text at hand has too few pairs, it is repeated with altered words, so that the words and the pairs
go on growing as in real text. What grows in memory are tables with names: an entry of each is
measured by itself and counted at each size, and the command's memory has to grow by no more than
they do. From there they are extrapolated to WMT14 and compared with what the workflow asks for.

Example: python benchmarks/scale.py --source train.en.gz --target train.fr.gz
--source-language en --target-language fr --in-domain-source docs/dev.en.gz
--in-domain-target docs/dev.fr.gz --pairs 60000 --pairs 240000 --pairs 960000
--out benchmarks/published/scale.md
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from altered_text import COMMON, GROUP, endless
from memory_tables import BOTH_WORDS, SELECTED, Grown, grown_tables, power_law, words_in
from pages import made_by, publish, table
from text_steps import STEPS, Run, Text, memory_asked, run, stay_on_one_core

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
The largest resident set of each command (MB), what it grows by from the smallest to the largest
text, and what the tables named below grow by meanwhile; where nothing is named, nothing grows. The
tables' figure is a bound, since not all of them are full at one time; freed memory that is used
again makes it too high, and the room between objects too low. At WMT14: what each command would
take there; besides, so much is mapped from disk, which the system can drop at any time. `mem_mb`:
what the workflow asks for, a fixed amount or one by the words of the text.
"""

TABLE_NOTES = """
Bytes: of an entry, measured by itself in the objects of Python and numpy, or, with *, what the
command takes more in the largest text than in the one before. At WMT14: an entry a pair, or by a
power law through the sizes, no more than the limit; words through the {words:,} of both languages
that Choi et al. 2017 count in the selected text (Table 3).
"""


def exponents(runs: Sequence[Run], words: Callable[[Run], int]) -> list[str]:
    """The exponent of Heaps' law between each size and the one before; of the first, none."""
    found = [
        np.log(words(large) / words(small)) / np.log(large.text.pairs / small.text.pairs)
        for small, large in pairwise(runs)
    ]
    return ["", *(f"{exponent:.2f}" for exponent in found)]


def text_rows(runs: Sequence[Run]) -> Iterator[list[str]]:
    """A row for each size: pairs, words of each side and their growth, repeated pairs."""
    growth = [exponents(runs, words_in("survey", side)) for side in SIDES]
    for made, *each in zip(runs, *growth, strict=True):
        removed = read_json(made.text.folder / "removed.json")["removed"]
        yield [
            f"{made.text.pairs:,}",
            *chain.from_iterable(
                (f"{words_in('survey', side)(made):,}", exponent)
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


def memory_rows(
    runs: Sequence[Run], tables: Sequence[Grown], asked: Mapping[str, int]
) -> Iterator[list[str]]:
    """A row for each step: memory measured, grown, explained, extrapolated and asked for.

    What is mapped from disk is in what was measured, but not in what has to be there at WMT14.
    """
    rules = {step.name: step.rule for step in STEPS}
    for step in runs[0].costs:
        memory = [run.costs[step].megabytes for run in runs]
        own = [each for each in tables if each.table.step == step]
        mapped = [each for each in own if each.table.mapped]
        mapped_at_wmt14 = sum(each.size * each.extrapolated for each in mapped) / (1 << 20)
        at_wmt14 = memory[-1] + sum(each.further for each in own) - mapped_at_wmt14
        yield [
            step,
            *(f"{megabytes:,.0f}" for megabytes in memory),
            f"{memory[-1] - memory[0]:,.0f}",
            f"{sum(each.growth for each in own):,.0f}",
            f"{at_wmt14:,.0f}",
            f"{mapped_at_wmt14:,.0f}" if mapped else "",
            *enough(at_wmt14, asked.get(rules[step])),
        ]


def enough(needed: float, asked: int | None) -> tuple[str, str]:
    """What is asked for, if it is a fixed amount, and whether it is as much as is needed."""
    if asked is None:
        return "by the text", ""
    return f"{asked:,}", "yes" if needed < asked else "**no**"


def table_rows(tables: Sequence[Grown]) -> Iterator[list[str]]:
    """A row for each table."""
    for each in tables:
        most = each.table.most
        yield [
            each.table.step,
            f"{each.table.name}{', mapped' if each.table.mapped else ''}",
            each.table.scale.name,
            f"{each.size:,.0f}{'' if each.table.size else '*'}",
            *(f"{entries:,}" for entries in each.entries),
            f"{most:,}" if most else "",
            f"{each.extrapolated:,}",
            f"{each.size * each.extrapolated / (1 << 20):,.0f}",
        ]


def told_words(runs: Sequence[Run]) -> str:
    """How the law of the words fits what was counted at WMT14."""
    words = [words_in("sel", *SIDES)(run) for run in runs]
    factor, exponent = power_law([run.text.pairs for run in runs], words)
    law = factor * SELECTED.pairs**exponent
    return (
        f"By these sizes, words = {factor:.1f} pairs^{exponent:.2f}: {law:,.0f} in the "
        f"{SELECTED.pairs:,} pairs that are selected at WMT14, where the paper counts "
        f"{BOTH_WORDS:,} in text of many kinds. So words are extrapolated from the paper's count "
        "by this exponent; all else from these texts."
    )


def page(runs: Sequence[Run], tables: Sequence[Grown]) -> list[str]:
    """The tables."""
    sizes = [f"{run.text.pairs:,}" for run in runs]
    return [
        " ".join(TEXT_NOTES.split()),
        "",
        *table(
            ["pairs", "source words", "exponent", "target words", "exponent", "repeated"],
            text_rows(runs),
            words=0,
        ),
        "",
        " ".join(TIME_NOTES.split()),
        "",
        *table(
            ["stage", *sizes, "pairs/s", "ratio", "further pairs"],
            time_rows(runs),
            words=1,
        ),
        "",
        " ".join(MEMORY_NOTES.split()),
        "",
        *table(
            ["stage", *sizes, "grown", "tables", "at WMT14", "mapped", "`mem_mb`", "enough"],
            memory_rows(runs, tables, memory_asked()),
            words=1,
        ),
        "",
        " ".join(TABLE_NOTES.format(words=BOTH_WORDS).split()),
        "",
        *table(
            ["stage", "table", "at WMT14 of", "bytes", *sizes, "limit", "at WMT14", "MB"],
            table_rows(tables),
            words=3,
        ),
        "",
        told_words(runs),
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
        found = page(runs, list(grown_tables(runs)))
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
    """A path as the page tells it."""
    return f"{path.parent.name}/{path.name}"


if __name__ == "__main__":
    stay_on_one_core()
    typer.run(main)
