"""The file of a run: what it may say, and what a user is told of one that cannot be used."""

import json
from pathlib import Path

import pytest

from contextnmt import cli
from contextnmt.errors import UserError
from contextnmt.translation.run_file import Run, SymbolFiles, read_run
from contextnmt.translation.translate import translate

RUN = {"source_language": "en", "target_language": "fr", "model": "../../../train/en-fr/best/1"}
SYMBOLS = {"counts": "en.tsv", "rates": "rates.tsv", "rules": "rules.tsv", "threshold": 0.3}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Write the file of a run, and the model that it names."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "run" / "en-fr" / "best" / "1.json"
    path.parent.mkdir(parents=True)
    model = tmp_path / "train" / "en-fr" / "best" / "1"
    model.mkdir(parents=True)
    (model / "model.safetensors").touch()

    def write(**changes):
        path.write_text(json.dumps({**RUN, **changes}))
        return path.relative_to(tmp_path)

    return write


def test_paths_count_from_the_folder_of_the_file(run, tmp_path):
    path = run(symbols=SYMBOLS, codes="codes.en")
    for name in ("codes.en", "en.tsv", "rates.tsv", "rules.tsv"):
        (path.parent / name).touch()
    here = "run/en-fr/best"
    symbols = SymbolFiles(f"{here}/en.tsv", f"{here}/rates.tsv", f"{here}/rules.tsv", 0.3)
    model = "train/en-fr/best/1"
    assert read_run(path) == Run("en", "fr", model, f"{here}/codes.en", symbols)
    assert read_run(tmp_path / path) == read_run(path)
    assert read_run(run(minimum_length=0)).minimum_length == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"codes": "codes.en"}, "run/en-fr/best/codes.en: no such file, and run/en-fr/best/1.json"),
        ({"symbols": SYMBOLS}, "en.tsv: no such file, and .* `snakemake --profile local run/en-fr"),
        ({"model": "nowhere"}, "nowhere/model.safetensors: no such file"),
        ({"view": "sym"}, "not the file of a run: run/en-fr/best/1.json.view: unknown key"),
        ({"model": None}, "1.json.model is null; allowed: text"),
        ({"symbols": {**SYMBOLS, "threshold": 2}}, "symbols.threshold is 2; allowed: a number"),
        ({"minimum_length": 2}, "minimum_length is 2; allowed: a number"),
        ({"symbols": 3}, "symbols is 3; allowed: a block of keys or null"),
    ],
)
def test_mistakes_in_the_file(run, changes, message):
    with pytest.raises(UserError, match=message):
        read_run(run(**changes))


def test_another_file(run):
    path = run()
    path.write_text("[]")
    with pytest.raises(UserError, match=r"not the file of a run: .*best/1\.json"):
        read_run(path)


@pytest.mark.parametrize("name", ["train/en-fr/best/1", "none"])
def test_a_name_that_is_no_file_lists_the_runs_that_there_are(run, tmp_path, name):
    run()
    with pytest.raises(UserError) as caught:
        read_run(tmp_path / name)
    lines = str(caught.value).split("\n")
    there = f"  {tmp_path / 'run/en-fr/best/1.json'}"
    assert lines[1:-1] == ["Existing runs:", there]
    assert lines[-1].startswith("`snakemake --profile local run_files` makes them all")


@pytest.mark.parametrize("wrong", ["results/demo/run/en-fr/bset/1.json", "results/dme/run/en-fr/b"])
def test_of_many_runs_the_nearest_ones_are_listed_one_a_line(tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    for name in ["best", *(f"other-{n}" for n in range(20))]:
        path = tmp_path / "results" / "demo" / "run" / "en-fr" / name / "1.json"
        path.parent.mkdir(parents=True)
        path.touch()
    with pytest.raises(UserError) as caught:
        read_run(Path(wrong))
    first, heading, nearest, *others, _ = str(caught.value).split("\n")
    assert first == f"{wrong}: no such file"
    assert heading == "Closest of the 21 existing runs:"
    assert nearest == "  results/demo/run/en-fr/best/1.json"  # to be copied as it stands
    assert len(others) == 9
    assert len(set(others)) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--run", "1.json", "--text", "a"], "leave out --model, --text and --out"),
        (["--run", "1.json", "--beam", "1", "--beam", "2"], "give one --beam, or none"),
        (["--text", "a", "--beam", "2", "--out", "b"], "give --run for sentences of your own, or"),
        ([], "give --run for sentences of your own, or --model, --text, --beam and --out"),
    ],
)
def test_options_of_the_two_ways_to_translate(monkeypatch, capsys, options, message):
    monkeypatch.setattr("sys.argv", ["contextnmt", "translate", *options])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_missing_run_is_found_before_a_model_is_loaded(tmp_path):
    with pytest.raises(UserError, match=r"(?s)1\.json: no such file\n.* run_files` makes"):
        translate(run=tmp_path / "1.json")
