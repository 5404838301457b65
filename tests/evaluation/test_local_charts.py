import gzip
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from saved_models import save_model, save_vectors

from contextnmt.errors import UserError
from contextnmt.evaluation.cbow import WordVectors
from contextnmt.evaluation.local_charts import chart, local_charts
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


@pytest.mark.parametrize("seed", range(3))
def test_charts_are_those_of_the_procedure_wherever_the_space_lies(seed: int):
    vectors = random_vectors(seed)
    random = np.random.default_rng(seed + 1)
    turn, _ = np.linalg.qr(random.normal(size=(8, 8)))
    moved = vectors @ turn + random.normal(size=8)
    found, other = (chart(WordVectors(WORDS, each), seed)["axes"] for each in (vectors, moved))
    for axis, turned, rows in zip(found, other, by_the_book(vectors, seed), strict=True):
        words = [WORDS[n] for n in rows]
        assert WORDS[seed] in axis["words"]
        assert axis["words"] in (words, words[::-1])  # PCA leaves the sign open
        assert turned["words"] in (words, words[::-1])
        assert axis["variance_percent"] == pytest.approx(turned["variance_percent"])


def test_the_order_of_sums_changes_no_digit():
    """Another number of threads adds in another order."""
    vectors = random_vectors(2)
    found, other = (chart(WordVectors(WORDS, each), 2) for each in (vectors, vectors[:, ::-1]))
    assert found["axes"] == other["axes"]
    for neighbour, again in zip(found["neighbours"], other["neighbours"], strict=True):
        assert neighbour["position"] == again["position"]


def test_the_word_is_first_and_in_the_middle():
    vectors = random_vectors(1)
    vectors[3] = vectors[90]  # a word with the same vector comes before it in the vocabulary
    found = chart(WordVectors(WORDS, vectors), 90)
    words, distances, positions = zip(*map(dict.values, found["neighbours"]), strict=True)
    assert words[:2] == ("w90", "w3")
    assert (distances[0], positions[0]) == (0, [0, 0])
    assert len(words) == len(set(words)) == 100
    assert list(distances) == sorted(distances)
    shares = [axis["variance_percent"] for axis in found["axes"]]
    assert 100 > shares[0] > shares[1] > 0


def test_vectors_that_are_all_equal_have_a_chart():
    found = chart(WordVectors(WORDS, np.ones((160, 3))), 4)
    assert [axis["variance_percent"] for axis in found["axes"]] == [0, 0]
    assert all("w4" in axis["words"] for axis in found["axes"])


def test_models_and_cbow_vectors_are_charted(tmp_path: Path):
    words = [*WORDS, "notebook"]
    save_model(tmp_path / "model", words)
    save_model(tmp_path / "few", words[:99])
    save_vectors(tmp_path / "cbow", words, np.random.default_rng(0).normal(size=(161, 4)))
    models = [tmp_path / "model", tmp_path / "few"]
    for out in (tmp_path / "a.json", tmp_path / "b.json"):
        local_charts(out, ["baseline", "few"], models, tmp_path / "cbow", ["notebook", "w1", "x"])
    content = read_json(tmp_path / "a.json")
    assert content["words"] == ["notebook", "w1", "x"]
    few = content["charts"].pop("few")
    assert few["w1"] == {"gap": "a vocabulary of 99 words: a chart has 100"}
    assert set(content["charts"]) == {"baseline", "cbow"}
    for charts in content["charts"].values():
        assert charts["notebook"]["neighbours"][0]["word"] == "notebook"
        assert charts["x"] == {"gap": "not among the 161 words of the vocabulary"}
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_the_words_of_the_paper_are_charted_in_cbow_vectors_alone(tmp_path: Path):
    save_vectors(tmp_path, WORDS, random_vectors(0))
    local_charts(tmp_path / "out.json", cbow=tmp_path)
    content = read_json(tmp_path / "out.json")
    assert content["words"] == ["notebook", "power"] and set(content["charts"]) == {"cbow"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([["a"]], "1 --name, 0 --model"),
        ([["cbow"], [Path("a")]], "--name cbow is given twice or taken"),
        ([["a"], [Path("a")], None, ["bank", "bank"]], "--word bank is given twice"),
        ([], "nothing to chart: give --name and --model"),
    ],
)
def test_names_and_words_come_once(tmp_path: Path, options: list, message: str):
    with pytest.raises(UserError, match=message):
        local_charts(tmp_path / "out.json", *options)


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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("some.txt", b""),
        ("some.txt", b"3 2\na 1 2\n"),
        ("some.txt", b"1 2\na 1 2\nb 1 2\n"),  # word2vec leaves out the rest
        ("some.txt", b"a x y\n"),
        ("some.txt", b"a 1 nan\n"),
        ("some.txt", b"a\n"),
        ("some.txt", bytes(1000)),
        ("some.txt.gz", b"a 1 2\n"),
        ("some.txt.gz", gzip.compress(b"a 1 2\n")[:-9]),
        ("some.bin", b"9" * 30 + b" 1\na 1234"),
    ],
)
def test_a_file_without_vectors_is_named(name: str, content: bytes, tmp_path: Path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=rf"{name}: no vectors of word2vec or GloVe"):
        local_charts(tmp_path / "charts.json", vectors=[f"theirs={tmp_path}/{name}"], word=["a"])


def test_vectors_need_a_name(tmp_path: Path):
    with pytest.raises(UserError, match=r"--vectors some\.txt: write NAME=FILE"):
        local_charts(tmp_path / "charts.json", vectors=["some.txt"])


@pytest.mark.parametrize("content", ["a 1 2\nb 1\n", "2 2\na 1 2\n. . 1 2\n"])
def test_a_row_of_another_length_is_named(content: str, tmp_path: Path):
    (tmp_path / "some.txt").write_text(content)
    with pytest.raises(UserError, match=r"some\.txt, vector 2: \d numbers where the first has 2"):
        local_charts(tmp_path / "charts.json", vectors=[f"theirs={tmp_path}/some.txt"], word=["a"])
