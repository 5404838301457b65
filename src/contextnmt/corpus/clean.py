"""Stages *survey* and *clean*: drop the pairs of a training text that would teach nothing or
something wrong.

The survey tells the filters what they must know of a whole text, part by part: how often each side
has each word, and of each pair a fingerprint, by which it is known again.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, repeat
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.arrays import map_array, save_array
from contextnmt.configuration.values import Cleaning, json_object, read
from contextnmt.corpus.counts import summed_counts, write_counts
from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_json, write_pairs
from contextnmt.progress import progress, say

#: Bytes of a fingerprint. Among the 4e7 pairs of WMT14 En-Fr, two different ones share one with a
#: probability of 4e-5.
WIDTH = 8
#: A fingerprint in memory and on disk.
FINGERPRINT = np.dtype(f"<u{WIDTH}")

Fingerprints = npt.NDArray[np.uint64]

Words = list[str]
#: Whether a pair is to be dropped, from the words of its source and its target side.
Filter = Callable[[Words, Words], bool]

#: Removed pairs that the report shows for each filter.
EXAMPLES = 10
#: Counts above this are as good as this one when the language of a sentence is judged.
COUNT_CAP = 1000
LOG_COUNTS = [math.log2(count + 1) for count in range(COUNT_CAP + 1)]
#: A difference of two sums of logarithms is exact up to this: far more than the error of floats.
ROUNDING = 1e-9
#: Signs of damage: control characters, the replacement character, and UTF-8 read as Windows-1252 or
#: Latin-1. There a character became a letter like Ã and marks, which the tokenizer parts from it:
#: Ã© for é, Å¡ for š, Â« for «, â€™ for ’. Such a letter may end a word in capitals, as in AMANHÃ.
MARK = "[€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ¡-¿]"
GARBLED = re.compile(
    "|".join(
        [
            r"[\x7f-\x9f\ufffd]",
            r"[a-zà-ÿ][ÂÃÄÅÐÑĂĹ]",  # voilÃ, fÃ¼r; as Windows-1250 vĂ­
            rf"(?<!\w)[ÂÃ] ?{MARK}",  # Ã‰tat, Â£
            r"(?<!\S)Ã(?!\S)",  # à, whose second byte is a blank
            r"[ÂÃÄÅÐÑ] ?[€‚ƒ„†‡ˆ‰Š‹ŒŽ˜š›œžŸ¤¦¨¬¯´¶¸¼-¾ŤŹ]",
            r"Å [™¡¥¯]|Å ?[“’](?=\w| \w)|[ĂĹ] ?[€‚„…†‡‰‹‘-›˘ˇ¨¯°´¸˝]",
            r"â ?[€‚„†ˆ‰]|ð ?Ÿ",
            *(rf"(?:[{letters}] ?{MARK} ?){{2}}" for letters in ("ÎÏ", "Ð-Ó", "Õ-×", "Ø-Û")),
            rf"(?:[à-ï] ?{MARK} ?{MARK} ?){{3}}",  # Chinese and others of three bytes a character
            r"(?:[РС] ?[^\s\w]|[РС][Ђ-Џђ-џµ]){3}",  # as Windows-1251 РїСЂРё
        ]
    )
)


class Survey(NamedTuple):
    """How often each side of a text has each word, and a fingerprint of each pair: [pairs].

    Equal words on both sides make an equal fingerprint. The two tables of words take some 120 bytes
    a distinct word, the fingerprints 8 bytes per pair.
    """

    source_counts: Counter[str]
    target_counts: Counter[str]
    fingerprints: Fingerprints


def survey_files(source: Path, target: Path) -> Survey:
    """The survey of the pairs in two tokenized files."""
    source_counts, target_counts, digests = Counter[str](), Counter[str](), bytearray()
    for pair in progress(read_pairs(source, target), f"survey {source.name}", "pairs"):
        words, others = map(str.split, pair)
        source_counts.update(words)
        target_counts.update(others)
        text = " ".join(words) + "\n" + " ".join(others)
        digests += hashlib.blake2b(text.encode(), digest_size=WIDTH).digest()
    return Survey(source_counts, target_counts, np.frombuffer(digests, FINGERPRINT))


def read_fingerprints(path: Path) -> Fingerprints:
    """The fingerprints of the pairs of a text: [pairs].

    Raises UserError if they are missing or the file holds anything else.
    """
    return np.array(map_array(path, FINGERPRINT, "fingerprints", "survey the text again"))


def survey(
    source: Annotated[Path, typer.Option(help="Tokenized source side.")],
    target: Annotated[Path, typer.Option(help="Tokenized target side.")],
    source_counts_out: Annotated[Path, typer.Option(help="Word counts of the source to write.")],
    target_counts_out: Annotated[Path, typer.Option(help="Word counts of the target to write.")],
    fingerprints_out: Annotated[Path, typer.Option(help="Fingerprints of pairs to write (.npy).")],
) -> None:
    """Count the words of a part of a text and take a fingerprint of each pair.

    `clean` needs both to judge a part by the whole text: whether a sentence has the words of the
    other language, and whether a pair came before. The counts are tables of word and count, by
    descending count and then by word; the fingerprints are 64-bit hashes, one per pair.

    Example: contextnmt survey --source train.1of2.en.gz --target train.1of2.fr.gz
    --source-counts-out 1of2.en.tsv --target-counts-out 1of2.fr.tsv --fingerprints-out
    1of2.fingerprints.npy
    """
    found = survey_files(source, target)
    write_counts(source_counts_out, found.source_counts)
    write_counts(target_counts_out, found.target_counts)
    save_array(fingerprints_out, found.fingerprints)


class WrongLanguage:
    """The language check of Jean et al. 2015 (A12), which needs nothing but the text itself.

    A side is foreign if its words are more frequent on the other side of the text than on its
    own: if the mean of log2(min(count, 1000) + 1) over its n words is higher under the other
    side's counts by more than 1/n, that is, if the sum is higher by more than 1. The sums differ
    by what the words' leads add up to: a table of some 90 bytes a distinct word, besides the two
    tables of counts of some 120 while it is made.
    """

    def __init__(self, source_counts: Counter[str], target_counts: Counter[str]) -> None:
        """`source_counts` and `target_counts`: how often each side of the text has each word."""
        self.leads = {
            word: familiarity(source_counts, word) - familiarity(target_counts, word)
            for counts in (source_counts, target_counts)
            for word in counts
        }

    def lead(self, words: Words) -> float:
        """By how much the sum is higher under the counts of the source than of the target side.

        Raises UserError at a word that neither side has.
        """
        try:
            return sum(map(self.leads.__getitem__, words))
        except KeyError as error:
            raise UserError(
                f"the word {error.args[0][:80]!r} is not in the word counts: give those of all "
                "parts of the text"
            ) from None

    def __call__(self, source: Words, target: Words) -> bool:
        """Whether a side of the pair is in the other side's language."""
        return max(-self.lead(source), self.lead(target)) > 1 + ROUNDING


def familiarity(counts: Counter[str], word: str) -> float:
    """log2(min(count, 1000) + 1)."""
    return LOG_COUNTS[min(counts.get(word, 0), COUNT_CAP)]


def repeated(own: Fingerprints, earlier: Iterable[Fingerprints]) -> bytes:
    """For each pair of a part, 1 if it came before, in the part or in an earlier one, else 0.

    The `earlier` ones are put in another order. Memory is some 41 bytes per pair of the part, or a
    little more if an earlier part, held in memory one at a time, is larger than it.
    """
    values, first = np.unique(own, return_index=True)
    repeats = np.ones(len(own), np.uint8)
    repeats[first] = 0
    for fingerprints in earlier:
        if len(fingerprints):
            fingerprints.sort()
            nearest = np.searchsorted(fingerprints, values)
            repeats[first] |= fingerprints.take(nearest, mode="clip") == values
    return repeats.tobytes()


def read_settings(text: str) -> Cleaning:
    """The filters that the JSON object `text` turns on; null and false mean off.

    Raises UserError at an unknown key and at a value that does not suit its key.
    """
    block = json_object("--settings", text)
    off = {key for key, value in block.items() if value is None or value is False}
    off &= Cleaning.__dataclass_fields__.keys()
    return read(Cleaning, "--settings", {key: block[key] for key in block if key not in off})


def build_filters(settings: Cleaning) -> dict[str, Filter]:
    """The filters that `settings` turn on, in order, except for the last two."""
    longest, ratio = settings.max_length or math.inf, settings.max_ratio or math.inf
    filters: dict[str, Filter] = {
        "drop_empty": lambda source, target: not source or not target,
        "drop_garbled": lambda *sides: any(GARBLED.search(" ".join(side)) for side in sides),
        "max_length": lambda *sides: max(map(len, sides)) > longest,
        # With 2, the length rule of Jean et al. 2015 (A12), whose slack of 10 spares short pairs.
        "max_ratio": lambda *sides: max(map(len, sides)) >= ratio * min(map(len, sides)) + 10,
        "drop_identical": lambda source, target: source == target,
    }
    return {name: drops for name, drops in filters.items() if getattr(settings, name)}


class Cleaner:
    """Passes on the pairs that no filter drops, and counts them.

    `read` and `kept`: numbers of pairs; `removed`: for each filter, ``count`` and ``examples``. A
    repeated pair passes the other filters only if the first one of its kind did, since they see
    nothing but its words: so the duplicates are known beforehand.
    """

    def __init__(
        self,
        settings: Cleaning,
        source: Path,
        target: Path,
        source_counts: Sequence[Path] | None = None,
        target_counts: Sequence[Path] | None = None,
        fingerprints: Sequence[Path] | None = None,
    ) -> None:
        """`source` and `target` have the pairs to clean.

        Stage *survey* has counted the words of all parts of the text, and taken the fingerprints of
        its parts up to and including this one. Where its files are missing, the pairs are the whole
        text and are surveyed here. Raises UserError if one side alone has counts.
        """
        if bool(source_counts) != bool(target_counts):
            raise UserError("give both --source-counts and --target-counts, or neither")
        self.source, self.filters = source, build_filters(settings)
        self.repeats: bytes | None = None
        fingerprints = fingerprints or []
        whole = cache(partial(survey_files, source, target))
        if settings.wrong_language:
            tables = [summed_counts(paths) for paths in (source_counts, target_counts) if paths]
            self.filters["wrong_language"] = WrongLanguage(*(tables or whole()[:2]))
        names = list(self.filters)
        if settings.drop_duplicates:
            own = read_fingerprints(fingerprints[-1]) if fingerprints else whole().fingerprints
            self.repeats = repeated(own, map(read_fingerprints, fingerprints[:-1]))
            names.append("drop_duplicates")
        self.read = self.kept = 0
        self.removed: dict[str, dict[str, Any]] = {
            name: {"count": 0, "examples": []} for name in names
        }

    def keep(self, pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """The pairs to keep, of all those of the text.

        Raises UserError in the end if there are more or fewer of them than fingerprints.
        """
        marks = chain(self.repeats or b"", repeat(0))
        for (source, target), again in zip(pairs, marks, strict=False):
            self.read += 1
            words = source.split(), target.split()
            dropping = (name for name, drops in self.filters.items() if drops(*words))
            name = next(dropping, "drop_duplicates" if again else None)
            if name is None:
                self.kept += 1
                yield source, target
                continue
            removed = self.removed[name]
            removed["count"] += 1
            if removed["count"] <= EXAMPLES:
                example = {"line": self.read, "source": source, "target": target}
                removed["examples"].append(example)
        if self.repeats is not None and self.read != len(self.repeats):
            raise UserError(
                f"{self.source}: has {self.read} pairs and {len(self.repeats)} fingerprints: "
                "survey it again, and give its own fingerprints last"
            )


def clean(
    source: Annotated[Path, typer.Option(help="Tokenized source side.")],
    target: Annotated[Path, typer.Option(help="Tokenized target side.")],
    source_out: Annotated[Path, typer.Option(help="Cleaned source side to write.")],
    target_out: Annotated[Path, typer.Option(help="Cleaned target side to write.")],
    removed_out: Annotated[Path, typer.Option(help="JSON to write: pairs kept and removed.")],
    settings: Annotated[str, typer.Option(help="The filters to use, as a JSON object.")],
    source_counts: Annotated[
        list[Path] | None, typer.Option(help="Word counts of a part's source side; repeatable.")
    ] = None,
    target_counts: Annotated[
        list[Path] | None, typer.Option(help="The same of the target.")
    ] = None,
    fingerprints: Annotated[
        list[Path] | None, typer.Option(help="Fingerprints of parts up to this one; repeatable.")
    ] = None,
) -> None:
    """Drop useless pairs from a tokenized training text.

    The filters, in this order; a pair counts for the first one that drops it: drop_empty (a side
    has no words), drop_garbled (broken encoding), max_length (more words than this on a side),
    max_ratio (a side has this many times the words of the other, plus 10), drop_identical (both
    sides are the same), wrong_language (a side's words are more frequent on the other side),
    drop_duplicates (the pair came before in this text). A filter is off if it is missing, false or
    null.

    For a part of a text, the last two filters need the whole text: give the word counts of all
    parts and the fingerprints of this and all earlier parts, as survey writes them. Without them,
    the part is taken for the whole text.

    Example: contextnmt clean --source train.tok.en.gz --target train.tok.fr.gz --source-out
    train.clean.en.gz --target-out train.clean.fr.gz --removed-out train.removed.json --settings
    '{"drop_empty": true, "max_length": 50}'
    """
    cleaner = Cleaner(
        read_settings(settings), source, target, source_counts, target_counts, fingerprints
    )
    pairs = progress(read_pairs(source, target), f"clean {source.name}", "pairs")
    write_pairs(source_out, target_out, cleaner.keep(pairs))
    read, kept, removed = cleaner.read, cleaner.kept, cleaner.removed
    write_json(removed_out, {"read": read, "kept": kept, "removed": removed})
    if read > kept == 0:
        counts = ", ".join(f"{name} {each['count']}" for name, each in removed.items())
        say(
            f"warning: {source}: none of {read} pairs is left (dropped: {counts}): check that the "
            "two sides belong together, or relax the filters"
        )
