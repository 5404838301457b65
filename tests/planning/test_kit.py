"""Jobs on another machine: content of a kit, its run, and the way back of its results."""

import gzip
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contextnmt.closure import commit
from contextnmt.errors import UserError
from contextnmt.planning.jobs import Call, Job
from contextnmt.planning.kit import KIT, ROOT, SCRIPT, collect, pack, unpack

MODEL = "results/own/train/en-de/bpe/1"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user works in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, *names: str) -> None:
    """Write files that hold their own names, each older than the one before."""
    for age, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (2000 - age, 2000 - age))


@pytest.fixture
def away(tmp_path: Path) -> Path:
    """An unpacked kit whose jobs have made something."""
    made = "log.jsonl model.json model.safetensors vocabulary.source.tsv tensorboard/x"
    state = "state/log.jsonl state/checkpoint.1.safetensors state/lock.1"
    others = "bpe/carried.gz logs/train/1.log translate/1/.snakemake_timestamp translate/1/a.npz"
    write(
        tmp_path / "away",
        *(f"{MODEL}/{name}" for name in f"{made} {state}".split()),
        *(f"results/own/{name}" for name in others.split()),
        *("results/of_no_preset", "run.sh", "python3"),
    )
    folder = tmp_path / "away"
    (folder / "carried.txt").write_text("results/own/bpe/carried.gz\n")
    (folder / "run.sh").write_text(SCRIPT.read_text().replace("@WORDS@", "words"))
    (folder / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (folder / "python3").chmod(0o755)
    (folder / "src").symlink_to(ROOT / "src")
    return folder


@pytest.fixture
def outside(away: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Options of a call of the kit's script."""
    path = f"{away}{os.pathsep}{environment['PATH']}"
    return {"env": environment | {"PATH": path}, "stderr": subprocess.PIPE, "text": True}


def names(folder: Path) -> set[str]:
    with tarfile.open(folder / "returned.tar.gz") as archive:
        return {member.name.removeprefix("results/own/") for member in archive}


def test_a_kit_makes_here_what_snakemake_would(
    snakemake: Run, environment: dict[str, str], here: Path, tmp_path: Path
) -> None:
    words = ["--profile", f"{ROOT / 'local'}", "--snakefile", f"{ROOT / 'Snakefile'}"]
    words += ["--config", "preset=demo", "pairs=[en-fr]"]
    snakemake(here, "download", *words)
    pack(tmp_path / "kit.tar.gz", words=["extracted", *words])
    with tarfile.open(tmp_path / "kit.tar.gz") as archive:
        archive.extractall(tmp_path, filter="tar")
    kit = tmp_path / KIT
    (carried,) = (kit / "carried.txt").read_text().split()
    assert carried.startswith("results/demo/generate/")
    assert (kit / carried).stat().st_mtime < time.time() - 9e5
    told = "from contextnmt.closure import commit; print(commit()['commit'])"
    source = environment | {"PYTHONPATH": f"{kit / 'src'}"}
    asked = subprocess.run([sys.executable, "-c", told], env=source, stdout=subprocess.PIPE)
    assert asked.stdout.decode().strip() == str(commit()["commit"])
    subprocess.run([kit / "run.sh", "300", "1"], check=True, env=environment)
    unpack(kit / "returned.tar.gz")
    assert "Nothing to be done" in snakemake(here, "extracted", "-n", *words).stdout


@pytest.fixture
def packed(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Pack a kit of made-up jobs and unpack it."""

    def call(
        jobs: list[Job],
        local: str = "text.gz",
        models: dict[str, str] | None = None,
        **options: Any,
    ) -> Path:
        files = {"text.gz": {"local": local}, "url.gz": {"url": "…"}}
        keys = {"corpora": {"own": {"files": files}}, "pretrained": models or {}}
        planned = Call(jobs, keys, here)
        monkeypatch.setattr("contextnmt.planning.kit.planned", lambda words: planned)
        pack(tmp_path / "kit.tar.gz", **options)
        with tarfile.open(tmp_path / "kit.tar.gz") as archive:
            archive.extractall(tmp_path, filter="tar")
        return tmp_path / KIT

    return call


def test_a_kit_holds_what_jobs_read_and_none_makes_and_the_users_own_files(
    packed: Callable[..., Path], here: Path
) -> None:
    own = ["one/x.yaml", "two/x.yaml", "tokenized", "text.gz", "wheels/a.whl"]
    write(here, "results/own/a", "results/own/b/1", *own)
    jobs = [
        Job("one", {}, ("results/own/a", "results/own/b"), ("results/own/c",)),
        Job("two", {}, ("results/own/c",), ("results/own/d",)),
    ]
    words = ["tokenized", "--configfile", "one/x.yaml", "two/x.yaml", "--profile"]
    words += [f"{ROOT / 'local'}", "--config", "preset=demo", "--configfile=one/x.yaml"]
    kit = packed(jobs, words=words, wheels=Path("wheels"))
    assert (kit / "carried.txt").read_text() == "results/own/a\nresults/own/b/1\n"
    assert (kit / "results/own/b/1").read_text() == "results/own/b/1"
    assert (kit / "wheels/a.whl").exists()
    assert (kit / "text.gz").read_text() == ""  # only jobs that are done read it
    first, second = "given/0/x.yaml", "given/1/x.yaml"
    assert [(kit / path).read_text() for path in (first, second)] == ["one/x.yaml", "two/x.yaml"]
    said = f"tokenized --configfile {first} {second} --profile local --config preset=demo"
    assert f"-m snakemake {said} --configfile={first} " in (kit / "run.sh").read_text()


def test_a_kit_holds_exported_models(packed: Callable[..., Path], here: Path) -> None:
    write(here, "text.gz", "exported/export.json", "exported/rules.tsv")
    kit = packed([TRAIN], models={"en-fr/bpe/1": "exported"})
    assert (kit / "carried.txt").read_text() == "exported/export.json\nexported/rules.tsv\n"
    assert (kit / "exported/rules.tsv").read_text() == "exported/rules.tsv"


TRAIN = Job("train", {}, ("results/own/bpe/a",), ("results/own/train/b",), gpus=1)


@pytest.mark.parametrize(
    ("jobs", "options", "message"),
    [
        ([], {}, "nothing to be done"),
        (
            [Job("fetch", {}, (), ("results/own/download/a/b",))],
            *({}, "call `snakemake download` here first"),
        ),
        ([TRAIN], {"wheels": Path("whels")}, "--wheels whels: no wheels there"),
        ([TRAIN], {"local": "/a/text.gz"}, "/a/text.gz: outside this folder"),
        ([TRAIN], {"models": {"en-fr/a/1": "../b"}}, r"\.\./b: outside this folder"),
    ],
)
def test_a_kit_that_would_not_do_is_refused(
    packed: Callable[..., Path], tmp_path: Path, jobs: list[Job], options: dict, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        packed(jobs, **options)
    assert not (tmp_path / "kit.tar.gz").exists()


def test_what_is_better_made_here_first_is_said(
    packed: Callable[..., Path], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(here, "text.gz")
    makes = Job("bpe", {}, (), ("results/own/bpe/a",))
    scores = Job("score", {}, ("results/own/train/b",), ("results/own/score/c",))
    packed([TRAIN, makes, scores])
    assert "Jobs of bpe need no GPU" in capsys.readouterr().out
    packed([TRAIN, scores])
    assert "no GPU" not in capsys.readouterr().out


def test_all_below_the_script_is_told_to_end_in_time(away: Path, outside: dict[str, Any]) -> None:
    """Snakemake here is a shell with a job that saves its state."""
    job = "trap 'echo saved > saved; exit 143' TERM; sleep 30 & wait"
    (away / "python3").write_text(
        '#!/bin/sh\ncase "$*" in *--unlock*) exit;; *snakemake*) '
        f'trap : TERM; sh -c "{job}"; exit 1;; esac\nexec {sys.executable} "$@"\n'
    )
    began = time.monotonic()
    run = subprocess.run(["sh", away / "run.sh", "1", "2"], **outside)
    assert (run.returncode, (away / "saved").read_text()) == (124, "saved\n")
    assert time.monotonic() - began < 20
    assert "train/en-de/bpe/1/state/log.jsonl" in names(away)


def test_what_a_call_of_the_kit_cannot_do_is_said_at_once(
    away: Path, outside: dict[str, Any]
) -> None:
    def call(*words: str) -> tuple[int, str]:
        done = subprocess.run(["sh", away / "run.sh", *words], **outside)
        return done.returncode, done.stderr

    assert call("60")[0] == call("60", "x")[0] == 2
    code, told = call("60", "1", "--wieghts")
    assert code == 2 and "--wieghts" in told
    with subprocess.Popen(["flock", away / "lock", "sleep", "30"]) as holder:
        while call("60", "1", "--wieghts")[1].count("another call runs") == 0:
            time.sleep(0.1)
        holder.terminate()


def test_all_comes_back_but_weights_states_and_what_is_left_out(away: Path) -> None:
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
    by_time = sorted(laid, key=lambda path: path.stat().st_mtime)
    there = [(away / path.relative_to(here)).stat().st_mtime for path in by_time]
    assert len(there) == len(names(away)) and there == sorted(there)
    assert by_time[-1].stat().st_mtime == pytest.approx(before, abs=20)


@pytest.mark.parametrize("system", ["bpe", "state"])
def test_a_result_that_differs_is_replaced_by_force_alone(
    away: Path, here: Path, system: str
) -> None:
    """Logs and states may differ, and a system may be called as a folder of states is."""
    model, log = f"results/own/train/en-de/{system}/1/model.json", "results/own/logs/train/1.log"
    write(away, model)
    collect(away)
    write(here, model, log)
    for name in (model, log):
        (here / name).write_text("another")
    with pytest.raises(UserError, match=r"model\.json: differs"):
        unpack(away / "returned.tar.gz")
    assert (here / log).read_text() == "another"
    weights = (here / model).with_name("model.safetensors")
    for kept, whose in enumerate(["another", "this"]):
        weights.write_text(f"of {whose} training")
        unpack(away / "returned.tar.gz", force=True)
        assert weights.exists() == bool(kept)
    assert [(here / name).read_text() for name in (model, log)] == [model, log]


@pytest.mark.parametrize(
    "name",
    [
        *("results/../a", "/results/a", "src/a", "results/a", "results/./own/a", "results/own/l"),
        *("results/own/b", "results/own/b/c", "results/own/late"),
    ],
)
def test_nothing_is_taken_of_what_is_wrong(here: Path, name: str) -> None:
    """Neither a name that leads elsewhere nor a link, a time without an end or two files in one."""
    path = here / "returned.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as out:
        for each in ("results/own/b", name):
            member = tarfile.TarInfo(each)
            member.mtime = 1 << 70 if each.endswith("late") else 1
            member.type = tarfile.SYMTYPE if each.endswith("l") else tarfile.REGTYPE
            out.addfile(member)
    with pytest.raises(UserError, match="refused"):
        unpack(path)
    assert list(here.iterdir()) == [path]


def test_a_name_that_no_file_can_have_is_refused(here: Path) -> None:
    path, member = here / "returned.tar.gz", tarfile.TarInfo("results/own/a")
    member.pax_headers = {"path": "results/own/a\0b"}
    with tarfile.open(path, "w:gz") as out:
        out.addfile(member)
    with pytest.raises(UserError, match="is no plain file below results"):
        unpack(path)


@pytest.mark.memory(64 << 20)
def test_a_file_that_would_fill_the_memory_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, long = here / "returned.tar.gz", tarfile.TarInfo("././@LongLink")
    long.type, long.size = tarfile.GNUTYPE_LONGNAME, 1 << 27
    with gzip.open(path, "wb", 1) as packed:
        packed.writelines([long.tobuf(), *[bytes(1 << 20)] * 128])
    with pytest.raises(UserError, match="a header of 134217728 bytes"):
        unpack(path)
    monkeypatch.setattr("contextnmt.planning.kit.MOST_FILES", 10)
    files = (tarfile.TarInfo(f"results/own/{number}").tobuf() for number in range(11))
    path.write_bytes(gzip.compress(b"".join(files)))
    with pytest.raises(UserError, match="more than 10 files"):
        unpack(path)
    assert list(here.iterdir()) == [path]


def test_a_damaged_file_is_refused_whole(away: Path, here: Path) -> None:
    (away / "results/own/logs/large").write_bytes(os.urandom(9999))
    collect(away)
    path = away / "returned.tar.gz"
    whole = path.read_bytes()
    for place in (3, len(whole) // 2, len(whole) - 6):
        for broken in (whole[:place], whole[:place] + b"\xff" * 3 + whole[place + 3 :]):
            path.write_bytes(broken)
            with pytest.raises(UserError, match="cannot be read"):
                unpack(path)
    assert not list(here.iterdir())
