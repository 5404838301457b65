"""After an edit, its stage and those after it run again, and nothing else."""

import contextlib
import csv
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("demo")

CODE = "src/contextnmt"
AFTER_RESTORING = {"score", "phenomena"} | {
    f"choi2017{part}" for part in ["", "_table4", "_phenomena", "_gains"]
}
AFTER_TRAINING = {"translate", "restore", "choi2017_curves"} | AFTER_RESTORING
AFTER_TEXTS = {"binarize", "train"} | AFTER_TRAINING

Run = Callable[..., subprocess.CompletedProcess[str]]


@contextlib.contextmanager
def edited(path: Path, old: str = "", new: str = "\n# a remark\n") -> Iterator[None]:
    """Replace `old` by `new` in a file, or append `new`, for as long as the block lasts."""
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new) if old else before + new)
    try:
        yield
    finally:
        path.write_text(before)


@pytest.fixture
def pending(demo: Path, snakemake: Run) -> Callable[[], dict[str, set[str]]]:
    """The outputs that would be made again, by rule."""

    def ask() -> dict[str, set[str]]:
        run = snakemake(demo, "--summary")
        lines = run.stdout[run.stdout.index("output_file") :].split("\n")
        rules: dict[str, set[str]] = {}
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["plan"] == "update pending":
                rules.setdefault(row["rule"], set()).add(row["output_file"])
        return rules

    return ask


@pytest.mark.parametrize(
    ("file", "rules"),
    [
        (
            "text/symbolize.py",
            {"symbolize", "symbolize_pair", "symbolize_source", "coverage", "choi2017_table3"}
            | {"bpe_codes", "bpe"}
            | AFTER_TEXTS,
        ),
        ("text/bpe.py", {"bpe_codes", "bpe"} | AFTER_TEXTS),
        ("training/train.py", {"train"} | AFTER_TRAINING),
        ("training/loop.py", {"train"} | AFTER_TRAINING),
        ("translation/translate.py", {"translate", "restore"} | AFTER_RESTORING),
        ("text/restore.py", {"restore"} | AFTER_RESTORING),
        ("evaluation/score.py", {"score", "choi2017_table4", "choi2017_gains", "choi2017"}),
        ("evaluation/coverage.py", {"coverage", "choi2017_table3", "choi2017"}),
        ("report/table4.py", {"choi2017_table4", "choi2017_gains", "choi2017"}),
        ("report/page.css", {"choi2017"}),
        ("cli.py", set()),
        ("configuration.py", set()),
    ],
)
def test_an_edited_module_reruns_its_stage_and_those_after_it(
    demo: Path, pending: Callable[[], dict[str, set[str]]], file: str, rules: set[str]
) -> None:
    with edited(demo / CODE / file):
        assert set(pending()) == rules


def test_only_systems_with_symbols_are_trained_anew_after_symbolization(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / CODE / "text" / "symbolize.py"):
        models = {path for path in pending()["train"] if path.endswith("model.json")}
    assert models == {
        f"results/demo/train/{pair}/{system}/1/model.json"
        for pair in ["en-fr", "en-de"]
        for system in ["symbol", "context-symbol", "bpe-context-symbol"]
    }


def test_an_edited_system_is_trained_anew_alone(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    experiment = demo / "workflow" / "experiments" / "choi2017.yaml"
    old = "label: +C+S\n        view: sym\n"
    with edited(experiment, old, old + "        training: {clip: 2.0}\n"):
        rules = pending()
    for rule in ["train", "translate", "restore", "score", "phenomena"]:
        assert {Path(path).parts[4] for path in rules[rule]} == {"context-symbol"}
    assert not {"binarize", "bpe", "symbolize"} & set(rules)


def test_an_edited_caption_makes_the_page_alone(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / "workflow" / "report" / "table4.rst", new="A remark.\n"):
        assert set(pending()) == {"choi2017"}


def test_the_plan_names_the_file_that_changed(demo: Path, snakemake: Run) -> None:
    with edited(demo / CODE / "text" / "restore.py"):
        plan = snakemake(demo, "-n").stdout
    assert "contextnmt/text/restore.py@" in plan


def test_a_touched_file_reruns_nothing(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    for path in [*demo.glob("workflow/**/*.*"), *demo.glob("src/**/*.py"), demo / "config.yaml"]:
        path.touch()
    (demo / "results/demo/tokenize/en-fr/test.fr.gz").touch()
    assert pending() == {}


def test_another_mirror_reruns_nothing(demo: Path, snakemake: Run) -> None:
    run = snakemake(demo, "-n", "--config", "mirror=/data/mirror", "hand_placed=/data")
    assert "Nothing to be done" in run.stdout


def test_a_cosmetic_edit_can_be_accepted(
    demo: Path, snakemake: Run, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / CODE / "training" / "loop.py"):
        assert "train" in pending()
        assert snakemake(demo, "--touch", "--cores", "1").returncode == 0
        assert pending() == {}
    assert "train" in pending()  # the next edit, here back to what it was, is noticed again
    assert snakemake(demo, "--touch", "--cores", "1").returncode == 0
    assert pending() == {}
