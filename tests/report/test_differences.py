"""The sentences in which two systems differ most: each pair of systems."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import claim, experiment, method
from results_folder import Made
from sacrebleu.metrics import CHRF

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.differences import (
    Word,
    comparisons,
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
COUNTS = ["the\t9", "cat\t8", "of\t7", "sleeps\t6", ".\t5", "a\t4"]


def made_up(folder: Path, without: list[str] = WITHOUT, present: list[str] = PRESENT) -> Made:
    """One language pair, two systems, one contrast of them, one that a system lacks for; a
    vocabulary of six words."""
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


def output(folder: Path, system: str) -> Path:
    """The translation of a system."""
    return folder / f"restore/en-fr/{system}/1/test.beam12.gz"


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


def counts_in(contrast: dict[str, Any]) -> list[int | None]:
    return [contrast[key] for key in ("better", "worse", "equal")]


def gains_of(present: list[str], without: list[str]) -> dict[int, float]:
    """Line -> the chrF of one translation less that of the other, where they differ in it."""
    found = {}
    for number, (*both, right) in enumerate(zip(present, without, REFERENCE, strict=True), start=1):
        one, other = (CHRF().sentence_score(line, [right]).score for line in both)
        if one != other:
            found[number] = one - other
    return found


def kinds(words: list[Word]) -> dict[str, str]:
    return {word.text: word.kind for word in words if word.kind}


def test_the_greatest_differences_come_first(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path))
    assert contrast["labels"] == ("Source", "Reference", "Baseline", "+Context (C)")
    assert counts_in(contrast) == [3, 1, 1]
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
    source, reference, without, present = lines[1]
    assert kinds(source) == {"Jean": "name", "Barbe": "name", "IMF": "acronym", "3": "number"}
    assert kinds(reference) == {
        **{"Jean": "name", "Barbe": "name"},
        **{"FMI": "acronym", "3": "number"},
    }
    assert kinds(present) == {"Jean": "name", "Barbe": "name", "FMI": "acronym"}
    assert "3" not in [word.text for word in present]  # which got lost
    assert [word.text for word in without if word.unknown] == ["UNK", "UNK"]
    assert [word.text for word in source if word.unknown] == [
        *("Jean", "Barbe", "IMF", "saw", "3", "cats")
    ]
    source, _, _, present = lines[5]
    assert kinds(source) == kinds(source[:1]) == {"2.5Kg": "number"}
    assert kinds(present) == {"2,5Kg": "number"}
    for line, versions in lines.items():
        for words, text in zip(versions, (SOURCE, REFERENCE, WITHOUT, PRESENT), strict=True):
            assert " ".join(word.text for word in words) == text[line - 1]


def test_equal_translations_have_no_differences(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path, PRESENT, PRESENT))
    assert counts_in(contrast) == [0, 0, 5]
    assert contrast["gains"] == contrast["losses"] == []
    assert contrast["gap"] == "no sentence differs in its chrF"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("missing", "no such file"),
        ("not finished", "+Context (C): stopped early"),
        ("short", "test.beam12.gz has 4 lines and its source has 5"),
    ],
)
def test_a_translation_of_no_use_is_a_gap(tmp_path: Path, change: str, reason: str) -> None:
    made = made_up(tmp_path, present=PRESENT[:4] if change == "short" else PRESENT)
    if change == "missing":
        output(tmp_path, "context").unlink()
    elif change == "not finished":
        made.about["gaps"] = {"en-fr": {"context": "stopped early"}}
    contrast = found(made)
    assert reason in contrast["gap"]
    assert [contrast[key] for key in ("better", "gains", "losses")] == [None, [], []]
    table = differences(made.results)
    (counts,) = table.blocks
    assert [cell.text for cell in counts.rows[0][1]] == ["–"] * 3
    assert reason in table.notes[-1]


def test_sides_of_different_lengths_are_named(tmp_path: Path) -> None:
    made = made_up(tmp_path)
    write_lines(tmp_path / "tokenize/en-fr/test.fr.gz", REFERENCE[:2])
    with pytest.raises(UserError, match=r"test\.en\.gz has 5 lines and"):
        differences(made.results)


def test_the_table_has_a_row_a_version_and_all_formats(tmp_path: Path) -> None:
    table = differences(made_up(tmp_path).results)
    assert len(table.data) == 4 * 4  # sentences, versions
    texts = texts_of(table)
    source, reference, without, present = list(csv.DictReader(io.StringIO(texts["csv"])))[4:8]
    assert [row["version"] for row in (source, reference, without, present)] == [
        *("source", "reference", "baseline", "context")
    ]
    assert source["tokens"] == SOURCE[int(source["line"]) - 1]
    assert (source["better"], source["worse"], source["equal"]) == ("3", "1", "1")
    (first,) = (row for row in table.data if (row["line"], row["version"]) == (1, "source"))
    assert (first["names"], first["numbers"], first["acronyms"]) == ("1 2", "7", "5")
    assert first["unknown"] == "1 2 5 6 7 8"
    counts, *_ = table.blocks
    ((label, cells),) = counts.rows
    assert label == "contextualization, +Context (C) over Baseline"
    assert [cell.text for cell in cells] == ["3", "1", "1"]
    assert "over Baseline: test, line 1, +" in texts["md"]
    assert SOURCE[0] in texts["tex"]


def test_one_system_has_no_other_to_differ_from(tmp_path: Path) -> None:
    results = made_up(tmp_path).results
    table = differences(replace(results, systems=results.systems[:1]))
    assert (table.blocks, table.data) == ([], [])
    assert table.notes == ["There is no second system to differ from."]


def test_every_two_systems_are_compared_once(tmp_path: Path) -> None:
    made = of_four(tmp_path)
    expected = [
        ("method", "C", "context", "baseline"),
        ("claim", "", "baseline", "symbol"),  # as the paper has it, not the later over the earlier
        ("claim", "", "context-symbol", "symbol"),
        ("other", "", "context-symbol", "baseline"),
        ("other", "", "symbol", "context"),
        ("other", "", "context-symbol", "context"),
    ]
    assert list(comparisons(made.results)) == expected
    table = differences(made.results)
    keys = ("kind", "method", "present", "without")
    assert list(dict.fromkeys(tuple(row[key] for key in keys) for row in table.data)) == expected
    assert [label for label, _ in table.blocks[0].rows] == [
        "contextualization, +Context (C) over Baseline",
        "a claim of the paper, Baseline over +Symbol (S)",
        "a claim of the paper, +C+S over +Symbol (S)",
        "+C+S over Baseline",
        "+Symbol (S) over +Context (C)",
        "+C+S over +Context (C)",
    ]
    gains = {
        row["line"]: row["gain"]
        for row in table.data
        if (row["present"], row["without"]) == ("symbol", "context")
    }
    assert gains == pytest.approx(gains_of(REFERENCE, PRESENT))


def test_a_missing_translation_is_noted_where_pairs_are_named(tmp_path: Path) -> None:
    made = of_four(tmp_path)
    made.about["gaps"] = {"en-fr": {"context-symbol": "not translated"}}
    table = differences(made.results)
    assert [note for note in table.notes if "not translated" in note] == [
        "English → French, a claim of the paper, +C+S over +Symbol (S): +C+S: not translated."
    ]
    assert "A dash: no translation of one of the two; the CSV file has the reason." in table.notes
    gaps = [row for row in table.data if row["gap"]]
    assert {(row["kind"], row["present"]) for row in gaps} == {
        ("claim", "context-symbol"),
        ("other", "context-symbol"),
    }
