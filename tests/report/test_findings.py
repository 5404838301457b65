"""The sentences of the summary say what the numbers say, also when a method does harm."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment, results_of

from contextnmt.report.findings import Findings, findings
from contextnmt.report.results import Results

Rows = list[dict[str, Any]]


def made_up(name: str, *seeds: int) -> Results:
    return results_of(Path("nowhere"), experiment(name, seeds or (1, 2, 3)))


@pytest.fixture(scope="module")
def about() -> Results:
    """Systems with one method each, and that with both: each method has one contrast."""
    whole = made_up("choi2017")
    methods = [replace(method, contrasts=method.contrasts[:1]) for method in whole.methods]
    return replace(whole, methods=methods)


def found_in(about: Results, data: Rows, **tables: Rows) -> list[Findings]:
    """The findings of each pair, by the data of the BLEU table and of others.

    Differences beyond 0.3 are decided, if there is no table of significance among these.
    """
    tables.setdefault("significance", significance_of(about, data))
    return findings(about, {about.table: data, **tables})


def significance_of(about: Results, data: Rows, margin: float = 0.3) -> Rows:
    """Data of the table of significance: all contrasts, with intervals of ± `margin`."""
    scores = {(row["pair"], row["system"]): row["bleu"] for row in data if row["source"] == "here"}
    ends = ["low", "high"] + ["low_with_seeds", "high_with_seeds"] * (len(about.seeds) > 1)
    rows = []
    for pair in about.pairs:
        contrasts = {both for method in about.methods for both in method.contrasts}
        for system, baseline in contrasts:
            if not {(pair, system), (pair, baseline)} <= scores.keys():
                continue
            gain = scores[pair, system] - scores[pair, baseline]
            interval = {end: gain + margin * (1 if "high" in end else -1) for end in ends}
            names = {"pair": pair, "text": "test", "system": system, "baseline": baseline}
            rows.append({**names, **interval, "gap": None})
    return rows


def bleu(about: Results, **scores: float) -> Rows:
    """Data of the BLEU table: the given scores, 10 for other systems, 20 and 21 in the paper."""
    rows = []
    for pair in about.pairs:
        for system in about.systems:
            key = {"pair": pair, "system": system.id, "split": "test", "beam": 12}
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
        "Contextualization (C) helps in 1 of 3 comparisons, does harm in 1, is undecided in 1: "
        "from −2.00 BLEU (+C+S over "
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
    assert first.remark.endswith("; the paper's is not available")


def test_one_system_alone_is_best_of_none(about: Results) -> None:
    alone = replace(about, systems=about.systems[:1])
    found, _ = found_in(alone, bleu(alone))
    assert found.headline == "Baseline has 10.00 BLEU on test with beam 12."
    assert (len(found.figures), found.sentences) == (1, [])


FIRST = "Baseline has the highest BLEU on test with beam 12:"
BEST = "+Context (C) has the highest BLEU on test with beam 12: 11.50, +1.50 over Baseline."
HARM = "Symbolization (S) does harm on this corpus: −0.75 BLEU over Baseline; in the paper +1.00."


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"context": 11.5}, [BEST, "helps: +1.50 BLEU over Baseline; in the paper +1.00"]),
        ({"context": 11.5}, ["11.50", "+Context (C); paper +Context (C), 21.00"]),
        (
            {"baseline": 12.0, "symbol": 11.25},
            [f"{FIRST} 12.00.", HARM],
        ),
        ({"context": 10.29}, ["on test with beam 12: 10.29, +0.29 over Baseline (undecided)."]),
        ({"context": 10.29}, ["(C) (undecided): +0.29"]),
        ({"context": 9.71}, ["(C) (undecided): −0.29"]),
        ({"context": 10.31}, ["(C) helps: +0.31"]),
        ({"context": 9.69}, ["(C) does harm on this corpus: −0.31"]),
        # One number to a reader: the first system of the table is named.
        (
            {"baseline": 30.496, "context": 30.5},
            [f"{FIRST} 30.50."],
        ),
        ({"context": 30.496, "symbol": 30.5}, ["+Context (C) has the highest"]),
    ],
)
def test_gains_and_harm_are_told_plainly(
    about: Results, scores: dict[str, float], expected: list[str]
) -> None:
    found, _ = found_in(about, bleu(about, **scores))
    assert found.title == "English → French"
    assert [text for text in expected if text not in told(found)] == []


def told(found: Findings) -> str:
    """All that findings say."""
    figures = [text for figure in found.figures for text in vars(figure).values()]
    return " ".join([found.headline, *found.sentences, *figures])


def test_one_seed_gives_no_verdict() -> None:
    about = made_up("choi2017", 1)
    found, _ = found_in(about, bleu(about, context=11.5))
    for expected in (
        "on test with beam 12: 11.50, +1.50 over Baseline (one seed: no verdict).",
        "Contextualization (C) (one seed: no verdict): from +0.00 BLEU",
        "95 % over sentences alone: +1.20 to +1.80; paper +1.00",
    ):
        assert expected in told(found)


def test_what_was_not_tested_is_undecided(about: Results) -> None:
    data = bleu(about, context=11.5)
    rows = [row | {"low_with_seeds": -0.1} for row in significance_of(about, data)]
    found, _ = found_in(about, data, significance=rows)
    assert "(undecided): +1.50" in found.sentences[0]
    assert found.figures[1].remark == "95 %: −0.10 to +1.80; paper +1.00"
    found, _ = found_in(about, data, significance=[row | {"gap": "damaged"} for row in rows])
    assert found.figures[1].remark == "paper +1.00"
    assert "(not tested): +1.50" in found.sentences[0]


STILL = (
    "+Context (C) hardly contextualizes: 4.9 % of the dimensions of its source masks and 0.0 % of "
    "the dimensions of its target masks vary by more than 0.05 over the sentences looked at."
)
ALIKE = "masks of +Context (C) show no sign of telling the senses of ambiguous words apart."
APART, TOGETHER, CHANCE, UNKNOWN = (
    {"separation": share, "separation_error": 0.03} for share in (0.57, 0.3, 0.52, None)
)


@pytest.mark.parametrize(
    ("source", "target", "warning"),
    [
        ({"varying_percent": 4.9}, {"varying_percent": 0.0}, STILL),
        ({"varying_percent": 4.9}, {"varying_percent": 5.0}, None),
        ({"varying_percent": None}, {"varying_percent": None}, None),
        (CHANCE, CHANCE, f"The context {ALIKE}"),
        (TOGETHER, CHANCE, f"The context {ALIKE}"),
        (CHANCE, APART, None),
        (APART, TOGETHER, None),
        (CHANCE, UNKNOWN, f"The source {ALIKE}"),
    ],
)
def test_masks_that_tell_nothing_are_told(
    about: Results, source: dict[str, Any], target: dict[str, Any], warning: str | None
) -> None:
    common = {"pair": "en-fr", "system": "context", "senses": "different", "words": 10}
    common |= {"varying_percent": 60.0} | UNKNOWN
    masks = [common | {"side": "source"} | source, common | {"side": "target"} | target]
    found, german = found_in(about, bleu(about, context=11.5), masks=masks)
    assert found.warnings == ([warning] if warning else [])
    assert german.warnings == []


@pytest.mark.parametrize(
    ("baseline", "context", "deviation", "told"),
    [
        (40.0, 65.5, 2.0, "gets more ambiguous words right than Baseline: 65.5 % and 40.0 % (50 %"),
        (65.5, 40.0, 2.0, "gets fewer ambiguous words right than Baseline: 40.0 % and 65.5 % ("),
        (49.0, 53.0, 2.0, "53.0 % of the ambiguous words right, Baseline 49.0 % (50 % by choosing"),
        (49.0, 53.0, 2.0, "blindly): undecided."),  # too few words
        (40.0, 65.5, 20.0, "blindly): undecided."),  # trainings differ as much
        (40.0, 65.5, None, "blindly), with one seed."),
    ],
)
def test_what_a_method_is_meant_for_is_told_of_its_pair_alone(
    about: Results, baseline: float, context: float, deviation: float | None, told: str
) -> None:
    seeds = 1 if deviation is None else 3
    row = {"pair": "en-de", "phenomenon": "ambiguous", "total": 200 * seeds, "seeds": seeds}
    row |= {"right_percent_deviation": deviation}
    tagged = [
        row | {"system": system, "right": round(2 * share) * seeds, "right_percent": share}
        for system, share in (("baseline", baseline), ("context", context))
    ]
    french, german = found_in(about, bleu(about, context=9.0), phenomena=tagged)
    assert told in " ".join(german.sentences).replace("\N{NO-BREAK SPACE}%", " %")
    assert not any("ambiguous" in line for line in french.sentences)
