"""Faults that are survived: kills, failed writes and wrong input; a Markdown table.

A tiny run of the workflow is made once. Then its stages, its trainings and Snakemake are killed,
their writes fail, and they get wrong configurations and command lines, all drawn by a seed. For
Linux alone; fast where the temporary folder is in memory.

Example: python benchmarks/faults.py --out benchmarks/published/faults.md
"""

import contextlib
import errno
import gc
import hashlib
import io
import json
import math
import os
import re
import resource
import shutil
import signal
import sys
import tarfile
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import pairwise
from multiprocessing import Value
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Annotated, Any, NamedTuple

import typer
from calls import ROOT, call_in, costs, snakemake
from failing_writes import at_opening, let_writes_fail
from forked import start
from mistakes import wrong_calls, wrong_configurations
from pages import Out, made_by, publish, table
from snakemake import cli as snakemake_cli

from contextnmt import cli
from contextnmt.configuration import layers
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.progress import say

RESULTS = Path("results/demo")
GENERATE = ["generate", "--seed", "1", "--out", "results/demo/generate/embedded/embedded.tar.gz"]
#: Lines of each text; a part of the generated ones.
LINES = {"train": 240, "dev": 12, "test": 24}

#: Modules that are imported as late as can be.
LATE = ("torch._dynamo", "torch.utils.tensorboard")

#: Folders whose files are no results, and keys of results that the clock or the checkout decides.
ASIDE = {"logs", "benchmarks", "tensorboard"}
#: Parts of the report that tell how long the trainings took.
TIMED = re.compile(r"/report/.*/(index\.html|ro-crate.*\.json|(scale|trainings)\.[a-z]+)$")
MEASURED = re.compile(
    rb'"(seconds|elapsed|(source|target)_tokens_per_second|memory_mb|commit|dirty)": [^,}\n]+'
)

#: Seconds after which a program counts as hanging, and until Snakemake is killed, at most.
HANGING, LONGEST = 600, 10.0

AGAIN = "the next run gives the same bytes as an undisturbed one, and leaves no other file"
REFUSED = f"one message, status 2, no unfinished file; {AGAIN}"
MESSAGE = "a message, no traceback, a status other than 0; no result is another or half-made"


NOTES = """
Each fault hits a tiny run of the workflow that has every stage: 240 training pairs, trainings of 4
updates. A kill comes at a moment drawn from the seconds that the stage takes, or within 10 seconds
of the start of Snakemake. Writes fail once the stage opens a certain one of its files, or beyond a
number of bytes or of open files. A fault without effect is drawn again. Wrong configurations are
made of the models of the configuration, wrong command lines of right ones and the signatures of the
commands; each kind of mistake is as likely as any other. The same seed draws the same faults,
except for what the clock decides.
"""


class Kind(NamedTuple):
    """A kind of fault: how many of 1,000, and what it is to survive one."""

    title: str
    share: int
    survived: str


KINDS = {
    "kill": Kind("SIGKILL of a stage", 100, f"no half-made file; {AGAIN}"),
    "training": Kind("SIGKILL of a training", 60, f"no half-made file; {AGAIN}"),
    "workflow": Kind(
        "SIGKILL of snakemake and all its jobs",
        50,
        f"no half-made file; after `--unlock`, {AGAIN}",
    ),
    "ENOSPC": Kind("the disk is full (ENOSPC)", 60, REFUSED),
    "EDQUOT": Kind("the quota is used up (EDQUOT)", 60, REFUSED),
    "EFBIG": Kind("a file is larger than allowed (EFBIG)", 60, REFUSED),
    "EMFILE": Kind("too many open files (EMFILE)", 40, REFUSED),
    "configuration": Kind("a wrong configuration", 350, MESSAGE),
    "call": Kind(
        "a wrong command line",
        220,
        f"{MESSAGE} (for a damaged translation, a warning and a gap in the tables)",
    ),
}


class Call(NamedTuple):
    """A call of a stage: its words, and of an undisturbed run the files made, the seconds, the
    files opened for writing, and the size of the largest."""

    words: list[str]
    made: list[str]
    seconds: float
    opened: int
    largest: int


class Ended(NamedTuple):
    """How a program ended: its status, or a signal as a negative one; what it said."""

    status: int | None
    said: str


def run(
    words: list[str],
    folder: Path,
    before: Callable[[], object] = lambda: None,
    killed: float | None = None,
    program: Callable[[], object] = cli.main,
) -> Ended:
    """Run a command in `folder`, which calls `before` first, and kill it after some seconds."""

    def alone() -> None:
        os.setsid()  # to be killed with all that it starts
        before()

    reading, writing = os.pipe()
    process = start(program, words, folder, writing, 2 * HANGING, before=alone)
    os.close(writing)

    def kill() -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    timer = Timer(HANGING if killed is None else killed, kill)
    timer.start()
    with open(reading, errors="replace") as stream:
        said = stream.read()
    process.join()
    timer.cancel()
    return Ended(process.exitcode, said)


def contents(folder: Path) -> dict[str, str]:
    """The digest of each result in a folder, without what was measured."""
    found = {}
    for path in sorted((folder / RESULTS).rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and ASIDE.isdisjoint(name.parts):
            content = path.read_bytes()
            if path.suffix in (".json", ".jsonl"):
                content = MEASURED.sub(b"", content)
            found[str(name)] = hashlib.sha256(content).hexdigest()
    return found


class Campaign:
    """A finished tiny run in the folder `calm`, and faults in copies of it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calm, self.odd = folder, folder / "calm", folder / "odd"
        prepared = folder / "prepared.json"
        if not prepared.exists():
            for begun in (self.calm, self.odd):
                shutil.rmtree(begun, ignore_errors=True)
            (folder / "costs").unlink(missing_ok=True)
            write_json(prepared, self.prepare())
        known = read_json(prepared)
        self.words: list[str] = known["words"]
        self.results: dict[str, str] = known["results"]
        self.calls = {stage: [Call(*each) for each in of] for stage, of in known["calls"].items()}
        whole = layers.of_call(ROOT, [folder / "overlay.yaml"], {})
        # Roles in other pairs are not looked at.
        whole["roles"] = {pair: whole["roles"][pair] for pair in whole["pairs"]}
        self.configurations = list(wrong_configurations(whole))

    def prepare(self) -> dict[str, Any]:
        """Run the workflow, and each call in it once more."""
        for each in (self.calm, self.odd / "folder"):
            each.mkdir(parents=True)
        (self.odd / "loop").symlink_to("loop")
        (self.odd / "garbage").write_bytes(bytes(range(256)))
        done(run(["contextnmt", *GENERATE], self.calm))
        configuration = self.configure(self.calm / GENERATE[-1])
        trained, exported = self.folder / "trained", self.folder / "exported"
        for each in (trained, exported):
            shutil.rmtree(each, ignore_errors=True)
        run_file = "results/demo/run/en-fr/baseline/1.json"
        self.workflow(trained, configuration, run_file)
        done(run(["contextnmt", "export", "--run", run_file, "--out", str(exported)], trained))
        (self.folder / "costs").unlink()
        configuration["pretrained"] = {"en-fr/baseline/1": str(exported)}  # for `adopt`
        words = self.workflow(self.calm, configuration, "choi2017", "perplexities")
        self.results = contents(self.calm)
        calls: dict[str, list[Call]] = {}
        for call in (GENERATE, *sorted(each.arguments for each in costs(self.folder))):
            calls.setdefault(call[0], []).append(self.undisturbed(call))
        if missing := cli.STAGES.keys() - calls.keys():
            raise UserError(f"no call of {', '.join(missing)}")
        return {"words": words, "results": self.results, "calls": calls}

    def workflow(self, place: Path, configuration: dict[str, Any], *targets: str) -> list[str]:
        """Run the workflow in a folder; returns the words of its call, without the cores."""
        words = call_in(self.folder, configuration, *targets)
        words[words.index("--directory") + 1] = str(place)
        snakemake(*words, "--cores", "all", "--quiet", "all", measured=self.folder)
        return words

    def configure(self, archive: Path) -> dict[str, Any]:
        """Write an archive with a part of the generated texts; the configuration for it."""
        small = self.odd / "small.tar"
        with tarfile.open(archive) as whole, tarfile.open(small, "w") as part:
            for name in ("train.en", "train.fr", "dev.en", "dev.fr", "test.en", "test.fr"):
                lines = whole.extractfile(name).read().split(b"\n")[: LINES[name.split(".")[0]]]
                add(part, name, b"\n".join(lines) + b"\n")
            head, *rows = whole.extractfile("test.phenomena.tsv").read().split(b"\n")[:-1]
            rows = [row for row in rows if int(row.split(b"\t")[0]) <= LINES["test"]]
            add(part, "test.phenomena.tsv", b"\n".join([head, *rows]) + b"\n")
        digest = hashlib.sha256(small.read_bytes()).hexdigest()
        file = {"url": "http://127.0.0.1:9/small.tar", "sha256": digest}
        texts = {name: {"file": "small.tar", "member": f"{name}.{{lang}}"} for name in LINES}
        texts["train"]["shards"] = 2
        texts["test"]["phenomena"] = "test.phenomena.tsv"
        sizes = dict.fromkeys(("embedding", "hidden", "alignment", "maxout"), 8)
        return {
            "preset": "demo",
            "pairs": ["en-fr"],
            "seeds": [1],
            "systems": ["baseline", "bpe", "context-symbol"],
            "hand_placed": str(self.odd),
            "corpora": {
                "small": {
                    "files": {"small.tar": file},
                    "texts": {f"small-{name}": text for name, text in texts.items()},
                }
            },
            "roles": {"en-fr": {name: [f"small-{name}"] for name in LINES}},
            "select": {"en-fr": {"in_domain": ["small-dev"], "pairs": 200}},
            "experiments": {"choi2017": {"sentences": {"en-fr": []}}},
            "text": {"vocabulary_size": 300, "merges": 100},
            "model": {**sizes, "contextualizer": {"layers": [8]}},
            "training": {"max_updates": 4, "validate_every": 2},
            "decoding": {"beams": [1, 2], "no_unknown": True, "replace": True},
        }

    def copy(self, without: Iterable[str] = ()) -> Path:
        """A copy of the finished run, by links, that lacks some files."""
        folder = self.folder / "disturbed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.calm / "results", folder / "results", copy_function=os.link)
        for name in without:
            (folder / name).unlink()
        return folder

    def undisturbed(self, words: list[str]) -> Call:
        """Run a call once more, and see what it does."""
        # A file that is there already is not fetched again.
        given = {word for option, word in pairwise(words) if option.endswith("out")}
        folder, opened = self.copy(given & self.results.keys()), Value("i")
        began = time.monotonic()
        done(run(["contextnmt", *words], folder, lambda: at_opening(0, counter=opened)))
        seconds = time.monotonic() - began
        if wrong := self.differences(folder):
            raise UserError(f"{' '.join(words)}: not the same twice: {wrong}")
        made = [name for name in self.results if not (folder / name).samefile(self.calm / name)]
        largest = max((folder / name).stat().st_size for name in made)
        return Call(words, made, seconds, opened.value, largest)

    def differences(self, folder: Path, timed: bool = True) -> str:
        """List the files that differ from those of the undisturbed run, in words.

        Files that show how long trainings took count only with `timed`.
        """
        found = contents(folder)
        names = sorted({*found, *self.results})
        return ", ".join(
            f"{name} is {'another' if name in found and name in self.results else 'missing or new'}"
            for name in names
            if found.get(name) != self.results.get(name) and (timed or not TIMED.search(name))
        )

    def half_made(self, folder: Path, timed: bool = True) -> str:
        """List the results that are there, but not as in the undisturbed run, in words.

        A training that has not ended has its state, and its journal. `timed`: see `differences`.
        """
        return ", ".join(
            f"half-made {name}"
            for name, digest in contents(folder).items()
            if digest != self.results.get(name)
            and not re.search(r"/\.[^/]*$|/state/|/log\.jsonl$", name)
            and (timed or not TIMED.search(name))
        )

    def again(self, call: Call, folder: Path) -> str:
        """Run a call once more after a fault; returns the error or nothing."""
        ended = run(["contextnmt", *call.words], folder)
        if ended.status != 0:
            return f"the next run ends with {ended.status}: {ended.said[-500:]}"
        return self.differences(folder)

    def disturb(self, kind: str, rng: Random, last: bool) -> tuple[str, str]:
        """Make a fault of a kind and go on after it; returns it, and the error or nothing."""
        if kind == "configuration":
            return self.wrong_configuration(rng)
        if kind == "call":
            return self.wrong_call(rng)
        if kind == "workflow":
            return self.kill_workflow(rng, last)
        if kind in ("kill", "training"):
            return self.kill(rng, ["train"] if kind == "training" else [*self.calls])
        return self.fail(rng, kind)

    def kill(self, rng: Random, stages: list[str]) -> tuple[str, str]:
        """Kill a stage; returns as `disturb` does."""
        call = rng.choice(self.calls[rng.choice(stages)])
        while True:  # until it has not ended before
            folder = self.copy(call.made)
            ended = run(["contextnmt", *call.words], folder, killed=rng.uniform(0, call.seconds))
            if ended.status == -signal.SIGKILL:
                return " ".join(call.words), self.half_made(folder) or self.again(call, folder)

    def fail(self, rng: Random, error: str) -> tuple[str, str]:
        """Let what a stage writes fail; returns as `disturb` does."""
        while True:  # until that has an effect
            call = rng.choice(self.calls[rng.choice([*self.calls])])
            folder = self.copy(call.made)
            number, creating = rng.randint(1, max(call.opened, 1)), rng.random() < 0.5
            limit = rng.randrange(call.largest) if error == "EFBIG" else rng.randrange(10)

            def before(number: int = number, creating: bool = creating, limit: int = limit) -> None:
                if error == "EFBIG":
                    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                elif error == "EMFILE":
                    lowest = os.dup(0)
                    os.close(lowest)
                    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest + limit,) * 2)
                else:
                    at_opening(number, lambda: let_writes_fail(getattr(errno, error), creating))

            ended = run(["contextnmt", *call.words], folder, before)
            if ended.status != 0:
                break
            if wrong := self.differences(folder):
                return " ".join(call.words), wrong
        left = [name for name in contents(folder) if re.search(r"(?<!/state)/[^/]*\.part$", name)]
        wrong = refused(ended, 2, f"contextnmt {call.words[0]}: ") or self.half_made(folder)
        wrong = wrong or ", ".join(f"{name} is left" for name in left)
        return " ".join(call.words), wrong or self.again(call, folder)

    def kill_workflow(self, rng: Random, last: bool) -> tuple[str, str]:
        """Kill Snakemake with its jobs; returns as `disturb` does.

        The run goes on next time, and after the `last` kill to its end.
        """
        folder, program = self.folder / "killed", snakemake_cli.main
        words = ["snakemake", *self.words, "--cores", "all", "--rerun-incomplete"]
        words[words.index("--directory") + 1] = str(folder)
        while True:
            made = GENERATE[-1]  # by no rule of this configuration
            (folder / made).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.calm / made, folder / made)
            moment = rng.uniform(0, LONGEST)
            ended = run(words, ROOT, killed=moment, program=program)
            if ended.status == -signal.SIGKILL:
                break
            if wrong := self.finished(ended, folder):
                return "to the end", wrong
        wrong = self.half_made(folder, timed=False)
        done(run([*words, "--unlock"], ROOT, program=program))
        if last:
            wrong = wrong or self.finished(run(words, ROOT, program=program), folder)
        return f"after {moment:.1f} s", wrong

    def finished(self, ended: Ended, folder: Path) -> str:
        """Check a workflow that has ended, and remove its folder; returns the error or nothing."""
        wrong = ended.said[-2000:] if ended.status else self.differences(folder, timed=False)
        shutil.rmtree(folder)
        return wrong

    def wrong_call(self, rng: Random) -> tuple[str, str]:
        """Give a stage a wrong command line; returns as `disturb` does."""
        call = rng.choice(self.calls[rng.choice([*self.calls])])
        kind, words = drawn(rng, wrong_calls(call.words, self.calm, self.odd))
        folder = self.copy(call.made)
        ended = run(["contextnmt", *words], folder)
        wrong = refused(ended, 2)
        if ended.status == 0 and "warning: no scores of" in ended.said:
            wrong = ""  # a damaged translation is a gap in the tables, with its reason
        elif not wrong:
            found = contents(folder).items()
            wrong = ", ".join(name for name, each in found if self.results.get(name) != each)
        return f"{kind}: {' '.join(words)}", wrong

    def wrong_configuration(self, rng: Random) -> tuple[str, str]:
        """Give Snakemake a wrong configuration; returns as `disturb` does."""
        kind, layer = drawn(rng, self.configurations)
        file = self.folder / "wrong.yaml"
        write_json(file, layer)
        words = ["snakemake", *self.words, str(file), "--dry-run"]
        ended = run(words, ROOT, program=snakemake_cli.main)
        wrong = refused(ended, 1, r"\S+\.yaml: ") or self.differences(self.calm)
        return f"{kind}: {json.dumps(layer)[:300]}", wrong


def drawn(rng: Random, cases: Iterable[tuple[str, Any]]) -> tuple[str, Any]:
    """A kind of case and a case of it, each kind as likely as any other."""
    kinds: dict[str, list[Any]] = {}
    for kind, case in cases:
        kinds.setdefault(kind, []).append(case)
    kind = rng.choice([*kinds])
    return kind, rng.choice(kinds[kind])


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    """Add a member to an archive."""
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def done(ended: Ended) -> None:
    """Raise UserError unless a program has ended well."""
    if ended.status != 0:
        raise UserError(f"ended with {ended.status}: {ended.said[-2000:]}")


def refused(ended: Ended, status: int, beginning: str = "") -> str:
    """Check that a program refused its input as it should; returns the error or nothing."""
    said = re.search(rf"^{beginning}", ended.said.replace("\r", "\n"), re.MULTILINE)
    if ended.status != status or "Traceback" in ended.said or not said:
        return f"ended with {ended.status}: {ended.said[-2000:]}"
    return ""


def main(
    faults: Annotated[int, typer.Option(help="how many, of all kinds in proportion", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="draws the faults")] = 1,
    folder: Annotated[Path | None, typer.Option(help="to run in, and to go on in; kept")] = None,
    out: Out = None,
) -> None:
    """Make a run and disturb it; end with status 1 if a fault was not survived."""
    for module in (*cli.COMMANDS.values(), *LATE):
        import_module(module)
    gc.freeze()  # else the copies of this process copy all its memory
    rows = []
    with TemporaryDirectory() as temporary:
        place = (folder or Path(temporary) / "campaign").resolve()
        campaign, known = Campaign(place), place / f"outcomes.{seed}.json"
        outcomes: dict[str, list[str]] = read_json(known) if known.exists() else {}
        for name, kind in KINDS.items():
            count, found = math.ceil(kind.share * faults / 1000), outcomes.setdefault(name, [])
            say(f"{kind.title}: {len(found)} of {count}")  # a bar would be in every fork
            for number in range(len(found), count):
                rng = Random(f"{seed} {name} {number}")
                what, wrong = campaign.disturb(name, rng, last=number == count - 1)
                found.append(wrong and f"{kind.title}: {what}: {wrong}")
                write_json(known, outcomes)
                if wrong:
                    say(found[-1])
            survived = found[:count].count("")
            rows.append([kind.title, kind.survived, count, survived])
    rows.append(["all", "", *(sum(row[place] for row in rows) for place in (2, 3))])
    shown = [[title, meaning, f"{count:,}", f"{well:,}"] for title, meaning, count, well in rows]
    head = ["fault", "survived if", "faults", "survived"]
    facts = [*made_by("snakemake", "torch"), f"Seed {seed}."]
    publish(out, "# Faults, and what was lost", facts, NOTES, table(head, shown, words=2))
    sys.exit(rows[-1][2] > rows[-1][3])


if __name__ == "__main__":
    typer.run(main)
