from collections import Counter
from pathlib import Path

import pytest

from contextnmt.corpus.counts import write_counts
from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.selection.word_counts import word_counts


def test_the_counts_add_up_by_count_then_by_word(tmp_path: Path) -> None:
    tables = [Counter({"b": 11, "Z": 1, "z": 3}), Counter(), Counter({"é": 3, "Z": 2, "a": 2})]
    paths = [tmp_path / f"{number}.tsv.gz" for number in range(3)]
    for path, table in zip(paths, tables, strict=True):
        write_counts(path, table)
    for order in (paths, paths[::-1]):
        word_counts(order, tmp_path / "out.tsv")
        assert (tmp_path / "out.tsv").read_text() == "b\t11\nZ\t3\nz\t3\né\t3\na\t2\n"
    with pytest.raises(UserError, match="the training text is empty"):
        word_counts(paths[1:2], tmp_path / "none.tsv")
    assert not (tmp_path / "none.tsv").exists()


@pytest.mark.parametrize("line", ["of seven", "of\t-7", ""])
def test_a_malformed_table_is_refused(tmp_path: Path, line: str) -> None:
    write_lines(tmp_path / "counts.tsv", ["the\t7", line])
    with pytest.raises(UserError, match=r"counts\.tsv, line 2: expected a word, a tab and a count"):
        word_counts([tmp_path / "counts.tsv"], tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()
