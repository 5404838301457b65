import math
import random
from pathlib import Path

import numpy as np
import pytest

from contextnmt.files import write_pairs
from contextnmt.selection import cross_entropy as stage
from contextnmt.selection.cross_entropy import DomainModels, cross_entropy
from contextnmt.selection.select import read_scores

Pair = tuple[str, str]


def generate(domain: str, count: int, seed: int) -> list[Pair]:
    """Pairs whose words are a letter and a number; those of two domains share some of them."""
    generator = random.Random(seed)
    pairs = []
    for _ in range(count):
        words = [
            f"{generator.choice([domain, 'x'])}{int(generator.expovariate(0.1))}"
            for _ in range(generator.randrange(1, 20))
        ]
        pairs.append((" ".join(words), " ".join(word.upper() for word in words)))
    return pairs


NEWS = generate("n", 300, 1)
POOL = [*generate("w", 5000, 2), ("", "X1"), ("x1", ""), *generate("n", 700, 3)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Prefixes of the models of both languages."""
    folder = tmp_path_factory.mktemp("models")
    prefixes = str(folder / "en"), str(folder / "fr")
    for side, prefix in enumerate(prefixes):
        general = [pair[side] for pair in POOL[:: len(POOL) // 300]]
        DomainModels.estimate([pair[side] for pair in NEWS], general).save(prefix)
    return prefixes


def scores(folder: Path, pairs: list[Pair], models: tuple[str, str]) -> np.ndarray:
    text = folder / "text.en.gz", folder / "text.fr.gz"
    write_pairs(*text, pairs)
    cross_entropy(*text, *models, folder / "scores.npy")
    return np.array(read_scores(folder / "scores.npy"))


def test_a_score_is_the_sum_over_both_languages(tmp_path: Path, models: tuple[str, str]) -> None:
    found = scores(tmp_path, POOL, models)
    assert 0 < (tmp_path / "scores.npy").stat().st_size - 12 * len(POOL) < 200
    best = np.argsort(found["score"])[:700]  # mostly pairs like the domain; by chance, 0.12
    assert (best >= len(POOL) - 700).mean() > 0.75
    source, target = map(DomainModels.load, models)
    expected = [
        source.cross_entropy_difference([pair[0]])[0]
        + target.cross_entropy_difference([pair[1]])[0]
        for pair in POOL[::50]
    ]
    np.testing.assert_allclose(found["score"][::50], np.concatenate(expected), rtol=1e-12)
    assert found["target_words"].tolist() == [len(pair[1].split()) for pair in POOL]


def test_a_pair_with_an_empty_side_has_no_score(tmp_path: Path, models: tuple[str, str]) -> None:
    found = scores(tmp_path, [("", "X1"), ("x1", "X1"), ("x1", " "), ("", "")], models)
    assert np.isfinite(found["score"]).tolist() == [False, True, False, False]
    assert found["score"][0] == math.inf
    assert found["target_words"].tolist() == [1, 1, 0, 0]
    assert scores(tmp_path, [], models).shape == (0,)


@pytest.mark.parametrize("block", [1, 5000])
def test_a_score_does_not_depend_on_the_pairs_around(
    tmp_path: Path, models: tuple[str, str], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = POOL[-1000:]
    expected = scores(tmp_path, pairs, models).tobytes()
    monkeypatch.setattr(stage, "BLOCK", block)
    assert scores(tmp_path, pairs, models).tobytes() == expected
