"""Batches of sentences: how much a batch holds, and that it makes no difference to the results."""

import json

import numpy as np
import pytest
from random_model import save

from contextnmt.configuration.model import ContextualizerSettings
from contextnmt.translation import saved
from contextnmt.translation.saved import SavedTranslator

SENTENCES = [list("abcdefabcde"), ["a"], [], list("bcd"), ["f"] * 40, list("dcba"), ["c"], ["e"]]


@pytest.fixture
def translator(tmp_path):
    return SavedTranslator([save(tmp_path / "model")], "cpu")


@pytest.fixture
def sizes(monkeypatch):
    """The shapes of the sources that are searched or aligned, in order."""
    seen = []
    for name in ("beam_search", "attention_weights"):
        original = getattr(saved, name)

        def spying(ensemble, source, *others, original=original):
            seen.append(tuple(source.shape))
            return original(ensemble, source, *others)

        monkeypatch.setattr(saved, name, spying)
    return seen


def test_a_batch_has_so_many_symbols_at_most_or_one_sentence(translator, sizes, monkeypatch):
    found = translator.search(SENTENCES, 1, "")
    whole = translator.align(SENTENCES, found, "")
    assert sizes == [(7, 41)] * 2
    sizes.clear()
    monkeypatch.setitem(saved.POSITIONS, "cpu", 24)
    again = translator.search(SENTENCES, 1, "")
    assert [[each.ids for each in some] for some in again] == [
        [each.ids for each in some] for some in found
    ]
    parts = translator.align(SENTENCES, found, "")
    assert sizes == [(1, 41), (2, 12), (4, 4)] * 2
    for part, matrix in zip(parts, whole, strict=True):
        np.testing.assert_allclose(part, matrix, atol=1e-5)
    sizes.clear()
    translator.search([["a", "b"]] * 50, saved.HYPOTHESES["cpu"] // 5, "")  # of a wide beam
    assert sizes == [(5, 3)] * 10


def test_a_contextualizer_of_before_the_key_shares_the_table_of_the_source(tmp_path):
    settings = ContextualizerSettings((4, 3), table="shared")
    folder = save(tmp_path / "model", contextualizer=settings)
    block = json.loads((folder / "model.json").read_text())
    del block["model"]["contextualizer"]["table"]
    (folder / "model.json").write_text(json.dumps(block))
    [model] = SavedTranslator([folder], "cpu").ensemble.models
    assert model.contextualizer.embedding is None
