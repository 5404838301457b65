import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.selection.kneser_ney import estimate
from contextnmt.selection.perplexity import encode, perplexity, perplexity_of
from contextnmt.selection.ranking import SCORED
from contextnmt.selection.word_ids import Vocabulary

GENERATOR = np.random.default_rng(1)
#: Every third line is like the dev text.
POOL = [
    " ".join(f"{'d' if number % 3 == 0 else 'w'}{word}" for word in GENERATOR.geometric(0.2, 8))
    for number in range(3000)
]
SCORES = [-1.0 if number % 3 == 0 else 1.0 for number in range(3000)]
DEV = [" ".join(f"d{word}" for word in GENERATOR.geometric(0.2, 8)) for _ in range(50)]
VOCABULARY = [f"d{number}" for number in range(1, 10)]


def run(folder: Path, shards: int, cut_offs: list[int], seed: int = 1) -> dict[str, Any]:
    texts, scores = [], []
    for number, lines in enumerate(np.array_split(np.arange(len(POOL)), shards)):
        texts.append(folder / f"web.{number}.fr.gz")
        scores.append(folder / f"web.{number}.npy")
        write_lines(texts[-1], [POOL[line] for line in lines])
        np.save(scores[-1], np.array([(SCORES[line], 8) for line in lines], SCORED))
    write_lines(folder / "words.txt", VOCABULARY)
    write_lines(folder / "dev.fr", DEV)
    out = folder / "perplexity.json"
    perplexity(texts, scores, folder / "words.txt", [folder / "dev.fr"], cut_offs, seed, out)
    content: dict[str, Any] = json.loads(out.read_text())
    return content


def test_selected_text_is_nearer_to_the_dev_text(tmp_path: Path) -> None:
    report = run(tmp_path, 1, [400, 2000, 8000])
    assert report["dev_words"] == 400
    assert [cut_off["target_words"] for cut_off in report["cut_offs"]] == [400, 2000, 8000]
    for cut_off in report["cut_offs"]:
        pairs = cut_off["target_words"] // 8
        assert cut_off["selected"]["pairs"] == cut_off["random"]["pairs"] == pairs
        assert cut_off["selected"]["perplexity"] < cut_off["random"]["perplexity"]


def test_the_figures_are_those_of_models_of_the_lines(tmp_path: Path) -> None:
    vocabulary = Vocabulary(VOCABULARY)
    best = vocabulary.encode(POOL[: 3 * 50 : 3])
    dev = vocabulary.encode(DEV)
    model = estimate(best, len(vocabulary))
    log10 = model.log10_probabilities(dev).sum()
    expected = math.exp(-log10 * math.log(10) / (50 * 9))  # eight words and an end each
    found = run(tmp_path, 1, [400])["cut_offs"][0]["selected"]["perplexity"]
    assert found == pytest.approx(expected)
    assert found == pytest.approx(perplexity_of(model, dev))


def test_shards_and_other_cut_offs_make_no_difference(tmp_path: Path) -> None:
    whole = run(tmp_path / "1", 1, [8000, 400])
    assert whole == run(tmp_path / "3", 3, [8000, 400])
    assert whole == run(tmp_path / "8", 8, [400, 8000])
    assert whole["cut_offs"][:1] == run(tmp_path / "1", 1, [400])["cut_offs"]


def test_another_seed_draws_other_pairs(tmp_path: Path) -> None:
    first, second = (run(tmp_path, 1, [400], seed)["cut_offs"][0] for seed in (1, 2))
    assert first["selected"] == second["selected"]
    assert first["random"] != second["random"]


def test_a_long_text_is_encoded_in_blocks() -> None:
    vocabulary = Vocabulary(VOCABULARY)
    lines = (POOL * 3)[:8500]
    found, expected = encode(lines, vocabulary), vocabulary.encode(lines)
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert encode([], vocabulary).offsets.tolist() == [0]


def test_a_text_shorter_than_its_scores_is_refused(tmp_path: Path) -> None:
    run(tmp_path, 1, [400])
    write_lines(tmp_path / "web.0.fr.gz", POOL[:10])
    arguments = [[tmp_path / "web.0.fr.gz"], [tmp_path / "web.0.npy"], tmp_path / "words.txt"]
    with pytest.raises(UserError, match="fewer lines"):
        perplexity(*arguments, [tmp_path / "dev.fr"], [400], 1, tmp_path / "out.json")
