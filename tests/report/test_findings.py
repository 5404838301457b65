"""The sentences of the summary say what the numbers say, also when a method does harm."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of

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


BEST = "+Context (C) is best: 11.50 BLEU on test with beam 12, +1.50 over Baseline."
HARM = "Symbolization (S) does harm on this corpus: −0.75 BLEU over Baseline; in the paper +1.00."


@pytest.mark.parametrize(
    ("scores", "deviation", "expected"),
    [
        (
            {"context": 11.5},
            None,
            [BEST, "helps: +1.50 BLEU over Baseline; in the paper +1.00"],
        ),
        ({"context": 11.5}, None, ["11.50", "+Context (C); paper +Context (C), 21.00"]),
        ({"baseline": 12.0, "symbol": 11.25}, None, ["No system beats Baseline: 12.00 BLEU", HARM]),
        # Within the variation of seeds, or of repeats of one.
        ({"context": 11.0}, 1.0, ["makes no difference beyond chance: +1.00"]),
        (
            {"context": 10.3},
            None,
            ["is highest, within chance: 10.30 BLEU on test with"],
        ),
        ({"context": 10.3}, None, ["(C) makes no difference beyond chance: +0.30"]),
        ({"context": 9.7}, None, ["(C) makes no difference beyond chance: −0.30"]),
        ({"context": 10.31}, None, ["(C) helps: +0.31"]),
        ({"context": 9.69}, None, ["(C) does harm on this corpus: −0.31"]),
        # One number to a reader: the first system of the table is named.
        ({"baseline": 30.496, "context": 30.5}, None, ["No system beats Baseline: 30.50 BLEU"]),
        ({"context": 30.496, "symbol": 30.5}, None, ["+Context (C) is "]),
    ],
)
def test_gains_and_harm_are_told_plainly(
    about: Results, scores: dict[str, float], deviation: float | None, expected: list[str]
) -> None:
    found, _ = found_in(about, bleu(about, deviation, **scores))
    assert found.title == "English → French"
    figures = [text for figure in found.figures for text in vars(figure).values()]
    told = " ".join([found.headline, *found.sentences, *figures])
    assert [text for text in expected if text not in told] == []


def test_a_gain_that_the_test_sentences_may_have_made_is_none(about: Results) -> None:
    row = TESTED | {"low": -0.1, "high": 3.1, "p_bootstrap": 0.06, "p_randomization": 0.04}
    data = bleu(about, context=11.5)
    found, german = found_in(about, data, significance=[row])
    assert "makes no difference beyond chance: +1.50" in found.sentences[0]
    assert found.figures[1].remark == "95 %: −0.10 to +3.10; paper +1.00"
    assert "helps: +1.50" in german.sentences[0]  # the row is not of this pair
    sure = row | {"p_bootstrap": 0.04}
    assert "helps: +1.50" in found_in(about, data, significance=[sure])[0].sentences[0]
    untested = TESTED | {"gap": "context: no translation of seed 2"}
    found, _ = found_in(about, data, significance=[untested])
    assert found.figures[1].remark == "paper +1.00"
    assert "helps: +1.50" in found.sentences[0]


OPEN = (
    "+Context (C) hardly contextualizes: 99.7 % of the values of its context masks, in the "
    "sentences looked at, are above 0.99, which leaves source vectors as they are."
)
ALIKE = "context masks of +Context (C) show no sign of telling the senses of ambiguous words apart."


@pytest.mark.parametrize(
    ("row", "warning"),
    [
        ({"open_percent": 99.7, "senses": "same"}, OPEN),
        ({"open_percent": 95.0, "senses": "same"}, None),
        ({"open_percent": None, "senses": "same"}, None),
        ({"senses": "different", "separation": 0.52}, f"The {ALIKE}"),
        ({"senses": "different", "separation": 0.57}, None),
        ({"senses": "different", "separation": 0.3}, f"The {ALIKE}"),
    ],
)
def test_masks_that_tell_nothing_are_told(
    about: Results, row: dict[str, Any], warning: str | None
) -> None:
    row = {"pair": "en-fr", "system": "context", "open_percent": 60.0, "words": 10} | row
    masks = [row | {"separation_error": 0.03}]
    found, german = found_in(about, bleu(about, context=11.5), masks=masks)
    assert found.warnings == ([warning] if warning else [])
    assert german.warnings == []


@pytest.mark.parametrize(
    ("baseline", "context", "told"),
    [
        (40.0, 65.5, "gets more ambiguous words right than Baseline: 65.5 % against 40.0 % (50 % "),
        (49.0, 53.0, "gets about as many ambiguous words right as Baseline: 53.0 %"),
    ],
)
def test_what_a_method_is_meant_for_is_told_of_its_pair_alone(
    about: Results, baseline: float, context: float, told: str
) -> None:
    row = {"pair": "en-de", "phenomenon": "ambiguous", "total": 200}
    tagged = [
        row | {"system": system, "right": round(2 * share), "right_percent": share}
        for system, share in (("baseline", baseline), ("context", context))
    ]
    french, german = found_in(about, bleu(about, context=9.0), phenomena=tagged)
    assert told in " ".join(german.sentences).replace("\N{NO-BREAK SPACE}%", " %")
    assert not any("ambiguous" in line for line in french.sentences)
