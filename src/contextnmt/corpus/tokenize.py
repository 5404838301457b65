"""Stage *tokenize*: raw lines become Moses tokens; jieba segments Chinese before."""

import functools
import re
from pathlib import Path
from typing import Annotated

import typer
from sacremoses import MosesTokenizer
from sacremoses.tokenize import nonbreaking_prefixes

from contextnmt.corpus.chinese import UNSPACED, segmenter
from contextnmt.errors import UserError
from contextnmt.files import BYTE_ORDER_MARK, read_pairs, write_pairs
from contextnmt.progress import progress

#: A blank that parts a line into chunks whose tokens depend on no other chunk: no dot or apostrophe
#: before it (is it an abbreviation, what comes next?), no comma or apostrophe after it, and no
#: control character, which vanishes, on either side. The blank comes first for the sake of speed.
CHUNK_END = re.compile(r" (?<![.'\x00-\x1f] )(?![,'\x00-\x1f])")

#: A character that shows: no blank, mark of order or direction, joiner, soft hyphen or filler.
VISIBLE = re.compile(
    r"[^\s\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)

#: Chunks whose tokens are remembered, of each language (about 12 MB).
REMEMBERED_CHUNKS = 1 << 16


class NeedfulPattern:
    """A regular expression that is only tried on text with the character that it needs."""

    def __init__(self, pattern: re.Pattern[str], needed: str) -> None:
        self.pattern = pattern
        self.needed = needed

    def sub(self, replacement: str, text: str) -> str:
        """`pattern.sub`, skipped where it could not match."""
        return self.pattern.sub(replacement, text) if self.needed in text else text


class Tokenizer(MosesTokenizer):  # type: ignore[misc]
    """The tokenizer of Moses as of July 2016, ``-no-escape`` (ambiguities A3 and A4).

    sacremoses does the work, once for each chunk of a line, mostly a word: the tokens of the chunks
    used last are remembered. On new ones, its patterns for commas and apostrophes take some 40 %
    of the time, on chunks without either too, so they are kept from those; and its two tables of
    characters become sets once instead of at every look-up. The tokens are the same.
    """

    def __init__(self, language: str, segmented: bool = False) -> None:
        """`segmented`: blanks part the words already, in a language that has none by itself.

        Raise UserError if sacremoses has no list of abbreviations for `language`, or if its words
        have to be told apart and cannot be (`segmenter`).
        """
        if language not in nonbreaking_prefixes.available_langs.values():
            raise UserError(
                f"the tokenizer does not know the language {language!r}: choose one of "
                + ", ".join(sorted(set(nonbreaking_prefixes.available_langs.values())))
            )
        super().__init__(language)
        unspaced = language in UNSPACED and not segmented
        self.segment = segmenter(language) if unspaced else None
        self.lower = frozenset(self.IsLower)
        self.alphabetic = frozenset(self.IsAlpha)
        for name in ("COMMA_SEPARATE_1", "COMMA_SEPARATE_2", "COMMA_SEPARATE_3"):
            pattern, replacement = getattr(self, name)
            setattr(self, name, (NeedfulPattern(pattern, ","), replacement))
        for name in ("ENGLISH_SPECIFIC_APOSTROPHE", "FR_IT_SPECIFIC_APOSTROPHE"):
            rules = getattr(self, name)
            setattr(self, name, [(NeedfulPattern(pattern, "'"), to) for pattern, to in rules])

        @functools.lru_cache(REMEMBERED_CHUNKS)
        def chunk(text: str) -> str:
            return " ".join(self.tokenize(text, escape=False))

        self.chunk = chunk  #: the tokens of a chunk, joined by blanks

    def islower(self, text: str) -> bool:
        """Whether all characters of `text` are lower case; sacremoses' method, with a set."""
        return self.lower.issuperset(text)

    def isanyalpha(self, text: str) -> bool:
        """Whether `text` has a letter; sacremoses' method, with a set."""
        return not self.alphabetic.isdisjoint(text)

    def line(self, text: str) -> str:
        """The tokens of one line, joined by single blanks; no other white space is left.

        Byte order marks go. A line without a character that shows has no tokens.
        """
        if not VISIBLE.search(text):
            return ""
        text = text.replace(BYTE_ORDER_MARK, "")
        if self.segment:
            text = self.segment(text)
        return " ".join(map(self.chunk, CHUNK_END.split(" ".join(text.split()))))


def tokenize(
    source: Annotated[Path, typer.Option(help="Source side, one sentence per line.")],
    target: Annotated[Path, typer.Option(help="Target side, line by line its translation.")],
    source_language: Annotated[str, typer.Option(help="Language code of the source, such as en.")],
    target_language: Annotated[str, typer.Option(help="Language code of the target, such as fr.")],
    source_out: Annotated[Path, typer.Option(help="Tokenized source side to write.")],
    target_out: Annotated[Path, typer.Option(help="Tokenized target side to write.")],
    segmented: Annotated[
        list[str] | None,
        typer.Option(help="Language whose words are separated in this text already; repeatable."),
    ] = None,
) -> None:
    """Split the sentences of a parallel text into words and punctuation marks.

    The tokens are those of the Moses tokenizer of 2016, without its escapes of special characters.
    Every kind of white space becomes a space, other ASCII control characters vanish, and empty
    lines stay empty. jieba segments Chinese first, unless --segmented names it.

    Example: contextnmt tokenize --source train.en.gz --target train.fr.gz --source-language en
    --target-language fr --source-out train.tok.en.gz --target-out train.tok.fr.gz
    """
    for language in segmented or []:
        if language not in UNSPACED:
            raise UserError(
                f"--segmented {language}: its words have spaces between them anyway, or the "
                f"language is not known; allowed: {', '.join(UNSPACED)}"
            )
    left, right = (
        Tokenizer(language, language in (segmented or []))
        for language in (source_language, target_language)
    )
    pairs = progress(read_pairs(source, target), f"tokenize {source.name}", "pairs")
    write_pairs(source_out, target_out, ((left.line(s), right.line(t)) for s, t in pairs))
