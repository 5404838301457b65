"""Byte pair encoding: learn merges from a text, cut the words of a text into subwords.

subword-nmt does both. Choi et al. (section 5.2) learn 30,000 subwords; the number of merges and
whether each language has codes of its own are ambiguity A16. Symbols such as ``<N>_1`` stay whole,
and so do words of more than LONGEST letters: subword-nmt goes through a word once for each merge.
"""

import contextlib
import functools
import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

from contextnmt.corpus.counts import count_words
from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.progress import progress
from contextnmt.text.subwords import SEPARATOR, escape

#: A symbol of the symbolization, which is never cut, with its mark if it is the right-hand piece of
#: a word (A32). Written down here once more, so that learning on plain text does not depend on the
#: symbolization.
SYMBOL = r"(?:\^\^)?<[NSC]>_[0-9]+"

#: Letters of a word that is cut, at most; what is longer is no word of a language.
LONGEST = 1000

#: First line of a file of codes; the others are one merge each, in the order learnt.
VERSION = "#version: 0.2"

#: Words whose subwords are remembered while a text is cut (about 50 MB).
REMEMBERED_WORDS = 1 << 18


def bpe(
    text: Annotated[list[Path], typer.Option(help="tokenized text; repeatable when learning")],
    merges: Annotated[int | None, typer.Option(min=1, help="merges to learn")] = None,
    codes_out: Annotated[Path | None, typer.Option(help="where to write the codes learnt")] = None,
    codes: Annotated[Path | None, typer.Option(help="codes to cut the text with")] = None,
    out: Annotated[Path | None, typer.Option(help="where to write the text in subwords")] = None,
) -> None:
    """Learn byte pair encoding, or cut the words of a text into subwords.

    Learn: contextnmt bpe --text train.en.gz --merges 30000 --codes-out codes.en

    Learn on both languages together: the same with two --text.

    Apply: contextnmt bpe --text test.en.gz --codes codes.en --out test.bpe.en.gz
    """
    if merges and codes_out and not (codes or out):
        learnt = learn(count_words(*text), merges)
        if len(learnt) == 1:
            names = ", ".join(map(str, text))
            raise UserError(f"{names}: no two adjacent letters occur twice: give more text")
        write_lines(codes_out, learnt)
    elif codes and out and len(text) == 1 and not (merges or codes_out):
        segment = segmenter(codes)
        lines = progress(read_lines(text[0]), f"bpe {text[0]}", "lines")
        write_lines(out, map(segment, lines))
    else:
        raise UserError(
            "give either --text, --merges and --codes-out (to learn) "
            "or one --text, --codes and --out (to cut it)"
        )


def learn(counts: Counter[str], merges: int) -> list[str]:
    """The lines of a file of codes: the version and at most `merges` merges, the best one first.

    Words that stay whole take no part: a merge inside them could never be used. A pair that occurs
    once is not merged. Equal counts give equal codes, whatever their order.
    """
    words = [
        f"{escape(word)} {count}"
        for word, count in sorted(counts.items())
        if len(word) <= LONGEST and not re.search(SYMBOL, word)
    ]
    if all(word.index(" ") == 1 for word in words):
        return [VERSION]  # words of one letter: subword-nmt needs a pair of letters to begin with
    learnt = io.StringIO()
    # Its own progress bar and notes would run into those of this project.
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe(words, learnt, merges, is_dict=True)
    return learnt.getvalue().removesuffix("\n").split("\n")


def segmenter(codes: Path) -> Callable[[str], str]:
    """A function that cuts the words of a sentence (blanks between them) into subwords.

    Raises UserError, naming the line, if `codes` is not what `learn` returns.
    """
    encoder = BPE(read_codes(codes), separator=SEPARATOR, glossaries=[SYMBOL])

    @functools.lru_cache(REMEMBERED_WORDS)
    def subwords(word: str) -> str:
        encoder.cache.clear()  # it would grow with the text; the cache around this does not
        escaped = escape(word)
        return escaped if len(word) > LONGEST else " ".join(encoder.segment_tokens([escaped]))

    return lambda line: " ".join(map(subwords, line.split()))


def read_codes(codes: Path) -> io.StringIO:
    """The content of a file of codes, once it is sure that subword-nmt can read it."""
    lines = list(read_lines(codes))
    if not lines or lines[0] != VERSION:
        raise UserError(f"{codes}, line 1: not {VERSION!r}: give a file that bpe has learnt")
    if len(lines) == 1:
        raise UserError(f"{codes}: no merge in it: give a file that bpe has learnt")
    for number, line in enumerate(lines[1:], start=2):
        if len(line.strip("\r\n ").split(" ")) != 2:
            raise UserError(f"{codes}, line {number}: not two subwords with one blank between them")
    return io.StringIO("\n".join(lines) + "\n", newline="\n")
