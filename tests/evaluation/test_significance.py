"""Differences between systems: what is significant, what is a gap, what grows with the length."""

import json
import re
import statistics
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems import REFERENCES, damaged

from contextnmt.errors import UserError
from contextnmt.evaluation import significance as module
from contextnmt.evaluation.bleu_statistics import corpus_bleu, sentence_counts
from contextnmt.evaluation.outputs import Lengths, Translations
from contextnmt.evaluation.resampling import bootstrap, p_bootstrap
from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.evaluation.significance import draw, growth, p_randomization, significance
from contextnmt.files import write_lines

#: As long as the references.
SOURCES = REFERENCES
SHARES = st.floats(0, 0.6)

LENGTHS: Lengths = np.array([len(line.split()) for line in REFERENCES])
LONG = np.median(LENGTHS) < LENGTHS


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RESAMPLES", 500)


def run(
    folder: Path,
    systems: dict[tuple[str, int], list[str] | None],
    contrasts: list[str],
    name: str = "test.beam12",
) -> dict[str, Any]:
    """The stage on translations by system and seed; None: there is no such file."""
    write_lines(folder / "reference", REFERENCES)
    for (system, seed), lines in systems.items():
        if lines is not None:
            write_lines(folder / f"{system}.{seed}.gz", lines)
    write_lines(folder / "source", SOURCES)
    significance(
        name,
        folder / "source",
        folder / "reference",
        [system for system, _ in systems],
        [seed for _, seed in systems],
        [folder / f"{system}.{seed}.gz" for system, seed in systems],
        folder / "out.json",
        contrasts,
    )
    content: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return content


def test_a_better_system_is_significantly_better(tmp_path: Path) -> None:
    systems = {("a", 1): damaged(0.1), ("b", 1): damaged(0.4)}
    content = run(tmp_path, systems, ["a:b", "b:a", "a:a"])
    assert (content["name"], content["sentences"], content["seeds"]) == ("test.beam12", 60, [1])
    bleu = {each: tokenized_bleu(systems[each, 1], REFERENCES)["bleu"] for each in "ab"}
    for each in "ab":
        entry = content["systems"][each]
        assert entry["bleu"] == pytest.approx(bleu[each])
        assert entry["interval"][0] < entry["bleu"] < entry["interval"][1]
        assert (entry["deviation"], entry["notes"]) == (None, [])
    forth, back, itself = content["contrasts"]
    assert (forth["system"], forth["baseline"]) == ("a", "b")
    assert forth["difference"] == pytest.approx(bleu["a"] - bleu["b"])
    assert 0 < forth["interval"][0] < forth["difference"] < forth["interval"][1]
    assert forth["better_percent"] == 100
    assert forth["p_bootstrap"] == pytest.approx(2 / 501)
    assert forth["p_randomization"] == pytest.approx(1 / 501)
    assert back["difference"] == -forth["difference"]
    assert back["interval"] == pytest.approx([-limit for limit in reversed(forth["interval"])])
    for key in ("p_bootstrap", "p_randomization"):
        assert back[key] == forth[key]
        assert itself[key] == 1
    assert itself["difference"] == itself["better_percent"] == 0
    assert itself["interval"] == [0, 0]


@settings(max_examples=20, deadline=None)
@given(share=SHARES, seed=st.integers(0, 99))
def test_a_system_is_never_significantly_different_from_itself(share: float, seed: int) -> None:
    counts = sentence_counts(damaged(share, seed), REFERENCES)[np.newaxis]
    scores = bootstrap(counts, 100)[:, 0]
    assert p_bootstrap(scores - scores) == 1
    assert p_randomization(counts, counts, 100) == 1


@settings(max_examples=20, deadline=None)
@given(shares=st.tuples(SHARES, SHARES), seeds=st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_p_does_not_depend_on_which_of_the_two_is_the_baseline(
    shares: tuple[float, float], seeds: tuple[int, int]
) -> None:
    one, other = (
        sentence_counts(damaged(share, seed), REFERENCES)[np.newaxis]
        for share, seed in zip(shares, seeds, strict=True)
    )
    differences = (bootstrap(one, 100) - bootstrap(other, 100))[:, 0]
    assert p_bootstrap(differences) == p_bootstrap(-differences)
    assert p_randomization(one, other, 100) == p_randomization(other, one, 100)


def test_p_falls_as_the_effect_grows() -> None:
    baseline = sentence_counts(damaged(0.3, 2), REFERENCES)[np.newaxis]
    found = []
    for share in (0.29, 0.27, 0.24, 0.15):
        system = sentence_counts(damaged(share, 3), REFERENCES)[np.newaxis]
        differences = (bootstrap(system, 500) - bootstrap(baseline, 500))[:, 0]
        found.append((p_bootstrap(differences), p_randomization(system, baseline, 500)))
    for of_test in zip(*found, strict=True):
        assert list(of_test) == sorted(of_test, reverse=True)
        assert of_test[0] > 0.1
        assert of_test[-1] < 0.01


@pytest.mark.parametrize("seeds", [[(5, 5)], [(5, 5), (9, 6)]])
def test_randomization_comes_near_the_share_of_all_exchanges(
    seeds: list[tuple[int, int]],
) -> None:
    """Eight sentences can be exchanged in 256 ways, which can all be looked at."""
    one, other = (
        np.stack([sentence_counts(damaged(share, pair[side]), REFERENCES)[:8] for pair in seeds])
        for side, share in enumerate((0.1, 0.15))
    )

    def difference(coins: tuple[int, ...]) -> float:
        exchanged = np.array(coins)[:, np.newaxis] == 1
        sides = (np.where(exchanged, *order).sum(axis=1) for order in ((one, other), (other, one)))
        first, second = (corpus_bleu(sums).mean() for sums in sides)
        return abs(float(first - second))

    actual = difference((1,) * 8)
    share = statistics.fmean(
        difference(coins) >= actual - 1e-9 for coins in product([0, 1], repeat=8)
    )
    assert 0.05 < share < 0.95
    assert p_randomization(one, other, 10_000) == pytest.approx(share, abs=0.02)


def test_p_of_the_bootstrap_is_twice_the_smaller_tail() -> None:
    differences = np.array([-1.0] * 3 + [1.0] * 96)
    assert p_bootstrap(differences) == p_bootstrap(-differences) == 2 * 4 / 100
    assert p_bootstrap(np.array([-1.0, 1.0])) == 1


def test_significance_at_one_level_is_an_interval_without_zero(tmp_path: Path) -> None:
    systems = {("base", 1): damaged(0.3, 2)}
    systems |= {(f"s{n}", 1): damaged(0.3 - n / 100, 3) for n in range(12)}
    content = run(tmp_path, systems, [f"s{n}:base" for n in range(12)])
    outcomes = set()
    for each in content["contrasts"]:
        low, high = each["interval"]
        if abs(each["p_bootstrap"] - 0.05) > 0.01:  # at the limit itself, interpolation decides
            outcomes.add(each["p_bootstrap"] < 0.05)
            assert (each["p_bootstrap"] < 0.05) == (low > 0 or high < 0)
    assert outcomes == {True, False}


def test_the_score_of_several_seeds_is_their_mean(tmp_path: Path) -> None:
    systems = {
        (name, seed): damaged(share, seed)
        for name, share in (("a", 0.2), ("b", 0.3))
        for seed in (1, 2, 3)
    }
    content = run(tmp_path, systems, ["a:b"])
    of_seeds = [tokenized_bleu(systems["a", seed], REFERENCES)["bleu"] for seed in (1, 2, 3)]
    entry = content["systems"]["a"]
    assert entry["bleu_of_seeds"] == pytest.approx(of_seeds)
    assert entry["bleu"] == pytest.approx(statistics.fmean(of_seeds))
    assert entry["deviation"] == pytest.approx(statistics.stdev(of_seeds))


def test_the_same_translations_as_three_seeds_are_no_larger_test_set(tmp_path: Path) -> None:
    lines = {"a": damaged(0.27, 3), "b": damaged(0.3, 2)}
    once = run(tmp_path, {(name, 1): lines[name] for name in "ab"}, ["a:b"])
    thrice = run(tmp_path, {(name, n): lines[name] for name in "ab" for n in (1, 2, 3)}, ["a:b"])
    (one,), (three,) = once["contrasts"], thrice["contrasts"]
    for key in ("difference", "interval", "p_bootstrap", "p_randomization"):
        assert one[key] == pytest.approx(three[key])


def test_a_comparison_does_not_depend_on_the_others(tmp_path: Path) -> None:
    systems = {(name, 1): damaged(share) for name, share in (("a", 0.2), ("b", 0.3), ("c", 0.4))}
    all_three = run(tmp_path, systems, ["c:a", "b:a"])
    del systems["c", 1]
    assert run(tmp_path, systems, ["b:a"])["contrasts"] == all_three["contrasts"][1:]


@pytest.mark.parametrize(
    ("systems", "reason"),
    [
        ({("b", 1): damaged(0.2)[:59]}, r"b\.1\.gz has 59 lines and .*reference has 60"),
        ({("b", 1): None}, r"b\.1\.gz: no such file"),
        ({("b", 1): REFERENCES, ("a", 2): REFERENCES}, "no translation of seed 2"),
    ],
)
def test_what_cannot_be_compared_is_a_gap_with_its_reason(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    systems: dict[tuple[str, int], list[str] | None],
    reason: str,
) -> None:
    others: dict[tuple[str, int], list[str] | None] = {
        (name, 1): damaged(0.3) for name in ("a", "c")
    }
    others |= {("c", seed): damaged(0.3) for _, seed in systems if seed > 1}
    content = run(tmp_path, others | systems, ["b:a", "c:a"])
    assert list(content["systems"]["b"]) == ["gap"]
    assert re.search(reason, content["systems"]["b"]["gap"])
    of_b, of_c = content["contrasts"]
    assert of_b == {"system": "b", "baseline": "a", "gap": "b: " + content["systems"]["b"]["gap"]}
    assert of_c["difference"] == pytest.approx(of_c["difference"])
    assert re.search(f"warning: no scores of b: .*{reason}", capsys.readouterr().err)


def test_if_all_systems_are_gaps_so_is_every_contrast(tmp_path: Path) -> None:
    content = run(tmp_path, {("a", 1): None, ("b", 1): None}, ["a:b"])
    assert all(list(entry) == ["gap"] for entry in content["systems"].values())
    assert content["contrasts"][0]["gap"].count("no such file") == 2


def test_an_empty_translation_has_bleu_zero_and_a_note(tmp_path: Path) -> None:
    content = run(tmp_path, {("a", 1): REFERENCES, ("b", 1): [""] * 60}, ["a:b"])
    entry = content["systems"]["b"]
    assert (entry["bleu"], entry["interval"]) == (0, [0, 0])
    assert "divide by zero" in entry["notes"][0]
    assert content["contrasts"][0]["difference"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": ["a"]}, "1 --system, 2 --seed, 2 --hypothesis"),
        ({"system": ["a", "a"]}, "--system a --seed 1: given twice"),
        ({"contrast": ["a:c"]}, "--contrast a:c: no --system 'c'"),
        ({"contrast": ["a"]}, "--contrast a: no --system ''"),
    ],
)
def test_mistakes_are_reported(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    write_lines(tmp_path / "text", REFERENCES)
    arguments = {
        "name": "test.beam12",
        "source": tmp_path / "text",
        "reference": tmp_path / "text",
        "system": ["a", "b"],
        "seed": [1, 1],
        "hypothesis": [tmp_path / "text"] * 2,
        "contrast": ["a:b"],
        "out": tmp_path / "out.json",
    }
    if "contrast" not in options:
        options = options | {"contrast": None}
    with pytest.raises(UserError, match=message):
        significance(**arguments | options)


def test_an_empty_reference_is_reported(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    write_lines(empty, [])
    with pytest.raises(UserError, match="empty reference"):
        significance("t", empty, empty, ["a"], [1], [empty], tmp_path / "out")


def test_a_source_of_another_text_is_reported(tmp_path: Path) -> None:
    source, text = tmp_path / "source", tmp_path / "text"
    write_lines(source, REFERENCES[1:])
    write_lines(text, REFERENCES)
    with pytest.raises(UserError, match=r"source has 59 lines and .*text has 60"):
        significance("t", source, text, ["a"], [1], [text], tmp_path / "out")


def mixed(short: float, long: float, seed: int = 1) -> list[str]:
    """Translations that are wrong by these shares of the words of short and of long sentences."""
    both = zip(damaged(short, seed), damaged(long, seed), LONG, strict=True)
    return [of_long if is_long else of_short for of_short, of_long, is_long in both]


def translations(**systems: list[list[str]]) -> Translations:
    """Translations of the text by systems, with a list for each seed."""
    counts = {
        name: np.stack([sentence_counts(lines, REFERENCES) for lines in of_seeds])
        for name, of_seeds in systems.items()
    }
    return Translations("test.beam12", len(REFERENCES), [1, 2], counts)


FOUND = translations(
    steady=[mixed(0.1, 0.1), mixed(0.1, 0.1, 2)],
    tired=[mixed(0.1, 0.5), mixed(0.15, 0.5, 2)],
    bad=[mixed(0.5, 0.5), mixed(0.5, 0.5, 2)],
)


def test_an_advantage_on_long_sentences_grows() -> None:
    drawn = draw(FOUND, LENGTHS, 500)
    found = growth(drawn, ("steady", "tired"))
    assert found
    assert found["median"] == np.median(LENGTHS)
    expected = [
        [
            np.mean([corpus_bleu(each[half].sum(axis=0)) for each in FOUND.statistics[name]])
            for name in ("steady", "tired")
        ]
        for half in (LONG, ~LONG)
    ]
    np.testing.assert_allclose([found["long"], found["short"]], expected)
    (long, tired_long), (short, tired_short) = expected
    assert found["difference"] == pytest.approx(long - tired_long - short + tired_short)
    falls = [
        np.std(
            [
                corpus_bleu(each[LONG].sum(axis=0)) - corpus_bleu(each[~LONG].sum(axis=0))
                for each in FOUND.statistics[name]
            ],
            ddof=1,
        )
        for name in ("steady", "tired")
    ]
    assert found["spread"] == pytest.approx(np.hypot(*falls))
    low, high = found["interval"]
    assert 0 < low < found["difference"] < high
    assert found["p_bootstrap"] == pytest.approx(2 / 501)
    back = growth(drawn, ("tired", "steady"))
    assert back
    assert back["difference"] == -found["difference"]
    assert back["p_bootstrap"] == found["p_bootstrap"]


def test_a_system_has_no_advantage_over_itself() -> None:
    found = growth(draw(FOUND, LENGTHS, 100), ("bad", "bad"))
    assert found
    assert (found["difference"], found["interval"], found["p_bootstrap"]) == (0, [0, 0], 1)


def test_one_seed_has_no_spread() -> None:
    one = {name: counts[:1] for name, counts in FOUND.statistics.items()}
    drawn = draw(Translations("test", 60, [1], one), LENGTHS, 10)
    found = growth(drawn, ("steady", "tired"))
    assert found
    assert found["spread"] is None


def test_a_text_with_few_long_sentences_has_no_halves() -> None:
    for lengths, parts in (
        (None, 1),
        (np.full_like(LENGTHS, 7), 1),
        (np.array([9] * 41 + [20] * 19), 1),
        (np.array([9] * 40 + [20] * 20), 3),
    ):
        drawn = draw(FOUND, lengths, 100)
        assert len(drawn.scores) == parts
        assert (growth(drawn, ("steady", "tired")) is None) == (parts == 1)
