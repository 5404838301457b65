import json
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scored_parts import NEWS, WEB, Part, cut_up, write_part, write_scores

from contextnmt.errors import UserError
from contextnmt.selection.rank import BINS, rank

INFINITE = float("inf")


def run(folder: Path, parts: Sequence[Part], **limit: int) -> dict[str, Any]:
    """Rank the parts and return what is in the JSON file."""
    out = folder / "ranking.json"
    rank([part.scores for part in parts], out, **limit)
    content: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return content


@pytest.fixture
def parts(tmp_path: Path) -> list[Part]:
    return [write_part(tmp_path, "news", NEWS), write_part(tmp_path, "web.1of1", WEB)]


def test_the_lowest_scores_of_all_corpora_are_kept(tmp_path: Path, parts: list[Part]) -> None:
    report = run(tmp_path, parts, pairs=3)
    assert report["limit"] == {"pairs": 3}
    assert (report["threshold"], report["last"]) == (0.25, 2)  # of two at 0.25, the first
    assert report["kept"] == {"pairs": 3, "target_words": 11}
    assert (report["pairs"], report["without_score"]) == (7, 1)
    assert report["parts"] == {"news": 0, "web.1of1": 3}
    assert [entry["corpus"] for entry in report["best"]] == [
        "web", "news", "news", "web", "news", "web"
    ]  # fmt: skip


@pytest.mark.parametrize(("words", "pairs"), [(1, 1), (5, 1), (6, 2), (16, 6)])
def test_the_pair_that_reaches_the_words_is_in(
    tmp_path: Path, parts: list[Part], words: int, pairs: int
) -> None:
    report = run(tmp_path, parts, target_words=words)
    assert report["limit"] == {"target_words": words}
    assert report["kept"]["pairs"] == pairs
    assert report["kept"]["target_words"] >= words


def test_every_pair_with_a_score_is_in_the_histogram(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    values = [*generator.normal(size=2998).tolist(), 1000.0, INFINITE]
    scored = [(value, 1) for value in values]
    parts = [
        *cut_up(tmp_path, "news", scored[:1000], 3),
        *cut_up(tmp_path, "web", scored[1000:], 1),
    ]
    histogram = run(tmp_path, parts, pairs=5)["histogram"]
    assert {corpus: sum(pairs) for corpus, pairs in histogram["pairs"].items()} == {
        "news": 1000,
        "web": 1999,
    }
    edges = np.array(histogram["edges"])
    assert len(edges) == BINS + 1
    assert edges[-1] < 5  # one pair far off does not stretch the bins
    middle = np.searchsorted(np.sort(values[:1000]), edges[40:60])
    assert np.diff(middle).tolist() == histogram["pairs"]["news"][40:59]


def test_equal_scores_fall_into_one_bin(tmp_path: Path) -> None:
    report = run(tmp_path, cut_up(tmp_path, "news", [(1.0, 2)] * 5, 2), pairs=2)
    assert sorted(report["histogram"]["pairs"]["news"])[-2:] == [0, 5]
    assert (report["threshold"], report["last"]) == (1, 1)
    assert [entry["line"] for entry in report["best"]] == [1, 2, 3, 4, 5]


def test_totals_pass_the_range_of_32_bits(tmp_path: Path) -> None:
    path = write_scores(tmp_path / "news.scores.npy", [(0.0, 2**30)] * 4)
    rank([path], tmp_path / "ranking.json", target_words=3 * 2**30)
    kept = json.loads((tmp_path / "ranking.json").read_text())["kept"]
    assert kept == {"pairs": 3, "target_words": 3 * 2**30}


def test_a_pair_takes_the_memory_that_is_told(tmp_path: Path) -> None:
    pairs = 100_000
    values = np.random.default_rng(1).normal(size=pairs).tolist()
    path = write_scores(tmp_path / "web.scores.npy", [(value, 20) for value in values])
    tracemalloc.start()
    rank([path], tmp_path / "ranking.json", pairs=1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 8 * pairs < peak < 42 * pairs


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"pairs": 7}, "7 pairs are .* the pool has 6:"),
        ({"target_words": 17}, "17 target words are .* the pool has 16:"),
        ({}, "either --target-words or --pairs"),
        ({"pairs": 1, "target_words": 1}, "either --target-words or --pairs"),
    ],
)
def test_one_limit_that_the_pool_can_reach_is_needed(
    tmp_path: Path, parts: list[Part], limit: dict[str, int], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run(tmp_path, parts, **limit)
    assert not (tmp_path / "ranking.json").exists()
    with pytest.raises(UserError, match="the pool has 0"):
        run(tmp_path, cut_up(tmp_path, "none", [], 3), pairs=1)


def test_a_part_has_a_name_of_its_own(tmp_path: Path, parts: list[Part]) -> None:
    with pytest.raises(UserError, match=r"news\.scores\.npy: a second part of the name news"):
        run(tmp_path, [*parts, parts[0]], pairs=1)
    for name in ("news.npy", ".scores.npy"):
        path = write_scores(tmp_path / name, NEWS)
        with pytest.raises(UserError, match=r"call it PART\.scores\.npy"):
            rank([path], tmp_path / "ranking.json", pairs=1)


def test_files_that_are_no_scores_are_refused(tmp_path: Path) -> None:
    path = write_scores(tmp_path / "news.scores.npy", NEWS)
    np.save(tmp_path / "other.npy", np.zeros(3))
    whole = path.read_bytes()
    np.savez(tmp_path / "other.npz", np.zeros(3))
    archive = (tmp_path / "other.npz").read_bytes()
    # Headers that end too early, and with sizes that are none.
    headers = [
        whole.replace(b"(%d,)" % len(NEWS), shape, 1)
        for shape in (b"((((", b"(%d,)" % 10**30, b"(True,)", b"(-1,)")
    ]
    other = (tmp_path / "other.npy").read_bytes()
    for content in (b"", b"1\n2\n", whole[:-5], other, archive, archive[:50], *headers):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"news\.scores\.npy: not a file of scores"):
            rank([path], tmp_path / "ranking.json", pairs=1)
    path.unlink()
    with pytest.raises(UserError, match=r"news\.scores\.npy: no such file"):
        rank([path], tmp_path / "ranking.json", pairs=1)
