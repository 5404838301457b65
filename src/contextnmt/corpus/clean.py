"""Stage *clean*: drop the pairs of a training text that would teach nothing or something wrong."""

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_lines, read_pairs, write_json, write_pairs
from contextnmt.progress import progress

Words = list[str]
#: Whether a pair is to be dropped, from the words of its source and its target side.
Filter = Callable[[Words, Words], bool]

#: Removed pairs that the report shows for each filter.
EXAMPLES = 10
#: Counts above this are as good as this one when the language of a sentence is judged.
COUNT_CAP = 1000
LOG_COUNTS = [math.log2(count + 1) for count in range(COUNT_CAP + 1)]
#: What no clean text has: control characters, the replacement character, and UTF-8 read as Latin-1
#: or Windows-1252, in which é, «, ’ and œ became Ã©, Â«, â€™ and Å“ (the tokenizer splits these).
GARBLED = re.compile(r"[\x7f-\x9f\ufffd]|Ã(?![A-Z])|Â(?![A-Za-zÀ-ÿ])|â ?[€‚]|Å ?[“’]")


def has_empty_side(source: Words, target: Words) -> bool:
    """Whether a side has no words."""
    return not source or not target


def is_garbled(source: Words, target: Words) -> bool:
    """Whether a side shows the traces of a wrong decoding."""
    return any(GARBLED.search(" ".join(side)) for side in (source, target))


def longer_than(max_length: int) -> Filter:
    """A filter for pairs with more than `max_length` words on a side."""
    return lambda source, target: max(len(source), len(target)) > max_length


def more_uneven_than(max_ratio: float) -> Filter:
    """A filter for pairs one side of which has `max_ratio` times the other's words plus 10.

    With 2 it is the length rule of Jean et al. 2015 (A12), whose slack of 10 spares short pairs.
    """

    def is_uneven(source: Words, target: Words) -> bool:
        shorter, longer = sorted((len(source), len(target)))
        return longer >= max_ratio * shorter + 10

    return is_uneven


def is_identical(source: Words, target: Words) -> bool:
    """Whether both sides are the same."""
    return source == target


class WrongLanguage:
    """The language check of Jean et al. 2015 (A12), which needs nothing but the text itself.

    A side is foreign if its words are more frequent on the other side of the text than on its
    own: if the mean of log2(min(count, 1000) + 1) over its n words is higher under the other
    side's counts by more than 1/n. The counts are two tables, some 100 bytes a distinct word.
    """

    def __init__(self, source: Path, target: Path) -> None:
        """Count the words of both files."""
        self.source_counts = count_words(source)
        self.target_counts = count_words(target)

    def __call__(self, source: Words, target: Words) -> bool:
        """Whether a side of the pair is in the other side's language."""
        return is_foreign(source, self.source_counts, self.target_counts) or is_foreign(
            target, self.target_counts, self.source_counts
        )


def count_words(path: Path) -> Counter[str]:
    """How often each word occurs in a tokenized file."""
    counts: Counter[str] = Counter()
    for line in progress(read_lines(path), f"count {path.name}", "lines"):
        counts.update(line.split())
    return counts


def is_foreign(words: Words, own: Counter[str], other: Counter[str]) -> bool:
    """Whether `words` fit the `other` counts better than their `own`, by 1 in sum."""
    return familiarity(words, other) > familiarity(words, own) + 1


def familiarity(words: Words, counts: Counter[str]) -> float:
    """Sum over `words` of log2(min(count, 1000) + 1)."""
    return sum(LOG_COUNTS[min(counts.get(word, 0), COUNT_CAP)] for word in words)


class Duplicate:
    """Recognises a pair seen before by an 8-byte hash, at about 100 bytes of memory a pair."""

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def __call__(self, source: Words, target: Words) -> bool:
        """Whether the pair came before; remembers it."""
        text = " ".join(source) + "\n" + " ".join(target)
        key = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
        if key in self.seen:
            return True
        self.seen.add(key)
        return False


SWITCH = ("true", (bool,))
#: Setting -> what its value may be, in words and in types, in the order of the filters.
SETTINGS: dict[str, tuple[str, tuple[type, ...]]] = {
    "drop_empty": SWITCH,
    "drop_garbled": SWITCH,
    "max_length": ("a whole number from 1", (int,)),
    "max_ratio": ("a number from 1", (int, float)),
    "drop_identical": SWITCH,
    "wrong_language": SWITCH,
    "drop_duplicates": SWITCH,
}


def parse_settings(text: str) -> dict[str, Any]:
    """The filters that the JSON object `text` turns on; null and false leave a filter off.

    Raises UserError at an unknown key and at a value that does not suit its key.
    """
    try:
        settings = dict(json.loads(text))
    except (ValueError, TypeError) as error:
        raise UserError(f"--settings: not a JSON object ({error}): give keys and values") from None
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        raise UserError(f"--settings: no filter {unknown[0]!r}: choose from {', '.join(SETTINGS)}")
    on = {
        name: value for name, value in settings.items() if value is not None and value is not False
    }
    for name, value in on.items():
        expected, types = SETTINGS[name]
        if type(value) not in types or value < 1:
            raise UserError(f"--settings: {name} is {value!r}: give {expected}, false or null")
    return {name: on[name] for name in SETTINGS if name in on}


def build_filters(settings: dict[str, Any], source: Path, target: Path) -> dict[str, Filter]:
    """The filters that `settings` turns on, in order; one of them reads the text beforehand."""
    makers: dict[str, Callable[[Any], Filter]] = {
        "drop_empty": lambda _: has_empty_side,
        "drop_garbled": lambda _: is_garbled,
        "max_length": longer_than,
        "max_ratio": more_uneven_than,
        "drop_identical": lambda _: is_identical,
        "wrong_language": lambda _: WrongLanguage(source, target),
        "drop_duplicates": lambda _: Duplicate(),
    }
    return {name: makers[name](value) for name, value in settings.items()}


@dataclass
class Removed:
    """What one filter dropped: how many pairs, and the first of them with their line numbers."""

    count: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, line: int, source: str, target: str) -> None:
        """Enter a pair."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append({"line": line, "source": source, "target": target})


class Cleaner:
    """Passes on the pairs that no filter drops, and keeps the books."""

    def __init__(self, filters: dict[str, Filter]) -> None:
        self.filters = filters
        self.read = 0
        self.removed = {name: Removed() for name in filters}

    def keep(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """The pairs to keep. Raises UserError at the end if there were none."""
        for source, target in pairs:
            self.read += 1
            words = source.split(), target.split()
            name = next((name for name, drops in self.filters.items() if drops(*words)), None)
            if name is None:
                yield source, target
            else:
                self.removed[name].add(self.read, source, target)
        if self.kept == 0:
            counts = ", ".join(f"{name} {removed.count}" for name, removed in self.removed.items())
            raise UserError(
                f"none of {self.read} pairs is left (dropped: {counts}): relax the filters, or "
                "check that the two sides belong together"
            )

    @property
    def kept(self) -> int:
        """Pairs passed on so far."""
        return self.read - sum(removed.count for removed in self.removed.values())

    def report(self) -> dict[str, Any]:
        """``read`` and ``kept`` pairs; ``removed``: for each filter, ``count`` and ``examples``."""
        removed = {name: asdict(removed) for name, removed in self.removed.items()}
        return {"read": self.read, "kept": self.kept, "removed": removed}


def clean(
    source: Annotated[Path, typer.Option(help="Tokenized source side.")],
    target: Annotated[Path, typer.Option(help="Tokenized target side.")],
    source_out: Annotated[Path, typer.Option(help="Cleaned source side to write.")],
    target_out: Annotated[Path, typer.Option(help="Cleaned target side to write.")],
    removed_out: Annotated[
        Path, typer.Option(help="JSON to write: pairs read, kept and removed, with examples.")
    ],
    settings: Annotated[str, typer.Option(help="The filters to use, as a JSON object.")],
) -> None:
    """Drop useless pairs from a tokenized training text.

    The filters, in this order; a pair counts for the first one that drops it: drop_empty (a side
    has no words), drop_garbled (broken encoding), max_length (more words than this on a side),
    max_ratio (a side has this many times the words of the other, plus 10), drop_identical (both
    sides are the same), wrong_language (a side's words are more frequent on the other side),
    drop_duplicates (the pair came before). A filter is off if it is missing, false or null.

    Example: contextnmt clean --source train.tok.en.gz --target train.tok.fr.gz --source-out
    train.clean.en.gz --target-out train.clean.fr.gz --removed-out train.removed.json --settings
    '{"drop_empty": true, "max_length": 50}'
    """
    cleaner = Cleaner(build_filters(parse_settings(settings), source, target))
    pairs = progress(read_pairs(source, target), f"clean {source.name}", "pairs")
    write_pairs(source_out, target_out, cleaner.keep(pairs))
    write_json(removed_out, cleaner.report())
