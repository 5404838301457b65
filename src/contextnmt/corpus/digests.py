"""Digests of files as their publishers state them: SHA-256, or MD5 where that is all there is."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

#: Key of a corpus file entry -> the digest's name in messages.
NAMES = {"sha256": "SHA-256", "md5": "MD5"}
BLOCK = 1 << 20


def digests(path: Path, kinds: Iterable[str]) -> dict[str, str]:
    """The digests of the bytes of `path` in hexadecimal, by kind (the keys of NAMES)."""
    made = {kind: hashlib.new(kind, usedforsecurity=False) for kind in kinds}
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            for digest in made.values():
                digest.update(block)
    return {kind: digest.hexdigest() for kind, digest in made.items()}


def difference(path: Path, expected: Mapping[str, str], size: int | None = None) -> str | None:
    """How `path` differs from the file with these digests by kind, in words; None if it does not.

    Its size in bytes is compared first, if that of the expected file is known.
    """
    found = path.stat().st_size
    if size is not None and found != size:
        return f"expected {size} bytes, got {found}"
    for kind, digest in digests(path, expected).items():
        if digest != expected[kind]:
            return f"expected {NAMES[kind]} {expected[kind]}, got {digest} ({found} bytes)"
    return None
