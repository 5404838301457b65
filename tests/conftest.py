"""Fixtures of several rooms: the material beside the repository, and the workflow to run."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]

# Tests share the processor with the jobs that they start, and their models are too small to gain by
# several threads: on two busy cores, those of the models took ten times as long with them.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Hundreds of programs are started: their modules are to be compiled once.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A case that waits for a busy processor is none that fails.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

import torch  # noqa: E402  (once that is said)

#: The variable with the seed of whatever tests choose at random.
SEED = "CONTEXTNMT_TEST_SEED"

# What is for a GPU is worked out in Python where there is none. Before anything imports Triton,
# as torch.utils.flop_counter does.
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"

#: What a fresh clone does not hold.
DEMO = "workflow/presets/demo.yaml"
NOT_CLONED = shutil.ignore_patterns(
    ".git", ".venv", ".snakemake", "results", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info"
)

#: Files with tests that look at the finished demo.
OF_DEMO = {"test_demo.py", "test_rerun.py"}

#: What the fixture `snakemake` gives: call it with a folder and arguments, `timeout` in seconds.
Run = Callable[..., subprocess.CompletedProcess[str]]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes give no name: gzip writes the time into them, and processes have to agree on names."""
    return argname if isinstance(val, bytes) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--thorough", action="store_true", help="run every case, not a sample, and slow tests"
    )


def pytest_configure() -> None:
    os.environ.setdefault(SEED, f"{random.randrange(10**6)}")  # for the processes of xdist too


def pytest_report_header() -> str:
    return f"{SEED}={os.environ[SEED]} repeats the cases drawn at random"


class ByFile(LoadScopeScheduling):
    """Where several processes share the tests, those of a file stay together, and so do all those
    that look at the finished demo: what a session makes once is made by one process alone."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "demo" if Path(file).name in OF_DEMO else file


@pytest.hookimpl(optionalhook=True)  # without xdist all run in one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """How the tests are dealt out, whatever `--dist` says."""
    return ByFile(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The demo takes longest and comes first. Raises ValueError if a test of it is elsewhere."""
    if not config.getoption("--thorough"):
        items[:] = drawn(item for item in items if not item.get_closest_marker("slow"))
    items.sort(key=lambda item: item.path.name not in OF_DEMO)
    for item in items:
        if "demo" in getattr(item, "fixturenames", ()) and item.path.name not in OF_DEMO:
            raise ValueError(f"{item.path} looks at the finished demo: name it in OF_DEMO")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Limit the memory of a test marked by `memory`, where the system can."""
    marker, pages = pyfuncitem.get_closest_marker("memory"), Path("/proc/self/statm")
    if not marker or not pages.exists():
        return (yield)
    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(pages.read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + marker.args[0], before[1]))
    try:
        return (yield)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def drawn(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Keep some cases of each test that is marked by `sample`, and all other tests."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    found = []
    for cases in tests.values():
        marker = cases[0].get_closest_marker("sample")
        found += some(cases, marker.args[0]) if marker else cases
    return found


def some(cases: Sequence[Any], number: int) -> list[Any]:
    """Some of many cases by the seed, in their order."""
    chosen = random.Random(os.environ[SEED]).sample(range(len(cases)), min(number, len(cases)))
    return [cases[place] for place in sorted(chosen)]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with other programs' outputs and real texts; tests that need it skip without."""
    folder = Path(os.environ.get("CONTEXTNMT_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: name one by CONTEXTNMT_SHARED")
    return folder


@pytest.fixture(scope="session")
def seed() -> int:
    """The seed of whatever a test chooses at random; the first lines of pytest say it."""
    return int(os.environ[SEED])


@pytest.fixture(scope="session")
def sampled(pytestconfig: pytest.Config) -> Callable[[Sequence[Any], int], list[Any]]:
    """Draw some of many cases that a test makes itself; with --thorough, all of them."""
    thorough = pytestconfig.getoption("--thorough")
    return lambda cases, number: list(cases) if thorough else some(cases, number)


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Environment variables under which this Python's programs come first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path}


@pytest.fixture(scope="session")
def snakemake(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Run]:
    """Run Snakemake in a folder and return what became of it, stdout and stderr together."""
    output = tmp_path_factory.mktemp("snakemake") / "output"
    program = [sys.executable, str(ROOT / "benchmarks" / "forked.py")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(program, env=environment, text=True, **pipes) as server:

        def run(
            folder: Path, *arguments: str, timeout: int = 120
        ) -> subprocess.CompletedProcess[str]:
            call = {"arguments": arguments, "folder": str(folder), "environment": environment}
            call |= {"output": str(output), "timeout": timeout}
            server.stdin.write(json.dumps(call) + "\n")
            server.stdin.flush()
            status = int(server.stdout.readline() or pytest.fail("the server has ended"))
            if status == -signal.SIGALRM:
                raise subprocess.TimeoutExpired(arguments, timeout, output.read_text())
            return subprocess.CompletedProcess(arguments, status, output.read_text())

        yield run
        server.stdin.close()


def change(file: Path, old: str, new: str) -> None:
    """Replace the one place of `file` that is `old`."""
    before, after = file.read_text().split(old)
    file.write_text(before + new + after)


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Make a copy of the repository as a fresh clone would be, but that the demo has all language
    pairs and choices of symbols, and one seed."""

    def copy() -> Path:
        folder = tmp_path_factory.mktemp("clone") / "repo"
        shutil.copytree(ROOT, folder, ignore=NOT_CLONED)
        change(folder / DEMO, "pairs: [en-fr]", "pairs: [en-fr, en-de]")
        change(folder / DEMO, "seeds: [1, 2]", "seeds: [1]")
        change(folder / DEMO, "decoding: {symbol_ablation: false}", "model: {}")
        return folder

    return copy


@pytest.fixture(scope="session")
def demo(clone: Callable[[], Path], snakemake: Run) -> Path:
    """A clone in which the demo has run, with shorter trainings: minutes, once for all tests."""
    folder = clone()
    change(folder / DEMO, "max_updates: 400", "max_updates: 250")
    change(folder / DEMO, "validate_every: 100", "validate_every: 50")
    run = snakemake(folder, "choi2017", "--profile", "local", timeout=1500)
    assert run.returncode == 0, run.stdout[-5000:]
    return folder
