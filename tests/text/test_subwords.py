from hypothesis import given
from hypothesis import strategies as st

from contextnmt.text.subwords import WORD_JOINER, escape, undo_bpe, unescape

#: Words in which the separator and its escape are frequent.
words = st.text(st.sampled_from(["@", WORD_JOINER, "a", "é", "^"]), min_size=1)


def test_subwords_are_joined():
    assert undo_bpe(["sou@@", "ris", "et", "ch@@", "a@@", "t"]) == ["souris", "et", "chat"]


def test_a_separator_at_the_end_is_dropped():
    assert undo_bpe(["le", "ch@@"]) == ["le", "ch"]
    assert undo_bpe(["le", "@@"]) == ["le"]


def test_no_subwords_are_no_words():
    assert undo_bpe([]) == []


@given(words)
def test_an_escaped_word_is_free_of_separators_and_can_be_unescaped(word: str):
    assert "@@" not in escape(word)
    assert unescape(escape(word)) == word


@given(words)
def test_any_cut_of_an_escaped_word_is_undone(word: str):
    *beginning, end = escape(word)
    assert undo_bpe([letter + "@@" for letter in beginning] + [end]) == [word]
