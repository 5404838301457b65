"""How many tagged words and phrases a translation renders right.

The author of a test text tagged what is hard in it: ambiguous words (which a cue elsewhere in the
sentence settles), names, numbers, acronyms. BLEU hardly moves with them; these counts show whether
contextualization and symbolization do what Choi et al. say they do (section 6.3).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.corpus.extract import read_side
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError, one_of_each
from contextnmt.evaluation.outputs import gap_in, translated_lines
from contextnmt.files import COUNT, count_lines, write_json

COLUMNS = ("line", "kind", "language", "source", "target", "seen", "distance")

#: Kinds of tags.
KINDS = ("ambiguous", "name", "number", "acronym")

#: Buckets of the distance from an ambiguous word to its cue (1: the next word), by their start.
DISTANCES = {1: "1-3", 4: "4-6", 7: "7-12", 13: "13+"}

#: Table -> row -> ``right`` and ``total``.
Counts = dict[str, dict[str, dict[str, int]]]
TABLES = ("kinds", "ambiguous_by_distance", "ambiguous_by_cue", "by_word", "names_by_seen")


@dataclass(frozen=True)
class Tag:
    """One tagged word or phrase of a sentence.

    `target`: the tokens that render `source` right. `seen`: whether `source` occurs in the training
    text; of ``ambiguous``, whether it does beside one of its cues here. `bucket`: one of
    `DISTANCES` for ``ambiguous``, empty for the other kinds.
    """

    kind: str
    source: str
    target: tuple[str, ...]
    seen: bool
    bucket: str

    def rows(self) -> Iterator[tuple[str, str]]:
        """The tables, and the row of each, that this tag is counted in."""
        seen = "seen" if self.seen else "unseen"
        yield "kinds", self.kind
        if self.kind == "ambiguous":
            yield "ambiguous_by_distance", self.bucket
            yield "ambiguous_by_cue", seen
            yield "by_word", self.source
        if self.kind == "name":
            yield "names_by_seen", seen


def phenomena(
    tags: Annotated[str, typer.Option(help="table of tags: FILE or ARCHIVE::MEMBER")],
    target_language: Annotated[str, typer.Option(help="language of the translations")],
    name: Annotated[list[str], typer.Option(help="name of a translation; repeatable")],
    hypothesis: Annotated[list[Path], typer.Option(help="translation, tokenized words")],
    reference: Annotated[Path, typer.Option(help="reference of the text, tokenized words")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Count the ambiguous words, names, numbers and acronyms that translations render right.

    If a translation is damaged, or differs from the reference in its number of lines, a gap with
    the reason replaces its counts.

    Example: contextnmt phenomena --tags embedded.tar.gz::test.phenomena.tsv --target-language fr
    --name test.beam12 --hypothesis test.beam12.gz --reference test.fr.gz --out phenomena.json
    """
    one_of_each("translation", name=name, hypothesis=hypothesis)
    tags_of = read_tags(tags, target_language)
    count, last = count_lines(reference), max(tags_of)
    if count < last:
        raise UserError(
            f"{reference} has {count} lines, but line {last} is tagged: give the reference of the "
            "text that the tags belong to"
        )
    counts: dict[str, Any] = {}
    for key, path in zip(name, hypothesis, strict=True):
        with gap_in(counts, key):
            counts[key] = count_right(tags_of, translated_lines(path, reference, count))
    write_json(out, counts)


def read_tags(table: str, language: str) -> dict[int, list[Tag]]:
    """The tags for one target language, by the number of their line (from 1).

    Raises UserError, naming the line of `table`, if a row is damaged; also if no row is for
    `language`.
    """
    rows = (line.split("\t") for line in read_side(table))
    header = next(rows, [])
    if missing := set(COLUMNS) - set(header):
        raise UserError(
            f"{table}, line 1: no column {', '.join(sorted(missing))}: name it in the header"
        )
    tokenizer = Tokenizer(language, segmented=True)  # tags are written in words
    tags: dict[int, list[Tag]] = {}
    for number, cells in enumerate(rows, start=2):
        try:
            if len(cells) != len(header):
                raise ValueError(f"{len(cells)} cells; the header has {len(header)}")
            row = dict(zip(header, cells, strict=True))
            if row["language"] == language:
                target = tuple(tokenizer.line(row["target"]).split())
                tags.setdefault(number_in(row, "line"), []).append(parse_tag(row, target))
        except ValueError as error:
            raise UserError(f"{table}, line {number}: {error}") from None
    if not tags:
        raise UserError(f"{table}: no tag for the language {language!r}: name one that it has")
    return tags


def number_in(row: Mapping[str, str], key: str) -> int:
    """The number in a cell. Raises ValueError if it is none, or 0."""
    if not re.fullmatch(COUNT, row[key]) or int(row[key]) < 1:
        raise ValueError(f"{key} is {row[key][:80]!r}; it must be a whole number of at least 1")
    return int(row[key])


def parse_tag(row: Mapping[str, str], target: tuple[str, ...]) -> Tag:
    """The tag in one row of the table. Raises ValueError if a cell has no meaning."""
    kind, seen = row["kind"], row["seen"]
    distance = number_in(row, "distance") if kind == "ambiguous" else 1
    for wrong, message in (
        (kind not in KINDS, f"kind is {kind[:80]!r}; allowed: {', '.join(KINDS)}"),
        (seen not in ("0", "1"), f"seen is {seen[:80]!r}; allowed: 0 or 1"),
        (not target, "target is empty: write the words that render the source"),
    ):
        if wrong:
            raise ValueError(message)
    bucket = DISTANCES[max(start for start in DISTANCES if start <= distance)]
    return Tag(kind, row["source"], target, seen == "1", bucket if kind == "ambiguous" else "")


def count_right(tags_of: Mapping[int, Sequence[Tag]], lines: Sequence[str]) -> Counts:
    """How many tags the `lines` of a translation render right, and how many there are, by table and
    row; none of the tags may be of a line beyond the last one."""
    counts: Counts = {table: {} for table in TABLES}
    for number, line in enumerate(lines, start=1):
        tags = tags_of.get(number, ())
        for tag, right in zip(tags, rendered(tags, line.split()), strict=True):
            for table, row in tag.rows():
                cell = counts[table].setdefault(row, {"right": 0, "total": 0})
                cell["right"] += right
                cell["total"] += 1
    return counts


def rendered(tags: Sequence[Tag], tokens: Sequence[str]) -> list[bool]:
    """For each tag of a sentence, whether its target stands in `tokens`, as one piece.

    No token counts for two tags: two tags with one target need it twice. Longer targets choose
    first, so that ``Paris`` does not take a word from ``Paris Match``.
    """
    free: list[str | None] = list(tokens)
    right = [False] * len(tags)
    for index in sorted(range(len(tags)), key=lambda index: -len(tags[index].target)):
        target = list(tags[index].target)
        for start in range(len(free) - len(target) + 1):
            span = slice(start, start + len(target))
            if free[span] == target:
                free[span] = [None] * len(target)
                right[index] = True
                break
    return right
