"""Stage *extract*: the two sides of a parallel text, out of whatever they were packed in."""

import math
import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Annotated

import typer

from contextnmt.corpus.archive import (
    ARCHIVES,
    NAMES,
    decode_blocks,
    difference,
    most_bytes,
    open_members,
    part_of,
    segments,
)
from contextnmt.errors import UserError, one_of_each
from contextnmt.files import HEAD, atomic_all, open_binary, unpacked
from contextnmt.progress import bar, say

#: Characters of a line that a message shows.
SHOWN = 60

NUMBER = re.compile(r"\d+")

#: Bounds of the difference in length, |ln((a + 10) / (b + 10))| in characters, and the weights
#: between them: ln(share of pairs / share of lines a few places off), from six real corpora,
#: English with French and German: law, parliament, manuals, the Bible, a sample of WMT14.
LENGTH_BOUNDS = (0.1, 0.2, 0.35, 0.6, 1.0)
LENGTH_WEIGHTS = (1.3, 1.0, 0.3, -0.9, -2.7, -3.7)
#: Scores of lines with numbers, if both have the same ones and if not.
SAME_NUMBERS, OTHER_NUMBERS = 3.4, -1.6

#: How much likelier than "no drift" it has to be: e to the power of it.
CERTAINTY = 8.0


@dataclass(frozen=True)
class Side:
    """Where one side of a text is: ``FILE`` or ``ARCHIVE::MEMBER``, and its column in a table.

    Columns count from 1; `column` is None where each line is a sentence. Rows have `columns`, or
    any number of them if that is None.
    """

    place: str
    column: int | None = None
    columns: int | None = None

    @property
    def file(self) -> Path:
        """The file or archive."""
        return Path(self.place.partition("::")[0])

    def __str__(self) -> str:
        """The place and the column, for messages."""
        return self.place if self.column is None else f"{self.place}, column {self.column}"

    def sentences(self, block: str, before: int) -> str:
        """This side's part of a block of whole lines, before which came `before` others.

        Raises UserError, naming the line, if a row of a table has another number of columns than
        it should.
        """
        if self.column is None:
            return block
        rows = [line.split("\t") for line in split(block)]
        for number, row in enumerate(rows, start=before + 1):
            if len(row) < self.column or len(row) != (self.columns or len(row)):
                enough = self.columns and self.columns >= self.column
                expected = self.columns if enough else f"at least {self.column}"
                raise UserError(
                    f"{self.place}, line {number}: {len(row)} columns separated by tabs, expected "
                    f"{expected}: mend the row, or name each column of the table in `columns`"
                )
        return "".join(row[self.column - 1] + "\n" for row in rows)


def split(block: str) -> list[str]:
    """The lines of a block of whole lines, without their LF."""
    return block.split("\n")[:-1]


def read_texts(places: Iterable[str]) -> Iterator[tuple[str, Iterator[str]]]:
    """Each of `places` once, with its text in blocks of whole lines.

    An archive is read once for all its members, in its own order; so each text has to be read
    before the next one is asked for. Raises UserError if something is missing or damaged.
    """
    members: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    for place in places:
        file, _, member = place.partition("::")
        if file.lower().endswith(ARCHIVES) and not member:
            raise UserError(f"{file}: an archive holds several files: write {file}::MEMBER")
        # The last name is that of a part of XML, which may be in an archive.
        whole, _, part = place.rpartition("::")
        if is_markup(whole):
            parts.setdefault(whole, set()).add(part)
            member = whole.partition("::")[2]
        members.setdefault(file, set()).add(member)
    for file, names in members.items():
        if any(names):
            for name, packed in open_members(Path(file), names):
                place = f"{file}::{name}"
                head = packed.peek(HEAD)[:HEAD]  # type: ignore[attr-defined]
                yield from texts_of(unpacked(packed, head, place), place, Path(file), parts)
        else:
            with open_binary(Path(file)) as stream:
                yield from texts_of(stream, file, Path(file), parts)


def is_markup(place: str) -> bool:
    """Whether a file is SGML or XML by its name."""
    return re.search(r"\.(sgml?|xml)(\.(gz|bz2|xz))?$", place, re.IGNORECASE) is not None


def texts_of(
    stream: IO[bytes], place: str, file: Path, parts: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, Iterator[str]]]:
    """The text at a place, or those of the wanted `parts` of XML, in blocks of whole lines.

    Of SGML and XML, the segments are the lines. `file` is that which is read.
    """
    blocks = decode_blocks(stream, place, most_bytes(file))
    if not is_markup(place):
        yield place, blocks
        return
    text = "".join(blocks)
    for part in sorted(parts.get(place, [""])):
        found = part_of(text, part, place)
        here = f"{place}::{part}" if part else place
        yield here, (segment + "\n" for segment in segments(found, here))


def read_side(place: str) -> Iterator[str]:
    """The lines of ``FILE`` or ``ARCHIVE::MEMBER``, without a byte order mark.

    Raises UserError, naming file, member and line, if the text is missing, damaged or not UTF-8.
    """
    for _, blocks in read_texts([place]):
        for block in blocks:
            yield from split(block)


def check_digest(file: Path, digest: str | None) -> None:
    """Raise UserError if `file` is there but has not the `digest` (as of `NAMES`)."""
    if digest is None or not file.is_file():
        return
    kind, _, expected = digest.partition(":")
    if kind not in NAMES:
        raise UserError(f"{digest}: not a digest: give one as {':…, '.join(NAMES)}:…")
    wrong = difference(file, {kind: expected.lower()})
    if wrong:
        raise UserError(
            f"{file}: not the expected file: {wrong}: delete it and fetch it again; if its "
            f"publisher has changed it, correct `{kind}`"
        )


def read_sides(
    sides: Sequence[Side], doing: str, lines: int | None, take: Callable[[int, int, str], None]
) -> list[int]:
    """Give all sides to `take` in blocks, and return the number of lines of each.

    `take` gets the number of the side, that of the lines before, and sentences, each ended by LF.
    `doing`, and the `lines` expected on each side, are for the progress bar.
    """
    counts = [0] * len(sides)
    total = None if lines is None else lines * len(sides)
    with bar(f"{doing} {sides[0].file.name}", "lines", total) as shown:
        for place, blocks in read_texts([side.place for side in sides]):
            here = [number for number, side in enumerate(sides) if side.place == place]
            for block in blocks:
                before = counts[here[0]]
                for number in here:
                    sentences = sides[number].sentences(block, before)
                    take(number, before, sentences)
                    counts[number] += sentences.count("\n")
                shown.update(sum(counts) - shown.n)
    return counts


def cut(sentences: str, before: int, borders: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Whole lines, before which came `before` others, in pieces, each with its part.

    `borders`: the number of lines before each part but the first.
    """
    after = before + sentences.count("\n")
    cuts = [border - before for border in borders if before < border < after]
    if not cuts:
        yield bisect(borders, before), sentences
        return
    lines = split(sentences)
    for first, last in pairwise([0, *cuts, len(lines)]):
        piece = "".join(line + "\n" for line in lines[first:last])
        yield bisect(borders, before + first), piece


def check_counts(sides: Sequence[Side], counts: Sequence[int], lines: int | None) -> None:
    """Raise UserError unless both sides have the same, expected, positive number of lines."""
    found = f"{sides[0]} has {counts[0]} lines and {sides[1]} has {counts[1]}"
    if counts[0] != counts[1]:
        raise UserError(
            f"{found}: the two sides of a parallel text need as many lines as each other; "
            f"{describe_drift(sides)}"
        )
    if counts[0] == 0:
        raise UserError(f"{found}: an empty text is of no use; check the names of its files")
    if lines is not None and counts[0] != lines:
        raise UserError(f"{found}: {lines} were expected; correct `lines` or the files")


def describe_drift(sides: Sequence[Side]) -> str:
    """The line at which two sides of unequal length run apart, in words; reads both again."""
    drift = first_drift(zip(*(read_side(side.place) for side in sides), strict=False))
    if drift is None:
        return "compare their last lines: they seem to fit to the end of the shorter one"
    number, *texts = drift
    shown = [text if len(text) <= SHOWN else f"{text[:SHOWN]}…" for text in texts]
    # As Python writes them, so that a stray CR or U+2028 can be seen.
    return f"they seem to run apart near line {number}: {shown[0]!a} beside {shown[1]!a}"


def weight(source: str, target: str) -> float:
    """How much likelier two lines are as a pair than side by side by chance; natural logarithm."""
    difference = abs(math.log((len(source) + 10) / (len(target) + 10)))
    total = LENGTH_WEIGHTS[bisect(LENGTH_BOUNDS, difference)]
    numbers = sorted(NUMBER.findall(source)), sorted(NUMBER.findall(target))
    if any(numbers):
        total += SAME_NUMBERS if numbers[0] == numbers[1] else OTHER_NUMBERS
    return total


def first_drift(pairs: Iterable[tuple[str, str]]) -> tuple[int, str, str] | None:
    """The line from which on two sides do not fit, counted from 1, with its text on both sides.

    From there on, lines of other sentences stand side by side, which shows in their lengths and in
    their numbers. The line is the one at which "a pair before it, none after it" is most likely:
    the maximum of the summed log-likelihood ratios of both readings. It may be a few lines off.
    None if the sides fit to the end of the shorter one, or too few lines show where they do not.
    """
    total = best = 0.0
    found = None
    for number, (source, target) in enumerate(pairs, start=1):
        if total >= best:
            best, found = total, (number, source, target)
        total += weight(source, target)
    return found if best - total > CERTAINTY else None


def extract(
    source: Annotated[str, typer.Option(help="Source side: FILE, FILE.gz or ARCHIVE::MEMBER.")],
    target: Annotated[str, typer.Option(help="Target side, in the same way.")],
    source_out: Annotated[list[Path], typer.Option(help="Source side to write; repeatable.")],
    target_out: Annotated[list[Path], typer.Option(help="Target side, as often as --source-out.")],
    source_column: Annotated[int | None, typer.Option(min=1, help="Source side's column.")] = None,
    target_column: Annotated[int | None, typer.Option(min=1, help="Target side's column.")] = None,
    columns: Annotated[int | None, typer.Option(min=2, help="Columns each row must have.")] = None,
    lines: Annotated[int | None, typer.Option(help="Lines that both sides must have.")] = None,
    lines_recalled: Annotated[
        int | None, typer.Option(help="Lines that both sides should have: only a warning if not.")
    ] = None,
    source_digest: Annotated[
        str | None,
        typer.Option(help="sha256:HEX or md5:HEX that the source side's file must have."),
    ] = None,
    target_digest: Annotated[str | None, typer.Option(help="The same of the target side.")] = None,
) -> None:
    """Take both sides of one parallel text out of an archive, SGM, a table or plain files.

    Archives (tar, zip) are read once, and nothing else is unpacked. From SGM and XML (.sgm, .sgml,
    .xml), the segments are taken and their entities decoded. If XML holds both sides of a WMT test
    set, name the source as FILE::src and a reference as FILE::ref (the first) or
    FILE::ref.TRANSLATOR. Table columns are separated by tabs. All may be compressed (gzip, bzip2,
    xz; their first bytes tell). A line ends at LF alone, and text is UTF-8; byte order marks are
    removed, U+FFFD stands for the invalid bytes of at most one line in a thousand, and plain text
    is changed in nothing else. Both sides must have the same number of lines. A file with another
    digest than the one given is refused before it is read.

    With several outputs a side, the text is cut into that many consecutive parts of nearly equal
    size: part i, counted from 0, begins after i * n // k of the n lines, for k parts. The lines are
    counted first, so everything is read twice.

    Example: contextnmt extract --source corpus.tgz::train.en --target corpus.tgz::train.fr
    --source-out train.en.gz --target-out train.fr.gz --lines 2007723
    """
    one_of_each("part", source_out=source_out, target_out=target_out)
    parts = len(source_out)
    sides = [Side(source, source_column, columns), Side(target, target_column, columns)]
    digests = {sides[0].file: source_digest, sides[1].file: target_digest}
    for file, digest in digests.items():
        check_digest(file, digest)
    expected = lines or lines_recalled
    borders: list[int] = []
    if parts > 1:
        counts = read_sides(sides, "count", expected, lambda *_: None)
        check_counts(sides, counts, lines)
        borders = [part * counts[0] // parts for part in range(1, parts)]
    with atomic_all([*source_out, *target_out]) as outs:

        def write_part(side: int, before: int, sentences: str) -> None:
            for part, piece in cut(sentences, before, borders):
                outs[side * parts + part].write(piece)

        counts = read_sides(sides, "extract", expected, write_part)
        check_counts(sides, counts, lines)
    if lines_recalled is not None and counts[0] != lines_recalled:
        say(
            f"warning: {source} has {counts[0]} lines, not {lines_recalled}; that number was "
            "stated from memory, so correct `lines_recalled` if the file is right"
        )
