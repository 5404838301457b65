"""benchmarks/claims.py: whether claims hold, on made-up translations."""

from pathlib import Path

import claims as module
import numpy as np
import pytest
from claims import Claim, claims, main, read_text, rows

from contextnmt.files import read_lines, write_lines

WORDS = [f"w{number}" for number in range(50)]


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """A text of 200 sentences and what four systems made of it.

    `good` errs once in ten words, `twin` as often, `bad` thrice; `tired` is like `good` in short
    sentences and like `bad` in long ones.
    """
    rng = np.random.default_rng(3)
    lengths = rng.integers(4, 30, 200)
    text = [rng.choice(WORDS, length).tolist() for length in lengths]

    def spoilt(seed: int, short: float, long: float) -> list[str]:
        chance = np.random.default_rng(seed)
        return [
            " ".join(
                "x" if chance.random() < (long if len(words) > 16 else short) else word
                for word in words
            )
            for words in text
        ]

    systems = {"good": (5, 0.1, 0.1), "twin": (12, 0.1, 0.1), "bad": (7, 0.3, 0.3)}
    systems["tired"] = (8, 0.1, 0.4)
    places = tmp_path / "results" / "restore" / "en-fr"
    for name, how in systems.items():
        write_lines(places / name / "1" / "test.beam12.gz", spoilt(*how))
    tokenized = tmp_path / "results" / "tokenize" / "en-fr"
    for language in ("en", "fr"):
        write_lines(tokenized / f"test.{language}.gz", [" ".join(words) for words in text])
    return tokenized / "test.fr.gz"


@pytest.mark.parametrize(
    ("better", "worse", "longer", "holds"),
    [
        ("good", "bad", False, "yes"),
        ("bad", "good", False, "no, the opposite"),
        ("good", "twin", False, "not shown"),
        ("good", "tired", True, "yes"),
        ("tired", "good", True, "no, the opposite"),
        ("good", "twin", True, "not shown"),
    ],
)
def test_a_claim_holds_if_chance_explains_it_badly(
    reference: Path,
    better: str,
    worse: str,
    longer: bool,
    holds: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    claim = Claim("paper", "says", (better, worse), longer)
    monkeypatch.setattr(module, "claims", lambda: [claim])
    (found,) = rows([read_text(reference)])
    assert found[-1] == holds
    difference, low, high = (
        float(value.replace("\N{MINUS SIGN}", "-")) for value in (found[4], *found[5].split(" to "))
    )
    assert low < difference < high
    assert found[3].count(";") == longer


def test_the_page_has_the_claims_whose_systems_are_there(reference: Path) -> None:
    places = reference.parents[2] / "restore" / "en-fr"
    for system, like in {"context": "good", "baseline": "bad"}.items():
        (places / like).rename(places / system)
    page = reference.parents[3] / "claims.md"
    main([reference], page)
    lines = [line for line in read_lines(page) if line.startswith("| ")]
    (claim,) = [f"{each.paper}: {each.says}" for each in claims() if each.contrast[0] == "context"]
    assert len(lines) == 3  # the head, the rule, the claim
    assert claim in lines[2]
    assert "| yes |" in lines[2]
