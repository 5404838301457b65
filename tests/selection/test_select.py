import gzip
import json
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextnmt.errors import UserError
from contextnmt.files import read_lines, read_pairs, write_pairs
from contextnmt.selection.pool import EXAMPLES
from contextnmt.selection.ranking import BINS, SCORED
from contextnmt.selection.select import select

NEWS = [("a b a", "é"), ("c\u200bd b", "f g g")]
EUROPARL = [("b", "g é"), ("", "z"), ("b a", "é")]


@pytest.fixture
def outs(tmp_path: Path) -> list[Path]:
    return [tmp_path / name for name in ("train.en.gz", "train.fr.gz", "counts.en.tsv", "c.fr.tsv")]


def write(folder: Path, name: str, pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    sides = folder / f"{name}.en.gz", folder / f"{name}.fr.gz"
    write_pairs(*sides, pairs)
    return sides


def test_all_pairs_pass_in_order_and_are_counted(tmp_path: Path, outs: list[Path]) -> None:
    news, europarl = write(tmp_path, "news", NEWS), write(tmp_path, "europarl", EUROPARL)
    select([news[0], europarl[0]], [news[1], europarl[1]], *outs)
    assert list(read_pairs(outs[0], outs[1])) == NEWS + EUROPARL
    assert outs[2].read_text() == "b\t4\na\t3\nc\u200bd\t1\n"
    assert outs[3].read_text() == "g\t3\né\t3\nf\t1\nz\t1\n"


def test_the_counts_are_those_of_the_text(tmp_path: Path, outs: list[Path]) -> None:
    words = [str(n * n % 97) for n in range(2000)]
    text = [(" ".join(words[n : n + 7]), words[n]) for n in range(0, 2000, 7)]
    source, target = write(tmp_path, "text", text)
    select([source], [target], *outs)
    entries = [line.split("\t") for line in read_lines(outs[2])]
    assert {word: int(count) for word, count in entries} == Counter(words)
    assert entries == sorted(entries, key=lambda entry: (-int(entry[1]), entry[0]))


def test_the_same_text_gives_the_same_bytes(tmp_path: Path, outs: list[Path]) -> None:
    source, target = write(tmp_path, "news", NEWS)
    again = [tmp_path / "again" / path.name for path in outs]
    select([source], [target], *outs)
    select([source], [target], *again)
    assert [path.read_bytes() for path in outs] == [path.read_bytes() for path in again]
    assert gzip.decompress(outs[0].read_bytes()).endswith(b"\n")


def test_every_corpus_needs_both_sides(tmp_path: Path, outs: list[Path]) -> None:
    source, target = write(tmp_path, "news", NEWS)
    with pytest.raises(UserError, match="--source is given 2 times and --target 1 times"):
        select([source, source], [target], *outs)


def test_sides_of_unequal_length_leave_nothing(tmp_path: Path, outs: list[Path]) -> None:
    source, _ = write(tmp_path, "news", NEWS)
    _, target = write(tmp_path, "europarl", EUROPARL)
    with pytest.raises(UserError, match=r"has 2 lines and .* has 3"):
        select([source], [target], *outs)
    assert not any(path.exists() for path in outs)


# Selection by scores

Scored = tuple[float, int]  # a pair's score and its words on the target side


def score(folder: Path, name: str, scored: Sequence[Scored]) -> Path:
    path = folder / f"{name}.scores.npy"
    np.save(path, np.array(scored, SCORED))
    return path


def pool(folder: Path, name: str, scored: Sequence[Scored]) -> tuple[Path, Path, Path]:
    """A corpus with these scores, which are also its source side."""
    pairs = [(str(score), " ".join(["w"] * words)) for score, words in scored]
    return *write(folder, name, pairs), score(folder, name, scored)


def selected(outs: list[Path]) -> list[str]:
    return list(read_lines(outs[0]))


def run(parts: Sequence[tuple[Path, Path, Path]], outs: list[Path], **limit: int) -> dict[str, Any]:
    """Select from parts with scores and return what is in the JSON file."""
    source, target, scores = map(list, zip(*parts, strict=True))
    report = outs[0].with_name("selection.json")
    select(source, target, *outs, selection_out=report, scores=scores, **limit)
    content: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return content


NEWS_SCORES = [(0.5, 3), (-1.0, 2), (0.25, 4)]
WEB_SCORES = [(0.25, 1), (float("inf"), 0), (-2.0, 5), (3.0, 1)]


def test_the_lowest_scores_of_all_corpora_are_kept(tmp_path: Path, outs: list[Path]) -> None:
    parts = [pool(tmp_path, "news", NEWS_SCORES), pool(tmp_path, "web", WEB_SCORES)]
    report = run(parts, outs, pairs=3)  # of the two at 0.25, the first
    assert selected(outs) == ["-1.0", "0.25", "-2.0"]
    assert outs[3].read_text() == "w\t11\n"
    assert report["limit"] == {"pairs": 3}
    assert report["threshold"] == 0.25
    assert report["without_score"] == 1
    assert report["corpora"] == {
        "news": {
            "read": {"pairs": 3, "source_words": 3, "target_words": 9},
            "kept": {"pairs": 2, "source_words": 2, "target_words": 6},
        },
        "web": {
            "read": {"pairs": 4, "source_words": 4, "target_words": 7},
            "kept": {"pairs": 1, "source_words": 1, "target_words": 5},
        },
    }


@pytest.mark.parametrize(("words", "pairs"), [(1, 1), (5, 1), (6, 2), (7, 2), (8, 3), (16, 6)])
def test_the_pair_that_reaches_the_words_is_in(
    tmp_path: Path, outs: list[Path], words: int, pairs: int
) -> None:
    parts = [pool(tmp_path, "news", NEWS_SCORES), pool(tmp_path, "web", WEB_SCORES)]
    run(parts, outs, target_words=words)
    assert len(selected(outs)) == pairs


def test_the_best_and_the_worst_pairs_are_told(tmp_path: Path, outs: list[Path]) -> None:
    scores = [float(n * 37 % 101) for n in range(101)]
    parts = [
        pool(tmp_path, "news", [(value, 1) for value in scores[:40]]),
        pool(tmp_path, "web", [(value, 1) for value in scores[40:]]),
    ]
    report = run(parts, outs, pairs=50)
    assert [entry["score"] for entry in report["best"]] == list(range(EXAMPLES))
    assert [entry["score"] for entry in report["worst"]] == list(range(100, 100 - EXAMPLES, -1))
    for entry in report["best"] + report["worst"]:
        begin = {"news": 0, "web": 40}[entry["corpus"]]
        assert scores[begin + entry["line"] - 1] == entry["score"]
        assert (entry["source"], entry["target"]) == (str(entry["score"]), "w")


def test_every_pair_with_a_score_is_in_the_histogram(tmp_path: Path, outs: list[Path]) -> None:
    generator = np.random.default_rng(1)
    values = [*generator.normal(size=2998).tolist(), 1000.0, float("inf")]
    parts = [
        pool(tmp_path, "news", [(value, 1) for value in values[:1000]]),
        pool(tmp_path, "web", [(value, 1) for value in values[1000:]]),
    ]
    histogram = run(parts, outs, pairs=5)["histogram"]
    assert {corpus: sum(pairs) for corpus, pairs in histogram["pairs"].items()} == {
        "news": 1000,
        "web": 1999,
    }
    edges = np.array(histogram["edges"])
    assert len(edges) == BINS + 1
    assert edges[-1] < 5  # one pair far off does not stretch the bins
    middle = np.searchsorted(np.sort(values[:1000]), edges[40:60])
    assert np.diff(middle).tolist() == histogram["pairs"]["news"][40:59]


def test_equal_scores_fall_into_one_bin(tmp_path: Path, outs: list[Path]) -> None:
    report = run([pool(tmp_path, "news", [(1.0, 2)] * 5)], outs, pairs=2)
    assert sum(report["histogram"]["pairs"]["news"]) == 5
    assert report["threshold"] == 1
    assert [entry["line"] for entry in report["best"]] == [1, 2, 3, 4, 5]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), st.integers(1, 5)), min_size=1),
    st.data(),
)
def test_shards_make_no_difference(
    tmp_path_factory: pytest.TempPathFactory, scored: list[Scored], data: st.DataObject
) -> None:
    limit = data.draw(st.integers(1, sum(words for _, words in scored)))
    files = []
    for shards in (1, 3, 8):
        folder = tmp_path_factory.mktemp("shards")
        bounds = np.linspace(0, len(scored), shards + 1).astype(int)
        parts = [
            pool(folder, f"news.{number}", scored[begin:end])
            for number, (begin, end) in enumerate(pairwise(bounds))
        ]
        outs = [folder / name for name in ("o.en.gz", "o.fr.gz", "c.en.tsv", "c.fr.tsv")]
        run(parts, outs, target_words=limit)
        files.append([path.read_bytes() for path in [*outs, folder / "selection.json"]])
    assert files[0] == files[1] == files[2]
    ranking = sorted(range(len(scored)), key=lambda number: scored[number][0])
    totals = list(accumulate(scored[number][1] for number in ranking))
    count = 1 + next(place for place, total in enumerate(totals) if total >= limit)
    expected = [str(scored[number][0]) for number in sorted(ranking[:count])]
    assert gzip.decompress(files[0][0]).decode().split() == expected


def test_without_scores_the_amounts_are_told(tmp_path: Path, outs: list[Path]) -> None:
    source, target = write(tmp_path, "news", NEWS)
    select([source], [target], *outs, selection_out=tmp_path / "selection.json")
    amounts = {"pairs": 2, "source_words": 5, "target_words": 4}
    assert json.loads((tmp_path / "selection.json").read_text()) == {
        "corpora": {"news": {"read": amounts, "kept": amounts}}
    }


@pytest.mark.parametrize("limit", [{"pairs": 7}, {"target_words": 17}])
def test_a_pool_too_small_is_refused(
    tmp_path: Path, outs: list[Path], limit: dict[str, int]
) -> None:
    parts = [pool(tmp_path, "news", NEWS_SCORES), pool(tmp_path, "web", WEB_SCORES)]
    with pytest.raises(UserError, match=r"(7 pairs|17 target words) are .* the pool has (6|16):"):
        run(parts, outs, **limit)
    assert not any(path.exists() for path in outs)


@pytest.mark.parametrize("count", [2, 4])
def test_scores_of_another_text_are_refused(tmp_path: Path, outs: list[Path], count: int) -> None:
    source, target, _ = pool(tmp_path, "news", NEWS_SCORES)
    scores = score(tmp_path, "other", [(0.5, 1)] * count)
    with pytest.raises(UserError, match=rf"news.*another number of lines than its {count} scores"):
        run([(source, target, scores)], outs, pairs=1)
    assert not any(path.exists() for path in outs)


@pytest.mark.parametrize("limit", [{}, {"pairs": 1, "target_words": 1}])
def test_scores_need_one_limit(tmp_path: Path, outs: list[Path], limit: dict[str, int]) -> None:
    with pytest.raises(UserError, match="needs --scores and one limit"):
        run([pool(tmp_path, "news", NEWS_SCORES)], outs, **limit)


def test_a_limit_needs_scores(tmp_path: Path, outs: list[Path]) -> None:
    source, target = write(tmp_path, "news", NEWS)
    with pytest.raises(UserError, match="needs --scores and one limit"):
        select([source], [target], *outs, pairs=1)


def test_every_corpus_needs_scores(tmp_path: Path, outs: list[Path]) -> None:
    source, target, scores = pool(tmp_path, "news", NEWS_SCORES)
    with pytest.raises(UserError, match="--source is given 2 times and --scores 1 times"):
        select([source] * 2, [target] * 2, *outs, scores=[scores], pairs=1)


def test_files_that_are_no_scores_are_refused(tmp_path: Path, outs: list[Path]) -> None:
    source, target, scores = pool(tmp_path, "news", NEWS_SCORES)
    np.save(tmp_path / "other.npy", np.zeros(3))
    whole = scores.read_bytes()
    for content in (b"", b"1\n2\n", whole[:-5], (tmp_path / "other.npy").read_bytes()):
        scores.write_bytes(content)
        with pytest.raises(UserError, match=r"news\.scores\.npy: not a file of scores"):
            run([(source, target, scores)], outs, pairs=1)
    scores.unlink()
    with pytest.raises(UserError, match=r"news\.scores\.npy: no such file"):
        run([(source, target, scores)], outs, pairs=1)
