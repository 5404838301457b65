"""The selected pairs, and the counts of their words."""

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scored_parts import NEWS, WEB, Part, Scored, write_part, write_scores

from contextnmt.corpus.counts import write_counts
from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, read_pairs, write_json, write_lines, write_pairs
from contextnmt.selection import select as stage
from contextnmt.selection.rank import EXAMPLES, rank
from contextnmt.selection.select import select, word_counts

PAIRS = [("a b a", "é"), ("c\u200bd b", "f g g"), ("b", "")]
NAMES = ("out.en.gz", "out.fr.gz", "out.en.tsv.gz", "out.fr.tsv.gz", "out.json")


@pytest.fixture
def outs(tmp_path: Path) -> list[Path]:
    return [tmp_path / name for name in NAMES]


def ranked(folder: Path, parts: list[Part], **limit: int) -> Path:
    """The ranking of a pool."""
    out = folder / "ranking.json"
    rank([part.scores for part in parts], out, **limit)
    return out


def test_all_pairs_pass_in_order_and_are_counted(tmp_path: Path, outs: list[Path]) -> None:
    text = tmp_path / "news.en.gz", tmp_path / "news.fr.gz"
    write_pairs(*text, PAIRS)
    select(*text, *outs)
    assert list(read_pairs(outs[0], outs[1])) == PAIRS
    assert list(read_lines(outs[2])) == ["b\t3", "a\t2", "c\u200bd\t1"]
    assert list(read_lines(outs[3])) == ["g\t2", "f\t1", "é\t1"]
    amounts = {"pairs": 3, "source_words": 6, "target_words": 4}
    assert read_json(outs[4]) == {"read": amounts, "kept": amounts, "examples": {}}


def test_of_equal_scores_the_first_of_the_pool_is_kept(tmp_path: Path, outs: list[Path]) -> None:
    pool = {"news.1of2": NEWS, "news.2of2": [], "web": WEB}
    parts = [write_part(tmp_path, name, scored) for name, scored in pool.items()]
    ranking = ranked(tmp_path, parts, pairs=3)
    for part, kept in zip(parts, (["-1.0", "0.25"], [], ["-2.0"]), strict=True):
        select(part.source, part.target, *outs, part.scores, ranking)
        assert list(read_lines(outs[0])) == kept
    assert read_json(outs[4])["read"] == {"pairs": 4, "source_words": 4, "target_words": 7}
    assert read_json(outs[4])["kept"] == {"pairs": 1, "source_words": 1, "target_words": 5}
    assert list(read_lines(outs[3])) == ["w\t5"]


def test_the_best_and_the_worst_pairs_are_shown(tmp_path: Path, outs: list[Path]) -> None:
    scores = [float(number * 37 % 101) for number in range(101)]
    scored = [(score, 1) for score in scores]
    pool = {"news.1of2": scored[:30], "web": scored[30:80], "news.2of2": scored[80:]}
    parts = [write_part(tmp_path, name, part) for name, part in pool.items()]
    ranking = ranked(tmp_path, parts, pairs=50)
    shown: dict[str, Any] = {}
    for part in parts:
        select(part.source, part.target, *outs, part.scores, ranking)
        shown |= read_json(outs[4])["examples"]
    best, worst = (read_json(ranking)[name] for name in ("best", "worst"))
    assert [entry["score"] for entry in best] == list(range(EXAMPLES))
    assert [entry["score"] for entry in worst] == list(range(100, 100 - EXAMPLES, -1))
    assert len(shown) == 2 * EXAMPLES
    corpora = {"news": scores[:30] + scores[80:], "web": scores[30:80]}
    for entry in best + worst:
        assert corpora[entry["corpus"]][entry["line"] - 1] == entry["score"]
        text = {"source": str(entry["score"]), "target": "w"}
        assert shown[str(entry["position"])] == text


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


def test_scores_and_a_ranking_go_together(tmp_path: Path, outs: list[Path]) -> None:
    part = write_part(tmp_path, "news", NEWS)
    for option in ({"scores": part.scores}, {"ranking": ranked(tmp_path, [part], pairs=1)}):
        with pytest.raises(UserError, match="both --scores and --ranking"):
            select(part.source, part.target, *outs, **option)


@pytest.mark.parametrize(
    ("ranked_as", "scored", "message"),
    [
        ("web", NEWS, r"ranking\.json: has no part news: rank all parts"),
        ("news", NEWS[:2], r"ranking\.json: of other scores than .*news\.scores"),
        ("news", NEWS * 2, r"ranking\.json: of other scores than .*news\.scores"),
    ],
)
def test_a_part_that_was_not_ranked_so_is_refused(
    tmp_path: Path, outs: list[Path], ranked_as: str, scored: list[Scored], message: str
) -> None:
    ranking = ranked(tmp_path, [write_part(tmp_path, ranked_as, NEWS)], pairs=1)
    part = write_part(tmp_path, "news", scored)
    with pytest.raises(UserError, match=message):
        select(part.source, part.target, *outs, part.scores, ranking)
    assert not any(path.exists() for path in outs)


@pytest.mark.parametrize("pairs", [2, 4])
def test_scores_of_another_text_are_refused(tmp_path: Path, outs: list[Path], pairs: int) -> None:
    part = write_part(tmp_path, "news", NEWS)
    write_scores(part.scores, (NEWS * 2)[:pairs])
    ranking = ranked(tmp_path, [part], pairs=1)
    with pytest.raises(UserError, match=rf"news\.en\.gz: has 3 lines and {pairs} scores"):
        select(part.source, part.target, *outs, part.scores, ranking)
    assert not any(path.exists() for path in outs)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: [],
        lambda content: {**content, "parts": {"news": None}},
        lambda content: {**content, "best": [{"line": 1}]},
        lambda content: {key: value for key, value in content.items() if key != "last"},
        lambda content: {**content, "pairs": math.inf},
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


def test_the_counts_add_up_by_count_then_by_word(tmp_path: Path) -> None:
    tables = [Counter({"b": 11, "Z": 1, "z": 3}), Counter(), Counter({"é": 3, "Z": 2, "a": 2})]
    paths = [tmp_path / f"{number}.tsv.gz" for number in range(3)]
    for path, table in zip(paths, tables, strict=True):
        write_counts(path, table)
    for order in (paths, paths[::-1]):
        word_counts(order, tmp_path / "out.tsv")
        assert (tmp_path / "out.tsv").read_text() == "b\t11\nZ\t3\nz\t3\né\t3\na\t2\n"
    with pytest.raises(UserError, match="the training text is empty"):
        word_counts(paths[1:2], tmp_path / "none.tsv")
    assert not (tmp_path / "none.tsv").exists()


@pytest.mark.parametrize("line", ["of seven", "of\t-7", "", f"of\t{'9' * 5000}"])
def test_a_malformed_table_is_refused(tmp_path: Path, line: str) -> None:
    write_lines(tmp_path / "counts.tsv", ["the\t7", line])
    with pytest.raises(UserError, match=r"counts\.tsv, line 2: expected a word, a tab and a count"):
        word_counts([tmp_path / "counts.tsv"], tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()
