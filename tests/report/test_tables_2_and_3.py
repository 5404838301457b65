"""Tables 2 and 3: the paper's examples come out as printed, our numbers stand beside its own."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from results_folder import Made, csv_rows

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.published import published
from contextnmt.report.results import Results
from contextnmt.report.symbolization import difference, rows_of, table2, table3
from contextnmt.report.tables import Table, texts_of
from contextnmt.text.symbols import Side

Row = dict[str, str]
#: Example and language -> its row.
Examples = dict[tuple[str, str], Row]
#: Pair, language and quantity -> its row.
Counted = dict[tuple[str, str, str], Row]


@pytest.fixture(scope="module")
def examples(results: Made) -> Table:
    return table2(results.results)


@pytest.fixture(scope="module")
def rows(examples: Table) -> Examples:
    return {(row["example"], row["language"]): row for row in csv_rows(examples)}


def test_table_2_comes_out_to_the_letter(rows: Examples) -> None:
    expected = {
        "en": "The <S>_1 and <S>_2 American regional finals were held at the <S>_3 on June <N>_1 "
        "^^nd and <N>_2 ^^rd in <S>_4 , California .",
        "fr": "Les finales régionales de <S>_2 et de <S>_1 pour l' Amérique du Nord se sont "
        "déroulées au <S>_3 , les <N>_1 et <N>_2 juin derniers à <S>_4 .",
    }
    for language, text in expected.items():
        assert rows["Table 2", language]["symbolized"] == text
        assert rows["Table 2", language]["paper"] == text


@pytest.mark.parametrize(
    ("system", "german"),
    [
        ("+BPE+C+S", "<S>_1 war der Moderator von vielen Programmen vor <S>_2 ^^-Zeiten ."),
        ("+C+S", "<S>_1 war der Moderator vieler Programme , bevor <S>_2 ^^-Zeiten UNK ."),
    ],
)
def test_the_names_of_section_6_3_are_symbols_and_come_back(
    rows: Examples, system: str, german: str
) -> None:
    source = rows[f"Section 6.3, {system}", "en"]
    target = rows[f"Section 6.3, {system}", "de"]
    assert source["symbolized"] == "<S>_1 was the presenter of many programs before <S>_2 times ."
    assert target["symbolized"] == german
    assert target["restored"] == target["tokenized"]
    assert "Hali-Gali-Zeiten" in target["restored"]


def test_no_example_differs(rows: Examples) -> None:
    assert len(rows) == 2 * 3
    assert {row["difference"] for row in rows.values()} == {""}


def symbolized_with(
    counts: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> dict[tuple[str, str], str]:
    """Example and language -> its symbolized text, with counts of the words of a training text."""
    with monkeypatch.context() as patched:
        patched.setattr("contextnmt.report.symbolization.Side", lambda name, _: Side(name, counts))
        rows = chain.from_iterable(map(rows_of, published("paper/choi2017_table2.csv")))
        return {(row["example"], row["language"]): row["symbolized"] for row in rows}


def test_word_counts_decide_only_about_openers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The note below the table says so."""
    without = symbolized_with({}, monkeypatch)
    assert symbolized_with({"the": 1000, "les": 1000}, monkeypatch) == without
    inside = ("world", "of", "warcraft", "house", "san", "hali-gali", "presenter", "finals")
    assert symbolized_with(dict.fromkeys(inside, 1000), monkeypatch) == without
    counted = symbolized_with({"trakhtenberg": 1000}, monkeypatch)
    opened = {key: text for key, text in without.items() if text.startswith("<S>_1 ")}
    assert len(opened) == 4
    expected = {
        key: text.replace("<S>_1 ", "Trakhtenberg ").replace("<S>_2 ", "<S>_1 ")
        for key, text in opened.items()
    }
    assert counted == without | expected


def test_what_differs_is_named_where_it_differs() -> None:
    [example, *_] = published("paper/choi2017_table2.csv")
    printed = example | {"source_symbolized": example["source_symbolized"].replace("June", "May")}
    [source, target] = rows_of(printed)
    assert source["difference"] == "differs at word 14: June, not May"
    assert target["difference"] == ""


@pytest.mark.parametrize(
    ("here", "there", "told"),
    [
        ("a b", "a b", ""),
        ("a b", "a", "differs at word 2: b, not nothing"),
        ("a", "a b", "differs at word 2: nothing, not b"),
        ("a  b", "a b", "differs at word 2: , not b"),
    ],
)
def test_differences(here: str, there: str, told: str) -> None:
    assert difference(here, there) == told


def test_table_2_shows_each_step(examples: Table) -> None:
    first, second, _ = examples.blocks
    assert first.title == "Table 2: English → French"
    assert [label for label, _ in first.rows] == [
        *("English: text", "English: paper", "English: here"),
        *("French: text", "French: paper", "French: here"),
    ]
    assert [label for label, _ in second.rows] == [
        *("English: text", "English: here"),
        *("German: text", "German: here", "German: restored"),
    ]
    assert first.rows[2][1][0].remark == "(equal, word by word)"


def test_symbols_are_not_taken_for_marks(examples: Table) -> None:
    """``<S>`` strikes text out in Markdown, and is two other characters in LaTeX."""
    texts = texts_of(examples)
    assert r"The \<S>_1 and" in texts["md"]
    assert r"The \textless{}S\textgreater{}\_1 and" in texts["tex"]
    assert r"\begin{tabular}{lp{0.75\textwidth}}" in texts["tex"]


def test_the_paper_is_quoted_from_the_paper(shared: Path) -> None:
    paper = (shared / "papers/choi2017_context_dependent_word_representation.md").read_text()
    paper = " ".join(paper.split()).replace("l' ", "l'")
    for example in published("paper/choi2017_table2.csv"):
        assert example["source"] in paper
        assert example["target"] in paper


@pytest.fixture(scope="module")
def counts(results: Made) -> Table:
    """Table 3."""
    return table3(results.results)


@pytest.fixture(scope="module")
def counted(counts: Table) -> Counted:
    return {(row["pair"], row["language"], row["quantity"]): row for row in csv_rows(counts)}


def test_our_numbers_stand_beside_the_papers(counts: Table, counted: Counted) -> None:
    assert len(counted) == 2 * (2 * 8 + 6)
    assert counted["en-fr", "fr", "unique_words"] == {
        "pair": "en-fr",
        "language": "fr",
        "quantity": "unique_words",
        "before": "4000",
        "after": "2500",
        "paper_before": "1.73M",
        "paper_after": "0.49M",
    }
    assert counted["en-de", "de", "coverage_percent"]["paper_after"] == "95.3"
    assert shown(counts, "English: coverage (%)") == ["91.2", "97.5", "96.1", "99.1"]


def test_words_of_the_pairs_kept_are_counted_by_side(counts: Table, counted: Counted) -> None:
    assert counted["en-fr", "fr", "kept_words"]["after"] == "105000"
    assert shown(counts, "English: total words, pairs kept") == ["110,000", "110,000", "–", "–"]
    assert shown(counts, "French: coverage, pairs kept (%)")[1] == "97.8"


def test_symbols_have_no_number_of_the_paper(counts: Table, counted: Counted) -> None:
    assert counted["en-fr", "fr", "number_percent"]["paper_after"] == ""
    assert counted["en-fr", "fr", "number_percent"]["before"] == "0"
    assert shown(counts, "English → French: French", 4) == ["4.12", "2.50", "0.25"]


def test_sentence_pairs_are_those_of_both_sides(counts: Table, counted: Counted) -> None:
    row = counted["en-de", "", "pairs_unknown"]
    assert (row["before"], row["after"]) == ("160", "60")
    assert shown(counts, "kept", 2) == ["9,800", "9,900"]
    assert shown(counts, "kept by all systems", 2) == ["9,750", "9,750"]


def shown(table: Table, label: str, number: int = 0) -> list[str]:
    """The cells of a row of a block."""
    return [cell.text for cell in dict(table.blocks[number].rows)[label]]


def test_the_limits_are_told(counts: Table) -> None:
    notes = " ".join(counts.notes)
    assert "a side of more than 50 words" in notes
    assert "more of both sides together than 10 %." in notes
    assert "the 1,600 most frequent make up (the paper: 30,000)" in notes
    assert "very probably counted the pairs kept" in notes


def test_limits_that_differ_are_told_for_each_pair(corpora: Results) -> None:
    content = read_json(corpora.folder / "pairs/en-de.json")
    content["after"] |= {"max_length": 60, "unknown_limit": 0.25}
    write_json(corpora.folder / "pairs/en-de.json", content)
    notes = " ".join(table3(corpora).notes)
    assert "a side of more than 50 or 60 words" in notes
    assert "than 10 % for English → French, 25 % for English → German." in notes


def test_no_training_has_to_be_finished(corpora: Results, counts: Table) -> None:
    unfinished = {system.id: "not trained" for system in corpora.systems}
    gaps = dict.fromkeys(corpora.all_pairs, unfinished)
    assert table3(replace(corpora, gaps=gaps)) == counts


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        ({"en": {"before": {}, "after": {}}}, "unique_words"),
        ({"en": {}}, "before"),
        ({}, "en"),
    ],
)
def test_a_file_without_a_side_is_named(corpora: Results, content: object, missing: str) -> None:
    write_json(corpora.folder / "coverage/en-fr.json", content)
    with pytest.raises(UserError, match=rf"coverage/en-fr\.json: no {missing} in it"):
        table3(corpora)


def test_a_file_without_sentence_pairs_is_named(corpora: Results) -> None:
    content = read_json(corpora.folder / "pairs/en-fr.json")
    write_json(corpora.folder / "pairs/en-fr.json", content | {"after": {}})
    with pytest.raises(UserError, match=r"pairs/en-fr\.json: no kept_words in it"):
        table3(corpora)
