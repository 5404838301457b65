"""Vocabularies, and texts as the ids of their words."""

import hashlib
import itertools
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt import files
from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text.binarize import binarize
from contextnmt.text.vocabulary import EOS, PAD, SPECIALS, UNK, Vocabulary

TRAIN = [("the cat sat", "le chat était assis"), ("", "vide"), ("the the dog", "le chien")]


def write_text(folder: Path, name: str, pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    paths = folder / f"{name}.en.gz", folder / f"{name}.fr.gz"
    for path, lines in zip(paths, list(zip(*pairs, strict=True)) or [(), ()], strict=True):
        write_lines(path, iter(lines))
    return paths


def run(folder: Path, train: Any = TRAIN, size: int = 3) -> Path:
    source, target = write_text(folder, "train", train)
    out = folder / "binarize"
    binarize([source], [target], size, out)
    return out


def sentences(folder: Path, name: str) -> list[list[int]]:
    ids = np.load(folder / f"{name}.ids.npy", mmap_mode="r")
    offsets = np.load(folder / f"{name}.offsets.npy", mmap_mode="r")
    assert (ids.dtype, offsets.dtype) == (np.int32, np.int64)
    assert isinstance(ids, np.memmap) and ids.ndim == offsets.ndim == 1
    assert offsets[0] == 0 and offsets[-1] == len(ids)
    return [ids[start:end].tolist() for start, end in itertools.pairwise(offsets)]


def test_sentences_are_ids_between_offsets(tmp_path: Path):
    out = run(tmp_path)
    assert list(read_lines(out / "vocabulary.source.tsv")) == ["the\t3", "cat\t1", "dog\t1"]
    assert sentences(out, "train.source") == [[3, 4, UNK], [], [3, 3, 5]]


def test_the_manifest_says_what_is_there(tmp_path: Path):
    out = run(tmp_path)
    manifest = json.loads((out / "manifest.json").read_text())
    vocabulary = Vocabulary.read(out / "vocabulary.source.tsv")
    assert manifest["train"]["pairs"] == 3
    assert manifest["train"]["source"] == {
        "tokens": 6,
        "unknowns": 1,
        "sha256": hashlib.sha256(b"the cat sat\n\nthe the dog\n").hexdigest(),
    }
    assert manifest["train"]["target"]["tokens"] == 7
    assert manifest["vocabulary"]["limit"] == 3
    assert manifest["vocabulary"]["source"] == {"words": 3, "sha256": vocabulary.sha256}


def test_the_parts_of_the_training_text_change_nothing(tmp_path: Path):
    whole, out = run(tmp_path / "whole"), tmp_path / "out"
    borders = itertools.pairwise([0, 0, 1, 1, 2, 3])
    parts = [write_text(tmp_path, f"{start}to{end}", TRAIN[start:end]) for start, end in borders]
    source, target = map(list, zip(*parts, strict=True))
    binarize(source, target, 3, out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == {
        path.name: path.read_bytes() for path in whole.iterdir()
    }


words = st.lists(st.sampled_from(["a", "b", "c", "d", "é"]), max_size=6).map(" ".join)


@given(st.lists(st.tuples(words, words)), st.integers(1, 6))
@settings(deadline=None, max_examples=20)
def test_decoding_gives_the_text_back(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], size: int
):
    pairs = [*pairs, ("a b", "c")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("contextnmt.text.binarize.LINES_AT_A_TIME", 3)
        out = run(tmp_path_factory.mktemp("binarize"), train=pairs, size=size)
    for number, side in enumerate(("source", "target")):
        vocabulary = Vocabulary.read(out / f"vocabulary.{side}.tsv")
        known = [[w if w in vocabulary.ids else "<unk>" for w in p[number].split()] for p in pairs]
        assert [*map(vocabulary.decode, sentences(out, f"train.{side}"))] == known


@pytest.mark.parametrize("train", [[], [("", "un"), ("two", "")]])
def test_training_text_without_a_pair_is_reported(tmp_path: Path, train: Any):
    with pytest.raises(UserError, match=r"train\.en\.gz.*the training text holds no sentence pair"):
        run(tmp_path, train=train)


def test_a_vocabulary_without_a_word_and_a_part_with_one_side_are_reported(tmp_path: Path):
    with pytest.raises(UserError, match="vocabulary-size"):
        run(tmp_path, size=0)
    source, target = write_text(tmp_path, "train", TRAIN)
    with pytest.raises(UserError, match="2 --source, 1 --target"):
        binarize([source, source], [target], 5, tmp_path / "out")


def test_a_run_that_fails_leaves_nothing_that_looks_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    out = run(tmp_path)
    before = (out / "train.target.ids.npy").read_bytes()

    def fail(descriptor: int) -> None:
        if "train.target.ids" in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", fail)
    with pytest.raises(UserError, match="disk is full"):
        run(tmp_path, train=[("other", "autre")])
    assert not (out / "manifest.json").exists()
    assert (out / "train.target.ids.npy").read_bytes() == before
    assert not list(out.glob(".*"))


def test_memory_does_not_grow_with_the_text(tmp_path: Path):
    def peak(pairs: int) -> int:
        text = write_text(tmp_path, "train", [("the cat sat on the mat", "le chat")] * pairs)
        tracemalloc.start()
        try:
            binarize([text[0]], [text[1]], 10, tmp_path / "out")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is imported or cached at the first call
    assert peak(10_000) < peak(1_000) + 100_000  # the ids alone are 320 kB


def test_specials_are_decoded_by_their_spelling():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.decode([PAD, EOS, UNK, 3]) == ["<pad>", "</s>", "<unk>", "a"]


def test_a_special_spelt_in_the_text_is_an_unknown_word():
    vocabulary = Vocabulary.most_frequent({"</s>": 9, "<pad>": 9, "<unk>": 9, "a": 1}, 10)
    assert vocabulary.words == ["a"]
    assert vocabulary.encode(SPECIALS) == [UNK, UNK, UNK]


@pytest.mark.parametrize(
    "content",
    ["a\t1\nb\n", "a\t1\nb\tmany\n", "a\t1\n\t2\n", "a\t1\na\t1\n", "a\t1\n</s>\t1\n"],
)
def test_a_damaged_file_is_reported_with_its_line(tmp_path: Path, content: str):
    path = tmp_path / "vocabulary.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="line 2"):
        Vocabulary.read(path)
