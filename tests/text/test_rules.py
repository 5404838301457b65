"""The rule dictionary: what is read back and chosen."""

from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.text.rules import Rule, best_targets, read_rules

TABLE = """\
type\tsource\ttarget\tcount
C\tIMF\tFMI\t1
N\t2010\t2010\t1
N\t5,000\t5000\t1
N\t6,000\t6000\t1
N\t6,000\t6 000\t2
S\tBonn\tBonn\t2
S\tLake\tlac\t1
S\tLake\tLake\t1
"""


def test_only_rules_that_differ_from_a_copy_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text(TABLE, encoding="utf-8")
    assert best_targets(read_rules(path), "en", "fr") == {
        ("C", "IMF"): "FMI",
        ("N", "5,000"): "5000",
        ("S", "Lake"): "lac",
    }


def test_the_most_frequent_target_wins_and_of_equals_the_first() -> None:
    rules = [Rule("S", "Lake", "lac", 1), Rule("S", "Lake", "Lac", 7), Rule("S", "Lake", "Lake", 7)]
    assert best_targets(rules, "en", "fr") == {("S", "Lake"): "Lac"}
    assert best_targets(reversed(rules), "en", "fr") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the header"),
        ("type\tsource\ttarget\tcount\nX\tBonn\tBonn\t1\n", "line 2: a row needs"),
        ("type\tsource\ttarget\tcount\nS\tBonn\t\t3\n", "line 2: a row needs"),
        (
            "type\tsource\ttarget\tcount\nS\tBonn\tBonn\t3\nS\tAachen\tAix\t2\n",
            "line 3: 'S Aachen' comes after 'S Bonn'",
        ),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        list(read_rules(path))
