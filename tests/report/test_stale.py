"""Numbers of systems that were trained with something else than is now set: found and marked."""

import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from analysed_models import words_of
from results_folder import Made, make_report, make_results, make_tables

from contextnmt.configuration.model import model_settings
from contextnmt.configuration.training import training_settings
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.findings import findings
from contextnmt.report.gaps import stale_systems
from contextnmt.report.page import page
from contextnmt.report.results import Reasons, pair_of

LINE = "training.max_length was 50, is 40 now"
#: A system whose recipe leaves settings out, and those that it has.
SMOOTHED, SMOOTHER = "rnnencdec-30", {"network": "fcwm", "words": "all"}


@pytest.fixture(scope="module")
def as_trained(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two seeds of all systems, each with every setting, and what it was begun with."""
    made = make_results(tmp_path_factory.mktemp("stale"), (1, 2), name="bahdanau2015")
    for run, path in made.results.models().items():
        content = read_json(path)
        model = {"smoother": SMOOTHER} if run.system == SMOOTHED else {}
        training = content["training"] | {"unknown_limit": 1.0}
        whole = {"model": asdict(model_settings(model))}
        whole["training"] = asdict(training_settings(training))
        write_json(path, content | whole)
        begun = {"model": model, "training": training, "code": ["a.py@0"]}
        write_json(made.results.identities()[run], begun)
    return made


@pytest.fixture
def made(as_trained: Made, tmp_path: Path) -> Made:
    """A copy of these to be changed."""
    shutil.copytree(as_trained.folder, tmp_path / "made")
    return Made(tmp_path / "made", dict(as_trained.about))


@pytest.fixture
def recipes(as_trained: Made) -> dict[str, Any]:
    """The recipes by which these were trained: what has its default is left out."""
    found = {}
    for path in as_trained.files("train-identity/*/*/1.json"):
        begun = read_json(path)
        training = begun["training"] | {"unknown_limit": None, "filters": {}}
        model = {"context": True, "model": begun["model"]}
        found[path.parent.name] = {"view": "word", **model, "training": training}
    return found


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


def test_nothing_is_stale_that_is_as_it_was(as_trained: Made, recipes: dict[str, Any]) -> None:
    assert stale(as_trained, recipes) == {}


def test_where_a_training_runs_makes_nothing_stale(
    as_trained: Made, recipes: dict[str, Any]
) -> None:
    recipes["rnnsearch-50"]["training"] |= {"device": "cuda", "threads": 4}
    assert stale(as_trained, recipes) == {}


def test_settings_that_changed_are_told_once_if_all_seeds_agree(
    as_trained: Made, recipes: dict[str, Any]
) -> None:
    recipes["rnnsearch-50"]["training"]["max_length"] = 40
    contextualizer = {"layers": [5], "table": "own"}
    recipes["rnnsearch-30"]["model"] = {"hidden": 9, "contextualizer": contextualizer}
    changed = "model.hidden was 1000, is 9 now, model.contextualizer was null, is "
    changed += '{"layers": [5], "end_of_sentence": false, "table": "own"} now'
    found = {"rnnsearch-50": LINE, "rnnsearch-30": changed}
    assert stale(as_trained, recipes) == {"en-fr": found}


def test_of_one_seed_its_seed_is_told(made: Made, recipes: dict[str, Any]) -> None:
    recipes["rnnsearch-50"]["training"]["max_length"] = 40
    for path in records(made, 1):
        edit(path, "training", max_length=40)
    assert stale(made, recipes) == {"en-fr": {"rnnsearch-50": f"seed 2: {LINE}"}}


@pytest.mark.parametrize("record", [0, 1])
def test_a_training_with_two_recipes_is_stale(
    made: Made, recipes: dict[str, Any], record: int
) -> None:
    """A change was accepted while it was half done: either record has only one of them."""
    edit(records(made, 2)[record], "training", max_length=30)
    told = "seed 2: training.max_length was 30, is 50 now"
    assert stale(made, recipes) == {"en-fr": {"rnnsearch-50": told}}


def test_settings_of_another_version(made: Made, recipes: dict[str, Any]) -> None:
    """One that is new has its default in older records; one that is gone is told."""
    path, _ = records(made, 1)
    content = read_json(path)
    del content["model"]["smoother"], content["training"]["loss"]
    write_json(path, content)
    assert stale(made, recipes) == {}
    edit(path, "model", gates=2)
    assert "model.gates was 2, is not there now" in stale(made, recipes)["en-fr"]["rnnsearch-50"]


@pytest.mark.parametrize(
    ("table", "told"),
    [("shared", {}), ("own", "model.contextualizer.table was shared, is own now")],
)
def test_a_contextualizer_of_before_the_key_had_the_shared_table(
    made: Made, recipes: dict[str, Any], table: str, told: Any
) -> None:
    for path in records(made, 1) + records(made, 2):
        edit(path, "model", contextualizer={"layers": [5], "end_of_sentence": False})
    recipes["rnnsearch-50"]["model"]["contextualizer"] = {"layers": [5], "table": table}
    assert stale(made, recipes) == ({"en-fr": {"rnnsearch-50": told}} if told else {})


@pytest.mark.parametrize("record", [0, 1])
def test_a_damaged_record_is_named(made: Made, recipes: dict[str, Any], record: int) -> None:
    path = records(made, 1)[record]
    write_json(path, {"model": {}})
    with pytest.raises(UserError, match=f"{path}: no training in it"):
        stale(made, recipes)


def test_the_page_and_its_tables_mark_them(made: Made) -> None:
    made.about["stale"] = {"en-fr": {"rnnsearch-50": f"seed 2: {LINE}"}}
    make_report(made)
    note = f"English → French: RNNsearch-50 (seed 2: {LINE})."
    table = made.results.read_table("table1")
    assert f"Stale, trained with other settings than there are now: {note}" in table.notes
    marked = [
        (block.title, label)
        for block in table.blocks
        for label, _ in block.rows
        if "stale" in label
    ]
    assert marked == [
        (title, "RNNsearch-50 (stale)")
        for title in ("English → French", "English → French, detokenized")
    ]
    assert "RNNsearch-50 (stale)" in (made.report / "tables/table1.tex").read_text()
    written = made.report / "index.html"
    text = written.read_text()
    assert '<aside class="card" id="stale">' in text and f">{note}</li>" in text
    page(replace(made.results, stale={}))
    assert 'id="stale"' not in written.read_text()


def test_findings_mark_them_too(tmp_path: Path) -> None:
    made = make_results(tmp_path)
    made.about["stale"] = {"en-fr": {"bpe-symbol": LINE, "baseline": LINE}}
    bleu = make_tables(made, "bleu-table")["bleu-table"]
    french, german = findings(made.results, {"table4": bleu.data})
    assert french.headline.startswith("+BPE+S (stale) is best: ")
    assert french.headline.endswith(" over Baseline (stale).")
    assert "stale" not in german.headline
    assert any("Baseline (stale)" in sentence for sentence in french.sentences)


def test_every_part_that_names_a_system_marks_it(tmp_path: Path) -> None:
    """The stale systems of one pair in all that names them, and nothing of the other pair."""
    made = make_results(tmp_path)
    labels = {system["id"]: system["label"] for system in made.about["systems"]}
    made.about["stale"] = {"en-fr": dict.fromkeys(labels, LINE)}
    make_report(made)
    parts: dict[tuple[str, str], str] = {}
    for path in made.files("report/*/tables/*.json"):
        for block in read_json(path)["blocks"]:
            cells = [label for label, _ in block["rows"]] + [
                heading for column in block["columns"] for heading in column
            ]
            key = (path.stem, pair_of(block["title"]))
            parts[key] = " | ".join([parts.get(key, ""), block["title"], *cells])
    for path in made.files("report/*/figures/*.svg"):
        kind, pair, *_ = path.stem.split(".")
        parts[kind, pair] = " ".join([parts.get((kind, pair), ""), *words_of(path)])
    whole = [labels[system] for system in ("baseline", "context", "symbol")]
    for (_, pair), text in parts.items():
        marked = [text.count(f"{label} (stale)") for label in whole]
        assert marked == ([text.count(label) for label in whole] if pair == "en-fr" else [0] * 3)
    assert {name for (name, _), text in parts.items() if "(stale)" in text} == {
        *("table4", "significance", "claims", "phenomena", "trainings", "examples"),
        *("differences", "table1", "gates", "masks", "restoration", "length-scores"),
        *("lengths", "gains", "curves", "alignments", "local-charts"),
    }
