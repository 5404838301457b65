"""Numbers of systems that were trained with something else than is now set: found and marked."""

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from analysed_models import words_of
from made_up_experiments import experiment
from results_folder import Made, make_report, make_results

from contextnmt.configuration.model import model_settings
from contextnmt.configuration.training import training_settings
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.gaps import stale_systems
from contextnmt.report.page import page
from contextnmt.report.results import Reasons, pair_of

LINE = "training.max_length was 50, is 40 now"
#: System -> its model, if it has settings, and the training of all.
MODELS = {"rnnencdec-30": {"smoother": {"network": "fcwm", "words": "all"}}}
TRAINING = {"optimizer": "adam", "max_length": 50, "device": "cpu", "unknown_limit": 1.0}


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Records of two seeds of all systems: every setting, and what each was begun with."""
    made = Made(tmp_path, experiment("bahdanau2015", (1, 2)))
    training = asdict(training_settings(TRAINING))
    for run, path in made.results.models().items():
        model = MODELS.get(run.system, {})
        write_json(path, {"model": asdict(model_settings(model)), "training": training})
        begun = {"model": model, "training": TRAINING, "code": ["a.py@0"]}
        write_json(made.results.identities()[run], begun)
    return made


@pytest.fixture
def recipes() -> dict[str, Any]:
    """The recipes by which these were trained: what has its default is left out."""
    training = TRAINING | {"unknown_limit": None, "filters": {}}
    recipe = {"view": "word", "context": True}
    systems = [system["id"] for system in experiment("bahdanau2015")["systems"]]
    return {
        system: recipe | {"model": dict(MODELS.get(system, {})), "training": dict(training)}
        for system in systems
    }


def stale(made: Made, recipes: dict[str, Any]) -> Reasons:
    """The systems that are stale, if their recipes are these now."""
    configuration = {"experiments": {"bahdanau2015": {"systems": recipes, "decoding": {}}}}
    return stale_systems(replace(made.results, configuration=configuration))


def edit(path: Path, part: str, **settings: Any) -> None:
    """Change settings in a record."""
    content = read_json(path)
    write_json(path, content | {part: content[part] | settings})


def records(made: Made, seed: int) -> list[Path]:
    """The files that describe a training of RNNsearch-50."""
    run = f"en-fr/rnnsearch-50/{seed}"
    return [made.folder / f"train/{run}/model.json", made.folder / f"train-identity/{run}.json"]


def test_settings_of_another_version(made: Made, recipes: dict[str, Any]) -> None:
    """One that is new has its default in older records; one that is gone is told."""
    path, _ = records(made, 1)
    content = read_json(path)
    del content["model"]["smoother"], content["training"]["loss"]
    write_json(path, content)
    assert stale(made, recipes) == {}
    edit(path, "model", gates=2)
    assert "model.gates was 2, is not there now" in stale(made, recipes)["en-fr"]["rnnsearch-50"]


@pytest.mark.parametrize("record", [0, 1])
def test_a_damaged_record_is_named(made: Made, recipes: dict[str, Any], record: int) -> None:
    path = records(made, 1)[record]
    write_json(path, {"model": {}})
    with pytest.raises(UserError, match=f"{path}: no training in it"):
        stale(made, recipes)


def test_settings_that_changed_are_told_once_if_all_seeds_agree(
    made: Made, recipes: dict[str, Any]
) -> None:
    assert stale(made, recipes) == {}
    recipes["rnnsearch-50-star"]["training"] |= {"device": "cuda", "threads": 4}  # only where
    recipes["rnnsearch-50"]["training"]["max_length"] = 40
    contextualizer = {"layers": [5], "table": "own"}
    recipes["rnnsearch-30"]["model"] = {"hidden": 9, "contextualizer": contextualizer}
    changed = "model.hidden was 1000, is 9 now, model.contextualizer was null, is "
    changed += '{"layers": [5], "end_of_sentence": false, "table": "own"} now'
    found = {"rnnsearch-50": LINE, "rnnsearch-30": changed}
    assert stale(made, recipes) == {"en-fr": found}


@pytest.mark.parametrize("record", [0, 1])
def test_a_training_with_two_recipes_is_stale(
    made: Made, recipes: dict[str, Any], record: int
) -> None:
    """A change was accepted while it was half done: either record has only one of them."""
    edit(records(made, 2)[record], "training", max_length=30)
    told = "seed 2: training.max_length was 30, is 50 now"
    assert stale(made, recipes) == {"en-fr": {"rnnsearch-50": told}}


def test_a_training_of_before_the_keys_validated_in_its_view_and_had_a_minimum_length(
    made: Made, recipes: dict[str, Any]
) -> None:
    for path in records(made, 1) + records(made, 2):
        content = read_json(path)
        for key in ("validation", "minimum_length"):
            content["training"].pop(key, None)
        write_json(path, content)
    assert stale(made, recipes) == {}
    recipes["rnnsearch-50"] |= {"view": "sym"}
    recipes["rnnsearch-50"]["training"]["validation"] = "restored"
    told = "training.validation was view, is restored now"
    assert stale(made, recipes) == {"en-fr": {"rnnsearch-50": told}}


@pytest.mark.parametrize("table", ["shared", "own"])
def test_a_contextualizer_of_before_the_key_had_the_shared_table(
    made: Made, recipes: dict[str, Any], table: str
) -> None:
    for path in records(made, 1) + records(made, 2):
        edit(path, "model", contextualizer={"layers": [5], "end_of_sentence": False})
    recipes["rnnsearch-50"]["model"]["contextualizer"] = {"layers": [5], "table": table}
    told = {"rnnsearch-50": "model.contextualizer.table was shared, is own now"}
    assert stale(made, recipes) == ({"en-fr": told} if table == "own" else {})


def test_every_part_that_names_a_system_marks_it(tmp_path: Path) -> None:
    """The stale systems of one pair in all that names them, and nothing of the other pair."""
    made = make_results(tmp_path)
    labels = {system["id"]: system["label"] for system in made.about["systems"]}
    made.about["stale"] = {"en-fr": dict.fromkeys(labels, LINE)}
    text = make_report(made).read_text()
    parts: dict[tuple[str, str], str] = {}
    for path in made.files("report/*/tables/*.json"):
        for block in read_json(path)["blocks"]:
            shown = [block["title"], *(label for label, _ in block["rows"])]
            shown += [heading for column in block["columns"] for heading in column]
            key = (path.stem, pair_of(block["title"]))
            parts[key] = " | ".join([parts.get(key, ""), *shown])
    for path in made.files("report/*/figures/*.svg"):
        kind, pair, *_ = path.stem.split(".")
        parts[kind, pair] = " ".join([parts.get((kind, pair), ""), *words_of(path)])
    whole = [labels[system] for system in ("baseline", "context", "symbol")]
    for (_, pair), told in parts.items():
        marked = [told.count(f"{label} (stale)") for label in whole]
        assert marked == ([told.count(label) for label in whole] if pair == "en-fr" else [0] * 3)
    assert {name for (name, _), told in parts.items() if "(stale)" in told} == {
        *("table4", "significance", "claims", "phenomena", "trainings", "examples"),
        *("differences", "table1", "gates", "masks", "restoration", "length-scores"),
        *("lengths", "gains", "curves", "alignments", "local-charts", "symbol-ablation"),
    }
    note = f"English → French: all systems ({LINE})."
    notes = made.results.read_table("table4").notes
    assert f"Stale, settings changed since training: {note}" in notes
    assert '<aside class="card" id="stale">' in text and f">{note}</li>" in text
    french, german = re.findall(r'<p class="headline">([^<]*)</p>', text)
    assert french.startswith("+BPE+S (stale) has the highest BLEU on ")
    assert french.endswith(" over Baseline (stale) (not tested).") and "stale" not in german
    page(replace(made.results, stale={}))
    assert 'id="stale"' not in (made.report / "index.html").read_text()
