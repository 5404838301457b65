"""Files of configuration that are no YAML, or no text."""

from pathlib import Path

import pytest

from contextnmt.configuration import load
from contextnmt.errors import UserError


def test_broken_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("preset: demo\nseeds: [1\nmodel: {}\n")
    with pytest.raises(UserError, match=r"mine\.yaml, line \d: not YAML"):
        load(file)
    file.write_text("- 1\n")
    with pytest.raises(UserError, match="not a block of `key: value` lines"):
        load(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"preset: demo\nhand_placed: caf\xe9\n", "mine.yaml, line 2: not UTF-8"),
        (
            b"preset: demo\n\nhand_placed: a\x07b\n",
            r"mine.yaml, line 3: .*control character U\+0007",
        ),
        (b"", "mine.yaml: not a block of `key: value` lines"),
    ],
)
def test_a_file_that_is_no_yaml_text(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(content)
    with pytest.raises(UserError, match=message):
        load(file)
    file.unlink()
    with pytest.raises(UserError, match=r"mine\.yaml: cannot be read \(No such file"):
        load(file)
