"""Calls of Snakemake and of the commands of the package, and what they take."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from contextnmt.files import read_lines

ROOT = Path(__file__).parents[1]

#: Runs a command and adds a line to the file $MEASURED: the command, its seconds by the clock, its
#: processor seconds and its largest memory (MB). A process of its own, since Linux counts the
#: memory of whoever starts a command as the command's.
LAUNCHER = """
import json, os, sys, time
command, started = [sys.executable, *sys.argv[1:]], time.monotonic()
_, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ), 0)
seconds = time.monotonic() - started, usage.ru_utime + usage.ru_stime
megabytes = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
with open(os.environ["MEASURED"], "a") as measured:
    print(json.dumps([sys.argv[3:], *seconds, megabytes]), file=measured)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Cost(NamedTuple):
    """Time and memory of a command of the package."""

    arguments: list[str]
    wall: float  # seconds
    cpu: float  # seconds
    megabytes: float  # largest resident set

    @property
    def command(self) -> str:
        """Its name."""
        return self.arguments[0]


def snakemake(*words: str, measured: Path) -> None:
    """Run the workflow, whose commands leave their `costs` in the folder `measured`."""
    program = measured / "python"
    program.write_text(f"#!{sys.executable}\n{LAUNCHER}")
    program.chmod(0o755)
    subprocess.run(
        [sys.executable, "-m", "snakemake", *words],
        cwd=ROOT,
        env=variables(measured, measured),
        check=True,
    )


def contextnmt(*arguments: object, cwd: Path = ROOT) -> tuple[str, Cost]:
    """Run a command of the package; what it prints, and its cost."""
    with TemporaryDirectory() as folder:
        call = [sys.executable, "-c", LAUNCHER, "-m", "contextnmt", *map(str, arguments)]
        own = variables(Path(folder))
        done = subprocess.run(call, cwd=cwd, env=own, stdout=subprocess.PIPE, check=True, text=True)
        [cost] = costs(Path(folder))
    return done.stdout, cost


def variables(measured: Path, *first: Path) -> dict[str, str]:
    """The environment of a call, with folders before others of $PATH."""
    path = [*map(str, first), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(path), "MEASURED": str(measured / "costs")}


def costs(folder: Path) -> Iterator[Cost]:
    """The costs measured in a folder."""
    for line in read_lines(folder / "costs"):
        yield Cost(*json.loads(line))


#: Names of the texts of an overlay besides those to select from.
OTHERS = ("in-domain", "held-out", "other")


def overlay(
    pair: str,
    train: Mapping[str, str],
    others: tuple[str, str],
    clean: Mapping[str, Any],
    limit: Mapping[str, int],
    parts: int = 1,
) -> dict[str, Any]:
    """A configuration over that of the demo, which selects from the texts `train`, up to a limit.

    Paths have {lang} in them; the `others` are the text to select by, and one for dev and test.
    """
    paths = {**train, **dict(zip(OTHERS, (others[0], others[1], others[1]), strict=True))}
    languages = pair.split("-")
    files = {
        f"{name}.{language}.gz": {"local": path.format(lang=language)}
        for name, path in paths.items()
        for language in languages
    }
    texts: dict[str, dict[str, Any]] = {name: {"file": f"{name}.{{lang}}.gz"} for name in paths}
    for name in train:
        texts[name]["shards"] = parts
    switches = ("drop_empty", "drop_garbled", "drop_identical", "drop_duplicates", "wrong_language")
    filters = {**dict.fromkeys(switches, False), "max_length": None, "max_ratio": None, **clean}
    return {
        "preset": "demo",
        "pairs": [pair],
        "systems": ["baseline", "bpe", "symbol"],
        "corpora": {"benchmark": {"files": files, "texts": texts}},
        "roles": {pair: {"train": list(train), "dev": ["held-out"], "test": ["other"]}},
        "clean": {pair: filters},
        "select": {
            pair: {"in_domain": ["in-domain"], "pairs": None, "target_words": None, **limit}
        },
        "text": {"vocabulary_size": 30_000, "merges": 30_000},  # as in the paper
    }


def stay_on_one_core() -> None:
    """Keep this process, and those that it starts, on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
