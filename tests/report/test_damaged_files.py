"""Files of stages that lack what a part of the report reads: errors that name file and key."""

import re
import shutil

import pytest
from results_folder import Made

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.report import MAKERS


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
        ("selection", "select/en-de/train.selected.json", "read pairs"),
        ("selection", "rank/en-fr.json", "best"),
        ("selection-figures", "rank/en-fr.json", "histogram"),
        ("selection-figures", "perplexity/en-fr.json", "cut_offs"),
    ],
)
def test_a_file_without_a_key_is_named(own: Made, part: str, file: str, keys: str) -> None:
    path = own.folder / file
    whole, content = path.read_bytes(), read_json(path)
    *steps, last = (int(key) if key.isdigit() else key for key in keys.split())
    block = content
    for step in steps:
        block = block[step]
    del block[last]
    write_json(path, content)
    try:
        with pytest.raises(UserError, match=re.escape(f"{file}: no {last} in it")):
            list(MAKERS[part](own.results))
    finally:
        path.write_bytes(whole)
