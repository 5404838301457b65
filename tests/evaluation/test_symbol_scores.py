"""The symbols of a source alone, held against those of both sides, and why they differ."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_scores import (
    AROUND,
    LISTED,
    PIECE_CHARACTERS,
    Comparison,
    Found,
    differences,
    excerpt,
    explain,
    symbol_scores,
)
from contextnmt.files import read_json, write_lines
from contextnmt.text.names import Span, sentence_of
from contextnmt.text.rates import HEADER, Position
from contextnmt.text.symbols import Side

GERMAN = Side("de", {}, external_rules=True)

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

Texts = dict[str, list[tuple[str, str]]]


def arguments(folder: Path, names: list[str]) -> dict[str, Any]:
    """Arguments of the stage, for texts of these names."""
    return {
        "name": names,
        "source": [folder / f"{name}.en.gz" for name in names],
        "target": [folder / f"{name}.de.gz" for name in names],
        "source_language": "en",
        "target_language": "de",
        "source_counts": folder / "counts.tsv",
        "target_counts": folder / "counts.tsv",
        "rates": folder / "rates.tsv",
        "out": folder / "scores.json",
    }


def scored(folder: Path, texts: Texts, **options: Any) -> dict[str, Any]:
    """The output of the stage for texts."""
    write_lines(folder / "counts.tsv", [])
    write_lines(folder / "rates.tsv", [HEADER, *("\t".join(map(str, row)) for row in RATES)])
    for name, pairs in texts.items():
        for language, side in (("en", 0), ("de", 1)):
            write_lines(folder / f"{name}.{language}.gz", [pair[side] for pair in pairs])
    symbol_scores(**arguments(folder, [*texts]) | options)
    content: dict[str, Any] = read_json(folder / "scores.json")
    return content


#: What the scores of a type have, besides errors.
FIGURES = ["source_alone", "both_sides", "right", "precision_percent", "recall_percent"]
FIGURES += ["f1_percent"]


def test_symbols_are_scored_by_type(tmp_path: Path) -> None:
    entry = scored(tmp_path, {"test": PAIRS})["texts"]["test"]
    assert entry["sentences"] == 9
    types = entry["types"]
    assert {kind: [scores[key] for key in FIGURES] for kind, scores in types.items()} == {
        "N": pytest.approx([3, 2, 2, 200 / 3, 100, 80]),
        "S": pytest.approx([7, 5, 2, 200 / 7, 40, 400 / 12]),
        "C": [1, 1, 1, 100, 100, 100],
        "all": pytest.approx([11, 8, 5, 500 / 11, 62.5, 1000 / 19]),
    }
    assert types["N"]["false"] == {"absent": 1}
    assert types["S"]["false"] == {"absent": 2, "similar": 1, "repeated": 1, "extent": 1}
    assert types["all"]["false"] == {**types["S"]["false"], "absent": 3}
    missed = [types[kind]["missed"] for kind in "NSC"]
    assert missed == [{}, {"extent": 1, "unlikely": 1, "unseen": 1}, {}]


def test_the_most_frequent_errors_come_first_with_an_example(tmp_path: Path) -> None:
    content = scored(tmp_path, {"test": PAIRS, "dev": PAIRS[:2]})
    first, second, *others = content["errors"]
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
    assert [each["surface"] for each in others if each["error"] == "false"] == [
        *("Turkey", "Berlin", "York"),
    ]
    assert [each["surface"] for each in others if each["error"] == "missed"] == [
        *("New York", "Kim", "Ulm"),
    ]
    assert content["texts"]["dev"]["types"]["all"]["right"] == 2


def test_the_threshold_decides(tmp_path: Path) -> None:
    contents = [scored(tmp_path, {"test": PAIRS}, threshold=threshold) for threshold in (0, 1)]
    every, none = (content["texts"]["test"]["types"]["S"] for content in contents)
    assert (every["source_alone"], every["recall_percent"]) == (9, 100)
    assert none["source_alone"] == none["f1_percent"] == 0
    assert none["precision_percent"] is None


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["dev", "test"], {"source": [Path("dev")]}, "2 --name, 1 --source, 2 --target"),
        (["dev", "test", "dev"], {}, "--name dev: give each text its own name"),
        (["dev"], {"source_language": "xx"}, "language 'xx'"),
        (["dev"], {"target_language": "en"}, "are both 'en'"),
    ],
)
def test_names_and_languages_are_checked_before_anything_is_read(
    tmp_path: Path, names: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        symbol_scores(**arguments(tmp_path, names) | options)


def test_sides_of_different_lengths_are_refused(tmp_path: Path) -> None:
    texts = {"test": PAIRS, "dev": PAIRS[:2]}
    with pytest.raises(UserError, match=r"has 2 lines and .* has 9"):
        scored(tmp_path, texts, target=[tmp_path / "test.de.gz"] * 2)


WORDS = [*(word for word, *_ in RATES), "UNO-based", "EU", "of", "saw", ".", "12", "1990", "19,90"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


@settings(max_examples=50, deadline=None)
@given(pairs=st.lists(st.tuples(SENTENCES, SENTENCES), max_size=6))
def test_counts_add_up(
    pairs: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = scored(tmp_path_factory.getbasetemp(), {"text": pairs})
    types, errors = content["texts"]["text"]["types"], content["errors"]
    assert len(errors) < LISTED
    for kind, scores in types.items():
        for way, error in (("source_alone", "false"), ("both_sides", "missed")):
            assert scores[way] == scores["right"] + sum(scores[error].values())
            of_kind = [each for each in errors if kind in (each["type"], "all")]
            assert sum(scores[error].values()) == sum(
                each["count"] for each in of_kind if each["error"] == error
            )
    for key in ("source_alone", "both_sides", "right"):
        assert types["all"][key] == sum(types[kind][key] for kind in "NSC")
    counts = [each["count"] for each in errors]
    assert counts == sorted(counts, reverse=True)


def test_a_right_symbol_stays_right_after_a_false_one_that_shifts_its_number(
    tmp_path: Path,
) -> None:
    content = scored(tmp_path, {"text": [("Germany or Berlin", "Deutschland oder Berlin")]})
    names = content["texts"]["text"]["types"]["S"]
    assert (names["source_alone"], names["both_sides"], names["right"]) == (2, 1, 1)


def symbols(words: str) -> list[Found]:
    """Made-up symbols, each as its type and the numbers of its first word and of the next one."""
    cut = [(each[0], *map(int, each[1:].split("-"))) for each in words.split()]
    return [Found(kind, Span(start, stop)) for kind, start, stop in cut]


@pytest.mark.parametrize(
    ("source", "target", "alone", "both", "told"),
    [
        ("in Germany", "in Deutschland", "S1-2", {}, ["false absent None"]),
        ("in Turkey", "in der Türkei", "S1-2", {}, ["false similar Türkei"]),
        ("in Rom", "ein Romanist", "S1-2", {}, ["false absent None"]),
        ("in Berlin", "nach Berlin", "S1-2", {}, ["false unpaired Berlin"]),
        ("the IMF", "der IWF", "C1-2", {}, ["false absent None"]),
        ("page 12", "Seite zwölf", "N1-2", {}, ["false absent None"]),
        ("page 2,012", "Seite 2.012", "N1-2", {}, ["false unpaired 2.012"]),
        ("page 2012", "Seite 20121", "N1-2", {}, ["false absent None"]),
        ("page 12", "1,2 Seiten", "N1-2", {}, ["false absent None"]),
        ("page 08", "Seite 8", "N1-2", {}, ["false unpaired 8"]),
        # a name that the target has less often
        ("Ulm and Ulm", "Ulm", "S0-1 S2-3", {"S0-1": Span(0, 1)}, ["false repeated Ulm"]),
        # a name of fewer words, and an acronym within a name
        (
            *("New York", "in New York", "S1-2", {"S0-2": Span(1, 3)}),
            ["missed extent New York", "false extent New York"],
        ),
        (
            *("NI Suite", "NI Suite", "C0-1", {"S0-2": Span(0, 2)}),
            ["false type NI Suite", "missed type NI Suite"],
        ),
        # `York` was seen in training
        ("New York", "New York", "", {"S0-2": Span(0, 2)}, ["missed unlikely New York"]),
        ("New Ulm", "New Ulm", "", {"S0-2": Span(0, 2)}, ["missed unseen New Ulm"]),
        ("the 18th", "le 18 e", "", {"N1-2": Span(1, 2)}, ["missed numeral 18"]),
    ],
)
def test_a_wrong_symbol_is_told_with_its_reason_and_its_counterpart(
    source: str, target: str, alone: str, both: dict[str, Span], told: list[str]
) -> None:
    partners = {symbols(words)[0]: place for words, place in both.items()}
    sentences = sentence_of(source), sentence_of(target)
    pair = Comparison(*sentences, GERMAN, {*symbols(alone)}, partners)
    found = []
    for error, symbol in differences(pair):
        reason, place = explain(pair, error, symbol, "York".__eq__)
        found.append(f"{error} {reason} {place and place.text(pair.target.pieces)}")
    assert found == told


def test_a_sentence_has_so_many_symbols_and_no_more() -> None:
    source = " ".join(map(str, range(21)))
    alone = {*symbols(" ".join(f"N{place}-{place + 1}" for place in range(20)))}
    (last,) = symbols("N20-21")
    pair = Comparison(sentence_of(source), sentence_of("20"), GERMAN, alone, {last: Span(0, 1)})
    (*_, (error, found)) = differences(pair)
    assert explain(pair, error, found, "".__eq__) == ("limit", Span(0, 1))


LETTERS = " ".join("abcdefghijklmnopq")


@pytest.mark.parametrize(
    ("sentence", "span", "shown"),
    [
        (LETTERS, Span(7, 9), "… b c d e f g h i j k l m n o …"),
        (LETTERS, Span(0, 1), "a b c d e f g …"),
        (LETTERS, Span(16, 17), "… k l m n o p q"),
        (f"{LETTERS} r s t", None, f"{LETTERS} r s t"),
        (f"{LETTERS} r s t u", None, f"{LETTERS} r s t …"),
        ("", None, ""),
        ("the 2nd 3.5kg", Span(1, 2), "the 2nd 3.5kg"),
        # a long token does not hide the word in question
        (f"a b {'x' * 300} Berlin", Span(3, 4), f"a b {'x' * PIECE_CHARACTERS}… Berlin"),
    ],
)
def test_an_excerpt_shows_the_words_around_or_how_the_sentence_begins(
    sentence: str, span: Span | None, shown: str
) -> None:
    assert excerpt(sentence_of(sentence).pieces, span) == shown


@given(st.lists(st.text("ab\u2028\r^<1", min_size=1, max_size=40), max_size=30), st.data())
def test_an_excerpt_is_one_short_line(words: list[str], data: st.DataObject) -> None:
    pieces = sentence_of(" ".join(words)).pieces
    place = data.draw(st.integers(0, len(pieces) - 1)) if pieces else None
    shown = excerpt(pieces, None if place is None else Span(place, place + 1))
    assert len(shown) <= (2 * AROUND + 1) * (PIECE_CHARACTERS + 2) + 4
    assert shown == " ".join(shown.split())
