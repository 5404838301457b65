"""benchmarks/altered_text.py: texts grow as real ones do."""

from itertools import islice
from pathlib import Path

import altered_text
import pytest
from generated_pairs import generate
from hypothesis import given, settings
from hypothesis import strategies as st

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
    exponent = altered_text.Alteration(generate(400)).exponent
    for side in zip(*text, strict=True):
        short, *longer = (len({*" ".join(side[:end]).split()}) for end in (400, 800, 1600))
        assert longer == pytest.approx([short * 2**exponent, short * 4**exponent], rel=0.15)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=40), st.binary(min_size=1, max_size=40))
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
