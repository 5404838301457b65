"""Table 2: the paper's own examples come out as the paper prints them."""

import csv
from itertools import chain
from pathlib import Path

import pytest

from contextnmt.files import read_json
from contextnmt.report.published import published
from contextnmt.report.symbolization import difference, rows_of, table2
from contextnmt.report.tables import write_table
from contextnmt.text.symbols import Side


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict[str, str]]:
    """Example and language -> row of the CSV file."""
    out = tmp_path_factory.mktemp("tables") / "table2"
    write_table(out, table2())
    with open(out.with_suffix(".csv"), newline="") as stream:
        return {(row["example"], row["language"]): row for row in csv.DictReader(stream)}


def test_table_2_comes_out_to_the_letter(rows: dict[tuple[str, str], dict[str, str]]) -> None:
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
    rows: dict[tuple[str, str], dict[str, str]], system: str, german: str
) -> None:
    source = rows[f"Section 6.3, {system}", "en"]
    target = rows[f"Section 6.3, {system}", "de"]
    assert source["symbolized"] == "<S>_1 was the presenter of many programs before <S>_2 times ."
    assert target["symbolized"] == german
    assert target["restored"] == target["tokenized"]
    assert "Hali-Gali-Zeiten" in target["restored"]


def test_no_example_differs(rows: dict[tuple[str, str], dict[str, str]]) -> None:
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
    """As the note below the table has it."""
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


def test_the_table_shows_each_step(tmp_path: Path) -> None:
    write_table(tmp_path / "table2", table2())
    first, second, _ = read_json(tmp_path / "table2.json")["blocks"]
    assert first["title"] == "Table 2: English → French"
    assert [row["label"] for row in first["rows"]] == [
        *("English: text", "English: paper", "English: here"),
        *("French: text", "French: paper", "French: here"),
    ]
    assert [row["label"] for row in second["rows"]] == [
        *("English: text", "English: here"),
        *("German: text", "German: here", "German: restored"),
    ]
    assert first["rows"][2]["cells"][0]["remark"] == "(equal, word by word)"


def test_symbols_are_not_taken_for_marks(tmp_path: Path) -> None:
    """``<S>`` strikes text out in Markdown, and is two other characters in LaTeX."""
    write_table(tmp_path / "table2", table2())
    assert r"The \<S>_1 and" in (tmp_path / "table2.md").read_text()
    tex = (tmp_path / "table2.tex").read_text()
    assert r"The \textless{}S\textgreater{}\_1 and" in tex
    assert r"\begin{tabular}{lp{0.75\textwidth}}" in tex


def test_the_paper_is_quoted_from_the_paper(shared: Path) -> None:
    paper = (shared / "papers/choi2017_context_dependent_word_representation.md").read_text()
    paper = " ".join(paper.split()).replace("l' ", "l'")
    for example in published("paper/choi2017_table2.csv"):
        assert example["source"] in paper
        assert example["target"] in paper
