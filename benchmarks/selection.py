"""How well the selection finds text of a domain in a pool, and what it costs: Markdown tables.

Each corpus is a folder named like laws_en-fr, with train.en.gz and train.fr.gz in it, untokenized;
together they are the pool. One of them is the domain: its dev.* is the in-domain text, models are
tried on its test.*, and its own pairs are those to be found. The workflow takes all steps.

benchmarks/README.md has an example.
"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from calls import OTHERS, Cost, call_in, costs, selecting, snakemake, stay_on_one_core
from pages import Out, made_by, publish, table

from contextnmt.errors import UserError
from contextnmt.files import count_lines, read_json

#: The share of the pool's target words that is selected: one in so many.
SHARE = 4

COST_HEAD = ["command", "runs", "pairs", "CPU seconds", "pairs/s/core", "tokens/s/core", "MB"]

#: Commands that read the whole pool, and those of which the tokens per second tell nothing.
COMMANDS = ("sample", "cross-entropy", "rank", "select", "perplexity")
WITHOUT_TOKENS = ("rank", "perplexity")

Reports = dict[str, Any]  # corpus -> PART.selected.json

NOTES = """
Perplexity: of 4-gram models of selected text and of as much random text, on the test text of the
domain; a word or the end of a sentence, all words that the in-domain text does not have twice
counting as one. The first line is the whole selection, the others are cut-offs of it.
"""

COST_NOTES = """
One core is in use. CPU seconds have the start of Python in them, once per run: scoring and
selecting are a run for each corpus. The pool is ranked, and selected from, twice. Tokens: of both
sides. MB: the most memory that a run takes.
"""


class Pool(NamedTuple):
    """The corpora to select from."""

    folders: dict[str, Path]  # by the name of the corpus
    pair: str
    domain: str  # the name of the corpus that is to be found


class Measured(NamedTuple):
    """The reports of both selections and of perplexity."""

    by_pairs: Reports  # as many pairs as the domain has
    by_words: Reports  # a share of the words
    perplexity: dict[str, Any]  # perplexity/PAIR.json
    costs: list[Cost]


def parse_pool(folders: Iterable[Path], domain: Path) -> Pool:
    """The pool of those folders that have a training text. Raises UserError if they do not fit."""
    names, pairs = {}, set()
    for folder in folders:
        name, _, pair = folder.name.rpartition("_")
        if not name or pair.count("-") != 1:
            raise UserError(f"{folder}: a folder needs a name like laws_en-fr")
        if name in OTHERS:
            raise UserError(f"{folder}: the benchmark has a text {name} of its own: rename it")
        if (folder / f"train.{pair.partition('-')[0]}.gz").is_file():
            names[name] = folder.absolute()
            pairs.add(pair)
    domain_name = domain.name.rpartition("_")[0]
    if len(pairs) != 1 or domain_name not in names:
        raise UserError(f"the folders need to be of one pair of languages, {domain} among them")
    return Pool(names, pairs.pop(), domain_name)


def select(pool: Pool, work: Path, limit: dict[str, int], *targets: str) -> Reports:
    """Select up to a limit, in the folder `work`."""
    train = {name: str(folder / "train.{lang}.gz") for name, folder in pool.folders.items()}
    dev, test = (str(pool.folders[pool.domain] / f"{text}.{{lang}}.gz") for text in ("dev", "test"))
    asked = selecting(pool.pair, train, dev, test, limit, {}, 1)
    snakemake(*call_in(work, asked, "selected", *targets, "--quiet", "all"), measured=work)
    made = work / "results" / "demo" / "select" / pool.pair
    return {name: read_json(made / f"{name}.selected.json") for name in pool.folders}


def total(reports: Reports, count: str) -> int:
    """A count of the whole pool."""
    return sum(report["read"][count] for report in reports.values())


def measured(pool: Pool, work: Path) -> Measured:
    """Select twice, and compare what was selected with chance."""
    source = pool.pair.partition("-")[0]
    pairs = count_lines(pool.folders[pool.domain] / f"train.{source}.gz")
    by_pairs = select(pool, work, {"pairs": pairs})
    words = total(by_pairs, "target_words") // SHARE
    by_words = select(pool, work, {"target_words": words}, "perplexities")
    perplexity = read_json(work / "results" / "demo" / "perplexity" / f"{pool.pair}.json")
    return Measured(by_pairs, by_words, perplexity, costs(work))


def corpus_rows(found: Measured) -> Iterator[list[str]]:
    """A row for each corpus and one for the pool: what is in it and how much was selected."""
    rows = []
    for name, report in found.by_words.items():
        kept, best = report["kept"], found.by_pairs[name]["kept"]["pairs"]
        rows.append([*report["read"].values(), kept["pairs"], kept["target_words"], best])
        yield [name, *(f"{figure:,}" for figure in rows[-1])]
    yield ["all", *(f"{sum(column):,}" for column in zip(*rows, strict=True))]


def precision(pool: Pool, found: Measured) -> str:
    """How many of the best pairs are of the domain, in words."""
    kept = {name: report["kept"]["pairs"] for name, report in found.by_pairs.items()}
    all_kept, right = sum(kept.values()), kept[pool.domain]
    domain = found.by_pairs[pool.domain]["read"]["pairs"]
    share, chance = right / all_kept, domain / total(found.by_pairs, "pairs")
    return (
        f"Of the {all_kept:,} pairs with the lowest scores, as many as {pool.domain} has, "
        f"{right:,} are from there: a precision of **{share:.1%}**, {share / chance:.1f} times "
        f"that of chance, {chance:.1%}."
    )


def perplexity_rows(found: Measured) -> Iterator[list[str]]:
    """A row for each cut-off, the largest first."""
    pool = total(found.by_words, "target_words")
    for cut_off in reversed(found.perplexity["cut_offs"]):
        words, both = cut_off["target_words"], (cut_off["selected"], cut_off["random"])
        chosen, random = (each["perplexity"] for each in both)
        pairs = (f"{each['pairs']:,}" for each in both)
        perplexity = [f"{chosen:.1f}", f"{random:.1f}", f"{chosen / random - 1:+.0%}"]
        yield [f"{words:,}", f"{words / pool:.1%}", *pairs, *perplexity]


def cost_rows(found: Measured) -> Iterator[list[str]]:
    """A row for each command that reads the pool, all its runs together."""
    words = total(found.by_words, "source_words") + total(found.by_words, "target_words")
    for command in COMMANDS:
        costs = [cost for cost in found.costs if cost.command == command]
        times = 2 if command in ("rank", "select") else 1
        cpu, pairs = sum(cost.cpu for cost in costs), times * total(found.by_words, "pairs")
        tokens = "" if command in WITHOUT_TOKENS else f"{times * words / cpu:,.0f}"
        speeds = [f"{cpu:.1f}", f"{pairs / cpu:,.0f}", tokens]
        megabytes = max(cost.megabytes for cost in costs)
        yield [command, f"{len(costs)}", f"{pairs:,}", *speeds, f"{megabytes:.0f}"]


def main(
    folders: Annotated[list[Path], typer.Argument(help="corpora; without train.*, left out")],
    in_domain: Annotated[Path, typer.Option(help="the one of them that is to be found")],
    out: Out = None,
) -> None:
    """Select from the pool, and compare what was selected with chance."""
    pool = parse_pool(folders, in_domain)
    source, target = pool.pair.split("-")
    with tempfile.TemporaryDirectory() as folder:
        found = measured(pool, Path(folder))
    corpora = f"corpus | pairs | {source} words | {target} words | 1/{SHARE}: pairs"
    corpora += f" | 1/{SHARE}: {target} words | best pairs"
    cut_offs = f"{target} words | of the pool | pairs: selected | random"
    cut_offs += " | perplexity: selected | random | difference"
    publish(
        out,
        "# The selection of training text",
        made_by("numpy"),
        f"The pool, a selection of 1/{SHARE} of its {target} words, and one of as many pairs as "
        f"{pool.domain} has, whose dev text is the in-domain text:",
        table(corpora.split(" | "), corpus_rows(found), words=1),
        precision(pool, found),
        NOTES,
        table(cut_offs.split(" | "), perplexity_rows(found), words=0),
        COST_NOTES,
        table(COST_HEAD, cost_rows(found), words=1),
    )


if __name__ == "__main__":
    stay_on_one_core()
    typer.run(main)
