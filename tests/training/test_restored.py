"""Trainings whose validations restore words: what they read, record, and refuse."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_run import MODEL, RECIPE, dev, training

from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, write_lines
from contextnmt.text.symbol_tables import RULES_HEADER, SYMBOLS_HEADER
from contextnmt.training.restored import read_restored
from contextnmt.training.train import train


def written(path: Path, *lines: str) -> Path:
    write_lines(path, lines)
    return path


@pytest.fixture
def files(reversal: Path, tmp_path: Path) -> dict[str, Any]:
    """Options of validations that restore words, of the dev text without a symbol."""
    source, target = dev(reversal)
    return {
        "dev_text": source,
        "dev_symbols": [written(tmp_path / "symbols.tsv", SYMBOLS_HEADER)],
        "dev_reference": target,
        "rules": written(tmp_path / "rules.tsv", RULES_HEADER),
    }


def trained(data: Path, folder: Path, validation: str, **files: Any) -> Path:
    recipe = {**RECIPE, "max_updates": 20, "validation": validation}
    folders = folder / "model", folder / "state"
    train(data, *dev(data), *folders, json.dumps(MODEL), json.dumps(recipe), **files)
    return folder / "model"


def test_texts_come_one_after_the_other_each_with_its_symbols(tmp_path: Path) -> None:
    rules = written(tmp_path / "rules.tsv", RULES_HEADER, "N\t12\tdouze\t3")
    texts = [written(tmp_path / "a", "x", "<N>_1"), written(tmp_path / "b", "<N>_1 <N>_2")]
    references = [written(tmp_path / "c", "x", "douze"), written(tmp_path / "d", "1,5 12")]
    tables = [
        written(tmp_path / "e", SYMBOLS_HEADER, "2\t<N>_1\t12"),
        written(tmp_path / "f", SYMBOLS_HEADER, "1\t<N>_1\t1.5", "1\t<N>_2\t12"),
    ]
    copied, written_as_french = (
        read_restored(texts, tables, references, rules, languages)
        for languages in (None, ("en", "fr"))
    )
    assert copied.source == ["x", "<N>_1", "<N>_1 <N>_2"]
    assert copied.reference == ["x", "douze", "1,5 12"]
    assert copied.surfaces == [{}, {"<N>_1": "douze"}, {"<N>_1": "1.5", "<N>_2": "douze"}]
    assert written_as_french.surfaces[2] == {"<N>_1": "1,5", "<N>_2": "douze"}


def test_a_model_and_its_log_say_what_its_bleu_is_of(
    reversal: Path, tmp_path: Path, files: dict[str, Any]
) -> None:
    """Where there are no symbols, the course of the training is the same."""
    models = [
        trained(reversal, tmp_path / "view", "view"),
        trained(reversal, tmp_path / "restored", "restored", **files),
    ]
    view, restored = (read_json(model / "model.json") for model in models)
    assert [each["training"]["validation"] for each in (view, restored)] == ["view", "restored"]
    assert set(restored["data"]["dev"]["restored"]) == {"source", "reference", "surfaces"}
    assert "restored" not in view["data"]["dev"]
    logs = [[json.loads(line) for line in read_lines(each / "log.jsonl")] for each in models]
    of_view, of_words = ([each for each in log if each["kind"] == "dev"] for log in logs)
    assert {each.pop("validation") for each in of_words} == {"restored"}
    for each in [*of_view, *of_words]:
        del each["seconds"], each["elapsed"]
    assert of_view == of_words


def test_a_state_is_bound_to_what_replaces_the_symbols(
    reversal: Path, tmp_path: Path, files: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def begun() -> Any:
        texts = files["dev_text"], files["dev_symbols"], files["dev_reference"], files["rules"]
        restored = read_restored(*texts, None)
        return training(reversal, tmp_path, restored=restored, validation="restored")

    first = begun()
    first.update = 7
    first._save()
    assert begun().update == 7
    written(files["dev_symbols"][0], SYMBOLS_HEADER, "3\t<N>_1\t12")
    assert begun().update == 0
    assert "made with other data; moved to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("validation", "changes", "message"),
    [
        ("restored", {"rules": None, "dev_text": None}, "which needs --dev-text, --rules: give"),
        ("view", {}, "^--dev-text, --dev-symbols, --dev-reference, --rules: only for"),
        ("restored", {"dev_symbols": [Path("a"), Path("b")]}, "1 --dev-text, 2 --dev-symbols"),
        ("restored", {"external_rules": True}, "--external-rules: give --source-language and"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    reversal: Path,
    tmp_path: Path,
    files: dict[str, Any],
    validation: str,
    changes: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(UserError, match=message):
        trained(reversal, tmp_path, validation, **{**files, **changes})


def test_texts_of_other_lengths_are_refused(
    reversal: Path, tmp_path: Path, files: dict[str, Any]
) -> None:
    text, reference = written(tmp_path / "text", "a", "b"), written(tmp_path / "words", "b", "a")
    shorter = {"dev_text": [text], "dev_reference": [reference]}
    for changes, message in [
        ({"dev_text": [text]}, r"text has 2 lines and .*dev\.y has 40"),
        (shorter, "2 sentences in --dev-text, 40 in --dev-source"),
    ]:
        with pytest.raises(UserError, match=message):
            trained(reversal, tmp_path, "restored", **{**files, **changes})
    written(files["dev_symbols"][0], SYMBOLS_HEADER, "3\t<N>_1\t12")
    with pytest.raises(UserError, match=r"symbols\.tsv has symbols of line 3, but .*text has 2"):
        trained(reversal, tmp_path, "restored", **{**files, **shorter})
