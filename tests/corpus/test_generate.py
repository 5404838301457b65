import tarfile
from pathlib import Path

from contextnmt.corpus.generate import generate


def test_the_embedded_corpus_is_made_anew_in_the_same_way(tmp_path: Path) -> None:
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    for out in (first, second):
        generate(1, out)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        assert "train.en" in archive.getnames()
