"""benchmarks/claims.py: whether claims hold, on made-up translations."""

from pathlib import Path

import claims as module
import numpy as np
import pytest
from claims import Claim, claims, main, read_text, rows

from contextnmt.files import write_lines

WORDS = [f"w{number}" for number in range(50)]

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
    for name, (seed, short, long) in SYSTEMS.items():
        chance = np.random.default_rng(seed)
        translation = [
            " ".join(
                "x" if chance.random() < (long if len(words) > 16 else short) else word
                for word in words
            )
            for words in text
        ]
        place = tmp_path / "results" / "restore" / "en-fr" / name / "1"
        write_lines(place / "test.beam12.gz", translation)
    tokenized = tmp_path / "results" / "tokenize" / "en-fr"
    for language in ("en", "fr"):
        write_lines(tokenized / f"test.{language}.gz", map(" ".join, text))
    return tokenized / "test.fr.gz"


@pytest.mark.parametrize(
    ("better", "worse", "longer", "holds"),
    [
        ("good", "bad", False, "yes"),
        ("bad", "good", False, "no, the opposite"),
        ("good", "twin", False, "not shown"),
        ("good", "tired", True, "yes"),
        ("good", "twin", True, "not shown"),
    ],
)
def test_a_claim_holds_if_chance_explains_it_badly(
    reference: Path,
    monkeypatch: pytest.MonkeyPatch,
    better: str,
    worse: str,
    longer: bool,
    holds: str,
) -> None:
    monkeypatch.setattr(module, "claims", lambda: [Claim("a", "b", (better, worse), longer)])
    (found,) = rows([read_text(reference)])
    assert found[-1] == holds
    low, high = found[5].split(" to ")
    low, difference, high = (float(f.replace("\N{MINUS SIGN}", "-")) for f in (low, found[4], high))
    assert low < difference < high
    assert found[3].count(";") == longer


def test_the_page_has_the_claims_whose_systems_are_there(reference: Path, tmp_path: Path) -> None:
    places = reference.parents[2] / "restore" / "en-fr"
    for system, like in {"context": "good", "baseline": "bad"}.items():
        (places / like).rename(places / system)
    main([reference], tmp_path / "claims.md")
    page = (tmp_path / "claims.md").read_text().split("\n")
    _, _, row = [line for line in page if line.startswith("| ")]
    (claim,) = [f"{each.paper}: {each.says}" for each in claims() if each.contrast[0] == "context"]
    assert claim in row
    assert "| yes |" in row
