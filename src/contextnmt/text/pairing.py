"""Pair equal spans of two sentences."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

from contextnmt.text.names import Span

Match = tuple[Span, Span]

#: More ways than this to choose the nearest spans are not tried: the first ones are taken then.
CHOICES = 1000


class Keyed(NamedTuple):
    """Spans of one sentence, and what makes a span of the other sentence equal to one of them."""

    pieces: Sequence[str]
    spans: list[Span]
    key: Callable[[str], str] = str

    def by_key(self) -> dict[str, list[Span]]:
        """The spans of each key, from left to right; an empty key is none."""
        spans: dict[str, list[Span]] = {}
        for span in self.spans:
            if key := self.key(span.text(self.pieces)):
                spans.setdefault(key, []).append(span)
        return spans

    def position(self, span: Span) -> float:
        """How far into the sentence a span begins: 0 to 1."""
        return span.start / len(self.pieces)


def pair_equal(source: Keyed, target: Keyed) -> tuple[list[Match], list[Span], list[Span]]:
    """Pair the spans of equal keys, those of one key from left to right.

    If a key is more frequent on one side, the spans taken there are those that lie nearest to
    where their partners do. Returns the pairs, the source spans left and the target spans left.
    """
    if not (source.spans and target.spans):
        return [], source.spans, target.spans
    matches: list[Match] = []
    others = target.by_key()
    for key, spans in source.by_key().items():
        partners = others.get(key, [])
        if len(spans) > len(partners):
            spans = nearest(Keyed(source.pieces, spans), Keyed(target.pieces, partners))
        elif len(partners) > len(spans):
            partners = nearest(Keyed(target.pieces, partners), Keyed(source.pieces, spans))
        matches += zip(spans, partners, strict=True)
    taken_source = {first for first, _ in matches}
    taken_target = {second for _, second in matches}
    return (
        matches,
        [span for span in source.spans if span not in taken_source],
        [span for span in target.spans if span not in taken_target],
    )


def nearest(many: Keyed, few: Keyed) -> list[Span]:
    """As many of the spans `many` as there are in `few`, in order, and nearest to them."""
    if math.comb(len(many.spans), len(few.spans)) > CHOICES:
        return many.spans[: len(few.spans)]
    positions = [few.position(span) for span in few.spans]

    def distance(chosen: tuple[Span, ...]) -> float:
        return sum(
            abs(many.position(span) - position)
            for span, position in zip(chosen, positions, strict=True)
        )

    best: tuple[Span, ...] = min(combinations(many.spans, len(few.spans)), key=distance)
    return list(best)
