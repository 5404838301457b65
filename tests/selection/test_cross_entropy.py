import math
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from contextnmt.files import read_pairs, write_lines, write_pairs
from contextnmt.selection import cross_entropy as stage
from contextnmt.selection.cross_entropy import cross_entropy
from contextnmt.selection.language_models import DomainModels, language_models
from contextnmt.selection.rank import rank
from contextnmt.selection.ranking import read_scores
from contextnmt.selection.sample import sample
from contextnmt.selection.select import select

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


def test_shards_make_no_difference(tmp_path: Path) -> None:
    """From the pool to the training text, byte for byte; the last part is empty."""
    for side, language in enumerate(("en", "fr")):
        write_lines(tmp_path / f"news.{language}", [pair[side] for pair in NEWS])
    outputs = []
    for shards in (1, 3, 8):
        folder = tmp_path / str(shards)
        bounds = [len(POOL) * number // shards for number in range(shards + 1)] + [len(POOL)]
        texts = [
            (folder / f"web.{number}.en.gz", folder / f"web.{number}.fr.gz")
            for number in range(shards + 1)
        ]
        for text, (begin, end) in zip(texts, pairwise(bounds), strict=True):
            write_pairs(*text, POOL[begin:end])
        drawn = folder / "sample.en.gz", folder / "sample.fr.gz"
        source, target = map(list, zip(*texts, strict=True))
        sample(source, target, [tmp_path / "news.fr"], *drawn, seed=1)
        for language, general in zip(("en", "fr"), drawn, strict=True):
            language_models([tmp_path / f"news.{language}"], general, str(folder / language))
        scored = [folder / f"web.{number}.scores.npy" for number in range(shards + 1)]
        for text, out in zip(texts, scored, strict=True):
            cross_entropy(*text, str(folder / "en"), str(folder / "fr"), out)
        rank(scored, folder / "ranking.json", target_words=5000)
        selected = []
        for number, (text, of_text) in enumerate(zip(texts, scored, strict=True)):
            names = ("en.gz", "fr.gz", "en.tsv.gz", "fr.tsv.gz", "json")
            outs = [folder / f"selected.{number}.{name}" for name in names]
            select(*text, *outs, of_text, folder / "ranking.json")
            selected += read_pairs(*outs[:2])
        outputs.append(([path.read_bytes() for path in drawn], selected))
    assert outputs[0] == outputs[1] == outputs[2]
    assert 0 < len(outputs[0][1]) < len(POOL)
