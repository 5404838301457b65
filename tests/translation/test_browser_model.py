"""Runs as a page translates with them: weights in 8 bits, and what is refused."""

import json

import numpy as np
import pytest
from random_model import write_model
from sacremoses import MosesTokenizer
from small_results import make, run_file

from contextnmt.configuration.model import SmootherSettings
from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines
from contextnmt.translation.browser_model import browser_model, packed, ranges, unpacked


def test_no_weight_is_further_off_than_half_a_step_of_its_row() -> None:
    weights = np.random.default_rng(1).normal(size=(40, 30)).astype(np.float32)
    weights[3], weights[4] = 0, weights[4] * 1e-6
    written = json.loads(json.dumps(packed(weights)))
    steps = np.abs(weights).max(1, keepdims=True) / 127
    assert (np.abs(unpacked(written) - weights) <= 0.5001 * steps).all()
    assert unpacked(written).dtype == np.float32
    vector = weights[0]
    np.testing.assert_array_equal(unpacked(packed(vector)), vector)


def test_classes_have_all_their_characters_and_no_other() -> None:
    characters = set(MosesTokenizer.IsAlnum)
    text = ranges(characters).replace("}-\\u{", " ").replace("}\\u{", ",").strip("\\u{}")
    pairs = [tuple(int(code, 16) for code in pair.split()) for pair in text.split(",")]
    assert {chr(c) for first, last in pairs for c in range(first, last + 1)} == characters
    assert len(pairs) < 1000 < len(characters)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"cell": "gru"}, "cannot translate with a GRU"),
        ({"attention": False}, "with no attention"),
        ({"smoother": SmootherSettings("ccwm", "all")}, "with a smoother"),
    ],
)
def test_models_that_the_page_does_not_know_are_refused(tmp_path, settings, said) -> None:
    make(tmp_path)
    write_model(tmp_path / "train" / "word", 1, 1.0, 1.0, **settings)
    text = tmp_path / "test.en"
    with pytest.raises(UserError, match=said):
        browser_model(run_file(tmp_path, "word"), text, text, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_a_damaged_model_is_named(tmp_path) -> None:
    make(tmp_path)
    (tmp_path / "train" / "word" / "model.json").write_text('{"model": []}')
    text = tmp_path / "test.en"
    with pytest.raises(UserError, match=r"model\.json: no settings of a model in it"):
        browser_model(run_file(tmp_path, "word"), text, text, tmp_path / "out.json")


def test_the_file_tells_what_rounding_changes(tmp_path) -> None:
    make(tmp_path)
    text = tmp_path / "test.en"
    browser_model(run_file(tmp_path, "word"), text, text, tmp_path / "out.json", 2, 5)
    told = read_json(tmp_path / "out.json")
    assert told["sentences"] == [*read_lines(text)][:5]
    assert told["compared"]["sentences"] == 5
    assert 0 <= told["compared"]["equal"] <= 5
    assert len(told["compared"]["bleu"]) == 2
