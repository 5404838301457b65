"""What symbols stood for and what became of words, counted: tables that a person can read."""

from contextnmt.text.rates import Position, Sighting
from contextnmt.text.symbol_counts import RateCounts, RuleCounts
from contextnmt.text.symbols import Symbol

SEEN = [
    Symbol("<C>_1", "IMF", "FMI"),
    Symbol("<S>_1", "Bonn", "Bonn"),
    Symbol("<N>_1", "1,234", "1 234"),
    Symbol("<N>_2", "2010", "2010"),
    Symbol("<N>_3", "6,000", "6000"),
    Symbol("<N>_3", "6,000", "6 000"),
    Symbol("<N>_3", "6,000", "6 000"),
    Symbol("<S>_1", "Lake", "lac"),
    Symbol("<S>_1", "Lake", "Lake"),
    Symbol("<S>_1", "Bonn", "Bonn"),
]


def test_targets_of_a_source_come_in_the_order_of_the_text() -> None:
    counts = RuleCounts()
    counts.add(SEEN)
    assert list(counts.rows()) == [
        "type\tsource\ttarget\tcount",
        "C\tIMF\tFMI\t1",
        "N\t1,234\t1 234\t1",
        "N\t2010\t2010\t1",
        "N\t6,000\t6000\t1",
        "N\t6,000\t6 000\t2",
        "S\tBonn\tBonn\t2",
        "S\tLake\tlac\t1",
        "S\tLake\tLake\t1",
    ]


def test_a_word_has_one_row_a_position() -> None:
    counts = RateCounts()
    counts.add([Sighting("York", Position.FIRST, True), Sighting("York", Position.FIRST, False)])
    counts.add([Sighting("York", Position.FIRST, True), Sighting("Bonn", Position.OPENING, False)])
    assert list(counts.rows()) == [
        "word\tposition\tsymbol\ttext",
        "Bonn\topening\t0\t1",
        "York\tfirst\t2\t1",
    ]
