"""The sentences in which two systems differ most: each pair of systems."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from sacrebleu.metrics import CHRF
from sentence_results import written

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.differences import (
    Shown,
    contrasts_of,
    differences,
    on_page,
    shown_differences,
)
from contextnmt.report.experiment import Claim, experiment_of
from contextnmt.report.sentence_gains import Word
from contextnmt.report.tables import Table, read_table

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


NAME = "test.beam12.gz"


def made_up(
    folder: Path, without: list[str] = WITHOUT, present: list[str] = PRESENT
) -> dict[str, Any]:
    """What `differences` is called with: one language pair, two systems, one contrast of them, one
    that a system lacks for; a vocabulary of six words."""
    about = experiment("choi2017", (1, 2), ("test",))
    about |= {"pairs": ["en-fr"], "systems": about["systems"][:2], "vocabulary_size": 6}
    about["claims"] = []
    contrasts = [["context", "baseline"], ["bpe", "absent"]]
    about |= {"methods": [{"id": "C", "name": "contextualization", "contrasts": contrasts}]}
    texts = {
        "tokenize/en-fr/test.en.gz": SOURCE,
        "tokenize/en-fr/test.fr.gz": REFERENCE,
        "word-counts/en-fr/en.tsv": COUNTS,
        "word-counts/en-fr/fr.tsv": ["le\t3"],
        f"restore/en-fr/baseline/1/{NAME}": without,
        f"restore/en-fr/context/1/{NAME}": present,
    }
    for name, lines in texts.items():
        write_lines(folder / name, lines)
    source, reference, source_counts, target_counts, *hypotheses = (folder / name for name in texts)
    return {
        "source": [source],
        "reference": [reference],
        "source_counts": [source_counts],
        "target_counts": [target_counts],
        "hypothesis": hypotheses[::-1],
        "about": experiment_of(about),
        "out": folder / "tables" / "differences",
    }


def table_of(arguments: dict[str, Any]) -> Table:
    """The table that `differences` makes."""
    written(differences, arguments)
    return read_table(arguments["out"].with_suffix(".json"))


def found(arguments: dict[str, Any]) -> Shown:
    """What it tells of the one contrast."""
    about = arguments["about"]
    (contrast,) = shown_differences(about, table_of(arguments).data)
    return contrast


def kinds(words: list[Word]) -> dict[str, str]:
    return {word.text: word.kind for word in words if word.kind}


def test_the_greatest_differences_come_first(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path))
    assert (contrast.present, contrast.without) == ("+Context (C)", "Baseline")
    assert (contrast.better, contrast.worse, contrast.equal) == (3, 1, 1)
    gains = [each.gain for each in contrast.gains]
    assert gains == sorted(gains, reverse=True)
    assert {each.line for each in contrast.gains} == {1, 4, 5}
    assert [each.line for each in contrast.losses] == [3]
    for each in [*contrast.gains, *contrast.losses]:
        texts = (PRESENT[each.line - 1], WITHOUT[each.line - 1])
        with_it, without_it = (
            CHRF().sentence_score(text, [REFERENCE[each.line - 1]]).score for text in texts
        )
        assert each.gain == pytest.approx(with_it - without_it)


def test_names_numbers_acronyms_and_unknown_words_are_marked(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path))
    lines = {each.line: each for each in [*contrast.gains, *contrast.losses]}
    first = lines[1]
    assert kinds(first.source) == {"Jean": "name", "Barbe": "name", "IMF": "acronym", "3": "number"}
    assert kinds(first.reference) == {
        **{"Jean": "name", "Barbe": "name"},
        **{"FMI": "acronym", "3": "number"},
    }
    assert kinds(first.present) == {"Jean": "name", "Barbe": "name", "FMI": "acronym"}
    assert "3" not in [word.text for word in first.present]  # which got lost
    assert [word.text for word in first.without if word.unknown] == ["UNK", "UNK"]
    assert [word.text for word in first.source if word.unknown] == [
        *("Jean", "Barbe", "IMF", "saw", "3", "cats")
    ]
    assert kinds(lines[5].source) == kinds(lines[5].source[:1]) == {"2.5Kg": "number"}
    assert kinds(lines[5].present) == {"2,5Kg": "number"}
    for each in lines.values():
        texts = (each.source, each.reference, each.without, each.present)
        for words, text in zip(texts, (SOURCE, REFERENCE, WITHOUT, PRESENT), strict=True):
            assert " ".join(word.text for word in words) == text[each.line - 1]


def test_equal_translations_have_no_differences(tmp_path: Path) -> None:
    contrast = found(made_up(tmp_path, PRESENT, PRESENT))
    assert (contrast.better, contrast.worse, contrast.equal) == (0, 0, 5)
    assert contrast.gains == contrast.losses == []
    assert contrast.gap == "no sentence differs in its chrF"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("missing", "no such file"),
        ("not given", "no test.beam12: not translated"),
        ("short", "test.beam12.gz has 4 lines and its source has 5"),
    ],
)
def test_a_translation_of_no_use_is_a_gap(tmp_path: Path, change: str, reason: str) -> None:
    arguments = made_up(tmp_path, present=PRESENT[:4] if change == "short" else PRESENT)
    path, _ = arguments["hypothesis"]
    if change == "missing":
        path.unlink()
    elif change == "not given":
        arguments["hypothesis"].remove(path)
    contrast = found(arguments)
    assert reason in contrast.gap
    assert (contrast.better, contrast.gains, contrast.losses) == (None, [], [])
    table = read_table(arguments["out"].with_suffix(".json"))
    (counts,) = table.blocks
    assert [cell.text for cell in counts.rows[0][1]] == ["–"] * 3
    assert reason in table.notes[-1]


def test_mistakes_are_named(tmp_path: Path) -> None:
    arguments = made_up(tmp_path)
    for option in ("source", "reference", "source_counts", "target_counts"):
        with pytest.raises(UserError, match=f"{option.replace('_', ' ')}: no file for en-fr"):
            written(differences, arguments | {option: []})
    write_lines(arguments["reference"][0], REFERENCE[:2])
    with pytest.raises(UserError, match="has 5 lines and"):
        written(differences, arguments)


def test_the_table_has_a_row_a_version_and_all_formats(tmp_path: Path) -> None:
    arguments = made_up(tmp_path)
    table = table_of(arguments)
    assert len(table.data) == 4 * 4  # sentences, versions
    out = arguments["out"]
    with out.with_suffix(".csv").open(newline="") as stream:
        source, reference, without, present = list(csv.DictReader(stream))[4:8]
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
    markdown = out.with_suffix(".md").read_text()
    assert "over Baseline: test, line 1, +" in markdown
    assert SOURCE[0] in out.with_suffix(".tex").read_text()


def test_one_system_has_no_other_to_differ_from(tmp_path: Path) -> None:
    arguments = made_up(tmp_path)
    about = arguments["about"]
    arguments["hypothesis"].pop(0)
    table = table_of(arguments | {"about": replace(about, systems=about.systems[:1], claims=[])})
    assert (table.blocks, table.data) == ([], [])
    assert table.notes == ["There is no second system to differ from."]


def of_four(folder: Path) -> dict[str, Any]:
    """What `differences` is called with: four systems, of which a method and a claim name some."""
    arguments = made_up(folder)
    systems = experiment_of(experiment("choi2017")).systems[:4]
    claims = [
        Claim("It adds", [("context", "baseline"), ("baseline", "symbol")]),
        Claim("So do both", [("context-symbol", "symbol"), ("bpe", "absent")]),
    ]
    about = replace(arguments["about"], systems=systems, claims=claims)
    for system, lines in {"symbol": REFERENCE, "context-symbol": PRESENT[::-1]}.items():
        path = folder / f"restore/en-fr/{system}/1/{NAME}"
        write_lines(path, lines)
        arguments["hypothesis"].append(path)
    return arguments | {"about": about}


def test_every_two_systems_are_compared_once(tmp_path: Path) -> None:
    about = of_four(tmp_path)["about"]
    assert list(map(tuple, contrasts_of(about))) == [
        ("method", "C", "context", "baseline"),
        ("claim", "", "baseline", "symbol"),  # as the paper has it, not the later over the earlier
        ("claim", "", "context-symbol", "symbol"),
        ("other", "", "context-symbol", "baseline"),
        ("other", "", "symbol", "context"),
        ("other", "", "context-symbol", "context"),
    ]


def test_the_files_have_all_pairs_of_systems(tmp_path: Path) -> None:
    arguments = of_four(tmp_path)
    table = table_of(arguments)
    with arguments["out"].with_suffix(".csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    contrasts = list(contrasts_of(arguments["about"]))
    keys = ("kind", "method", "present", "without")
    assert list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows)) == contrasts
    assert [label for label, _ in table.blocks[0].rows] == [
        "contextualization, +Context (C) over Baseline",
        "a claim of the paper, Baseline over +Symbol (S)",
        "a claim of the paper, +C+S over +Symbol (S)",
        "+C+S over Baseline",
        "+Symbol (S) over +Context (C)",
        "+C+S over +Context (C)",
    ]
    other = [row for row in rows if (row["present"], row["without"]) == ("symbol", "context")]
    scores = [
        [
            CHRF().sentence_score(line, [right]).score
            for line, right in zip(text, REFERENCE, strict=True)
        ]
        for text in (REFERENCE, PRESENT)
    ]
    gains = {
        number: with_it - without_it
        for number, (with_it, without_it) in enumerate(zip(*scores, strict=True), start=1)
        if with_it != without_it
    }
    assert {int(row["line"]): float(row["gain"]) for row in other} == pytest.approx(gains)


def test_the_page_shows_the_greatest_difference_alone_of_other_pairs(tmp_path: Path) -> None:
    arguments = of_four(tmp_path)
    about, rows = arguments["about"], table_of(arguments).data
    whole, cut = shown_differences(about, rows), on_page(shown_differences(about, rows))
    assert cut[:3] == whole[:3]
    for every, first in zip(whole[3:], cut[3:], strict=True):
        assert (first.gains, first.losses) == (every.gains[:1], every.losses[:1])
        assert (first.better, first.worse) == (every.better, every.worse)
    assert any(len(every.gains) > 1 for every in whole[3:])


def test_a_missing_translation_is_noted_where_pairs_are_named(tmp_path: Path) -> None:
    arguments = of_four(tmp_path)
    arguments["hypothesis"].pop()
    table = table_of(arguments)
    reason = "+C+S over +Symbol (S): no test.beam12: not translated."
    assert [note for note in table.notes if "not translated" in note] == [
        f"English → French, a claim of the paper, {reason}"
    ]
    assert "A dash: no translation of one of the two; the CSV file has the reason." in table.notes
    gaps = [row for row in table.data if row["gap"]]
    assert {(row["kind"], row["present"]) for row in gaps} == {
        ("claim", "context-symbol"),
        ("other", "context-symbol"),
    }
