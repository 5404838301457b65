"""The report's folder as a research object: what it says of itself is true and complete."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contextnmt.files import file_digest, read_json

ROOT = Path(__file__).parents[2]


@pytest.fixture
def graph(reported: Path) -> dict[str, dict[str, Any]]:
    """The entities of the metadata by their names, of which none stands there twice."""
    entities = read_json(reported.parent / "ro-crate-metadata.json")["@graph"]
    named = {entity["@id"]: entity for entity in entities}
    assert len(named) == len(entities)
    return named


def references(value: Any) -> Iterator[str]:
    """The names that a value refers to."""
    if isinstance(value, list):
        for each in value:
            yield from references(each)
    elif isinstance(value, dict):
        yield value["@id"]


def test_every_file_of_the_folder_is_named_with_its_digest(graph, reported):
    folder = reported.parent
    there = {each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()}
    told = {name for name, each in graph.items() if "File" in each["@type"] and ":" not in name}
    assert told == there - {"ro-crate-metadata.json"}
    assert told <= {*references(graph["./"]["hasPart"])}
    for name in told - {"workflow/Snakefile"}:
        assert graph[name]["sha256"] == file_digest(folder / name), name
        assert graph[name]["contentSize"] == str((folder / name).stat().st_size), name


def test_whatever_is_referred_to_is_described(graph):
    outside = {
        "https://w3id.org/ro/crate/1.1",  # the specification itself
        "https://snakemake.readthedocs.io",
    }
    for entity in graph.values():
        for key, value in entity.items():
            assert key == "@id" or {*references(value)} <= graph.keys() | outside, (entity, key)


def test_the_run_says_what_it_was_made_of_and_where(graph, reported):
    run = graph["#run"]
    assert run["instrument"] == {"@id": "workflow/Snakefile"} == graph["./"]["mainEntity"]
    assert "https://example.org/texts.tar.gz" in references(run["object"])
    assert graph["https://example.org/texts.tar.gz"]["sha256"] == "cd" * 32
    assert "index.html" in references(run["result"])
    told = {graph[name]["name"]: graph[name]["value"] for name in references(run["resourceUsage"])}
    assert told["commit"] == graph["workflow/Snakefile"]["version"] == "0f" * 20
    assert told["training on A Processor @ 2.50GHz, no GPU"].endswith(" min, 16 trainings")
    software = (
        graph[name] for name in references(graph["workflow/Snakefile"]["softwareRequirements"])
    )
    assert {"torch": "2.13.0", "sacrebleu": "2.5.1"}.items() <= {
        each["name"]: each["softwareVersion"] for each in software
    }.items()
    assert "made-up: made up for a test" in graph["#terms"]["description"]
    copied = reported.parent / "workflow"
    for path in [copied / "Snakefile", *copied.glob("rules/*.smk")]:
        assert path.read_text() == (ROOT / path.relative_to(reported.parent)).read_text()


def test_the_page_answers_the_checklist(reported):
    text = reported.read_text()
    for question in ("parameters of a model", "computing time", "energy", "settings", "split"):
        assert f"<dt>{question}</dt>" in text
    assert "1,234,567" in text and "made-up: made up for a test" in text
