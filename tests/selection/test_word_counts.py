from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.corpus.counts import counted_words, write_counts
from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.selection.word_counts import word_counts

tables = st.lists(st.dictionaries(st.sampled_from("abcdé"), st.integers(1, 9)), min_size=1)


@settings(max_examples=20, deadline=None)
@given(tables)
def test_the_counts_add_up(
    tmp_path_factory: pytest.TempPathFactory, counts: list[dict[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    paths = [folder / f"{number}.tsv.gz" for number in range(len(counts))]
    for path, table in zip(paths, counts, strict=True):
        write_counts(path, Counter(table))
    total = sum(map(Counter, counts), Counter())
    out = folder / "out.tsv"
    if not total:
        with pytest.raises(UserError, match="the training text is empty"):
            word_counts(paths, out)
        assert not out.exists()
        return
    word_counts(paths, out)
    expected = sorted(total.items(), key=lambda entry: (-entry[1], entry[0]))
    assert list(counted_words(out)) == expected
    word_counts(paths[::-1], folder / "again.tsv")
    assert (folder / "again.tsv").read_bytes() == out.read_bytes()


@pytest.mark.parametrize("line", ["of seven", "of\t-7", ""])
def test_a_malformed_table_is_refused(tmp_path: Path, line: str) -> None:
    write_lines(tmp_path / "counts.tsv", ["the\t7", line])
    with pytest.raises(UserError, match=r"counts\.tsv, line 2: expected a word, a tab and a count"):
        word_counts([tmp_path / "counts.tsv"], tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()
