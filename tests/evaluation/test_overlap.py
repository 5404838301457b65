from pathlib import Path

import pytest

from contextnmt.evaluation.overlap import overlap
from contextnmt.files import read_json, write_pairs


def test_pairs_and_sources_in_any_part_of_the_training_text_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {
        "train.1of2": [("a b", "A B"), ("c", "C"), ("", "")],
        "train.2of2": [("a b", "other"), ("d .", "D .")],
        "dev": [("a b", "other"), ("a b", "A B"), ("c", "another"), ("new", "N"), ("", "")],
        "test": [("A B", "a b"), ("new", "C")],
    }
    for name, pairs in texts.items():
        write_pairs(tmp_path / f"{name}.en.gz", tmp_path / f"{name}.fr.gz", pairs)
    trained, others = list(texts)[:2], list(texts)[2:]

    def files(names: list[str], language: str) -> list[Path]:
        return [tmp_path / f"{name}.{language}.gz" for name in names]

    sides = [files(names, language) for names in (trained, others) for language in ("en", "fr")]
    overlap(*sides[:2], others, *sides[2:], tmp_path / "overlap.json")
    assert read_json(tmp_path / "overlap.json") == {
        "dev": {"read": 4, "pairs": 2, "sources": 3},
        "test": {"read": 2, "pairs": 0, "sources": 0},
    }
    said = capsys.readouterr().err
    assert "warning: dev: 2 of 4 sentence pairs, and 3 source sentences, are in the" in said
    assert "warning: test" not in said
