"""Batches of sentences: how much a batch holds, and that it makes no difference to the results."""

import json
import os
import shutil

import numpy as np
import pytest
from random_model import SIDES, save
from safetensors.torch import load_file, save_file

from contextnmt.configuration.model import ContextualizerSettings
from contextnmt.errors import UserError
from contextnmt.files import file_digest
from contextnmt.text.vocabulary import Vocabulary
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


@pytest.fixture
def trained(tmp_path):
    """Folders of two trainings of the same words and sizes, with what `train` records of them."""
    folders = [save(tmp_path / f"model{seed}", seed) for seed in (1, 2)]
    for folder in folders:
        words = Vocabulary.read(folder / "vocabulary.source.tsv")
        sides = {side: {"sha256": words.sha256} for side in SIDES}
        record = json.loads((folder / "model.json").read_text())
        record["weights_sha256"] = file_digest(folder / "model.safetensors")
        record["data"] = {"manifest": {"vocabulary": sides}}
        (folder / "model.json").write_text(json.dumps(record))
    return folders


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        (
            "model.safetensors",
            lambda old: old[:-9] + b"\0" * 9,
            "not the file that",
        ),
        ("model.safetensors", lambda old: old[: len(old) // 2], "not the file that "),
        ("vocabulary.target.tsv", lambda old: old[2:] + old[:2], "line 1: expected a word"),
        ("vocabulary.target.tsv", lambda old: old[4:] + old[:4], "not the words that"),
        ("vocabulary.target.tsv", lambda old: b"", "no word in it"),
        ("model.json", lambda old: b"[" * 10**5, "not JSON"),
        ("model.json", lambda old: b"[]", "no settings of a model in it"),
        ("model.json", lambda old: b'{"model": {"hidden": 0}}', "model.hidden is 0"),
        (
            "model.json",
            lambda old: b'{"model": {"hidden": 100000000}}',
            "does not fit the settings",
        ),
    ],
)
def test_a_damaged_model_is_refused(trained, name, damage, message):
    path = trained[0] / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=message):
        SavedTranslator(trained[:1], "cpu")


@pytest.mark.parametrize("name", ["model.json", "vocabulary.source.tsv"])
def test_a_pipe_in_a_model_is_not_waited_for(trained, name):
    (trained[0] / name).unlink()
    os.mkfifo(trained[0] / name)
    with pytest.raises(UserError, match=rf"{name}: a folder, a pipe or a device"):
        SavedTranslator(trained[:1], "cpu")


@pytest.mark.parametrize("name", ["model.safetensors", "model.json"])
def test_a_model_of_files_of_two_trainings_is_refused(trained, name):
    SavedTranslator(trained, "cpu")
    shutil.copy(trained[1] / name, trained[0])
    with pytest.raises(UserError, match=r"not the file that .* or of another run"):
        SavedTranslator(trained[:1], "cpu")


def test_a_model_of_an_earlier_version_is_read_without_its_digest_and_refused_if_it_shows(tmp_path):
    folder = save(tmp_path / "model")
    SavedTranslator([folder], "cpu")
    weights = folder / "model.safetensors"
    tensors = load_file(weights)
    save_file({name: tensor.half() for name, tensor in tensors.items()}, weights)
    with pytest.raises(UserError, match="does not fit the settings"):
        SavedTranslator([folder], "cpu")
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(UserError, match="damaged"):
        SavedTranslator([folder], "cpu")
