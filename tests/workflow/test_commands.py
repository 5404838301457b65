"""The commands of a plan: which jobs there are of a stage, and what they are told."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
MODEL = "results/demo/train/en-fr/baseline/1/model.json"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def commands(snakemake: Run, tmp_path: Path) -> Callable[..., list[str]]:
    """The commands of a stage on the way to `target`, with keys of one's own."""

    def plan(stage: str, target: str, **own: object) -> list[str]:
        file = tmp_path / "own.yaml"
        file.write_text(yaml.safe_dump({"pairs": ["en-fr", "en-de"], "seeds": [1]} | own))
        arguments = ["-n", "-p", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
        shown = snakemake(ROOT, target, *arguments, "--configfile", f"{file}").stdout
        return [line for line in shown.split("\n") if f"contextnmt {stage} " in line]

    return plan


def test_a_training_reads_its_own_view_and_that_which_filters_its_pairs(
    commands: Callable[..., list[str]],
) -> None:
    assert len(commands("binarize", MODEL)) == 2
    (train,) = commands("train", MODEL)
    assert re.findall(r"--filter '([^']*)'", train) == [
        '{"data": "results/demo/binarize/en-fr/sym", "max_length": 50, "unknown_limit": 0.3}'
    ]
    for training in [{"filters": "own"}, {"unknown_limit": None}]:
        assert len(commands("binarize", MODEL, training=training)) == 1
        assert "--filter" not in commands("train", MODEL, training=training)[0]
    # A signal that Slurm sends to the job reaches the trainer, since no shell is in between.
    assert "exec python -m contextnmt train " in train


def test_a_training_with_the_filters_of_all_systems_reads_their_views(
    commands: Callable[..., list[str]],
) -> None:
    own = {"training": {"filters": "all"}}
    assert len(commands("binarize", MODEL, **own)) == 4
    (train,) = commands("train", MODEL, **own)
    filters = [json.loads(text) for text in re.findall(r"--filter '([^']*)'", train)]
    assert filters == [
        {
            "data": f"results/demo/binarize/en-fr/{view}",
            "max_length": 50,
            "unknown_limit": limit,
        }
        for view, limit in [("sym", 0.3), ("bpe", 1.0), ("sym-bpe", 1.0)]
    ]  # those of its own experiment
    turned = {**own, "systems": ["bpe", "symbol", "bpe-context-symbol", "context", "baseline"]}
    assert commands("train", MODEL, **turned) == [train]
    alone = {
        "training": {"filters": "own"},
        "experiments": {"choi2017": {"systems": {"bpe": own}}},
    }
    assert "--filter" not in commands("train", MODEL, **alone)[0]
    assert "--filter" in commands("train", MODEL.replace("baseline", "bpe"), **alone)[0]


def test_joint_codes_are_learnt_on_both_languages_and_cut_both(
    commands: Callable[..., list[str]],
) -> None:
    target = "results/demo/train/en-de/bpe/1/model.json"
    separate, joint = (
        commands("bpe", target, text={"joint_bpe": joint}) for joint in (False, True)
    )
    learnt = [
        re.findall(r"(?:--text|--codes-out) \S*/(\S+)", line) for line in joint if "merges" in line
    ]
    assert learnt == [["train.en.gz", "train.de.gz", "codes.en-de"]]
    assert {Path(name).name for name in re.findall(r"--codes (\S+)", " ".join(joint))} == {
        "codes.en-de"
    }
    for language in ["en", "de"]:
        used = [line for line in separate if f"codes.{language} " in line]
        assert len(used) == 3  # learn, cut train, cut dev
        assert all(f".{language}.gz" in line for line in used)


def test_masks_are_of_tagged_words_in_the_plainest_systems(
    commands: Callable[..., list[str]],
) -> None:
    masks = sorted(commands("masks", "contexts_masked"))
    assert [re.findall(r"--model (\S+)", line) for line in masks] == [
        [f"results/demo/train/{pair}/context/1"] for pair in ("en-de", "en-fr")
    ]
    for line in masks:
        assert "::test.phenomena.tsv --target-language" in line
        assert "--word" not in line
    (line, *_) = commands("masks", "contexts_masked", systems=["bpe-context", "context-symbol"])
    assert re.findall(r"--text (\S+)", line)[0].startswith("results/demo/symbolize/")
    assert commands("masks", "contexts_masked", systems=["baseline", "bpe"]) == []


def test_words_of_the_experiment_are_looked_at(commands: Callable[..., list[str]]) -> None:
    test = {"file": "embedded.tar.gz", "member": "test.{lang}"}
    own = {
        "pairs": ["en-fr"],
        "seeds": [3, 4],
        "corpora": {"embedded": {"texts": {"untagged": test}}},
        "roles": {"en-fr": {"test": ["untagged"]}},
        "experiments": {"choi2017": {"inspected_words": ["$5", "pen"]}},
    }
    lines = commands("masks", "contexts_masked", **own)
    assert len(lines) == 2  # one a seed
    for line in lines:
        assert "--word '$5' --word pen" in line
        assert "--tags" not in line
    (charts,) = commands("local-charts", "words_charted", **own)
    assert "--word '$5' --word pen" in charts
    assert re.findall(r"--name (\S+)", charts) == ["baseline", "context"]
    assert re.findall(r"--model results/demo/train/en-fr/(\S+)", charts) == [
        "baseline/3",
        "context/3",
    ]
    (alone,) = commands("local-charts", "words_charted", **own, systems=["bpe"])
    assert "--model" not in alone  # none has words, but CBOW vectors do


def test_pairs_are_counted_by_the_limits_of_the_systems(
    commands: Callable[..., list[str]],
) -> None:
    target = "results/demo/pairs/en-fr.json"

    def filters(**own: object) -> dict[str, list[tuple[str, int, float]]]:
        (line,) = commands("pairs", target, **own)
        found: dict[str, list[tuple[str, int, float]]] = {}
        for option, text in re.findall(r"(--filter\S*) '([^']*)'", line):
            made = json.loads(text)
            limits = (Path(made["data"]).name, made["max_length"], made["unknown_limit"])
            found.setdefault(option, []).append(limits)
        return found

    bpe, sym_bpe = ("bpe", 50, 1.0), ("sym-bpe", 50, 1.0)
    word, sym = ("word", 50, 0.3), ("sym", 50, 0.3)
    experiment = {"--filter-before": [word], "--filter-after": [sym]}
    own = {**experiment, "--filter": [bpe, sym, sym_bpe, word]}
    assert filters() == {**own, "--filter": [bpe, sym, sym_bpe, ("word", 50, 1.0)]}
    assert filters(training={"filters": "own"}) == filters(training={"filters": "all"}) == own
    assert filters(systems=["bpe"], training={"max_length": 40, "unknown_limit": None}) == {
        "--filter-before": [("word", 40, 1.0)],
        "--filter-after": [("sym", 40, 1.0)],
        "--filter": [("bpe", 40, 1.0)],
    }


def test_words_are_counted_whatever_the_systems(commands: Callable[..., list[str]]) -> None:
    target = "results/demo/coverage/en-fr.json"
    (line,) = commands("coverage", target)
    assert commands("coverage", target, systems=["bpe"], training={"max_length": 40}) == [line]


SCORES = "results/demo/score/en-fr/rnnsearch-50/{}/scores.json"


def test_variants_are_asked_for_once_and_scored_in_one_order(
    commands: Callable[..., list[str]],
) -> None:
    target = SCORES.format(1)
    (translate,) = commands("translate", target)
    assert re.findall(r"--out \S*/(\S+)", translate) == [
        f"{text}.beam{beam}.gz" for text in ["dev", "test"] for beam in [10, 12]
    ]
    assert "--nbest 10 --no-unknown" in translate and "--ensemble" not in translate
    (score,) = commands("score", target)
    names = re.findall(r"--name (\S+)", score)
    assert names[:4] == [
        "dev.beam10",
        "dev.beam10.no-unknown",
        *(f"dev.{name}" for name in ["beam10.normalised", "beam12"]),
    ]
    assert len(names) == 2 * 2 * 3
    assert re.findall(r"--hypothesis \S*/(\S+).gz", score) == names
    (restore,) = commands("restore", target)
    for option in ("translation", "out"):
        assert re.findall(rf"--{option} \S*/(\S+).gz", restore) == names
    references = [Path(path).name for path in re.findall(r"--reference (\S+)", score)]
    assert references == [f"{name.partition('.')[0]}.fr.gz" for name in names]
    assert re.findall(r"--lines (\S+)", score) == ["dev=500", "test=1000"]
    subsets = dict(text.split("=") for text in re.findall(r"--subset (\S+)", score))
    assert subsets == {
        name: f"results/demo/known-lines/en-fr/word/{name.partition('.')[0]}.json"
        for name in names
        if name.endswith(".no-unknown")
    }


def test_lines_are_stated_for_the_pairs_that_have_them(
    commands: Callable[..., list[str]],
) -> None:
    own = {"corpora": {"embedded": {"texts": {"test": {"lines": {"en-de": 1000}}}}}}
    target = "results/demo/score/{}/symbol/1/scores.json"
    stated = [
        re.findall(r"--lines (\S+)", line)
        for pair in ["en-de", "en-fr"]
        for line in commands("score", target.format(pair), **own)
    ]
    assert stated == [["dev=500", "test=1000"], ["dev=500"]]
    own["corpora"]["embedded"]["texts"]["dev"] = {"lines": None, "lines_recalled": 400}
    (dev,), (test,) = (
        commands("extract", f"results/demo/extract/en-de/{text}.de.gz", **own)
        for text in ("dev", "test")
    )
    assert " --lines-recalled 400" in dev
    assert " --lines 1000" in test


def test_one_translation_is_not_normalised_and_others_only_if_asked(
    commands: Callable[..., list[str]],
) -> None:
    target = SCORES.format(1).replace("rnnsearch-50", "symbol")
    (score,) = commands("score", target)
    assert len(re.findall("--name ", score)) == 2 * 2 and "--subset" not in score
    (translate,) = commands("translate", target)
    assert "--nbest" not in translate and "--no-unknown" not in translate
    assert " --minimum-length 0.5 " in translate
    own = {"decoding": {"nbest": 3, "no_unknown": True}}
    (score,) = commands("score", target, **own)
    assert re.findall(r"--name test\.(\S+)", score) == [
        "beam1",
        "beam1.no-unknown",
        "beam12",
        "beam12.no-unknown",
        "beam12.normalised",
    ]
    # A reference has the symbols that both sides make, a source those that it makes alone.
    known = commands("known-lines", target, **own)
    folder = "results/demo/symbolize/en-fr"
    for text in ["dev", "test"]:
        options = f"--source {folder}/{text}.en.gz --reference {folder}/{text}.pair.fr.gz"
        assert any(options in line for line in known)
    (restore,) = commands("restore", target, **own)
    tables = [Path(path).name for path in re.findall(r"--symbols (\S+)", restore)]
    assert tables == ["dev.symbols.tsv.gz"] * 5 + ["test.symbols.tsv.gz"] * 5


def test_an_ensemble_is_of_all_seeds_and_no_run(commands: Callable[..., list[str]]) -> None:
    own = {"seeds": [3, 1], "decoding": {"ensemble": True}}
    (translate,) = commands("translate", SCORES.format("ensemble"), **own)
    folder = "results/demo/train/en-fr/rnnsearch-50"
    assert f"--model {folder}/3 --ensemble {folder}/1 " in translate
    assert len(commands("translate", "bahdanau2015", **own)) == 5 * 3
    assert len(commands("translate", "bahdanau2015", **(own | {"seeds": [3]}))) == 5


def test_other_choices_of_symbols_translate_test_texts_alone(
    commands: Callable[..., list[str]],
) -> None:
    target = "results/demo/score/en-fr/bpe-symbol/1.ablation/scores.json"
    own = {"decoding": {"no_unknown": True, "nbest": 3}}
    folder, names = "results/demo/symbolize/en-fr/test", ["all", "dictionary"]
    chosen = {
        each: line
        for line in commands("symbolize", target, **own)
        for each in names
        if f"--out {folder}.{each} " in line
    }
    assert "rates.tsv --threshold 0 " in chosen["all"]
    assert "--dictionary results/demo/rule-dictionary/en-fr/rules.tsv " in chosen["dictionary"]
    (translate,) = commands("translate", target, **own)
    assert "--model results/demo/train/en-fr/bpe-symbol/1 " in translate
    assert re.findall(r"--text \S+/(\S+)", translate) == [f"test.{each}.en.gz" for each in names]
    assert "--beam 12 " in translate and "--beam 1 " not in translate
    assert not re.search("--(nbest|no-unknown|alignments|ensemble)", translate)
    (restore,) = commands("restore", target, **own)
    tables = re.findall(r"--symbols (\S+)", restore)
    assert tables == [f"{folder}.{each}.symbols.tsv.gz" for each in names]
    (score,) = commands("score", target, **own)
    assert re.findall(r"--name (\S+)", score) == [f"test.beam12.{each}" for each in names]
    assert score.count(" --reference ") == 2 and "--subset" not in score


def test_weights_are_written_where_a_model_has_attention(
    commands: Callable[..., list[str]],
) -> None:
    made = commands("translate", "translations", systems=["rnnencdec-50", "rnnsearch-50"])
    aligned = {("encdec" in command, "--alignments" in command) for command in made}
    assert aligned == {(False, True), (True, False)}
