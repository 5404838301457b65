"""Tables 2 and 3, of what symbols replace, how right they are, and what becomes of them."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from results_folder import Made, csv_rows

from contextnmt.errors import UserError
from contextnmt.evaluation.symbol_scores import Error, Reason
from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.published import published
from contextnmt.report.results import Results
from contextnmt.report.source_symbols import (
    REASONS,
    ablation_table,
    restoration_table,
    symbol_errors_table,
    symbol_scores_table,
)
from contextnmt.report.symbolization import COUNT, rows_of, symbols_table, table2, table3
from contextnmt.report.tables import Block, Table, texts_of
from contextnmt.text.symbols import Side


def shown(block: Block, label: str) -> list[str]:
    """The cells of the row with this label, with their remarks."""
    return [cell.plain for cell in dict(block.rows)[label]]


def labels(block: Block) -> list[str]:
    return [label for label, _ in block.rows]


def test_every_reason_has_a_name() -> None:
    assert list(dict.fromkeys(error for error, _ in REASONS)) == [error.value for error in Error]
    assert {reason for _, reason in REASONS} == set(Reason)


def test_a_damaged_rule_dictionary_is_named(corpora: Results) -> None:
    write_lines(corpora.folder / "rule-dictionary/en-de/rules.tsv", ["S\tOrlow"])
    with pytest.raises(UserError, match=r"en-de/rules\.tsv, line 1: expected the header"):
        symbols_table(corpora)


def test_the_most_frequent_of_each_type_are_shown(corpora: Results) -> None:
    table = symbols_table(corpora)
    rows = csv_rows(table)
    of_rules = {"C": 5, "N": COUNT, "S": COUNT}
    assert Counter((row["pair"], row["type"]) for row in rows) == {
        (pair, kind): number for pair in ("en-fr", "en-de") for kind, number in of_rules.items()
    }
    first = {"pair": "en-fr", "type": "C", "source": "IMF", "target": "FMI"}
    assert rows[0] == first | {"count": "42", "target_count": "40"}
    assert [block.title for block in table.blocks[:3]] == [
        f"English → French: {kind}" for kind in ("numbers", "names", "acronyms")
    ]
    assert labels(table.blocks[2]) == ["IMF", "A|B", "UN", "USA", "ZDF"]
    assert shown(table.blocks[2], "IMF") == ["FMI (40)", "42"]
    assert shown(table.blocks[2], "UN") == ["ONU (1)", "2"]  # of equals the first
    assert labels(table.blocks[0]) == [f"{n:03}" for n in range(119, 19, -1)]
    assert r"| A\|B " in texts_of(table)["md"]  # the bar does not part the row


def test_scores_stand_by_text_and_type(corpora: Results) -> None:
    table = symbol_scores_table(corpora)
    block, errors, *_ = table.blocks
    assert block.title == "English → French"
    assert labels(block) == [
        *("dev: numbers", "dev: names", "dev: acronyms", "dev: all"),
        *("test: numbers", "test: names", "test: acronyms", "test: all"),
    ]
    assert shown(block, "dev: numbers") == ["1,000", "1,000", "100.0", "100.0", "100.0"]
    assert shown(block, "dev: names") == ["100", "80", "70.0", "87.5", "77.8"]
    assert shown(block, "test: acronyms") == ["0", "0", "–", "–", "–"]
    # Reasons are added up over the texts.
    assert errors.title == "English → French: wrong decisions"
    extent = ["0", "20", "0", "20"]
    expected = {
        "false: not in the target: translated, converted or left out": ["0", "40", "0", "40"],
        "false: with both sides, the symbol covers fewer or more words": extent,
        "missed: from the source alone, the symbol covers fewer or more words": extent,
    }
    assert {label: shown(errors, label) for label in labels(errors)} == expected
    of_one = next(row for row in csv_rows(table) if row["type"] == "S")
    assert [of_one[f"false_{reason}"] for reason in ("absent", "extent", "limit")] == [
        *("20", "10", "0")
    ]


def test_the_most_frequent_errors_are_listed_with_their_examples(corpora: Results) -> None:
    table = symbol_errors_table(corpora)
    first, second = table.blocks
    assert shown(first, "1") == [
        *("Germany", "names", "false", "not in the target: translated, converted or left out"),
        *("test:7", "… in Germany | and", "in", "2,000"),
    ]
    assert shown(second, "2")[0] == "New York"  # no line break in a row
    error = csv_rows(table)[0]
    assert (error["pair"], error["surface"], error["count"]) == ("en-fr", "Germany", "2000")
    assert r"… in Germany \| and" in texts_of(table)["md"]


def test_without_errors_there_is_nothing_to_list(corpora: Results) -> None:
    for path in corpora.folder.glob("symbol-scores/*.json"):
        content = read_json(path)
        for entry in content["texts"].values():
            entry["types"] = dict.fromkeys(entry["types"], entry["types"]["N"])
        write_json(path, content | {"errors": []})
    assert len(symbol_scores_table(corpora).blocks) == 2
    assert symbol_errors_table(corpora).blocks == []


def test_systems_with_symbols_have_a_row_of_what_became_of_them(
    results: Made, results_of_seeds: Made
) -> None:
    about = results.about | {"gaps": {"en-fr": {"context-symbol": "not trained"}}}
    table = restoration_table(Made(results.folder, about).results)
    block = table.blocks[0]
    assert block.columns == [("rule",), ("copy",), ("dropped",), ("missing",)]
    assert {label: [cell.text for cell in cells] for label, cells in block.rows} == {
        "+Symbol (S)": ["2", "400", "3", "140"],
        "+C+S": ["–"] * 4,
        "+BPE+C+S": ["6", "1,200", "3", "420"],
        "+BPE+S": ["7", "1,400", "3", "490"],
    }
    rows = csv_rows(table)
    assert {"pair": "en-fr", "system": "symbol", "outcome": "copy", "symbols": "400"} in rows
    assert not any("seeds" in note for note in table.notes)
    table = restoration_table(results_of_seeds.results)
    assert shown(table.blocks[0], "+Symbol (S)") == ["6", "1,200", "9", "420"]
    assert "Of 3 seeds together." in table.notes


def test_bleu_stands_by_the_choice_of_symbols(results: Made, results_of_seeds: Made) -> None:
    table = ablation_table(results.results)
    assert [block.title for block in table.blocks] == ["English → French", "English → German"]
    block = table.blocks[0]
    assert block.columns == [("threshold 0.3",), ("all (threshold 0)",), ("rule dictionary",)]
    assert shown(block, "test: +Symbol (S)") == ["23.25", "13.25", "18.25"]
    assert labels(block)[-2:] == ["test: +BPE+S", "test: symbols (%)"]
    assert shown(block, "test: symbols (%)") == ["40.00", "100.00", "0.00"]
    rows = csv_rows(table)
    assert len(rows) == 2 * 4 * 3
    kept = [rows[1][key] for key in ("pair", "system", "choice", "beam", "bleu", "symbol_percent")]
    assert kept == ["en-fr", "symbol", "all", "12", "13.25", "100"]
    block = ablation_table(results_of_seeds.results).blocks[0]
    assert shown(block, "test_2017_flickr: +C+S")[2] == "20.12 ± 0.50"


def test_a_choice_that_is_not_translated_or_scored_is_a_gap(results: Made, tmp_path: Path) -> None:
    """The system has its other scores; without any text of a pair no share is known either."""
    missing = {"en-fr": {"symbol": "not yet"}}
    missing["en-de"] = dict.fromkeys([system for _, system in results.about["ablated"]], "no")
    shutil.copytree(results.folder / "score", tmp_path / "score")
    shutil.copytree(results.folder / "symbolize", tmp_path / "symbolize")
    path = tmp_path / "score/en-fr/context-symbol/1.ablation/scores.json"
    write_json(path, read_json(path) | {"test.beam12.all": {"gap": "no words"}})
    gaps = {"en-fr": {"bpe-symbol": "not trained"}}
    table = ablation_table(
        Made(tmp_path, results.about | {"ablation_gaps": missing, "gaps": gaps}).results
    )
    french, german = table.blocks
    assert shown(french, "test: +Symbol (S)") == ["23.25", "–", "–"]
    assert shown(french, "test: +C+S") == ["24.75", "–", "19.75"]
    assert shown(french, "test: +BPE+S") == ["–"] * 3
    assert shown(german, "test: symbols (%)") == ["–"] * 3
    assert table.notes[2:4] == [
        "No score: English → French, test, all, +C+S: no words.",
        "Not translated with the other choices: English → French: +Symbol (S) (not yet).",
    ]


#: Example and language -> its row.
Examples = dict[tuple[str, str], dict[str, str]]


def test_the_paper_is_quoted_from_the_paper(shared: Path) -> None:
    paper = (shared / "papers/choi2017_context_dependent_word_representation.md").read_text()
    paper = " ".join(paper.split()).replace("l' ", "l'")
    for example in published("paper/choi2017_table2.csv"):
        assert example["source"] in paper
        assert example["target"] in paper


@pytest.fixture(scope="module")
def examples(results: Made) -> Table:
    return table2(results.results)


@pytest.fixture(scope="module")
def rows(examples: Table) -> Examples:
    return {(row["example"], row["language"]): row for row in csv_rows(examples)}


def test_the_papers_examples_come_out_to_the_letter(rows: Examples) -> None:
    assert len(rows) == 2 * 3
    assert {row["difference"] for row in rows.values()} == {""}
    english, french = (rows["Table 2", language] for language in ("en", "fr"))
    assert english["symbolized"] == english["paper"]
    assert french["symbolized"] == french["paper"]
    assert english["paper"].startswith("The <S>_1 and <S>_2 American regional finals were held at")
    assert french["paper"].endswith(", les <N>_1 et <N>_2 juin derniers à <S>_4 .")
    source, target = (rows["Section 6.3, +C+S", language] for language in ("en", "de"))
    assert source["symbolized"] == "<S>_1 was the presenter of many programs before <S>_2 times ."
    assert target["symbolized"] == (
        "<S>_1 war der Moderator vieler Programme , bevor <S>_2 ^^-Zeiten UNK ."
    )
    assert target["restored"] == target["tokenized"]
    assert "Hali-Gali-Zeiten" in target["restored"]


def symbolized_with(counts: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The symbolized texts of all examples, with counts of the words of a training text."""
    with monkeypatch.context() as patched:
        patched.setattr("contextnmt.report.symbolization.Side", lambda name, _: Side(name, counts))
        return [
            row["symbolized"]
            for example in published("paper/choi2017_table2.csv")
            for row in rows_of(example)
        ]


def test_word_counts_decide_only_about_openers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note below the table says so."""
    without = symbolized_with({}, monkeypatch)
    others = ("the", "les", "world", "of", "warcraft", "house", "hali-gali", "presenter", "finals")
    assert symbolized_with(dict.fromkeys(others, 1000), monkeypatch) == without
    assert sum(text.startswith("<S>_1 ") for text in without) == 4
    assert symbolized_with({"trakhtenberg": 1000}, monkeypatch) == [
        text.replace("<S>_1 ", "Trakhtenberg ").replace("<S>_2 ", "<S>_1 ")
        if text.startswith("<S>_1 ")
        else text
        for text in without
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("June", "May", "differs at word 14: June, not May"),
        (" California .", " California", "differs at word 24: ., not nothing"),
        (" California .", " California . .", "differs at word 25: nothing, not ."),
    ],
)
def test_what_differs_is_named_where_it_differs(old: str, new: str, told: str) -> None:
    [example, *_] = published("paper/choi2017_table2.csv")
    printed = example | {"source_symbolized": example["source_symbolized"].replace(old, new)}
    [source, target] = rows_of(printed)
    assert source["difference"] == told
    assert target["difference"] == ""


def test_table_2_shows_each_step(examples: Table) -> None:
    first, second, _ = examples.blocks
    assert first.title == "Table 2: English → French"
    assert [label for label, _ in first.rows][:3] == [
        *("English: text", "English: paper", "English: here")
    ]
    assert [label for label, _ in second.rows][2:] == [
        *("German: text", "German: here", "German: restored")
    ]
    assert first.rows[2][1][0].remark == "(equal, word by word)"
    # ``<S>`` strikes text out in Markdown, and is two other characters in LaTeX.
    texts = texts_of(examples)
    assert r"The \<S>\_1 and" in texts["md"]
    assert r"The \textless{}S\textgreater{}\_1 and" in texts["tex"]


def test_our_numbers_stand_beside_the_papers(results: Made) -> None:
    table = table3(results.results)
    counted = {(row["pair"], row["language"], row["quantity"]): row for row in csv_rows(table)}
    assert len(counted) == 2 * (2 * 8 + 6)
    columns = ("before", "after", "paper_before", "paper_after")
    for key, numbers in {
        ("en-fr", "fr", "unique_words"): ["4000", "2500", "1.73M", "0.49M"],
        ("en-fr", "fr", "number_percent"): ["0", "4.123", "", ""],
        ("en-fr", "fr", "kept_words"): ["105000", "105000", "", ""],
        ("en-de", "", "pairs_unknown"): ["160", "60", "", ""],
    }.items():
        assert [counted[key][column] for column in columns] == numbers
    assert shown(table.blocks[0], "English: coverage (%)") == ["91.2", "97.5", "96.1", "99.1"]
    kept = shown(table.blocks[0], "English: total words, pairs kept")
    assert kept == ["110,000", "110,000", "–", "–"]
    assert shown(table.blocks[4], "English → French: French") == ["4.12", "2.50", "0.25"]
    assert shown(table.blocks[2], "kept") == ["9,800", "9,900"]
    assert shown(table.blocks[2], "kept by all systems") == ["9,750", "9,750"]
    notes = " ".join(table.notes)
    assert "a side of more than 50 words" in notes
    assert "share of both sides' words together is above 10 %." in notes
    assert "very probably counts the kept pairs only" in notes
    assert "the 1,600 most frequent make up (the paper: 30,000)" in notes


def test_limits_that_differ_are_told_for_each_pair(corpora: Results) -> None:
    """No training has to be finished for the table."""
    content = read_json(corpora.folder / "pairs/en-de.json")
    content["after"] |= {"max_length": 60, "unknown_limit": 0.25}
    write_json(corpora.folder / "pairs/en-de.json", content)
    unfinished = {system.id: "not trained" for system in corpora.systems}
    gaps = dict.fromkeys(corpora.all_pairs, unfinished)
    notes = " ".join(table3(replace(corpora, gaps=gaps)).notes)
    assert "a side of more than 50 or 60 words" in notes
    assert "above 10 % for English → French, 25 % for English → German." in notes
