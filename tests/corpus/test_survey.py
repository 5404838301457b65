from pathlib import Path

from contextnmt.corpus.clean import read_fingerprints, survey
from contextnmt.files import read_lines, write_pairs


def test_words_are_counted_and_pairs_of_equal_words_have_equal_fingerprints(tmp_path: Path) -> None:
    """A fingerprint is BLAKE2b of the words, to 8 bytes, the least significant first."""
    text = tmp_path / "in.en.gz", tmp_path / "in.fr.gz"
    tables = [tmp_path / name for name in ("en.tsv.gz", "fr.tsv.gz", "fingerprints.npy")]
    write_pairs(
        *text, [("the cat", "le chat"), ("the  cat ", " le chat"), ("a", ""), ("", "à z à")]
    )
    survey(*text, *tables)
    assert list(read_lines(tables[0])) == ["cat\t2", "the\t2", "a\t1"]
    assert list(read_lines(tables[1])) == ["chat\t2", "le\t2", "à\t2", "z\t1"]
    first, again, *others = read_fingerprints(tables[2]).tolist()
    assert first == again == 0xE65DC0ABFD79555C
    assert len({first, *others}) == 3
