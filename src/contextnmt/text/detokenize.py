"""Raw text of tokenized lines: Moses' detokenizer, and the apostrophes that it leaves alone.

The tokenizer of Moses puts blanks around ’ in every language, and around ' in all but English,
French and Italian. Which blanks the author wrote is lost: the words beside an apostrophe tell.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Sequence

from contextnmt.corpus.chinese import UNSPACED, joined

#: Apostrophes, which quote too, and marks that only quote.
MARKS = ("'", "’", "‘", "‚")
#: Mark that closes a quotation -> mark that opens it.
PARTNERS = {"’": "‘", "‘": "‚"}

#: Languages that begin a quotation with ’ too.
RIGHT_QUOTES = ("fi", "sv")

#: Stands for ' while sacremoses reads it, whose rules are for the tokens of three languages alone;
#: that of Czech crashes. The other ends Czech lines, whose last tokens it takes for those before a
#: number.
HIDDEN, END = "\ue000", "\ue001"

#: Languages whose tokenizer leaves ' at one of two words, where sacremoses sees it.
CONTRACTING = ("en", "fr", "it")

#: The words beside an apostrophe, with a blank between them, by language ("": all others). First
#: those that are written without any blank:
WITHOUT_BLANK = {
    "": r"[^\W\d] .+|.+ [^\W\d]{1,2}",
    "de": r"[^\W\d] .+|.+ (s|sche[mnrs]?)",
    "el": r"[A-Z] .+",
    "en": r"([odOD]|[A-Z]) .+|.+ (?i:s|t|d|m|ll|re|ve)",
    "fi": r"[^\W\d] .+|\S*([aeiouyäö]) \1.*|.+ (n|s?ta|ssa|lla|lle|ksi|i?in)",
    "it": r"[^\W\d] .+|.+ [^\W\d]{1,2}|\w*ll \d.*",
    "nl": r"[^\W\d] .+|zo n|.+ s",
}
#: those with a blank before it (in ’t, the ’90s),
BLANK_BEFORE = {
    "": r"\S\S+ \d.*",
    "de": r".+ (n|ne|ne[mnrs])|\S*[^sxzß] \d.*",
    "en": r".+ (n|em|til|cause|bout|tis|twas)|\S*[^sz] \d.*",
    "fr": r"(?!\w*qu )\S\S+ \d.*",
    "nl": r".+ (t|n|k|\d.*)",
}
#: and those with a blank after it (the Joneses’ house).
BLANK_AFTER = {
    "de": r"(\S*[sxzß]|\S*ce|[^\WA-ZÄÖÜ]\S*) .+|.+ (ich|er|es|sie|du|wir|ihr|und)",
    "el": r".+",
    "en": r"(\S*[sz]|n) .+",
    "it": r"(po|mo|ca|be|to|va|fa|da|di|sta|de|ne|co|a|e|su|que|quei) .+",
    "nl": r"\S*[sxz] .+",
    "sv": r"\S*[sxz] .+",
}

#: Whether a mark has no blank before it, and whether it has none after it.
Sides = tuple[bool, bool]
OPENS, CLOSES, JOINS = (False, True), (True, False), (True, True)


def detokenizer(language: str) -> Callable[[str], str]:
    """A function that writes tokenized lines of a language as raw text.

    Moses' detokenizer does it, after `join_marks`. Nothing was escaped (A4), so nothing is
    unescaped: an ``&amp;`` is one of the author's. Chinese words are joined.
    """
    from sacremoses import MosesDetokenizer  # takes a second, and who restores needs none

    moses = MosesDetokenizer(lang=language)
    end = [END] if language == "cs" else []

    def detokenize(line: str) -> str:
        tokens = join_marks(line.split(), language)
        text = str(moses.detokenize(tokens + end, unescape=False))
        text = text.removesuffix(END).rstrip(" ").replace(HIDDEN, "'")
        return joined(text) if language in UNSPACED else text

    return detokenize


def join_marks(tokens: Sequence[str], language: str) -> list[str]:
    """Join apostrophes and single quotation marks to the tokens that they belong to."""
    sides = sides_of_marks(tokens, language)
    words: list[list[str]] = []
    glued = False  # does this token belong to the one before it?
    for place, token in enumerate(tokens):
        before, after = sides.get(place, (False, False))
        if place in sides or language not in CONTRACTING:
            token = token.replace("'", HIDDEN)
        if (glued or before) and words:
            words[-1].append(token)
        else:
            words.append([token])
        glued = after
    return list(map("".join, words))


def sides_of_marks(tokens: Sequence[str], language: str) -> dict[int, Sides]:
    """Place of a mark among the tokens -> whether no blank is before it, and none after it."""
    sides: dict[int, Sides] = {}
    opened: set[str] = set()
    candidates: list[int] = []
    last = max((place for place, token in enumerate(tokens) if token == "’"), default=-1)
    for place, token in enumerate(tokens):
        if token not in MARKS:
            continue
        before, after = beside(tokens, place)
        one_word = tokens[place + 2 : place + 3] == ["'"] and len(before) != 1
        quotes = token == "'" and (one_word or candidates[-1:] == [place - 2])
        known = None if quotes else known_sides(before, after, language)
        if known == JOINS and token == "'" and language in CONTRACTING and after.isalpha():
            known = None  # the tokenizer would have left it at one of the words
        if token == "‚" or (token == "‘" and "‚" not in opened and place < last):
            opened.add(token)
            sides[place] = OPENS
        elif known:
            sides[place] = known
        elif token in PARTNERS and PARTNERS[token] in opened:
            opened.discard(PARTNERS[token])
            sides[place] = CLOSES
        elif language in RIGHT_QUOTES or (token == "'" and language != "el"):
            candidates.append(place)
        else:
            sides[place] = probable_sides(before, after, language)
    return sides | quotations(tokens, candidates, language)


def quotations(tokens: Sequence[str], places: Sequence[int], language: str) -> dict[int, Sides]:
    """Sides of marks that quote or are apostrophes: pairs of them quote, others do not."""
    sides: dict[int, Sides] = {}
    left = deque(places)
    while left:
        first = left.popleft()
        before, after = beside(tokens, first)
        plurals = left and all(re.search("[sz]$", beside(tokens, at)[0]) for at in (first, left[0]))
        if left and not plurals and (after or left[0] == first + 2):
            sides[first], sides[left.popleft()] = OPENS, CLOSES
        else:
            sides[first] = probable_sides(before, after, language)
            if language in CONTRACTING and sides[first] == JOINS:  # else one word would have it
                sides[first] = OPENS
    return sides


def beside(tokens: Sequence[str], place: int) -> tuple[str, str]:
    """The words on both sides of a mark, without the dots of abbreviations; "" for other tokens."""
    before = tokens[place - 1].rstrip(".") if place else ""
    after = tokens[place + 1].rstrip(".") if place + 1 < len(tokens) else ""
    return before if is_word(before[-1:]) else "", after if is_word(after[:1]) else ""


def is_word(character: str) -> bool:
    """Whether a character is a letter, a mark on one or a digit; False for none."""
    return bool(character) and unicodedata.category(character)[0] in "LMN"


def known_sides(before: str, after: str, language: str) -> Sides | None:
    """Sides of an apostrophe between two words that leave no doubt; None if they do."""
    for table, sides in ((WITHOUT_BLANK, JOINS), (BLANK_BEFORE, OPENS)):
        pattern = table.get(language, table[""])
        if before and after and re.fullmatch(pattern, f"{before} {after}"):
            return sides
    return None


def probable_sides(before: str, after: str, language: str) -> Sides:
    """Sides of an apostrophe: by its words or, beside a mark of punctuation, by its only one."""
    if not (before and after):
        return OPENS if after else CLOSES
    closes = re.fullmatch(BLANK_AFTER.get(language, "(?!)"), f"{before} {after}")
    return CLOSES if closes else JOINS
