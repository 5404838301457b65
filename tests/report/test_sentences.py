"""Sentences as all systems translate them: which ones, and what is said where there is none."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from results_folder import Made

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.sentences import (
    Place,
    examples,
    place_of,
    shown_examples,
)
from contextnmt.report.tables import texts_of

TEXTS = {
    "test": ["The dog sleeps .", 'Disney \'s efforts : " it is part of them , " he said .'],
    "dev": ["The old dog sleeps .", "The dog is an other dogma .", "a bbb a bb"],
}

SOURCE = ["The bank rises .", "", "He sees the bank of the river here .", "A < b & c_d | 5 % ."]
REFERENCE = ["La banque monte .", "", "Il voit la rive du fleuve ici .", "Un < b & c_d | 5 % ."]
SYSTEMS = [system["id"] for system in experiment("bahdanau2015")["systems"]]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("dog sleeps.", Place("test", 1)),
        ("Disney's efforts", Place("test", 2)),
        ('"it  is part', Place("test", 2)),
        ("another", Place("dev", 2)),
        ("The old", Place("dev", 1)),
        ("a bb", Place("dev", 3)),  # after something like it
        ("The do", None),
        ("he dog", None),
        ("the dog", None),
    ],
)
def test_the_first_line_with_whole_words_in_a_row_is_found(words: str, place: Place | None) -> None:
    note = f"no sentence of test, dev has the words “{words}” in a row"
    assert place_of(words, TEXTS) == (place or note)


def rows(made: Made) -> list[dict[str, Any]]:
    """The rows of the table of examples."""
    return examples(made.results).data


def write_text(
    folder: Path, text: str, source: list[str], reference: list[str], outputs: dict[str, list[str]]
) -> None:
    """Source, reference and each system's translation of a text."""
    write_lines(folder / f"tokenize/en-fr/{text}.en.gz", source)
    write_lines(folder / f"tokenize/en-fr/{text}.fr.gz", reference)
    for system, lines in outputs.items():
        write_lines(folder / f"restore/en-fr/{system}/1/{text}.beam12.gz", lines)


def made_up(folder: Path, sentences: list[str]) -> Made:
    """A results folder in which the translations of the systems are longer and longer."""
    outputs = {
        system: [" ".join(line.split()[:number]) for line in REFERENCE]
        for number, system in enumerate(SYSTEMS)
    }
    for text in ("test", "dev"):
        write_text(folder, text, SOURCE, REFERENCE, outputs)
    return Made(folder, experiment("bahdanau2015") | {"sentences": {"en-fr": sentences}})


def test_one_system_differs_from_none(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["The bank"])
    made.about["gaps"] = {"en-fr": {each: "not trained" for each in SYSTEMS if each != SYSTEMS[3]}}
    data = rows(made)
    assert [row["words"] for row in data] == ["The bank"] * 7
    (pair,) = shown_examples(made.results, data)
    assert (len(pair["chosen"]), pair["differ"]) == (1, [])


def test_without_any_translation_there_are_still_sources(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["The bank"])
    for path in made.files("restore/*/*/1/*.gz"):
        path.unlink()
    data = rows(made)
    assert len(data) == 7  # the chosen one: none differs from another
    assert all(bool(row["gap"]) == (row["version"] in SYSTEMS) for row in data)


def test_sides_of_different_lengths_are_named(tmp_path: Path) -> None:
    made = made_up(tmp_path, [])
    write_lines(tmp_path / "tokenize/en-fr/dev.fr.gz", REFERENCE[:2])
    with pytest.raises(UserError, match=r"dev\.en\.gz has 4 lines and .*dev\.fr\.gz has 2"):
        rows(made)


def test_the_table_has_all_formats(tmp_path: Path) -> None:
    texts = texts_of(examples(made_up(tmp_path, ["A < b"]).results))
    read = list(csv.DictReader(io.StringIO(texts["csv"])))
    assert [row["line"] for row in read[:7]] == ["4"] * 7
    assert read[0]["tokens"] == SOURCE[3]
    assert "**English → French, test, line 4 (chosen)**" in texts["md"]
    assert r"A \< b \& c\_d \| 5 % ." in texts["md"]
    assert "RNNencdec-30" in texts["tex"]


def test_a_pair_without_sentences_has_no_chosen_ones(results: Made) -> None:
    made = Made(results.folder, results.about | {"sentences": {"en-de": ["the bank by the river"]}})
    french, german = shown_examples(made.results, rows(made))
    assert french["chosen"] == []
    assert [(rows[0]["text"], rows[0]["line"]) for rows in german["chosen"]] == [("test", 1)]


def test_chosen_sentences_come_first_in_their_order(tmp_path: Path) -> None:
    data = rows(made_up(tmp_path, ["bank of the river", "The bank"]))
    first, second = data[:7], data[7:14]
    assert {(row["text"], row["line"], row["words"]) for row in first} == {
        ("test", 3, "bank of the river")
    }
    assert {row["line"] for row in second} == {1}
    assert [row["version"] for row in first] == ["source", "reference", *SYSTEMS]
    assert [row["tokens"] for row in first] == [
        *(SOURCE[2], REFERENCE[2], "", "Il", "Il voit", "Il voit la", "Il voit la rive")
    ]
    assert {row["gap"] for row in data} == {""}


def test_lines_on_which_systems_differ_most_follow(tmp_path: Path) -> None:
    """By how much they differ: on the first lines all differ too, but in a single word. Of equals
    they are the first ones of a readable length."""
    made = made_up(tmp_path, [])
    source = [f"here is a sentence of {number} ." for number in range(12)]
    words = [f"{number} un deux trois quatre cinq" for number in range(12)]
    outputs = {system: [f"{line} {system}" for line in words] for system in SYSTEMS}
    for line, some in {6: 2, 8: 5, 9: 3, 11: 4}.items():
        for system in SYSTEMS[:some]:
            outputs[system][line] = " ".join(f"{system}-{number}" for number in range(7))
    write_text(tmp_path, "test", source, source, outputs)
    assert [row["line"] for row in rows(made)[::7]] == [7, 9, 10, 12]
    source = ["too short", *["a sentence of six words ."] * 4, "so is this", "and this one"]
    outputs = {system: ["a", "b", "c", "d", "e", "f", "g"] for system in SYSTEMS}
    outputs[SYSTEMS[-1]] = ["other"] * 3 + ["d"] + ["other"] * 3
    write_text(tmp_path, "test", source, source, outputs)
    # Line 4, on which all agree, is not among them.
    assert [row["line"] for row in rows(made)[::7]] == [1, 2, 3, 5]


def test_a_sentence_that_is_not_there_is_a_gap(tmp_path: Path) -> None:
    made = made_up(tmp_path, ["no such words", "The bank"])
    table = examples(made.results)
    gap, *others = table.data
    assert (gap["text"], gap["line"], gap["version"]) == ("", None, "")
    assert gap["gap"] == "no sentence of test, dev has the words “no such words” in a row"
    assert others[0]["words"] == "The bank"
    assert table.notes == [f"English → French: {gap['gap']}"]


@pytest.mark.parametrize(
    ("damage", "gaps", "reason"),
    [
        (Path.unlink, {}, "no such file"),
        (Path.unlink, {"rnnsearch-30": "stopped early"}, "stopped early"),
        (lambda path: write_lines(path, ["."]), {}, "beam12.gz has 1 lines and its source has 4"),
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), {}, "damaged packed file"),
    ],
)
def test_a_translation_of_no_use_is_a_gap(
    tmp_path: Path, damage: Callable[[Path], Any], gaps: dict[str, str], reason: str
) -> None:
    made = made_up(tmp_path, ["The bank"])
    made.about["gaps"] = {"en-fr": gaps}
    damage(tmp_path / "restore/en-fr/rnnsearch-30/1/test.beam12.gz")
    found = [row for row in rows(made) if row["gap"]]
    assert {row["version"] for row in found} == {"rnnsearch-30"}
    assert len(found) == 1 + 3  # the chosen one, and all lines but the empty one
    assert all(reason in row["gap"] and row["tokens"] == "" for row in found)
