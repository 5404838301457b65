"""Sentences of the report on masks: they say no more than the numbers."""

from pathlib import Path
from typing import Any

import pytest
from analysed_models import masks_content, without_senses
from made_up_experiments import experiment, results_of

from contextnmt.files import write_json
from contextnmt.report.findings import observations
from contextnmt.report.gates import masks_table


def said(folder: Path, *of_seeds: dict[str, Any]) -> list[str]:
    """The sentences on one system, by the masks of its seeds."""
    seeds = tuple(range(1, len(of_seeds) + 1))
    results = results_of(folder, experiment("choi2017", seeds) | {"pairs": ["en-fr"]})
    for seed, content in zip(seeds, of_seeds, strict=True):
        write_json(folder / f"masks/en-fr/context/{seed}/test.json", content)
    return observations(results, masks_table(results).data)


def test_open_masks_and_a_separation_by_chance_are_told(tmp_path: Path) -> None:
    content = masks_content()
    content["all"] |= {"open_percent": 92.7, "separation": 0.51, "separation_error": 0.03}
    content["all"]["same"]["cosine"] = content["all"]["different"]["cosine"] = 1.04e-5
    assert said(tmp_path, content) == [
        "English → French, +Context (C): 92.7 % of the values of the masks are above 0.99, and "
        "the vectors of a word in two sentences have a cosine distance of 1.0e-05, the mean over "
        "kinds of pairs: most of a vector passes as it is. In 51.0 % of comparisons two sentences "
        "in which a word has two senses are farther apart than two in which it has one (chance: "
        "50 %, standard error over 2 words: 3.0): no sign that the masks tell the senses apart."
    ]


def test_seeds_are_averaged_and_closed_masks_do_not_pass(tmp_path: Path) -> None:
    one, two = masks_content(), masks_content()
    one["all"] |= {"open_percent": 10.0, "separation": 0.9, "separation_error": 0.1}
    two["all"] |= {"open_percent": 20.0, "separation": 0.8, "separation_error": 0.1}
    [sentence] = said(tmp_path, one, two)
    assert "15.0 % of the values" in sentence
    assert "passes as it is" not in sentence
    assert "In 85.0 % of comparisons" in sentence
    assert "2 words: 10.0): the masks tell the senses apart more often than chance." in sentence


def test_unknown_senses_are_not_spoken_of(tmp_path: Path) -> None:
    [sentence] = said(tmp_path, without_senses(masks_content()))
    assert "values of the masks" in sentence
    assert "sense" not in sentence


def test_without_masks_nothing_is_said(tmp_path: Path) -> None:
    assert said(tmp_path, masks_content(words=())) == []


def test_one_word_has_no_verdict(tmp_path: Path) -> None:
    [sentence] = said(tmp_path, masks_content(words=("bank",)))
    assert sentence.endswith("than two in which it has one (chance: 50 %).")


@pytest.mark.parametrize(
    ("separation", "expected"), [(0.626, "more often"), (0.625, "no sign"), (0.374, "together")]
)
def test_two_standard_errors_make_a_verdict(
    tmp_path: Path, separation: float, expected: str
) -> None:
    content = masks_content()
    content["all"] |= {"separation": separation, "separation_error": 0.0625}
    assert expected in said(tmp_path, content)[0]
