"""Symbols in sentence pairs and in lone source sentences, case by case."""

import csv
from pathlib import Path

import pytest

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.text.rates import Position
from contextnmt.text.restore import restore_tokens
from contextnmt.text.symbols import LIMIT, Side, symbolize_pair, symbolize_source

#: Words that sentences start with, as often as a training text may have them in either case (A28).
SIDES = {
    "de": Side("de", {"in": 50, "In": 20, "die": 90, "Die": 30, "New": 5}, external_rules=True),
    "en": Side(
        "en",
        {"the": 90, "The": 30, "in": 50, "In": 20, "on": 9, "On": 2, "new": 8, "New": 5}
        | {"Paris": 3},
        external_rules=True,
    ),
    "fr": Side(
        "fr",
        {"les": 90, "Les": 30, "en": 50, "En": 20, "dans": 9, "Dans": 3, "le": 80, "Le": 20}
        | {"New": 5},
        external_rules=True,
    ),
}

#: The table of cases: what it is about, languages, tokens of both sides, what is expected, why.
with (Path(__file__).parent / "cases" / "pairs.tsv").open(encoding="utf-8", newline="\n") as table:
    CASES = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['about']}: {case['source']}")
def test_pairs(case: dict[str, str]) -> None:
    source_side, target_side = (SIDES[language] for language in case["pair"].split("-"))
    done = symbolize_pair(case["source"], case["target"], source_side, target_side)
    assert (" ".join(done.source), " ".join(done.target)) == (
        case["source with symbols"],
        case["target with symbols"],
    ), case["why"]
    for pieces, side in ((done.source, "source"), (done.target, "target")):
        own = {symbol.name: getattr(symbol, side) for symbol in done.symbols}
        assert " ".join(restore_tokens(pieces, own)) == case[side]


@pytest.mark.parametrize(
    ("source", "target", "numbers"),
    [
        ("1,234 men", "1.234 hommes", 1),
        ("12,345 men", "12345 hommes", 1),
        ("12.34 euros", "1234 euros", 0),
        ("1,234 men", "1 234 hommes", 0),
        ("at 08 : 30", "à 8 : 30", 1),
    ],
)
def test_without_external_rules_numbers_are_consecutive_digits(
    source: str, target: str, numbers: int
) -> None:
    done = symbolize_pair(source, target, Side("en", {}), Side("fr", {}))
    assert len(done.symbols) == numbers
    lone = symbolize_source("15th century", Side("en", {}), "fr", lambda *_: False)
    assert len(lone.symbols) == 1


# Sentences as they are printed, tokenized here: Choi et al. 2017, table 2 and section 6.3, and
# what the tokenizer does to numbers, abbreviations and apostrophes.
SENTENCES = {
    "table 2": (
        "en-fr",
        "The World of Warcraft and Warcraft III American regional finals were held at the House "
        "of Blues on June 2nd and 3rd in San Diego, California.",
        "Les finales régionales de Warcraft III et de World of Warcraft pour l'Amérique du Nord "
        "se sont déroulées au House of Blues, les 2 et 3 juin derniers à San Diego.",
        "The <S>_1 and <S>_2 American regional finals were held at the <S>_3 on June <N>_1 ^^nd "
        "and <N>_2 ^^rd in <S>_4 , California .",
        "Les finales régionales de <S>_2 et de <S>_1 pour l' Amérique du Nord se sont déroulées "
        "au <S>_3 , les <N>_1 et <N>_2 juin derniers à <S>_4 .",
    ),
    "section 6.3": (
        "en-de",
        "Trakhtenberg was the presenter of many programs before Hali-Gali times.",
        "Trakhtenberg war der Moderator vieler Programme vor Hali-Gali-Zeiten.",
        "<S>_1 was the presenter of many programs before <S>_2 times .",
        "<S>_1 war der Moderator vieler Programme vor <S>_2 ^^-Zeiten .",
    ),
    "no-break spaces between groups": (
        "en-fr",
        "Some 1,234,567.5 people, 10% of Lyon's, in 2010.",
        "1\u00a0234\u202f567,5 personnes, 10\u00a0% de Lyon, en 2010.",
        "Some <N>_1 people , <N>_2 % of <S>_1 's , in <N>_3 .",
        "<N>_1 personnes , <N>_2 % de <S>_1 , en <N>_3 .",
    ),
    "apostrophes": (
        "fr-en",
        "L'avis de l'OTAN sur la Côte d'Ivoire et l'Économie, aujourd'hui.",
        "NATO's view on Côte d'Ivoire and Économie today.",
        "L' avis de l' <C>_1 sur la <S>_1 d' Ivoire et l' <S>_2 , aujourd' hui .",
        "<C>_1 's view on <S>_1 d 'Ivoire and <S>_2 today .",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name: str) -> None:
    pair, source, target, source_symbols, target_symbols = SENTENCES[name]
    first, second = pair.split("-")
    tokens = Tokenizer(first).line(source), Tokenizer(second).line(target)
    done = symbolize_pair(*tokens, SIDES[first], SIDES[second])
    assert " ".join(done.source) == source_symbols
    assert " ".join(done.target) == target_symbols


@pytest.mark.parametrize(
    ("kind", "words", "rest"),
    [
        ("N", [str(number) for number in range(100, 130)], "7 , <S>_1 , <C>_1"),
        ("S", ["Bonn"] * 30, "<N>_1 , Kiel , <C>_1"),
        ("C", ["EU"] * 30, "<N>_1 , <S>_1 , UN"),
    ],
)
def test_at_most_twenty_symbols_of_a_type(kind: str, words: list[str], rest: str) -> None:
    line = " , ".join([*words, "7", "Kiel", "UN"])
    done = symbolize_pair(line, line, SIDES["en"], SIDES["de"])
    symbols = [f"<{kind}>_{number}" for number in range(1, 21)]
    assert LIMIT == 20
    assert " ".join(done.source) == " , ".join([*symbols, *words[20:], rest])
    assert done.target == done.source


@pytest.mark.parametrize(
    "word",
    [
        "of",
        "the",
        "de",
        "du",
        "des",
        "la",
        "le",
        "les",
        "von",
        "der",
        "den",
        "da",
        "di",
        "van",
        "for",
    ],
)
def test_function_words_are_inside_names_but_do_not_begin_or_end_them(word: str) -> None:
    line = f"{word} House {word} {word} Blues {word}"
    done = symbolize_pair(line, line, SIDES["en"], SIDES["de"])
    assert " ".join(done.source) == " ".join(done.target) == f"{word} <S>_1 {word}"


@pytest.mark.parametrize("blank", ["\t", "\u2028"])
def test_a_word_with_a_blank_inside_is_no_symbol(blank: str) -> None:
    """It would break the tables, whose columns tabs part."""
    line = f"in New{blank}York or E{blank}U"
    done = symbolize_pair(line, line, SIDES["en"], SIDES["de"])
    assert (done.source, done.symbols) == (line.split(" "), [])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The World of Warcraft III American finals", "The <S>_1 finals"),
        ("New York is big", "New <S>_1 is big"),
        ("In the EU", "In the <C>_1"),
        ("the IMF in Bonn", "the IMF in <S>_1"),
        ("by the London-based UNESCO in 1,234.5", "by the <S>_1 ^^-based <C>_1 in <N>_1"),
        ("EU-based firms", "<C>_1 ^^-based firms"),
        ("Stratford-upon-Avon and I", "<S>_1 and I"),
        ("the NATO Council of the EU", "the <S>_1"),
        ("the 10th - 11th centuries and 5 men", "the 10 ^^th - 11 ^^th centuries and <N>_1 men"),
        ("the 11th , and 13th centuries", "the 11 ^^th , and 13 ^^th centuries"),
        ("a 21st-century economy", "a 21 ^^st-century economy"),
        ("the 20th Century In", "the <N>_1 ^^th <S>_1 In"),
        ("the 15th day of the century", "the <N>_1 ^^th day of the century"),
        ("15 centuries", "<N>_1 centuries"),
        ("1 234", "<N>_1 <N>_2"),
    ],
)
def test_lone_sources(source: str, expected: str) -> None:
    text = {"In", "The", "New", "I", "IMF"}
    done = symbolize_source(source, SIDES["en"], "fr", lambda word, context: word not in text)
    assert " ".join(done.source) == expected
    own = {symbol.name: symbol.source for symbol in done.symbols}
    assert " ".join(restore_tokens(done.source, own)) == source


def test_a_name_that_stays_text_leaves_its_acronyms() -> None:
    done = symbolize_source(
        "the NATO Council", SIDES["en"], "fr", lambda word, position: position == Position.ACRONYM
    )
    assert " ".join(done.source) == "the <C>_1 Council"


@pytest.mark.parametrize("languages", [("en", "de"), ("fr", "en")])
def test_centuries_are_symbols_where_the_target_writes_them_in_digits(
    languages: tuple[str, str],
) -> None:
    done = symbolize_source("15th century", SIDES[languages[0]], languages[1], lambda *_: False)
    assert done.source == ["<N>_1", "^^th", "century"]
