from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from saved_models import save_model, save_vectors

from contextnmt.errors import UserError
from contextnmt.evaluation.cbow import WordVectors
from contextnmt.evaluation.local_charts import along, chart, charts_of, local_charts
from contextnmt.files import read_json

WORDS = [f"w{number}" for number in range(160)]


def random_vectors(seed: int) -> np.ndarray:
    """Of 160 words; the variance differs from direction to direction."""
    random = np.random.default_rng(seed)
    return random.normal(size=(160, 8)) * np.array([4, 3, 1, 1, 0.5, 0.5, 0.2, 0.1])


def by_the_book(vectors: np.ndarray, row: int) -> list[list[int]]:
    """The procedure of the paper's notebook, word by word, with PCA by the covariance matrix."""
    square = {n: float(((vector - vectors[row]) ** 2).sum()) for n, vector in enumerate(vectors)}
    nearest = sorted(square, key=lambda n: (n != row, square[n]))[:100]
    points = np.array([vectors[n] for n in nearest])
    _, directions = np.linalg.eigh(np.cov(points.T))
    shown = []
    for direction in (directions[:, -1], directions[:, -2]):
        position = {
            n: float(vectors[n] @ direction) - float(vectors[row] @ direction) for n in nearest
        }
        closest = sorted(position, key=lambda n: position[n] ** 2)[:5]
        shown.append(sorted(closest, key=position.__getitem__))
    return shown


@pytest.mark.parametrize("seed", range(5))
def test_charts_are_those_of_the_procedure(seed: int):
    vectors = random_vectors(seed)
    found = chart(WordVectors(WORDS, vectors), seed)
    for axis, expected in zip(found["axes"], by_the_book(vectors, seed), strict=True):
        words = [WORDS[n] for n in expected]
        assert axis["words"] in (words, words[::-1])
        assert WORDS[seed] in axis["words"]


def test_two_meanings_lie_along_two_axes():
    """Words of writing vary along one direction, computers along another one."""
    books = {f"book{n}": [0.01 * n, 6.0 * n, 0.0] for n in (-2, -1, 1, 2)}
    computers = {f"computer{n}": [8.0 * n, 0.02 * n, 0.0] for n in (-2, -1, 1, 2)}
    others = {
        f"other{n}": [x, y, 0.0]
        for n, (x, y) in enumerate((x, y) for x in (-15.5, 15) for y in np.linspace(9, 10, 46))
    }
    vectors = {"notebook": [0.0, 0.0, 0.0], **books, **computers, **others}
    found = chart(WordVectors([*vectors], np.array([*vectors.values()])), 0)
    assert len(vectors) > 100
    first, second = (set(axis["words"]) for axis in found["axes"])
    assert first == {"notebook", *books}  # near the word on the computers' axis
    assert second == {"notebook", *computers}


def test_the_word_is_first_and_in_the_middle():
    vectors = random_vectors(1)
    vectors[3] = vectors[90]  # a word with the same vector comes before it in the vocabulary
    found = chart(WordVectors(WORDS, vectors), 90)
    assert [each["word"] for each in found["neighbours"][:2]] == ["w90", "w3"]
    assert found["neighbours"][0]["squared_distance"] == 0
    assert found["neighbours"][0]["position"] == [0, 0]
    assert len(found["neighbours"]) == len({each["word"] for each in found["neighbours"]}) == 100
    distances = [each["squared_distance"] for each in found["neighbours"]]
    assert distances == sorted(distances)
    shares = [axis["variance_percent"] for axis in found["axes"]]
    assert 100 > shares[0] > shares[1] > 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_turning_and_moving_the_space_changes_nothing_but_the_signs(seed: int):
    vectors = random_vectors(seed)
    random = np.random.default_rng(seed + 1)
    turn, _ = np.linalg.qr(random.normal(size=(8, 8)))
    moved = vectors @ turn + random.normal(size=8)
    before, after = (chart(WordVectors(WORDS, each), 7) for each in (vectors, moved))
    for one, other in zip(before["axes"], after["axes"], strict=True):
        assert one["variance_percent"] == pytest.approx(other["variance_percent"])
        assert one["words"] in (other["words"], other["words"][::-1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_along_an_axis_the_nearest_are_in_order(others: list[float]):
    positions = np.array([0.0, *others])
    shown = along(positions)
    assert 0 in shown
    assert len(shown) == min(5, len(positions))
    assert [*positions[shown]] == sorted(positions[shown])
    left_out = np.delete(np.abs(positions), shown)
    assert all(np.abs(positions[shown]).max() <= left_out)


def test_vectors_that_are_all_equal_have_a_chart():
    found = chart(WordVectors(WORDS, np.ones((160, 3))), 4)
    assert [axis["variance_percent"] for axis in found["axes"]] == [0, 0]
    assert all("w4" in axis["words"] for axis in found["axes"])


def test_what_cannot_be_charted_is_a_gap():
    few = WordVectors(WORDS[:99], random_vectors(0)[:99])
    assert charts_of(few, ["w1", "power"]) == {
        "w1": {"gap": "a vocabulary of 99 words: a chart has 100"},
        "power": {"gap": "not among the 99 words of the vocabulary"},
    }


def test_models_and_cbow_vectors_are_charted(tmp_path: Path):
    words = [*WORDS, "notebook"]
    save_model(tmp_path / "model", words)
    save_vectors(tmp_path / "cbow", words, np.random.default_rng(0).normal(size=(161, 4)))
    for out in (tmp_path / "a.json", tmp_path / "b.json"):
        local_charts(out, ["baseline"], [tmp_path / "model"], tmp_path / "cbow")
    content = read_json(tmp_path / "a.json")
    assert content["words"] == ["notebook", "power"]
    assert set(content["charts"]) == {"baseline", "cbow"}
    for charts in content["charts"].values():
        assert charts["notebook"]["neighbours"][0]["word"] == "notebook"
        assert charts["power"] == {"gap": "not among the 161 words of the vocabulary"}
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_names_and_words_come_once(tmp_path: Path):
    out = tmp_path / "out.json"
    with pytest.raises(UserError, match="1 --name, 0 --model"):
        local_charts(out, ["a"])
    with pytest.raises(UserError, match="--name cbow is given twice or taken"):
        local_charts(out, ["cbow"], [tmp_path])
    with pytest.raises(UserError, match="--word bank is given twice"):
        local_charts(out, ["a"], [tmp_path], None, ["bank", "bank"])
    with pytest.raises(UserError, match="nothing to chart: give --name and --model"):
        local_charts(out)


def test_cbow_vectors_alone_are_charted(tmp_path: Path):
    save_vectors(tmp_path / "cbow", WORDS, np.random.default_rng(0).normal(size=(160, 4)))
    local_charts(tmp_path / "out.json", cbow=tmp_path / "cbow", word=["w1"])
    assert set(read_json(tmp_path / "out.json")["charts"]) == {"cbow"}


@pytest.mark.parametrize("kind", ["word2vec.txt", "word2vec.txt.gz", "word2vec.bin", "glove.txt"])
def test_published_vectors_are_charted(kind: str, tmp_path: Path):
    made = random_vectors(1).astype(np.float32)
    path = tmp_path / kind
    keyed = KeyedVectors(made.shape[1])
    keyed.add_vectors(WORDS, made)
    header = not kind.startswith("glove")
    keyed.save_word2vec_format(str(path), binary=".bin" in kind, write_header=header)
    local_charts(tmp_path / "charts.json", vectors=[f"theirs={path}"], word=["w7"])
    found = read_json(tmp_path / "charts.json")["charts"]["theirs"]["w7"]
    expected = chart(WordVectors(WORDS, made), 7)
    assert [axis["words"] for axis in found["axes"]] == [a["words"] for a in expected["axes"]]


@pytest.mark.parametrize("content", ["", "3 2\na 1 2\n", "a x y\n"])
def test_a_file_without_vectors_is_named(content: str, tmp_path: Path):
    (tmp_path / "some.txt").write_text(content)
    with pytest.raises(UserError, match=r"some\.txt: no vectors of word2vec or GloVe"):
        local_charts(tmp_path / "charts.json", vectors=[f"theirs={tmp_path}/some.txt"], word=["a"])


def test_vectors_need_a_name(tmp_path: Path):
    with pytest.raises(UserError, match=r"--vectors some\.txt: write NAME=FILE"):
        local_charts(tmp_path / "charts.json", vectors=["some.txt"])
