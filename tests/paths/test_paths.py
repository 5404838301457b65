"""Which files belong to which stage, under which configuration."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contextnmt.configuration.layers import of_call
from contextnmt.paths.reports import Reports
from contextnmt.translation.exported import TRAINED

ROOT = Path(__file__).parents[2]


def paths(gaps: dict[str, dict[str, str]] | None = None, **own: Any) -> Reports:
    """The paths of two language pairs and one seed, with some keys over that."""
    keys = {"pairs": ["en-fr", "en-de"], "seeds": [1], **own}
    return Reports(ROOT, of_call(ROOT, [], keys), gaps or {})


class Wildcards(SimpleNamespace):
    """Wildcards of a job as Snakemake gives them: attributes that are items too."""

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def get(self, name: str) -> Any:
        return vars(self).get(name)

    def items(self) -> Any:
        return vars(self).items()


RUN = Wildcards(pair="en-fr", system="context-symbol", seed="1")
OF_TEXT = Wildcards(source="en", target="fr", text="dev")


def test_a_text_in_a_view_lies_where_its_stage_writes_it() -> None:
    demo = paths()
    assert [demo.view_file("en-fr", view, "dev", "en") for view in ("word", "sym", "sym-bpe")] == [
        "results/demo/tokenize/en-fr/dev.en.gz",
        "results/demo/symbolize/en-fr/dev.en.gz",
        "results/demo/bpe/en-fr/sym-bpe/dev.en.gz",
    ]
    assert demo.view_file("en-fr", "word", "train", "fr") == "results/demo/select/en-fr/train.fr.gz"
    aware = demo.view_file("en-fr", "sym", "dev", "fr", aware=True)
    assert aware == "results/demo/symbolize/en-fr/dev.pair.fr.gz"


def test_parts_of_a_training_text_are_files_of_their_own() -> None:
    three = paths(corpora={"embedded": {"texts": {"train": {"shards": 3}}}})
    parts = three.in_training("tokenize/{pair}/{part}.en.gz")(RUN)
    assert parts == [f"results/demo/tokenize/en-fr/train.{n}of3.en.gz" for n in (1, 2, 3)]
    later = Wildcards(source="en", target="fr", part="train.2of3")
    assert three.earlier_and_own(lambda _: ["a", "b", "c"])(later) == ["a", "b"]


def test_joint_subwords_have_one_file_of_codes() -> None:
    own = [paths().codes_file("en-fr", "bpe", language) for language in ("en", "fr")]
    assert own == [f"results/demo/bpe/en-fr/bpe/codes.{language}" for language in ("en", "fr")]
    joint = paths(text={"joint_bpe": True})
    assert joint.codes_file("en-fr", "bpe", "fr") == "results/demo/bpe/en-fr/bpe/codes.en-fr"


def test_an_archive_is_made_fetched_or_the_users_own() -> None:
    assert paths().archive("en-fr", "dev", "fr") == (
        "results/demo/generate/embedded/embedded.tar.gz",
        "dev.fr",
        None,
    )
    fetched, member, digest = paths(preset="multi30k").archive("en-de", "val", "en")
    assert (fetched, member) == ("results/multi30k/download/multi30k/val.en.gz", None)
    assert digest and digest.startswith("sha256:")
    own = {"files": {"mine.tsv": {"local": "../mine.tsv"}}}
    texts = {"mine": {"file": "mine.tsv", "columns": ["en", "x", "fr"]}}
    local = paths(
        corpora={"own": {**own, "texts": texts}}, roles={"en-fr": {"train": ["train", "mine"]}}
    )
    assert local.archive("en-fr", "mine", "fr") == ("../mine.tsv", None, None)
    mine = Wildcards(source="en", target="fr", text="mine")
    assert local.extraction_options(mine) == "--source-column 1 --target-column 3 --columns 3"
    assert "../mine.tsv" not in local.archive_files()


#: A corpus of one's own, Chinese and English.
CHINESE: dict[str, Any] = {
    "pairs": ["zh-en"],
    "clean": {"zh-en": {"drop_empty": True}},
    "roles": {"zh-en": {"train": ["news"], "dev": ["mt02"], "test": ["mt03"]}},
    "corpora": {
        "own": {
            "files": {f"{name}.tsv": {"local": name} for name in ("news", "mt02", "mt03")},
            "texts": {
                name: {"file": f"{name}.tsv", "columns": ["zh", "en"]}
                for name in ("news", "mt02", "mt03")
            },
        }
    },
}


def test_stages_know_which_texts_are_segmented_already() -> None:
    text = Wildcards(source="zh", target="en", text="news")
    run = Wildcards(pair="zh-en", system="baseline", seed="1")
    described = [
        (own.segmented(text), own.run_description(run))
        for own in (paths(**CHINESE), paths(**CHINESE, text={"segmented": ["zh"]}))
    ]
    assert [options for options, _ in described] == ["", "--segmented zh"]
    assert ["segmented" in json.loads(run) for _, run in described] == [False, True]
    assert paths(text={"segmented": ["zh"]}).segmented(OF_TEXT) == ""


def test_a_text_has_further_references() -> None:
    corpora = json.loads(json.dumps(CHINESE["corpora"]))
    own = corpora["own"]
    own["texts"]["mt02"]["columns"] += ["second"]
    own["texts"]["mt02"]["references"] = {"en": ["second"]}
    own["files"] |= {name: {"url": f"https://a.b/{name}", "md5": "a" * 32} for name in ("a", "b")}
    own["files"] |= {"mt03.zh": {"local": "zh"}, "mt03.en": {"local": "en"}}
    own["texts"]["mt03"] = {"file": "mt03.{lang}", "references": {"en": ["a", "b"]}}
    found = paths(**CHINESE | {"corpora": corpora})

    def extracted(text: str) -> tuple[Any, ...]:
        of = Wildcards(source="zh", target="en", text=text)
        archives = (found.archived(side, parts=1)(of) for side in ("source", "target"))
        return (*archives, found.extraction_options(of))

    second = "--source-column 1 --target-column 3 --columns 3"
    assert extracted("mt02.reference2") == ("mt02", "mt02", second)
    assert extracted("mt02") == ("mt02", "mt02", second.replace("-column 3", "-column 2"))
    fetched = "results/demo/download/own"
    assert extracted("mt03.reference3") == ("zh", f"{fetched}/b", f"--target-digest md5:{'a' * 32}")
    assert found.archive_files() == [f"{fetched}/a", f"{fetched}/b"]
    run = Wildcards(pair="zh-en", system="baseline", seed="1", text="mt03")
    folder = "results/demo/tokenize/zh-en"
    further = [f"{folder}/{text}.en.gz" for text in ("mt03.reference2", "mt03.reference3")]
    assert found.compared_references(run) == [f"{folder}/mt03.en.gz", *further]
    assert set(further) < set(found.further_files(run))
    assert found.further_options(run).startswith(
        f"--further-reference mt02={folder}/mt02.reference2.en.gz"
        f" --further-reference mt03={further[0]}"
    )
    # Texts with one reference have nothing more.
    assert paths().further_files(RUN) == []
    assert paths().further_options(RUN) == ""


def test_translations_of_a_run_are_of_each_text_beam_and_variant() -> None:
    decoding = {"beams": [1, 5], "no_unknown": True, "nbest": None}
    names = paths(decoding=decoding).translation_names(RUN)
    assert names == [
        f"{text}.beam{beam}{variant}"
        for text in ("dev", "test")
        for beam in (1, 5)
        for variant in ("", ".no-unknown")
    ]
    likeliest = paths(decoding=decoding).likeliest(RUN)
    folder = "results/demo/translate/en-fr/context-symbol/1"
    assert likeliest == [f"{folder}/{name}.gz" for name in names[::2]]


def test_validations_have_the_minimum_length_of_the_translations() -> None:
    settings = json.loads(paths(decoding={"minimum_length": 0}).training_settings(RUN))
    assert settings["minimum_length"] == 0
    assert json.loads(paths().training_settings(RUN))["minimum_length"] == 0.5


def test_only_systems_with_symbols_restore_words_in_validations() -> None:
    assert paths().restored_dev(RUN) == {
        "dev_text": ["results/demo/symbolize/en-fr/dev.en.gz"],
        "dev_symbols": ["results/demo/symbolize/en-fr/dev.symbols.tsv.gz"],
        "dev_reference": ["results/demo/tokenize/en-fr/dev.fr.gz"],
        "rules": ["results/demo/rule-dictionary/en-fr/rules.tsv"],
    }
    external = paths(text={"external_rules": True}).restoration_options(RUN)
    assert external.endswith("--source-language en --target-language fr --external-rules")
    words = Wildcards(pair="en-fr", system="bpe-context", seed="1")
    for made, run in [(paths(), words), (paths(training={"validation": "view"}), RUN)]:
        assert (made.restored_dev(run), made.restoration_options(run)) == ({}, "")
        assert made.if_restored("restore.py@0")(run) == ""
        assert json.loads(made.training_identity(run, ["a@0"], ["b@0"]))["code"] == ["a@0"]
    assert "validation" not in json.loads(paths().training_settings(words))


def test_an_ensemble_translates_by_the_models_of_all_seeds() -> None:
    several = paths(seeds=[1, 2], decoding={"ensemble": True})
    together = Wildcards(pair="en-fr", system="bpe", seed="ensemble")
    folders = [f"results/demo/train/en-fr/bpe/{seed}" for seed in (1, 2)]
    assert several.models(together) == folders
    assert several.model_options(together) == f"--model {folders[0]} --ensemble {folders[1]}"
    scores = "score/{pair}/{system}/{seed}"
    assert "results/demo/score/en-fr/bpe/ensemble" in several.translating(scores)
    assert not any("ensemble" in path for path in paths().translating(scores))


def test_a_system_that_is_not_finished_is_compared_with_none() -> None:
    some = paths(gaps={"en-fr": {"context": "not trained"}})
    wildcards = Wildcards(experiment="choi2017", pair="en-fr", text="test", beam="12")
    assert "results/demo/restore/en-fr/context/1" not in some.compared_runs(wildcards)
    assert " context:baseline " not in some.compared_systems(wildcards)
    assert " context:baseline " in paths().compared_systems(wildcards)


def test_nothing_is_finished_where_nothing_was_trained(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    gaps = paths().found_gaps()
    assert set(gaps) == {"en-fr", "en-de"}
    assert gaps["en-fr"]["baseline"] == "not trained"
    assert "rnnsearch-50" not in gaps["en-de"]


def test_a_missing_ablation_is_no_gap_of_its_system(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    run = Wildcards(pair="en-fr", system="symbol", seed="1")
    found = paths(decoding={"symbol_ablation": True})
    (folder,) = found.models(run)
    model = [f"{folder}/{file}" for file in TRAINED]
    for file in map(Path, [*model, *found.translations("translate", run)]):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    gaps = found.found_gaps()
    assert "symbol" not in gaps["en-fr"]
    assert gaps["en-fr"]["symbol.ablation"] == "trained, not translated"
    results = paths(gaps=gaps).results_of["choi2017"]
    assert results.ablation_gaps["en-fr"]["symbol"] == "trained, not translated"
    assert [run.system for run in results.scores()] == ["symbol"]
    assert not results.ablation_scores() and not results.symbolized_sources()


@pytest.mark.parametrize(
    ("experiment", "own", "why"),
    [
        ("bahdanau2015", {"pairs": ["en-de"]}, "bahdanau2015 is about en-fr, and pairs is en-de"),
        ("chen2017", {"systems": ["baseline"]}, "not in this run, since systems is baseline"),
    ],
)
def test_why_an_experiment_is_absent(experiment: str, own: dict[str, Any], why: str) -> None:
    asked = paths(**own)
    assert experiment in asked.unreported()
    assert why in asked.absence(experiment)
