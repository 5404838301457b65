"""Table 3: words, coverage, symbols and sentence pairs before and after symbolization."""

import csv
from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.symbolization import table3
from contextnmt.report.tables import write_table


@pytest.fixture(scope="module")
def table(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables") / "table3"
    counts = results.files("coverage/*.json"), results.files("pairs/*.json")
    write_table(out, table3(*counts, results.experiment))
    return out


@pytest.fixture(scope="module")
def rows(table: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    with open(table.with_suffix(".csv"), newline="") as stream:
        return {(r["pair"], r["language"], r["quantity"]): r for r in csv.DictReader(stream)}


def test_our_numbers_stand_beside_the_papers(
    table: Path, rows: dict[tuple[str, str, str], dict[str, str]]
) -> None:
    assert len(rows) == 2 * (2 * 6 + 6)
    assert rows["en-fr", "fr", "unique_words"] == {
        "pair": "en-fr",
        "language": "fr",
        "quantity": "unique_words",
        "before": "4000",
        "after": "2500",
        "paper_before": "1.73M",
        "paper_after": "0.49M",
    }
    assert rows["en-de", "de", "coverage_percent"]["paper_after"] == "95.3"
    assert shown(table, "English: coverage (%)") == ["91.2", "97.5", "96.1", "99.1"]


def test_symbols_have_no_number_of_the_paper(
    table: Path, rows: dict[tuple[str, str, str], dict[str, str]]
) -> None:
    assert rows["en-fr", "fr", "number_percent"]["paper_after"] == ""
    assert rows["en-fr", "fr", "number_percent"]["before"] == "0"
    assert shown(table, "English → French: French", 4) == ["4.12", "2.50", "0.25"]


def test_sentence_pairs_are_those_of_both_sides(
    table: Path, rows: dict[tuple[str, str, str], dict[str, str]]
) -> None:
    row = rows["en-de", "", "pairs_unknown"]
    assert (row["before"], row["after"]) == ("160", "60")
    assert shown(table, "kept", 2) == ["9,800", "9,900"]
    assert shown(table, "kept by all systems", 2) == ["9,750", "9,750"]


def test_the_limits_are_told(table: Path) -> None:
    notes = " ".join(read_json(table.with_suffix(".json"))["notes"])
    assert "a side of more than 50 words" in notes
    assert "more of both sides together than 10 %." in notes
    assert "the 1,600 most frequent make up (the paper: 30,000)" in notes
    assert "all pairs of the training text, before the trainings drop any" in notes


def shown(table: Path, label: str, number: int = 0) -> list[str]:
    """The cells of a row of a block."""
    block = read_json(table.with_suffix(".json"))["blocks"][number]
    (row,) = [row for row in block["rows"] if row["label"] == label]
    return [cell["text"] for cell in row["cells"]]


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        ({"en": {"before": {}, "after": {}}}, "unique_words of en before"),
        ({"en": {}}, "unique_words of en before"),
        ([], "unique_words of en before"),
    ],
)
def test_a_file_without_a_side_is_named(
    results: Results, tmp_path: Path, content: object, missing: str
) -> None:
    write_json(tmp_path / "en-fr.json", content)
    files = [tmp_path / "en-fr.json", results.folder / "coverage/en-de.json"]
    with pytest.raises(UserError, match=rf"en-fr.json: no {missing}"):
        write_table(
            tmp_path / "table3", table3(files, results.files("pairs/*.json"), results.experiment)
        )


def test_a_file_without_sentence_pairs_is_named(results: Results, tmp_path: Path) -> None:
    content = read_json(results.folder / "pairs/en-fr.json")
    write_json(tmp_path / "en-fr.json", content | {"after": {}})
    files = [tmp_path / "en-fr.json", results.folder / "pairs/en-de.json"]
    with pytest.raises(UserError, match=r"en-fr.json: no pairs before and after"):
        write_table(
            tmp_path / "table3", table3(results.files("coverage/*.json"), files, results.experiment)
        )


def test_a_missing_pair_is_named(results: Results, tmp_path: Path) -> None:
    words, counts = results.files("coverage/*.json"), results.files("pairs/*.json")
    with pytest.raises(UserError, match="coverage: no file for en-fr"):
        write_table(tmp_path / "t", table3(words[1:], counts, results.experiment))
    with pytest.raises(UserError, match="pairs: no file for en-de"):
        write_table(tmp_path / "t", table3(words, counts[:1], results.experiment))
