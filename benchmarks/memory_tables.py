"""The tables that grow in the memory of the text stages: an entry's size, and how many at WMT14.

scale.py writes them. An entry is measured by itself; entries are counted in what the commands made.
"""

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np
from text_steps import MOST_WORDS, SHARE, Run, grown

from contextnmt.corpus.clean import WrongLanguage, repeated
from contextnmt.corpus.counts import summed_counts, write_counts
from contextnmt.corpus.survey import read_fingerprints, survey_pairs
from contextnmt.corpus.tokenize import CHUNK_END, REMEMBERED_CHUNKS, Tokenizer
from contextnmt.files import count_lines, read_json, read_lines
from contextnmt.selection.language_model import estimate
from contextnmt.selection.ngrams import Vocabulary
from contextnmt.selection.rank import rank
from contextnmt.selection.ranking import SCORED
from contextnmt.text import names
from contextnmt.text.binarize import SIDES
from contextnmt.text.bpe import REMEMBERED_WORDS, segmenter
from contextnmt.text.counts import read_counts
from contextnmt.text.rules import counted_rules, read_rules


def each_word(counts: Path, work: Callable[[str], object]) -> None:
    """Call `work` with each word of a table of counts."""
    for line in read_lines(counts):
        work(line.partition("\t")[0])


def count_rules(rules: Path) -> None:
    """Count the rows of a rule dictionary, as they were counted when it was made."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for rule in read_rules(rules):
        counts[rule[:3]] += 1
    deque(counted_rules(counts), maxlen=0)


class Scale(NamedTuple):
    """How large a text a stage works on at WMT14, English-French."""

    name: str
    pairs: int


#: The largest corpus is giga-fren, in ten parts of it; all five of them are the pool.
PART = Scale("a part of giga-fren", 2_252_040)
CORPUS = Scale("giga-fren", 22_520_400)
POOL = Scale("the pool", 40_842_357)
#: Choi et al. 2017, Table 3; how many pairs of the pool: Sutskever et al. 2014.
SELECTED = Scale("the selection", 12_000_000)
#: Distinct words that the selection has in English and in French, by the same table.
SOURCE_WORDS, TARGET_WORDS = 1_770_000, 1_730_000
BOTH_WORDS = SOURCE_WORDS + TARGET_WORDS
#: Those in French before symbolization and after it, together; in English they are fewer.
COVERAGE_WORDS = TARGET_WORDS + 490_000


class Table(NamedTuple):
    """A table that a command keeps in memory."""

    step: str
    name: str
    entries: Callable[[Run], int]
    size: Callable[[Run], float] | None  # bytes an entry; None: what the command itself takes
    scale: Scale
    most: int | None = None  # entries that it never exceeds
    words: int | None = None  # entries for the selection of WMT14 in the paper, if they are words
    mapped: bool = False  # from disk, so the system can drop it at any time


def words_in(kind: str, *of: str) -> Callable[[Run], int]:
    """The rows of the tables of word counts KIND.SIDE.tsv*, together."""

    def rows(run: Run) -> int:
        return sum(
            count_lines(path) for side in of for path in run.text.folder.glob(f"{kind}.{side}.tsv*")
        )

    return rows


def rows_of(name: str) -> Callable[[Run], int]:
    """The rows of a table with a header."""
    return lambda run: count_lines(run.text.folder / name) - 1


def pairs_read(run: Run) -> int:
    return run.text.pairs


def pairs_kept(run: Run) -> int:
    return run.kept


def chunks(run: Run) -> int:
    """The distinct chunks of both sides that the tokenizer may remember."""
    return sum(
        min(REMEMBERED_CHUNKS, len(distinct(run.text.folder / f"text.{side}.gz"))) for side in SIDES
    )


def distinct(path: Path) -> set[str]:
    """The distinct chunks of a text, until there are as many as the tokenizer remembers."""
    found: set[str] = set()
    for line in read_lines(path):
        found.update(CHUNK_END.split(line))
        if len(found) >= REMEMBERED_CHUNKS:
            break
    return found


def model_words(run: Run) -> int:
    """The target words of the pairs selected, which `perplexity` makes its largest model of."""
    words: int = read_json(run.text.folder / "ranking.json")["kept"]["target_words"]
    return words


def coverage_words(run: Run) -> int:
    """The words before and after symbolization of the side with more of them."""
    report = read_json(run.text.folder / "coverage.json")
    words: int = max(
        side["before"]["unique_words"] + side["after"]["unique_words"] for side in report.values()
    )
    return words


def size_of_chunk(run: Run) -> float:
    """A remembered chunk and its tokens; on the beginning of the text."""
    tokenizer = Tokenizer(run.languages[0])
    lines = islice(read_lines(run.text.folder / "text.source.gz"), 20_000)
    size = grown(lambda: deque(map(tokenizer.line, lines), 0))
    return size / tokenizer.chunk.cache_info().currsize


def size_of_count(kind: str) -> Callable[[Run], float]:
    """A word and its count, read from tables and written sorted."""

    def size(run: Run) -> float:
        paths = [*run.text.folder.glob(f"{kind}.*.tsv*")]
        again = run.text.folder / "again.tsv"
        return grown(lambda: write_counts(again, summed_counts(paths))) / count_lines(again)

    return size


def size_of_plain_count(run: Run) -> float:
    """A word and its count, read from a table."""
    path = run.text.folder / "counts.source.tsv"
    return grown(lambda: read_counts(path)) / count_lines(path)


def size_of_fingerprint(run: Run) -> float:
    """A fingerprint while they are taken."""
    return grown(lambda: survey_pairs(repeat(("a", "b"), 100_000))) / 100_000


def size_of_lead(run: Run) -> float:
    """A word of the check of languages, its two counts included while it is made."""
    paths = [run.text.folder / f"survey.{side}.tsv.gz" for side in SIDES]
    size = grown(lambda: WrongLanguage(*(summed_counts([path]) for path in paths)))
    return size / sum(map(count_lines, paths))


def size_of_repeat(run: Run) -> float:
    """A fingerprint while repeated pairs are looked for."""
    own = read_fingerprints(run.text.folder / "fingerprints.npy")
    return grown(lambda: repeated(own, [])) / len(own)


def size_of_rank(run: Run) -> float:
    """A pair of the pool, ranked."""
    folder = run.text.folder
    scores = [folder / "text.scores.npy"]
    size = grown(lambda: rank(scores, folder / "again.json", pairs=run.kept // SHARE))
    return size / run.kept


def size_of_score(run: Run) -> float:
    """A pair in the file of scores."""
    return float(SCORED.itemsize)


def size_of_model_word(run: Run) -> float:
    """A word of a model while it is estimated; on the beginning of the text."""
    known = Vocabulary.read(run.text.folder / "target.vocabulary.txt")
    lines = list(islice(read_lines(run.text.folder / "clean.target.gz"), 20_000))
    words = sum(len(line.split()) for line in lines)
    return grown(lambda: estimate(known.encode(lines), len(known))) / words


def size_of_rule(run: Run) -> float:
    """A row of the rule dictionary, as counted when it was made."""
    rules = run.text.folder / "sym.rules.tsv"
    return grown(lambda: count_rules(rules)) / (count_lines(rules) - 1)


def size_of_class(run: Run) -> float:
    """A word and its class."""
    counts = run.text.folder / "counts.source.tsv"
    names.word_class.cache_clear()
    size = grown(lambda: each_word(counts, names.word_class))
    return size / names.word_class.cache_info().currsize


def size_of_cut(run: Run) -> float:
    """A word and its subwords."""
    counts = run.text.folder / "counts.source.tsv"
    words = dict(islice(read_counts(counts).items(), 20_000))
    segment = segmenter(run.text.folder / "codes")
    return grown(lambda: deque(map(segment, words), 0)) / len(words)


def size_of_ids(run: Run) -> float:
    """What is mapped of a pair in both views."""
    views = (run.text.folder / view for view in ("ids", "symbol-ids"))
    arrays = chain.from_iterable(view.glob("train.*.npy") for view in views)
    return sum(path.stat().st_size for path in arrays) / run.kept


#: What grows in the memory of each command, all in all.
TABLES = [
    Table("tokenize", "chunks remembered", chunks, size_of_chunk, PART, 2 * REMEMBERED_CHUNKS),
    Table(
        "survey",
        "words",
        words_in("survey", *SIDES),
        size_of_count("survey"),
        PART,
        words=BOTH_WORDS,
    ),
    Table("survey", "fingerprints", pairs_read, size_of_fingerprint, PART),
    Table("clean", "words", words_in("survey", *SIDES), size_of_lead, CORPUS, words=BOTH_WORDS),
    Table("clean", "fingerprints", pairs_read, size_of_repeat, PART),
    Table("cross-entropy", "scores", pairs_kept, None, PART),
    Table("rank", "ranking", pairs_kept, size_of_rank, POOL),
    Table("rank", "scores", pairs_kept, size_of_score, POOL, mapped=True),
    Table(
        f"select, 1/{SHARE}",
        "words",
        words_in("best", *SIDES),
        size_of_count("best"),
        PART,
        words=BOTH_WORDS,
    ),
    Table(f"select, 1/{SHARE}", "scores", pairs_kept, size_of_score, PART, mapped=True),
    Table("perplexity", "n-grams, a word", model_words, size_of_model_word, SELECTED, MOST_WORDS),
    Table("perplexity", "ranking", pairs_kept, size_of_rank, POOL),
    Table("perplexity", "scores", pairs_kept, size_of_score, POOL, mapped=True),
    Table(
        "select, all",
        "words",
        words_in("sel", *SIDES),
        size_of_count("sel"),
        PART,
        words=BOTH_WORDS,
    ),
    Table(
        "word-counts",
        "words",
        words_in("counts", "target"),
        size_of_count("sel"),
        SELECTED,
        words=TARGET_WORDS,
    ),
    Table(
        "symbolize",
        "words",
        words_in("counts", *SIDES),
        size_of_plain_count,
        SELECTED,
        words=BOTH_WORDS,
    ),
    Table("symbolize", "rules", rows_of("sym.rules.tsv"), size_of_rule, PART),
    Table("symbolize", "rates", rows_of("sym.rates.tsv"), size_of_rule, PART),
    Table(
        "symbolize",
        "classes of words",
        words_in("counts", *SIDES),
        size_of_class,
        PART,
        names.REMEMBERED_WORDS,
    ),
    Table(
        "bpe, learning",
        "words in pieces",
        words_in("counts", "source"),
        None,
        SELECTED,
        words=SOURCE_WORDS,
    ),
    Table(
        "bpe, cutting",
        "words remembered",
        words_in("counts", "source"),
        size_of_cut,
        PART,
        REMEMBERED_WORDS,
    ),
    Table(
        "binarize",
        "words",
        words_in("counts", *SIDES),
        size_of_plain_count,
        SELECTED,
        words=BOTH_WORDS,
    ),
    Table("coverage", "words", coverage_words, size_of_plain_count, SELECTED, words=COVERAGE_WORDS),
    Table("pairs", "ids", pairs_kept, size_of_ids, SELECTED, mapped=True),
]


class Grown(NamedTuple):
    """A table at the sizes that were measured, and at WMT14."""

    table: Table
    size: float  # bytes an entry
    entries: list[int]  # at each size of the text
    extrapolated: int  # entries at WMT14

    @property
    def growth(self) -> float:
        """MB that the table takes more at the largest size than at the smallest."""
        return self.size * (self.entries[-1] - self.entries[0]) / (1 << 20)

    @property
    def further(self) -> float:
        """MB that it takes more at WMT14 than at the largest size."""
        return self.size * (self.extrapolated - self.entries[-1]) / (1 << 20)


def power_law(pairs: Sequence[int], entries: Sequence[int]) -> tuple[float, float]:
    """K and b of entries = K pairs^b, by least squares of their logarithms."""
    exponent, logarithm = np.polyfit(np.log(pairs), np.log(np.maximum(entries, 1)), 1)
    return float(np.exp(logarithm)), float(exponent)


def extrapolated(table: Table, pairs: Sequence[int], entries: Sequence[int]) -> int:
    """The entries at WMT14: one a pair, or by a power law, that of words through the paper's."""
    if table.entries in (pairs_read, pairs_kept):
        return table.scale.pairs
    factor, exponent = power_law(pairs, entries)
    if table.words:
        factor = table.words / SELECTED.pairs**exponent
    found: int = round(factor * table.scale.pairs**exponent)
    return found if table.most is None else min(found, table.most)


def taken(step: str, runs: Sequence[Run], entries: Sequence[int]) -> float:
    """Bytes an entry that a command takes more in the largest text than in the one before."""
    before, last = (run.costs[step].megabytes * (1 << 20) for run in runs[-2:])
    return (last - before) / max(1, entries[-1] - entries[-2])


def grown_tables(runs: Sequence[Run]) -> Iterator[Grown]:
    """All tables; an entry is measured on the largest text."""
    pairs = [run.text.pairs for run in runs]
    sizes = {size: size(runs[-1]) for size in dict.fromkeys(each.size for each in TABLES) if size}
    for each in TABLES:
        entries = [min(each.entries(run), each.most or sys.maxsize) for run in runs]
        size = sizes[each.size] if each.size else taken(each.step, runs, entries)
        yield Grown(each, size, entries, extrapolated(each, pairs, entries))
