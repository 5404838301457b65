"""The texts of WMT14 at their true size, from archives to ids and to a training: a Markdown page.

A server on this machine has archives in the layout and with the line counts of the preset wmt14.
They hold real text, which is repeated with altered words. The workflow makes the ids of all views
from them; it is killed on the way and goes on. Then a training begins on the ids, and their numbers
of words say how long all trainings take at most. benchmarks/README.md has an example.
"""

import contextlib
import gzip
import hashlib
import html
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, islice
from math import isnan
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from altered_text import endless
from calls import ROOT, call_in
from pages import Out, made_by, publish, table
from rates import bytes_of, last_row, seconds

from contextnmt.configuration import layers, places
from contextnmt.configuration.keys import CorpusFile
from contextnmt.configuration.recipes import recipe, systems
from contextnmt.errors import UserError
from contextnmt.files import parse_json, read_json, read_lines, write_json
from contextnmt.planning.jobs import Job, Sizes, planned
from contextnmt.planning.plan import cost, read_rates, stages
from contextnmt.progress import progress, say

#: In how many ways the given texts can be had; enough for a tenth of the largest archive.
WAYS = 120

#: Seconds between looks at the disk.
INTERVAL = 5.0

NOTES = """
Core-hours: processor time. Plan: what `contextnmt plan` says of the same stages before the run.
Memory: the largest resident set of a job, beside what the workflow asks for. Disk: all outputs of
a stage; those that the workflow removes once they are read are not in it, but in the peak.
"""

#: What trainings in the sizes of the papers do on a GPU, and how long the one here is.
RATES, UPDATES = ROOT / "benchmarks/published/training_gpu.md", 200
PRECISIONS = {"fp32": "", "TF32": ", tf32", "bfloat16": ", bf16"}

NOTES_ON_TRAININGS = """
Hours on one H200 of all trainings with one seed, one after the other, at most: up to `max_updates`,
though patience ends most of them before. Target words: of the ids, with the ends of sentences; the
limit of length is not counted. Rates: those of published/training_gpu.md for systems of this kind;
for those of Chen et al., which multiply somewhat more, those of RNNsearch.
"""

#: A member of an archive: its path, and the lines that it has.
Members = dict[tuple[str, str], int]


def asked(configuration: Mapping[str, Any], pair: str) -> Iterator[tuple[str, int]]:
    """The texts of a language pair with their numbers of lines: dev and test texts, then those to
    train on, the largest last."""
    found = places.texts(configuration, pair, "dev", "test")
    selection = configuration["select"].get(pair) or {}
    training = places.texts(configuration, pair, "train")
    for name in dict.fromkeys([*found, *selection.get("in_domain", []), *training]):
        text = places.text(configuration, name)
        counts = (places.stated(text, key, pair) for key in ("lines", "lines_recalled"))
        yield name, next(count for count in counts if count)


def sgm(lines: Iterable[str]) -> Iterator[str]:
    """Lines as a test set of WMT."""
    yield from ('<srcset setid="made" srclang="any">', '<doc docid="made">')
    for number, line in enumerate(lines, 1):
        yield f'<seg id="{number}">{html.escape(line, quote=False)}</seg>'
    yield from ("</doc>", "</srcset>")


def write_members(
    configuration: Mapping[str, Any], pair: str, sides: Sequence[Path], folder: Path, divisor: int
) -> None:
    """Write the members of all archives for a language pair, with the lines of one endless text."""
    source, target = sides
    pairs = endless(source, target, WAYS)
    for name, count in progress([*asked(configuration, pair)], pair, "texts"):
        chunk, streams = islice(pairs, max(1, count // divisor)), []
        for language in pair.split("-"):
            _, file, member = places.place(configuration, pair, name, language)
            path = folder / file / str(member)
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():  # English of another pair: the lines go nowhere
                path = Path(os.devnull)
            opened = partial(gzip.open, compresslevel=1) if path.suffix == ".gz" else open
            streams.append((opened(path, "wt", encoding="utf-8"), path.suffix == ".sgm"))
        if any(marked for _, marked in streams):
            held = [*chunk]
            for (stream, marked), lines in zip(streams, zip(*held, strict=True), strict=True):
                stream.writelines(f"{line}\n" for line in (sgm(lines) if marked else lines))
        else:
            (first, _), (second, _) = streams
            for left, right in chunk:
                first.write(f"{left}\n")
                second.write(f"{right}\n")
        for stream, _ in streams:
            stream.close()


def packed(folder: Path, site: Path, file: str, address: str) -> tuple[str, dict[str, Any]]:
    """Put the members of an archive together, and lay it where the server looks; its identity."""
    url = urlsplit(address)
    path = site / str(url.hostname) / url.path.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = file.endswith(".tar")
    with tarfile.open(path, "w") if plain else tarfile.open(path, "w:gz", compresslevel=1) as made:
        for member in sorted((folder / file).rglob("*")):
            if member.is_file():
                made.add(member, member.relative_to(folder / file).as_posix())
    shutil.rmtree(folder / file)
    digests = {}
    for kind in ("sha256", "md5"):
        with path.open("rb") as stream:
            digests[kind] = hashlib.file_digest(stream, kind).hexdigest()
    return file, {**digests, "bytes": path.stat().st_size}


def archives(
    configuration: Mapping[str, Any], texts: Mapping[str, Sequence[Path]], place: Path, divisor: int
) -> dict[str, Any]:
    """Make all archives; returns the configuration over the preset that accepts them."""
    files: dict[str, tuple[str, str]] = {}  # corpus and address, by name
    for pair in texts:
        for name, _ in asked(configuration, pair):
            corpus, file, _ = places.place(configuration, pair, name, pair.split("-")[1])
            entry = CorpusFile(**configuration["corpora"][corpus]["files"][file])
            files[file] = corpus, entry.addresses[0]
    members = place / "members"
    for pair, sides in texts.items():  # in order: some members are of both pairs
        write_members(configuration, pair, sides, members, divisor)
    with ProcessPoolExecutor() as pool:
        addresses = [address for _, address in files.values()]
        made = dict(
            pool.map(partial(packed, members, place / "site"), files, addresses, chunksize=1)
        )
    corpora: dict[str, Any] = {}
    for file, (corpus, _) in files.items():
        stated = configuration["corpora"][corpus]["files"][file]
        known = {key: made[file][key] for key in ("sha256", "md5", "bytes") if key in stated}
        corpora.setdefault(corpus, {"files": {}, "texts": {}})["files"][file] = known
    if divisor > 1:
        for corpus, entry in corpora.items():
            for name, text in configuration["corpora"][corpus]["texts"].items():
                entry["texts"][name] = {
                    key: {p: max(1, n // divisor) for p, n in said.items()}
                    if isinstance(said := text[key], dict)
                    else max(1, said // divisor)
                    for key in ("lines", "lines_recalled")
                    if key in text
                }
    return {"preset": "wmt14", "pairs": [*texts], "corpora": corpora}


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Watched:
    """The most that the files of a folder's disk grow by, and the time, of all calls together."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.kept, self.ended = folder, folder / "watched.json", Event()
        first = {"first": shutil.disk_usage(folder).used, "most": 0, "seconds": 0.0, "kills": 0}
        self.seen = read_json(self.kept) if self.kept.exists() else first
        self.seen["kills"] += self.seen.get("running", 0)  # the call before this one did not end
        self.seen["running"] = 1
        Thread(target=self.watch, daemon=True).start()

    def watch(self) -> None:
        """Look until the end; what was seen is kept for a call that goes on after this one."""
        last = time.monotonic()
        while not self.ended.wait(INTERVAL):
            grown = shutil.disk_usage(self.folder).used - self.seen["first"]
            now = time.monotonic()
            self.seen["most"] = max(self.seen["most"], grown)
            self.seen["seconds"], last = self.seen["seconds"] + now - last, now
            write_json(self.kept, self.seen)

    def end(self) -> dict[str, Any]:
        """Look no more; what was seen."""
        self.ended.set()
        self.seen["running"] = 0
        write_json(self.kept, self.seen)
        return self.seen


def run(words: list[str], minutes: float | None = None) -> bool:
    """Run Snakemake; kill it and all its jobs after so many minutes. Returns whether it was killed.

    Raises UserError if it fails.
    """
    call = [sys.executable, "-m", "snakemake", *words]
    subprocess.run(
        [*call, "--unlock"], cwd=ROOT, check=True
    )  # after a kill of this or a former call
    process = subprocess.Popen(call, cwd=ROOT, start_new_session=True)
    try:
        status = process.wait(minutes and 60 * minutes)
    except subprocess.TimeoutExpired:
        say(f"killed after {minutes:g} minutes")
        return True
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if status:
        raise UserError(f"snakemake ended with status {status}: see its log")
    return False


def rows(
    jobs: Sequence[Job], plan: Mapping[str, Sequence[float]], folder: Path
) -> Iterator[tuple[str, list[float]]]:
    """Of each stage: jobs, seconds (measured, planned), largest memory (measured, asked for), bytes
    (measured, planned), and the bytes of the largest file."""
    by_stage: dict[str, list[Job]] = defaultdict(list)
    for job in jobs:
        if job.stage and job.benchmark and (folder / job.benchmark).exists():
            by_stage[job.stage].append(job)
    for stage in filter(by_stage.__contains__, stages(jobs)):
        found = by_stage[stage]
        marks = [folder / str(job.benchmark) for job in found]
        outputs = [folder / path for path in chain.from_iterable(job.outputs for job in found)]
        sizes = [bytes_of(path) for path in outputs if path.exists()]
        told = [plan[job.outputs[0]] for job in found if job.outputs[0] in plan]
        known = [[0 if isnan(figure) else figure for figure in each] for each in told]
        memory = [float(last_row(mark)["max_rss"].replace("-", "0")) for mark in marks]
        yield (
            stage,
            [
                len(found),
                sum(map(seconds, marks)),
                sum(taken for taken, _ in known),
                max(memory) * 1e6,
                max(job.memory for job in found) * 1e6,
                sum(sizes),
                sum(written for _, written in known),
                max(sizes, default=0),
            ],
        )


def shown(stage: str, figures: Sequence[float]) -> list[str]:
    """A row of the table."""
    jobs, hours, told, memory, asked_for, size, told_size, largest = figures
    ratio = f"{hours / told:.2f}" if told else ""
    ratio_size = f"{size / told_size:.2f}" if told_size else ""
    gigabytes = [f"{each / 1e9:,.2f}" for each in (memory, asked_for, size, told_size, largest)]
    times = [f"{each / 3600:.2f}" for each in (hours, told)]
    return [stage, f"{jobs:,}", *times, ratio, *gigabytes[:4], ratio_size, gigabytes[4]]


def gpu_rates(page: Path) -> dict[str, float]:
    """Target words a second in the sizes of the papers, by the name of a row of the page."""
    rows = [line.strip("| ").split(" | ") for line in read_lines(page) if "| 620/" in line]
    return {name: float(words.replace(",", "")) for name, _, _, words, *_ in rows}


def kind(model: Mapping[str, Any]) -> str:
    """The row of published/training_gpu.md whose speed stands for a system's."""
    if not model["attention"]:
        return "RNNencdec (Bahdanau et al.)"
    if model["contextualizer"]:
        return "with context (Choi et al.)"
    lstm = model["cell"] == "lstm"
    return "baseline (Choi et al.)" if lstm else "RNNsearch (Bahdanau et al.)"


def training_hours(
    configuration: Mapping[str, Any], results: Path, rates: Mapping[str, float]
) -> Iterator[list[str]]:
    """A row for each experiment and language pair: hours of its trainings in each precision."""
    for experiment in configuration["experiments"]:
        for pair in places.pairs(configuration, experiment):
            hours, updates = Counter[str](), 0
            names = systems(configuration, experiment)
            for name in names:
                made = recipe(configuration, pair, name)
                text = read_json(results / f"binarize/{pair}/{made['view']}/manifest.json")["train"]
                words = text["target"]["tokens"] / text["pairs"] + 1
                words *= made["training"]["batch_size"] * made["training"]["max_updates"]
                updates += made["training"]["max_updates"]
                for precision, suffix in PRECISIONS.items():
                    rate = rates[kind(made["model"]) + suffix]
                    hours[precision] += words / rate / 3600
            shown_hours = [f"{hours[precision]:,.0f}" for precision in PRECISIONS]
            yield [f"{experiment}, {pair}", f"{len(names)}", f"{updates / 1e6:,.1f}", *shown_hours]


def first_updates(place: Path, over: Mapping[str, Any]) -> str:
    """Train a baseline for some updates on the ids; what it took, in words."""
    name = "en-fr/baseline/1"
    training = {"max_updates": UPDATES, "validate_every": UPDATES, "threads": os.cpu_count()}
    short = {**over, "device": "cpu", "training": training}
    target = f"results/wmt14/train/{name}/model.json"
    words = [*call_in(place, short, target), "--profile", f"{ROOT}/local", "--cores", "all"]
    log = (place / target).with_name("log.jsonl")
    if not log.exists():
        shutil.rmtree(log.parent, ignore_errors=True)  # its times would be of the last call alone
    run(words)
    records = [parse_json(line, log) for line in read_lines(log)]
    trained = [each["target_tokens_per_second"] for each in records if each["kind"] == "train"]
    (last,) = (each for each in records if each["kind"] == "dev")
    took = last_row(place / f"results/wmt14/benchmarks/train/{name}.tsv")
    updates = last["elapsed"] - last["seconds"]
    return (
        f"The first {UPDATES} updates of {name} in the sizes of the paper on these ids: "
        f"{updates / 60:.0f} minutes, {median(trained):,.0f} target words a second; "
        f"{float(took['s']) - last['elapsed']:.0f} seconds before and after them and their "
        f"validation ({last['seconds'] / 60:.0f} minutes); {float(took['max_rss']) / 1e3:.1f} GB "
        "of memory."
    )


HEAD = ["stage", "jobs", "core-hours", "plan", "ratio", "memory (GB)", "asked for", "disk (GB)"]
HEAD += ["plan", "ratio", "largest file (GB)"]
HEAD_OF_TRAININGS = ["trainings", "number", "updates (millions)", *PRECISIONS]


def main(
    en_fr: Annotated[Path, typer.Option(help="a text, PATH.en.gz and PATH.fr.gz without the ends")],
    en_de: Annotated[Path, typer.Option(help="the same for English and German")],
    folder: Annotated[Path, typer.Option(help="to run in, and to go on in; kept")],
    kill: Annotated[list[float] | None, typer.Option(help="minutes until a kill")] = None,
    divisor: Annotated[int, typer.Option(help="a part of the lines alone, to try it out")] = 1,
    out: Out = None,
) -> None:
    """Make the archives, run the workflow on them, and compare it with its plan."""
    place, given = folder.resolve(), {"en-fr": en_fr, "en-de": en_de}
    place.mkdir(parents=True, exist_ok=True)
    configuration = layers.of_call(ROOT, [], {"preset": "wmt14"})
    if not (place / "archives.json").exists():
        sides = {
            pair: [Path(f"{path}.{language}.gz") for language in pair.split("-")]
            for pair, path in given.items()
        }
        started = time.monotonic()
        shutil.rmtree(place / "members", ignore_errors=True)
        over = archives(configuration, sides, place, divisor)
        if divisor > 1:
            limit = configuration["select"]["en-fr"]["target_words"] // divisor
            over["select"] = {"en-fr": {"target_words": limit}}
        write_json(place / "archives.json", over)
        say(f"archives made in {(time.monotonic() - started) / 60:.0f} minutes")
    over = read_json(place / "archives.json")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(place / "site")))
    Thread(target=server.serve_forever, daemon=True).start()
    over["mirrors"] = [f"http://127.0.0.1:{server.server_port}"]
    words = [*call_in(place, over, "binarized"), "--profile", f"{ROOT}/local", "--cores", "all"]
    if not (place / "plan.json").exists():  # of the whole, not of what a former call left
        jobs, made, _ = planned(words)
        sizes, rates = Sizes(made), read_rates()
        costs = {job.outputs[0]: cost(job, sizes, rates) for job in jobs if job.stage}
        write_json(place / "plan.json", {name: each[1:3] for name, each in costs.items()})
    watched = Watched(place)
    try:
        for minutes in kill or []:
            watched.seen["kills"] += run(words, minutes)
        run(words)
    finally:
        seen = watched.end()
    everything = planned([*words, "--forceall", "--rerun-incomplete"]).jobs
    found = [*rows(everything, read_json(place / "plan.json"), place)]
    total = [sum(column) for column in zip(*(figures for _, figures in found), strict=True)]
    for at in (3, 4, 7):
        total[at] = max(figures[at] for _, figures in found)
    facts = [
        *made_by("snakemake"),
        f"Archives: {bytes_of(place / 'site') / 1e9:.2f} GB. By the clock: "
        f"{seen['seconds'] / 3600:.2f} hours, with {seen['kills']} kills. Disk in use at most, "
        f"besides the archives: {seen['most'] / 1e9:.1f} GB.",
    ]
    title = "# The texts of WMT14, from archives to ids"
    lines = [shown(*each) for each in (*found, ("all", total))]
    made = layers.of_call(ROOT, [place / "overlay.yaml"], {})
    hours = [*training_hours(made, place / "results/wmt14", gpu_rates(RATES))]
    publish(
        out,
        title,
        facts,
        NOTES,
        table(HEAD, lines, words=1),
        ["## Trainings"],
        first_updates(place, over),
        NOTES_ON_TRAININGS,
        table(HEAD_OF_TRAININGS, hours, words=1),
    )


if __name__ == "__main__":
    typer.run(main)
