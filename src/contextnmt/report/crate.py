"""The report's folder as a research object: a Workflow Run RO-Crate 0.5 (Leo et al. 2024).

``ro-crate-metadata.json`` says which workflow made the folder, of what, with which software, on
which machine. Copies of the workflow's rules and of the resolved configuration lie beside it.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextnmt.closure import ROOT
from contextnmt.files import file_digest, read_lines, write_json, write_lines
from contextnmt.report.contents import FIGURE_FORMATS, TABLE_FORMATS, outputs, parts
from contextnmt.report.provenance import archives, computing, facts, used
from contextnmt.report.results import Results, Run

METADATA, CONFIGURATION, WORKFLOW = "ro-crate-metadata.json", "configuration.json", "workflow"
MAIN = f"{WORKFLOW}/Snakefile"
CONTEXTS = [
    "https://w3id.org/ro/crate/1.1/context",
    "https://w3id.org/ro/terms/workflow-run/context",
]
LICENCE = "https://spdx.org/licenses/MIT"

#: Profiles that the folder follows: address without its version, name, version.
PROFILES = [
    ("https://w3id.org/ro/wfrun/process/", "Process Run Crate", "0.5"),
    ("https://w3id.org/ro/wfrun/workflow/", "Workflow Run Crate", "0.5"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/", "Workflow RO-Crate", "1.0"),
]
#: Suffix of a file -> its media type.
TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".smk": "text/plain",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex",
}

Entity = dict[str, Any]


def crate(results: Results, models: dict[Run, dict[str, Any]]) -> None:
    """Write the metadata, and the copies, into the folder of a report whose page is there."""
    folder = results.report
    write_lines(folder / CONFIGURATION, read_lines(results.folder / CONFIGURATION))
    rules = sorted(path.relative_to(ROOT) for path in (ROOT / WORKFLOW).glob("rules/*.smk"))
    for path in (Path(MAIN), *rules):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_lines(folder / path, read_lines(ROOT / path))
    shown = [
        path
        for part in parts(results)
        for path in outputs(results, part, *TABLE_FORMATS, *FIGURE_FORMATS)
    ]
    graph = entities(
        results,
        models,
        rules=[file(folder, folder / path) for path in rules],
        configuration=file(folder, folder / CONFIGURATION, name="The resolved configuration"),
        made=[file(folder, path) for path in (*sorted(folder.glob("*.html")), *shown)],
    )
    write_json(folder / METADATA, {"@context": CONTEXTS, "@graph": list(graph)})


def entities(
    results: Results,
    models: dict[Run, dict[str, Any]],
    rules: list[Entity],
    configuration: Entity,
    made: list[Entity],
) -> Iterator[Entity]:
    """The graph, from the folder to what it names."""
    written = max(path.stat().st_mtime for path in results.models().values())
    ended = datetime.fromtimestamp(written, UTC).isoformat(timespec="seconds")
    told = facts(results, models)
    software = [application(name, version) for name, version in versions(models).items()]
    profiles = [
        {"@id": f"{address}{version}", "@type": "CreativeWork", "name": name, "version": version}
        for address, name, version in PROFILES
    ]
    corpora = list(sources(results))
    fetched = [each for each in corpora if each["@type"] == "File"]
    read = [*corpora, *texts(models)]
    machine = [value(*each) for each in [*told, *computing(models)]]
    yield {
        "@id": METADATA,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": [{"@id": "https://w3id.org/ro/crate/1.1"}, reference(profiles[-1])],
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Reproduction of {results.title}",
        "description": f"Tables, figures and page of {results.name}, preset {results.preset}.",
        "datePublished": ended,
        "license": {"@id": "#terms"},
        "conformsTo": references(profiles),
        "hasPart": [{"@id": MAIN}, *references([*rules, configuration, *made, *fetched])],
        "mainEntity": {"@id": MAIN},
        "mentions": {"@id": "#run"},
    }
    yield {
        "@id": MAIN,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "contextnmt",
        "encodingFormat": TYPES[".smk"],
        "programmingLanguage": {"@id": "#snakemake"},
        "license": {"@id": LICENCE},
        "version": dict(told).get("commit", "none"),
        "hasPart": references(rules),
        "input": {"@id": "#configuration"},
        "output": {"@id": "#report"},
        "softwareRequirements": references(software),
    }
    yield {
        "@id": "#snakemake",
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "url": {"@id": "https://snakemake.readthedocs.io"},
    }
    yield parameter("#configuration", "configuration", "File")
    yield parameter("#report", "report", "File")
    yield {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"The run of {results.name}",
        "description": f"Made under the configuration {results.config_digest}.",
        "instrument": {"@id": MAIN},
        "endTime": ended,
        "object": references([configuration, *read]),
        "result": references(made),
        "resourceUsage": references(machine),
    }
    yield {
        "@id": "#terms",
        "@type": "CreativeWork",
        "name": "Terms of use",
        "description": "The workflow is under the MIT licence. Sentences that the report shows are "
        "under the terms of their corpora: "
        + "; ".join(f"{corpus}: {terms}" for corpus, terms in used(results).items()),
    }
    yield {"@id": LICENCE, "@type": "CreativeWork", "name": "MIT licence", "url": LICENCE}
    yield {**configuration, "exampleOfWork": {"@id": "#configuration"}}
    page, *others = made
    yield {**page, "exampleOfWork": {"@id": "#report"}, "name": "The page"}
    for several in (profiles, rules, others, read, software, machine):
        yield from several


def file(folder: Path, path: Path, **others: str) -> Entity:
    """A file in the folder."""
    kind = TYPES.get(path.suffix)
    return {
        "@id": path.relative_to(folder).as_posix(),
        "@type": "File",
        "name": path.name,
        **({"encodingFormat": kind} if kind else {}),
        "contentSize": str(path.stat().st_size),
        "sha256": file_digest(path),
        **others,
    }


def sources(results: Results) -> Iterator[Entity]:
    """The files of the corpora; those that have no address are named alone."""
    for name in sorted(archives(results)):
        corpus, _, file_name = name.partition("/")
        entry = results.configuration["corpora"][corpus]["files"][file_name]
        digest = {"sha256": entry["sha256"]} if entry.get("sha256") else {}
        if address := entry.get("url"):
            first = address if isinstance(address, str) else address[0]
            yield {"@id": first, "@type": "File", "name": name, **digest}
        else:
            yield {"@id": f"#corpora/{name}", "@type": "CreativeWork", "name": name, **digest}


def texts(models: dict[Run, dict[str, Any]]) -> Iterator[Entity]:
    """The training texts as the models saw them."""
    seen = set()
    for run, model in models.items():
        train = model["data"]["manifest"]["train"]
        digests = [train[side]["sha256"] for side in ("source", "target")]
        identifier = f"#texts/{run.pair}/{digests[0]}"
        if identifier not in seen:
            seen.add(identifier)
            name = f"Training text of {run.pair}, {train['pairs']:,} pairs"
            yield {"@id": identifier, "@type": "CreativeWork", "name": name, "sha256": digests}


def versions(models: dict[Run, dict[str, Any]]) -> dict[str, str]:
    """Software of the trainings -> its version; that of the last one, if there are several."""
    found: dict[str, str] = {}
    for model in models.values():
        environment = model["environment"]
        named = {name: environment[name] for name in ("contextnmt", "python", "torch", "numpy")}
        found |= named | environment.get("packages", {})
    return found


def application(name: str, version: str) -> Entity:
    """A package."""
    identifier = f"#software/{name}"
    return {
        "@id": identifier,
        "@type": "SoftwareApplication",
        "name": name,
        "softwareVersion": version,
    }


def value(name: str, told: str) -> Entity:
    """A property of the run."""
    identifier = f"#run/{name.replace(' ', '-')}"
    return {"@id": identifier, "@type": "PropertyValue", "name": name, "value": told}


def parameter(identifier: str, name: str, kind: str) -> Entity:
    """An input or output of the workflow."""
    return {"@id": identifier, "@type": "FormalParameter", "name": name, "additionalType": kind}


def reference(entity: Entity) -> Entity:
    """The reference to an entity."""
    return {"@id": entity["@id"]}


def references(several: Iterable[Entity]) -> list[Entity]:
    """The references to entities."""
    return [reference(each) for each in several]
