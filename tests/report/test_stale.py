"""Numbers of systems that were trained with something else than is now set: found and marked."""

import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from analysed_models import words_of
from results_folder import Results, make_report, make_results, page_arguments

from contextnmt.configuration.model import model_settings
from contextnmt.configuration.training import training_settings
from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.experiment import pair_of
from contextnmt.report.findings import findings
from contextnmt.report.page import page
from contextnmt.report.stale import found_stale
from contextnmt.report.tables import write_table

LINE = "training.max_length was 50, is 40 now"
#: A system whose recipe leaves settings out, and those that it has.
SMOOTHED, SMOOTHER = "symbol", {"network": "fcwm", "words": "all"}
NOTE = f"English → French: +BPE (seed 2: {LINE})."


@pytest.fixture(scope="module")
def as_trained(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two seeds of all systems, each with every setting, and what it was begun with."""
    made = make_results(tmp_path_factory.mktemp("stale"), (1, 2))
    for path in made.files("train/*/*/*/model.json"):
        content = read_json(path)
        pair, system, seed = path.parts[-4:-1]
        model = {"smoother": SMOOTHER} if system == SMOOTHED else {}
        parts = {"model": asdict(model_settings(model))}
        parts["training"] = asdict(training_settings(content["training"]))
        write_json(path, content | parts)
        begun = {"model": model, "training": content["training"], "code": ["a.py@0"]}
        write_json(made.folder / f"train-identity/{pair}/{system}/{seed}.json", begun)
    return made


@pytest.fixture
def results(as_trained: Results, tmp_path: Path) -> Results:
    """A copy of these to be changed."""
    shutil.copytree(as_trained.folder, tmp_path / "made")
    return Results(tmp_path / "made", dict(as_trained.about))


def recipes(results: Results) -> dict[str, Any]:
    """Those by which the made-up models were trained: what has its default is left out."""
    found: dict[str, Any] = {}
    for path in results.files("train-identity/*/*/1.json"):
        pair, system = path.parts[-3:-1]
        begun = read_json(path)
        recipe = {part: begun[part] for part in ("model", "training")}
        found.setdefault(pair, {})[system] = recipe
    return found


def found(results: Results, now: dict[str, Any] | None = None) -> Any:
    """What is found to be stale, if the recipes are `now`; else those of the models."""
    return found_stale(
        results.files("train/*/*/*/model.json"),
        results.files("train-identity/*/*/*.json"),
        now or recipes(results),
        results.experiment,
    )


def test_nothing_is_stale_that_is_as_it_was(results: Results) -> None:
    assert found(results) == {}


def test_where_a_training_runs_makes_nothing_stale(results: Results) -> None:
    now = recipes(results)
    now["en-fr"]["bpe"]["training"] |= {"device": "cuda", "threads": 4}
    assert found(results, now) == {}


def test_settings_that_changed_are_told_once_if_all_seeds_agree(results: Results) -> None:
    now = recipes(results)
    now["en-fr"]["bpe"]["training"]["max_length"] = 40
    contextualizer = {"layers": [5], "table": "own"}
    now["en-fr"]["context"]["model"] = {"hidden": 9, "contextualizer": contextualizer}
    changed = "model.hidden was 1000, is 9 now, model.contextualizer was null, is "
    changed += '{"layers": [5], "end_of_sentence": false, "table": "own"} now'
    assert found(results, now) == {"en-fr": {"bpe": LINE, "context": changed}}


def edit(path: Path, **training: Any) -> None:
    """Change settings in a record."""
    content = read_json(path)
    write_json(path, content | {"training": content["training"] | training})


def test_of_one_seed_its_seed_is_told(results: Results) -> None:
    now = recipes(results)
    now["en-fr"]["bpe"]["training"]["max_length"] = 40
    edit(results.folder / "train/en-fr/bpe/1/model.json", max_length=40)
    edit(results.folder / "train-identity/en-fr/bpe/1.json", max_length=40)
    assert found(results, now) == {"en-fr": {"bpe": f"seed 2: {LINE}"}}


@pytest.mark.parametrize(
    "record", ["train/en-fr/bpe/2/model.json", "train-identity/en-fr/bpe/2.json"]
)
def test_a_training_with_two_recipes_is_stale(results: Results, record: str) -> None:
    """A change was accepted while it was half done: either record has only one of them."""
    edit(results.folder / record, max_length=30)
    assert found(results) == {"en-fr": {"bpe": "seed 2: training.max_length was 30, is 50 now"}}


def test_settings_of_another_version(results: Results) -> None:
    """One that is new has its default in older records; one that is gone is told."""
    path = results.folder / "train/en-fr/bpe/1/model.json"
    content = read_json(path)
    del content["model"]["smoother"], content["training"]["loss"]
    write_json(path, content)
    assert found(results) == {}
    write_json(path, content | {"model": content["model"] | {"gates": 2}})
    assert "model.gates was 2, is not there now" in found(results)["en-fr"]["bpe"]


@pytest.mark.parametrize(
    ("table", "told"),
    [("shared", {}), ("own", "model.contextualizer.table was shared, is own now")],
)
def test_a_contextualizer_of_before_the_key_had_the_shared_table(
    results: Results, table: str, told: Any
) -> None:
    now = recipes(results)
    for pair in now:
        for seed in (1, 2):
            for record in (
                f"train/{pair}/bpe/{seed}/model.json",
                f"train-identity/{pair}/bpe/{seed}.json",
            ):
                path = results.folder / record
                content = read_json(path)
                content["model"]["contextualizer"] = {"layers": [5], "end_of_sentence": False}
                write_json(path, content)
        now[pair]["bpe"]["model"]["contextualizer"] = {"layers": [5], "table": table}
    assert found(results, now) == {pair: {"bpe": told} for pair in now if told}


def test_the_page_and_its_tables_mark_them(results: Results) -> None:
    results.about["stale"] = {"en-fr": {"bpe": f"seed 2: {LINE}"}}
    table = results.folder / "report/tables/table4"
    write_table(table, bleu_table(results.files("score/*/*/*/*.json"), results.experiment))
    made = read_json(table.with_suffix(".json"))
    marked = [
        (block["title"], row["label"])
        for block in made["blocks"]
        for row in block["rows"]
        if "stale" in row["label"]
    ]
    assert marked == [
        (title, "+BPE (stale)") for title in ("English → French", "English → French, detokenized")
    ]
    assert f"Stale, trained with other settings than there are now: {NOTE}" in made["notes"]
    assert "+BPE (stale)" in table.with_suffix(".tex").read_text()
    page(**page_arguments(results))
    text = (results.folder / "report/index.html").read_text()
    assert '<aside class="card" id="stale">' in text
    assert f">{NOTE}</li>" in text
    del results.about["stale"]
    page(**page_arguments(results))
    assert 'id="stale"' not in (results.folder / "report/index.html").read_text()


def test_mistakes(results: Results) -> None:
    now = recipes(results)
    del now["en-fr"]["bpe"]
    with pytest.raises(UserError, match="recipes: no recipe of en-fr bpe"):
        found(results, now)
    now = recipes(results)
    broken = results.folder / "train-identity/en-fr/bpe/1.json"
    write_json(broken, {"model": {}})
    with pytest.raises(UserError, match=r"bpe/1\.json: no settings in it"):
        found(results, now)
    broken.rename(broken.with_name("ensemble.json"))
    with pytest.raises(UserError, match=r"its path should end in PAIR/SYSTEM/SEED\.json"):
        found(results, now)
    broken.with_name("ensemble.json").unlink()
    with pytest.raises(UserError, match="identity: no file for en-fr/bpe/1"):
        found(results, now)


def test_findings_mark_them_too(results: Results) -> None:
    stale_bpe = {"en-fr": {"bpe-symbol": LINE, "baseline": LINE}}
    about = replace(results.experiment, stale=stale_bpe)
    table = results.folder / "report/tables/table4"
    write_table(table, bleu_table(results.files("score/*/*/*/*.json"), results.experiment))
    french, german = findings(about, {"table4": read_json(table.with_suffix(".json"))["data"]})
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
    for path in made.files("report/tables/*.json"):
        for block in read_json(path)["blocks"]:
            cells = [row["label"] for row in block["rows"]] + [
                heading for column in block["columns"] for heading in column
            ]
            key = (path.stem, pair_of(block["title"]))
            parts[key] = " | ".join([parts.get(key, ""), block["title"], *cells])
    for path in made.files("report/figures/*.svg"):
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
