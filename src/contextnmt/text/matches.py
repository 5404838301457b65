"""Numbers, proper nouns and acronyms that stand in both sentences of a pair.

Source: Choi et al. 2017, appendix A. What is common to both sides is matched by its surface, from
left to right; no statistical aligner takes part.
"""

import heapq
import re
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from contextnmt.text.names import (
    PHRASE_WORDS,
    Sentence,
    Span,
    WordClass,
    beginnings,
    candidate_acronyms,
    compounds,
    is_doubtful,
    word_class,
)
from contextnmt.text.numbers import digits_key, grouped_key

#: How many places of a word on the target side are compared with one place on the source side.
PLACES = 20

#: Groups of a number that blanks separate: the first one, and the next ones (1 234 567,89).
FIRST_GROUP = re.compile(r"(?:\^\^)?\d{1,3}")
NEXT_GROUP = re.compile(r"\d{3}(?:,\d+)?")

Match = tuple[Span, Span]


def number_spans(pieces: Sequence[str], grouped: bool) -> list[Span]:
    """The number runs of a sentence. `grouped`: blanks may stand between groups (1 234,56)."""
    spans = []
    free = 0
    for start, piece in enumerate(pieces):
        if start < free or not piece[-1].isdecimal():
            continue
        free = start + 1
        if grouped and FIRST_GROUP.fullmatch(piece):
            while free < len(pieces) and NEXT_GROUP.fullmatch(pieces[free]):
                free += 1
                if "," in pieces[free - 1]:
                    break
        spans.append(Span(start, free))
    return spans


def common_numbers(
    source: list[str], target: list[str], source_grouped: bool, target_grouped: bool
) -> list[Match]:
    """The numbers that stand in both sentences, the same first occurrences paired first.

    Equal groups of digits match, whatever mark separates them; then, of the numbers left, equal
    digits match if they are at least four.
    """
    source_spans = number_spans(source, source_grouped)
    target_spans = number_spans(target, target_grouped) if source_spans else []
    if not target_spans:
        return []
    source_keys, target_keys = keys(source, source_spans), keys(target, target_spans)
    source_spans = list(ungroup(source, source_spans, target_keys))
    target_spans = list(ungroup(target, target_spans, source_keys))
    matches: list[Match] = []
    for key in (grouped_key, digits_key):
        found, source_spans, target_spans = pair_equal(
            [(key(span.text(source)), span) for span in source_spans],
            [(key(span.text(target)), span) for span in target_spans],
        )
        matches += found
    return matches


def keys(pieces: Sequence[str], spans: Iterable[Span]) -> set[str]:
    """Every key under which a number of the other side may match one of `spans`."""
    texts = [span.text(pieces) for span in spans]
    return {grouped_key(text) for text in texts} | {digits_key(text) for text in texts}


def ungroup(pieces: Sequence[str], spans: Iterable[Span], wanted: set[str]) -> Iterator[Span]:
    """`spans`, those over several pieces taken apart if the other side has no such number."""
    for span in spans:
        if span.length > 1 and keys(pieces, [span]).isdisjoint(wanted):
            yield from (Span(place, place + 1) for place in range(span.start, span.stop))
        else:
            yield span


def pair_equal(
    source: Iterable[tuple[str, Span]], target: Iterable[tuple[str, Span]]
) -> tuple[list[Match], list[Span], list[Span]]:
    """Pair each source span with the first unused target span of the same key.

    Returns the pairs, the source spans left and the target spans left. An empty key never matches.
    """
    waiting: dict[str, deque[Span]] = defaultdict(deque)
    for key, span in target:
        waiting[key].append(span)
    matches, left = [], []
    for key, span in source:
        if key and waiting.get(key):
            matches.append((span, waiting[key].popleft()))
        else:
            left.append(span)
    return matches, left, sorted(span for spans in waiting.values() for span in spans)


class Common(NamedTuple):
    """A name common to both sides. Sorts as names are taken: longest, whole words, leftmost."""

    negative_length: int
    in_compound: bool
    source: Span
    target: Span


def common_names(
    source: Sentence,
    target: Sentence,
    source_counts: Mapping[str, int],
    target_counts: Mapping[str, int],
) -> list[Match]:
    """The names that stand in both sentences: longest first, then leftmost, without overlap.

    A word also stands in a compound that continues it with a hyphen (Hali-Gali in
    Hali-Gali-Zeiten). A doubtful word is no name of its own, on either side, and starts a longer
    one only if it is not doubtful on the other side (A28): "New York", but not "In Berlin".
    """
    places = starts(target) if source.capitals else {}
    taken_source: set[int] = set()
    taken_target: set[int] = set()

    def longest(i: int, j: int) -> Common | None:
        common = longest_common(source.pieces, target.pieces, i, j, taken_source, taken_target)
        if common is None:
            return None
        doubtful = (
            is_doubtful(source.pieces, i, source_counts),
            is_doubtful(target.pieces, j, target_counts),
        )
        barred = any(doubtful) if common.source.length == 1 else all(doubtful)
        return None if barred else common

    heap = [
        common
        for i in source.capitals
        for j in meeting_places(source.pieces[i], places)
        if (common := longest(i, j))
    ]
    heapq.heapify(heap)
    matches = []
    while heap:
        best = heapq.heappop(heap)
        common = longest(best.source.start, best.target.start)
        if common == best:
            matches.append((best.source, best.target))
            taken_source.update(range(best.source.start, best.source.stop))
            taken_target.update(range(best.target.start, best.target.stop))
        elif common:  # a part of it has been taken since
            heapq.heappush(heap, common)
    return matches


def starts(sentence: Sentence) -> dict[str, list[int]]:
    """The places of every capitalized word, and of the beginnings of hyphenated ones."""
    places: dict[str, list[int]] = {}
    for place in sentence.capitals:
        for word in beginnings(sentence.pieces[place]):
            places.setdefault(word, []).append(place)
    return places


def meeting_places(word: str, places: Mapping[str, list[int]]) -> Iterator[int]:
    """Where the other side has `word` or a beginning of it."""
    for beginning in beginnings(word):
        yield from places.get(beginning, [])[:PLACES]


def longest_common(
    source: Sequence[str],
    target: Sequence[str],
    i: int,
    j: int,
    taken_source: Container[int],
    taken_target: Container[int],
) -> Common | None:
    """The longest name that starts at piece `i` of the source and piece `j` of the target."""
    best = None
    capitalized = False
    words = zip(source[i : i + PHRASE_WORDS], target[j : j + PHRASE_WORDS], strict=False)
    for length, (word, other) in enumerate(words, start=1):
        if i + length - 1 in taken_source or j + length - 1 in taken_target:
            break
        if word == other:
            shared = word
        elif word.startswith(f"{other}-"):
            shared = other
        elif other.startswith(f"{word}-"):
            shared = word
        else:
            break
        kind = word_class(shared)
        if kind is WordClass.OTHER:
            break
        capitalized = capitalized or kind is WordClass.CAPITALIZED
        if capitalized and kind is not WordClass.FUNCTION and (length > 1 or len(shared) > 1):
            best = Common(
                -length,
                word != other,
                Span(i, i + length, len(word) - len(shared)),
                Span(j, j + length, len(other) - len(shared)),
            )
        if word != other:
            break
    return best


def common_acronyms(
    source: Sentence,
    target: Sentence,
    taken_source: Container[int],
    taken_target: Container[int],
) -> list[Match]:
    """The acronyms of both sentences outside the places taken by names.

    Equal ones match first, also as the beginning of a compound (EU in EU-Kommission); if then
    one is left on each side, these two match (IMF and FMI).
    """
    source_spans = candidate_acronyms(source, taken_source)
    target_spans = candidate_acronyms(target, taken_target)
    matches, source_spans, target_spans = pair_equal(
        texts(source.pieces, source_spans), texts(target.pieces, target_spans)
    )
    more, source_spans, _ = pair_equal(
        texts(source.pieces, source_spans), texts(target.pieces, compounds(target, taken_target))
    )
    matches += more
    more, _, target_spans = pair_equal(
        texts(source.pieces, compounds(source, taken_source)), texts(target.pieces, target_spans)
    )
    matches += more
    if len(source_spans) == len(target_spans) == 1:
        matches.append((source_spans[0], target_spans[0]))
    return matches


def texts(pieces: Sequence[str], spans: Iterable[Span]) -> list[tuple[str, Span]]:
    """`spans` with what they cover as their keys."""
    return [(span.text(pieces), span) for span in spans]
