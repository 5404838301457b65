"""Word translation probabilities, held against a slow and obvious estimation."""

import math
import random
from collections import defaultdict

import pytest

from contextnmt.text import lexicon
from contextnmt.text.lexicon import likeliest

Pairs = list[tuple[list[str], list[str]]]


def estimated(pairs: Pairs) -> dict[str, dict[str, float]]:
    """t(target | source) of fast_align's model after five iterations, word by word."""
    table: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(lambda: 1.0))
    for _ in range(5):
        counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for source, target in pairs:
            for j, word in enumerate(target, start=1):
                near = [
                    math.exp(-4 * abs(i / len(source) - j / len(target)))
                    for i in range(1, len(source) + 1)
                ]
                weights = [0.08 * table[""][word]] + [
                    0.92 * share / sum(near) * table[other][word]
                    for share, other in zip(near, source, strict=True)
                ]
                for weight, other in zip(weights, ["", *source], strict=True):
                    counts[other][word] += weight / sum(weights)
        table = defaultdict(
            dict,
            {
                source: {word: n / sum(row.values()) for word, n in row.items()}
                for source, row in counts.items()
            },
        )
    return table


def made_up(seed: int, count: int = 60) -> Pairs:
    """Sentence pairs of random words, of which the target's are those of the source or others."""
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(25)]
    pairs = []
    for _ in range(count):
        source = chance.choices(words, range(25, 0, -1), k=chance.randint(1, 9))
        target = [w.upper() if chance.random() < 0.8 else "DE" for w in source]
        chance.shuffle(target)
        pairs.append((source, [*target, *["LE"] * chance.randint(0, 2)]))
    return pairs


@pytest.mark.parametrize(("seed", "block"), [(0, lexicon.BLOCK), (1, lexicon.BLOCK), (2, 1)])
def test_the_probabilities_are_those_of_the_model(
    seed: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexicon, "BLOCK", block)
    pairs = made_up(seed)
    table = estimated(pairs)
    found = list(likeliest(pairs))
    assert {word for word, *_ in found} == set(table) - {""}
    for word, other, probability, frequency in found:
        likely = table[word]
        assert probability == pytest.approx(max(likely.values()), rel=1e-4)
        assert likely[other] == pytest.approx(probability, rel=1e-4)
        assert frequency == sum(source.count(word) for source, _ in pairs)


def test_the_most_frequent_words_come_first_then_by_word() -> None:
    pairs = [(["b"], ["B"]), (["a"], ["A"]), (["c"], ["C"]), (["c"], ["C"])]
    assert list(likeliest(pairs)) == [
        ("c", "C", 1, 2),
        ("a", "A", 1, 1),
        ("b", "B", 1, 1),
    ]


def test_of_equally_likely_words_the_first_of_the_text() -> None:
    assert list(likeliest([(["a"], ["Z"]), (["a"], ["B"])])) == [("a", "Z", 0.5, 2)]
