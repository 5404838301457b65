"""The symbols of a source alone, held against those of both sides."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_errors import Comparison, Found
from contextnmt.evaluation.symbol_scores import LISTED, SymbolScores, symbol_scores
from contextnmt.files import read_json, write_lines
from contextnmt.text.rates import HEADER, Occurrences, Position, Rates
from contextnmt.text.symbols import Side

#: Word, context, how often a symbol, how often text: rows of a table of rates.
RATES = [
    ("Berlin", Position.FIRST, 90, 10),
    ("Germany", Position.FIRST, 80, 0),
    ("Kim", Position.FIRST, 0, 50),
    ("New", Position.FIRST, 0, 50),
    ("Rest", Position.FIRST, 0, 9),  # rare: it speaks for words never seen
    ("Turkey", Position.FIRST, 80, 0),
    ("UNO", Position.ACRONYM, 80, 0),
    ("York", Position.AFTER_TEXT, 50, 0),
]

PAIRS = [
    ("we saw Berlin in 1990 .", "wir sahen 1990 Berlin ."),  # S, N right
    ("we saw Germany in 1991 .", "wir sahen Deutschland ."),  # S, N false
    ("we saw Turkey .", "wir sahen die Türkei ."),  # S false, similar
    ("we saw Berlin and Berlin .", "wir sahen Berlin ."),  # S right, S false
    ("we saw New York .", "wir sahen New York ."),  # S false, S missed
    ("we met Kim .", "wir trafen Kim ."),  # S missed
    ("we met Ulm .", "wir trafen Ulm ."),  # S missed
    ("the UNO met 15 times .", "die UNO trat 15 Mal zusammen ."),  # C, N right
    ("we saw Germany .", "wir sahen Deutschland ."),  # S false
]

SIDES = (Side("en", {}), Side("de", {}))


def known_rates() -> Rates:
    rows = ((word, where, Occurrences(yes, yes + no)) for word, where, yes, no in RATES)
    return Rates(rows, {})


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The stage on the texts of `PAIRS`, and what it writes."""
    rows = ["\t".join(map(str, row)) for row in RATES]
    write_lines(tmp_path / "rates.tsv", [HEADER, *rows])
    for language, side in (("en", 0), ("de", 1)):
        write_lines(tmp_path / f"counts.{language}.tsv", [])
        write_lines(tmp_path / f"test.{language}.gz", [pair[side] for pair in PAIRS])
        write_lines(tmp_path / f"dev.{language}.gz", [pair[side] for pair in PAIRS[:2]])

    def call(names: list[str], **options: Any) -> dict[str, Any]:
        arguments = {
            "name": names,
            "source": [tmp_path / f"{name}.en.gz" for name in names],
            "target": [tmp_path / f"{name}.de.gz" for name in names],
            "source_language": "en",
            "target_language": "de",
            "source_counts": tmp_path / "counts.en.tsv",
            "target_counts": tmp_path / "counts.de.tsv",
            "rates": tmp_path / "rates.tsv",
            "out": tmp_path / "scores.json",
        }
        symbol_scores(**arguments | options)
        content: dict[str, Any] = read_json(tmp_path / "scores.json")
        return content

    return call


def test_symbols_are_scored_by_type(run: Callable[..., dict[str, Any]]) -> None:
    entry = run(["test"])["texts"]["test"]
    assert entry["sentences"] == 9
    assert entry["types"] == {
        "N": {
            "source_alone": 3,
            "both_sides": 2,
            "right": 2,
            "precision_percent": pytest.approx(200 / 3),
            "recall_percent": 100,
            "f1_percent": 80,
            "false": {"absent": 1},
            "missed": {},
        },
        "S": {
            "source_alone": 7,
            "both_sides": 5,
            "right": 2,
            "precision_percent": pytest.approx(200 / 7),
            "recall_percent": 40,
            "f1_percent": pytest.approx(400 / 12),
            "false": {"absent": 2, "similar": 1, "repeated": 1, "extent": 1},
            "missed": {"extent": 1, "unlikely": 1, "unseen": 1},
        },
        "C": {
            "source_alone": 1,
            "both_sides": 1,
            "right": 1,
            "precision_percent": 100,
            "recall_percent": 100,
            "f1_percent": 100,
            "false": {},
            "missed": {},
        },
        "all": {
            "source_alone": 11,
            "both_sides": 8,
            "right": 5,
            "precision_percent": pytest.approx(500 / 11),
            "recall_percent": 62.5,
            "f1_percent": pytest.approx(1000 / 19),
            "false": {"absent": 3, "similar": 1, "repeated": 1, "extent": 1},
            "missed": {"extent": 1, "unlikely": 1, "unseen": 1},
        },
    }


def test_the_most_frequent_errors_come_first_with_an_example(
    run: Callable[..., dict[str, Any]],
) -> None:
    first, second, *others = run(["test", "dev"])["errors"]
    assert first == {
        "type": "S",
        "surface": "Germany",
        "error": "false",
        "reason": "absent",
        "count": 3,
        "text": "test",
        "line": 2,
        "source": "we saw Germany in 1991 .",
        "target": "wir sahen Deutschland .",
    }
    assert (second["surface"], second["count"]) == ("1991", 2)
    assert [(e["surface"], e["error"]) for e in others] == [
        ("Turkey", "false"),
        ("Berlin", "false"),
        ("New York", "missed"),
        ("York", "false"),
        ("Kim", "missed"),
        ("Ulm", "missed"),
    ]


def test_texts_are_scored_apart(run: Callable[..., dict[str, Any]]) -> None:
    texts = run(["test", "dev"])["texts"]
    assert texts["test"] == run(["test"])["texts"]["test"]
    assert texts["dev"]["types"]["all"]["right"] == 2


def test_the_threshold_decides(run: Callable[..., dict[str, Any]]) -> None:
    every, none = (run(["test"], threshold=t)["texts"]["test"]["types"]["S"] for t in (0, 1))
    assert every["source_alone"] == 9
    assert every["recall_percent"] == 100
    assert none["source_alone"] == none["f1_percent"] == 0
    assert none["precision_percent"] is None


def test_an_empty_text_has_no_shares(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    for language in ("en", "de"):
        write_lines(tmp_path / f"empty.{language}.gz", [])
    entry = run(["empty"])["texts"]["empty"]
    assert entry["sentences"] == 0
    assert entry["types"]["all"]["f1_percent"] is None


def test_mistakes_are_reported(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="2 --name, 1 --source, 2 --target"):
        run(["dev", "test"], source=[tmp_path / "dev.en.gz"])
    with pytest.raises(UserError, match=r"has 2 lines and .* has 9"):
        run(["dev"], target=[tmp_path / "test.de.gz"])


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["dev", "test", "dev"], {}, "--name dev is given 2 times"),
        (["dev"], {"source_language": "xx"}, "language 'xx'"),
        (["dev"], {"target_language": "xx"}, "language 'xx'"),
        (["dev"], {"target_language": "en"}, "are both 'en'"),
    ],
)
def test_names_and_languages_are_checked_before_anything_is_read(
    run: Callable[..., dict[str, Any]],
    tmp_path: Path,
    names: list[str],
    options: dict[str, str],
    message: str,
) -> None:
    (tmp_path / "rates.tsv").unlink()
    (tmp_path / "counts.en.tsv").unlink()
    with pytest.raises(UserError, match=message):
        run(names, **options)


class Oracle(SymbolScores):
    """Knows without the target what both sides would make."""

    def compare(self, source_line: str, target_line: str) -> Comparison:
        compared = super().compare(source_line, target_line)
        return compared._replace(alone=set(compared.both))


def scored(cls: type[SymbolScores], folder: Path, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """The scores of a text."""
    scores = cls(SIDES, known_rates(), 0.3)
    for side in (0, 1):
        write_lines(folder / f"text.{side}", [pair[side] for pair in pairs])
    scores.add("text", folder / "text.0", folder / "text.1")
    return scores.content()


def test_an_oracle_is_always_right(tmp_path: Path) -> None:
    content = scored(Oracle, tmp_path, PAIRS)
    assert content["errors"] == []
    for scores in content["texts"]["text"]["types"].values():
        assert scores["source_alone"] == scores["both_sides"] == scores["right"] > 0
        assert (
            scores["precision_percent"] == scores["recall_percent"] == scores["f1_percent"] == 100
        )


WORDS = [*(word for word, *_ in RATES), "UNO-based", "EU", "of", "saw", ".", "12", "1990", "19,90"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@given(pairs=st.lists(st.tuples(SENTENCES, SENTENCES), max_size=6))
def test_counts_add_up(
    pairs: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = scored(SymbolScores, tmp_path_factory.mktemp("text"), pairs)
    types = content["texts"]["text"]["types"]
    for scores in types.values():
        assert scores["source_alone"] == scores["right"] + sum(scores["false"].values())
        assert scores["both_sides"] == scores["right"] + sum(scores["missed"].values())
    for key in ("source_alone", "both_sides", "right"):
        assert types["all"][key] == sum(types[kind][key] for kind in "NSC")
    errors = content["errors"]
    assert len(errors) < LISTED
    for error in ("false", "missed"):
        for kind in "NSC":
            for reason, count in types[kind][error].items():
                assert count == sum(
                    each["count"]
                    for each in errors
                    if (each["type"], each["error"], each["reason"]) == (kind, error, reason)
                )
    counts = [each["count"] for each in errors]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == sum(sum(types["all"][error].values()) for error in ("false", "missed"))


def test_symbols_are_compared_without_their_numbers() -> None:
    """A false symbol before a right one shifts its number, and the right one stays right."""
    pair = ("Germany or Berlin", "Deutschland oder Berlin")
    compared = SymbolScores(SIDES, known_rates(), 0.3).compare(*pair)
    assert set(compared.both) < compared.alone
    assert {type(found) for found in compared.alone} == {Found}
