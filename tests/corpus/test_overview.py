"""Notes on all downloads together, before them and meanwhile."""

import threading
import time
from pathlib import Path

import pytest

from contextnmt.corpus.download import WIDTH, Wanted, overview, watch
from contextnmt.corpus.transfer import part_path

CORPORA = {
    "large": {"terms": "for research only", "cite": ["Author 2005", "Editors 2014"]},
    "small": {"terms": "for research only", "cite": ["Editors 2014"]},
    "free": {},
    "unused": {"terms": "not for you", "cite": ["Nobody 1900"]},
}


def wanted(corpus: str, size: int | None = None, path: Path = Path("file")) -> Wanted:
    return Wanted(corpus, path, size)


def test_sizes_terms_and_citations_of_what_is_fetched_each_once() -> None:
    files = [wanted("small", 618_000_000), wanted("large", 6_000_000_000), wanted("large")]
    assert overview(files, CORPORA) == (
        "Files to download: 3, 6.62 GB in all, not counting 1 of unknown size.\n"
        "Terms of use:\n"
        "  large, small: for research only\n"
        "Please cite:\n"
        "  large: Author 2005\n"
        "  large, small: Editors 2014"
    )


def test_a_corpus_that_asks_for_nothing_and_long_terms_that_are_wrapped() -> None:
    assert overview([wanted("free", 1500)], CORPORA) == "Files to download: 1, 1.50 kB in all."
    shown = overview([wanted("long", 1)], {"long": {"terms": "word " * 100}})
    assert max(map(len, shown.split("\n"))) <= WIDTH


def test_one_line_for_all_while_something_comes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [
        wanted("large", 4_000_000, tmp_path / "a.gz"),
        wanted("large", None, tmp_path / "b.gz"),
    ]
    files[0].path.write_bytes(b"\0" * 4_000_000)
    watch(files[:1])  # all there
    thread = threading.Thread(target=watch, args=(files, 0.02), daemon=True)
    thread.start()
    time.sleep(0.1)  # nothing comes
    (tmp_path / "new").write_bytes(b"\0" * 1_000_000)
    (tmp_path / "new").rename(part_path(files[1].path))
    time.sleep(0.1)
    part_path(files[1].path).rename(files[1].path)
    thread.join(timeout=10)
    assert not thread.is_alive()
    (line,) = capsys.readouterr().err.strip().split("\n")
    assert line.startswith("downloads, 1 of 2 files done: 100%|")
    assert "5.00M/5.00M" in line
