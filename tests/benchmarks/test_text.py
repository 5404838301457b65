"""benchmarks/text.py: every command runs as it is written there, and its peer makes the same."""

import runpy
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPT = runpy.run_path(str(BENCHMARKS / "text.py"))

PAIRS = [
    ("Mr. Smith's dog isn't 7, he says.", "Le chien de M. Smith n'a pas 7 ans, dit-il."),
    ("The EU pays 1,000 euros to Berlin.", "L'UE paie 1 000 euros à Berlin."),
    ("", "vide"),
    ("The dogs of the U.S. bark.", "Les chiens des U.S. aboient."),
]
LANGUAGES = {"source": "en", "target": "fr"}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, list]:
    """A text that every command has run on, and what the commands took."""
    text = SCRIPT["prepare"]("whole", tmp_path_factory.mktemp("text") / "new", PAIRS * 5)
    costs = [
        SCRIPT["measure"](text, command, line.format(**LANGUAGES).split())
        for command, line in SCRIPT["COMMANDS"].items()
    ]
    return text, costs


def test_commands_are_measured(measured: tuple) -> None:
    _, costs = measured
    assert [cost.command for cost in costs] == list(SCRIPT["COMMANDS"])
    for cost in costs:
        assert cost.pairs == 20
        assert 0.01 < cost.cpu < 60
        assert 10 < cost.megabytes < 1000


def test_the_libraries_make_what_the_commands_make(measured: tuple) -> None:
    peers = list(SCRIPT["peers"](measured[0], list(LANGUAGES.values())))
    assert {peer.command for peer in peers} <= set(SCRIPT["COMMANDS"])
    assert [peer.agrees for peer in peers] == [True] * 4


def test_another_output_is_told(measured: tuple) -> None:
    _, costs = measured
    peer = SCRIPT["compare"]("tokenize", "sacremoses", 2, ["a", "b"], ["a", "c"])
    assert not peer.agrees
    assert any("| **no** |" in line for line in SCRIPT["report"](costs, [peer], []))


def test_entries_of_tables_take_memory(measured: tuple) -> None:
    text, costs = measured
    more = text._replace(folder=text.folder.parent / "more")
    more.folder.mkdir()
    for name in ("counts.source.tsv", "sym.rates.tsv", "sym.rules.tsv"):
        (more.folder / name).write_text((text.folder / name).read_text() + "more\t1\n")
    tables = list(SCRIPT["tables"](text, more, "en", costs))
    assert {table.command for table in tables} & set(SCRIPT["COMMANDS"])
    assert "rates" in {table.name for table in tables}
    for table in tables:
        assert table.entries > 0
        if table.command != "bpe, learning":  # measured as the difference of two texts
            assert 20 < table.size < 1_000_000, table


def test_a_report_has_a_row_a_command(measured: tuple) -> None:
    lines = SCRIPT["report"](measured[1], [], [])
    assert sum(line.startswith("| tokenize | whole | 20 |") for line in lines) == 1
    assert len({line.count("|") for line in lines[: len(SCRIPT["COMMANDS"]) + 2]}) == 1
