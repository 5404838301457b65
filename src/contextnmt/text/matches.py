"""Numbers, proper nouns and acronyms that stand in both sentences of a pair.

Source: Choi et al. 2017, appendix A. What is common to both sides is matched by its surface, from
left to right; no statistical aligner takes part.
"""

import heapq
import math
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from contextnmt.text.names import (
    ARTICLES,
    PHRASE_WORDS,
    Sentence,
    Span,
    WordClass,
    beginnings,
    candidate_acronyms,
    compounds,
    is_doubtful,
    tail_length,
    word_class,
)
from contextnmt.text.numbers import grouped_key, ungrouped_key, value_key

Match = tuple[Span, Span]

#: How many places of a word on the target side are compared with one place on the source side.
PLACES = 20

#: More ways than this to choose the nearest spans are not tried: the first ones are taken then.
CHOICES = 1000

#: Groups of a number that blanks separate: the first one, and the next ones (1 234 567,89).
FIRST_GROUP = re.compile(r"(?:\^\^)?\d{1,3}")
NEXT_GROUP = re.compile(r"\d{3}(?:,\d+)?")


def places(spans: Iterable[Span]) -> set[int]:
    """All places that `spans` cover."""
    return {place for span in spans for place in span.places}


def number_spans(sentence: Sentence, grouped: bool) -> list[Span]:
    """The number runs of a sentence. `grouped`: blanks may stand between groups (1 234,56)."""
    pieces = sentence.pieces
    spans = []
    free = 0
    for start in sentence.numbers:
        if start < free:
            continue
        free = start + 1
        if grouped and FIRST_GROUP.fullmatch(pieces[start]):
            while free < len(pieces) and NEXT_GROUP.fullmatch(pieces[free]):
                free += 1
                if "," in pieces[free - 1]:
                    break
        spans.append(Span(start, free))
    return spans


def common_numbers(
    source: Sentence, target: Sentence, source_grouped: bool, target_grouped: bool, zeros: bool
) -> list[Match]:
    """The numbers that stand in both sentences, the same first occurrences paired first.

    Equal groups of digits match, whatever mark separates them; then, of the numbers left, those of
    one value, of which one delimits thousands; last, with `zeros`, those that differ in zeros
    before them (08, 8).
    """
    source_spans = number_spans(source, source_grouped)
    target_spans = number_spans(target, target_grouped) if source_spans else []
    if not target_spans:
        return []
    left, right = source.pieces, target.pieces
    source_keys, target_keys = keys(left, source_spans), keys(right, target_spans)
    source_spans = list(ungroup(left, source_spans, target_keys))
    target_spans = list(ungroup(right, target_spans, source_keys))
    matches: list[Match] = []
    for key in (grouped_key, ungrouped_key, *[value_key] * zeros):
        found, source_spans, target_spans = pair_equal(left, source_spans, right, target_spans, key)
        matches += found
    return matches


def keys(pieces: Sequence[str], spans: Iterable[Span]) -> set[str]:
    """Every key under which a number of the other side may match one of `spans`."""
    texts = [span.text(pieces) for span in spans]
    return {grouped_key(text) for text in texts} | {ungrouped_key(text) for text in texts}


def ungroup(pieces: Sequence[str], spans: Iterable[Span], wanted: set[str]) -> Iterator[Span]:
    """`spans`, those over several pieces taken apart if the other side has no such number."""
    for span in spans:
        if len(span.places) > 1 and keys(pieces, [span]).isdisjoint(wanted):
            yield from (Span(place, place + 1) for place in span.places)
        else:
            yield span


class Common(NamedTuple):
    """A name common to both sides. Sorts as names are taken.

    Most words first; of as many words, the longest text; if this is more frequent on one side,
    those nearest to each other; leftmost.
    """

    negative_words: int
    negative_letters: int
    distance: float
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
    one only if it is not doubtful on the other side (A28): "New York", but not "In Berlin". An
    article is no name of its own anywhere.
    """
    beginning = starts(target) if source.capitals else {}
    taken: tuple[set[int], set[int]] = set(), set()

    def longest(i: int, j: int) -> Common | None:
        common = longest_common(source.pieces, target.pieces, i, j, taken)
        if common is None:
            return None
        word = common.source.text(source.pieces).partition(" ")[0]
        doubtful = (
            is_doubtful(source.pieces, i, word, source_counts),
            is_doubtful(target.pieces, j, word, target_counts),
        )
        one_word = len(common.source.places) == 1
        barred = (any(doubtful) or word.lower() in ARTICLES) if one_word else all(doubtful)
        return None if barred else common

    heap = [
        common
        for i in source.capitals
        for word in beginnings(source.pieces[i])
        for j in beginning.get(word, [])[:PLACES]
        if (common := longest(i, j))
    ]
    heap = with_distances(heap, source.pieces, target.pieces)
    heapq.heapify(heap)
    matches = []
    while heap:
        best = heapq.heappop(heap)
        first, second = best.source, best.target
        if taken[0].isdisjoint(first.places) and taken[1].isdisjoint(second.places):
            matches.append((first, second))
            taken[0].update(first.places)
            taken[1].update(second.places)
        elif common := longest(first.start, second.start):
            heapq.heappush(heap, common)  # a part of it has been taken since
    return in_order(matches, source.pieces) if len(matches) > 1 else matches


def in_order(matches: list[Match], source: Sequence[str]) -> list[Match]:
    """`matches`, those of equal names paired from left to right."""
    by_name: dict[str, list[Match]] = defaultdict(list)
    for match in matches:
        by_name[match[0].text(source)].append(match)
    return [
        match
        for same in by_name.values()
        for match in zip(*map(sorted, zip(*same, strict=True)), strict=True)
    ]


def with_distances(
    names: list[Common], source: Sequence[str], target: Sequence[str]
) -> list[Common]:
    """`names`, those more frequent on one side with how far apart their two places are."""
    if len(names) < 2:
        return names
    places: dict[str, tuple[set[Span], set[Span]]] = defaultdict(lambda: (set(), set()))
    for name in names:
        sources, targets = places[name.source.text(source)]
        sources.add(name.source)
        targets.add(name.target)
    return [
        name
        if len(sources) == len(targets)
        else name._replace(
            distance=abs(name.source.start / len(source) - name.target.start / len(target))
        )
        for name in names
        for sources, targets in [places[name.source.text(source)]]
    ]


def starts(sentence: Sentence) -> dict[str, list[int]]:
    """The places of every capitalized word, and of the beginnings of hyphenated ones."""
    places: dict[str, list[int]] = {}
    for place in sentence.capitals:
        for word in beginnings(sentence.pieces[place]):
            places.setdefault(word, []).append(place)
    return places


def longest_common(
    source: Sequence[str], target: Sequence[str], i: int, j: int, taken: Sequence[Container[int]]
) -> Common | None:
    """The longest name that starts at piece `i` of the source and piece `j` of the target.

    It ends before the places `taken` on either side.
    """
    taken_source, taken_target = taken
    length = 0  # words of the longest name so far, of which these are the last
    last = end = shared = ""
    capitalized = False
    words = zip(source[i : i + PHRASE_WORDS], target[j : j + PHRASE_WORDS], strict=False)
    for place, (word, other) in enumerate(words):
        if i + place in taken_source or j + place in taken_target:
            break
        beginning = common_beginning(word, other)
        kind = word_class(beginning) if beginning else WordClass.OTHER
        if kind is WordClass.OTHER:
            break
        capitalized = capitalized or kind is WordClass.CAPITALIZED
        if capitalized and kind is not WordClass.FUNCTION:
            length, last, end, shared = place + 1, word, other, beginning
        if not len(beginning) == len(word) == len(other):
            break
    if not length:
        return None
    span = Span(i, i + length, len(last) - len(shared))
    return Common(
        -length,
        -len(span.text(source)),
        0.0,
        span,
        Span(j, j + length, len(end) - len(shared)),
    )


def common_beginning(word: str, other: str) -> str:
    """The part that two words share as a name: all but their tails, or up to a hyphen of one.

    Nothing if they share no name.
    """
    stem = word[: len(word) - tail_length(word)]
    other_stem = stem if word == other else other[: len(other) - tail_length(other)]
    if stem == other_stem or other_stem.startswith(f"{stem}-"):
        return stem
    return other_stem if stem.startswith(f"{other_stem}-") else ""


def common_acronyms(source: Sentence, target: Sentence, names: list[Match]) -> list[Match]:
    """The acronyms of both sentences outside the places taken by `names`.

    Equal ones match first, also as the beginning of compounds (EU in EU-Kommission); if then one
    whole word is left on each side, these two match (IMF and FMI), unless one is a part of the
    other (RGB and RAW-RGB) or has matched elsewhere.
    """
    taken_source = places(first for first, _ in names)
    taken_target = places(second for _, second in names)
    source_spans = candidate_acronyms(source, taken_source)
    target_spans = candidate_acronyms(target, taken_target)
    if not (source_spans or target_spans):
        return []
    left, right = source.pieces, target.pieces
    matches, source_left, target_left = pair_equal(
        left,
        sorted(source_spans + compounds(source, taken_source)),
        right,
        sorted(target_spans + compounds(target, taken_target)),
    )
    source_left = [span for span in source_left if span in source_spans]
    target_left = [span for span in target_left if span in target_spans]
    if len(source_left) == len(target_left) == 1:
        [first], [second] = source_left, target_left
        matched = {span.text(left) for span, _ in matches}
        acronym, other = first.text(left), second.text(right)
        is_part = acronym in other.split("-") or other in acronym.split("-")
        if matched.isdisjoint((acronym, other)) and not is_part:
            matches.append((first, second))
    return matches


def by_key(
    pieces: Sequence[str], spans: Iterable[Span], key: Callable[[str], str]
) -> dict[str, list[Span]]:
    """The spans of each key of their texts, from left to right; an empty key is none."""
    found: dict[str, list[Span]] = {}
    for span in spans:
        if text := key(span.text(pieces)):
            found.setdefault(text, []).append(span)
    return found


def pair_equal(
    left: Sequence[str],
    source: list[Span],
    right: Sequence[str],
    target: list[Span],
    key: Callable[[str], str] = str,
) -> tuple[list[Match], list[Span], list[Span]]:
    """Pair the spans of equal keys in the pieces of two sentences, from left to right.

    If a key is more frequent on one side, the spans taken there are those that lie nearest to
    where their partners do. Returns the pairs, the source spans left and the target spans left.
    """
    if not (source and target):
        return [], source, target
    matches: list[Match] = []
    partners_of = by_key(right, target, key)
    for text, spans in by_key(left, source, key).items():
        partners = partners_of.get(text, [])
        if len(spans) > len(partners):
            spans = nearest(spans, len(left), partners, len(right))
        elif len(partners) > len(spans):
            partners = nearest(partners, len(right), spans, len(left))
        matches += zip(spans, partners, strict=True)
    taken = [set(side) for side in zip(*matches, strict=True)] or [set(), set()]
    source_left, target_left = (
        [span for span in spans if span not in gone]
        for spans, gone in zip((source, target), taken, strict=True)
    )
    return matches, source_left, target_left


def nearest(many: list[Span], length: int, few: list[Span], other_length: int) -> list[Span]:
    """Choose as many spans of `many` as `few` has: in order, and nearest to those.

    The lengths are those of their sentences in pieces: the share of it before a span counts.
    """
    if math.comb(len(many), len(few)) > CHOICES:
        return many[: len(few)]
    shares = [span.start / other_length for span in few]

    def distance(chosen: tuple[Span, ...]) -> float:
        return sum(
            abs(span.start / length - share) for span, share in zip(chosen, shares, strict=True)
        )

    best: tuple[Span, ...] = min(combinations(many, len(few)), key=distance)
    return list(best)
