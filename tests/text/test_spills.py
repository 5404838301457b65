"""Counting in shards gives what counting in memory gives."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from contextnmt.text.spills import SpilledCounts

PARTS = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), max_size=2)


@given(st.lists(st.tuples(st.sampled_from("NSC"), PARTS), max_size=60), st.integers(1, 7))
def test_shards_change_nothing(keys: list[tuple[str, str]], spill_keys: int) -> None:
    counts = SpilledCounts(spill_keys)
    for key in keys:
        counts.add(key)
    merged = list(counts.merged())
    assert {row.key: row.frequency for row in merged} == Counter(keys)
    # Sorted but for the last string: keys that differ there alone stay as they were first seen.
    assert [row.key for row in merged] == sorted(dict.fromkeys(keys), key=lambda key: key[0])


def test_what_does_not_fit_goes_to_disk() -> None:
    counts = SpilledCounts(spill_keys=10)
    for number in range(95):
        counts.add((str(number),))
    assert len(counts.spills) == 9
    assert len(counts.counts) == 5


def test_what_other_systems_take_for_the_end_of_a_line_is_part_of_a_key() -> None:
    counts = SpilledCounts(spill_keys=1)
    keys = [("a\rb",), ("\r",), ("a\x85\u2028",), ("\r",)]
    for key in keys:
        counts.add(key)
    assert {row.key: row.frequency for row in counts.merged()} == Counter(keys)
