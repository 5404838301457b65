"""Calls of Snakemake and of the commands of the package, and what they take."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from contextnmt.configuration import layers
from contextnmt.files import read_lines, write_json

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


def launcher(folder: Path) -> dict[str, str]:
    """The environment of a call whose `python` leaves the `costs` of commands in a folder."""
    program = folder / "python"
    program.write_text(f"#!{sys.executable}\n{LAUNCHER}")
    program.chmod(0o755)
    path = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(path), "MEASURED": str(folder / "costs")}


def snakemake(*words: str, measured: Path) -> None:
    """Run the workflow, whose commands leave their `costs` in the folder `measured`."""
    call = [sys.executable, "-m", "snakemake", *words]
    subprocess.run(call, cwd=ROOT, env=launcher(measured), check=True)


def call_in(folder: Path, configuration: Mapping[str, Any], *words: str) -> list[str]:
    """The words of a call of Snakemake in `folder`, on one core, over a configuration."""
    file = folder / "overlay.yaml"
    write_json(file, configuration)  # which is YAML too
    places = ["--snakefile", ROOT / "Snakefile", "--directory", folder, "--configfile", file]
    return [*words, "--cores", "1", *map(str, places)]


@contextlib.contextmanager
def finished_run(
    folder: Path | None, configuration: Mapping[str, Any], *targets: str
) -> Iterator[tuple[Path, str]]:
    """Make targets of choi2017 on all cores, in `folder` or in a temporary one.

    Give the folder and the digest of the configuration.
    """
    with TemporaryDirectory() as temporary:
        place = (folder or Path(temporary)).resolve()
        place.mkdir(parents=True, exist_ok=True)
        words = call_in(place, configuration, *targets, "--profile", "local")
        snakemake(*words, "--cores", "all", measured=Path(temporary))
        made = layers.of_call(ROOT, [place / "overlay.yaml"], {})
        yield place, layers.digest(made, "choi2017")


def contextnmt(*words: str) -> tuple[str, Cost]:
    """Run a command of the package; what it prints, and its cost."""
    with TemporaryDirectory() as folder:
        call, own = [f"{folder}/python", "-m", "contextnmt", *words], launcher(Path(folder))
        said = subprocess.check_output(call, cwd=ROOT, env=own, text=True)
        [cost] = costs(Path(folder))
    return said, cost


def costs(folder: Path) -> list[Cost]:
    """The costs measured in a folder."""
    return [Cost(*json.loads(line)) for line in read_lines(folder / "costs")]


#: Names of the texts of `selecting` besides those to select from.
OTHERS = ("in-domain", "held-out")

SWITCHES = ("drop_empty", "drop_garbled", "drop_identical", "drop_duplicates", "wrong_language")
NO_FILTERS = {**dict.fromkeys(SWITCHES, False), "max_length": None, "max_ratio": None}


def selecting(
    pair: str,
    train: Mapping[str, str],
    in_domain: str,
    held_out: str,
    limit: Mapping[str, int],
    clean: Mapping[str, Any],
    parts: int,
) -> dict[str, Any]:
    """A configuration over that of the demo, which selects from the texts `train`, up to a limit;
    paths have {lang} in them."""
    paths = {**train, **dict(zip(OTHERS, (in_domain, held_out), strict=True))}
    files = {
        f"{name}.{language}.gz": {"local": path.format(lang=language)}
        for name, path in paths.items()
        for language in pair.split("-")
    }
    cut = {name: parts if name in train else 1 for name in paths}
    texts = {name: {"file": f"{name}.{{lang}}.gz", "shards": cut[name]} for name in paths}
    selection = {"in_domain": ["in-domain"], "pairs": None, "target_words": None, **limit}
    return {
        "preset": "demo",
        "pairs": [pair],
        "systems": ["baseline", "bpe", "symbol"],
        "corpora": {"benchmark": {"files": files, "texts": texts}},
        "roles": {pair: {"train": list(train), "dev": ["held-out"], "test": ["test"]}},
        "clean": {pair: {**NO_FILTERS, **clean}},
        "select": {pair: selection},
        "text": {"vocabulary_size": 30_000, "merges": 30_000},  # as in the paper
    }


def stay_on_one_core() -> None:
    """Keep this process, and those that it starts, on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
