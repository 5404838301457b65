"""From a sentence pair to any view and back: nothing lost, nothing invented.

A pair that is symbolized, cut into subwords, put together and restored with its own symbols is the
same pair again, whatever its text holds. In real text, numbers that both sides have are symbols.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.files import read_pairs, write_lines
from contextnmt.text.bpe import learn, segmenter
from contextnmt.text.pieces import JOIN, SYMBOL, split_pieces
from contextnmt.text.restore import restore_tokens
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.symbols import LIMIT, Side, Symbolized, symbolize_pair

SIDES = {
    "en": Side("en", {"the": 90, "The": 30, "in": 50, "In": 20, "new": 8, "New": 5}),
    "de": Side("de", {"in": 50, "In": 20, "die": 90, "Die": 30}),
    "fr": Side("fr", {"les": 90, "Les": 30, "en": 50, "En": 20}),
}

#: Words with which something could go wrong: numbers, names and acronyms that agree in part, and
#: what looks like a symbol, a mark, an escape or a subword.
TRICKY = r"""
    a the of de von 1 12 234 567 1,234 1.234 1,5 2. 2nd A380 10-15 ٣ ² ½ ① Ⅷ Bonn Berlin New York
    York-Zeiten Hali-Gali Hali-Gali-Zeiten EU EU-Bank EU-based IMF U.S. I III À-la . - " ' é É ǅ
    <S>_1 <N>_2 x<C>_1 ^^<C>_1 <S>\_1 <S>\\_1 <S>_ <<S>_1S>_3 ^^ ^^1 \^^ \\^^2^^ ^ \ @@ x@@ @@@
"""
INVISIBLE = ["e\u0301", "@\u2060@", "@@\u2060", "\u2060", "\ufeff", "\u200d", "\u202e", "\0"]

#: Tokens are parted by blanks (U+0020) alone; lines end at LF.
ANY_CHARACTERS = st.characters(exclude_characters=" \n", exclude_categories=["Cs"])
TOKENS = st.sampled_from([*TRICKY.split(), *INVISIBLE]) | st.text(
    ANY_CHARACTERS, min_size=1, max_size=6
)
PAIRS = st.sampled_from([("en", "fr"), ("en", "de"), ("fr", "en"), ("de", "en")])


def sentences(tokens: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Tokenized lines, the empty one among them."""
    return st.lists(tokens, max_size=14).map(" ".join)


def surfaces(done: Symbolized) -> tuple[dict[str, str], dict[str, str]]:
    """Words that the symbols of a pair stand for, on either side."""
    return (
        {symbol.name: symbol.source for symbol in done.symbols},
        {symbol.name: symbol.target for symbol in done.symbols},
    )


def digits(number: str) -> str:
    """The digits of a number, without zeros before them."""
    return re.sub("[., ]", "", number).lstrip("0")


def restored(pieces: list[str], symbols: dict[str, str]) -> str:
    """The tokenized line that `restore_tokens` gives."""
    return " ".join(restore_tokens(pieces, symbols))


Segment = Callable[[str], str]


def cut_and_joined(line: str, segment: Segment) -> list[str]:
    """The words of `line`, once they have been subwords."""
    return undo_bpe(segment(line).split(" ")) if line else []


@pytest.fixture(scope="module")
def segment(tmp_path_factory: pytest.TempPathFactory) -> Segment:
    """A function that cuts words into subwords, learnt on a little text."""
    words = Counter(f"{TRICKY} New York Zeiten Bonn Berlin EU ^^nd ^^Zeiten".split())
    codes = tmp_path_factory.mktemp("codes") / "codes"
    write_lines(codes, learn(words + words, 60))
    return segmenter(codes)


@given(sentences(TOKENS), sentences(TOKENS), PAIRS)
@settings(max_examples=500, deadline=None)
def test_a_pairs_own_symbols_give_the_pair_back(
    segment: Segment, source: str, target: str, pair: tuple[str, str]
) -> None:
    """Of pieces or, where words have no other white space within, of subwords."""
    done = symbolize_pair(source, target, SIDES[pair[0]], SIDES[pair[1]])
    for pieces, symbols, line in zip(
        (done.source, done.target), surfaces(done), (source, target), strict=True
    ):
        assert restored(pieces, symbols) == line
        if " ".join(line.split()) == line:
            assert " ".join(cut_and_joined(line, segment)) == line
            assert cut_and_joined(" ".join(pieces), segment) == pieces


@given(sentences(TOKENS), sentences(TOKENS), PAIRS)
@settings(max_examples=300, deadline=None)
def test_a_symbol_stands_for_the_same_thing_once_on_each_side(
    source: str, target: str, pair: tuple[str, str]
) -> None:
    done = symbolize_pair(source, target, SIDES[pair[0]], SIDES[pair[1]])
    names = [symbol.name for symbol in done.symbols]
    for pieces in (done.source, done.target):
        unmarked = [piece.removeprefix(JOIN) for piece in pieces]
        found = [piece for piece in unmarked if SYMBOL.fullmatch(piece)]
        assert sorted(found) == sorted(names)
    unequal = 0
    for symbol in done.symbols:
        if symbol.kind == "N":
            assert digits(symbol.source) == digits(symbol.target)
        elif symbol.kind == "S":
            assert symbol.source == symbol.target
        else:
            unequal += symbol.source != symbol.target
    assert unequal <= 1
    for kind in "NSC":
        order = [piece.removeprefix(JOIN) for piece in done.source if f"<{kind}>_" in piece]
        order = [name for name in order if SYMBOL.fullmatch(name)]
        assert order == [f"<{kind}>_{number}" for number in range(1, len(order) + 1)]
        assert len(order) <= LIMIT


@given(
    sentences(st.text("ABCabc01234.,-", min_size=1, max_size=6)),
    sentences(st.text("XYZxyz56789.,-", min_size=1, max_size=6)),
    PAIRS,
)
@settings(deadline=None)
def test_what_has_no_partner_stays_text(source: str, target: str, pair: tuple[str, str]) -> None:
    done = symbolize_pair(source, target, SIDES[pair[0]], SIDES[pair[1]])
    if [symbol.kind for symbol in done.symbols] != ["C"]:  # one acronym on each side is a pair
        assert done.symbols == []
        assert (done.source, done.target) == (split_pieces(source), split_pieces(target))


# Real text

NUMBER_RUN = re.compile(r"\d+(?:[.,]\d+)*")
FRENCH_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:,\d+)?(?![\d.,]*\d)")


def numbers_of(line: str, grouped: bool) -> Counter[str]:
    """The numbers of a line, all marks alike; `grouped`: groups of three are one number."""
    if grouped:
        line = FRENCH_GROUPS.sub(lambda match: match[0].replace(" ", "."), line)
    return Counter(number.replace(",", ".") for number in NUMBER_RUN.findall(line))


def long_digits(numbers: Counter[str]) -> Counter[str]:
    """The digits of those numbers that have four or more."""
    digits: Counter[str] = Counter()
    for number, count in numbers.items():
        digits[number.replace(".", "")] += count
    return Counter({number: count for number, count in digits.items() if len(number) > 3})


def common(source: Counter[str], target: Counter[str]) -> int:
    """How many numbers have a partner, by groups of digits or else by digits."""
    same = source & target
    return same.total() + (long_digits(source - same) & long_digits(target - same)).total()


def pairable_numbers(source: str, target: str, language: str) -> int:
    """How many numbers of an English line have a partner, French groups read in the better way."""
    readings = (False, True) if language == "fr" else (False,)
    counts = [common(numbers_of(source, False), numbers_of(target, each)) for each in readings]
    return min(max(counts), LIMIT)


@pytest.mark.parametrize(
    "corpus", ["canada-laws_en-fr", "python-docs_en-fr", "wmt14-sample_en-de", "bible_en-de"]
)
def test_real_text(
    shared: Path,
    tmp_path: Path,
    sampled: Callable[[list[tuple[str, str]], int], list[tuple[str, str]]],
    corpus: str,
) -> None:
    language = corpus[-2:]
    raw = read_pairs(*(shared / "data" / corpus / f"train.{name}.gz" for name in ("en", language)))
    tokenizers = Tokenizer("en"), Tokenizer(language)
    lines = [
        (tokenizers[0].line(source), tokenizers[1].line(target))
        for source, target in sampled(list(itertools.islice(raw, 20_000)), 1000)
    ]
    counts = [
        Counter(word for line in side for word in line.split(" "))
        for side in zip(*lines, strict=True)
    ]
    sides = Side("en", counts[0], True), Side(language, counts[1], True)
    write_lines(tmp_path / "codes", learn(Counter(dict(counts[1].most_common(2000))), 300))
    segment = segmenter(tmp_path / "codes")

    pairable = replaced = 0
    for source, target in lines:
        done = symbolize_pair(source, target, *sides)
        source_surfaces, target_surfaces = surfaces(done)
        assert restored(done.source, source_surfaces) == source
        assert " ".join(cut_and_joined(target, segment)) == target
        cut = cut_and_joined(" ".join(done.target), segment)
        assert restored(cut, target_surfaces) == target
        possible = pairable_numbers(source, target, language)
        pairable += possible
        replaced += min(possible, sum(symbol.kind == "N" for symbol in done.symbols))
    assert pairable > 0.05 * len(lines) or corpus.startswith("bible")  # which spells them out
    assert replaced >= 0.99 * pairable
