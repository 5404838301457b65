"""The sentences of the summary say what the numbers say, also when a method does harm."""

from typing import Any

import pytest
from results_folder import make_results

from contextnmt.report.contrasts import contrasts
from contextnmt.report.experiment import Experiment, parse_experiment
from contextnmt.report.findings import findings


@pytest.fixture(scope="module")
def about(tmp_path_factory: pytest.TempPathFactory) -> Experiment:
    return parse_experiment(make_results(tmp_path_factory.mktemp("about")).experiment)


def bleu(about: Experiment, deviation: float | None, **scores: float) -> list[dict[str, Any]]:
    """Data of Table 4 with the given scores, 10 for all other systems, 20 and 21 in the paper."""
    rows = []
    for pair in about.pairs:
        for system in about.systems:
            key = {"pair": pair, "system": system.id, "split": "test", "beam": 12}
            score = scores.get(system.id.replace("-", "_"), 10.0)
            rows.append(key | {"source": "here", "text": "test", "bleu": score})
            score = 20.0 if system.id == "baseline" else 21.0
            rows.append(key | {"source": "paper", "text": "newstest", "bleu": score})
    return [
        row | {"bleu_deviation": deviation if row["source"] == "here" else None} for row in rows
    ]


def phenomena(pair: str, **shares: float) -> list[dict[str, Any]]:
    return [
        {
            "pair": pair,
            "system": system,
            "phenomenon": "ambiguous",
            "right": round(2 * share),
            "total": 200,
            "right_percent": share,
        }
        for system, share in shares.items()
    ]


def test_a_gain_is_told_with_the_papers(about: Experiment) -> None:
    found, _ = findings(about, bleu(about, None, context=11.5), [])
    assert found.title == "English → French"
    assert (
        found.headline
        == "+Context (C) is best: 11.50 BLEU on test with beam 12, +1.50 over Baseline."
    )
    assert found.sentences[0] == (
        "Contextualization (C) helps: +1.50 BLEU over Baseline (in the paper +1.00)."
    )


def test_harm_is_told_plainly(about: Experiment) -> None:
    data = bleu(about, None, baseline=12.0, symbol=11.25)
    found, _ = findings(about, data, [])
    assert found.headline == "No system beats Baseline: 12.00 BLEU on test with beam 12."
    assert (
        "Symbolization (S) does not help on this corpus: −0.75 BLEU over Baseline "
        "(in the paper +1.00)."
    ) in found.sentences


def test_a_gain_within_the_variation_of_seeds_is_none(about: Experiment) -> None:
    found, _ = findings(about, bleu(about, 1.0, context=11.0), [])
    assert "makes no difference beyond that between seeds: +1.00" in found.sentences[0]
    first = contrasts(about, bleu(about, 1.0, context=11.0), "en-fr")[0]
    assert first.spread == pytest.approx(2**0.5)
    assert first.helps is None


@pytest.mark.parametrize("gain", [0.01, 0.3, -0.3])
def test_a_gain_of_one_seed_within_the_authors_repeats_is_none(
    about: Experiment, gain: float
) -> None:
    found, _ = findings(about, bleu(about, None, context=10.0 + gain), [])
    assert found.sentences[0].startswith(
        "Contextualization (C) makes no difference beyond that between the authors' own repeats "
        "(0.3 BLEU): "
    )


@pytest.mark.parametrize(("gain", "helps"), [(0.31, True), (-0.31, False)])
def test_a_gain_of_one_seed_beyond_the_authors_repeats_counts(
    about: Experiment, gain: float, helps: bool
) -> None:
    assert contrasts(about, bleu(about, None, context=10.0 + gain), "en-fr")[0].helps is helps


def test_what_a_method_is_meant_for_is_told_of_its_pair_alone(about: Experiment) -> None:
    tagged = phenomena("en-de", baseline=40.0, context=65.5)
    french, german = findings(about, bleu(about, None, context=9.0), tagged)
    sentence = "With C it gets more ambiguous words right: 65.5 %, against 40.0 % without."
    assert sentence in german.sentences
    assert not any("ambiguous" in line for line in french.sentences)


def test_a_share_that_chance_may_explain_is_no_gain(about: Experiment) -> None:
    tagged = phenomena("en-de", baseline=49.0, context=53.0)
    _, german = findings(about, bleu(about, None), tagged)
    sentence = "With C it gets about as many ambiguous words right: 53.0 %, against 49.0 % without."
    assert sentence in german.sentences
