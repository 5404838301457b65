import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.selection.language_model import Vocabulary, estimate
from contextnmt.selection.perplexity import perplexity
from contextnmt.selection.rank import rank
from contextnmt.selection.select import SCORED

GENERATOR = np.random.default_rng(1)
#: Every third line is like the dev text.
POOL = [
    " ".join(f"{'d' if number % 3 == 0 else 'w'}{word}" for word in GENERATOR.geometric(0.2, 8))
    for number in range(3000)
]
SCORES = [-1.0 if number % 3 == 0 else 1.0 for number in range(3000)]
DEV = [" ".join(f"d{word}" for word in GENERATOR.geometric(0.2, 8)) for _ in range(50)]
VOCABULARY = [f"d{number}" for number in range(1, 10)]


class Pool:
    """A pool in so many parts, the last of them empty, of which so many target words are kept."""

    def __init__(self, folder: Path, shards: int, words: int, lines: Sequence[str] = POOL) -> None:
        self.folder = folder
        self.texts = [folder / f"web.{number}.fr.gz" for number in range(shards + 1)]
        self.scores = [folder / f"web.{number}.scores.npy" for number in range(shards + 1)]
        bounds = [len(lines) * number // shards for number in range(shards + 1)] + [len(lines)]
        for number, (begin, end) in enumerate(pairwise(bounds)):
            write_lines(self.texts[number], lines[begin:end])
            scored = [(SCORES[line], 8) for line in range(begin, end)]
            np.save(self.scores[number], np.array(scored, SCORED))
        self.ranking = folder / "ranking.json"
        rank(self.scores, self.ranking, target_words=words)
        write_lines(folder / "words.txt", VOCABULARY)
        write_lines(folder / "dev.fr", DEV)

    def perplexity(self, seed: int = 1, most_words: int = 10**6) -> dict[str, Any]:
        out = self.folder / "perplexity.json"
        known, dev = self.folder / "words.txt", self.folder / "dev.fr"
        perplexity(self.texts, self.scores, self.ranking, known, [dev], most_words, seed, out)
        content: dict[str, Any] = json.loads(out.read_text())
        return content


@pytest.mark.parametrize("largest", [8000, 1600])
def test_selected_text_is_nearer_to_the_dev_text(tmp_path: Path, largest: int) -> None:
    report = Pool(tmp_path, 3, 8000).perplexity(most_words=largest)
    assert report["dev_words"] == 400
    assert report["kept_words"] >= 8000
    limits = [cut_off["target_words"] for cut_off in report["cut_offs"]]
    assert limits == [largest >> halved for halved in range(5, -1, -1)]
    for cut_off in report["cut_offs"]:
        pairs = -(-cut_off["target_words"] // 8)
        assert cut_off["selected"]["pairs"] == cut_off["random"]["pairs"] == pairs
        assert cut_off["selected"]["perplexity"] < cut_off["random"]["perplexity"]


def test_the_figures_are_those_of_models_of_the_lines(tmp_path: Path) -> None:
    vocabulary = Vocabulary(VOCABULARY)
    model = estimate(vocabulary.encode(POOL[: 3 * 50 : 3]), len(vocabulary))
    log10 = model.log10_probabilities(vocabulary.encode(DEV)).sum()
    expected = math.exp(-log10 * math.log(10) / (50 * 9))  # eight words and an end each
    first, second = (Pool(tmp_path, 1, 400).perplexity(seed)["cut_offs"][-1] for seed in (1, 2))
    assert first["selected"]["perplexity"] == pytest.approx(expected)
    assert first["selected"] == second["selected"]
    assert first["random"] != second["random"]


def test_a_cut_off_has_words(tmp_path: Path) -> None:
    """The first pair has 8: so the cut-offs are 1, 2, 4 and 8, and it makes up all of them."""
    report = Pool(tmp_path, 1, 1, POOL[:2]).perplexity()
    assert [cut_off["target_words"] for cut_off in report["cut_offs"]] == [1, 2, 4, 8]
    for cut_off in report["cut_offs"]:
        assert cut_off["selected"]["pairs"] == cut_off["random"]["pairs"] == 1
        assert cut_off["selected"]["perplexity"] > 1


@pytest.mark.parametrize("lines", [10, 1001])
def test_a_text_of_another_length_and_a_dev_text_without_words_are_refused(
    tmp_path: Path, lines: int
) -> None:
    pool = Pool(tmp_path, 3, 400)
    write_lines(pool.texts[1], POOL[:lines])
    with pytest.raises(UserError, match=r"web\.1\.fr\.gz: has another number .* its 1000 scores"):
        pool.perplexity()
    write_lines(tmp_path / "dev.fr", [""])
    with pytest.raises(UserError, match=r"dev\.fr: no words"):
        pool.perplexity()


def test_scores_and_texts_of_other_pools_are_refused(tmp_path: Path) -> None:
    pool = Pool(tmp_path, 3, 400)
    del pool.scores[0]
    with pytest.raises(UserError, match="4 --text, 3 --scores: give one"):
        pool.perplexity()
    del pool.texts[0]
    with pytest.raises(UserError, match=r"ranking\.json: made from another pool"):
        pool.perplexity()
