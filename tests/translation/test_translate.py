"""The stage: which files it writes beside its translations, and what is in them."""

import gzip
import json
import sys

import numpy as np
import pytest
import torch
from random_model import WORDS, save
from safetensors.torch import load_file, save_file

from contextnmt import cli
from contextnmt.errors import UserError
from contextnmt.translation.alignment_file import read_alignments
from contextnmt.translation.translate import translate

LINES = ["a b c", "", "f", "d zzz a c e", "b b"]


@pytest.fixture
def model(tmp_path):
    return save(tmp_path / "model")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in LINES).encode()))
    return path


def read(path):
    return gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]


def made(folder):
    return sorted(path.name for path in folder.iterdir())


def test_nothing_is_written_that_is_not_asked_for(model, text, tmp_path):
    out = tmp_path / "out"
    translate(model, [text], [1, 3], [out / "t.beam1.gz", out / "t.beam3.gz"])
    assert made(out) == ["t.beam1.gz", "t.beam3.gz"]
    lines = read(out / "t.beam3.gz")
    assert len(lines) == len(LINES)
    assert [bool(line) for line in lines] == [bool(line) for line in LINES]
    assert "UNK" in " ".join(lines)


def test_lists_of_the_best(model, text, tmp_path):
    translate(model, [text], [4], [tmp_path / "plain.gz"])
    out = tmp_path / "out"
    translate(model, [text], [4], [out / "t.gz"], nbest=3)
    assert made(out) == ["t.gz", "t.nbest.jsonl.gz", "t.normalised.gz"]
    assert (out / "t.gz").read_bytes() == (tmp_path / "plain.gz").read_bytes()
    lists = [json.loads(line) for line in read(out / "t.nbest.jsonl.gz")]
    assert read(out / "t.gz") == [found[0]["text"] if found else "" for found in lists]
    for found, line in zip(lists, LINES, strict=True):
        assert len(found) <= 3 if line else found == []
        assert found == sorted(found, key=lambda each: -each["score"])
        for each in found:
            symbols = len(each["text"].split()) + each["finished"]
            assert each["score"] == pytest.approx(each["normalised"] * symbols)
    assert max(map(len, lists)) == 3


def test_the_best_per_symbol_is_that_of_the_whole_beam(model, text, tmp_path):
    translate(model, [text], [8], [tmp_path / "one.gz"], nbest=1)
    translate(model, [text], [8], [tmp_path / "all.gz"], nbest=8)
    lists = [json.loads(line) for line in read(tmp_path / "all.nbest.jsonl.gz")]
    expected = [
        max(found, key=lambda each: each["normalised"])["text"] if found else "" for found in lists
    ]
    assert read(tmp_path / "one.normalised.gz") == expected
    assert expected != read(tmp_path / "one.gz")


def test_a_second_set_has_no_unknown_words(model, text, tmp_path):
    """And nothing beside it: what is asked for besides is of the likeliest translations."""
    out, plain = tmp_path / "out", tmp_path / "plain"
    translate(model, [text], [4], [out / "t.gz"], nbest=4, no_unknown=True, alignments=True)
    translate(model, [text], [4], [plain / "t.gz"], nbest=4, alignments=True)
    assert made(out) == sorted([*made(plain), "t.no-unknown.gz"])
    assert len(read(out / "t.no-unknown.gz")) == len(LINES)
    assert "UNK" not in " ".join(read(out / "t.no-unknown.gz"))
    assert "UNK" in " ".join(read(out / "t.gz"))


def test_the_widest_beam_is_aligned_alone(model, text, tmp_path):
    out = [tmp_path / f"{name}.beam{beam}.gz" for name in "ab" for beam in (3, 1)]
    translate(model, [text, text], [3, 1], out, alignments=True)
    found = sorted(path.name for path in tmp_path.glob("*.npz"))
    assert found == ["a.beam3.alignments.npz", "b.beam3.alignments.npz"]


@pytest.mark.parametrize(("beams", "nbest", "narrowest"), [([8, 1, 4], 5, 4), ([1], 2, 1)])
def test_no_list_is_longer_than_a_beam(model, text, tmp_path, beams, nbest, narrowest):
    out = [tmp_path / f"t.beam{beam}.gz" for beam in beams]
    with pytest.raises(UserError, match=f"--nbest {nbest} with --beam {narrowest}: "):
        translate(model, [text], beams, out, nbest=nbest)
    assert not any(path.exists() for path in out)
    translate(model, [text], beams, out, nbest=narrowest)
    assert all(path.exists() for path in out)
    with pytest.raises(UserError, match="--nbest 13 with --beam 12: "):
        translate(run=tmp_path / "run.json", nbest=13)


@pytest.mark.parametrize("end", [3.0, -50.0])
def test_attention_weights(text, tmp_path, end):
    """A translation that was cut off has no row for its end."""
    model = save(tmp_path / "model", end=end)
    translate(model, [text], [3], [tmp_path / "t.gz"], nbest=1, alignments=True)
    found = read_alignments(tmp_path / "t.alignments.npz")
    lists = [json.loads(line) for line in read(tmp_path / "t.nbest.jsonl.gz")]
    for weights, line, best in zip(found, LINES, lists, strict=True):
        if not line:
            assert (weights.shape, best) == ((0, 0), [])
            continue
        symbols = len(best[0]["text"].split()) + best[0]["finished"]
        assert weights.shape == (symbols, len(line.split()) + 1)
        np.testing.assert_allclose(weights.astype(float).sum(1), 1, atol=5e-3)
    assert lists[0][0]["finished"] == (end > 0)


def test_a_translation_may_be_empty_without_a_minimum_length(text, tmp_path):
    model, out = save(tmp_path / "model", end=50.0), tmp_path / "t.gz"
    translate(model, [text], [3], [out], minimum_length=0.0, nbest=2, alignments=True)
    assert read(out) == [""] * len(LINES)
    best, empty, *_ = [json.loads(line) for line in read(tmp_path / "t.nbest.jsonl.gz")]
    assert (best[0]["text"], best[0]["finished"], empty) == ("", True, [])
    translate(model, [text], [3], [out])
    assert [len(line.split()) for line in read(out)] == [2, 0, 1, 3, 1]


def test_an_ensemble(model, text, tmp_path):
    other = save(tmp_path / "other", seed=2, cell="gru")
    translate(model, [text], [3], [tmp_path / "alone.gz"])
    translate(model, [text], [3], [tmp_path / "twice.gz"], ensemble=[model])
    translate(model, [text], [3], [tmp_path / "both.gz"], ensemble=[other])
    translate(other, [text], [3], [tmp_path / "turned.gz"], ensemble=[model])
    assert read(tmp_path / "twice.gz") == read(tmp_path / "alone.gz")
    assert read(tmp_path / "both.gz") == read(tmp_path / "turned.gz")
    assert read(tmp_path / "both.gz") != read(tmp_path / "alone.gz")


def test_an_ensemble_of_other_words_is_refused(model, text, tmp_path):
    other = save(tmp_path / "other", words=WORDS[::-1])
    with pytest.raises(UserError, match=r"other: its vocabularies are not those of .*model"):
        translate(model, [text], [1], [tmp_path / "out"], ensemble=[other])


def test_models_that_cannot_do_it_are_refused(model, text, tmp_path):
    def refused(message, model, **options):
        with pytest.raises(UserError, match=message):
            translate(model, [text], [1], [tmp_path / "out.gz"], **options)
        assert not (tmp_path / "out.gz").exists()

    without = save(tmp_path / "without", attention=False)
    refused("leave out --alignments", without, alignments=True)
    refused(r"nothing.*no such file; run `contextnmt train` first", tmp_path / "nothing")
    weights = load_file(model / "model.safetensors")
    next(iter(weights.values())).fill_(torch.nan)
    save_file(weights, model / "model.safetensors")
    refused("not all weights are finite", model)


def test_no_file_is_written_over(model, text, tmp_path):
    with pytest.raises(UserError, match=r"t\.no-unknown\.gz: read or written already"):
        out = [tmp_path / "t.gz", tmp_path / "t.no-unknown.gz"]
        translate(model, [text], [1, 2], out, no_unknown=True)
    with pytest.raises(UserError, match=r"text\.normalised\.gz: read or written already"):
        other = text.rename(tmp_path / "text.normalised.gz")
        translate(model, [other], [1], [tmp_path / "text.gz"], nbest=1)


def test_each_translation_needs_a_name(model, text, tmp_path):
    with pytest.raises(UserError, match="1 --text and 2 --beam need 2 --out, not 1"):
        translate(model, [text], [1, 2], [tmp_path / "out"])


def test_on_the_command_line(model, text, tmp_path, monkeypatch):
    words = f"--model {model} --ensemble {model} --text {text} --beam 2 --out {tmp_path}/o.txt"
    options = "--nbest 2 --no-unknown --alignments"
    monkeypatch.setattr(sys, "argv", ["contextnmt", "translate", *words.split(), *options.split()])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 0
    names = ["txt", "txt.alignments.npz", "txt.nbest.jsonl", "txt.normalised", "txt.no-unknown"]
    assert all((tmp_path / f"o.{name}").is_file() for name in names)
