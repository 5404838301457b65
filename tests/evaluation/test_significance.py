"""Differences between systems: what is significant, what is a gap, what grows with the length."""

import re
import statistics
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from systems import REFERENCES, Systems, damaged, scored

from contextnmt.errors import UserError
from contextnmt.evaluation import significance as module
from contextnmt.evaluation.bleu_statistics import corpus_bleu, sentence_counts
from contextnmt.evaluation.outputs import Lengths
from contextnmt.evaluation.resampling import p_bootstrap
from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.evaluation.significance import p_randomization, significance

LENGTHS: Lengths = np.array([len(line.split()) for line in REFERENCES])
LONG = np.median(LENGTHS) < LENGTHS


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RESAMPLES", 500)


def run(folder: Path, systems: Systems, *contrasts: str, **texts: list[str]) -> dict[str, Any]:
    return scored(significance, folder, systems, list(contrasts), **texts)


def test_a_better_system_is_significantly_better(tmp_path: Path) -> None:
    systems = {("a", 1): damaged(0.1), ("b", 1): damaged(0.4)}
    content = run(tmp_path, systems, "a:b", "b:a", "a:a")
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


def test_all_references_of_a_text_count(tmp_path: Path) -> None:
    systems, further = {("a", 1): damaged(0.1), ("b", 1): damaged(0.4)}, damaged(0.4, 7)
    content = run(tmp_path, systems, "a:b", further=further)
    bleu = {each: tokenized_bleu(systems[each, 1], REFERENCES, further)["bleu"] for each in "ab"}
    assert [content["systems"][each]["bleu"] for each in "ab"] == pytest.approx([*bleu.values()])
    assert content["contrasts"][0]["difference"] == pytest.approx(bleu["a"] - bleu["b"])
    assert bleu["b"] > tokenized_bleu(systems["b", 1], REFERENCES)["bleu"]


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
    found = p_randomization(one, other, 10_000)
    assert found == p_randomization(other, one, 10_000) == pytest.approx(share, abs=0.02)


def test_p_of_the_bootstrap_is_twice_the_smaller_tail() -> None:
    differences = np.array([-1.0] * 3 + [1.0] * 96)
    assert p_bootstrap(differences) == p_bootstrap(-differences) == 2 * 4 / 100
    assert p_bootstrap(np.array([-1.0, 1.0])) == 1


def test_significance_at_one_level_is_an_interval_without_zero(tmp_path: Path) -> None:
    systems = {("base", 1): damaged(0.3, 2)}
    systems |= {(f"s{n}", 1): damaged(0.3 - n / 100, 3) for n in range(12)}
    content = run(tmp_path, systems, *(f"s{n}:base" for n in range(12)))
    outcomes = set()
    for each in content["contrasts"]:
        low, high = each["interval"]
        if abs(each["p_bootstrap"] - 0.05) > 0.01:  # at the limit itself, interpolation decides
            outcomes.add(each["p_bootstrap"] < 0.05)
            assert (each["p_bootstrap"] < 0.05) == (low > 0 or high < 0)
    assert outcomes == {True, False}


def test_the_score_of_several_seeds_is_their_mean(tmp_path: Path) -> None:
    systems = {("a", seed): damaged(0.2, seed) for seed in (1, 2, 3)}
    entry = run(tmp_path, systems)["systems"]["a"]
    of_seeds = [tokenized_bleu(lines, REFERENCES)["bleu"] for lines in systems.values()]
    assert entry["bleu_of_seeds"] == pytest.approx(of_seeds)
    assert entry["bleu"] == pytest.approx(statistics.fmean(of_seeds))
    assert entry["deviation"] == pytest.approx(statistics.stdev(of_seeds))


def test_the_same_translations_as_three_seeds_are_no_larger_test_set(tmp_path: Path) -> None:
    lines = {"a": damaged(0.27, 3), "b": damaged(0.3, 2)}
    (one,), (three,) = (
        run(tmp_path, {(name, n): lines[name] for name in "ab" for n in seeds}, "a:b")["contrasts"]
        for seeds in ([1], [1, 2, 3])
    )
    for key in ("difference", "interval", "p_bootstrap", "p_randomization"):
        assert one[key] == pytest.approx(three[key])


def test_a_comparison_does_not_depend_on_the_others(tmp_path: Path) -> None:
    systems = {(name, 1): damaged(share) for name, share in (("a", 0.2), ("b", 0.3), ("c", 0.4))}
    all_three = run(tmp_path, systems, "c:a", "b:a")
    del systems["c", 1]
    assert run(tmp_path, systems, "b:a")["contrasts"] == all_three["contrasts"][1:]


@pytest.mark.parametrize(
    ("systems", "reason"),
    [
        ({("b", 1): damaged(0.2)[:59]}, r"b\.1\.gz has 59 lines and .*reference has 60"),
        ({("b", 1): None}, r"b\.1\.gz: no such file"),
        ({("b", 1): REFERENCES, ("a", 2): REFERENCES}, "no translation of seed 2"),
    ],
)
def test_what_cannot_be_compared_is_a_gap_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], systems: Systems, reason: str
) -> None:
    others = {("a", 1): damaged(0.3)} | {("c", seed): damaged(0.2) for _, seed in systems}
    content = run(tmp_path, {**others, ("c", 1): damaged(0.2), **systems}, "b:a", "c:a")
    (kind, gap) = content["systems"]["b"].popitem()
    assert kind == "gap" and re.search(reason, gap) and not content["systems"]["b"]
    of_b, of_c = content["contrasts"]
    assert of_b == {"system": "b", "baseline": "a", "gap": f"b: {gap}"}
    assert "gap" not in of_c
    assert f"warning: no scores of b: {gap}" in capsys.readouterr().err


def test_if_all_systems_are_gaps_so_is_every_contrast(tmp_path: Path) -> None:
    content = run(tmp_path, {("a", 1): None, ("b", 1): None}, "a:b")
    assert all(list(entry) == ["gap"] for entry in content["systems"].values())
    assert content["contrasts"][0]["gap"].count("no such file") == 2


def test_an_empty_translation_has_bleu_zero_and_a_note(tmp_path: Path) -> None:
    content = run(tmp_path, {("a", 1): REFERENCES, ("b", 1): [""] * 60}, "a:b")
    entry = content["systems"]["b"]
    assert (entry["bleu"], entry["interval"]) == (0, [0, 0])
    assert "divide by zero" in entry["notes"][0]
    assert content["contrasts"][0]["difference"] == pytest.approx(100)


@pytest.mark.parametrize(
    ("systems", "seeds", "contrast", "message"),
    [
        (["a"], [1, 1], None, "1 --system, 2 --seed, 2 --hypothesis"),
        (["a", "a"], [1, 1], None, "--system a --seed 1: given twice"),
        (["a", "b"], [1, 1], ["a:c"], "--contrast a:c: no --system 'c'"),
        (["a", "b"], [1, 1], ["a"], "--contrast a: no --system ''"),
    ],
)
def test_a_mistaken_call_is_refused(
    tmp_path: Path, systems: list[str], seeds: list[int], contrast: list[str] | None, message: str
) -> None:
    text = tmp_path / "text"
    with pytest.raises(UserError, match=message):
        significance("test", text, [text], systems, seeds, [text] * 2, tmp_path / "out", contrast)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"source": REFERENCES[1:]}, r"source has 59 lines and .*reference has 60"),
        ({"reference": []}, "empty reference"),
        ({"further": ["a"]}, r"further has 1 lines and .*reference has 60: give ref"),
    ],
)
def test_texts_that_do_not_belong_together_are_refused(
    tmp_path: Path, texts: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        scored(significance, tmp_path, {("a", 1): REFERENCES}, **texts)


def mixed(short: float, long: float, seed: int) -> list[str]:
    """Translations that are wrong by these shares of the words of short and of long sentences."""
    both = zip(damaged(short, seed), damaged(long, seed), LONG, strict=True)
    return [of_long if is_long else of_short for of_short, of_long, is_long in both]


#: Two seeds of a system that is as good on long sentences and of one that is worse on them.
TIRED = {
    ("steady", 1): mixed(0.1, 0.1, 1),
    ("steady", 2): mixed(0.1, 0.1, 2),
    ("tired", 1): mixed(0.1, 0.5, 1),
    ("tired", 2): mixed(0.15, 0.5, 2),
}


def test_an_advantage_on_long_sentences_grows(tmp_path: Path) -> None:
    contrasts = run(tmp_path, TIRED, "steady:tired", "tired:steady", "tired:tired")["contrasts"]
    found, back, itself = (each["growth"] for each in contrasts)
    assert found["median"] == np.median(LENGTHS)
    counts = [sentence_counts(lines, REFERENCES) for lines in TIRED.values()]
    bleu = [[corpus_bleu(each[half].sum(axis=0)) for each in counts] for half in (LONG, ~LONG)]
    by_system = np.array(bleu).reshape(2, 2, 2)  # halves, systems, seeds
    (long, tired_long), (short, tired_short) = by_system.mean(axis=2)
    assert found["long"] == pytest.approx([long, tired_long])
    assert found["short"] == pytest.approx([short, tired_short])
    assert found["difference"] == pytest.approx(long - tired_long - short + tired_short)
    falls = np.std(by_system[0] - by_system[1], axis=1, ddof=1)
    margin = 4.303 * np.sqrt(np.mean(falls**2))  # Student's t of two degrees; of two seeds each
    low, high = found["interval"]
    half = float(np.hypot(found["difference"] - low, margin))
    assert found["interval_with_seeds"][0] == pytest.approx(found["difference"] - half, rel=1e-3)
    assert 0 < low < found["difference"] < high
    assert found["p_bootstrap"] == pytest.approx(2 / 501)
    assert (back["difference"], back["p_bootstrap"]) == (-found["difference"], found["p_bootstrap"])
    assert (itself["difference"], itself["interval"], itself["p_bootstrap"]) == (0, [0, 0], 1)


@pytest.mark.parametrize(("long", "has_halves"), [(0, False), (19, False), (20, True)])
def test_a_text_with_few_long_sentences_has_no_halves(
    tmp_path: Path, long: int, has_halves: bool
) -> None:
    source = ["a b"] * (60 - long) + ["a b c"] * long
    one = {("a", 1): damaged(0.2), ("b", 1): damaged(0.3)}
    content = scored(significance, tmp_path, one, ["a:b"], source=source)
    growth = content["contrasts"][0]["growth"]
    assert (growth is not None) == has_halves
    assert not growth or growth["interval_with_seeds"] is None  # of one seed
