"""Exported models in place of trainings: the same scores elsewhere, and what is refused before."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from contextnmt.files import read_json, write_json

ROOT = Path(__file__).parents[2]
RUN = "en-fr/bpe-context-symbol/1"
RESULTS = "results/demo"
SCORES = f"{RESULTS}/score/{RUN}/scores.json"
TINY = yaml.safe_load((ROOT / ".test/config/config.yaml").read_text())
TINY |= {"systems": ["bpe-context-symbol"], "seeds": [1]}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def call(snakemake: Run) -> Run:
    """Run the workflow in a folder with some keys over the tiny configuration."""

    def run(folder: Path, *words: str, **own: object) -> subprocess.CompletedProcess[str]:
        (folder / "own.yaml").write_text(yaml.safe_dump(TINY | own))
        files = ["-s", f"{ROOT}/Snakefile", "-d", f"{folder}", "--configfile", f"{folder}/own.yaml"]
        quiet = ["--cores", "2", "--quiet", "host", "rules"]
        return snakemake(ROOT, *words, *quiet, *files, timeout=600)

    return run


@pytest.fixture(scope="module")
def trained(
    call: Run, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a finished run and its scores, and that run exported to `exported`."""
    folder = tmp_path_factory.mktemp("trained")
    done = call(folder, SCORES, f"{RESULTS}/run/{RUN}.json")
    assert done.returncode == 0, done.stdout[-3000:]
    command = ["contextnmt", "export", "--run", f"{RESULTS}/run/{RUN}.json", "--out", "exported"]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    return folder


def test_an_exported_model_scores_elsewhere_as_it_did_without_a_training(
    call: Run, trained: Path, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(trained / "exported", tmp_path / "model"))
    done = call(tmp_path, "choi2017", pretrained={RUN: "model"})
    assert done.returncode == 0, done.stdout[-3000:]
    assert (tmp_path / SCORES).read_bytes() == (trained / SCORES).read_bytes()
    assert not (tmp_path / RESULTS / "logs/train").exists()
    told = read_json(tmp_path / RESULTS / "train" / RUN / "model.json")
    assert told["pretrained"] == {"precision": "fp32"}
    page = (tmp_path / RESULTS / "report/choi2017/index.html").read_text()
    assert '<aside class="card" id="pretrained">' in page
    assert "English → French: +BPE+C+S (fp32)." in page and 'id="stale"' not in page
    assert "+BPE+C+S (pretrained)" in page
    assert "pretrained" not in read_json(tmp_path / RESULTS / "configuration.json")["configuration"]
    # Scores, corpora and paper stand in a card that is made of a whole results folder.
    export = ["contextnmt", "export", "--run", f"{tmp_path}/{RESULTS}/run/{RUN}.json", "--out"]
    assert call(tmp_path, f"{RESULTS}/run/{RUN}.json", pretrained={RUN: "model"}).returncode == 0
    subprocess.run([sys.executable, "-m", *export, f"{tmp_path}/again"], check=True)
    card = (tmp_path / "again/README.md").read_text()
    assert (
        "license: mit" in card
        and "embedded.tar.gz`: seed" in card
        and "(+BPE+C+S) of *Choi" in card
    )
    # An edit of the folder is noticed, and refused.
    (model / "rules.tsv").write_text("")
    write_json(model / "model.json", read_json(model / "model.json") | {"updates": 5})
    assert call(tmp_path, SCORES, pretrained={RUN: "model"}).returncode
    log = (tmp_path / RESULTS / f"logs/pretrained/{RUN}.log").read_text()
    assert "model.json: its SHA-256 is not the one in export.json" in log


def test_a_model_that_was_trained_here_is_not_replaced(call: Run, trained: Path) -> None:
    done = call(trained, SCORES, pretrained={RUN: "exported"})
    assert done.returncode
    assert f"{RUN}/model.json: trained here, and the key pretrained would replace" in done.stdout
    assert "pretrained" not in read_json(trained / RESULTS / "train" / RUN / "model.json")


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"pretrained": {"en-fr/bpe-contxt-symbol/1": "x"}}, f"; did you mean {RUN}? allowed: "),
        ({"pretrained": {"en-fr/1": "x"}}, 'pretrained: "en-fr/1" is not text like en-fr/baseline'),
        ({"pretrained": {RUN: "nowhere"}}, f"pretrained.{RUN}: nowhere: no such folder: name a "),
        ({"pretrained": {RUN: "results"}}, f"pretrained.{RUN}: results: no export.json in it: "),
        (
            {"pretrained": {"en-fr/bpe-context-symbol/2": "exported"}, "seeds": [1, 2]},
            f"pretrained.en-fr/bpe-context-symbol/2: exported: the model of {RUN}: name another",
        ),
        (
            {"pretrained": {RUN: "exported"}, "training": {"max_updates": 5, "validate_every": 4}},
            "trained with other settings (training.max_updates was 4, is 5 now): set",
        ),
    ],
)
def test_a_mistake_is_said_in_one_line_before_anything_starts(
    call: Run, trained: Path, own: dict[str, object], message: str
) -> None:
    done = call(trained, "-n", SCORES, **own)
    assert done.returncode and message in done.stdout
    assert [line for line in done.stdout.split("\n") if "pretrained" in line] == (
        [line for line in done.stdout.split("\n") if line]
    )
