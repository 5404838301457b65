"""Costs of a call of Snakemake: of which jobs, and messages at mistakes."""

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.planning.jobs import planned
from contextnmt.planning.plan import plan

ROOT = Path(__file__).parents[2]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def beside_the_snakefile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Call it as a user does."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    "words",
    [
        ["--profile", "local"],
        ["--profile", "slurm", "--config", "preset=wmt14"],
        ["symbolized", "--profile", "local", "--configfile", ".test/config/config.yaml"],
    ],
    ids=["demo", "wmt14", "target and configuration of one's own"],
)
def test_the_jobs_are_those_of_snakemake(snakemake: Run, tmp_path: Path, words: list[str]) -> None:
    words = [*words, "--directory", f"{tmp_path}"]
    shown = snakemake(ROOT, "-n", "--quiet", "host", "rules", "--dry-run", *words).stdout
    counts = {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", shown, re.MULTILINE)}
    total = counts.pop("total")
    found = Counter(job.rule for job in planned(words).jobs)
    assert found.total() == total
    assert found == Counter(
        {
            rule: sum(n for name, n in counts.items() if re.sub(r"_\d+_parts$", "", name) == rule)
            for rule in {re.sub(r"_\d+_parts$", "", name) for name in counts}
        }
    )


def test_the_papers_experiment_is_costed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan(["--profile", "slurm", "--config", "preset=wmt14", "--directory", f"{tmp_path}"])
    shown = capsys.readouterr().out
    rows = {line.split()[0]: line for line in shown.split("\n") if line}
    stages = ["download", "extract", "tokenize", "clean", "select", "symbolize", "bpe", "binarize"]
    assert [name for name in rows if name in stages] == stages
    assert re.match(r"train +39 +\? +\? +\d+\.\d+ GB", rows["train"])
    # Half a minute to two for a million pairs, of which there are 45 millions.
    hours = float(rows["tokenize"].split()[2].removesuffix("+?"))
    assert 45 * 20 / 3600 < hours < 45 * 150 / 3600
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--config", "preset=wmt15"], "--config: preset: unknown preset wmt15; did you mean"),
        (["--config", "device=gpu"], '--config: device is "gpu"; allowed: cpu, cuda'),
        (["--config", "preset"], "Config entries have to be defined as name=value pairs"),
        (["--configfile", "nowhere.yaml"], "nowhere.yaml"),
        (["--directory", "README.md"], "Not a directory: 'README.md'"),
        (["--profile", "locl"], "profile directory given (locl)"),
        (["nosuch"], "No rule to produce nosuch"),
        (["--frofile", "local"], "snakemake: error: unrecognized arguments: --frofile"),
    ],
)
def test_a_mistake_is_told_without_a_traceback(tmp_path: Path, words: list[str], told: str) -> None:
    with pytest.raises(UserError) as raised:
        planned(["--directory", f"{tmp_path}", *words])
    assert told in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_a_broken_file_of_settings_is_told_with_its_line(tmp_path: Path) -> None:
    """Snakemake itself says only that there is something wrong in it."""
    broken = tmp_path / "broken.yaml"
    broken.write_text("preset: demo\nseeds: [1\nmodel: {}\n")
    with pytest.raises(UserError, match=r"broken\.yaml, line 3: not YAML: "):
        planned(["--configfile", f"{broken}", "--directory", f"{tmp_path}"])
