"""After an edit, its stage and those after it run again, and nothing else."""

import contextlib
import csv
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CODE = "src/contextnmt"
#: The report of an experiment: what is about its corpora, and the rest with the page.
CORPORA, PAGE = {"choi2017_corpora"}, {"choi2017"}
REPORT = CORPORA | PAGE
#: After an edit of the configuration that reports are made by.
CONFIGURED = {"configuration"} | REPORT
COMPARE = {"significance", "length_scores"}
AFTER_RESTORING = {"score", "phenomena"} | COMPARE | PAGE
AFTER_TRANSLATING = {"restore"} | AFTER_RESTORING
#: After the training of systems that read plain words.
ANALYSIS = {"local_charts", "masks"} | PAGE
AFTER_TRAINING = {"run_file", "translate", "browser_model"} | AFTER_TRANSLATING
TRAIN = {"train_identity", "train"}
AFTER_BINARIZING = {"pairs", "train"} | CORPORA | AFTER_TRAINING
AFTER_SYMBOLIZING = {"rule_dictionary", "coverage", "bpe_codes", "bpe", "binarize"}
AFTER_SYMBOLIZING |= {"symbol_scores"} | AFTER_BINARIZING
SYMBOLIZE = {"symbolize", "symbolize_pair", "symbolize_source"}
AFTER_SELECTING = {"word_counts", "cbow", "overlap"} | SYMBOLIZE | AFTER_SYMBOLIZING | ANALYSIS
AFTER_TOKENIZING = {"clean", "select"} | AFTER_SELECTING

Run = Callable[..., subprocess.CompletedProcess[str]]


@contextlib.contextmanager
def edited(path: Path, old: str = "", new: str = "\nEDITED = 1\n") -> Iterator[None]:
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
        run = snakemake(demo, "choi2017", "--summary")
        lines = run.stdout[run.stdout.index("output_file") :].split("\n")
        rules: dict[str, set[str]] = {}
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["plan"] == "update pending":
                rules.setdefault(row["rule"], set()).add(row["output_file"])
        return rules

    return ask


@pytest.mark.sample(10)
@pytest.mark.parametrize(
    ("file", "rules"),
    [
        ("corpus/embedded/grammar.py", {"generate", "extract", "tokenize"} | AFTER_TOKENIZING),
        ("corpus/download.py", set()),
        ("corpus/tokenize.py", {"tokenize"} | AFTER_TOKENIZING),
        ("selection/select.py", {"select"} | AFTER_SELECTING),
        ("selection/rank.py", set()),  # the demo trains on all pairs
        ("text/symbolize.py", SYMBOLIZE | AFTER_SYMBOLIZING | ANALYSIS),
        ("text/bpe.py", {"bpe_codes", "bpe", "binarize"} | AFTER_BINARIZING),
        ("text/binarize.py", {"binarize"} | AFTER_BINARIZING | ANALYSIS),
        ("model/attention.py", TRAIN | AFTER_TRAINING | ANALYSIS),
        ("training/train.py", TRAIN | AFTER_TRAINING | ANALYSIS),
        ("training/loop.py", TRAIN | AFTER_TRAINING | ANALYSIS),
        ("translation/view_texts.py", {"translate", "browser_model"} | AFTER_TRANSLATING),
        ("translation/own_text.py", {"browser_model"} | PAGE),
        ("translation/translate.py", {"translate"} | AFTER_TRANSLATING),
        # Table 2 restores too, and so do validations.
        ("text/restore.py", TRAIN | AFTER_TRAINING | REPORT),
        ("training/restored.py", TRAIN | AFTER_TRAINING),
        ("evaluation/score.py", {"score"} | PAGE),
        ("evaluation/resampling.py", COMPARE | REPORT),
        ("evaluation/phenomena.py", {"phenomena", "masks"} | PAGE),
        ("evaluation/cbow.py", {"cbow", "local_charts"} | PAGE),
        ("evaluation/local_charts.py", {"local_charts"} | PAGE),
        ("evaluation/masks.py", {"masks"} | PAGE),
        ("evaluation/coverage.py", {"coverage", "pairs"} | REPORT),
        ("evaluation/symbol_scores.py", {"symbol_scores"} | REPORT),
        ("report/symbolization.py", REPORT),
        ("report/gaps.py", REPORT),
        ("report/learning_curves.py", REPORT),
        ("report/page.css", REPORT),
        ("report/differences.html.j2", REPORT),
        ("report/base.html.j2", REPORT),
        ("report/page.js", REPORT),
        ("cli.py", set()),
        ("configuration/layers.py", set()),
        ("configuration/keys.py", set()),
    ],
)
def test_an_edited_module_reruns_its_stage_and_those_after_it(
    demo: Path, pending: Callable[[], dict[str, set[str]]], file: str, rules: set[str]
) -> None:
    with edited(demo / CODE / file):
        assert set(pending()) == rules


def test_an_edit_that_changes_no_meaning_reruns_nothing(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    comment, docstring = "\n# a remark\n", '"""The stage `train`: '
    with (
        edited(demo / CODE / "model/attention.py", new=comment),
        edited(demo / CODE / "training/train.py", docstring, f"{docstring}how it makes "),
        edited(demo / CODE / "text/symbolize.py", "\nfrom ", "\n\n\nfrom "),
    ):
        assert pending() == {}


@pytest.mark.parametrize(
    ("file", "filtered"), [("symbolize.py", ["baseline", "context"]), ("restore.py", [])]
)
def test_systems_without_symbols_are_trained_anew_if_symbols_filter_their_pairs(
    demo: Path, pending: Callable[[], dict[str, set[str]]], file: str, filtered: list[str]
) -> None:
    with edited(demo / CODE / "text" / file):
        models = {path for path in pending()["train"] if path.endswith("model.json")}
    with_symbols = ["symbol", "context-symbol", "bpe-symbol", "bpe-context-symbol"]
    assert models == {
        f"results/demo/train/{pair}/{system}/1/model.json"
        for pair in ["en-fr", "en-de"]
        for system in [*with_symbols, *filtered]
    }


def test_another_threshold_makes_the_symbols_of_source_texts_again(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / "config.yaml", new="\ntext: {symbol_threshold: 0.6}\n"):
        rules = pending()
    again = {"symbolize_source", "bpe", "symbol_scores", "train"} | AFTER_TRAINING
    assert set(rules) == again | CONFIGURED
    assert not [path for path in rules["symbolize_source"] if ".all." in path]


def test_an_edited_system_is_trained_anew_alone(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    experiment = demo / "workflow" / "experiments" / "choi2017.yaml"
    old = "{label: +C+S, view: sym, context: true}"
    new = "{label: +C+S, view: sym, context: true, training: {clip: 2.0}}"
    with edited(experiment, old, new):
        rules = pending()
    assert set(rules) == TRAIN | AFTER_TRAINING | CONFIGURED
    for rule in ["train", "translate", "restore", "score", "phenomena"]:
        assert {Path(path).parts[4] for path in rules[rule]} == {"context-symbol"}


def test_filters_of_all_systems_bind_every_training_to_every_view(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / "config.yaml", new="\ntraining: {filters: all}\n"):
        rules = pending()
    assert set(rules) == TRAIN | AFTER_TRAINING | ANALYSIS | CONFIGURED | {"pairs"}
    assert len([path for path in rules["train"] if path.endswith("model.json")]) == 16


def test_joint_codes_concern_the_systems_with_subwords_alone(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / "config.yaml", new="\ntext: {joint_bpe: true}\n"):
        rules = pending()
    again = {"bpe_codes", "bpe", "binarize"} | AFTER_BINARIZING | CONFIGURED
    assert set(rules) == again - {"browser_model"}  # of systems without subwords
    assert {Path(path).name for path in rules["bpe_codes"]} == {"codes.en-fr", "codes.en-de"}
    assert {Path(path).parts[4] for path in rules["train"]} == {
        "bpe",
        "bpe-context",
        "bpe-symbol",
        "bpe-context-symbol",
    }


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        ("label: +C+S,", "label: Both,", CONFIGURED),
        ("symbol_ablation: true", "symbol_ablation: false", CONFIGURED),
        ("beams: [1, 12]", "beams: [1, 12] # a remark", set()),
    ],
)
def test_a_label_is_part_of_what_prints_it(
    demo: Path, pending: Callable[[], dict[str, set[str]]], old: str, new: str, rules: set[str]
) -> None:
    with edited(demo / "workflow" / "experiments" / "choi2017.yaml", old, new):
        assert set(pending()) == rules


def test_an_edited_caption_makes_the_page_alone(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / "workflow" / "report" / "bleu-table.rst", new="A remark.\n"):
        assert set(pending()) == {"choi2017"}


def test_the_plan_names_the_file_that_changed(demo: Path, snakemake: Run) -> None:
    with edited(demo / CODE / "text" / "restore.py"):
        plan = snakemake(demo, "choi2017", "--profile", "local", "-n").stdout
    assert "contextnmt/text/restore.py@" in plan


def test_a_touched_file_reruns_nothing(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    for path in [*demo.glob("workflow/**/*.*"), *demo.glob("src/**/*.py"), demo / "config.yaml"]:
        path.touch()
    (demo / "results/demo/tokenize/en-fr/test.fr.gz").touch()
    assert pending() == {}


def test_a_number_of_pairs_can_be_stated_later(
    demo: Path, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / "workflow/presets/demo.yaml", "lines: 16480", "lines: 16481"):
        assert set(pending()) == CONFIGURED


def test_another_mirror_reruns_nothing(demo: Path, snakemake: Run) -> None:
    run = snakemake(
        demo, "choi2017", "-n", "--config", "mirrors=[/data/mirror]", "hand_placed=/data"
    )
    assert "Nothing to be done" in run.stdout


def test_a_cosmetic_edit_can_be_accepted(
    demo: Path, snakemake: Run, pending: Callable[[], dict[str, set[str]]]
) -> None:
    with edited(demo / CODE / "training" / "loop.py"):
        assert "train" in pending()
        assert snakemake(demo, "choi2017", "--touch", "--cores", "1").returncode == 0
        assert pending() == {}
    assert "train" in pending()  # the next edit, here back to what it was, is noticed again
    assert snakemake(demo, "choi2017", "--touch", "--cores", "1").returncode == 0
    assert pending() == {}
