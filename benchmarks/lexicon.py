"""How good a lexicon of real parallel text is, beside that of the aligner eflomal: a Markdown page.

Each corpus is a folder named like bible_en-de, with train.en.gz, train.de.gz, dev.* and test.* in
it. For the words of dev and test that are not the most frequent of the training text: in what share
of the sentences does the reference have what the lexicon says, or a copy of the word? eflomal
(2.0.0; pip install eflomal, which needs a compiler) is to be found on the PATH; its lexicon has the
target word to which a word is linked most often, source to target.

Example: python benchmarks/lexicon.py data/docs_en-fr data/bible_en-de
--out benchmarks/published/lexicon.md
"""

import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pages import made_by, publish, table

from contextnmt.corpus.tokenize import tokenize
from contextnmt.files import read_lines, read_pairs
from contextnmt.text.lexicon import lexicon, read_lexicon
from contextnmt.text.pieces import tokens_of

#: Groups of words by rank; unknown words are rare ones, so the most frequent 300 are left out.
RANKS = {"301 to 2,000": (300, 2000), "above 2,000": (2000, 1 << 60)}
#: Groups by the first letter, which tells apart what Jean et al. look up and what they copy.
CASES: dict[str, Callable[[str], bool]] = {
    "lower case": lambda word: word[0].islower(),
    "others": lambda word: word[0].isalnum() and not word[0].islower(),
}

LEXICONS = ("`contextnmt lexicon`", "eflomal")

Pairs = list[tuple[list[str], list[str]]]


def tokenized(folder: Path, name: str, work: Path) -> list[Path]:
    """Both sides of a text of a corpus, tokenized into `work`."""
    source, target = languages = folder.name.rpartition("_")[2].split("-")
    outs = [work / f"{name}.{language}" for language in languages]
    tokenize(folder / f"{name}.{source}.gz", folder / f"{name}.{target}.gz", source, target, *outs)
    return outs


def words_of(source: Path, target: Path) -> Pairs:
    """The words of both sides of each sentence pair."""
    return [(tokens_of(left), tokens_of(right)) for left, right in read_pairs(source, target)]


def linked(train: list[Path], work: Path) -> dict[str, str]:
    """The lexicon of eflomal: the target word that each word is linked to most often."""
    kept = [pair for pair in words_of(*train) if all(pair)]
    for side, name in enumerate(("source", "target")):
        lines = (" ".join(pair[side]) + "\n" for pair in kept)
        (work / name).write_text("".join(lines), encoding="utf-8", newline="\n")
    files = ["-s", work / "source", "-t", work / "target", "-f", work / "links"]
    subprocess.run(["eflomal-align", *files, "--overwrite"], check=True)
    counts: Counter[tuple[str, str]] = Counter()
    for links, (source, target) in zip(read_lines(work / "links"), kept, strict=True):
        for link in links.split():
            place, other = map(int, link.split("-"))
            counts[source[place], target[other]] += 1
    found: dict[str, str] = {}
    for (word, translation), _ in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        found.setdefault(word, translation)
    return found


def right(lexicons: Sequence[Mapping[str, str]], train: Pairs, tests: Pairs) -> Iterator[list[str]]:
    """A row for each group of words: how many the tests have, and the share that is right."""
    counts = Counter(word for source, _ in train for word in source)
    ranks = {word: rank for rank, (word, _) in enumerate(counts.most_common())}
    for ranked, (low, high) in RANKS.items():
        for case, is_of in CASES.items():
            words = [
                (word, set(target))
                for source, target in tests
                for word in source
                if low <= ranks.get(word, -1) < high and is_of(word)
            ]
            shares = [
                sum(known.get(word) in target for word, target in words) / max(1, len(words))
                for known in lexicons
            ]
            yield [ranked, case, f"{len(words):,}", *(f"{100 * share:.1f}" for share in shares)]


def measured(folder: Path, work: Path) -> tuple[list[list[str]], list[str]]:
    """The rows of a corpus, and one with the pairs of its training text and the seconds taken."""
    train, *tests = (tokenized(folder, name, work) for name in ("train", "dev", "test"))
    read = words_of(*train)
    lexicons = [{word: word for source, _ in read for word in source}]
    seconds = []
    for make in (own, linked):
        start = time.perf_counter()
        lexicons.append(make(train, work))
        seconds.append(f"{time.perf_counter() - start:.0f}")
    rows = right(lexicons, read, [pair for test in tests for pair in words_of(*test)])
    return [[folder.name, *row] for row in rows], [folder.name, f"{len(read):,}", *seconds]


def own(train: list[Path], work: Path) -> dict[str, str]:
    """The lexicon of the stage."""
    lexicon([train[0]], [train[1]], work / "lexicon.tsv")
    return read_lexicon(work / "lexicon.tsv")


def main(
    folders: Annotated[list[Path], typer.Argument(help="corpora")],
    out: Annotated[Path | None, typer.Option(help="page to write")] = None,
) -> None:
    """Measure each corpus and write the page."""
    shares, costs = [], []
    for folder in folders:
        with tempfile.TemporaryDirectory() as work:
            rows, cost = measured(folder, Path(work))
        shares += rows
        costs.append(cost)
    lines = [
        "# A lexicon of real text",
        "",
        *made_by("python benchmarks/lexicon.py"),
        "",
        "How many words of dev and test have their copy, or what a lexicon says, in the reference, "
        "in percent; by their rank in the training text:",
        "",
        *table(["corpus", "rank", "words", "number", "copy", *LEXICONS], shares, words=3),
        "",
        "What the lexicons cost:",
        "",
        *table(["corpus", "pairs", *(f"{name} (s)" for name in LEXICONS)], costs, words=1),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
