"""benchmarks/claims.py: whether claims hold, on made-up translations."""

import shutil
from itertools import product
from pathlib import Path
from typing import Any

import claims as module
import numpy as np
import pytest
from claims import Claim, claims, main, read_text, rows

from contextnmt.files import read_lines, write_lines
from contextnmt.report.results import Claim as Told

WORDS = [f"w{number}" for number in range(50)]

WIDE = "undecided, the interval is too wide"

#: Of each system, its seed, and the shares of words that it misses in short and long sentences.
SYSTEMS = {
    "good": (5, 0.1, 0.1),
    "twin": (12, 0.1, 0.1),
    "bad": (7, 0.3, 0.3),
    "tired": (8, 0.1, 0.4),
}


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """A text of 200 sentences and what the systems made of it."""
    rng = np.random.default_rng(3)
    text = [rng.choice(WORDS, length).tolist() for length in rng.integers(4, 30, 200)]
    for (name, (own, short, long)), seed in product(SYSTEMS.items(), (1, 2)):
        chance = np.random.default_rng([own, seed])
        translation = [
            " ".join(
                "x" if chance.random() < (long if len(words) > 16 else short) else word
                for word in words
            )
            for words in text
        ]
        place = tmp_path / "results" / "restore" / "en-fr" / name / str(seed)
        write_lines(place / "test.beam12.gz", translation)
    tokenized = tmp_path / "results" / "tokenize" / "en-fr"
    for language in ("en", "fr"):
        write_lines(tokenized / f"test.{language}.gz", map(" ".join, text))
    return tokenized / "test.fr.gz"


@pytest.mark.parametrize(
    ("better", "worse", "said", "holds"),
    [
        ("good", "bad", {}, "holds"),
        ("bad", "good", {}, "opposite"),
        ("good", "twin", {}, WIDE),
        ("good", "tired", {"longer": True}, "holds"),
        ("good", "twin", {"longer": True}, WIDE),
        ("good", "bad", {"at_least": {"en-fr": 1}}, "holds"),
        ("good", "bad", {"within": 0.5}, "fails"),
    ],
)
def test_a_claim_holds_if_chance_explains_it_badly(
    reference: Path,
    monkeypatch: pytest.MonkeyPatch,
    better: str,
    worse: str,
    said: dict[str, Any],
    holds: str,
) -> None:
    monkeypatch.setattr(module, "claims", lambda: [Claim("a", Told("b", **said), (better, worse))])
    (found,) = rows([read_text(reference)])
    assert found[-1] == holds
    low, high = found[7].split(" to ")
    low, difference, high = (float(f.replace("\N{MINUS SIGN}", "-")) for f in (low, found[6], high))
    assert low < difference < high
    assert (found[4], found[5].count(";")) == ("2", "longer" in said)


def test_one_seed_gives_no_verdict(reference: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (reference.parents[2] / "restore").glob("*/*/2"):
        shutil.rmtree(path)
    monkeypatch.setattr(module, "claims", lambda: [Claim("a", Told("b"), ("good", "bad"))])
    (found,) = rows([read_text(reference)])
    assert (found[4], found[-1]) == ("1", "undecided, one seed")


def test_all_references_of_a_text_count(reference: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Claim("a", Told("b"), ("good", "bad"))
    monkeypatch.setattr(module, "claims", lambda: [told])
    first, second = (reference.parents[2] / f"restore/en-fr/bad/{n}/test.beam12.gz" for n in "12")
    shutil.copy(first, second)
    (one,) = rows([read_text(reference)])
    further = reference.with_name("test.reference2.fr.gz")
    write_lines(further, list(read_lines(first)))
    (two,) = rows([read_text(reference)])
    assert (one[-1], two[-1]) == ("holds", "opposite")
    assert two[5].endswith(", 100.00")


def test_the_page_has_the_claims_whose_systems_are_there(reference: Path, tmp_path: Path) -> None:
    places = reference.parents[2] / "restore" / "en-fr"
    for system, like in {"context": "good", "baseline": "bad"}.items():
        (places / like).rename(places / system)
    main([reference], tmp_path / "claims.md")
    page = (tmp_path / "claims.md").read_text().split("\n")
    _, _, *shown = [line for line in page if line.startswith("| ")]
    of_contrast = (each for each in claims() if each.contrast == ("context", "baseline"))
    about = [each for each in of_contrast if each.told.claimed("en-fr")]
    assert len(shown) == len(about)
    for claim, row in zip(about, shown, strict=True):
        assert f"{claim.paper}: {claim.told.says}" in row
        assert "| holds |" in row
