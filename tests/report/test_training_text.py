"""Tables and figures of the training texts: what cleaning removed, and what a selection keeps."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from analysed_models import words_of
from made_up_experiments import TRAIN, experiment, results_of
from matplotlib.figure import Figure
from results_folder import KEPT, as_svg, csv_rows, make_training_text

from contextnmt.configuration.reading import load
from contextnmt.configuration.values import Cleaning
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.figures import save_all
from contextnmt.report.published import published
from contextnmt.report.results import Results
from contextnmt.report.tables import LENGTH, Block
from contextnmt.report.training_text import (
    FILTERS,
    cleaning_table,
    draw_histogram,
    overlap_table,
    selection_figures,
    selection_table,
)


@pytest.fixture
def made(tmp_path: Path) -> Results:
    """The corpora of two language pairs; en-fr is selected."""
    for pair in TRAIN:
        make_training_text(tmp_path, pair)
    return results_of(tmp_path, experiment("choi2017"))


def removed(*lines: int, **counts: int) -> dict[str, Any]:
    """The content of clean's file about a part; the first filter has the examples."""
    entries: dict[str, Any] = {name: {"count": n, "examples": []} for name, n in counts.items()}
    for line in lines:
        example = {"line": line, "source": f"line {line}", "target": ""}
        entries[next(iter(counts))]["examples"].append(example)
    return {"read": 2000 + sum(counts.values()), "kept": 2000, "removed": entries}


def cleaned(made: Results, french: dict[str, Any], german: dict[str, Any]) -> Results:
    """Such files of other parts, by their names."""
    parts = {"en-fr": french, "en-de": german}
    for pair, contents in parts.items():
        for part, content in contents.items():
            write_json(made.folder / f"clean/{pair}/{part}.removed.json", content)
    return replace(made, parts={pair: list(contents) for pair, contents in parts.items()})


def test_every_corpus_has_a_row_in_the_order_of_the_training_text(made: Results) -> None:
    news, web = removed(drop_empty=3), removed(max_ratio=1500, drop_empty=0)
    table = cleaning_table(
        cleaned(made, {"web": removed(drop_empty=0)}, {"web": web, "news": news})
    )
    french, german = table.blocks
    assert (french.title, german.title) == ("English → French", "English → German")
    columns = ["read", "drop_empty", "max_ratio", "kept", "kept (%)"]
    assert german.columns == [(label,) for label in columns]
    assert [(corpus, [cell.text for cell in cells]) for corpus, cells in german.rows] == [
        ("web", ["3,500", "0", "1,500", "2,000", "57.1"]),
        ("news", ["2,003", "3", "–", "2,000", "99.9"]),
        ("total", ["5,503", "3", "1,500", "4,000", "72.7"]),
    ]
    assert [corpus for corpus, _ in french.rows] == ["web"]
    rows = csv_rows(table)
    assert rows[0] == {"pair": "en-fr", "corpus": "web", "quantity": "read", "pairs": "2000"}
    assert {"pair": "en-de", "corpus": "web", "quantity": "max_ratio", "pairs": "1500"} in rows
    assert len(rows) == 3 + 4 + 3
    assert "–: the filter is off." in table.notes[0]


def test_parts_count_together_and_lines_go_on(made: Results) -> None:
    """Ten pairs are shown of all parts."""
    parts = {
        f"un.{number}of11": removed(*([7] if number < 10 else [number, 20 * number]), drop_empty=2)
        for number in range(1, 12)
    }
    table = cleaning_table(cleaned(made, parts, {"web": removed()}))
    assert [cell.text for cell in table.blocks[0].rows[0][1]] == ["22,022", "22", "22,000", "99.9"]
    (excerpt,) = table.excerpts
    assert excerpt.title == "English → French, drop_empty: a side without words (10 of 22 pairs)"
    places = [pair.place for pair in excerpt.sentence_pairs]
    assert places[:2] == ["un, line 7", "un, line 2,009"]
    assert places[9:] == [f"un, line {9 * 2002 + 10:,}"]


def shown(block: Block, corpus: str) -> dict[tuple[str, ...], str]:
    """A row by its columns."""
    (cells,) = (cells for label, cells in block.rows if label == corpus)
    return dict(zip(block.columns, (cell.text for cell in cells), strict=True))


def test_selected_parts_of_a_corpus_count_together(made: Results) -> None:
    table = selection_table(made)
    selected, *_, whole = table.blocks
    assert [corpus for corpus, _ in selected.rows] == [*TRAIN["en-fr"], "total"]
    # Of its three parts, the third to fifth of the pool, a fourth, a fifth and a sixth are kept.
    kept = KEPT // 4 + KEPT // 5 + KEPT // 6
    assert shown(selected, "un") == {
        ("sentence pairs", "read"): "30,000",
        ("sentence pairs", "kept"): f"{kept:,}",
        ("English words", "read"): "540,000",
        ("English words", "kept"): "111,000",
        ("French words", "read"): "510,000",
        ("French words", "kept"): "104,833",
        ("French words", "kept (%)"): "20.6",
    }
    assert shown(selected, "total")["sentence pairs", "read"] == "80,000"
    rows = {(row["pair"], row["corpus"]): row for row in csv_rows(table)}
    assert rows["en-fr", "un"]["pairs_kept"] == str(kept)
    assert rows["en-fr", "un"]["target_words_kept_percent"] == "20.5554902"
    # Without a selection, there is one number each.
    assert whole.title == "English → German"
    assert shown(whole, "train") == {
        ("sentence pairs",): "10,000",
        ("English words",): "180,000",
        ("German words",): "170,000",
    }


def test_dev_and_test_pairs_in_the_training_text_are_told(made: Results) -> None:
    counts = {"read": 1500, "pairs": 1, "sources": 2}
    texts = made.texts("en-de")
    write_json(made.folder / "overlap/en-de.json", dict.fromkeys(texts, counts))
    table = overlap_table(made)
    (german,) = table.blocks
    assert [text for text, _ in german.rows] == texts
    assert [cell.text for cell in german.rows[0][1]] == ["1,500", "1", "2"]
    assert csv_rows(table)[0] == {
        "pair": "en-de",
        "text": texts[0],
        **{name: str(count) for name, count in counts.items()},
    }
    assert table.notes == ["English → French: not counted."]  # by an earlier version


def test_the_papers_selection_stands_beside_ours_of_the_same_corpora(made: Results) -> None:
    table = selection_table(made)
    block = table.blocks[1]
    assert block.title == "English → French: printed in papers"
    by = "(Bahdanau et al. 2015)"
    totals = [f"total {by}", "total (Sutskever et al. 2014)", "total (Choi et al. 2017)"]
    pool = [f"{corpus} {by}" for corpus in TRAIN["en-fr"]]
    assert [label for label, _ in block.rows] == [*pool, *totals]
    assert [list(shown(block, total).values()) for total in totals] == [
        ["–", "–", "850M", "–"],
        ["12M", "304M", "–", "348M"],
        ["–", "250M", "–", "–"],
    ]
    assert shown(block, f"giga-fren {by}")["paper", "French words read"] == "272.5M"
    assert any("Bahdanau" in note for note in table.notes)
    fewer = [part for part in made.parts["en-fr"] if "giga-fren" not in part]
    ranking: dict[str, Any] = read_json(made.folder / "rank/en-fr.json")
    for name in ("best", "worst"):
        ranking[name] = [entry for entry in ranking[name] if entry["corpus"] != "giga-fren"]
    write_json(made.folder / "rank/en-fr.json", ranking)
    table = selection_table(replace(made, parts=made.parts | {"en-fr": fewer}))
    assert len(table.blocks) == 2
    assert not any("Bahdanau" in note for note in table.notes)


@pytest.mark.parametrize("pair", ["en-fr", "en-de"])
def test_the_papers_corpora_are_those_of_the_preset(pair: str) -> None:
    rows = [row for row in published("paper/selection.csv") if row["pair"] == pair]
    roles = load(Path(__file__).parents[2] / "workflow/presets/wmt14.yaml")["roles"]
    assert {row["corpus"] for row in rows} == {*roles[pair]["train"], "total"}


def test_the_best_and_the_worst_pairs_are_shown(made: Results) -> None:
    best, worst = selection_table(made).excerpts
    assert best.title == "English → French: the 8 pairs with the lowest scores"
    assert worst.title == "English → French: the 8 pairs with the highest scores"
    pair = best.sentence_pairs[3]
    assert pair.place == "un, line 10,005: −3.50 bits per word"
    assert worst.sentence_pairs[3].place == "un, line 10,007: 3.50 bits per word"
    assert pair.source.startswith("On 14 March") and pair.target.startswith("Le 14 mars")


@as_svg
def words_of_figures(made: Results) -> list[list[str]]:
    """The texts of both figures."""
    save_all(selection_figures(made), made.folder)
    files = [made.folder / f"selection.en-fr.{name}.svg" for name in ("scores", "perplexity")]
    return list(map(words_of, files))


def test_what_the_figures_say(made: Results) -> None:
    scores, perplexity = words_of_figures(made)
    assert [word for word in scores if word in TRAIN["en-fr"]] == list(TRAIN["en-fr"])
    assert {"kept", "left out", "threshold"} <= set(scores)
    assert {"12.5k", "400k", "selected", "random"} <= set(perplexity)
    assert "French words that the model was made of" in perplexity
    # A corpus without scores, and one score for all, are drawn too.
    ranking: dict[str, Any] = read_json(made.folder / "rank/en-fr.json")
    ranking["histogram"]["edges"] = [-0.25] * 101
    ranking["histogram"]["pairs"]["un"] = [0] * 100
    write_json(made.folder / "rank/en-fr.json", ranking)
    assert "un" in words_of_figures(made)[0]


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [
        (1.5, ([3.0, 4.0], [0.0, 1.0, 1.5])),
        (9.0, ([3.0, 4.0, 5.0], [0.0, 1.0, 2.0, 3.0])),
        (-9.0, ([], [0.0])),
    ],
)
def test_bars_are_dark_up_to_the_threshold(
    threshold: float, kept: tuple[list[float], list[float]]
) -> None:
    axes = Figure().subplots()
    draw_histogram(axes, [0.0, 1.0, 2.0, 3.0], [3.0, 4.0, 5.0], threshold)
    dark, whole = (patch.get_data() for patch in axes.patches)
    assert ([*dark.values], [*dark.edges]) == kept
    assert [*whole.values] == [3.0, 4.0, 5.0]


def test_filters_that_are_on_are_explained(made: Results) -> None:
    one = removed(drop_empty=0) | {"read": 0, "kept": 0}
    assert set(FILTERS) == {field.name for field in fields(Cleaning)}
    for content, cells, note in (
        (removed(), ["2,000", "2,000", "100.0"], "No filter is on."),
        (one, ["0", "0", "0", "–"], "A pair counts for"),
    ):
        table = cleaning_table(cleaned(made, {"web": content}, {"web": content}))
        assert [cell.text for cell in table.blocks[0].rows[0][1]] == cells
        assert table.notes[0].startswith(note) and " off" not in table.notes[0]


def test_any_text_and_any_name_of_a_corpus_can_be_read(made: Results) -> None:
    content = removed(4, drop_garbled=1)
    source, target = "a\x85\x00\tb\u2028é", "x" * 10**6
    content["removed"]["drop_garbled"]["examples"][0] |= {"source": source, "target": target}
    table = cleaning_table(cleaned(made, {"total": content, "web": removed()}, {"web": removed()}))
    (pair,) = table.excerpts[0].sentence_pairs
    assert pair.source == "a\\x85\\x00\\x09b\u2028é"
    assert pair.target == "x" * LENGTH + "…"
    assert [label for label, _ in table.blocks[0].rows] == ["total", "web", "all corpora"]


def test_rankings_are_those_of_the_texts_and_of_the_paper(made: Results) -> None:
    words = {
        row["corpus"]: float(row["printed"].removesuffix("M"))
        for row in published("paper/selection.csv")
        if row["quantity"] == "target_words_read"
    }
    assert sum(words.values()) == 2 * words["total"]
    ranking: dict[str, Any] = read_json(made.folder / "rank/en-fr.json")
    ranking["worst"][0]["position"] += 1
    write_json(made.folder / "rank/en-fr.json", ranking)
    with pytest.raises(UserError, match=r"rank/en-fr\.json: not the ranking that the texts were"):
        selection_table(made)
