"""How well the selection finds text of a domain in a pool, and what it costs: Markdown tables.

Each corpus is a folder named like laws_en-fr, with train.en.gz and train.fr.gz in it, untokenized;
together they are the pool. One of them is the domain: its dev.* is the in-domain text, models are
tried on its test.*, and its own pairs are those to be found. All steps run as their commands.

Example: python benchmarks/selection.py data/*_en-fr --in-domain data/docs_en-fr
--out benchmarks/published/selection.md
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from pages import made_by, publish, remarks, table
from text_steps import Cost, Text, measure, stay_on_one_core

from contextnmt.errors import UserError
from contextnmt.files import count_lines, read_json

#: The share of the pool's target words that is selected: one in so many.
SHARE = 4

#: Seed of the sample and of the random text.
SEED = "1"
COMPARISON_SEED = "2"
MOST_WORDS = str(2**25)

SIDES = ("source", "target")

COST_HEAD = ["command", "runs", "pairs", "CPU seconds", "pairs/s/core", "tokens/s/core", "MB"]

#: Commands of which it makes sense to tell the tokens a second.
READS_BOTH_SIDES = ("sample", "cross-entropy", "select")

#: The limits of the two selections: a share of the words, and as many pairs as the domain has.
BY_WORDS, BY_PAIRS = "words", "pairs"

NOTES = """
Perplexity: of 4-gram models of selected text and of as much random text, on the test text of the
domain; a word or the end of a sentence, all words that the in-domain text does not have twice
counting as one. The first line is the whole selection, the others are cut-offs of it.
"""

COST_NOTES = """
One core is in use, and CPU seconds have the start of Python in them, once a run: scoring and
selecting are a run for each corpus, perplexity one for each language. Tokens: of both sides. MB:
the most memory that a run takes.
"""


class Pool(NamedTuple):
    """The corpora to select from, and the folder where everything is made of them."""

    folders: dict[str, Path]  # by the name of the corpus
    languages: tuple[str, str]
    domain: str  # the name of the corpus that is to be found
    work: Path

    def run(self, command: str, *arguments: str, of: str = "", pairs: int = 0) -> Cost:
        """Run a command in the work folder; `of`: the text that it is run on."""
        return measure(Text(of, pairs, self.work), command, [command, *arguments])

    def tokenize(self, text: Path, out: str) -> None:
        """Tokenize the two sides of a text, ``{}`` in its name, to OUT.LANG.gz."""
        options = []
        for side, language in zip(SIDES, self.languages, strict=True):
            path = str(text.absolute()).format(language)
            options += [f"--{side}", path, f"--{side}-language", language]
            options += [f"--{side}-out", f"{out}.{language}.gz"]
        self.run("tokenize", *options)

    def each(self, option: str, ending: str) -> Iterator[str]:
        """A repeatable option with the file of each corpus."""
        return chain.from_iterable((f"--{option}", f"{name}.{ending}") for name in self.folders)

    def sides(self, text: str) -> list[str]:
        """The options of a text's two sides."""
        return list(
            chain.from_iterable(
                (f"--{side}", f"{text}.{language}.gz")
                for side, language in zip(SIDES, self.languages, strict=True)
            )
        )


class Measured(NamedTuple):
    """What came out."""

    selected: Mapping[str, Mapping[str, Any]]  # limit -> corpus -> PART.selected.json
    perplexities: Mapping[str, Any]  # language -> perplexity/PAIR.json
    costs: Sequence[Cost]


def parse_pool(folders: Iterable[Path], domain: Path, work: Path) -> Pool:
    """The pool of those folders that have a training text. Raises UserError if they do not fit."""
    names, pairs = {}, set()
    for folder in folders:
        name, _, pair = folder.name.rpartition("_")
        if not name or pair.count("-") != 1:
            raise UserError(f"{folder}: a folder needs a name like laws_en-fr")
        if (folder / f"train.{pair.partition('-')[0]}.gz").is_file():
            names[name] = folder
            pairs.add(pair)
    domain_name = domain.name.rpartition("_")[0]
    if len(pairs) != 1 or domain_name not in names:
        raise UserError(f"the folders need to be of one pair of languages, {domain} among them")
    source, _, target = pairs.pop().partition("-")
    return Pool(names, (source, target), domain_name, work)


def prepare(pool: Pool) -> dict[str, int]:
    """Tokenize all texts and return the pairs of each corpus."""
    for name, folder in pool.folders.items():
        pool.tokenize(folder / "train.{}.gz", name)
    for text in ("dev", "test"):
        pool.tokenize(pool.folders[pool.domain] / f"{text}.{{}}.gz", text)
    return {
        name: count_lines(pool.work / f"{name}.{pool.languages[0]}.gz") for name in pool.folders
    }


def score(pool: Pool, pairs: Mapping[str, int]) -> Iterator[Cost]:
    """Score every corpus by models of the in-domain text and of a sample of the pool."""
    source, target = pool.languages
    texts = [*pool.each("source", f"{source}.gz"), *pool.each("target", f"{target}.gz")]
    out = ["--source-out", f"sample.{source}.gz", "--target-out", f"sample.{target}.gz"]
    in_domain = ["--in-domain", f"dev.{target}.gz"]
    total = sum(pairs.values())
    yield pool.run("sample", *texts, *in_domain, *out, "--seed", SEED, pairs=total)
    for language in pool.languages:
        of = ["--in-domain", f"dev.{language}.gz", "--general", f"sample.{language}.gz"]
        pool.run("language-models", *of, "--out", language)
    models = ["--source-models", source, "--target-models", target]
    for name, count in pairs.items():
        out = ["--out", f"{name}.scores.npy"]
        yield pool.run("cross-entropy", *pool.sides(name), *models, *out, of=name, pairs=count)


def select(pool: Pool, pairs: Mapping[str, int], limit: str, *options: str) -> Iterator[Cost]:
    """Rank the pool, up to what the options say, and select from every corpus."""
    ranking = f"{limit}.json"
    scores = list(pool.each("scores", "scores.npy"))
    yield pool.run("rank", *scores, *options, "--out", ranking, pairs=sum(pairs.values()))
    for name, count in pairs.items():
        out = f"{limit}.{name}"
        files = ["--scores", f"{name}.scores.npy", "--ranking", ranking]
        for side in SIDES:
            files += [f"--{side}-out", f"{out}.{side}.gz"]
            files += [f"--{side}-counts-out", f"{out}.{side}.tsv.gz"]
        files += ["--selected-out", f"{out}.json"]
        yield pool.run("select", *pool.sides(name), *files, of=name, pairs=count)


def compare(pool: Pool, pairs: int) -> Iterator[Cost]:
    """Compare selected with random text, in both languages."""
    for language in pool.languages:
        texts = [*pool.each("text", f"{language}.gz"), *pool.each("scores", "scores.npy")]
        known = ["--vocabulary", f"{language}.vocabulary.txt", "--dev", f"test.{language}.gz"]
        given = ["--ranking", f"{BY_WORDS}.json", "--most-words", MOST_WORDS]
        given += ["--seed", COMPARISON_SEED]
        out = ["--out", f"perplexity.{language}.json"]
        yield pool.run("perplexity", *texts, *known, *given, *out, of=language, pairs=pairs)


def measured(pool: Pool) -> Measured:
    """Run everything."""
    pairs = prepare(pool)
    costs = list(score(pool, pairs))
    by_pairs = ["--pairs", str(pairs[pool.domain])]
    costs += select(pool, pairs, BY_PAIRS, *by_pairs)
    selected = {BY_PAIRS: selected_of(pool, BY_PAIRS)}
    words = sum(each["read"]["target_words"] for each in selected[BY_PAIRS].values())
    costs += select(pool, pairs, BY_WORDS, "--target-words", str(words // SHARE))
    selected[BY_WORDS] = selected_of(pool, BY_WORDS)
    costs += compare(pool, sum(pairs.values()))
    perplexities = {
        language: read_json(pool.work / f"perplexity.{language}.json")
        for language in pool.languages
    }
    return Measured(selected, perplexities, costs)


def selected_of(pool: Pool, limit: str) -> dict[str, Any]:
    """The report of `select` for each corpus."""
    return {name: read_json(pool.work / f"{limit}.{name}.json") for name in pool.folders}


def corpus_rows(found: Measured) -> Iterator[list[str]]:
    """A row for each corpus and one for the pool: what is in it and how much was selected."""
    rows = []
    for name, by_words in found.selected[BY_WORDS].items():
        read, kept = by_words["read"], by_words["kept"]
        by_pairs = found.selected[BY_PAIRS][name]["kept"]
        rows.append([*read.values(), kept["pairs"], kept["target_words"], by_pairs["pairs"]])
        yield [name, *(f"{figure:,}" for figure in rows[-1])]
    yield ["all", *(f"{sum(column):,}" for column in zip(*rows, strict=True))]


def precision(pool: Pool, found: Measured) -> str:
    """How many of the best pairs are of the domain, in words."""
    kept = {name: each["kept"]["pairs"] for name, each in found.selected[BY_PAIRS].items()}
    read = {name: each["read"]["pairs"] for name, each in found.selected[BY_PAIRS].items()}
    wanted, right = read[pool.domain], kept[pool.domain]
    share = right / sum(kept.values())
    chance = wanted / sum(read.values())
    return (
        f"Of the {sum(kept.values()):,} pairs with the lowest scores, as many as {pool.domain} "
        f"has, {right:,} are from there: a precision of **{share:.1%}**, {share / chance:.1f} "
        f"times that of chance, {chance:.1%}."
    )


def perplexity_rows(found: Measured) -> Iterator[list[str]]:
    """A row for each language and cut-off, the largest first."""
    read = (each["read"]["target_words"] for each in found.selected[BY_WORDS].values())
    total = sum(read)
    for language, report in found.perplexities.items():
        for cut_off in reversed(report["cut_offs"]):
            chosen, random = cut_off["selected"], cut_off["random"]
            yield [
                language,
                f"{cut_off['target_words']:,}",
                f"{cut_off['target_words'] / total:.1%}",
                f"{chosen['pairs']:,}",
                f"{random['pairs']:,}",
                f"{chosen['perplexity']:.1f}",
                f"{random['perplexity']:.1f}",
                f"{chosen['perplexity'] / random['perplexity'] - 1:+.0%}",
            ]


def cost_rows(found: Measured) -> Iterator[list[str]]:
    """A row for each command, all its runs together."""
    amounts = found.selected[BY_WORDS].values()
    pool_words = sum(each["read"][f"{side}_words"] for each in amounts for side in SIDES)
    pool_pairs = sum(each["read"]["pairs"] for each in amounts)
    for command in dict.fromkeys(cost.command for cost in found.costs):
        costs = [cost for cost in found.costs if cost.command == command]
        pairs, cpu = sum(cost.pairs for cost in costs), sum(cost.cpu for cost in costs)
        yield [
            command,
            f"{len(costs)}",
            f"{pairs:,}",
            f"{cpu:.1f}",
            f"{pairs / cpu:,.0f}",
            f"{pairs / pool_pairs * pool_words / cpu:,.0f}" if command in READS_BOTH_SIDES else "",
            f"{max(cost.megabytes for cost in costs):.0f}",
        ]


def page(pool: Pool, found: Measured) -> list[str]:
    """The tables."""
    source, target = pool.languages
    return [
        f"The pool, a selection of 1/{SHARE} of its {target} words, and one of as many pairs as "
        f"{pool.domain} has, whose dev text is the in-domain text:",
        "",
        *table(
            f"corpus | pairs | {source} words | {target} words | 1/{SHARE}: pairs | "
            f"1/{SHARE}: {target} words | best pairs".split(" | "),
            corpus_rows(found),
            words=1,
        ),
        "",
        precision(pool, found),
        "",
        remarks(NOTES),
        "",
        *table(
            f"language | {target} words | of the pool | pairs: selected | random | "
            "perplexity: selected | random | difference".split(" | "),
            perplexity_rows(found),
            words=1,
        ),
        "",
        remarks(COST_NOTES),
        "",
        *table(
            COST_HEAD,
            cost_rows(found),
            words=1,
        ),
    ]


def main(
    folders: Annotated[
        list[Path], typer.Argument(help="corpora of the pool; without training text, left out")
    ],
    in_domain: Annotated[Path, typer.Option(help="the one of them that is to be found")],
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Select from the pool, and compare what was selected with chance."""
    with tempfile.TemporaryDirectory() as folder:
        pool = parse_pool(folders, in_domain, Path(folder))
        found = measured(pool)
    named = " ".join(path.name for path in pool.folders.values())
    command = f"python benchmarks/selection.py {named} --in-domain {in_domain.name}"
    about = made_by(command, "numpy")
    publish(["# The selection of training text", "", *about, "", *page(pool, found)], out)


if __name__ == "__main__":
    stay_on_one_core()
    typer.run(main)
