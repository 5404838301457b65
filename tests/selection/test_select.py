import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scored_parts import NEWS, WEB, Part, Scored, cut_up, write_part, write_scores

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, read_pairs, write_json, write_lines, write_pairs
from contextnmt.selection import select as stage
from contextnmt.selection.rank import rank
from contextnmt.selection.select import select
from contextnmt.selection.word_counts import word_counts

PAIRS = [("a b a", "é"), ("c\u200bd b", "f g g"), ("b", "")]
NAMES = ("out.en.gz", "out.fr.gz", "out.en.tsv.gz", "out.fr.tsv.gz", "out.json")


@pytest.fixture
def outs(tmp_path: Path) -> list[Path]:
    return [tmp_path / name for name in NAMES]


@pytest.fixture
def text(tmp_path: Path) -> tuple[Path, Path]:
    sides = tmp_path / "news.en.gz", tmp_path / "news.fr.gz"
    write_pairs(*sides, PAIRS)
    return sides


def ranked(folder: Path, parts: list[Part], **limit: int) -> Path:
    """The ranking of a pool."""
    out = folder / "ranking.json"
    rank([part.scores for part in parts], out, **limit)
    return out


def test_all_pairs_pass_in_order_and_are_counted(text: tuple[Path, Path], outs: list[Path]) -> None:
    select(*text, *outs)
    assert list(read_pairs(outs[0], outs[1])) == PAIRS
    assert list(read_lines(outs[2])) == ["b\t3", "a\t2", "c\u200bd\t1"]
    assert list(read_lines(outs[3])) == ["g\t2", "f\t1", "é\t1"]
    amounts = {"pairs": 3, "source_words": 6, "target_words": 4}
    assert read_json(outs[4]) == {"read": amounts, "kept": amounts, "examples": {}}


@pytest.mark.parametrize("block", [1, 7, 4096])
def test_the_counts_are_those_of_the_text(
    tmp_path: Path, outs: list[Path], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [str(n * n % 97) for n in range(2000)]
    lines = [" ".join(words[n : n + 7]) for n in range(0, 2000, 7)]
    write_lines(tmp_path / "text", lines)
    monkeypatch.setattr(stage, "BLOCK", block)
    select(tmp_path / "text", tmp_path / "text", *outs)
    entries = [line.split("\t") for line in read_lines(outs[2])]
    assert {word: int(count) for word, count in entries} == Counter(words)
    assert entries == sorted(entries, key=lambda entry: (-int(entry[1]), entry[0]))
    assert read_json(outs[4])["kept"]["source_words"] == 2000


def test_the_same_text_gives_the_same_bytes(
    tmp_path: Path, text: tuple[Path, Path], outs: list[Path]
) -> None:
    again = [tmp_path / "again" / path.name for path in outs]
    select(*text, *outs)
    select(*text, *again)
    assert [path.read_bytes() for path in outs] == [path.read_bytes() for path in again]


def test_sides_of_unequal_length_leave_nothing(text: tuple[Path, Path], outs: list[Path]) -> None:
    write_lines(text[1], ["a", "b"])
    with pytest.raises(UserError, match=r"has 3 lines and .* has 2"):
        select(*text, *outs)
    assert not any(path.exists() for path in outs)


def test_of_equal_scores_the_first_of_the_pool_is_kept(tmp_path: Path, outs: list[Path]) -> None:
    parts = [write_part(tmp_path, "news", NEWS), write_part(tmp_path, "web", WEB)]
    ranking = ranked(tmp_path, parts, pairs=3)
    for part, kept in zip(parts, (["-1.0", "0.25"], ["-2.0"]), strict=True):
        select(part.source, part.target, *outs, part.scores, ranking)
        assert list(read_lines(outs[0])) == kept
    assert read_json(outs[4])["read"] == {"pairs": 4, "source_words": 4, "target_words": 7}
    assert read_json(outs[4])["kept"] == {"pairs": 1, "source_words": 1, "target_words": 5}
    assert list(read_lines(outs[3])) == ["w\t5"]


def test_the_best_and_the_worst_pairs_are_shown(tmp_path: Path, outs: list[Path]) -> None:
    scored = [(float(number * 37 % 101), 1) for number in range(101)]
    parts = cut_up(tmp_path, "news", scored, 3)
    ranking = ranked(tmp_path, parts, pairs=1)
    shown: dict[str, Any] = {}
    for part in parts:
        select(part.source, part.target, *outs, part.scores, ranking)
        shown |= read_json(outs[4])["examples"]
    report = read_json(ranking)
    assert shown == {
        str(entry["position"]): {"source": str(entry["score"]), "target": "w"}
        for entry in report["best"] + report["worst"]
    }


@pytest.mark.parametrize("block", [1, 7])
def test_blocks_make_no_difference(
    tmp_path: Path, outs: list[Path], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored = [(float(number % 3), 1) for number in range(50)]
    parts = [write_part(tmp_path, "news", NEWS), write_part(tmp_path, "web", scored)]
    ranking = ranked(tmp_path, parts, pairs=30)
    found = []
    for size in (4096, block):
        monkeypatch.setattr(stage, "BLOCK", size)
        select(parts[1].source, parts[1].target, *outs, parts[1].scores, ranking)
        found.append([path.read_bytes() for path in outs])
    assert found[0] == found[1]
    assert list(read_lines(outs[0])).count("1.0") == 10  # of 17


class Selected:
    """Files that select and word-counts make of a pool in so many parts."""

    def __init__(self, folder: Path, news: list[Scored], shards: int, words: int) -> None:
        parts = [*cut_up(folder, "news", news, shards), *cut_up(folder, "web", WEB, shards)]
        ranking = ranked(folder, parts, target_words=words)
        outs = [[folder / f"{number}.{name}" for name in NAMES] for number in range(len(parts))]
        for part, files in zip(parts, outs, strict=True):
            select(part.source, part.target, *files, part.scores, ranking)
        source, target, *counts, reports = zip(*outs, strict=True)
        self.text = [
            b"".join(gzip.decompress(p.read_bytes()) for p in side) for side in (source, target)
        ]
        self.counts = []
        for side in counts:
            word_counts(list(side), folder / "counts.tsv")
            self.counts.append((folder / "counts.tsv").read_bytes())
        self.amounts: Counter[tuple[str, str]] = Counter()
        self.examples: dict[str, Any] = {}
        for report in map(read_json, reports):
            self.examples |= report["examples"]
            for kind in ("read", "kept"):
                self.amounts.update({(kind, unit): n for unit, n in report[kind].items()})


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([-1.0, 0.25, 0.5, float("inf")]), st.integers(1, 5))),
    st.data(),
)
def test_shards_make_no_difference(
    tmp_path_factory: pytest.TempPathFactory, news: list[Scored], data: st.DataObject
) -> None:
    """With few pairs, some of the parts are empty."""
    pool = [*news, *WEB]
    finite = [number for number in range(len(pool)) if pool[number][0] < float("inf")]
    words = data.draw(st.integers(1, sum(pool[number][1] for number in finite)))
    whole, *others = (
        Selected(tmp_path_factory.mktemp("shards"), news, shards, words) for shards in (1, 3, 8)
    )
    for other in others:
        assert vars(other) == vars(whole)
    kept: list[int] = []
    for number in sorted(finite, key=lambda number: pool[number][0]):
        if sum(pool[one][1] for one in kept) < words:
            kept.append(number)
    assert whole.text[0].decode().split() == [str(pool[number][0]) for number in sorted(kept)]
    assert whole.amounts["kept", "pairs"] == len(kept)
    assert whole.counts[1] == f"w\t{sum(pool[number][1] for number in kept)}\n".encode()


@pytest.mark.parametrize("given_one", ["scores", "ranking"])
def test_scores_and_a_ranking_go_together(tmp_path: Path, outs: list[Path], given_one: str) -> None:
    part = write_part(tmp_path, "news", NEWS)
    paths = {"scores": part.scores, "ranking": ranked(tmp_path, [part], pairs=1)}
    with pytest.raises(UserError, match="both --scores and --ranking"):
        select(part.source, part.target, *outs, **{given_one: paths[given_one]})


def test_a_part_that_was_not_ranked_is_refused(tmp_path: Path, outs: list[Path]) -> None:
    parts = [write_part(tmp_path, name, NEWS) for name in ("news", "web")]
    ranking = ranked(tmp_path, parts[:1], pairs=1)
    with pytest.raises(UserError, match=r"ranking\.json: has no part web: rank all parts"):
        select(parts[1].source, parts[1].target, *outs, parts[1].scores, ranking)
    assert not any(path.exists() for path in outs)


@pytest.mark.parametrize("pairs", [2, 4])
def test_scores_of_another_text_are_refused(tmp_path: Path, outs: list[Path], pairs: int) -> None:
    part = write_part(tmp_path, "news", NEWS)
    write_scores(part.scores, (NEWS * 2)[:pairs])
    ranking = ranked(tmp_path, [part], pairs=1)
    with pytest.raises(UserError, match=rf"news\.en\.gz: has 3 lines and {pairs} scores"):
        select(part.source, part.target, *outs, part.scores, ranking)
    assert not any(path.exists() for path in outs)


def test_scores_changed_after_the_ranking_are_refused(tmp_path: Path, outs: list[Path]) -> None:
    parts = [write_part(tmp_path, "news", NEWS), write_part(tmp_path, "web", WEB)]
    ranking = ranked(tmp_path, parts, pairs=1)
    part = write_part(tmp_path, "news", NEWS[:2])
    with pytest.raises(UserError, match=r"ranking\.json: of other scores than .*news\.scores"):
        select(part.source, part.target, *outs, part.scores, ranking)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: [],
        lambda content: None,
        lambda content: {**content, "parts": [0]},
        lambda content: {**content, "parts": {"news": None}},
        lambda content: {**content, "threshold": "low"},
        lambda content: {**content, "best": [{"line": 1}]},
        lambda content: {key: value for key, value in content.items() if key != "last"},
    ],
)
def test_a_malformed_ranking_is_refused(
    tmp_path: Path, outs: list[Path], spoil: Callable[[Any], Any]
) -> None:
    part = write_part(tmp_path, "news", NEWS)
    ranking = ranked(tmp_path, [part], pairs=1)
    write_json(ranking, spoil(json.loads(ranking.read_text())))
    with pytest.raises(UserError, match=r"ranking\.json: not a ranking"):
        select(part.source, part.target, *outs, part.scores, ranking)
