"""Chinese, whose words have no blanks between them."""

import sys
from pathlib import Path

import pytest

from contextnmt.corpus.tokenize import Tokenizer, tokenize
from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_pairs
from contextnmt.text.detokenize import detokenizer
from contextnmt.translation.run_file import Run, SentenceView

RAW = "我们今天去北京大学(Peking University)看书，好吗？"
WORDS = "我们 今天 去 北京大学 ( Peking University ) 看书 ， 好 吗 ？"


def test_raw_chinese_is_segmented_and_numbers_stay_whole() -> None:
    pytest.importorskip("jieba", reason="jieba, of requirements-dev.lock, is not installed")
    line = Tokenizer("zh").line
    assert line(RAW) == WORDS
    assert line("2017年，人口1,234.5人。UN。") == "2017 年 ， 人口 1,234.5 人 。 UN 。"
    assert line(" 好\u3000吗\r") == "好 吗"
    assert line("") == ""
    assert line("U.S. 1.5%") == Tokenizer("en").line("U.S. 1.5%")


def test_segmented_chinese_is_left_as_it_is(tmp_path: Path, without_jieba: None) -> None:
    text, out = (
        [tmp_path / f"{name}.{side}.gz" for side in ("zh", "en")] for name in ("in", "out")
    )
    write_pairs(*text, [("我们今天 去 北京 大学 。", "We go (today).")])
    tokenize(*text, "zh", "en", *out, segmented=["zh"])
    assert [list(read_lines(path)) for path in out] == [
        ["我们今天 去 北京 大学 。"],
        ["We go ( today ) ."],
    ]
    view = SentenceView(Run("zh", "en", "model", segmented=True))
    assert view.write("北京 大学。 好 ").words == ["北京", "大学。", "好"]


def test_only_a_language_without_blanks_may_be_segmented(tmp_path: Path) -> None:
    text, out = ([tmp_path / f"{name}.{side}" for side in ("en", "fr")] for name in ("in", "out"))
    write_pairs(*text, [("One.", "Un.")])
    with pytest.raises(UserError, match=r"--segmented zz: .*; allowed: yue, zh"):
        tokenize(*text, "en", "fr", *out, segmented=["zh", "zz"])
    tokenize(*text, "en", "fr", *out, segmented=["zh"])


@pytest.fixture
def without_jieba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)


def test_without_jieba_a_line_says_what_to_install(without_jieba: None) -> None:
    with pytest.raises(UserError, match=r"not installed: `pip install jieba`.* text\.segm"):
        Tokenizer("zh")
    with pytest.raises(UserError, match="not installed"):
        SentenceView(Run("zh", "en", "model"))


@pytest.mark.parametrize("language", ["yue", "ja", "th", "km", "lo", "my"])
def test_other_languages_without_blanks_are_refused(language: str) -> None:
    with pytest.raises(UserError, match=f"language '{language}'"):
        Tokenizer(language)


def test_words_of_a_translation_into_chinese_are_joined() -> None:
    join = detokenizer("zh")
    assert join(WORDS) == RAW
    assert join("他 说 ： “ 3.5 % … … ” Python is fun ！") == "他说：“3.5%……”Python is fun！"
    # In other languages Moses decides.
    assert detokenizer("en")("He wrote “ 北京 大学 ” .") == "He wrote “北京大学 ”."
