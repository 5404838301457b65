"""However many parts a training text is cut into, everything that is made of it is the same."""

import gzip
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from planning import CUTS, own_configuration

ROOT = Path(__file__).parents[2]
#: Numbers of parts; the last one in a thorough run alone.
SHARDS = [1, 3, 8]
TARGETS = ["binarized", "dictionaries", "choi2017_corpora"]
#: The preset cleans with the filters that need the whole text; a part of what is left is selected.
OWN = {
    "pairs": ["en-fr"],
    "systems": ["baseline", "bpe-context-symbol"],
    "select": {"en-fr": {"in_domain": ["dev"], "target_words": 20000}},
}
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folders(
    snakemake: Run, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> dict[int, Path]:
    """By number of shards, the results."""
    made = {}
    for shards in SHARDS if pytestconfig.getoption("--thorough") else SHARDS[:-1]:
        folder = tmp_path_factory.mktemp(f"shards{shards}")
        corpora = {"embedded": {"texts": {"train": {"shards": shards}}}}
        (folder / "own.yaml").write_text(yaml.safe_dump({**OWN, "corpora": corpora}))
        place = ["-s", f"{ROOT}/Snakefile", "-d", f"{folder}", "--cores", "2", "--quiet", "all"]
        run = snakemake(
            ROOT, *TARGETS, *place, "--configfile", f"{folder / 'own.yaml'}", timeout=900
        )
        assert run.returncode == 0, run.stdout[-5000:]
        made[shards] = folder / "results/demo"
    return made


def content(path: Path) -> bytes:
    """The content of a file, uncompressed, without the marks that differ between parts."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.name.endswith(".scores.npy"):
        return np.load(path).tobytes()
    if path.parent.name == "rank":
        return json.dumps({**json.loads(path.read_bytes()), "parts": None}).encode()
    return path.read_bytes()


#: What is no result of a text, or says into how many parts it is cut.
BESIDE = ["logs", "benchmarks", "configuration.json"]


def whole(results: Path) -> dict[str, bytes]:
    """The content of each result by its path; that of the parts of a text is joined."""
    files = [
        path
        for path in results.rglob("*")
        if path.is_file() and path.relative_to(results).parts[0] not in BESIDE
    ]
    contents: dict[str, bytes] = {}
    for path in sorted(files):  # single digits: the parts come in order
        name = re.sub(r"\.[0-9]of[0-9]", "", str(path.relative_to(results)))
        contents[name] = contents.get(name, b"") + content(path)
    return contents


def of_parts(name: str) -> bool:
    """Whether a file says something about its part alone, which a later stage sums up."""
    stage = name.partition("/")[0]
    return stage == "survey" or name.endswith(
        (".removed.json", ".selected.json", ".rules.tsv", ".rates.tsv", ".tsv.gz")
    )


def test_all_results_are_the_same(folders: dict[int, Path]) -> None:
    made = {shards: whole(folder) for shards, folder in folders.items()}
    names = {name for name in made[1] if not of_parts(name)}
    for stage in [
        "clean",
        "cross-entropy",
        "select",
        "symbolize",
        "rule-dictionary",
        "bpe",
        "binarize",
    ]:
        assert any(name.startswith(f"{stage}/") for name in names)
    for shards in list(made)[1:]:
        assert {name for name in made[shards] if not of_parts(name)} == names
        assert [name for name in sorted(names) if made[shards][name] != made[1][name]] == []
        assert (folders[shards] / f"select/en-fr/train.{shards}of{shards}.en.gz").is_file()


def test_something_was_removed_and_selected(folders: dict[int, Path]) -> None:
    """Else the same results would say little."""
    removed = json.loads((folders[1] / "clean/en-fr/train.removed.json").read_bytes())["removed"]
    assert removed["wrong_language"]["count"] > 0 < removed["drop_duplicates"]["count"]
    selected = json.loads((folders[1] / "select/en-fr/train.selected.json").read_bytes())
    assert 0 < selected["kept"]["pairs"] < selected["read"]["pairs"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ({}, 1),  # 10,080 lines
        ({"lines": 2_000_000}, 1),
        ({"lines": 2_000_001}, 2),
        ({"lines": {"en-fr": 22_520_376, "en-de": 7}}, 12),
        ({"lines": 22_520_376, "shards": 3}, 3),
    ],
)
def test_a_text_is_cut_by_its_size_unless_told_otherwise(
    snakemake: Run, tmp_path: Path, text: dict[str, int], parts: int
) -> None:
    corpora = {"embedded": {"texts": {"train": text}}}
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump({"pairs": ["en-fr"], "corpora": corpora}))
    place = ["-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}", "--configfile", f"{own}"]
    run = snakemake(ROOT, "tokenized", "-n", *place)
    assert run.returncode == 0, run.stdout
    assert len(set(re.findall(r"tokenize en-fr train\S*", run.stdout))) == parts


def test_more_than_five_hundred_parts_are_planned(snakemake: Run, tmp_path: Path) -> None:
    """Every training text of the papers in 64: five for En-Fr, three of which are En-De too."""
    own = tmp_path / "own.yaml"
    own.write_text(own_configuration(CUTS["all in 64 parts"]))
    place = ["-s", f"{ROOT}/Snakefile", "-d", f"{tmp_path}", "--configfile", f"{own}"]
    run = snakemake(ROOT, "tokenized", "-n", *place, "--config", "preset=wmt14")
    assert run.returncode == 0, run.stdout[-3000:]
    assert len(set(re.findall(r"tokenize en-.. \S+\dof64", run.stdout))) == 8 * 64
