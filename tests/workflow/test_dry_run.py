"""Plans: every target, both profiles, every preset; and what the linters say."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from contextnmt.configuration.layers import of_call
from contextnmt.report.experiment import results_of
from contextnmt.report.provenance import belongs

ROOT = Path(__file__).parents[2]
STAGES = [
    *("download", "extracted", "tokenized", "surveyed", "cleaned", "sampled", "estimated"),
    *("cross_entropies", "ranked", "selected", "words_counted", "perplexities", "symbolized"),
    *("dictionaries", "subwords", "binarized", "models", "run_files", "translations"),
    *("restored", "lines_known", "scores", "lexicons", "replaced", "overlaps"),
    "coverages",
    *("pairs_counted", "counts", "symbols_scored", "compared", "lengths_scored"),
    *("word_vectors", "words_charted", "browser_models", "contexts_masked"),
]
#: Models of choi2017 that translate with other choices of symbols: of four systems, two seeds.
ABLATIONS = 2 * 4
#: Two of each of the eight systems of choi2017, the five of bahdanau2015, the nine of chen2017.
RUNS = 2 * (8 + 5 + 9)
MODEL = "results/demo/train/en-fr/baseline/1/model.json"
EXPERIMENTS = ["choi2017", "bahdanau2015", "chen2017"]
TARGETS = ["all", "papers", "configuration", *STAGES, *EXPERIMENTS]
TARGETS += [f"{experiment}_corpora" for experiment in EXPERIMENTS]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def fresh(tmp_path: Path) -> list[str]:
    """Arguments for a plan in an empty folder."""
    return ["-n", "--quiet", "host", "rules", "-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]


def jobs(plan: str) -> dict[str, int]:
    """How many jobs of each rule a plan counts."""
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", plan, re.MULTILINE)}


def leads_to(nodes: list[tuple[str, str]], arrows: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs of rules in a graph between which there is a way, by name."""
    names, ways, size = dict(nodes), {*arrows}, 0
    while len(ways) > size:
        size = len(ways)
        ways |= {(first, last) for first, mid in ways for start, last in arrows if start == mid}
    return {(names[first], names[last]) for first, last in ways}


def test_the_graph_of_the_manual_is_that_of_the_rules(snakemake: Run, tmp_path: Path) -> None:
    files = ["-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}"]
    made = snakemake(ROOT, "choi2017", *files, "--rulegraph", "dot").stdout
    nodes = re.findall(r'(\d+)\[label = "(\w+)"', made)
    arrows = re.findall(r"(\d+) -> (\d+)", made)
    drawn = (ROOT / "docs/rules.svg").read_text()
    told = re.findall(r"<title>(\d+)</title>.*?>(\w+)</text>", drawn, re.DOTALL)
    shown = re.findall(r"<title>(\d+)&#45;&gt;(\d+)</title>", drawn)
    assert len(arrows) > len(shown) > len(nodes)
    assert leads_to(told, shown) == leads_to(nodes, arrows)


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
    assert {planned[name] for name in ["generate", *EXPERIMENTS]} == {1}
    assert "download_file" not in planned


def test_other_choices_of_symbols_are_jobs_of_their_own(
    snakemake: Run, fresh: list[str], tmp_path: Path
) -> None:
    """A symbolized text for each choice, in subwords too; a translation for each run."""
    (tmp_path / "own.yaml").write_text("decoding: {symbol_ablation: true}")
    with_them = jobs(snakemake(ROOT, *fresh, "--configfile", f"{tmp_path}/own.yaml").stdout)
    without = jobs(snakemake(ROOT, *fresh).stdout)
    more = {stage: count - without[stage] for stage, count in with_them.items()}
    own = dict.fromkeys(("translate", "restore", "score"), ABLATIONS)
    own |= dict.fromkeys(("symbolize_source", "bpe"), 2)
    assert {stage: count for stage, count in more.items() if count} == own | {
        "total": sum(own.values())
    }


@pytest.mark.sample(8)
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
        ("scores", "score", "choi2017"),
        ("lexicons", "lexicon", "translate"),
        ("replaced", "score_replaced", "phenomena"),
        ("coverages", "coverage", "binarize"),
        ("pairs_counted", "pairs", "train"),
        ("counts", "phenomena", "score"),
        ("symbols_scored", "symbol_scores", "train"),
        ("word_vectors", "cbow", "train"),
        ("words_charted", "local_charts", "translate"),
        ("browser_models", "browser_model", "translate"),
        ("contexts_masked", "masks", "translate"),
        ("choi2017_corpora", "symbol_scores", "train"),
        ("bahdanau2015_corpora", "overlap", "symbolize"),
        ("bahdanau2015", "bahdanau2015_corpora", "symbolize"),
        ("chen2017", "significance", "bpe"),
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


@pytest.mark.parametrize("said", [True, False])
def test_what_differs_between_clusters_comes_from_the_environment(
    environment: dict[str, str], said: bool
) -> None:
    settings = {
        "ACCOUNT": "group",
        "PARTITION": "day",
        "QOS": "long",
        "CONSTRAINT": "fast",
        "EXTRA": "--reservation=us --nice",
        "MODULES": "module load python/3.11",
    }
    program = (
        "import json; from snakemake.profiles import ProfileConfigFileParser as Parser;"
        "print(json.dumps(Parser().parse(open('slurm/config.yaml'))))"
    )
    variables = {f"CONTEXTNMT_SLURM_{name}": value for name, value in settings.items()}
    shown = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment | (variables if said else {}),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    profile = json.loads(shown)
    resources = {"mem_mb=4000", "runtime=60"}
    training = {"train:slurm_extra='--signal=TERM@120'"}
    if said:
        resources |= {"slurm_account='group'", "slurm_partition='day'", "qos='long'"}
        resources |= {"constraint='fast'", "slurm_extra='--reservation=us --nice'"}
        training = {"train:slurm_extra='--signal=TERM@120 --reservation=us --nice'"}
    assert set(profile["default-resources"]) == resources
    assert set(profile["set-resources"]) == training
    assert profile.get("precommand") == ("module load python/3.11" if said else None)


@pytest.mark.parametrize("profile", ["local", "slurm"])
def test_trainings_ask_for_a_gpu_where_the_device_is_one(
    snakemake: Run,
    clone: Callable[[], Path],
    profile: str,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where = {"PARTITION": "day", "GPU_PARTITION": "gpus", "GPU_TYPE": "h100"}
    for name, value in where.items():
        monkeypatch.setitem(environment, f"CONTEXTNMT_SLURM_{name}", value)
    folder = clone()
    rules = folder / "workflow" / "rules" / "train.smk"
    text = rules.read_text()
    silent, messages = re.subn(r"^ +message:\n.*\n", "", text, flags=re.M)
    assert messages  # shown instead of a job's resources
    rules.write_text(silent)
    for device, gpus in (("cpu", 0), ("cuda", 1)):
        run = snakemake(folder, MODEL, "-n", "--profile", profile, "--config", f"device={device}")
        assert run.returncode == 0, run.stdout
        (found,) = re.findall(r"rule train:.*?resources: ([^\n]*)", run.stdout, re.DOTALL)
        resources = set(found.split(", "))
        assert f"gpu={gpus}" in resources
        of_gpu = {"slurm_partition=gpus", "gpu_model=h100"}
        assert of_gpu & resources == (of_gpu if gpus else set())
        assert ("slurm_partition=day" in resources) == (profile == "slurm" and not gpus)


def test_multi30k_is_planned_without_fetching_anything(snakemake: Run, fresh: list[str]) -> None:
    run = snakemake(ROOT, *fresh, "--config", "preset=multi30k")
    assert run.returncode == 0, run.stdout
    planned = jobs(run.stdout)
    assert planned["train"] == 3
    assert planned["translate"] == planned["restore"] == 3
    assert planned["download_file"] == 10
    assert "generate" not in planned
    assert "phenomena" not in planned
    assert "symbol_scores" not in planned  # none of its systems uses symbols
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


def test_a_mirror_changes_nothing_in_the_plan(snakemake: Run, fresh: list[str]) -> None:
    plain = snakemake(ROOT, *fresh)
    mirrored = snakemake(ROOT, *fresh, "--config", "mirrors=[/data/mirror]")
    assert jobs(plain.stdout) == jobs(mirrored.stdout)


def test_with_gaps_and_nothing_finished_there_is_no_report_but_every_stage(
    snakemake: Run, fresh: list[str]
) -> None:
    where = [*fresh[4:], "--cores", "1", "--config", "gaps=true"]
    for target in ["all", "papers", "chen2017"]:
        run = snakemake(ROOT, target, *where)
        assert run.returncode == 1
        assert "no system of chen2017 is finished (not trained)" in run.stdout
        assert "Traceback" not in run.stdout
    plan = snakemake(ROOT, "scores", *fresh, "--config", "gaps=true")
    assert jobs(plan.stdout)["train"] == RUNS
    corpora = snakemake(ROOT, "choi2017_corpora", *fresh, "--config", "gaps=true")
    assert "train" not in jobs(corpora.stdout) and jobs(corpora.stdout)["choi2017_corpora"] == 1


@pytest.mark.parametrize(
    ("experiments", "runs", "lexicons"),
    # Of choi2017 four systems without subwords, of bahdanau2015 three with attention; two seeds.
    [({"choi2017": True}, 2 * (4 + 3), 1), ({}, 2 * 3, 1), ({"bahdanau2015": False}, 0, 0)],
)
def test_unknown_words_are_replaced_where_attention_tells_of_words(
    snakemake: Run,
    fresh: list[str],
    tmp_path: Path,
    experiments: dict[str, bool],
    runs: int,
    lexicons: int,
) -> None:
    own = {"experiments": {name: {"decoding": {"replace": r}} for name, r in experiments.items()}}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    run = snakemake(ROOT, *fresh, "replaced", "lexicons", "--configfile", f"{tmp_path}/own.yaml")
    planned = jobs(run.stdout)
    stages = ("replace_unknown", "score_replaced", "lexicon")
    assert [planned.get(stage, 0) for stage in stages] == [runs, runs, lexicons]


def test_the_page_tells_of_the_times_of_all_jobs(
    snakemake: Run, fresh: list[str], tmp_path: Path
) -> None:
    """Also of lines without unknown words, which need both sides of every text."""
    own = {
        "pairs": ["en-fr"],
        "systems": ["baseline", "bpe-symbol"],
        "seeds": [1, 2],
        "decoding": {"no_unknown": True, "ensemble": True, "replace": True},
    }
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    where = [*fresh[:1], "-p", *fresh[4:], "--configfile", f"{tmp_path}/own.yaml"]
    plan = snakemake(ROOT, "choi2017", *where).stdout
    logged = set(re.findall(r"> results/demo/logs/(\S+)\.log", plan))
    configuration = of_call(ROOT, [tmp_path / "own.yaml"], {})
    results = results_of(Path("results/demo"), configuration, "choi2017")
    known = {job for job in logged if belongs(results, *job.split("/"))}
    # Jobs of a second: those of the report, and what is written beside each training.
    quick = ("report/", "run/", "train-identity/")
    assert {job for job in logged - known if not job.startswith(quick)} == set()
    assert {"symbolize/en-fr/test.pair", "bpe/en-fr/sym-bpe/test.pair.fr"} <= known


def test_alignments_are_those_of_single_models(
    snakemake: Run, fresh: list[str], tmp_path: Path
) -> None:
    own = {"pairs": ["en-fr"], "systems": ["rnnsearch-30", "rnnencdec-30"], "seeds": [1, 2]}
    own |= {"decoding": {"ensemble": True}}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    where = [*fresh[:1], "-p", *fresh[4:], "--configfile", f"{tmp_path}/own.yaml"]
    plan = snakemake(ROOT, "translations", *where).stdout
    commands = [line for line in plan.split("\n") if "contextnmt translate" in line]
    assert len(commands) == 2 * (2 + 1)
    assert all("--no-unknown" in each and "--nbest 10" in each for each in commands)
    aligned = [each for each in commands if "--alignments" in each]
    assert len(aligned) == 2
    assert not any("rnnencdec" in each or "--ensemble" in each for each in aligned)
