"""Exported models: one folder that translates anywhere, and what is refused of one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import small_results
import torch
import yaml
from small_results import VIEWS, run_file

from contextnmt.errors import UserError
from contextnmt.files import file_digest, read_json, remove_abandoned, write_json, write_lines
from contextnmt.report.export import export, new_folder
from contextnmt.translation.exported import CARD, MANIFEST, adopt, checked
from contextnmt.translation.own_text import OwnText
from contextnmt.translation.run_file import read_exported, read_run
from contextnmt.translation.saved import SavedTranslator
from contextnmt.translation.view_texts import Wanted

#: What else a training tells, as far as the card shows it.
RECORD = {
    "training": {"max_length": 50},
    "best": {"update": 4, "dev_bleu": 1.5},
    "updates": 8,
    "seconds": 61.0,
    "parameters": 1234,
    "environment": {
        **{"contextnmt": "0.2.0", "python": "3.11", "torch": "2", "commit": None, "dirty": False},
        **{"gpu": None, "processor": "a processor"},
    },
}
SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:none|smooth:none|version:2.6.0"
SCORED = {"bleu": 12.345, "signature": SIGNATURE}
SCORE_FILE = "score/en-fr/sym/1/scores.json"
SCORES = {"test.beam2": SCORED, "other.beam2": {**SCORED, "chrf": 1.0, "signature_chrf": "c"}}
SCORES |= {"test.beam2.normalised": SCORED, "broken.beam2": {"gap": "damaged"}}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A results folder whose trainings are finished, and its raw test text."""
    folder = tmp_path_factory.mktemp("all") / "demo"
    folder.mkdir()
    test = small_results.make(folder)
    for view in VIEWS:
        trained = folder / "train" / view
        write_lines(trained / "log.jsonl", ["{}"])
        manifest = read_json(trained / "manifest.json")
        data = {"data": {"manifest": manifest, "pairs": 150}}
        write_json(trained / "model.json", {**read_json(trained / "model.json"), **RECORD, **data})
    write_json(folder / SCORE_FILE, SCORES)
    return folder, test


@pytest.fixture
def exported(results, tmp_path):
    """The run of the view with symbols as a folder that stands by itself."""
    export(run_file(results[0], "sym"), tmp_path / "model")
    return tmp_path / "model"


def answers(run, test):
    translator = SavedTranslator([Path(run.model)], "cpu")
    return OwnText(run, translator, 2, Wanted(None, False, False)).answers(test)


@pytest.mark.parametrize("view", VIEWS)
def test_a_folder_translates_as_its_run_does(results, view, tmp_path, monkeypatch):
    folder, test = results
    export(run_file(folder, view), tmp_path / "here" / "model")
    expected = answers(read_run(run_file(folder, view)), test)
    # Elsewhere, by a relative path, without the results.
    moved = shutil.move(tmp_path / "here" / "model", tmp_path / "moved")
    monkeypatch.chdir(moved.parent)
    run = read_exported(moved.relative_to(tmp_path))
    assert answers(run, test) == expected
    assert {*run.files} == ({"codes"} if "bpe" in view else set()) | (
        {"counts", "rates", "rules"} if "sym" in view else set()
    )
    monkeypatch.chdir(moved)
    assert read_exported(moved.relative_to(moved)).model == "."
    assert {path.suffix for path in moved.iterdir()} <= {
        *(".safetensors", ".json", ".jsonl", ".tsv", ".txt", ".md")
    }


def test_the_command_translates_by_a_folder(exported):
    command = [sys.executable, "-m", "contextnmt", "translate", "--model", exported]
    text = b"she saw 12 cats\n\n"
    done = subprocess.run(command, input=text, capture_output=True, check=True)
    first, *others = done.stdout.decode().split("\n")
    assert first and others == ["", ""]


def test_half_the_weights_are_rounded(results, exported, tmp_path):
    half = tmp_path / "half"
    export(run_file(results[0], "sym"), half, half=True)
    sizes = [(each / "model.safetensors").stat().st_size for each in (half, exported)]
    assert sizes[0] < 0.6 * sizes[1]
    models = [SavedTranslator([each], "cpu").ensemble.models[0] for each in (half, exported)]
    weights = [model.state_dict() for model in models]
    for name, weight in weights[1].items():
        assert weights[0][name].dtype == torch.float32
        assert torch.equal(weights[0][name], weight.bfloat16().float())
    assert checked(half).precision == "bf16" and checked(exported).precision == "fp32"
    # A model in bfloat16 that stands for a training stays one.
    other = shutil.copytree(results[0], tmp_path / "other")
    pretrained = {"precision": "bf16"}
    for name in ("model.safetensors", "model.json"):
        shutil.copyfile(half / name, other / "train" / "sym" / name)
    told = other / "train" / "sym" / "model.json"
    write_json(told, read_json(told) | {"pretrained": pretrained})
    export(run_file(other, "sym"), tmp_path / "again")
    assert checked(tmp_path / "again").precision == "bf16"
    cards = [(each / CARD).read_text() for each in (half, tmp_path / "again")]
    assert ["those of the weights in float32" in card for card in cards] == [True, False]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.safetensors", "its SHA-256 is not the one in export.json"),
        ("rules.tsv", "its SHA-256 is not the one in export.json"),
        ("scores.json", "its SHA-256 is not the one in export.json"),
    ],
)
def test_an_edited_or_missing_file_is_refused(exported, name, message):
    with open(exported / name, "ab") as file:
        file.write(b" ")
    with pytest.raises(UserError, match=f"{name}: {message}"):
        read_exported(exported)
    (exported / name).unlink()
    with pytest.raises(UserError, match=f"{name}: no such file, but export.json lists it"):
        read_exported(exported)


def test_the_card_may_be_edited(exported):
    (exported / CARD).unlink()
    read_exported(exported)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"codes": "../codes"}, "codes is not in the list of export.json"),
        ({"model": "../other"}, "its model is .*other, not the folder"),
    ],
)
def test_a_run_that_leads_out_of_the_folder_is_refused(exported, changes, message):
    (exported.parent / "codes").touch()
    shutil.copytree(exported, exported.parent / "other")
    write_json(exported / "run.json", {**read_json(exported / "run.json"), **changes})
    manifest = read_json(exported / MANIFEST)
    manifest["files"]["run.json"] = file_digest(exported / "run.json")
    write_json(exported / MANIFEST, manifest)
    with pytest.raises(UserError, match=message):
        read_exported(exported)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["files"].pop("log.jsonl"), "log.jsonl is not in its list: export again"),
        (lambda m: m["files"].update({"../x": ""}), 'files: "../x" is not text like model.json'),
        (lambda m: m.update(format=2), "export.json.format is 2; allowed: 1"),
    ],
)
def test_another_list_is_refused(exported, change, message):
    manifest = read_json(exported / MANIFEST)
    change(manifest)
    write_json(exported / MANIFEST, manifest)
    with pytest.raises(UserError, match=message):
        checked(exported)


def test_what_is_no_exported_folder(results, tmp_path):
    with pytest.raises(UserError, match=r"nowhere: no such folder: name a folder that"):
        read_exported(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"word: no export.json in it: name a folder that"):
        read_exported(results[0] / "train" / "word")


def test_what_cannot_be_exported(results, tmp_path):
    run, out = run_file(results[0], "word"), tmp_path / "model"
    out.mkdir()
    with pytest.raises(UserError, match=r"model: there already: choose another --out, or remove"):
        export(run, out)
    out.rmdir()
    copy = shutil.copytree(results[0], tmp_path / "copy")
    (copy / "train" / "word" / "model.json").unlink()
    with pytest.raises(UserError, match=r"model.json: no such file: the training is not finished"):
        export(run_file(copy, "word"), out)
    (copy / "train" / "word" / "model.safetensors").unlink()
    with pytest.raises(
        UserError, match=r"model.safetensors: no such file, and .*word/1.json needs"
    ):
        export(run_file(copy, "word"), out)
    moved = run_file(copy, "bpe").rename(tmp_path / "copy" / "run" / "en-fr" / "bpe" / "x.json")
    with pytest.raises(UserError, match=r"not named results/PRESET/run/PAIR/SYSTEM/SEED.json"):
        export(moved, out)
    assert not out.exists()


@pytest.mark.parametrize(
    "name",
    [
        "counts.en.tsv",
        "rates.tsv",
        "rules.tsv",
        "train/sym/log.jsonl",
        "score/en-fr/sym/1/scores.json",
    ],
)
def test_a_damaged_file_is_not_exported(results, name, tmp_path):
    copy = shutil.copytree(results[0], tmp_path / "copy")
    (copy / name).write_text("[damaged]\n")
    with pytest.raises(UserError, match=rf"^\S+/copy/\S*{Path(name).name}"):
        export(run_file(copy, "sym"), tmp_path / "model")
    assert list(tmp_path.iterdir()) == [copy]


@pytest.mark.parametrize("key", ["best", "environment", "data"])
def test_a_record_with_a_value_of_another_type_is_not_exported(results, key, tmp_path):
    copy = shutil.copytree(results[0], tmp_path / "copy")
    told = copy / "train" / "sym" / "model.json"
    write_json(told, read_json(told) | {key: -1})
    with pytest.raises(UserError, match=r"model\.json.*: a value in it is not what its stage"):
        export(run_file(copy, "sym"), tmp_path / "model")


def test_a_failed_export_leaves_nothing(results, tmp_path, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("contextnmt.report.export.card", fail)
    with pytest.raises(KeyboardInterrupt):
        export(run_file(results[0], "word"), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_stands_for_a_training(results, exported, tmp_path):
    folder, out = results[0], tmp_path / "train"
    known = {name: folder / f"{name}.tsv" for name in ("rates", "rules")}
    known["counts"] = folder / "counts.en.tsv"
    words = [folder / "train" / "sym" / f"vocabulary.{side}.tsv" for side in ("source", "target")]
    adopt(exported, *words, out, **known)
    told = read_json(out / "model.json")
    assert told.pop("pretrained") == {"precision": "fp32"}
    assert told == read_json(folder / "train" / "sym" / "model.json")
    for name in ("model.safetensors", "log.jsonl"):
        assert (out / name).read_bytes() == (exported / name).read_bytes()
    with pytest.raises(UserError, match=r"counts.fr.tsv: not the counts.tsv of .*model: its texts"):
        adopt(exported, *words, out, **{**known, "counts": folder / "counts.fr.tsv"})
    with pytest.raises(UserError, match=r"vocabulary.target.tsv: not the vocabulary.source.tsv of"):
        adopt(exported, words[1], words[0], out, **known)
    with pytest.raises(UserError, match=r"bpe.codes.en: not the codes.txt of"):
        adopt(exported, *words, out, folder / "bpe.codes.en", **known)


def test_the_card_survives_the_round_trip_through_the_hub(exported):
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    text = (exported / CARD).read_text()
    card = hub.ModelCard(text)
    again = hub.ModelCard(str(card))
    assert again.text == card.text and again.data.to_dict() == card.data.to_dict()
    told = hub.ModelCardData(**card.data.to_dict())
    assert (told.language, told.license, told.library_name) == (["en", "fr"], "other", "contextnmt")
    result = hub.EvalResult(
        task_type="translation",
        task_name="Translation en-fr",
        dataset_type="test",
        dataset_name="test (en-fr)",
        dataset_config="en-fr",
        metric_type="bleu",
        metric_value=12.35,
        metric_name="BLEU, tokenized, beam 2",
        metric_args={"beam": 2, "signature": SIGNATURE},
    )
    found = card.data.eval_results
    assert [(each.dataset_type, each.metric_type) for each in found] == [
        *[("other", "bleu"), ("other", "chrf"), ("test", "bleu")]
    ]
    assert found[-1] == result
    metadata, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert card.data.to_dict() == yaml.safe_load(metadata)
    assert "| test | 2 | 12.35 | – | – | – | – |" in body
    assert f"`{SIGNATURE}`" in body and "object at" not in body
    assert "1,234 parameters, 8 updates in 1:01 min" in body


def test_a_new_folder_removes_what_killed_processes_left_of_it(tmp_path: Path) -> None:
    path, left = tmp_path / "model", tmp_path / ".model=abcd_123.part"
    left.touch()
    left.with_suffix(".folder").mkdir()
    (left.with_suffix(".folder") / "model.json").touch()
    with new_folder(path) as living:
        assert {*tmp_path.iterdir()} == {living, living.with_suffix(".part")}
        remove_abandoned(path)  # as another process would
        assert living.is_dir()
    assert [*tmp_path.iterdir()] == [path]
