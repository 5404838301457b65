"""The workflow in another one, as a module, and deployed by snakedeploy: from another folder."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from contextnmt.files import read_json

ROOT = Path(__file__).parents[2]
TINY = yaml.safe_load((ROOT / ".test/config/config.yaml").read_text()) | {"systems": ["baseline"]}
MODULE = """
configfile: "config/config.yaml"


module contextnmt:
    snakefile:
        {snakefile!r}
    config:
        config


use rule * from contextnmt
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_workflow_uses_all_rules_of_this_one_with_a_configuration_of_its_own(
    tmp_path: Path, snakemake: Run
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text(yaml.safe_dump(TINY))
    snakefile = MODULE.format(snakefile=str(ROOT / "workflow/Snakefile"))
    (tmp_path / "Snakefile").write_text(snakefile)
    run = snakemake(tmp_path, "--cores", "2", "--quiet", "all", timeout=600)
    assert run.returncode == 0, run.stdout[-3000:]
    results = tmp_path / "results/demo"
    assert (results / "report/choi2017/index.html").is_file()
    told = read_json(results / "configuration.json")["configuration"]
    assert told["systems"] == ["baseline"] and told["text"]["vocabulary_size"] == 300
    (tmp_path / "config/config.yaml").write_text("{}\n")
    demo = snakemake(tmp_path, "-n", "--quiet", "rules", "--forceall")
    own = snakemake(ROOT, "-n", "--quiet", "rules", "--forceall", "-d", str(tmp_path))
    assert counted(demo.stdout) == counted(own.stdout)
    mine = 'rule mine:\n    default_target: True\n    output: "x"\n    shell: "touch x"\n'
    (tmp_path / "Snakefile").write_text(f"{mine}\n{snakefile}")
    assert counted(snakemake(tmp_path, "-n", "--quiet", "rules").stdout) == {
        "mine": "1",
        "total": "1",
    }
    (tmp_path / "config/config.yaml").write_text("training: {batch_sise: 3}\n")
    wrong = snakemake(tmp_path, "-n")
    assert "config of the module: training.batch_sise: unknown key; did you mean" in wrong.stdout


def counted(said: str) -> dict[str, str]:
    """The jobs of each rule in a dry run."""
    return dict(re.findall(r"^(\w+) +(\d+)$", said, re.MULTILINE))


@pytest.fixture
def deployed(tmp_path: Path, environment: dict[str, str]) -> Path:
    """A deployment of what is committed here; the path of this checkout is put into it."""
    clone, folder = tmp_path / "clone", tmp_path / "deployed"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    subprocess.run(["git", "-C", str(clone), "checkout", "--quiet", "-B", "main"], check=True)
    call = ["snakedeploy", "deploy-workflow", str(clone), str(folder), "--branch", "main"]
    subprocess.run(call, env=environment, check=True, capture_output=True)
    snakefile = folder / "workflow/Snakefile"
    local = snakefile.read_text().replace(
        '"workflow/Snakefile"', repr(f"{ROOT}/workflow/Snakefile")
    )
    assert str(ROOT) in local
    snakefile.write_text(local)
    return folder


def test_a_deployment_runs(deployed: Path, snakemake: Run) -> None:
    config = deployed / "config/config.yaml"
    assert config.read_bytes() == (ROOT / "config.yaml").read_bytes()
    assert (deployed / "config/README.md").is_file()
    config.write_text(config.read_text() + yaml.safe_dump(TINY))
    run = snakemake(deployed, "tokenized", "--cores", "2", "--quiet", "all", timeout=600)
    assert run.returncode == 0, run.stdout[-3000:]
    assert list((deployed / "results/demo/tokenize/en-fr").iterdir())


def test_a_module_of_another_place_than_this_disk_is_refused(
    tmp_path: Path, snakemake: Run
) -> None:
    remote = f'gitfile("{ROOT}", path="workflow/Snakefile", commit="HEAD")'
    snakefile = MODULE.format(snakefile="").replace("''", remote)
    (tmp_path / "Snakefile").write_text(snakefile.replace('configfile: "config/config.yaml"', ""))
    run = snakemake(tmp_path, "-n")
    assert "contextnmt works from a local clone alone: clone it" in run.stdout
    assert "Traceback" not in run.stdout
