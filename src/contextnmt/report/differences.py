"""The test sentences in which two systems differ most, each pair of systems, as a table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.files import read_pairs
from contextnmt.report.experiment import Experiment, match
from contextnmt.report.sentence_gains import KINDS, Difference, Gains, Text, Word, languages
from contextnmt.report.sentences import folder_of, name_of, read_output, source_and_target, text_of
from contextnmt.report.stale import stale_notes
from contextnmt.report.tables import NONE, Block, Cell, Table, shown, signed
from contextnmt.text.counts import read_counts
from contextnmt.text.pieces import tokens_of
from contextnmt.text.symbols import Side

#: A row of the table.
Row = dict[str, Any]
#: Why two systems are compared: they differ in a method alone, the paper says that one of them is
#: better, or both are there.
METHOD, CLAIM, OTHER = "method", "claim", "other"
#: What the rows of a contrast have in common.
KEY = ("pair", "kind", "method", "present", "without")
#: Sentences of either direction that the page shows of contrasts of kind `OTHER`: there are many.
FEW = 1
#: The columns that count the sentences of the text.
COUNTS = ("better", "worse", "equal")
#: Column of the table -> kind of the words whose positions it has.
MARKS = {f"{kind}s": kind for kind in KINDS.values()}


class Comparison(NamedTuple):
    """Two systems that are compared, by their ids; `method` is empty if they do not differ in one
    alone."""

    kind: str
    method: str
    present: str
    without: str


@dataclass(frozen=True)
class Shown:
    """The sentences of one language pair in which two systems differ most; `gap` says why there are
    none."""

    pair: str
    kind: str
    method: str  # its name, or empty
    present: str  # label of the system with the method, or that is to be better
    without: str
    better: int | None
    worse: int | None
    equal: int | None
    gains: list[Difference]
    losses: list[Difference]
    gap: str


def differences(
    source: list[Path],
    reference: list[Path],
    hypothesis: list[Path],
    source_counts: list[Path],
    target_counts: list[Path],
    about: Experiment,
) -> Table:
    """Show the sentences that a system makes better and worse than another: each pair of systems.

    By the chrF of the sentence, in the first test text. First come the systems that differ in a
    method alone, then those of the paper's claims, then all others. Translations are restored, of
    the first seed at the widest beam; one that is missing or too short is a gap with its reason.
    """
    texts = {pair: about.test[pair][0] for pair in about.pairs}
    sources = match("source", source, text_of, texts.items())
    references = match("reference", reference, text_of, texts.items())
    counts = [
        match(option, paths, folder_of, about.pairs)
        for option, paths in (
            ("source counts", source_counts),
            ("target counts", target_counts),
        )
    ]
    wanted = [
        (pair, system.id, about.seeds[0], f"{texts[pair]}.beam{about.beam}")
        for pair in about.pairs
        for system in about.systems
    ]
    given = set(map(name_of, hypothesis))
    hypotheses = match("hypothesis", hypothesis, name_of, [key for key in wanted if key in given])
    rows: list[Row] = []
    for pair, text in texts.items():
        lines = list(read_pairs(sources[pair, text], references[pair, text]))
        names = zip(source_and_target(pair), counts, strict=True)
        first, second = (Side(name, read_counts(paths[pair])) for name, paths in names)
        compared = Compared(Text(lines, languages(first, second, about.vocabulary_size)))
        for key in wanted:
            if key[0] == pair:
                compared.read(key[1], hypotheses.get(key), key[-1], unfinished(about, *key[:2]))
        rows += of_pair(about, pair, text, compared)
    found = shown_differences(about, rows)
    return Table(list(blocks(about, found)), rows, notes(about, found))


def unfinished(about: Experiment, pair: str, system: str) -> str:
    """The system by its label, and why it is not finished; empty if it is."""
    gap = about.gap(pair, system)
    return f"{about.labels(pair)[system]}: {gap}" if gap else ""


class Compared:
    """A text with the translations of all systems."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.outputs: dict[str, list[str]] = {}
        self.gaps: dict[str, str] = {}
        self.scores: dict[str, list[float]] = {}

    def read(self, system: str, path: Path | None, name: str, gap: str) -> None:
        """Add a system's translation, or why there is none: `gap`, if it is not finished."""
        output = read_output(path, name, len(self.text.lines), gap)
        if output.gap:
            self.gaps[system] = output.gap
        else:
            self.outputs[system] = output.lines

    def chrf(self, system: str) -> list[float]:
        """The chrF of each line of a system."""
        if system not in self.scores:
            self.scores[system] = self.text.chrf(self.outputs[system])
        return self.scores[system]

    def gains(self, present: str, without: str) -> Gains:
        """What one system is better and worse in than another; both have translations."""
        return self.text.gains(
            self.outputs[present], self.outputs[without], self.chrf(present), self.chrf(without)
        )


def contrasts_of(about: Experiment) -> Iterator[Comparison]:
    """Every two systems that are there: those of the methods, of claims, and all others.

    Each two once, but for what is a contrast of several methods. Of the others, the later system
    over the earlier one.
    """
    systems = [system.id for system in about.systems]
    methods = (Comparison(METHOD, x.id, *both) for x in about.methods for both in x.contrasts)
    claims = (Comparison(CLAIM, "", *both) for claim in about.claims for both in claim.contrasts)
    others = (Comparison(OTHER, "", later, first) for first, later in combinations(systems, 2))
    compared: set[frozenset[str]] = set()
    for contrast in (*methods, *claims, *others):
        both = frozenset((contrast.present, contrast.without))
        if both <= set(systems) and (contrast.kind == METHOD or both not in compared):
            compared.add(both)
            yield contrast


def of_pair(about: Experiment, pair: str, text: str, compared: Compared) -> Iterator[Row]:
    """What the table holds of each contrast: a row a version of each sentence, or a gap."""
    for key in contrasts_of(about):
        present, without = key.present, key.without
        contrast = dict(zip(KEY, (pair, *key), strict=True))
        gaps = dict.fromkeys(filter(None, map(compared.gaps.get, (present, without))))
        if gaps:
            yield row(contrast, text, None, gap="; ".join(gaps))
            continue
        found = compared.gains(present, without)
        if not found.gains + found.losses:
            yield row(contrast, text, found, gap="no sentence differs in its chrF")
        for each in found.gains + found.losses:
            versions = {
                "source": each.source,
                "reference": each.reference,
                without: each.without,
                present: each.present,
            }
            for version, words in versions.items():
                yield row(contrast, text, found, each, version, words)


def row(
    contrast: Row,
    text: str,
    found: Gains | None,
    each: Difference | None = None,
    version: str = "",
    words: list[Word] | None = None,
    gap: str = "",
) -> Row:
    """A row: one version of a sentence or, without one, a gap."""
    words = words or []
    counts = {key: getattr(found, key) if found else None for key in COUNTS}
    place = {"line": each.line, "gain": each.gain} if each else {"line": None, "gain": None}
    marks = {
        column: positions([word.kind == kind for word in words]) for column, kind in MARKS.items()
    }
    return {
        **contrast,
        **counts,
        "text": text,
        **place,
        "version": version,
        "tokens": " ".join(word.text for word in words),
        **marks,
        "unknown": positions([word.unknown for word in words]),
        "gap": gap,
    }


def positions(marked: list[bool]) -> str:
    """The numbers, from 1, of the marked words: ``2 5``."""
    return " ".join(str(number) for number, mark in enumerate(marked, start=1) if mark)


def words_in(row: Row) -> list[Word]:
    """The words of a row with their marks."""
    kinds = {number: kind for column, kind in MARKS.items() for number in row[column].split()}
    unknown = row["unknown"].split()
    return [
        Word(token, kinds.get(str(number), ""), str(number) in unknown)
        for number, token in enumerate(tokens_of(row["tokens"]), start=1)
    ]


def shown_differences(about: Experiment, rows: list[Row]) -> list[Shown]:
    """The sentences of each contrast as the page shows them, from the rows of the table."""
    methods = {method.id: method.name for method in about.methods}
    found = []
    told = [row for row in rows if row["kind"] != METHOD or row["method"] in methods]
    for (pair, kind, method, present, without), group in groupby(told, key_of):
        of_contrast = list(group)
        first = of_contrast[0]
        lines = groupby((each for each in of_contrast if each["version"]), lambda row: row["line"])
        sentences = [difference(list(versions)) for _, versions in lines]
        contrast = Shown(
            pair,
            kind,
            methods.get(method, ""),
            about.labels(pair)[present],
            about.labels(pair)[without],
            first["better"],
            first["worse"],
            first["equal"],
            [each for each in sentences if each.gain > 0],
            [each for each in sentences if each.gain < 0],
            first["gap"],
        )
        found.append(contrast)
    return found


def on_page(contrasts: list[Shown]) -> list[Shown]:
    """The same with less of those that neither a method nor a claim is about."""
    return [
        replace(each, gains=each.gains[:FEW], losses=each.losses[:FEW])
        if each.kind == OTHER
        else each
        for each in contrasts
    ]


def key_of(row: Row) -> tuple[str, ...]:
    """The contrast that a row is of."""
    return tuple(row[key] for key in KEY)


def difference(rows: list[Row]) -> Difference:
    """One sentence, from the rows of its versions."""
    return Difference(rows[0]["line"], rows[0]["gain"], *map(words_in, rows))


def blocks(about: Experiment, contrasts: list[Shown]) -> Iterator[Block]:
    """What a reader sees: how many sentences are better and worse, then a block a sentence."""
    for pair in about.pairs:
        counts = [
            (title(each), [shown(getattr(each, key), "{:,}") for key in COUNTS])
            for each in contrasts
            if each.pair == pair
        ]
        if counts:
            columns = [("better",), ("worse",), ("the same",)]
            yield Block(f"{about.pair_title(pair)}, sentences", columns, counts)
    for each in contrasts:
        for line in each.gains + each.losses:
            where = f"{about.test[each.pair][0]}, line {line.line:,}, {signed(line.gain, 1)} chrF"
            labels = ("Source", "Reference", each.without, each.present)
            versions = (line.source, line.reference, line.without, line.present)
            cells = [
                (label, [Cell(" ".join(word.text for word in words) or NONE)])
                for label, words in zip(labels, versions, strict=True)
            ]
            heading = f"{about.pair_title(each.pair)}, {title(each)}: {where}"
            yield Block(heading, [("tokens",)], cells, text_columns=1)


def title(contrast: Shown) -> str:
    """``contextualization (C), +Context (C) over Baseline``."""
    about = {METHOD: f"{contrast.method}, ", CLAIM: "a claim of the paper, ", OTHER: ""}
    return f"{about[contrast.kind]}{contrast.present} over {contrast.without}"


def notes(about: Experiment, contrasts: list[Shown]) -> list[str]:
    """What a reader must know to read the table. Of the many pairs that nothing is said of, the
    gaps have one note."""
    if not contrasts:
        return ["There is no second system to differ from."]
    named = [each for each in contrasts if each.kind != OTHER]
    missing = any(each.kind == OTHER and each.better is None for each in contrasts)
    return [
        "Sentences by their chrF (chrF2 of sacreBLEU), on tokenized text: first seed, widest beam.",
        *(
            f"{about.pair_title(each.pair)}, {title(each)}: {each.gap}."
            for each in named
            if each.gap
        ),
        *(
            ["A dash: no translation of one of the two; the CSV file has the reason."]
            if missing
            else []
        ),
        *stale_notes(about),
    ]
