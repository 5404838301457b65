"""Hostile and very long text through all stages of text."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from contextnmt.corpus.tokenize import Tokenizer, tokenize
from contextnmt.files import read_lines, read_pairs, write_lines
from contextnmt.text.bpe import bpe, learn, segmenter
from contextnmt.text.restore import restore, restore_tokens
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.symbol_tables import RULES_HEADER, SYMBOLS_HEADER
from contextnmt.text.symbolize import symbolize
from contextnmt.text.symbols import Side, symbolize_pair

#: Lines of a text of one round; the last one is harmless.
LINES = 24

# fmt: off
#: Blanks and ends of lines that are none here, and what cannot be seen.
INVISIBLE = [
    " ", "  ", "\t", " \t ", "\r", "\r\r", "\v", "\f", "\x1c", "\x1f", "\x85", "\xa0", "\u2028",
    "\u2029", "\u202f", "\u3000", "\0", "\x01", "\x1b[31m", "\x7f", "\x80", "\xad", "\u200b",
    "\u200d", "\u200e", "\u202e", "\u2060", "\u2066", "\ufeff", "\ufffe", "\uffff", "\U000e0001",
    "\U0010ffff", "e\u0301", "E\u0301", "\u0301", "e" + "\u0301" * 50, "1 234 567",
]
# fmt: on

#: Letters and digits unlike others, what the stages write themselves, what the rules look for.
VISIBLE = r"""
    ǅ ﬁ ß ẞ İ ı ſ Å Ⓐ Ⅷ ² ½ ① ٣ १२ 𝟙 𝔸 👩 🇫🇷 漢字 Ж Ωμ א العربية 𐐀 １２
    <S>_1 <N>_2 <C>_03 <S>_ <S> _1 <S>\_1 <<S>_1S>_3 ^^ ^^nd \^^ \ @@ @-@ @ x@@ @@@ <unk> </s> <pad>
    UNK #version: </w> &#124; &amp; ||| 1 12 234 1,234.5 1.234,5 2. 2nd 137Kg 10-15 A380 1,,2 , . -
    ' " « 's l' d' ... U.S. F.M.I. EU EU- EU-based IMF III I A The In of de von Bonn New York -based
    Hali-Gali Hali-Gali-Zeiten http://x.org/1?a=2
"""
HOSTILE = [*INVISIBLE, *VISIBLE.split()]

Pair = tuple[str, str]
Texts = tuple[Path, Path]


def hostile_line(rng: random.Random) -> str:
    """A line of hostile words, of one of them many times, or of any characters."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(["", " ", "\t", "\0"])
    if kind == 1:
        return rng.choice(["", " "]).join([rng.choice(HOSTILE)] * rng.randrange(1, 400))
    if kind == 2:
        points = (rng.choice([0x100, 0x3000, 0x110000]) for _ in range(rng.randrange(1, 80)))
        characters = (chr(rng.randrange(point)) for point in points)
        return "".join(c for c in characters if c != "\n" and not "\ud800" <= c <= "\udfff")
    words = rng.choices(HOSTILE, k=rng.randrange(1, 40))
    return "".join(word + rng.choice(["", " ", " "]) for word in words)


def hostile_pair(rng: random.Random) -> Pair:
    """Two hostile lines, often of the same words."""
    line = hostile_line(rng)
    words = line.split(" ")
    rng.shuffle(words)
    return line, rng.choice([line, " ".join(words), hostile_line(rng)])


def pair_symbols(tokens: list[Pair], index: int) -> Iterator[str]:
    """Rows of a table of symbols, each with what it stands for on the side `index` of its pair."""
    counts = [Counter(" ".join(lines).split(" ")) for lines in zip(*tokens, strict=True)]
    sides = Side("en", counts[0]), Side("fr", counts[1])
    yield SYMBOLS_HEADER
    for line, pair in enumerate(tokens, start=1):
        for symbol in symbolize_pair(*pair, *sides).symbols:
            yield f"{line}\t{symbol.name}\t{(symbol.source, symbol.target)[index]}"


def restored(text: Path, symbols: Path, language: str, bpe: bool) -> list[str]:
    """The lines that `restore` makes of `text` if the symbols stand for their own surfaces."""
    rules, out = text.with_name("own-rules.tsv"), text.with_name("restored")
    _, *rows = (line.split("\t") for line in read_lines(symbols))
    own = sorted({(symbol[1], surface) for _, symbol, surface in rows})
    write_lines(rules, [RULES_HEADER, *(f"{kind}\t{each}\t{each}\t1" for kind, each in own)])
    other = "fr" if language == "en" else "en"
    restore([text], [out], language, other, symbols=[symbols], rules=rules, bpe=bpe)
    return list(read_lines(out))


def check_symbols_and_subwords(folder: Path, tokenized: Texts, rng: random.Random) -> None:
    """Symbolize and cut both sides, and bring each back."""
    symbolize(tokenized[0], "en", "fr", folder / "pair", target=tokenized[1])
    tokens = list(read_pairs(*tokenized))
    cut = folder / "cut.gz"
    for index, language in enumerate(("en", "fr")):
        symbolized, codes = folder / f"pair.{language}.gz", folder / "codes"
        bpe([symbolized], merges=rng.choice([1, 20, 200]), codes_out=codes)
        bpe([symbolized], codes=codes, out=cut)
        write_lines(folder / "symbols.tsv", pair_symbols(tokens, index))
        lines = restored(cut, folder / "symbols.tsv", language, bpe=True)
        assert lines == [pair[index] for pair in tokens]


def check_lone_source(folder: Path, source: Path) -> None:
    """Symbolize the source once more, as if it had no target, and bring it back."""
    lines = list(read_lines(source))
    counts = Counter(" ".join(lines).split(" "))
    del counts[""]
    write_lines(folder / "counts.tsv", (f"{word}\t{count}" for word, count in counts.items()))
    tables = {"source_counts": folder / "counts.tsv", "rates": folder / "pair.rates.tsv"}
    symbolize(source, "en", "fr", folder / "lone", **tables)
    symbols = folder / "lone.symbols.tsv.gz"
    assert restored(folder / "lone.en.gz", symbols, "en", bpe=False) == lines


def one_round(folder: Path, seed: int) -> None:
    """Take a hostile text through all stages and back."""
    rng = random.Random(seed)
    raw = folder / "raw.en", folder / "raw.fr.gz"
    pairs = [hostile_pair(rng) for _ in range(LINES - 1)]
    pairs.append(("the cat of the house", "le chat de la maison"))
    for text, lines in zip(raw, zip(*pairs, strict=True), strict=True):
        write_lines(text, lines)
    tokenized = folder / "tokens.en", folder / "tokens.fr.gz"
    tokenize(*raw, "en", "fr", *tokenized)
    tokens = list(read_pairs(*tokenized))
    assert len(tokens) == LINES
    assert all(line == " ".join(line.split()) for pair in tokens for line in pair)
    check_symbols_and_subwords(folder, tokenized, rng)
    check_lone_source(folder, tokenized[0])


def test_hostile_text_comes_back_unchanged(
    tmp_path: Path, seed: int, sampled: Callable[[list[int], int], list[int]]
) -> None:
    drawn = random.Random(seed)
    for number in sampled([drawn.randrange(10**9) for _ in range(200)], 4):
        try:
            one_round(tmp_path, number)
        except BaseException:
            print(f"one_round(folder, {number}) repeats it; its text is in {tmp_path}")
            raise


# Very long lines

#: Word or part of a word, blanks after it or none, how many times.
LONG = [
    ("the cat sat ", 33_333),
    ("EU-X ", 100_000),
    ("1 234 234,5 ", 20_000),
    ("Bank of of of of of of of of of of ", 10_000),
    ("a", 1_000_000),
    ("1,", 200_000),
    ("<S>_1", 50_000),
    ("Ab-", 100_000),
    ("@\u2060", 100_000),
    ("^^", 200_000),
    ("'", 200_000),
    ("e\u0301", 200_000),
    ("\0", 200_000),
]


def test_very_long_lines_come_back(
    tmp_path: Path, sampled: Callable[[list[tuple[str, int]], int], list[tuple[str, int]]]
) -> None:
    """In a second or so each; in minutes if time grew faster than length."""
    write_lines(tmp_path / "codes", learn(Counter(["the", "cat", "aa", "AA", "77"] * 2), 9))
    segment = segmenter(tmp_path / "codes")
    for text, times in sampled(LONG, 2):
        line = Tokenizer("fr").line(text * times)
        for tokens in (line, " ".join((text * times).split())):
            done = symbolize_pair(tokens, tokens, Side("en", {}), Side("fr", {}))
            surfaces = {symbol.name: symbol.target for symbol in done.symbols}
            cut = segment(" ".join(done.target))
            assert " ".join(restore_tokens(undo_bpe(cut.split()), surfaces)) == tokens, text
