"""The table of what the training text consists of, and the best and the worst pairs."""

import csv
from pathlib import Path
from typing import Any

import pytest
from results_folder import KEPT, TRAIN, Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.published import published
from contextnmt.report.selection import selection_table
from contextnmt.report.tables import Block, Table, read_table, write_table


def files_of(results: Results) -> list[Path]:
    """What select says of all parts, in the order of the pool."""
    return [
        results.folder / f"select/{pair}/{part}.selected.json"
        for pair, corpora in TRAIN.items()
        for parts in corpora.values()
        for part in parts
    ]


@pytest.fixture(scope="module")
def out(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "selection"
    write_table(
        path, selection_table(files_of(results), results.experiment, results.files("rank/*.json"))
    )
    return path


@pytest.fixture(scope="module")
def table(out: Path) -> Table:
    return read_table(out.with_suffix(".json"))


def shown(block: Block, corpus: str) -> dict[tuple[str, ...], str]:
    """A row by its columns."""
    (cells,) = (cells for label, cells in block.rows if label == corpus)
    return dict(zip(block.columns, (cell.text for cell in cells), strict=True))


def test_parts_of_a_corpus_count_together(out: Path, table: Table) -> None:
    block = table.blocks[0]
    assert [corpus for corpus, _ in block.rows] == [*TRAIN["en-fr"], "total"]
    # Of its three parts, the third to fifth of the pool, a fourth, a fifth and a sixth are kept.
    kept = KEPT // 4 + KEPT // 5 + KEPT // 6
    assert shown(block, "un") == {
        ("sentence pairs", "read"): "30,000",
        ("sentence pairs", "kept"): f"{kept:,}",
        ("English words", "read"): "540,000",
        ("English words", "kept"): "111,000",
        ("French words", "read"): "510,000",
        ("French words", "kept"): "104,833",
        ("French words", "kept (%)"): "20.6",
    }
    assert shown(block, "total")["sentence pairs", "read"] == "80,000"
    with open(out.with_suffix(".csv"), newline="") as stream:
        rows = {(row["pair"], row["corpus"]): row for row in csv.DictReader(stream)}
    assert rows["en-fr", "un"] == {
        "pair": "en-fr",
        "corpus": "un",
        "pairs_read": "30000",
        "pairs_kept": str(kept),
        "source_words_read": "540000",
        "source_words_kept": "111000",
        "target_words_read": "510000",
        "target_words_kept": "104833",
        "target_words_kept_percent": "20.5554902",
    }
    assert len(rows) == 6


def test_without_a_selection_there_is_one_number_each(table: Table) -> None:
    block = table.blocks[-1]
    assert block.title == "English → German"
    assert block.columns == [
        (name,) for name in ("sentence pairs", "English words", "German words")
    ]
    assert [[cell.text for cell in cells] for _, cells in block.rows] == [
        ["10,000", "180,000", "170,000"]
    ]
    assert not any(excerpt.pair == "en-de" for excerpt in table.excerpts)


def test_the_papers_selection_stands_beside_ours_of_the_same_corpora(
    results: Results, table: Table, tmp_path: Path
) -> None:
    block = table.blocks[1]
    assert block.title == "English → French: printed in papers"
    assert [corpus for corpus, _ in block.rows] == [*TRAIN["en-fr"], "total"]
    assert list(shown(block, "total").values()) == ["12M", "304M", "850M", "348M"]
    assert shown(block, "giga-fren")["paper", "French words read"] == "272.5M"
    assert any("Bahdanau" in note for note in table.notes)
    fewer = [path for path in files_of(results) if "giga-fren" not in path.name]
    ranking: dict[str, Any] = read_json(results.folder / "rank/en-fr.json")
    for name in ("best", "worst"):
        ranking[name] = [entry for entry in ranking[name] if entry["corpus"] != "giga-fren"]
    write_json(tmp_path / "en-fr.json", ranking)
    write_table(
        tmp_path / "selection",
        selection_table(fewer, results.experiment, [tmp_path / "en-fr.json"]),
    )
    table = read_table(tmp_path / "selection.json")
    assert [block.title for block in table.blocks] == ["English → French", "English → German"]
    assert not any("Bahdanau" in note for note in table.notes)


def test_the_papers_pool_is_the_sum_of_its_corpora() -> None:
    words = {
        row["corpus"]: float(row["printed"].removesuffix("M"))
        for row in published("paper/selection.csv")
        if row["quantity"] == "target_words_read"
    }
    assert sum(words.values()) == 2 * words["total"]


def test_the_best_and_the_worst_pairs_are_shown(table: Table) -> None:
    assert [excerpt.title for excerpt in table.excerpts] == [
        "English → French: the 8 pairs with the lowest scores",
        "English → French: the 8 pairs with the highest scores",
    ]
    best, worst = (excerpt.sentence_pairs for excerpt in table.excerpts)
    assert best[3].place == "un, line 10,005: −3.50 bits a word"
    assert worst[3].place == "un, line 10,007: 3.50 bits a word"
    assert best[3].source.startswith("On 14 March") and best[3].target.startswith("Le 14 mars")


def test_text_that_is_not_the_rankings_is_refused(results: Results, tmp_path: Path) -> None:
    ranking: dict[str, Any] = read_json(results.folder / "rank/en-fr.json")
    ranking["worst"][0]["position"] += 1
    write_json(tmp_path / "en-fr.json", ranking)
    with pytest.raises(UserError, match=r"en-fr\.json: not the ranking that the texts were"):
        write_table(
            tmp_path / "out",
            selection_table(files_of(results), results.experiment, [tmp_path / "en-fr.json"]),
        )


def test_wrong_files_are_named(results: Results, tmp_path: Path) -> None:
    (*french, german), rankings = files_of(results), results.files("rank/*.json")
    other = tmp_path / "en-de/train.selected.json"
    write_json(other, {"read": {}})
    for selected, ranking, message in (
        ([*french, other], rankings, r"train\.selected\.json: not counts of select"),
        (french, rankings, "selected: no file for en-de"),
        ([*french, german], [], "ranking: no file for en-fr, whose pairs were selected"),
        ([*french, german], [Path("en-cs.json")], r"ranking en-cs\.json: en-cs is not part"),
    ):
        with pytest.raises(UserError, match=message):
            write_table(tmp_path / "out", selection_table(selected, results.experiment, ranking))
