"""The sentences in which two systems differ most: each pair of systems."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import claim, experiment, method
from results_folder import Made, csv_rows
from sacrebleu.metrics import CHRF

from contextnmt.files import write_lines
from contextnmt.report.differences import (
    differences,
    shown_differences,
)
from contextnmt.report.tables import texts_of

SOURCE = [
    "Jean Barbe of the IMF saw 3 cats .",
    "the cat sleeps .",
    "the dog sleeps .",
    "a cat eats .",
    "2.5Kg of fish .",
]
REFERENCE = [
    "Jean Barbe du FMI a vu 3 chats .",
    "le chat dort .",
    "le chien dort .",
    "un chat mange .",
    "2,5Kg de poisson .",
]
WITHOUT = ["UNK du UNK a vu 3 chats .", "le chat dort .", "le chien dort .", "un chien mange .", ""]
PRESENT = [
    "Jean Barbe du FMI a vu chats .",
    "le chat dort .",
    "UNK",
    "un chat mange .",
    "2,5Kg de viande .",
]
#: Columns of the sentences that a system makes better, worse, and no different.
COUNTED = ("better", "worse", "equal")
COUNTS = ["the\t9", "cat\t8", "of\t7", "sleeps\t6", ".\t5", "a\t4"]


def output(folder: Path, system: str) -> Path:
    """The translation of a system."""
    return folder / f"restore/en-fr/{system}/1/test.beam12.gz"


def made_up(folder: Path, without: list[str] = WITHOUT, present: list[str] = PRESENT) -> Made:
    """One contrast of two systems, one that lacks a system, and a vocabulary of six words."""
    about = experiment("choi2017", (1, 2))
    contrasts = [("context", "baseline"), ("bpe", "absent")]
    about |= {
        "pairs": ["en-fr"],
        "systems": about["systems"][:2],
        "vocabulary_size": 6,
        "methods": [method("C", "contextualization", *contrasts)],
        "claims": [],
    }
    write_lines(folder / "tokenize/en-fr/test.en.gz", SOURCE)
    write_lines(folder / "tokenize/en-fr/test.fr.gz", REFERENCE)
    write_lines(folder / "word-counts/en-fr/en.tsv", COUNTS)
    write_lines(folder / "word-counts/en-fr/fr.tsv", ["le\t3"])
    write_lines(output(folder, "baseline"), without)
    write_lines(output(folder, "context"), present)
    return Made(folder, about)


def of_four(folder: Path) -> Made:
    """The same of four systems, of which a method and a claim name some."""
    made = made_up(folder)
    made.about["systems"] = experiment("choi2017")["systems"][:4]
    made.about["claims"] = [
        claim("It adds", ("context", "baseline"), ("baseline", "symbol")),
        claim("So do both", ("context-symbol", "symbol"), ("bpe", "absent")),
    ]
    write_lines(output(folder, "symbol"), REFERENCE)
    write_lines(output(folder, "context-symbol"), PRESENT[::-1])
    return made


def found(made: Made) -> dict[str, Any]:
    """The rows of the table of the one contrast."""
    (contrast,) = shown_differences(made.results, differences(made.results).data)
    return contrast


def gains_of(present: list[str], without: list[str]) -> dict[int, float]:
    """Line -> the chrF of one translation less that of the other, where they differ in it."""
    found = {}
    for number, (*both, right) in enumerate(zip(present, without, REFERENCE, strict=True), start=1):
        one, other = (CHRF().sentence_score(line, [right]).score for line in both)
        if one != other:
            found[number] = one - other
    return found


def test_the_greatest_differences_come_first(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path))
    assert contrast["labels"] == ("Source", "Reference", "Baseline", "+Context (C)")
    assert [contrast[key] for key in COUNTED] == [3, 1, 1]
    gains = [each[0]["gain"] for each in contrast["gains"]]
    assert gains == sorted(gains, reverse=True)
    assert [each[0]["line"] for each in contrast["losses"]] == [3]
    expected = gains_of(PRESENT, WITHOUT)
    shown = {each[0]["line"]: each[0]["gain"] for each in contrast["gains"] + contrast["losses"]}
    assert shown == pytest.approx(expected) and sorted(shown) == [1, 3, 4, 5]


def test_of_equal_differences_the_first_lines_are_shown(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["UNK"] * 6, ["le chat"] * 6)
    write_lines(tmp_path / "tokenize/en-fr/test.en.gz", ["the cat"] * 6)
    write_lines(tmp_path / "tokenize/en-fr/test.fr.gz", ["le chat"] * 6)
    assert [each[0]["line"] for each in found(made)["gains"]] == [1, 2, 3]


def test_names_numbers_acronyms_and_unknown_words_are_marked(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path))
    lines = {
        versions[0]["line"]: [row["words"] for row in versions]
        for versions in contrast["gains"] + contrast["losses"]
    }
    source, reference, _, present = (
        {word.text: word.kind for word in words if word.kind} for words in lines[1]
    )
    names = {"Jean": "name", "Barbe": "name"}
    assert source == names | {"IMF": "acronym", "3": "number"}
    assert reference == names | {"FMI": "acronym", "3": "number"}
    assert present == names | {"FMI": "acronym"}  # the number got lost
    unknown = [[word.text for word in words if word.unknown] for words in lines[1]]
    assert unknown == [["Jean", "Barbe", "IMF", "saw", "3", "cats"], [], ["UNK", "UNK"], []]
    source, *_, present = ([w for w in words if w.kind] for words in lines[5])
    assert [(word.text, word.kind) for word in source + present] == [
        *(("2.5Kg", "number"), ("2,5Kg", "number"))
    ]


def test_equal_translations_have_no_differences(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path, PRESENT, PRESENT))
    assert [contrast[key] for key in COUNTED] == [0, 0, 5]
    assert contrast["gains"] == contrast["losses"] == []
    assert contrast["gap"] == "no sentence differs in its chrF"


def test_the_table_has_a_row_a_version_and_all_formats(tmp_path: Path) -> None:
    table = differences(made_up(tmp_path).results)
    assert len(table.data) == 4 * 4  # sentences, versions
    rows = {(row["line"], row["version"]): row for row in csv_rows(table)}
    assert [version for _, version in rows][:4] == ["source", "reference", "baseline", "context"]
    first = rows["1", "source"]
    assert first["tokens"] == SOURCE[0]
    assert [first[key] for key in COUNTED] == ["3", "1", "1"]
    assert (first["names"], first["numbers"], first["acronyms"]) == ("1 2", "7", "5")
    assert first["unknown"] == "1 2 5 6 7 8"
    ((label, cells),) = table.blocks[0].rows
    assert label == "contextualization, +Context (C) over Baseline"
    assert [cell.text for cell in cells] == ["3", "1", "1"]
    texts = texts_of(table)
    assert "over Baseline: test, line 1, +" in texts["md"]
    assert SOURCE[0] in texts["tex"]


def test_one_system_has_no_other_to_differ_from(tmp_path: Path) -> None:
    results = made_up(tmp_path).results
    table = differences(replace(results, systems=results.systems[:1]))
    assert (table.blocks, table.data) == ([], [])
    assert table.notes == ["There is no second system to differ from."]


def test_every_two_systems_are_compared_once(tmp_path: Path) -> None:
    made = of_four(tmp_path)
    table = differences(made.results)
    keys = ("kind", "method", "present", "without")
    assert list(dict.fromkeys(tuple(row[key] for key in keys) for row in table.data)) == [
        ("method", "C", "context", "baseline"),
        ("claim", "", "baseline", "symbol"),  # as the paper has it, not the later over the earlier
        ("claim", "", "context-symbol", "symbol"),
        ("other", "", "context-symbol", "baseline"),
        ("other", "", "symbol", "context"),
        ("other", "", "context-symbol", "context"),
    ]
    labels = [label for label, _ in table.blocks[0].rows]
    assert labels[1] == "a claim of the paper, Baseline over +Symbol (S)"
    assert labels[4] == "+Symbol (S) over +Context (C)"
    gains = {
        row["line"]: row["gain"]
        for row in table.data
        if (row["present"], row["without"]) == ("symbol", "context")
    }
    assert gains == pytest.approx(gains_of(REFERENCE, PRESENT))


def test_a_missing_translation_is_noted_where_pairs_are_named(tmp_path: Path) -> None:
    made = of_four(tmp_path)
    output(tmp_path, "context-symbol").unlink()
    table = differences(made.results)
    where = "English → French, a claim of the paper, +C+S over +Symbol (S): "
    (note,) = (note for note in table.notes if "no such file" in note)
    assert note.startswith(where) and "context-symbol/1/test.beam12.gz: " in note
    assert "A dash: no translation of one of the two; the CSV file has the reason." in table.notes
    gaps = {(row["kind"], row["present"]) for row in table.data if row["gap"]}
    assert gaps == {("claim", "context-symbol"), ("other", "context-symbol")}
    assert [cell.text for cell in dict(table.blocks[0].rows)["+C+S over Baseline"]] == ["–"] * 3
    made.about["gaps"] = {"en-fr": {"context-symbol": "not translated"}}
    assert f"{where}+C+S: not translated." in differences(made.results).notes
