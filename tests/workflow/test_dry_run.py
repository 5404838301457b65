"""Plans: every target, both profiles, every preset; and what the linters say."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
STAGES = [
    *("download", "extracted", "tokenized", "surveyed", "cleaned", "sampled", "estimated"),
    *("cross_entropies", "ranked", "selected", "words_counted", "perplexities", "symbolized"),
    *("dictionaries", "subwords", "binarized", "models", "run_files", "translations"),
    *("restored", "lines_known", "scores", "lexicons", "replaced", "coverages"),
    *("pairs_counted", "counts", "symbols_scored", "compared", "lengths_scored"),
    *("word_vectors", "words_charted", "contexts_masked"),
]
#: Of the eight systems of choi2017, the five of bahdanau2015 (one pair), the nine of chen2017.
RUNS = 2 * 8 + 5 + 2 * 9
MODEL = "results/demo/train/en-fr/baseline/1/model.json"
EVERYWHERE = ["cleaning", "selection", "phenomena", "curves", "gains", "trainings"]
EVERYWHERE += ["significance", "literature", "lengths"]
OWN = {
    "choi2017": [
        *("table1", "table2", "table3", "table4", "symbols", "symbol_scores"),
        *("local_charts", "masks", "masks_figure"),
    ],
    "bahdanau2015": ["table1", "unknown_words"],
    "chen2017": ["bleu"],
}
TARGETS = [
    *("all", *STAGES, *OWN),
    *(f"{experiment}_{name}" for experiment in OWN for name in [*EVERYWHERE, *OWN[experiment]]),
]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def fresh(tmp_path: Path) -> list[str]:
    """Arguments for a plan in an empty folder."""
    return ["-n", "--quiet", "host", "rules", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]


def jobs(plan: str) -> dict[str, int]:
    """How many jobs of each rule a plan counts."""
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", plan, re.MULTILINE)}


def test_the_targets_are_those_of_the_manual(snakemake: Run) -> None:
    run = snakemake(ROOT, "--list-target-rules")
    named = {line.strip() for line in run.stdout.split("\n") if re.fullmatch(r"\w+", line.strip())}
    assert named == set(TARGETS)


def test_the_demo_makes_every_run_of_every_stage(snakemake: Run, fresh: list[str]) -> None:
    run = snakemake(ROOT, *fresh)
    assert run.returncode == 0, run.stdout
    planned = jobs(run.stdout)
    for stage in ["train", "translate", "restore", "score", "phenomena"]:
        assert planned[stage] == RUNS
    assert {planned[name] for name in ["generate", *OWN]} == {1}
    assert "download_file" not in planned


@pytest.mark.parametrize(
    ("target", "last", "never"),
    [
        ("download", "generate", "extract"),
        ("extracted", "extract", "tokenize"),
        ("tokenized", "tokenize", "clean"),
        ("cleaned", "clean", "select"),
        ("selected", "select", "symbolize"),
        ("symbolized", "symbolize_source", "bpe"),
        ("subwords", "bpe", "binarize"),
        ("binarized", "binarize", "train"),
        ("models", "train", "translate"),
        ("run_files", "run_file", "translate"),
        ("translations", "translate", "restore"),
        ("restored", "restore", "score"),
        ("lines_known", "known_lines", "train"),
        ("scores", "score", "choi2017_table4"),
        ("lexicons", "lexicon", "translate"),
        ("replaced", "score_replaced", "bahdanau2015_unknown_words"),
        ("bahdanau2015_unknown_words", "replace_unknown", "phenomena"),
        ("coverages", "coverage", "binarize"),
        ("pairs_counted", "pairs", "train"),
        ("counts", "phenomena", "score"),
        ("symbols_scored", "symbol_scores", "train"),
        ("word_vectors", "cbow", "train"),
        ("words_charted", "local_charts", "translate"),
        ("contexts_masked", "masks", "translate"),
        ("choi2017_table1", "local_charts", "masks"),
        ("choi2017_masks_figure", "masks", "cbow"),
        ("choi2017_table2", "choi2017_table2", "generate"),
        ("choi2017_table3", "pairs", "train"),
        ("choi2017_symbols", "symbolize", "bpe"),
        ("choi2017_table4", "score", "phenomena"),
        ("choi2017_phenomena", "phenomena", "score"),
        ("choi2017_symbol_scores", "symbol_scores", "symbolize_source"),
        ("choi2017_curves", "train", "translate"),
        ("bahdanau2015", "bahdanau2015_table1", "symbolize"),
        ("chen2017", "chen2017_bleu", "bpe"),
    ],
)
def test_a_target_goes_up_to_its_stage(
    snakemake: Run, fresh: list[str], target: str, last: str, never: str
) -> None:
    run = snakemake(ROOT, target, *fresh)
    assert run.returncode == 0, run.stdout
    assert last in jobs(run.stdout)
    assert never not in jobs(run.stdout)


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_both_profiles_plan_the_run(
    snakemake: Run, fresh: list[str], profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = snakemake(ROOT, "--profile", profile, *fresh)
    assert run.returncode == 0, run.stdout
    assert jobs(run.stdout)["train"] == RUNS


def test_account_and_partitions_come_from_the_environment(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """In the resources of a job, as a plan without messages of its own would show them."""
    settings = {
        "CONTEXTNMT_SLURM_ACCOUNT": "group",
        "CONTEXTNMT_SLURM_PARTITION": "day",
        "CONTEXTNMT_SLURM_GPU_PARTITION": "gpus",
    }
    program = (
        "import sys; from snakemake.profiles import ProfileConfigFileParser as Parser;"
        "print(Parser().parse(open('slurm/config.yaml')))"
    )
    for variables in (settings, {}):
        shown = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=environment | variables,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert ("slurm_account=group" in shown) == bool(variables)
        assert ("slurm_partition=day" in shown) == bool(variables)
        assert shown.count("slurm_partition=gpus") == (2 if variables else 0)


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_trainings_ask_for_a_gpu_where_the_device_is_one(
    snakemake: Run, clone: Callable[[], Path], profile: str
) -> None:
    folder = clone()
    rules = folder / "workflow" / "rules" / "train.smk"
    text = rules.read_text()
    silent, messages = re.subn(r"    message:\n .*\n", "", text)
    assert messages  # shown instead of a job's resources
    rules.write_text(silent)
    for device, gpus in (("cpu", 0), ("cuda", 1)):
        run = snakemake(folder, MODEL, "-n", "--profile", profile, "--config", f"device={device}")
        assert run.returncode == 0, run.stdout
        (resources,) = re.findall(r"rule train:.*?resources: ([^\n]*)", run.stdout, re.DOTALL)
        assert f"gpu={gpus}" in resources.split(", ")


def test_multi30k_is_planned_without_fetching_anything(snakemake: Run, fresh: list[str]) -> None:
    run = snakemake(ROOT, *fresh, "--config", "preset=multi30k")
    assert run.returncode == 0, run.stdout
    planned = jobs(run.stdout)
    assert planned["train"] == 3
    assert planned["translate"] == planned["restore"] == 3
    assert planned["download_file"] == 10
    assert "generate" not in planned
    assert "choi2017_phenomena" not in planned
    assert "choi2017_symbol_scores" not in planned  # none of its systems uses symbols
    assert planned["masks"] == planned["local_charts"] == planned["cbow"] == 1


def test_another_order_of_texts_is_another_command(snakemake: Run, tmp_path: Path) -> None:
    """Snakemake compares inputs as a set: without it, the new order would re-run nothing."""
    more, again = ({"file": "embedded.tar.gz", "member": f"{x}.{{lang}}"} for x in "ab")
    file = tmp_path / "own.yaml"
    target = "results/demo/train/en-fr/symbol/1/model.json"
    stages = ["sample", "rank", "rule-dictionary", "binarize", "train"]
    commands: dict[str, set[str]] = {stage: set() for stage in stages}
    for turn in (1, -1):
        roles = {"train": ["train", "more"][::turn], "dev": ["dev", "again"][::turn]}
        own = {
            "corpora": {"embedded": {"texts": {"more": more, "again": again}}},
            "roles": {"en-fr": roles},
            "select": {"en-fr": {"in_domain": ["dev"], "pairs": 5}},
        }
        file.write_text(yaml.safe_dump(own))
        arguments = ["-n", "-p", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
        dictionary = "results/demo/rule-dictionary/en-fr/rules.tsv"
        plan = snakemake(ROOT, target, dictionary, *arguments, "--configfile", f"{file}").stdout
        for stage, found in commands.items():
            found |= {line for line in plan.split("\n") if f"contextnmt {stage} " in line}
    assert {stage: len(found) for stage, found in commands.items()} == dict.fromkeys(stages, 2)


@pytest.fixture
def commands(snakemake: Run, tmp_path: Path) -> Callable[..., list[str]]:
    """The commands of a stage on the way to `target`, with keys of one's own."""

    def plan(stage: str, target: str, **own: object) -> list[str]:
        file = tmp_path / "own.yaml"
        file.write_text(yaml.safe_dump(own))
        arguments = ["-n", "-p", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
        shown = snakemake(ROOT, target, *arguments, "--configfile", f"{file}").stdout
        return [line for line in shown.split("\n") if f"contextnmt {stage} " in line]

    return plan


def test_a_training_reads_its_own_view_alone(commands: Callable[..., list[str]]) -> None:
    assert len(commands("binarize", MODEL)) == 1
    (train,) = commands("train", MODEL)
    assert "--filter" not in train
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
    alone = {"experiments": {"choi2017": {"systems": {"bpe": own}}}}
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
    masks = commands("masks", "contexts_masked")
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
    assert filters() == {
        "--filter-before": [word],
        "--filter-after": [sym],
        "--filter": [bpe, sym, sym_bpe, word],
    }
    assert filters(training={"filters": "all"}) == filters()
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


def test_one_translation_is_not_normalised_and_others_only_if_asked(
    commands: Callable[..., list[str]],
) -> None:
    target = SCORES.format(1).replace("rnnsearch-50", "symbol")
    (score,) = commands("score", target)
    assert len(re.findall("--name ", score)) == 2 * 2 and "--subset" not in score
    (translate,) = commands("translate", target)
    assert "--nbest" not in translate and "--no-unknown" not in translate
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
    (line,) = commands("bleu-table", "bahdanau2015_table1", **own)
    ensembles = re.findall(r"--ensemble-scores (\S+)", line)
    assert len(ensembles) == 5 and SCORES.format("ensemble") in ensembles
    runs = re.findall(r"--scores (\S+)", line)
    assert len(runs) == 5 * 2 and not any("ensemble" in path for path in runs)
    assert len(commands("translate", "bahdanau2015_table1", **own)) == 5 * 3
    alone = commands("bleu-table", "bahdanau2015_table1", **(own | {"seeds": [3]}))
    assert "--ensemble-scores" not in alone[0] and '"ensemble": false' in alone[0]


def test_a_mirror_changes_nothing_in_the_plan(snakemake: Run, fresh: list[str]) -> None:
    plain = snakemake(ROOT, *fresh)
    mirrored = snakemake(ROOT, *fresh, "--config", "mirrors=[/data/mirror]")
    assert jobs(plain.stdout) == jobs(mirrored.stdout)


def test_the_linters_have_nothing_to_say(snakemake: Run, environment: dict[str, str]) -> None:
    lint = snakemake(ROOT, "--lint")
    assert lint.returncode == 0, lint.stdout
    form = subprocess.run(
        ["snakefmt", "--check", "Snakefile", "workflow"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert form.returncode == 0, form.stderr


def test_unknown_words_are_replaced_where_attention_tells_of_words(
    snakemake: Run, fresh: list[str], tmp_path: Path
) -> None:
    own = {"experiments": {"choi2017": {"decoding": {"replace": [0]}}}}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    run = snakemake(ROOT, *fresh, "replaced", "--configfile", f"{tmp_path}/own.yaml")
    planned = jobs(run.stdout)
    # Of choi2017 four systems without subwords for two pairs, of bahdanau2015 three with attention.
    assert planned["replace_unknown"] == planned["score_replaced"] == 2 * 4 + 3
    assert planned["lexicon"] == 2


def test_weights_are_written_where_a_model_has_attention(
    commands: Callable[..., list[str]],
) -> None:
    made = commands("translate", "translations", systems=["rnnencdec-50", "rnnsearch-50"])
    aligned = {("encdec" in command, "--alignments" in command) for command in made}
    assert aligned == {(False, True), (True, False)}
