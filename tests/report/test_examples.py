"""Sentences as all systems translate them: which ones, and what is said where there is none."""

import csv
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from results_folder import Results
from sentence_results import example_arguments, written

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_lines
from contextnmt.report.experiment import experiment_of
from contextnmt.report.sentences import distance, examples, shown_examples
from contextnmt.report.tables import read_table

SOURCE = ["The bank rises .", "", "He sees the bank of the river here .", "A < b & c_d | 5 % ."]
REFERENCE = ["La banque monte .", "", "Il voit la rive du fleuve ici .", "Un < b & c_d | 5 % ."]
LABELS = ["RNNencdec-30", "RNNsearch-30", "RNNencdec-50", "RNNsearch-50", "RNNsearch-50*"]
SYSTEMS = [system["id"] for system in experiment("bahdanau2015")["systems"]]


def made_up(folder: Path, sentences: list[str], dev: list[str] | None = None) -> dict[str, Any]:
    """What `examples` is called with: the translations of the systems are longer and longer."""
    about = experiment("bahdanau2015") | {"sentences": {"en-fr": sentences}}
    for text, source in (("test", SOURCE), ("dev", dev or SOURCE)):
        write_lines(folder / f"tokenize/en-fr/{text}.en.gz", source)
        write_lines(folder / f"tokenize/en-fr/{text}.fr.gz", REFERENCE)
        for number, system in enumerate(SYSTEMS):
            lines = [" ".join(line.split()[:number]) for line in REFERENCE]
            write_lines(folder / f"restore/en-fr/{system}/1/{text}.beam12.gz", lines)
    return example_arguments(Results(folder, about))


def rows(arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of the table that `examples` makes."""
    written(examples, arguments)
    data: list[dict[str, Any]] = read_json(arguments["out"].with_suffix(".json"))["data"]
    return data


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


def of_lines(arguments: dict[str, Any], source: list[str], outputs: dict[str, list[str]]) -> None:
    """Give the test text these lines, and the systems these translations of it."""
    for path in [*arguments["source"], *arguments["reference"]]:
        if path.name.startswith("test"):
            write_lines(path, source)
    for path in arguments["hypothesis"]:
        if path.name.startswith("test"):
            write_lines(path, outputs[path.parts[-3]])


def test_lines_on_which_systems_differ_most_follow(tmp_path: Path) -> None:
    """By how much they differ: on the first lines all differ too, but in a single word."""
    arguments = made_up(tmp_path, [])
    source = [f"here is a sentence of {number} ." for number in range(12)]
    words = [f"{number} un deux trois quatre cinq" for number in range(12)]
    outputs = {system: [f"{line} {system}" for line in words] for system in SYSTEMS}
    for line, some in {6: 2, 8: 5, 9: 3, 11: 4}.items():
        for system in SYSTEMS[:some]:
            outputs[system][line] = " ".join(f"{system}-{number}" for number in range(7))
    of_lines(arguments, source, outputs)
    assert [row["line"] for row in rows(arguments)[::7]] == [7, 9, 10, 12]


def test_of_equal_differences_the_first_readable_lines_are_shown(tmp_path: Path) -> None:
    arguments = made_up(tmp_path, [])
    source = ["too short", *["a sentence of six words ."] * 4, "so is this", "and this one"]
    same = ["a", "b", "c", "d", "e", "f", "g"]
    outputs = {system: list(same) for system in SYSTEMS}
    outputs[SYSTEMS[-1]] = ["other"] * 3 + ["d"] + ["other"] * 3
    of_lines(arguments, source, outputs)
    # Line 4, on which all agree, is not among them.
    assert [row["line"] for row in rows(arguments)[::7]] == [1, 2, 3, 5]


def test_distance_counts_words_as_often_as_they_are_there() -> None:
    assert distance(["a b", "b a"]) == distance(["", ""]) == distance(["a b"]) == distance([]) == 0
    assert distance(["a b", "c d"]) == distance(["", "c"]) == 1
    assert distance(["a a a b", "a b b b"]) == pytest.approx(4 / 8)
    assert distance(["a", "a", "b"]) == pytest.approx(2 / 3)


def test_one_system_differs_from_none(tmp_path: Path) -> None:
    arguments = made_up(tmp_path, ["The bank"])
    only = [path for path in arguments["hypothesis"] if "rnnsearch-50/" in str(path)]
    data = rows(arguments | {"hypothesis": only})
    assert [row["words"] for row in data] == ["The bank"] * 7
    (pair,) = shown_examples(arguments["about"], data)
    assert (len(pair.chosen), pair.differ) == (1, [])


def test_dev_texts_are_searched_after_test_texts(tmp_path: Path) -> None:
    dev = ["The bank rises .", "An owl .", "", ""]
    data = rows(made_up(tmp_path, ["An owl", "The bank"], dev))
    assert [(row["text"], row["line"]) for row in data[:14:7]] == [("dev", 2), ("test", 1)]


def test_a_sentence_that_is_not_there_is_a_gap(tmp_path: Path) -> None:
    arguments = made_up(tmp_path, ["no such words", "The bank"])
    gap, *others = rows(arguments)
    assert (gap["text"], gap["line"], gap["version"]) == ("", None, "")
    assert gap["gap"] == "no sentence of test, dev has the words “no such words” in a row"
    assert others[0]["words"] == "The bank"
    table = read_table(arguments["out"].with_suffix(".json"))
    assert table.notes == [f"English → French: {gap['gap']}"]
    (pair,) = shown_examples(arguments["about"], table.data)
    assert [example.gap for example in pair.chosen] == [gap["gap"], ""]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("missing", "no such file"),
        ("not given", "no test.beam12: not translated"),
        ("short", "test.beam12.gz has 1 lines and its source has 4"),
        ("damaged", "damaged gzip file"),
    ],
)
def test_a_translation_of_no_use_is_a_gap(tmp_path: Path, change: str, reason: str) -> None:
    arguments = made_up(tmp_path, ["The bank"])
    (path,) = (p for p in arguments["hypothesis"] if "search-30/1/test" in str(p))
    if change == "missing":
        path.unlink()
    elif change == "not given":
        arguments["hypothesis"].remove(path)
    elif change == "short":
        write_lines(path, ["only this"])
    else:
        path.write_bytes(path.read_bytes()[:-9])
    data = rows(arguments)
    gaps = [row for row in data if row["gap"]]
    assert {row["version"] for row in gaps} == {"rnnsearch-30"}
    assert len(gaps) == 1 + 3  # the chosen one, and all lines but the empty one
    assert all(reason in row["gap"] and row["tokens"] == "" for row in gaps)


def test_without_any_translation_there_are_still_sources(tmp_path: Path) -> None:
    data = rows(made_up(tmp_path, ["The bank"]) | {"hypothesis": []})
    assert len(data) == 7  # the chosen one: none differs from another
    assert all(bool(row["gap"]) == (row["version"] in SYSTEMS) for row in data)


def test_mistakes_are_named(tmp_path: Path) -> None:
    arguments = made_up(tmp_path, [])
    for option in ("source", "reference"):
        with pytest.raises(UserError, match=rf"{option}: no file for en-fr/(dev|test)"):
            written(examples, arguments | {option: arguments[option][1:]})
    other = tmp_path / "restore/en-fr/rnnsearch-50/1/test.beam10.gz"
    with pytest.raises(UserError, match=r"test\.beam10 is not part of the experiment"):
        written(examples, arguments | {"hypothesis": [other]})
    write_lines(arguments["reference"][0], REFERENCE[:2])
    with pytest.raises(UserError, match="has 4 lines and"):
        written(examples, arguments)


def test_words_of_translations_are_compared_with_the_reference(tmp_path: Path) -> None:
    arguments = made_up(tmp_path, ["The bank"])
    for path in arguments["hypothesis"]:
        write_lines(path, ["La banque UNK UNK .", "", "", ""])
    about = arguments["about"]
    (pair,) = shown_examples(about, rows(arguments))
    (chosen,) = pair.chosen
    assert chosen.place == "test, line 1"
    assert [translation.label for translation in chosen.translations] == LABELS
    assert {tuple(translation.words) for translation in chosen.translations} == {
        (("La", True), ("banque", True), ("UNK", False), ("UNK", False), (".", True))
    }
    assert (pair.source_language, pair.target_language, pair.text) == ("en", "fr", "test")


def test_the_table_has_all_formats(tmp_path: Path) -> None:
    arguments = made_up(tmp_path, ["A < b"])
    written(examples, arguments)
    out = arguments["out"]
    with out.with_suffix(".csv").open(newline="") as table:
        read = list(csv.DictReader(table))
    assert [row["line"] for row in read[:7]] == ["4"] * 7
    assert read[0]["tokens"] == SOURCE[3]
    markdown = out.with_suffix(".md").read_text()
    assert "**English → French, test, line 4 (chosen)**" in markdown
    assert r"A \< b & c_d \| 5 % ." in markdown
    assert "RNNencdec-30" in out.with_suffix(".tex").read_text()
    before = {suffix: out.with_suffix(suffix).read_bytes() for suffix in (".csv", ".json", ".tex")}
    turned = {key: arguments[key][::-1] for key in ("source", "reference", "hypothesis")}
    written(examples, arguments | turned)
    assert {suffix: out.with_suffix(suffix).read_bytes() for suffix in before} == before


def test_a_pair_without_sentences_has_no_chosen_ones(results: Results, tmp_path: Path) -> None:
    about = results.about | {"sentences": {"en-de": ["the bank by the river"]}}
    arguments = example_arguments(results) | {
        "about": experiment_of(about),
        "out": tmp_path / "examples",
    }
    french, german = shown_examples(arguments["about"], rows(arguments))
    assert french.chosen == []
    assert [example.place for example in german.chosen] == ["test, line 1"]
