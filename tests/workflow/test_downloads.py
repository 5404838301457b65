"""The target `download`, with real transfers from a mirror on the loopback device."""

import hashlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from corpus.http_server import Fault, Server, serving

ROOT = Path(__file__).parents[2]
TEXTS = ["first", "second", "third"]
FILES = {
    f"{text}.{language}": f"{text} {language}\n".encode() * 9000
    for text in TEXTS
    for language in ["en", "fr"]
}
FOLDER = Path("results/demo/download/other")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        running.files = {f"/texts.example/{name}": content for name, content in FILES.items()}
        yield running


@pytest.fixture
def download(snakemake: Run, tmp_path: Path, server: Server) -> Run:
    """Fetch FILES as a corpus of the demo, from `server`; keywords change the keys of a file."""

    def run(
        *arguments: str, target: str = "download", **changes: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        files = {
            name: {
                "url": f"http://texts.example/{name}",
                "md5": hashlib.md5(content).hexdigest(),
                "bytes": len(content),
                **changes.get(name.replace(".", "_"), {}),
            }
            for name, content in FILES.items()
        }
        corpus = {
            "terms": "as you like",
            "cite": ["Nobody 1900"],
            "files": files,
            "texts": {text: {"file": f"{text}.{{lang}}"} for text in TEXTS},
        }
        roles = dict(zip(["train", "dev", "test"], ([text] for text in TEXTS), strict=True))
        own = {
            "pairs": ["en-fr"],
            "corpora": {"other": corpus},
            "roles": {"en-fr": roles},
            "mirrors": [server.url],
        }
        file = tmp_path / "own.yaml"
        file.write_text(yaml.safe_dump(own))
        where = ["-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}", "--configfile", f"{file}"]
        return snakemake(ROOT, target, "--profile", "local", *where, *arguments)

    return run


def test_all_files_come_a_few_at_a_time_after_their_terms_were_shown(
    download: Run, server: Server, tmp_path: Path
) -> None:
    for name in FILES:
        server.faults[f"/texts.example/{name}"] = [Fault(pause=0.3)]
    run = download("--cores", "4")
    assert run.returncode == 0, run.stdout
    for name, content in FILES.items():
        assert (tmp_path / FOLDER / name).read_bytes() == content
    assert server.busiest == 2
    shown = run.stdout[: run.stdout.index("download_file")]
    assert "Files to download: 6, " in shown
    for note in ["other: as you like", "other: Nobody 1900"]:
        assert shown.count(note) == run.stdout.count(note) == 1

    server.seen.clear()
    again = download()
    assert "Nothing to be done" in again.stdout
    assert "as you like" not in again.stdout
    assert server.seen == []


def test_only_another_digest_fetches_a_file_anew(
    download: Run, server: Server, tmp_path: Path
) -> None:
    assert download().returncode == 0
    server.seen.clear()
    moved = {"url": "http://moved.example/first.en", "sha256": "0" * 64}
    assert "Nothing to be done" in download("-n", first_en={"url": moved["url"]}).stdout
    plan = download("-n", first_en=moved)
    assert "download_file        1" in plan.stdout, plan.stdout
    assert server.seen == []


def test_a_file_that_cannot_be_had_is_named_once_and_stops_no_other(
    download: Run, server: Server, tmp_path: Path
) -> None:
    path = "/texts.example/first.en"
    server.forever[path] = Fault(content=b"\0" * len(FILES["first.en"]))
    run = download("--retries", "2")
    assert run.returncode != 0
    assert sum(seen.path == path for seen in server.seen) == 1  # Snakemake does not try again
    assert "first.en: no place has it" in run.stdout
    wanted = hashlib.md5(FILES["first.en"]).hexdigest()
    assert f"{server.url}{path}: not the expected file: expected MD5 {wanted}, got " in run.stdout
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(
        set(FILES) - {"first.en"}
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("hand_placed=nowhere", "hand_placed: {folder}/nowhere: no such folder: correct it or "),
        ("mirrors=[., http://a, /nowhere]", "mirrors[2]: /nowhere: no such folder: correct it or "),
    ],
)
def test_a_folder_that_is_not_there_is_told_of_before_anything_starts(
    download: Run, server: Server, tmp_path: Path, words: str, told: str
) -> None:
    run = download("--config", words)
    assert run.returncode != 0
    assert told.format(folder=tmp_path.resolve()) in run.stdout
    assert "Traceback" not in run.stdout
    assert "Files to download" not in run.stdout
    assert server.seen == []


def test_nobody_asks_for_the_folder_when_all_files_are_there(
    download: Run, server: Server, tmp_path: Path
) -> None:
    """A node of a cluster may not see it."""
    assert download().returncode == 0
    extracted = "results/demo/extract/en-fr/first.en.gz"
    run = download("--config", "hand_placed=gone", target=extracted)
    assert run.returncode == 0, run.stdout
    assert (tmp_path / extracted).exists()
