"""The configuration: how its layers are merged, and what a user sees who made a mistake."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import configuration_reference as reference
import pytest
import yaml

from contextnmt.configuration.layers import Layer, digest, of_paper, resolve
from contextnmt.configuration.model import model_settings
from contextnmt.configuration.places import pairs, place, roles
from contextnmt.configuration.reading import load
from contextnmt.configuration.recipes import deviations, merge, other_filters, recipe, systems
from contextnmt.configuration.training import training_settings
from contextnmt.errors import UserError

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "workflow"
PRESETS = sorted(path.stem for path in (WORKFLOW / "presets").glob("*.yaml"))
FILE = WORKFLOW / "experiments" / "choi2017.yaml"
OWN = load(ROOT / "config.yaml")

Run = Callable[..., subprocess.CompletedProcess[str]]


def configured(**own: Any) -> dict[str, Any]:
    """The configuration with keys of `own` over those of config.yaml."""
    return resolve(WORKFLOW, [Layer("config.yaml", OWN), Layer("mine.yaml", own)])


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks" / "runs").glob("*.yaml")))
def test_runs_on_real_text_are_configurations(path: Path) -> None:
    own = {"preset": "multi30k", **load(path)}
    made = resolve(WORKFLOW, [Layer("config.yaml", OWN), Layer(path.name, own)])
    assert made["device"] == ("cpu" if path.stem.endswith(("gates", "_cpu")) else "cuda")
    assert any(systems(made, experiment) for experiment in made["experiments"])


def test_merge_goes_key_by_key_and_replaces_lists_and_null() -> None:
    below = {"a": {"x": 1, "y": [1, 2]}, "b": {"z": 1}}
    above = {"a": {"y": [3]}, "b": None, "c": 4}
    assert merge(below, above) == {"a": {"x": 1, "y": [3]}, "b": None, "c": 4}
    assert merge({"b": None}, {"b": {"z": 1}}) == {"b": {"z": 1}}
    assert below == {"a": {"x": 1, "y": [1, 2]}, "b": {"z": 1}}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_valid_and_the_stages_take_its_settings(preset: str) -> None:
    configuration = configured(preset=preset)
    assert configuration["about"]
    for experiment in configuration["experiments"]:
        for pair in pairs(configuration, experiment):
            for system in systems(configuration, experiment):
                made = recipe(configuration, pair, system)
                model_settings(made["model"])
                training_settings(made["training"])
                assert made["decoding"]["beams"]


def test_the_user_is_above_the_preset_and_the_preset_above_the_paper() -> None:
    made = recipe(configured(model={"hidden": 7}), "en-fr", "baseline")
    assert made["model"]["hidden"] == 7
    preset = load(WORKFLOW / "presets" / "demo.yaml")
    assert made["model"]["embedding"] == preset["model"]["embedding"]
    paper = of_paper(WORKFLOW, "choi2017")["experiments"]["choi2017"]
    assert made["training"]["clip"] == paper["training"]["clip"] == 1


def test_what_a_user_says_of_all_systems_goes_before_what_the_paper_says_of_one() -> None:
    paper = of_paper(WORKFLOW, "bahdanau2015")["experiments"]["bahdanau2015"]["systems"]
    assert paper["rnnsearch-50"]["training"]["max_updates"] == 288000
    own = {"training": {"max_updates": 11}}
    everywhere = configured(preset="wmt14", **own)
    for system in [*paper, "baseline", "gru"]:
        assert recipe(everywhere, "en-fr", system)["training"]["max_updates"] == 11
    of_one = {"systems": {"rnnsearch-50": {"training": {"max_updates": 13}}}}
    of_experiment = {"training": {"max_updates": 12}, **of_one}
    nested = configured(preset="wmt14", **own, experiments={"bahdanau2015": of_experiment})
    for system, updates in [("rnnsearch-50", 13), ("rnnsearch-30", 12), ("baseline", 11)]:
        assert recipe(nested, "en-fr", system)["training"]["max_updates"] == updates


def test_bahdanaus_systems_are_the_papers() -> None:
    configuration = configured(preset="wmt14")
    assert pairs(configuration, "bahdanau2015") == ["en-fr"]
    made = {
        system: recipe(configuration, "en-fr", system)
        for system in systems(configuration, "bahdanau2015")
    }
    lengths = {system: each["training"]["max_length"] for system, each in made.items()}
    assert lengths == {
        "rnnencdec-30": 30,
        "rnnsearch-30": 30,
        "rnnencdec-50": 50,
        "rnnsearch-50": 50,
        "rnnsearch-50-star": 50,
    }
    assert {system: each["training"]["max_updates"] for system, each in made.items()} == {
        "rnnencdec-30": 846000,
        "rnnsearch-30": 471000,
        "rnnencdec-50": 600000,
        "rnnsearch-50": 288000,
        "rnnsearch-50-star": 667000,
    }
    for system, each in made.items():
        model, training = each["model"], each["training"]
        assert (training["batch_size"], training["sort_batches"]) == (80, 20)
        assert training["clip"] == training["learning_rate"] == 1
        assert each["view"] == "word"
        variants = {"nbest": 10, "no_unknown": True, "ensemble": False, "replace": True}
        variants |= {"precision": "fp32", "symbol_ablation": False, "minimum_length": 0.5}
        assert each["decoding"] == {"beams": [10, 12], **variants}
        assert model["attention"] == ("search" in system)
        assert (model["cell"], model["readout_rank"], model["alignment"]) == ("gru", 620, 1000)
        assert (training["optimizer"], training["loss"]) == ("adadelta", "sum")
        assert training["unknown_limit"] == 1.0
        assert training["patience"] == (10 if system.endswith("star") else None)


def test_chens_systems_are_two_networks_in_four_ways_and_their_baseline() -> None:
    configuration = configured(preset="wmt14")
    assert configuration["experiments"]["chen2017"]["reconstruction"]
    smoothers = [
        recipe(configuration, "en-de", system)["model"]["smoother"]
        for system in systems(configuration, "chen2017")
    ]
    baseline, *others = smoothers
    assert baseline is None
    assert {(s["network"], s["words"], s.get("decoder", False)) for s in others} == {
        (network, words, decoder)
        for network in ["fcwm", "ccwm"]
        for words in ["unknown", "all"]
        for decoder in [False, True]
    }


def test_a_file_of_an_experiment_says_nothing_of_the_others() -> None:
    for path in (WORKFLOW / "experiments").glob("*.yaml"):
        assert list(load(path)) == ["experiments"]
        assert list(load(path)["experiments"]) == [path.stem]


def test_the_papers_settings_are_the_papers() -> None:
    whole = of_paper(WORKFLOW, "choi2017")
    paper = {**whole, **whole["experiments"]["choi2017"]}
    sizes = {key: paper["model"][key] for key in ("embedding", "hidden", "alignment", "maxout")}
    assert sizes == {"embedding": 620, "hidden": 1000, "alignment": 2000, "maxout": 500}
    assert paper["text"] == {
        "vocabulary_size": 30000,
        "merges": 30000,
        "joint_bpe": False,
        "external_rules": False,
        "symbol_threshold": 0.3,
    }
    assert paper["training"]["filters"] == "symbolized"
    assert paper["training"]["unknown_limit"] == {"en-fr": 0.1, "en-de": 0.3}
    assert paper["training"]["max_length"] == 50
    variants = {"nbest": None, "no_unknown": False, "ensemble": False, "replace": False}
    variants |= {"precision": "fp32", "symbol_ablation": True, "minimum_length": 0.5}
    assert paper["decoding"] == {"beams": [1, 12], **variants}
    cleaning = paper["clean"]
    assert [key for key, value in cleaning["en-fr"].items() if value] == ["drop_empty"]
    assert cleaning["en-de"] == {**cleaning["en-fr"], "max_ratio": 2, "wrong_language": True}
    assert [system["label"] for system in paper["systems"].values()] == [
        "Baseline",
        "+Context (C)",
        "+Symbol (S)",
        "+C+S",
        "+BPE",
        "+BPE+C",
        "+BPE+S",
        "+BPE+C+S",
    ]


@pytest.mark.parametrize(
    ("system", "view", "contextualized"),
    [
        ("baseline", "word", False),
        ("context", "word", True),
        ("symbol", "sym", False),
        ("context-symbol", "sym", True),
        ("bpe", "bpe", False),
        ("bpe-context", "bpe", True),
        ("bpe-symbol", "sym-bpe", False),
        ("bpe-context-symbol", "sym-bpe", True),
    ],
)
def test_a_system_is_a_view_and_what_differs_from_the_others(
    system: str, view: str, contextualized: bool
) -> None:
    made = recipe(configured(), "en-fr", system)
    assert made["view"] == view
    assert (made["model"]["contextualizer"] is not None) == contextualized


def test_the_limit_of_unknown_words_is_that_of_the_pair() -> None:
    own = {"unknown_limit": {"en-fr": 0.1, "en-de": 0.3}, "filters": "own"}
    configuration = configured(training=own)
    limits = [
        recipe(configuration, *run)["training"]["unknown_limit"]
        for run in [("en-fr", "baseline"), ("en-de", "baseline"), ("en-de", "bpe")]
    ]
    assert limits == [0.1, 0.3, 1.0]
    everything = configured(training={"unknown_limit": None})
    assert recipe(everything, "en-fr", "baseline")["training"]["unknown_limit"] == 1.0


def test_the_filters_of_all_systems_are_those_of_each_view_and_limit() -> None:
    assert other_filters(configured(), "en-de", "bpe") == []
    limits = {"en-fr": 0.1, "en-de": 0.3}
    own = {
        "training": {"filters": "all", "unknown_limit": limits},
        "experiments": {"choi2017": {"systems": {"context": {"training": {"max_length": 9}}}}},
    }
    every = [
        {"view": "bpe", "max_length": 50, "unknown_limit": 1.0},
        {"view": "sym", "max_length": 50, "unknown_limit": 0.3},
        {"view": "sym-bpe", "max_length": 50, "unknown_limit": 1.0},
        {"view": "word", "max_length": 50, "unknown_limit": 0.3},
        {"view": "word", "max_length": 9, "unknown_limit": 0.3},
    ]
    configuration = configured(**own)
    for system, position in [("bpe", 0), ("bpe-context", 0), ("baseline", 3), ("context", 4)]:
        others = other_filters(configuration, "en-de", system)
        assert sorted(map(str, others)) == sorted(
            map(str, every[:position] + every[position + 1 :])
        )
    few = configured(**own, systems=["baseline", "symbol"])
    assert other_filters(few, "en-fr", "baseline") == [
        {"view": "sym", "max_length": 50, "unknown_limit": 0.1}
    ]


def test_the_symbolized_text_may_decide_for_systems_of_words() -> None:
    configuration = configured(training={"filters": "symbolized", "unknown_limit": {"en-de": 0.3}})
    made = {
        system: recipe(configuration, "en-de", system)["training"]["unknown_limit"]
        for system in ("baseline", "symbol", "bpe")
    }
    assert made == {"baseline": 1.0, "symbol": 0.3, "bpe": 1.0}
    assert other_filters(configuration, "en-de", "baseline") == [
        {"view": "sym", "max_length": 50, "unknown_limit": 0.3}
    ]
    assert other_filters(configuration, "en-de", "symbol") == []
    assert other_filters(configuration, "en-de", "bpe") == []
    mixed = configured(
        training={"filters": "symbolized", "unknown_limit": {"en-de": 0.3}},
        experiments={"choi2017": {"systems": {"bpe": {"training": {"filters": "all"}}}}},
        systems=["baseline", "bpe"],
    )
    assert {"view": "sym", "max_length": 50, "unknown_limit": 0.3} in other_filters(
        mixed, "en-de", "bpe"
    )


def test_a_system_of_ones_own() -> None:
    configuration = configured(
        systems=["deep"],
        experiments={
            "choi2017": {
                "systems": {
                    "deep": {
                        "label": "Deep",
                        "view": "word",
                        "context": True,
                        "model": {"contextualizer": {"layers": [5, 6]}},
                        "training": {"learning_rate": 0.1},
                    }
                }
            }
        },
    )
    made = recipe(configuration, "en-fr", "deep")
    assert made["model"]["contextualizer"] == {
        "layers": [5, 6],
        "end_of_sentence": False,
        "table": "own",
    }
    assert made["training"]["learning_rate"] == 0.1
    other = recipe(configured(), "en-fr", "baseline")
    assert other["training"]["learning_rate"] != 0.1


def test_names_of_files_are_filled_in() -> None:
    configuration = configured()
    corpus, file, member = place(configuration, "en-de", "test", "de")
    assert (corpus, file, member) == ("embedded", "embedded.tar.gz", "test.de")
    plain = configured(preset="multi30k")
    assert place(plain, "en-de", "val", "en") == ("multi30k", "val.en.gz", None)


def changes(experiment: str, **own: Any) -> list[tuple[str, str, Any, Any]]:
    """The deviations of an experiment: system, key, paper, here; but for the selection."""
    found = deviations(of_paper(WORKFLOW, experiment), configured(**own), experiment)
    lines = [(each["system"], each["key"], each["paper"], each["here"]) for each in found]
    return [line for line in lines if not line[1].startswith("select.")]


def test_deviations_are_what_is_not_the_papers() -> None:
    paper = of_paper(WORKFLOW, "choi2017")
    own = {key: paper[key] for key in ("clean", "text")}
    printed = paper["experiments"]["choi2017"]
    blocks = {key: printed[key] for key in ("model", "training", "decoding")}
    own["experiments"] = {"choi2017": blocks}
    assert changes("choi2017", **own) == []
    found = deviations(paper, configured(**own), "choi2017")
    assert [each["key"] for each in found] == [
        "select.en-fr.in_domain",
        "select.en-fr.target_words",
    ]
    # More than the paper has, no deviation.
    beside = {"nbest": 3, "ensemble": True, "replace": True, "symbol_ablation": False}
    more = merge(own, {"experiments": {"choi2017": {"decoding": beside}}})
    assert changes("choi2017", **more) == []
    system = {"view": "sym", "context": True, "training": {"clip": 2.0}, "label": "Mine"}
    one = merge(own, {"experiments": {"choi2017": {"systems": {"baseline": system}}}})
    assert {each[1]: each for each in changes("choi2017", **one)} == {
        "view": ("baseline", "view", "word", "sym"),
        "training.clip": ("baseline", "training.clip", 1.0, 2.0),
        "context": ("baseline", "context", None, True),
        **{
            (key := f"model.contextualizer.{name}"): ("baseline", key, None, value)
            for name, value in {
                "layers": [1000, 1000],
                "end_of_sentence": False,
                "table": "own",
            }.items()
        },
    }
    other = {"model": {"dropout": 0.25}, "training": {"unknown_limit": None}}
    changed = merge(own, {"experiments": {"choi2017": other}})
    assert changes("choi2017", **changed) == [
        ("", "model.dropout", 0.0, 0.25),
        ("", "training.unknown_limit.en-fr", 0.1, None),
        ("", "training.unknown_limit.en-de", 0.3, None),
    ]


def test_deviations_of_some_systems_are_told_with_them() -> None:
    found = changes("bahdanau2015")
    assert ("", "training.optimizer", "adadelta", "adam") in found
    assert ("rnnencdec-30", "training.max_length", 30, 10) in found
    assert ("rnnsearch-50", "training.max_updates", 288000, 400) in found
    assert not [line for line in found if line[0] == "" and line[1] == "training.max_updates"]


def test_deviations_are_of_what_the_experiment_has() -> None:
    keys = [key for _, key, _, _ in changes("bahdanau2015")]
    others = ("model.contextualizer", "clean.en-de", "text.merges", "text.symbol_threshold")
    assert not [key for key in keys if key.startswith(others)]
    everywhere = {"bahdanau2015": {"pairs": None}}
    assert ("", "pairs", ["en-fr"], None) in changes("bahdanau2015", experiments=everywhere)


def test_the_digest_changes_with_the_settings_but_not_with_places_and_parts() -> None:
    def of(**own: Any) -> str:
        return digest(configured(**own), "choi2017")

    assert of() == of(mirrors=["/data"], hand_placed="/data")
    assert of() == of(corpora={"embedded": {"texts": {"train": {"shards": 3, "lines": 2000}}}})
    assert of() != of(seeds=[2])
    assert of(seeds=[1, 2]) != of(seeds=[2, 1])
    assert of() == of(experiments={"chen2017": {"training": {"clip": 2.0}}})
    assert of() != of(experiments={"choi2017": {"training": {"clip": 2.0}}})
    assert of(systems=["baseline"]) == of(systems=["gru", "baseline"]) != of()


def test_a_message_names_the_layer_that_says_it(tmp_path: Path) -> None:
    layers = [Layer("config.yaml", {**OWN, "seeds": [0.5]}), Layer("--config", {"device": "tpu"})]
    with pytest.raises(UserError) as caught:
        resolve(WORKFLOW, layers)
    assert [line.split(": ")[0] for line in str(caught.value).split("\n")] == [
        "--config",
        "config.yaml",
    ]


def test_many_mistakes_are_counted_not_listed() -> None:
    with pytest.raises(UserError) as caught:
        configured(training={f"key{number}": 1 for number in range(9)})
    assert str(caught.value).split("\n")[5:] == ["and 4 more"]


def test_cleaning_has_to_be_said_for_each_pair() -> None:
    own = {"train": ["train"], "dev": ["dev"], "test": ["test"]}
    with pytest.raises(UserError, match=r"mine\.yaml: clean\.en-cs: missing"):
        configured(pairs=["en-cs"], roles={"en-cs": own})


def test_an_experiment_may_have_texts_and_pairs_of_its_own() -> None:
    wmt14 = configured(preset="wmt14")
    assert roles(wmt14, "choi2017", "en-fr")["test"] == ["newsdiscusstest2015"]
    assert roles(wmt14, "bahdanau2015", "en-fr") == {
        "dev": ["newstest2012", "newstest2013"],
        "test": ["newstest2014"],
    }
    assert pairs(wmt14, "bahdanau2015") == ["en-fr"]
    assert pairs(wmt14, "chen2017") == ["en-fr", "en-de"]


def test_a_system_of_another_pair_is_not_left_out_in_silence() -> None:
    with pytest.raises(UserError, match=r"rnnsearch-50: its experiment bahdanau2015 does not run"):
        configured(pairs=["en-de"], systems=["baseline", "rnnsearch-50"])


@pytest.mark.parametrize("preset", PRESETS)
def test_systems_that_a_contrast_tells_apart_differ(preset: str) -> None:
    configured(preset=preset, systems=None)
    for own in [
        {"training": {"max_length": 40, "max_updates": 9}},
        {"model": {"attention": True}, "training": {"max_updates": 9}},
    ]:
        with pytest.raises(UserError, match=r"^mine\.yaml: setting \w+\.\w+.*bahdanau2015 equal, "):
            configured(preset=preset, systems=None, **own)
        configured(preset=preset, systems=["baseline", "gru"], **own)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_softmax_of_low_rank_is_smaller(preset: str) -> None:
    for experiment in configured(preset=preset)["experiments"].values():
        rank, maxout = experiment["model"]["readout_rank"], experiment["model"]["maxout"]
        assert rank is None or rank <= max(maxout, 620)


def test_one_key_of_a_part_of_the_model_can_be_changed_alone() -> None:
    model = {"contextualizer": {"end_of_sentence": True}}
    made = recipe(configured(preset="wmt14", model=model), "en-fr", "context")
    assert made["model"]["contextualizer"] == {
        "layers": [1000, 1000],
        "end_of_sentence": True,
        "table": "own",
    }
    window = {"chen2017": {"systems": {"ccwm-all": {"model": {"smoother": {"window": 3}}}}}}
    made = recipe(configured(experiments=window), "en-fr", "ccwm-all")
    assert made["model"]["smoother"] == {"network": "ccwm", "words": "all", "window": 3}


def test_every_experiment_has_dev_and_test_texts() -> None:
    own = {"en-cs": {"train": ["train"], "test": ["test"]}}
    clean = {"en-cs": {"drop_empty": True}}
    with pytest.raises(UserError, match=r"roles\.en-cs\.dev: missing: name dev texts of en-cs"):
        configured(pairs=["en-cs"], roles=own, clean=clean)


def objects(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every part of a JSON schema that describes blocks of keys."""
    if isinstance(schema, dict):
        if schema.get("type") in ("object", ["object", "null"]):
            yield path, schema
        for key, value in schema.items():
            yield from objects(value, f"{path}/{key}")


def test_the_schema_describes_every_key_and_lets_no_other_through() -> None:
    schema = json.loads((WORKFLOW / "schemas" / "config.schema.json").read_text())
    found = list(objects(schema))
    assert len(found) > 10
    for path, block in found:
        assert "patternProperties" in block or block.get("additionalProperties") is False, path
        for key, value in block.get("properties", {}).items():
            assert value.get("description"), f"{path}/{key}"


def test_the_schema_and_the_page_of_all_keys_are_fresh() -> None:
    again = "run python scripts/configuration_reference.py"
    assert (ROOT / reference.SCHEMA).read_text() == reference.editors_schema(), again
    assert (ROOT / reference.PAGE).read_text() == reference.page(WORKFLOW), again


def test_config_yaml_shows_every_key_with_the_papers_value() -> None:
    """Its commented blocks, switched on, are the paper's settings and nothing else."""
    lines = (ROOT / "config.yaml").read_text().split("\n")
    paper = {**load(WORKFLOW / "text.yaml"), **load(FILE)["experiments"]["choi2017"]}
    paper["clean"] = {"en-de": paper["clean"]["en-de"]}
    for first, blocks in {"clean": ["clean"], "text": ["text", "model", "training"]}.items():
        start = next(number for number, line in enumerate(lines) if line == f"# {first}:")
        end = next(n for n, line in enumerate(lines[start:], start) if not line.startswith("#"))
        shown = yaml.safe_load("\n".join(line[2:] for line in lines[start:end]))
        assert shown == {key: paper[key] for key in blocks}


def test_on_the_command_line_there_is_no_traceback(snakemake: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("training: {batch_sise: 3}\n")
    run = snakemake(
        tmp_path, "-n", "-s", str(ROOT / "Snakefile"), "--configfile", str(tmp_path / "mine.yaml")
    )
    assert run.returncode != 0
    assert run.stdout.count("\n") <= 3, run.stdout
    assert "mine.yaml: training.batch_sise: unknown key; did you mean batch_size?" in run.stdout
    assert "Traceback" not in run.stdout
