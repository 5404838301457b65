"""Numbers of systems that were trained with something else than is now set: found and marked."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from results_folder import Results, make_results, page_arguments

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.model.settings import model_settings
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.page import page
from contextnmt.report.stale import stale
from contextnmt.training.settings import training_settings

LINE = "training.max_length was 50, is 40 now"
#: A system whose recipe leaves settings out, and those that it has.
SMOOTHED, SMOOTHER = "symbol", {"network": "fcwm", "words": "all"}
NOTE = f"English → French: +BPE (seed 2: {LINE})."


@pytest.fixture(scope="module")
def as_trained(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two seeds of all systems, each with every setting, and the manifests of their ids."""
    made = make_results(tmp_path_factory.mktemp("stale"), (1, 2))
    for pair in made.about["pairs"]:
        for system in made.about["systems"]:
            for seed in (1, 2):
                path = made.folder / f"train/{pair}/{system['id']}/{seed}/model.json"
                content = read_json(path)
                model = model_settings({"smoother": SMOOTHER} if system["id"] == SMOOTHED else {})
                training = training_settings(content["training"])
                parts = {"model": asdict(model), "training": asdict(training)}
                write_json(path, content | parts)
            manifest = content["data"]["manifest"]
            write_json(made.folder / "binarize" / pair / system["view"] / "manifest.json", manifest)
    return made


@pytest.fixture
def results(as_trained: Results, tmp_path: Path) -> Results:
    """A copy of these to be changed."""
    shutil.copytree(as_trained.folder, tmp_path / "made")
    return Results(tmp_path / "made", as_trained.about)


def recipes(results: Results) -> dict[str, Any]:
    """Those by which the made-up models were trained: what has its default is left out."""
    return {
        pair: {
            system["id"]: {
                "model": {"smoother": SMOOTHER} if system["id"] == SMOOTHED else {},
                "training": training_of(results, pair, system["id"]),
            }
            for system in results.about["systems"]
        }
        for pair in results.about["pairs"]
    }


def training_of(results: Results, pair: str, system: str) -> dict[str, Any]:
    found: dict[str, Any] = read_json(results.folder / f"train/{pair}/{system}/1/model.json")
    training: dict[str, Any] = found["training"]
    return training


def found(results: Results, now: dict[str, Any] | None = None) -> Any:
    """What the stage finds, if the recipes are `now`; else those of the models."""
    out = results.folder / "stale.json"
    stale(
        results.files("train/*/*/*/model.json"),
        results.files("binarize/*/*/manifest.json"),
        json.dumps(now or recipes(results)),
        results.experiment,
        out,
    )
    return read_json(out)


def test_nothing_is_stale_that_is_as_it_was(results: Results) -> None:
    assert found(results) == {}


def test_where_a_training_runs_makes_nothing_stale(results: Results) -> None:
    now = recipes(results)
    now["en-fr"]["bpe"]["training"] |= {"device": "cuda", "threads": 4}
    assert found(results, now) == {}


def test_settings_that_changed_are_told_once_if_all_seeds_agree(results: Results) -> None:
    now = recipes(results)
    now["en-fr"]["bpe"]["training"]["max_length"] = 40
    now["en-fr"]["context"]["model"] = {"hidden": 9, "contextualizer": {"layers": [5]}}
    changed = 'model.contextualizer was null, is {"layers": [5], "end_of_sentence": false} now, '
    changed += "model.hidden was 1000, is 9 now"
    assert found(results, now) == {"en-fr": {"bpe": LINE, "context": changed}}


def test_of_one_seed_its_seed_is_told(results: Results) -> None:
    now = recipes(results)
    now["en-fr"]["bpe"]["training"]["max_length"] = 40
    path = results.folder / "train/en-fr/bpe/1/model.json"
    content = read_json(path)
    content["training"]["max_length"] = 40
    write_json(path, content)
    assert found(results, now) == {"en-fr": {"bpe": f"seed 2: {LINE}"}}


@pytest.mark.parametrize(
    ("part", "told"), [("train", "training text"), ("vocabulary", "vocabulary")]
)
def test_another_training_text(results: Results, part: str, told: str) -> None:
    path = results.folder / "binarize/en-de/word/manifest.json"
    manifest = read_json(path)
    other = {"source": {"sha256": "cd" * 32}} if part == "train" else {"limit": 99}
    write_json(path, manifest | {part: manifest[part] | other})
    reason = f"the {told} was another one"
    assert found(results) == {"en-de": {"baseline": reason, "context": reason}}


def test_the_page_and_its_tables_mark_them(results: Results) -> None:
    path = results.folder / "stale.json"
    write_json(path, {"en-fr": {"bpe": f"seed 2: {LINE}"}})
    table = results.folder / "report/tables/table4"
    bleu_table(results.files("score/*/*/*/*.json"), results.experiment, table, None, path)
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
    assert f"Stale, trained with something else than is now set: {NOTE}" in made["notes"]
    assert "+BPE (stale)" in table.with_suffix(".tex").read_text()
    page(**page_arguments(results) | {"stale": path})
    text = (results.folder / "report/index.html").read_text()
    assert '<aside class="card" id="stale">' in text
    assert f">{NOTE}</li>" in text
    page(**page_arguments(results))
    assert 'id="stale"' not in (results.folder / "report/index.html").read_text()


def test_mistakes(results: Results) -> None:
    now = recipes(results)
    del now["en-fr"]["bpe"]
    with pytest.raises(UserError, match="--recipes: no recipe of en-fr bpe"):
        found(results, now)
    with pytest.raises(UserError, match=r"stale\.json: not what stage stale writes"):
        write_json(results.folder / "stale.json", ["bpe"])
        page(**page_arguments(results) | {"stale": results.folder / "stale.json"})
    shutil.rmtree(results.folder / "binarize/en-fr/bpe")
    with pytest.raises(UserError, match="--manifest: no file for en-fr/bpe"):
        found(results)
