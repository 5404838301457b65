"""The stage restore: symbols replaced, repeated, invented, left out; subwords undone."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.text.pieces import SYMBOL
from contextnmt.text.restore import restore, restore_tokens
from contextnmt.text.subwords import undo_bpe

RULES = """\
type\tsource\ttarget\tcount
C\tIMF\tFMI\t7
N\t5,000\t5000\t1
S\tGeneva\tGenève\t3
"""
SYMBOLS = """\
line\tsymbol\tsource
1\t<N>_1\t1,234.5
1\t<S>_1\tGeneva
1\t<S>_2\tTrakhtenberg
3\t<N>_1\t5,000
3\t<C>_1\tIMF
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.tsv").write_text(RULES, encoding="utf-8")
    (tmp_path / "symbols.tsv").write_text(SYMBOLS, encoding="utf-8")
    return tmp_path


def restored(folder: Path, text: str, language: str = "fr", **options: bool) -> list[str]:
    (folder / "translation").write_text(text, encoding="utf-8")
    restore(
        translation=[folder / "translation"],
        out=[folder / "test.beam12"],
        symbols=[folder / "symbols.tsv"],
        rules=folder / "rules.tsv",
        source_language="en",
        target_language=language,
        statistics_out=folder / "restored.json",
        **options,
    )
    return list(read_lines(folder / "test.beam12"))


def test_rule_copy_and_numbers_of_the_target_language(folder: Path) -> None:
    text = "<S>_2 à <S>_1 : <N>_1 ^^Kg\nrien\nle <C>_1 : <N>_1\n"
    assert restored(folder, text, external_rules=True) == [
        "Trakhtenberg à Genève : 1 234,5Kg",
        "rien",
        "le FMI : 5000",
    ]
    german = restored(folder, text, "de", external_rules=True)
    assert german[0] == "Trakhtenberg à Genève : 1.234,5Kg"
    assert restored(folder, text)[0] == "Trakhtenberg à Genève : 1,234.5Kg"


def test_repeated_invented_and_missing_symbols_are_counted(folder: Path) -> None:
    assert restored(folder, "<S>_1 <S>_1 <S>_9 ^^-Zeiten , 2 ^^<N>_7 ^^h\n<C>_1\n<N>_1\n") == [
        "Genève Genève -Zeiten , 2 h",
        "",
        "5000",
    ]
    assert json.loads((folder / "restored.json").read_text(encoding="utf-8")) == {
        "test.beam12": {"rule": 3, "copy": 0, "dropped": 3, "missing": 3}
    }


def test_subwords_are_undone_before_symbols(folder: Path) -> None:
    text = "<S>_2 ^^@@ -@@ Zei@@ ten 2 ^^@@ <N>_1\nri@@ en\n<C>_1 <S>@@ _@@ 4 fin@@\n"
    assert restored(folder, text, bpe=True) == ["Trakhtenberg-Zeiten 21,234.5", "rien", "FMI fin"]


@pytest.mark.parametrize("bpe", [False, True])
def test_without_symbols_the_words_stay_as_they_are(tmp_path: Path, bpe: bool) -> None:
    text, translation = "<S>_1 ^^nd \\^^ fin@@ al\u2028x\n", tmp_path / "translation"
    translation.write_text(text, encoding="utf-8")
    restore([translation], [tmp_path / "out"], "en", "fr", bpe=bpe)
    expected = text.replace("@@ ", "") if bpe else text
    assert (tmp_path / "out").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("text", ["one line\n", "1\n2\n"])
def test_symbols_of_another_text_are_the_users_mistake(folder: Path, text: str) -> None:
    with pytest.raises(UserError, match=r"symbols of line 3, but .* [12] lines"):
        restored(folder, text)
    assert not (folder / "test.beam12").exists()


@pytest.mark.parametrize("row", ["0\t<S>_1\tBonn", "3\t<X>_1\tBonn", "4 <S>_1 Bonn"])
def test_a_malformed_row_of_the_symbols_is_named(folder: Path, row: str) -> None:
    (folder / "symbols.tsv").write_text(SYMBOLS + row + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 7: a row needs"):
        restored(folder, "1\n2\n3\n4\n")


def test_options_that_do_not_go_together_are_the_users_mistake(folder: Path) -> None:
    text = folder / "rules.tsv"
    with pytest.raises(UserError, match="1 --translation, 0 --out"):
        restore([text], [], "en", "fr")
    with pytest.raises(UserError, match="only useful together"):
        restore([text], [folder / "out"], "en", "fr", rules=text)
    with pytest.raises(UserError, match="language 'klingon'"):
        restore([text], [folder / "out"], "en", "klingon")


#: What a model may write: symbols whole, cut, glued, nested, marked; and the pieces of no symbol.
SHREDS = """
    <S>_1 <S>_3 <N>_1 <C>_20 <S>_03 ^^<S>_1 ^^<S>_3 ^^^^<N>_1 l'<S>_3 <S>_3<N>_1 <S>_1<S>_2
    <S<N>_9>_3 <<S>_1S>_3 <N<S<C>_1>_2>_3 <S>_1^^nd <S>_^^<N>_1 <S>_ <S> < >_3 S>_3 _1 ^^_1 ^^1 ^^3
    ^^12 ^^S>_ ^^<S>_ ^^ ^^nd ^^^^ 3 12 word <unk> UNK @@ <S>_@@ <@@ ^^@@ S>_@@ <S>@@ 3@@ _@@ wo@@ ٣
"""
OUTPUT = st.lists(st.sampled_from(SHREDS.split()) | st.text("<SNC>_^1@", min_size=1, max_size=8))
SURFACES = {"<S>_1": "Bonn", "<N>_1": "1 234", "<C>_1": "EU"}


@given(OUTPUT, st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_symbol_is_ever_left(tokens: list[str], bpe: bool) -> None:
    words = restore_tokens(undo_bpe(tokens) if bpe else tokens, SURFACES)
    assert all(words)
    assert not [word for word in words if SYMBOL.search(word)]
    assert " ".join(words) == " ".join(" ".join(words).split())


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ("<S>_ ^^3", ""),  # a symbol that joining would make
        ("< ^^S>_ ^^3 x", "x"),
        ("<S> ^^_ ^^<N>_1", "234"),
        ("^^nd of ^^ June  ^^nd", "nd of June nd"),  # no left neighbour
        ("<S>\\_ ^^3", "<S>_3"),  # how text that holds one is written
        ("<S>_9 ^^nd", "nd"),
        ("2 ^^<S>_9 ^^nd", "2 nd"),
        ("^^<S>_1 ^^, <S>_1 ^^, ^^<S>_1", "Bonn, Bonn,Bonn"),
        ("<S>_1<S>_2<S>_1", "BonnBonn"),
        ("<S>_01 <S>_1", "Bonn"),
    ],
)
def test_hostile_output(tokens: str, expected: str) -> None:
    assert " ".join(restore_tokens(tokens.split(" "), SURFACES)) == expected
