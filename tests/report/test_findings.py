"""The sentences of the summary say what the numbers say, also when a method does harm."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of

from contextnmt.report.claims import Difference, PairScores
from contextnmt.report.findings import Findings, findings
from contextnmt.report.results import Results

Rows = list[dict[str, Any]]

#: What the row of a difference is about in the data of the table of significance.
TESTED: dict[str, Any] = {
    **{"pair": "en-fr", "text": "test", "system": "context", "baseline": "baseline"},
    **{"low": None, "high": None, "gap": None},
}


def made_up(name: str) -> Results:
    return results_of(Path("nowhere"), experiment(name))


@pytest.fixture(scope="module")
def about() -> Results:
    """Systems with one method each, and that with both: each method has one contrast."""
    whole = made_up("choi2017")
    methods = [replace(method, contrasts=method.contrasts[:1]) for method in whole.methods]
    return replace(whole, methods=methods)


def found_in(about: Results, data: Rows, **tables: Rows) -> list[Findings]:
    """The findings of each pair, by the data of the BLEU table and of others."""
    return findings(about, {about.table: data, **tables})


def bleu(about: Results, deviation: float | None = None, **scores: float) -> Rows:
    """Data of the BLEU table: the given scores, 10 for other systems, 20 and 21 in the paper."""
    rows = []
    for pair in about.pairs:
        for system in about.systems:
            key = {"pair": pair, "system": system.id, "split": "test", "beam": 12}
            key |= {"bleu_deviation": deviation}
            here = scores.get(system.id.replace("-", "_"), 10.0)
            paper = 20.0 if system.id == "baseline" else 21.0
            rows.append(key | {"source": "here", "text": "test", "bleu": here})
            rows.append(key | {"source": "paper", "text": "newstest", "bleu": paper})
    return rows


def first_gain(about: Results, data: Rows, *tested: dict[str, Any]) -> Difference:
    """The first gain of the first method in en-fr."""
    ((_, [first, *_]), *_) = PairScores(about, "en-fr", data, list(tested)).gains()
    return first


def phenomena(pair: str, **shares: float) -> Rows:
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


def test_a_gain_is_told_with_the_papers(about: Results) -> None:
    found, _ = found_in(about, bleu(about, context=11.5))
    assert found.title == "English → French"
    assert (
        found.headline
        == "+Context (C) is best: 11.50 BLEU on test with beam 12, +1.50 over Baseline."
    )
    assert found.sentences[0] == (
        "Contextualization (C) helps: +1.50 BLEU over Baseline; in the paper +1.00."
    )
    best, first, *_ = found.figures
    assert (best.value, best.remark) == ("11.50", "+Context (C); paper +Context (C), 21.00")
    assert vars(first) == {
        "name": "+Context (C) over Baseline",
        "value": "+1.50",
        "remark": "paper +1.00",
    }


def test_harm_is_told_plainly(about: Results) -> None:
    found, _ = found_in(about, bleu(about, baseline=12.0, symbol=11.25))
    assert found.headline == "No system beats Baseline: 12.00 BLEU on test with beam 12."
    assert (
        "Symbolization (S) does harm on this corpus: −0.75 BLEU over Baseline; in the paper +1.00."
    ) in found.sentences


def test_a_gain_within_the_variation_of_seeds_is_none(about: Results) -> None:
    data = bleu(about, deviation=1.0, context=11.0)
    found, _ = found_in(about, data)
    assert "makes no difference beyond chance: +1.00" in found.sentences[0]
    first = first_gain(about, data)
    assert first.spread == pytest.approx(2**0.5)
    assert first.helps is None


@pytest.mark.parametrize("gain", [0.01, 0.3, -0.3])
def test_a_gain_of_one_seed_within_repeats_is_none(about: Results, gain: float) -> None:
    found, _ = found_in(about, bleu(about, context=10.0 + gain))
    assert found.sentences[0].startswith(
        "Contextualization (C) makes no difference beyond chance: "
    )


def test_a_lead_that_chance_may_give_is_called_so(about: Results) -> None:
    found, _ = found_in(about, bleu(about, context=10.3))
    assert found.headline == (
        "+Context (C) is highest, within chance: 10.30 BLEU on test with beam 12, +0.30 over "
        "Baseline."
    )


@pytest.mark.parametrize(("open_percent", "told"), [(99.7, True), (95.0, False), (None, False)])
def test_masks_that_are_next_to_none_are_told(
    about: Results, open_percent: float | None, told: bool
) -> None:
    row = {"pair": "en-fr", "system": "context", "open_percent": open_percent, "senses": "same"}
    found, german = found_in(about, bleu(about, context=11.5), masks=[row])
    sentence = (
        "+Context (C) hardly contextualizes: 99.7 % of the values of its context masks, in the "
        "sentences looked at, are above 0.99, which leaves source vectors as they are."
    )
    assert found.warnings == [sentence] * told
    assert german.warnings == []


@pytest.mark.parametrize(("separation", "told"), [(0.52, True), (0.57, False), (0.3, True)])
def test_masks_that_do_not_tell_senses_apart_are_told(
    about: Results, separation: float, told: bool
) -> None:
    row = {"pair": "en-fr", "system": "context", "open_percent": 60.0, "senses": "different"}
    row |= {"separation": separation, "separation_error": 0.03, "words": 10}
    found, german = found_in(about, bleu(about, context=11.5), masks=[row])
    sentence = (
        "The context masks of +Context (C) show no sign of telling the senses of ambiguous words "
        "apart."
    )
    assert found.warnings == [sentence] * told
    assert german.warnings == []


@pytest.mark.parametrize(("gain", "helps"), [(0.31, True), (-0.31, False)])
def test_a_gain_of_one_seed_beyond_repeats_counts(about: Results, gain: float, helps: bool) -> None:
    assert first_gain(about, bleu(about, context=10.0 + gain)).helps is helps


def test_a_gain_that_the_test_sentences_may_have_made_is_none(about: Results) -> None:
    tested = {"low": -0.1, "high": 3.1, "p_bootstrap": 0.06, "p_randomization": 0.04}
    row = TESTED | tested
    data = bleu(about, context=11.5)
    found, german = found_in(about, data, significance=[row])
    assert "makes no difference beyond chance: +1.50" in found.sentences[0]
    assert "helps: +1.50" in german.sentences[0]  # the row is not of this pair
    first = first_gain(about, data, row)
    assert (first.interval, first.helps) == ((-0.1, 3.1), None)
    assert found.figures[1].remark == "95 %: −0.10 to +3.10; paper +1.00"
    sure = row | {"p_bootstrap": 0.04}
    assert first_gain(about, data, sure).helps is True


def test_a_difference_that_could_not_be_tested_has_no_interval(about: Results) -> None:
    row = TESTED | {"gap": "context: no translation of seed 2"}
    data = bleu(about, context=11.5)
    first = first_gain(about, data, row)
    assert (first.interval, first.helps) == (None, True)


def test_comparisons_that_disagree_are_counted() -> None:
    about = made_up("choi2017")
    data = bleu(about, context=11.5, context_symbol=8.0)
    sentence, *_ = found_in(about, data)[0].sentences
    assert sentence == (
        "Contextualization (C) helps in 1 of 3 comparisons, does harm in 1, makes no difference "
        "beyond chance in 1: from −2.00 BLEU (+C+S over "
        "+Symbol (S)) to +1.50 BLEU (+Context (C) over Baseline); in the paper from +0.00 to "
        "+1.00."
    )


def test_the_one_comparison_that_the_paper_has_is_named() -> None:
    about = made_up("choi2017")
    data = bleu(about, symbol=11.0, bpe_symbol=12.0)
    data = [row for row in data if row["source"] == "here" or row["system"] != "bpe-symbol"]
    sentences = found_in(about, data)[0].sentences
    assert (
        "Symbolization (S) helps: from +1.00 BLEU (+Symbol (S) over Baseline) to +2.00 BLEU "
        "(+BPE+S over +BPE); in the paper +1.00 (+Symbol (S) over Baseline)."
    ) in sentences


def test_a_paper_without_beams_is_compared_with_the_widest() -> None:
    about = made_up("bahdanau2015")
    data = bleu(about, rnnsearch_30=12.0, rnnsearch_50=13.0)
    data += [row | {"system": "moses", "bleu": 33.3} for row in data if row["source"] == "paper"]
    data = [row | {"beam": None} if row["source"] == "paper" else row for row in data]
    (found,) = found_in(about, data)
    assert found.sentences[0] == (
        "Attention (RNNsearch) helps: from +2.00 BLEU (RNNsearch-30 over RNNencdec-30) to "
        "+3.00 BLEU (RNNsearch-50 over RNNencdec-50); in the paper +0.00."
    )
    assert found.figures[0].remark == "RNNsearch-50; paper RNNencdec-30, 21.00"  # not Moses


def test_a_reconstruction_does_not_say_that_the_paper_has_no_such_number() -> None:
    about = made_up("chen2017")
    data = [row for row in bleu(about, fcwm_all=11.0) if row["source"] == "here"]
    _, first, *_ = found_in(about, data)[0].figures
    assert first.remark == "the paper's is not available"


def test_one_system_alone_is_best_of_none(about: Results) -> None:
    alone = replace(about, systems=about.systems[:1])
    found, _ = found_in(alone, bleu(alone))
    assert found.headline == "Baseline has 10.00 BLEU on test with beam 12."
    assert (len(found.figures), found.sentences) == (1, [])


def test_what_a_method_is_meant_for_is_told_of_its_pair_alone(about: Results) -> None:
    tagged = phenomena("en-de", baseline=40.0, context=65.5)
    french, german = found_in(about, bleu(about, context=9.0), phenomena=tagged)
    sentence = (
        "+Context (C) gets more ambiguous words right than Baseline: "
        "65.5\N{NO-BREAK SPACE}% against 40.0\N{NO-BREAK SPACE}% (50\N{NO-BREAK SPACE}% by "
        "choosing blindly)."
    )
    assert sentence in german.sentences
    assert not any("ambiguous" in line for line in french.sentences)


def test_a_share_that_chance_may_explain_is_no_gain(about: Results) -> None:
    tagged = phenomena("en-de", baseline=49.0, context=53.0)
    _, german = found_in(about, bleu(about), phenomena=tagged)
    assert any(
        line.startswith("+Context (C) gets about as many ambiguous words right as Baseline: 53.0")
        for line in german.sentences
    )


def test_a_lead_that_is_not_to_be_seen_is_none(about: Results) -> None:
    """30.496 and 30.50 are one number to a reader; the first system of the table is named."""
    data = bleu(about, baseline=30.496, context=30.5)
    found, _ = found_in(about, data)
    assert found.headline == "No system beats Baseline: 30.50 BLEU on test with beam 12."
    data = bleu(about, context=30.496, symbol=30.5)
    found, _ = found_in(about, data)
    assert found.headline.startswith("+Context (C) is ")


def test_trainings_that_were_still_gaining_are_told_of_their_pair(about: Results) -> None:
    data = bleu(about, context=11.5)
    rows = [
        {"source": "here", "pair": "en-fr", "system": system.id, "last_gain": 0.2}
        for system in about.systems
    ]
    french, german = found_in(about, data, trainings=rows)
    (told,) = french.warnings
    assert told.startswith(
        "8 of 8 trainings had the highest dev BLEU at the last validation, +0.20"
    )
    assert german.warnings == []
