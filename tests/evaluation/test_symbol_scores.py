"""The symbols of a source alone, held against those of both sides, and why they differ."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_scores import (
    AROUND,
    FROM_START,
    LISTED,
    PIECE_CHARACTERS,
    Comparison,
    Error,
    Found,
    Reason,
    SymbolScores,
    differences,
    excerpt,
    explain,
    symbol_scores,
)
from contextnmt.files import read_json, write_lines
from contextnmt.text.names import Span, sentence_of
from contextnmt.text.rates import HEADER, Position, Rate, Rates
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
    return Rates((Rate(*row) for row in RATES), {})


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
        (["dev", "test", "dev"], {}, "--name dev: give each text its own name"),
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


FALSE, MISSED = Error.FALSE, Error.MISSED


def compared(
    source: str, target: str, alone: set[Found], both: dict[Found, Span] | None = None
) -> Comparison:
    """A sentence pair and made-up symbols of either way."""
    return Comparison(sentence_of(source), sentence_of(target), False, alone, both or {})


def name(start: int, stop: int) -> Found:
    return Found("S", Span(start, stop))


@pytest.mark.parametrize(
    ("source", "target", "kind", "reason", "nearest"),
    [
        ("in Germany", "in Deutschland", "S", Reason.ABSENT, None),
        ("in Turkey", "in der Türkei", "S", Reason.SIMILAR, "Türkei"),
        ("in Ghana", "ein Ghanaer", "S", Reason.SIMILAR, "Ghanaer"),
        ("in Rom", "ein Romanist", "S", Reason.ABSENT, None),
        ("in Berlin", "nach Berlin", "S", Reason.UNPAIRED, "Berlin"),
        ("the IMF", "der IWF", "C", Reason.ABSENT, None),
        ("page 12", "Seite zwölf", "N", Reason.ABSENT, None),
        ("page 2,012", "Seite 2.012", "N", Reason.UNPAIRED, "2.012"),
        ("page 2012", "Seite 20121", "N", Reason.ABSENT, None),
        ("page 12", "1,2 Seiten", "N", Reason.ABSENT, None),
        ("page 08", "Seite 8", "N", Reason.UNPAIRED, "8"),
    ],
)
def test_a_false_symbol_is_looked_for_in_the_target(
    source: str, target: str, kind: str, reason: Reason, nearest: str | None
) -> None:
    found = Found(kind, Span(1, 2))
    pair = compared(source, target, {found})
    assert list(differences(pair)) == [(FALSE, found)]
    why, place = explain(pair, FALSE, found, lambda word: True)
    assert (why, place and place.text(pair.target.pieces)) == (reason, nearest)


def test_a_name_that_the_target_has_less_often_is_repeated() -> None:
    first, second = name(0, 1), name(2, 3)
    pair = compared("Ulm and Ulm", "Ulm", {first, second}, {first: Span(0, 1)})
    assert list(differences(pair)) == [(FALSE, second)]
    assert explain(pair, FALSE, second, lambda word: True) == (Reason.REPEATED, Span(0, 1))


def test_a_name_of_fewer_words_is_false_and_the_longer_one_missed() -> None:
    short, long = name(1, 2), name(0, 2)
    pair = compared("New York", "in New York", {short}, {long: Span(1, 3)})
    assert list(differences(pair)) == [(MISSED, long), (FALSE, short)]
    for error, found in differences(pair):
        assert explain(pair, error, found, lambda word: True) == (Reason.EXTENT, Span(1, 3))


def test_an_acronym_within_a_name_is_of_another_type() -> None:
    acronym, phrase = Found("C", Span(0, 1)), name(0, 2)
    pair = compared("NI Suite", "NI Suite", {acronym}, {phrase: Span(0, 2)})
    for error, found in differences(pair):
        assert explain(pair, error, found, lambda word: True)[0] is Reason.TYPE


@pytest.mark.parametrize(
    ("known", "reason"), [({"York"}, Reason.UNLIKELY), (set[str](), Reason.UNSEEN)]
)
def test_a_missed_name_is_unlikely_or_unseen(known: set[str], reason: Reason) -> None:
    pair = compared("New York", "New York", set(), {name(0, 2): Span(0, 2)})
    assert explain(pair, MISSED, name(0, 2), known.__contains__) == (reason, Span(0, 2))


def test_a_missed_number_is_one_of_other_numerals() -> None:
    found = Found("N", Span(1, 2))
    pair = compared("the 18th century", "le 18 e siècle", set(), {found: Span(1, 2)})
    assert explain(pair, MISSED, found, lambda word: True) == (Reason.NUMERAL, Span(1, 2))


def test_a_sentence_has_so_many_symbols_and_no_more() -> None:
    numbers = [str(number) for number in range(21)]
    alone = {Found("N", Span(place, place + 1)) for place in range(20)}
    last = Found("N", Span(20, 21))
    pair = compared(" ".join(numbers), "20", alone, {last: Span(0, 1)})
    assert explain(pair, MISSED, last, lambda word: True) == (Reason.LIMIT, Span(0, 1))


def test_an_excerpt_shows_the_words_around() -> None:
    pieces = sentence_of(" ".join("abcdefghijklmnopq")).pieces
    assert excerpt(pieces, Span(7, 9)) == "… b c d e f g h i j k l m n o …"
    assert excerpt(pieces, Span(0, 1)) == "a b c d e f g …"
    assert excerpt(pieces, Span(16, 17)) == "… k l m n o p q"
    assert excerpt(pieces, None) == "a b c d e f g h i j k l m n o p q"
    assert excerpt(sentence_of("the 2nd 3.5kg").pieces, Span(1, 2)) == "the 2nd 3.5kg"


def test_an_excerpt_without_a_place_is_how_the_sentence_begins() -> None:
    words = [f"word{number}" for number in "abcdefghijklmnopqrstuvwxyz"]
    assert excerpt(words, None) == " ".join(words[:FROM_START]) + " …"
    assert excerpt([], None) == ""


@pytest.mark.parametrize("place", [0, 2, 3])
def test_a_long_token_does_not_hide_the_word_in_question(place: int) -> None:
    long = "x" * 300
    words = ["a", "b", long, "c"]
    words.insert(place, "Berlin")
    shown = excerpt(words, Span(place, place + 1))
    assert shown == " ".join(words).replace(long, "x" * PIECE_CHARACTERS + "…")


@given(st.lists(st.text("ab\u2028\r^<1", min_size=1, max_size=40), max_size=30), st.data())
def test_an_excerpt_is_one_short_line(words: list[str], data: st.DataObject) -> None:
    pieces = sentence_of(" ".join(words)).pieces
    place = data.draw(st.integers(0, len(pieces) - 1)) if pieces else None
    shown = excerpt(pieces, None if place is None else Span(place, place + 1))
    assert len(shown) <= (2 * AROUND + 1) * (PIECE_CHARACTERS + 2) + 4
    assert shown == " ".join(shown.split())
