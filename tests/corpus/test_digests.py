import hashlib
from pathlib import Path

import pytest

from contextnmt.corpus.digests import BLOCK, difference, digests

CONTENT = b"some bytes" * (BLOCK // 7)
EXPECTED = {
    "sha256": hashlib.sha256(CONTENT).hexdigest(),
    "md5": hashlib.md5(CONTENT).hexdigest(),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "file"
    file.write_bytes(CONTENT)
    return file


def test_digests_are_those_of_all_bytes(path: Path) -> None:
    assert digests(path, ["sha256", "md5"]) == EXPECTED
    assert digests(path, ["md5"]) == {"md5": EXPECTED["md5"]}


def test_no_difference(path: Path) -> None:
    assert difference(path, EXPECTED) is None
    assert difference(path, EXPECTED, len(CONTENT)) is None


@pytest.mark.parametrize(("kind", "name"), [("sha256", "SHA-256"), ("md5", "MD5")])
def test_each_digest_must_be_right(path: Path, kind: str, name: str) -> None:
    wrong = {**EXPECTED, kind: "0"}
    found = f"expected {name} 0, got {EXPECTED[kind]} ({len(CONTENT)} bytes)"
    assert difference(path, wrong) == found


def test_the_size_is_compared_first(path: Path) -> None:
    assert difference(path, {"md5": "0"}, 3) == f"expected 3 bytes, got {len(CONTENT)}"
