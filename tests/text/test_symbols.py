"""Symbols in sentence pairs and in lone source sentences, case by case."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.text.restore import restore_tokens
from contextnmt.text.symbols import LIMIT, Side, symbolize_pair, symbolize_source

EN = Side(
    "en",
    {"the": 90, "The": 30, "in": 50, "In": 20, "on": 9, "On": 2, "new": 8, "New": 5, "Paris": 3},
)
FR = Side("fr", {"les": 90, "Les": 30, "en": 50, "En": 20, "dans": 9, "Dans": 3, "New": 5})
DE = Side("de", {"in": 50, "In": 20, "die": 90, "Die": 30, "New": 5})
SIDES = {"fr": FR, "de": DE}

# language of the target | source | target | source with symbols | target with symbols
CASES = """
fr | 137Kg of rice | 137 Kg de riz | <N>_1 ^^Kg of rice | <N>_1 Kg de riz
fr | 12h30 | 12 h 30 | <N>_1 ^^h ^^<N>_2 | <N>_1 h <N>_2
fr | from 10-15 | de 10 à 15 | from <N>_1 ^^- ^^<N>_2 | de <N>_1 à <N>_2
de | on June 2nd | am 2. Juni | on June <N>_1 ^^nd | am <N>_1 ^^. Juni
de | 2nd and 3rd | 2. und 3. | <N>_1 ^^nd and <N>_2 ^^rd | <N>_1 ^^. und <N>_2 ^^.
de | 1,234.5 m | 1.234,5 m | <N>_1 m | <N>_1 m
fr | 1,234,567 people | 1 234 567 personnes | <N>_1 people | <N>_1 personnes
fr | 1,234.56 dollars | 1 234,56 dollars | <N>_1 dollars | <N>_1 dollars
fr | lines 12 and 345 | lignes 12 345 | lines <N>_1 and <N>_2 | lignes <N>_1 <N>_2
fr | 1234 men | 1 234 hommes | <N>_1 men | <N>_1 hommes
fr | 1.5 m | 15 m | 1.5 m | 15 m
fr | 3 and 3 | 3 | <N>_1 and 3 | <N>_1
fr | 3 and 3 | 3 et 3 | <N>_1 and <N>_2 | <N>_1 et <N>_2
fr | 1 then 2 | 2 puis 1 | <N>_1 then <N>_2 | <N>_2 puis <N>_1
fr | 5 of 7 | 7 sur 9 | 5 of <N>_1 | <N>_1 sur 9
fr | at 3 : 45 | à 3 h 45 | at <N>_1 : <N>_2 | à <N>_1 h <N>_2
de | 0.5 and 1,5 | 0,5 und 1.5 | <N>_1 and <N>_2 | <N>_1 und <N>_2
de | 1234 and 1,234 | 1.234 und 1234 | <N>_1 and <N>_2 | <N>_2 und <N>_1
fr | the A380 flies | l' A380 vole | the A ^^<N>_1 flies | l' A ^^<N>_1 vole
fr | COVID-19 spreads | la COVID-19 circule | <C>_1 ^^<N>_1 spreads | la <C>_1 ^^<N>_1 circule
fr | in 2010 | en 2010 | in <N>_1 | en <N>_1
de | In 2010 | In 2010 | In <N>_1 | In <N>_1
de | In Berlin it rains | In Berlin regnet es | In <S>_1 it rains | In <S>_1 regnet es
fr | he met Obama | il a vu Obama | he met <S>_1 | il a vu <S>_1
fr | he met Obama and Obama | il a vu Obama | he met <S>_1 and Obama | il a vu <S>_1
fr | Obama met Obama | Obama a vu Obama | <S>_1 met <S>_2 | <S>_1 a vu <S>_2
fr | in New York City | à New York | in <S>_1 City | à <S>_1
fr | New York and York | York et New York | <S>_1 and <S>_2 | <S>_2 et <S>_1
fr | New York is big | la ville de New York | <S>_1 is big | la ville de <S>_1
de | New York is big | New York ist groß | <S>_1 is big | <S>_1 ist groß
fr | New is York | New est York | New is <S>_1 | New est <S>_1
de | In New York it rains | In New York regnet es | In <S>_1 it rains | In <S>_1 regnet es
fr | New York , York | York , New | New <S>_1 , York | <S>_1 , New
de | Die Welt is old | " Die Welt " ist alt | <S>_1 is old | " <S>_1 " ist alt
fr | the Court of Appeal | la Court of Appeal | the <S>_1 | la <S>_1
fr | Bank of , Canada | Bank of Canada | <S>_1 of , <S>_2 | <S>_1 of <S>_2
fr | Paris is big | Paris est grand | <S>_1 is big | <S>_1 est grand
fr | The Dans said " On | Dans Dans " On | The <S>_1 said " On | Dans <S>_1 " On
fr | I saw A | I vu A | I saw A | I vu A
de | Hali-Gali times | Hali-Gali-Zeiten | <S>_1 times | <S>_1 ^^-Zeiten
de | the Berlin-based firm | die Firma aus Berlin | the <S>_1 ^^-based firm | die Firma aus <S>_1
de | in New York times | in New York-Zeiten | in <S>_1 times | in <S>_1 ^^-Zeiten
de | Jean-Marie came | Jean-Pierre kam | Jean-Marie came | Jean-Pierre kam
de | Berlin and Berlin-Mitte | Berlin-Mitte und Berlin | <S>_1 and <S>_2 | <S>_2 und <S>_1
de | the Computer | der Computer | the <S>_1 | der <S>_1
fr | the IMF says | le FMI dit | the <C>_1 says | le <C>_1 dit
fr | the IMF and the UN | le FMI et l' ONU | the IMF and the UN | le FMI et l' ONU
fr | the IMF and the WHO | le FMI et la WHO | the <C>_1 and the <C>_2 | le <C>_1 et la <C>_2
fr | the IMF | le fonds | the IMF | le fonds
fr | NATO and NATO | NATO et NATO | <C>_1 and <C>_2 | <C>_1 et <C>_2
fr | in the U.S. now | aux U.S. ici | in the <C>_1 now | aux <C>_1 ici
fr | by F.M.I. | par F.M.I . | by <C>_1 | par <C>_1 .
de | the EU Commission | die EU-Kommission | the <C>_1 Commission | die <C>_1 ^^-Kommission
de | EU-based in 3 | EU und 3 | <C>_1 ^^-based in <N>_1 | <C>_1 und <N>_1
fr | King Henri VIII | King Henri VIII | <S>_1 | <S>_1
fr | VIII of II | VIII of II | <C>_1 of <C>_2 | <C>_1 of <C>_2
de | 20MHz in Kiel | 20 MHz in Kiel | <N>_1 ^^MHz in <S>_1 | <N>_1 MHz in <S>_1
fr | the <S>_1 of ^^ | le <S>_1 de ^^ | the <S>_ ^^<N>_1 of \\^^ | le <S>_ ^^<N>_1 de \\^^
fr | élan of Élan Vital | Élan Vital | élan of <S>_1 | <S>_1
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_pairs(case: str) -> None:
    language, source, target, source_symbols, target_symbols = case.split(" | ")
    done = symbolize_pair(source, target, EN, SIDES[language])
    assert (" ".join(done.source), " ".join(done.target)) == (source_symbols, target_symbols)
    surfaces = {symbol.name: symbol.target for symbol in done.symbols}
    assert " ".join(restore_tokens(done.target, surfaces)) == target


def test_table_2_of_the_paper() -> None:
    done = symbolize_pair(
        "The World of Warcraft and Warcraft III American regional finals were held at the House "
        "of Blues on June 2nd and 3rd in San Diego , California .",
        "Les finales régionales de Warcraft III et de World of Warcraft pour l' Amérique du Nord "
        "se sont déroulées au House of Blues , les 2 et 3 juin derniers à San Diego .",
        EN,
        FR,
    )
    assert " ".join(done.source) == (
        "The <S>_1 and <S>_2 American regional finals were held at the <S>_3 on June <N>_1 ^^nd "
        "and <N>_2 ^^rd in <S>_4 , California ."
    )
    assert " ".join(done.target) == (
        "Les finales régionales de <S>_2 et de <S>_1 pour l' Amérique du Nord se sont déroulées "
        "au <S>_3 , les <N>_1 et <N>_2 juin derniers à <S>_4 ."
    )


def test_trakhtenberg_of_section_6_3() -> None:
    done = symbolize_pair(
        "Trakhtenberg was the presenter of many programs before Hali-Gali times .",
        "Trakhtenberg war der Moderator vieler Programme vor Hali-Gali-Zeiten .",
        EN,
        DE,
    )
    assert " ".join(done.source) == (
        "<S>_1 was the presenter of many programs before <S>_2 times ."
    )
    assert " ".join(done.target) == (
        "<S>_1 war der Moderator vieler Programme vor <S>_2 ^^-Zeiten ."
    )


def test_at_most_twenty_symbols_of_a_type() -> None:
    line = " ".join(map(str, range(100, 130))) + " , " + "Bonn , " * 30
    done = symbolize_pair(line, line, EN, DE)
    for side in (done.source, done.target):
        assert sum(piece.startswith("<N>") for piece in side) == LIMIT
        assert sum(piece.startswith("<S>") for piece in side) == LIMIT
    assert "<N>_20" in done.source and "120" in done.source


def test_a_pathological_line_takes_no_quadratic_time() -> None:
    line = "Canada " * 1000 + "EU " * 1000 + "EU-X " * 1000 + "1 234 " * 1000
    begin = time.process_time()
    symbolize_pair(line, line, EN, FR)
    assert time.process_time() - begin < 5


TRICKY = r"""
    a the of de von 1 12 234 567 1,234 1.234 1,5 2. 2nd A380 10-15 ٣ Bonn Berlin New York .
    York-Zeiten Hali-Gali Hali-Gali-Zeiten EU EU-Bank EU-based IMF U.S. I III À-la - " é É
    <S>_1 <N>_2 ^^<C>_1 ^^ \^^ @@ x@@ ^
"""
WORDS = st.sampled_from([*TRICKY.split(), "Foo\tBar", "\u2028"]) | st.text(
    st.characters(exclude_characters=" \n"), min_size=1, max_size=6
)
SENTENCES = st.lists(WORDS, max_size=14).map(" ".join)


@given(SENTENCES, SENTENCES, st.sampled_from([FR, DE]))
def test_restoring_with_a_pairs_own_symbols_gives_the_pair_back(
    source: str, target: str, side: Side
) -> None:
    done = symbolize_pair(source, target, EN, side)
    own_target = {symbol.name: symbol.target for symbol in done.symbols}
    own_source = {symbol.name: symbol.source for symbol in done.symbols}
    assert " ".join(restore_tokens(done.target, own_target)) == target
    assert " ".join(restore_tokens(done.source, own_source)) == source
    for kind in "NSC":
        numbers = [int(s.name.partition("_")[2]) for s in done.symbols if s.kind == kind]
        assert numbers == list(range(1, len(numbers) + 1))


@given(SENTENCES, st.booleans())
def test_restoring_a_lone_source_gives_it_back(source: str, verdict: bool) -> None:
    done = symbolize_source(source, EN, (), lambda name: verdict)
    own = {symbol.name: symbol.source for symbol in done.symbols}
    assert " ".join(restore_tokens(done.source, own)) == source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The World of Warcraft III American finals", "The <S>_1 finals"),
        ("In Berlin", "In <S>_1"),
        ("New York is big", "<S>_1 is big"),
        ("New Delhi is big", "New <S>_1 is big"),
        ("he saw New Delhi", "he saw <S>_1"),
        ("On fire", "On fire"),
        ("In the EU", "In the <C>_1"),
        ("by the London-based UNESCO in 1,234.5", "by the <S>_1 ^^-based <C>_1 in <N>_1"),
        ("EU-based firms", "<C>_1 ^^-based firms"),
        ("Stratford-upon-Avon and I", "<S>_1 and I"),
        ("the NATO Council of the EU", "the <S>_1"),
        ("1 234", "<N>_1 <N>_2"),
        ("", ""),
    ],
)
def test_lone_sources(source: str, expected: str) -> None:
    known = {"New York", "On"}
    assert " ".join(symbolize_source(source, EN, known, lambda name: True).source) == expected


def test_a_name_that_stays_text_leaves_its_acronyms() -> None:
    done = symbolize_source("the NATO Council", EN, (), lambda name: False)
    assert " ".join(done.source) == "the <C>_1 Council"


def test_a_name_at_a_sentence_start_that_became_a_symbol_did_not_stay_text() -> None:
    assert symbolize_pair("New York is big", "New York ist groß", EN, DE).text_names == []
    assert symbolize_pair("New York is big", "sie ist groß", EN, DE).text_names == ["York"]
