import contextlib
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text.bpe import LONGEST, SYMBOL, bpe, learn, segmenter
from contextnmt.text.pieces import JOIN
from contextnmt.text.subwords import WORD_JOINER, undo_bpe
from contextnmt.text.symbol_tables import ACRONYM, NAME, NUMBER
from contextnmt.text.symbols import LIMIT

TEXT = [
    "the lowest tower is lower than the newest one",
    "the newest tower is the widest and <S>_1 is 2 ^^nd",
    "low lower lowest new newer newest wide wider widest",
]

tokens = st.text(st.sampled_from("lowerstwid@^é<N>_1"), min_size=1, max_size=8)


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("codes")
    write_lines(folder / "text", TEXT)
    bpe([folder / "text"], merges=20, codes_out=folder / "codes")
    return folder / "codes"


@pytest.fixture(scope="module")
def peer(codes: Path) -> BPE:
    with codes.open(encoding="utf-8") as stream:
        return BPE(stream, glossaries=[SYMBOL])


def test_the_best_merge_comes_first():
    # The example of Sennrich et al. 2016, its ends of words marked as since version 0.2.
    counts = Counter({"low": 5, "lower": 2, "newest": 6, "widest": 3})
    assert learn(counts, 3) == ["#version: 0.2", "s t</w>", "e st</w>", "l o"]


def test_learning_is_silent(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    learn(Counter(" ".join(TEXT).split()), 1000)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("lines", [[], ["ab cd", "<N>_1 <N>_1"]])
def test_too_little_text_to_learn_from_is_reported(tmp_path: Path, lines: list[str]):
    write_lines(tmp_path / "text", lines)
    with pytest.raises(UserError, match="text: no two adjacent letters occur twice"):
        bpe([tmp_path / "text"], merges=10, codes_out=tmp_path / "codes")
    assert not (tmp_path / "codes").exists()


@pytest.mark.parametrize("symbol", [f"<{NUMBER}>_1", f"<{NAME}>_{LIMIT}", f"{JOIN}<{ACRONYM}>_12"])
def test_symbols_stay_whole(codes: Path, symbol: str):
    assert segmenter(codes)(f"the {symbol} tower").split().count(symbol) == 1


def test_symbols_within_a_word_are_isolated(codes: Path):
    assert segmenter(codes)("(<N>_1").split() == ["(@@", "<N>_1"]
    assert segmenter(codes)("(^^<N>_1)").split() == ["(@@", "^^<N>_1@@", ")"]


def test_a_marked_piece_is_a_word_like_others(tmp_path: Path):
    words = Counter({"^^nd": 9, "land": 1})
    write_lines(tmp_path / "codes", learn(words, 3))
    assert segmenter(tmp_path / "codes")("2 ^^nd ^^rd") == "2 ^^nd ^@@ ^@@ r@@ d"


@given(st.lists(tokens.filter(lambda token: "@@" not in token)))
@settings(deadline=None)
def test_every_line_equals_that_of_subword_nmt(codes: Path, peer: BPE, sentence: list[str]):
    line = " ".join(sentence)
    assert segmenter(codes)(line) == peer.segment(line)


@given(st.lists(tokens | st.text(f"@{WORD_JOINER}aé", min_size=1)))
@settings(deadline=None)
def test_undoing_gives_the_words_back(codes: Path, sentence: list[str]):
    cut = segmenter(codes)(" ".join(sentence)).split()
    assert undo_bpe(cut) == sentence
    assert undo_bpe([*cut, "@@"]) == sentence  # a translation may end in a separator


def test_every_line_of_a_corpus_equals_that_of_subword_nmt(
    shared: Path, tmp_path: Path, sampled: Callable[[list[str], int], list[str]]
):
    """On both languages together; every other line has symbols, which learning leaves out."""
    texts = {}
    for language in ("en", "fr"):
        lines = read_lines(shared / f"data/canada-laws_en-fr/train.{language}.gz")
        blanks = [" ".join(line.split()) for line in itertools.islice(lines, 10_000)]
        texts[tmp_path / language] = [
            f"{line} <N>_1 ^^nd <S>_1".strip() if number % 2 else line
            for number, line in enumerate(sampled(blanks, 1000))
        ]
        write_lines(tmp_path / language, texts[tmp_path / language])
    bpe(list(texts), merges=300, codes_out=tmp_path / "codes")
    symbols = re.compile(rf"\S*{SYMBOL}\S*")
    plain = [symbols.sub("", line) for lines in texts.values() for line in lines]
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe(plain, expected := io.StringIO(), 300)
    assert (tmp_path / "codes").read_text(encoding="utf-8") == expected.getvalue()

    peer = BPE(expected, glossaries=[SYMBOL])
    found = set()
    for path, lines in texts.items():
        bpe([path], codes=tmp_path / "codes", out=tmp_path / "out")
        for line, cut in zip(lines, read_lines(tmp_path / "out"), strict=True):
            assert cut == peer.segment(line)
            assert undo_bpe(cut.split()) == line.split()
            found |= set(symbols.findall(line)) & set(cut.split())
    assert {"<N>_1", "<S>_1"} <= found


@pytest.mark.parametrize(
    "lines, place",
    [
        (["e s"], "line 1"),
        (["#version: 0.2"], "no merge"),
        (["#version: 0.2", "e s", "e"], "line 3"),
        (["#version: 0.2", "e s t"], "line 2"),
    ],
)
def test_damaged_codes_are_reported(tmp_path: Path, lines: list[str], place: str):
    write_lines(tmp_path / "codes", lines)
    with pytest.raises(UserError, match=place):
        segmenter(tmp_path / "codes")


def test_what_is_too_long_for_a_word_stays_whole(codes: Path) -> None:
    segment = segmenter(codes)
    longest, longer = "low@@" * (LONGEST // 5), "low@@" * 1_000_000
    assert len(segment(longest).split()) > 1
    assert len(segment(f"{longer} lower").split()) == 1 + len(segment("lower").split())
    assert undo_bpe(segment(f"{longer} {longest}").split()) == [longer, longest]
    counts = Counter({"low": 5, "lower": 2})
    assert learn(counts | Counter({longer: 9}), 3) == learn(counts, 3)


def test_it_either_learns_or_cuts():
    for outs in ({}, {"codes_out": Path("codes"), "out": Path("out")}):
        with pytest.raises(UserError, match="to learn"):
            bpe([Path("text")], merges=5, **outs)


def test_only_one_text_is_cut_at_a_time(codes: Path):
    with pytest.raises(UserError, match="one --text"):
        bpe([Path("a"), Path("b")], codes=codes, out=Path("out"))
