import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from contextnmt.corpus.tokenize import Tokenizer, tokenize
from contextnmt.errors import UserError
from contextnmt.files import read_lines, read_pairs, write_pairs

LANGUAGES = ["en", "fr", "de"]
TOKENIZERS = {language: Tokenizer(language) for language in LANGUAGES}
MODELS = {language: MosesTokenizer(language) for language in LANGUAGES}

#: Letters and a symbol that do not show.
FILLERS = "\u115f\u1160\u3164\uffa0\u2800"

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tokens_are_those_of_moses(shared: Path, language: str) -> None:
    compared = 0
    for oracle in sorted((shared / "oracles" / "moses_tokenizer").glob(f"*.{language}.tok")):
        corpus, split, _, _ = oracle.name.split(".")
        raw = list(read_lines(shared / "data" / corpus / f"{split}.{language}.gz"))
        expected = list(read_lines(oracle))
        assert len(raw) == len(expected)
        for line, tokens in zip(raw, expected, strict=True):
            if not CHINESE.search(line):
                assert TOKENIZERS[language].line(line) == tokens
                compared += 1
    assert compared > 2000


#: Text that reaches every rule: letters, numbers, quotes, odd blanks; dots and abbreviations.
CHARACTERS = (
    "abzAZéßÉ019,'’\"-–!?:;()[]<>|&%$€@#/_`«»“” \t\r\v\f\x00\x1c\x85\xa0\u2028\u200b\ufeff火"
)
STRINGS = ["...", ".'", "Mr.", "z.B.", "p.", "U.S.", "l'", "n't", "'s", "1,000"]
STRINGS += ["No. 5", " a", " '", "' ", " ,", ". ", ". \x00 "]
FRAGMENTS = st.sampled_from([*CHARACTERS, *STRINGS])
TEXT = st.lists(FRAGMENTS | st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


@pytest.mark.parametrize("language", LANGUAGES)
@given(fragments=TEXT)
@example(fragments=["No. 5, 6,000 , a,b,c 'a' a'b 1's 1'a 'n' .'"])
@example(fragments=[",5 a ,5 '5 a '5 ' '5 a' 5 a' b a. b a. B. 5. \x00 b Mr. Mr. 5 No. \x00 5 a.'"])
def test_the_quicker_tokenizer_changes_nothing(language: str, fragments: list[str]) -> None:
    text = "".join(fragments)
    tokens = TOKENIZERS[language].line(text)
    expected = MODELS[language].tokenize(text.replace("\ufeff", ""), escape=False)
    shows = any(unicodedata.category(char)[0] in "LNPS" for char in text if char not in FILLERS)
    assert tokens in [" ".join(expected), *([] if shows else [""])]
    assert tokens.split(" ") == (tokens.split() or [""])
    assert "\n" not in tokens


@pytest.mark.parametrize(
    "line",
    [
        *"\u200b\u200e\xad\u2060\u180e\u061c\ufe0f\U000e0061\x90",
        *FILLERS,
        "\ufeff \u200b\u3000\u2028",
    ],
)
def test_a_line_of_invisible_characters_is_empty(line: str) -> None:
    assert TOKENIZERS["en"].line(line) == ""
    assert TOKENIZERS["en"].line(f"a{line}b").startswith("a")


def test_both_sides_keep_their_lines(tmp_path: Path) -> None:
    source = ["\ufeffHello, Mr. Smith\u2028isn't here.", "", " \x85\r", "A & <b> | [c]"]
    target = ["L'été,\x0bc'est «\xa0beau\xa0».", "z.B.", "", "5\u202f000,50 €"]
    raw, out = ([tmp_path / f"{name}.{side}.gz" for side in ("en", "fr")] for name in ("in", "out"))
    write_pairs(*raw, zip(source, target, strict=True))
    tokenize(*raw, "en", "fr", *out)
    assert list(read_pairs(*out)) == [
        ("Hello , Mr. Smith isn 't here .", "L' été , c' est « beau » ."),
        ("", "z.B."),
        ("", ""),
        ("A & < b > | [ c ]", "5 000,50 €"),
    ]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UserError, match=r"language 'english': choose one of .*\bde, .*\bfr, "):
        Tokenizer("english")
