"""benchmarks/altered_text.py: texts grow as real ones do."""

from itertools import islice
from pathlib import Path

import altered_text
import pytest
from generated_pairs import generate
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.files import write_pairs


def test_a_longer_text_begins_with_the_corpus_and_has_new_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(altered_text, "COMMON", 10)  # of few words, few are common
    sides = tmp_path / "a.en.gz", tmp_path / "a.fr.gz"
    write_pairs(*sides, generate(400))
    text = list(islice(altered_text.endless(*sides), 1600))
    assert text[:400] == list(generate(400))
    assert len(set(text)) > 1500
    alteration = altered_text.Alteration(generate(400))
    source, target = (
        [len({word for line in lines[:end] for word in line.split()}) for end in (400, 800, 1600)]
        for lines in zip(*text, strict=True)
    )
    for words in (source, target):
        for size, times in zip(words[1:], (2, 4), strict=True):
            assert size / words[0] == pytest.approx(times**alteration.exponent, rel=0.15)


def test_a_corpus_is_not_repeated_for_ever(tmp_path: Path) -> None:
    sides = tmp_path / "a.en", tmp_path / "a.fr"
    write_pairs(*sides, generate(2))
    with pytest.raises(UserError, match="too few pairs"):
        list(altered_text.endless(*sides))


@given(st.text(max_size=80), st.binary(min_size=1, max_size=60))
def test_a_changed_word_keeps_its_length_and_case(word: str, digest: bytes) -> None:
    other = altered_text.changed(word, digest)
    assert len(other) == len(word)
    for old, new in zip(word, other, strict=True):
        if old.isascii() and old.isalnum():
            assert new != old
            assert new.isupper() == old.isupper()
            assert new.isdigit() == old.isdigit()
        elif not any(old.lower() in kind for kind in altered_text.LETTERS):
            assert new == old


@given(st.lists(st.text(st.sampled_from("abc -.'é12\r"), max_size=20), min_size=1))
def test_what_stands_between_words_stays(lines: list[str]) -> None:
    pairs = [(line, line) for line in lines]
    tables = altered_text.Alteration(pairs).tables(1)
    for (old, _), (new, _) in zip(pairs, altered_text.altered(pairs, tables), strict=True):
        assert altered_text.WORD.split(new) == altered_text.WORD.split(old)
