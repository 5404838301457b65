"""Files of stages that lack what a part of the report reads: errors that name file and key."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from results_folder import Made

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.compare import compare
from contextnmt.report.report import MAKERS, report
from contextnmt.report.results import misfits_told


@pytest.fixture(scope="module")
def own(results: Made, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("damaged") / "results"
    return Made(shutil.copytree(results.folder, folder), results.about)


@pytest.mark.parametrize(
    ("part", "file", "keys"),
    [
        ("bleu-table", "score/en-fr/symbol/1/scores.json", "test.beam12"),
        ("significance", "significance/choi2017/en-fr/test.beam12.json", "contrasts"),
        ("significance", "significance/choi2017/en-fr/test.beam12.json", "systems bpe"),
        ("significance", "significance/choi2017/en-fr/test.beam12.json", "contrasts 0 p_bootstrap"),
        ("length-scores", "length-scores/choi2017/en-fr/test.beam12.json", "systems bpe bins"),
        ("lengths", "length-scores/choi2017/en-fr/test.beam12.json", "systems bpe bins"),
        ("phenomena", "phenomena/en-fr/bpe/1/test.json", "test.beam12"),
        ("trainings", "train/en-fr/symbol/1/model.json", "training"),
        ("table1", "local-charts/en-fr.json", "charts cbow"),
        ("table1", "local-charts/en-fr.json", "charts context notebook"),
        ("masks", "masks/en-fr/context/1/test.json", "all"),
        ("symbol-scores", "symbol-scores/en-fr.json", "texts dev"),
        ("symbol-scores", "symbol-scores/en-fr.json", "texts"),
        ("restoration", "restore/en-fr/symbol/1/restored.json", "test.beam12 copy"),
        ("restoration", "restore/en-fr/symbol/1/restored.json", "test.beam12"),
        ("symbol-ablation", "score/en-fr/symbol/1.ablation/scores.json", "test.beam12.all"),
        ("table3", "coverage/en-fr.json", "en"),
        ("table3", "coverage/en-fr.json", "en before unique_words"),
        ("table3", "pairs/en-fr.json", "after read"),
        ("table3", "pairs/en-fr.json", "after kept_words"),
        ("cleaning", "clean/en-fr/un.2of3.removed.json", "removed"),
        ("overlap", "overlap/en-fr.json", "dev sources"),
        ("selection", "select/en-de/train.selected.json", "read pairs"),
        ("selection", "rank/en-fr.json", "best"),
        ("selection-figures", "rank/en-fr.json", "histogram"),
        ("selection-figures", "perplexity/en-fr.json", "cut_offs"),
    ],
)
def test_a_file_without_a_key_is_named(own: Made, part: str, file: str, keys: str) -> None:
    *_, last = keys.split()
    with changed(own.folder / file, keys), pytest.raises(UserError) as found:
        list(MAKERS[part](own.results))
    assert f"{file}: no {last} in it" in str(found.value)


@contextmanager
def changed(path: Path, keys: str, value: Any = None) -> Iterator[None]:
    """A JSON file whose value at `keys` is another, or missing, while the block lasts."""
    whole, content = path.read_bytes(), read_json(path)
    *steps, last = (int(key) if key.isdigit() else key for key in keys.split())
    block = content
    for step in steps:
        block = block[step]
    if value is None:
        del block[last]
    else:
        block[last] = value
    write_json(path, content)
    try:
        yield
    finally:
        path.write_bytes(whole)


@pytest.mark.parametrize(
    ("part", "file", "keys", "value"),
    [
        ("bleu-table", "score/en-fr/symbol/1/scores.json", "test.beam12 bleu", "x"),
        ("significance", "significance/choi2017/en-fr/test.beam12.json", "contrasts 0", []),
        ("lengths", "length-scores/choi2017/en-fr/test.beam12.json", "systems bpe", 1),
        ("trainings", "train/en-fr/symbol/1/model.json", "training", 0.5),
        ("table3", "coverage/en-fr.json", "en after", 0.5),
        ("cleaning", "clean/en-fr/un.2of3.removed.json", "removed", [[]]),
        ("selection", "rank/en-fr.json", "best", [0]),
    ],
)
def test_a_file_with_a_value_of_another_type_is_named(
    own: Made, part: str, file: str, keys: str, value: Any
) -> None:
    with changed(own.folder / file, keys, value), pytest.raises(UserError) as found, misfits_told():
        list(MAKERS[part](own.results))
    assert re.search(r"make the file again; .* report a bug in \w+\.py", str(found.value))
    assert file in str(found.value) or re.search(r"or another of \d+ files", str(found.value))


def test_commands_that_read_results_tell_of_values_of_other_types(tmp_path: Path) -> None:
    papers = {"choi2017": {"digest": "", "deviations": []}}
    content = {"configuration": {}, "gaps": {}, "papers": papers}
    for key in ("configuration", "papers"):
        write_json(tmp_path / "configuration.json", {**content, key: [[]]})
        for command in (lambda: report(tmp_path, "choi2017"), lambda: compare(tmp_path, tmp_path)):
            with pytest.raises(UserError, match=r"configuration\.json: a value in it is not what"):
                command()
