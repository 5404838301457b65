from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.selection.domain_models import DomainModels
from contextnmt.selection.language_models import language_models

IN_DOMAIN = ["the cat sat", "the cat ran", "a dog sat", "once"]
GENERAL = ["the law of the land", "the act", "a law sat"]


def test_the_texts_of_the_domain_are_joined(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.en.gz", IN_DOMAIN[:1])
    write_lines(tmp_path / "b.en.gz", IN_DOMAIN[1:])
    write_lines(tmp_path / "sample.en.gz", GENERAL)
    in_domain = [tmp_path / "a.en.gz", tmp_path / "b.en.gz"]
    language_models(in_domain, tmp_path / "sample.en.gz", str(tmp_path / "stage"))
    DomainModels.estimate(IN_DOMAIN, GENERAL).save(str(tmp_path / "expected"))
    for name in ("vocabulary.txt", "in-domain.npz", "general.npz"):
        found, expected = tmp_path / f"stage.{name}", tmp_path / f"expected.{name}"
        assert found.read_bytes() == expected.read_bytes()


def test_a_domain_without_words_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.en", ["", " "])
    write_lines(tmp_path / "sample.en", GENERAL)
    with pytest.raises(UserError, match=r"a\.en: no words"):
        language_models([tmp_path / "a.en"], tmp_path / "sample.en", str(tmp_path / "models"))
