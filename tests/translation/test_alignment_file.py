"""The file of attention weights: what is written comes back, and needs no torch."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from contextnmt.errors import UserError
from contextnmt.translation.alignment_file import read_alignments, write_alignments

SHAPES = [(3, 4), (0, 0), (5, 2), (1, 3)]


def test_a_file_gives_back_what_was_written(tmp_path):
    generator = np.random.default_rng(1)
    written = [generator.random(shape, np.float32) for shape in SHAPES]
    for name in ("one.npz", "two.npz"):
        write_alignments(tmp_path / name, written)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    read = read_alignments(tmp_path / "one.npz")
    assert [weights.shape for weights in read] == SHAPES
    for before, after in zip(written, read, strict=True):
        np.testing.assert_allclose(after, before, atol=5e-4)
    write_alignments(tmp_path / "none.npz", [])
    assert read_alignments(tmp_path / "none.npz") == []


def test_a_file_that_has_none_is_named(tmp_path):
    path = tmp_path / "text.npz"
    path.write_text("no weights")
    with pytest.raises(UserError, match=r"text\.npz: no alignments"):
        read_alignments(path)
    np.savez(path, shapes=np.array([[2, 2]]), weights=np.zeros(3))
    with pytest.raises(UserError, match=r"no alignments .*cannot reshape"):
        read_alignments(path)
    with pytest.raises(UserError, match=r"/dev/zero: a folder, a pipe or a device"):
        read_alignments(Path("/dev/zero"))


def test_reading_does_not_wait_for_torch():
    program = (
        "import sys; import contextnmt.translation.alignment_file; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
