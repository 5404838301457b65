"""Jobs on another machine: content of a kit, its run, and the way back of its results."""

import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from contextnmt.closure import commit
from contextnmt.errors import UserError
from contextnmt.planning.jobs import Call, Job
from contextnmt.planning.kit import (
    KIT,
    ROOT,
    SCRIPT,
    collect,
    early_rules,
    given,
    local_files,
    needed,
    pack,
    unpack,
)

MODEL = "results/own/train/en-de/bpe/1"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user works in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def away(tmp_path: Path) -> Path:
    """An unpacked kit whose jobs have made something."""
    folder = tmp_path / "away"
    made = [
        "log.jsonl",
        "model.json",
        "model.safetensors",
        "vocabulary.source.tsv",
        "tensorboard/x",
    ]
    state = ["state/log.jsonl", "state/checkpoint.1.safetensors", "state/lock.1"]
    files = [f"{MODEL}/{name}" for name in made + state]
    files += ["results/own/bpe/carried.gz", "results/own/logs/train/1.log", "results/of_no_preset"]
    files += ["results/own/translate/1/.snakemake_timestamp", "results/own/translate/1/a.npz"]
    for age, name in enumerate(reversed(files)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (1000 + age, 1000 + age))
    (folder / "carried.txt").write_text("results/own/bpe/carried.gz\n")
    return folder


def names(folder: Path) -> set[str]:
    with tarfile.open(folder / "returned.tar.gz") as archive:
        return {member.name.removeprefix("results/own/") for member in archive}


def test_a_kit_makes_here_what_snakemake_would(
    snakemake: Run, environment: dict[str, str], here: Path, tmp_path: Path
) -> None:
    words = ["--profile", f"{ROOT / 'local'}", "--snakefile", f"{ROOT / 'Snakefile'}"]
    words += ["--config", "preset=demo", "pairs=[en-fr]"]
    snakemake(here, "extracted", *words)
    pack(tmp_path / "kit.tar.gz", words=["tokenized", *words])
    with tarfile.open(tmp_path / "kit.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    kit = tmp_path / KIT
    assert max(path.stat().st_mtime for path in (kit / "results").rglob("*.gz")) < time.time() - 9e5
    told = "from contextnmt.closure import commit; print(commit()['commit'])"
    source = environment | {"PYTHONPATH": f"{kit / 'src'}"}
    asked = subprocess.run([sys.executable, "-c", told], env=source, stdout=subprocess.PIPE)
    assert asked.stdout.decode().strip() == str(commit()["commit"])
    carried = (kit / "carried.txt").read_text().split()
    assert carried and all(path.startswith("results/demo/extract/en-fr/") for path in carried)
    subprocess.run([kit / "run.sh", "300", "1"], check=True, env=environment)
    unpack(kit / "returned.tar.gz")
    assert "Nothing to be done" in snakemake(here, "tokenized", "-n", *words).stdout
    with pytest.raises(UserError, match="nothing to be done"):
        pack(tmp_path / "kit.tar.gz", words=["tokenized", *words])


def test_all_below_the_script_is_told_to_end_in_time(
    away: Path, environment: dict[str, str]
) -> None:
    """Snakemake here is a shell with a job that saves its state."""
    (away / "run.sh").write_text(SCRIPT.read_text().replace("@WORDS@", "words"))
    python = away / "python3"
    job = "trap 'echo saved > saved; exit 143' TERM; sleep 30 & wait"
    python.write_text(
        '#!/bin/sh\ncase "$*" in *--unlock*) exit;; *snakemake*) '
        f'trap : TERM; sh -c "{job}"; exit 1;; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    path = f"{away}{os.pathsep}{environment['PATH']}"
    os.symlink(ROOT / "src", away / "src")
    began = time.monotonic()
    run = subprocess.run(["sh", away / "run.sh", "1", "2"], env=environment | {"PATH": path})
    assert (run.returncode, (away / "saved").read_text()) == (124, "saved\n")
    assert time.monotonic() - began < 20
    assert "train/en-de/bpe/1/state/log.jsonl" in names(away)


def test_what_comes_back(away: Path) -> None:
    collect(away)
    kept = {f"train/en-de/bpe/1/{name}" for name in ["log.jsonl", "model.json", "state/log.jsonl"]}
    others = {"logs/train/1.log", "translate/1/.snakemake_timestamp"}
    assert names(away) == kept | others | {"translate/1/a.npz"}
    collect(away, without=["*.npz", "*/logs/*"])
    assert names(away) == kept | others - {"logs/train/1.log"}
    collect(away, weights=True)
    assert "train/en-de/bpe/1/model.safetensors" in names(away)
    assert not [name for name in names(away) if "checkpoint" in name or "tensorboard" in name]


def test_results_are_younger_than_what_is_here_in_their_own_order(away: Path, here: Path) -> None:
    collect(away)
    before = time.time()
    unpack(away / "returned.tar.gz")
    laid = [path for path in here.rglob("*") if path.is_file()]
    assert {path.relative_to(here) for path in laid} < {
        p.relative_to(away) for p in away.rglob("*")
    }
    by_time = sorted(laid, key=lambda path: path.stat().st_mtime)
    there = [(away / path.relative_to(here)).stat().st_mtime for path in by_time]
    assert there == sorted(there)
    assert by_time[-1].stat().st_mtime == pytest.approx(before, abs=20)


def test_a_result_that_differs_is_replaced_by_force_alone(away: Path, here: Path) -> None:
    collect(away)
    model, log = here / MODEL / "model.json", here / "results/own/logs/train/1.log"
    for path in (model, log):
        path.parent.mkdir(parents=True)
        path.write_text("another")
    with pytest.raises(UserError, match=r"model\.json: differs"):
        unpack(away / "returned.tar.gz")
    assert log.read_text() == "another"
    weights = model.with_name("model.safetensors")
    weights.write_text("of another training")
    unpack(away / "returned.tar.gz", force=True)
    assert not weights.exists()
    weights.write_text("of this training")
    unpack(away / "returned.tar.gz", force=True)
    assert weights.exists()
    assert [path.read_text() for path in (model, log)] == [
        str(path.relative_to(here)) for path in (model, log)
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, tarfile.REGTYPE) for name in ["results/../a", "/results/a", "src/a", "results/a"]),
        ("results/./own/a", tarfile.REGTYPE),
        ("results/own/a", tarfile.SYMTYPE),
    ],
)
def test_nothing_is_taken_of_what_is_wrong(here: Path, name: str, kind: bytes) -> None:
    path = here / "returned.tar.gz"
    with tarfile.open(path, "w:gz") as out:
        for each, kind_of_each in {"results/own/b": tarfile.REGTYPE, name: kind}.items():
            member = tarfile.TarInfo(each)
            member.type, member.linkname = kind_of_each, "b"
            out.addfile(member)
    with pytest.raises(UserError, match="refused"):
        unpack(path)
    assert list(here.iterdir()) == [path]


def test_a_damaged_file_is_refused_whole(away: Path, here: Path) -> None:
    (away / "results/own/large").write_bytes(os.urandom(9999))
    collect(away)
    path = away / "returned.tar.gz"
    whole = path.read_bytes()
    for place in (3, 60, len(whole) // 2, len(whole) - 6):
        for broken in (whole[:place], whole[:place] + b"\xff" * 3 + whole[place + 3 :]):
            path.write_bytes(broken)
            with pytest.raises(UserError, match="cannot be read"):
                unpack(path)
    assert not list(here.iterdir())


def test_a_system_may_be_named_as_a_folder_of_logs(away: Path, here: Path) -> None:
    model = "results/own/train/en-de/state/1/model.json"
    for folder in (away, here):
        (folder / model).parent.mkdir(parents=True)
        (folder / model).write_text(f"{folder}")
    collect(away)
    with pytest.raises(UserError, match=r"model\.json: differs"):
        unpack(away / "returned.tar.gz")


def test_files_are_those_that_jobs_read_and_none_makes(here: Path) -> None:
    for name in ["results/own/a", "results/own/b/1", "given.yaml", "text.gz"]:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).touch()
    jobs = [
        Job("one", {}, ("results/own/a", "results/own/b"), ("results/own/c",)),
        Job("two", {}, ("results/own/c",), ("results/own/d",)),
    ]
    files = {"text.gz": {"local": "text.gz"}, "url.gz": {"url": "…"}}
    call = Call(jobs, {"corpora": {"own": {"files": files}}}, here)
    assert needed(call) == ["results/own/a", "results/own/b/1"]
    assert local_files(call) == {"text.gz"}
    files["text.gz"]["local"] = str(here / "text.gz")
    with pytest.raises(UserError, match="outside this folder"):
        local_files(call)


def test_what_is_to_be_made_here_first_is_said(
    snakemake: Run, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--profile", f"{ROOT / 'local'}", "--snakefile", f"{ROOT / 'Snakefile'}", "--config"]
    with pytest.raises(UserError, match="call `snakemake download` here first"):
        pack(tmp_path / "kit.tar.gz", words=["translations", *words, "preset=multi30k"])
    assert not (tmp_path / "kit.tar.gz").exists()
    words += ["preset=demo", "pairs=[en-fr]", "systems=[baseline]", "device=cuda"]
    pack(tmp_path / "kit.tar.gz", words=["translations", *words])
    told = capsys.readouterr().out
    assert "Jobs of binarize, tokenize need no GPU" in told or "Jobs of tokenize, binarize" in told
    jobs = [Job("train", {}, ("a",), ("b",), gpus=1), Job("score", {}, ("b",), ("c",))]
    assert early_rules(jobs) == []


def test_files_that_options_name_have_places_in_the_kit(here: Path) -> None:
    for name in ["one/x.yaml", "two/x.yaml", "tokenized"]:
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).touch()
    words = ["tokenized", "--configfile", "one/x.yaml", "two/x.yaml", "--profile"]
    words += [f"{ROOT / 'local'}", "--config", "preset=demo", "--configfile=one/x.yaml"]
    said, places = given(words)
    first, second = "given/0/x.yaml", "given/1/x.yaml"
    assert said[:4] == ["tokenized", "--configfile", first, second]
    assert said[4:-1] == ["--profile", "local", "--config", "preset=demo"]
    assert places[here / "two/x.yaml"] == second
    assert places[here / "one/x.yaml"] == said[-1].partition("=")[2] == first


def test_a_folder_without_wheels_is_a_mistake(snakemake: Run, here: Path, tmp_path: Path) -> None:
    words = ["--profile", f"{ROOT / 'local'}", "--snakefile", f"{ROOT / 'Snakefile'}"]
    with pytest.raises(UserError, match="--wheels whels: no wheels there"):
        pack(
            tmp_path / "kit.tar.gz", Path("whels"), ["extracted", *words, "--config", "preset=demo"]
        )


def test_what_a_call_of_the_kit_cannot_do_is_said_at_once(
    away: Path, environment: dict[str, str]
) -> None:
    for name, content in {"python3": f'#!/bin/sh\nexec {sys.executable} "$@"\n'}.items():
        (away / name).write_text(content)
        (away / name).chmod(0o755)
    os.symlink(ROOT / "src", away / "src")
    (away / "run.sh").write_text(SCRIPT.read_text().replace("@WORDS@", "words"))
    path = environment | {"PATH": f"{away}{os.pathsep}{environment['PATH']}"}

    def call(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            ["sh", away / "run.sh", *words], env=path, stderr=subprocess.PIPE, text=True
        )
        return done.returncode, done.stderr

    assert call("60")[0] == call("60", "x")[0] == 2
    code, told = call("60", "1", "--wieghts")
    assert code == 2 and "--wieghts" in told
    with subprocess.Popen(["flock", away / "lock", "sleep", "30"]) as holder:
        while call("60", "1", "--wieghts")[1].count("another call runs") == 0:
            time.sleep(0.1)
        holder.terminate()
