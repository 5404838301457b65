"""What the report says of masks: what their numbers say, and no more."""

from pathlib import Path
from typing import Any

import pytest
from analysed_models import masks_content, without_senses
from made_up_experiments import experiment

from contextnmt.files import read_json, write_json
from contextnmt.report.contextualization import VERDICTS, Separation, observations
from contextnmt.report.experiment import experiment_of
from contextnmt.report.masks import masks_table
from contextnmt.report.tables import write_table


def said(folder: Path, contents: dict[int, dict[str, Any]]) -> list[str]:
    """The sentences on one system, by the masks of its seeds."""
    about = experiment_of(experiment("choi2017", tuple(contents)))
    for seed, content in contents.items():
        write_json(folder / f"en-fr/context/{seed}/test.json", content)
    write_table(folder / "masks", masks_table(list(folder.glob("en-fr/*/*/test.json")), about))
    return observations(about, read_json(folder / "masks.json")["data"])


def test_open_masks_and_a_separation_by_chance_are_told(tmp_path: Path) -> None:
    content = masks_content()
    content["all"] |= {"open_percent": 92.7, "separation": 0.51, "separation_error": 0.03}
    content["all"]["same"]["cosine"] = content["all"]["different"]["cosine"] = 1.04e-5
    assert said(tmp_path, {1: content}) == [
        "English → French, +Context (C): 92.7 % of the values of the masks are above 0.99, and "
        "the vectors of a word in two sentences have a cosine distance of 1.0e-05, the mean over "
        "kinds of pairs: most of a vector passes as it is. In 51.0 % of comparisons two sentences "
        "in which a word has two senses are farther apart than two in which it has one (chance: "
        "50 %, standard error over 2 words: 3.0): no sign that the masks tell the senses apart."
    ]


def test_seeds_are_averaged_and_closed_masks_do_not_pass(tmp_path: Path) -> None:
    contents = {}
    for seed, separation in ((1, 0.9), (2, 0.8)):
        contents[seed] = masks_content()
        contents[seed]["all"] |= {"open_percent": 10.0 * seed, "separation": separation}
        contents[seed]["all"]["separation_error"] = 0.1
    (sentence,) = said(tmp_path, contents)
    assert "15.0 % of the values" in sentence
    assert "passes as it is" not in sentence
    assert "In 85.0 % of comparisons" in sentence
    assert "2 words: 10.0): the masks tell the senses apart more often than chance." in sentence


def test_unknown_senses_are_not_spoken_of(tmp_path: Path) -> None:
    (sentence,) = said(tmp_path, {1: without_senses(masks_content())})
    assert "values of the masks" in sentence
    assert "sense" not in sentence


@pytest.mark.parametrize("content", [masks_content(contextualizer=False), masks_content(words=())])
def test_without_masks_nothing_is_said(tmp_path: Path, content: dict[str, Any]) -> None:
    assert said(tmp_path, {1: content}) == []


def test_one_word_has_no_verdict(tmp_path: Path) -> None:
    (sentence,) = said(tmp_path, {1: masks_content(words=("bank",))})
    assert sentence.endswith("than two in which it has one (chance: 50 %).")


@pytest.mark.parametrize(
    ("beyond", "expected"), [(4.1, "more often"), (4.0, "no sign"), (-4.1, "together")]
)
def test_two_standard_errors_make_a_verdict(beyond: float, expected: str) -> None:
    assert expected in VERDICTS[Separation(50.0 + beyond, 2.0, 10).direction]
