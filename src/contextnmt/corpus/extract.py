"""Stage *extract*: the two sides of a parallel text, out of whatever they were packed in."""

import gzip
import sys
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Annotated

import typer

from contextnmt.corpus.archive import ARCHIVES, most_bytes, open_members
from contextnmt.corpus.digests import NAMES, difference
from contextnmt.corpus.drift import first_drift
from contextnmt.corpus.raw_text import decode_blocks
from contextnmt.corpus.sgm import segments
from contextnmt.errors import UserError
from contextnmt.files import atomic_all, open_binary
from contextnmt.progress import bar

#: Characters of a line that a message shows.
SHOWN = 60


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

        Raises UserError, naming the line, if a row of a table has no such column, or another
        number of columns than it should.
        """
        if self.column is None:
            return block
        rows = [line.split("\t") for line in split(block)]
        for number, row in enumerate(rows, start=before + 1):
            if len(row) < self.column:
                raise UserError(
                    f"{self.place}, line {number}: {len(row)} columns, so none is column "
                    f"{self.column}: mend the row or correct `columns`; tabs part columns"
                )
            if len(row) != (self.columns or len(row)):
                raise UserError(
                    f"{self.place}, line {number}: {len(row)} columns, and `columns` names "
                    f"{self.columns}: mend the row, or give each column a name, any name if it is "
                    "not needed; tabs part columns"
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
    for place in places:
        file, _, member = place.partition("::")
        if file.endswith(ARCHIVES) and not member:
            raise UserError(f"{file}: an archive holds several files: write {file}::MEMBER")
        members.setdefault(file, set()).add(member)
    for file, names in members.items():
        if any(names):
            for name, stream, size in open_members(Path(file), names):
                with unpacked(stream, name) as text:
                    yield f"{file}::{name}", text_blocks(text, f"{file}::{name}", size)
        else:
            with open_binary(Path(file)) as stream:
                yield file, text_blocks(stream, file, Path(file).stat().st_size)


def unpacked(stream: IO[bytes], name: str) -> IO[bytes]:
    """The bytes of a member, uncompressed if its name ends in ``.gz``."""
    return gzip.GzipFile(fileobj=stream) if name.endswith(".gz") else stream  # type: ignore[return-value]


def text_blocks(stream: IO[bytes], place: str, size: int) -> Iterator[str]:
    """The text of a file of `size` bytes, of an SGM file its segments, in blocks of whole lines."""
    blocks = decode_blocks(stream, place, most_bytes(size))
    if not place.removesuffix(".gz").endswith(".sgm"):
        return blocks
    lines = (line for block in blocks for line in split(block))
    return (segment + "\n" for segment in segments(lines, place))


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
    wrong = difference(file, {kind: expected})
    if wrong:
        raise UserError(
            f"{file}: not the expected file: {wrong}: delete it and fetch it again; if its "
            f"publisher has changed it, correct `{kind}`"
        )


def read_sides(
    sides: Sequence[Side], doing: str, lines: int | None
) -> Iterator[tuple[int, int, str]]:
    """The sentences of all sides in blocks, with the number of the side and of the lines before.

    Each sentence is ended by LF. `doing`, and the `lines` expected on each side, are for the
    progress bar.
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
                    yield number, before, sentences
                    counts[number] += sentences.count("\n")
                shown.update(sum(counts) - shown.n)


def count_sides(sides: Sequence[Side], lines: int | None) -> list[int]:
    """How many lines each side has; `lines` are expected, for the progress bar."""
    counts = [0] * len(sides)
    for number, before, sentences in read_sides(sides, "count", lines):
        counts[number] = before + sentences.count("\n")
    return counts


def borders_of(lines: int, parts: int) -> list[int]:
    """How many of `lines` lie before each part but the first: before part i, i * lines // parts."""
    return [part * lines // parts for part in range(1, parts)]


def cut(sentences: str, before: int, borders: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Whole lines, before which came `before` others, in pieces, with the part that each is of."""
    after = before + sentences.count("\n")
    cuts = [border - before for border in borders if before < border < after]
    if not cuts:
        yield bisect(borders, before), sentences
        return
    lines = split(sentences)
    for first, last in pairwise([0, *cuts, len(lines)]):
        yield (
            bisect(borders, before + first),
            "".join(line + "\n" for line in lines[first:last]),
        )


def copy_sides(
    sides: Sequence[Side],
    outs: Sequence[Sequence[IO[str]]],
    borders: Sequence[int],
    lines: int | None,
) -> list[int]:
    """Write each side to its streams, one a part, and return how many lines each side had.

    `borders` are those of the parts, as of `borders_of`; `lines` are expected on each side.
    """
    counts = [0] * len(sides)
    for number, before, sentences in read_sides(sides, "extract", lines):
        for part, piece in cut(sentences, before, borders):
            outs[number][part].write(piece)
        counts[number] = before + sentences.count("\n")
    return counts


def check_counts(sides: Sequence[Side], counts: Sequence[int], lines: int | None) -> None:
    """Raise UserError unless both sides have the same, expected, positive number of lines."""
    found = f"{sides[0]} has {counts[0]} lines and {sides[1]} has {counts[1]}"
    if counts[0] != counts[1]:
        raise UserError(
            f"{found}: the two sides of a parallel text need as many lines as each other; "
            f"{told_drift(sides)}"
        )
    if counts[0] == 0:
        raise UserError(f"{found}: an empty text is of no use; check the names of its files")
    if lines is not None and counts[0] != lines:
        raise UserError(f"{found}: {lines} were expected; correct `lines` or the files")


def told_drift(sides: Sequence[Side]) -> str:
    """Where two sides of unequal length run apart, in words; both are read again."""
    drift = first_drift(zip(*(read_side(side.place) for side in sides), strict=False))
    if drift is None:
        return "where they run apart cannot be told: they may fit to the end of the shorter one"
    number, *texts = drift
    shown = [text if len(text) <= SHOWN else f"{text[:SHOWN]}…" for text in texts]
    # As Python writes them, so that a stray CR or U+2028 can be seen.
    return f"they seem to run apart near line {number}: {shown[0]!a} beside {shown[1]!a}"


def extract(
    source: Annotated[str, typer.Option(help="Source side: FILE, FILE.gz or ARCHIVE::MEMBER.")],
    target: Annotated[str, typer.Option(help="Target side, in the same way.")],
    source_out: Annotated[
        list[Path],
        typer.Option(help="Source side to write, one sentence a line; repeatable: a part each."),
    ],
    target_out: Annotated[
        list[Path], typer.Option(help="Target side to write; as often as --source-out.")
    ],
    source_column: Annotated[
        int | None, typer.Option(min=1, help="Column of the source side, if it is in a table.")
    ] = None,
    target_column: Annotated[
        int | None, typer.Option(min=1, help="Column of the target side, if it is in a table.")
    ] = None,
    columns: Annotated[
        int | None, typer.Option(min=2, help="Columns that each row of the table must have.")
    ] = None,
    lines: Annotated[int | None, typer.Option(help="Lines that both sides must have.")] = None,
    lines_recalled: Annotated[
        int | None, typer.Option(help="Lines that both sides should have: only a warning if not.")
    ] = None,
    source_digest: Annotated[
        str | None,
        typer.Option(help="sha256:HEX or md5:HEX that the source side's file must have."),
    ] = None,
    target_digest: Annotated[
        str | None, typer.Option(help="The same for the target side's file.")
    ] = None,
) -> None:
    """Take both sides of one parallel text out of an archive, SGM, a table or plain files.

    Archives (.tar, .tar.gz, .tgz) are read once, and nothing else is unpacked. Of SGM (.sgm), the
    segments are taken, their entities decoded. Tables have their columns parted by tabs. All may
    be compressed (.gz). A line ends at LF alone, and text is UTF-8; a byte order mark at the start
    is removed, U+FFFD stands for the invalid bytes of at most one line in a thousand, and plain
    text is changed in nothing else. Both sides must have the same number of lines. A file with
    another digest than the one given is refused before it is read.

    With several outputs a side, the text is cut into as many parts in a row, as equal as can be:
    of n lines and k parts, i * n // k lines lie before part i, counted from 0. The lines are then
    counted before, so that all is read twice.

    Example: contextnmt extract --source corpus.tgz::train.en --target corpus.tgz::train.fr
    --source-out train.en.gz --target-out train.fr.gz --lines 2007723
    """
    parts = len(source_out)
    if len(target_out) != parts:
        raise UserError(
            f"--source-out is given {parts} times and --target-out {len(target_out)} times: "
            "every part has two sides"
        )
    sides = [Side(source, source_column, columns), Side(target, target_column, columns)]
    digests = {sides[0].file: source_digest, sides[1].file: target_digest}
    for file, digest in digests.items():
        check_digest(file, digest)
    expected = lines or lines_recalled
    borders: list[int] = []
    if parts > 1:
        counts = count_sides(sides, expected)
        check_counts(sides, counts, lines)
        borders = borders_of(counts[0], parts)
    with atomic_all([*source_out, *target_out]) as outs:
        counts = copy_sides(sides, (outs[:parts], outs[parts:]), borders, expected)
        check_counts(sides, counts, lines)
    if lines_recalled is not None and counts[0] != lines_recalled:
        print(
            f"warning: {source} has {counts[0]} lines, not {lines_recalled}; that number was "
            "stated from memory, so correct `lines_recalled` if the file is right",
            file=sys.stderr,
        )
