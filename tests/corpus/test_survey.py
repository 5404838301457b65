from pathlib import Path

import numpy as np
import pytest

from contextnmt.corpus.survey import read_fingerprints, survey
from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_pairs

Pairs = list[tuple[str, str]]

NAMES = ("in.en.gz", "in.fr.gz", "en.tsv.gz", "fr.tsv.gz", "text.fingerprints.npy")


def run(folder: Path, pairs: Pairs) -> list[Path]:
    """Files of `survey`: two tables and the fingerprints."""
    files = [folder / name for name in NAMES]
    write_pairs(files[0], files[1], pairs)
    survey(*files)
    return files[2:]


def test_words_are_sorted_by_count_and_then_by_word(tmp_path: Path) -> None:
    tables = run(tmp_path, [("b a", "z"), ("  b  c", ""), ("", "é z e")])
    assert list(read_lines(tables[0])) == ["b\t2", "a\t1", "c\t1"]
    assert list(read_lines(tables[1])) == ["z\t2", "e\t1", "é\t1"]


def test_pairs_of_equal_words_have_equal_fingerprints_of_fixed_values(tmp_path: Path) -> None:
    """BLAKE2b of the words, to 8 bytes, the least significant first."""
    pairs = [("the cat", "le chat"), ("the  cat ", " le chat"), ("the", "cat le chat")]
    first, again, other = read_fingerprints(run(tmp_path, pairs)[2]).tolist()
    assert first == again == 0xE65DC0ABFD79555C != other


@pytest.mark.parametrize("content", [np.zeros(3), np.zeros((3, 1), np.uint64), np.array([None])])
def test_what_holds_no_fingerprints_is_named(tmp_path: Path, content: np.ndarray) -> None:
    path = tmp_path / "f.npy"
    np.save(path, content)
    with pytest.raises(UserError, match=r"f\.npy: not a file of fingerprints.* survey the text"):
        read_fingerprints(path)
