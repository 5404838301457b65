"""benchmarks/whole_wmt14.py: archives as those of the preset, and a run beside its plan."""

import json
from math import nan
from pathlib import Path

import pytest
from generated_pairs import generate
from whole_wmt14 import RATES, ROOT, archives, asked, gpu_rates, rows, training_hours

from contextnmt.configuration import layers, places
from contextnmt.configuration.keys import CorpusFile
from contextnmt.corpus.extract import extract
from contextnmt.files import write_pairs
from contextnmt.planning.jobs import Job


def test_the_workflow_finds_all_texts_in_the_archives(tmp_path: Path) -> None:
    texts = {}
    for pair in ("en-fr", "en-de"):
        texts[pair] = [tmp_path / f"{pair}.{language}.gz" for language in pair.split("-")]
        write_pairs(*texts[pair], generate(300))
    configuration = layers.of_call(ROOT, [], {"preset": "wmt14"})
    over = archives(configuration, texts, tmp_path, divisor=20_000)
    assert over["corpora"]["giga-fren"]["texts"]["giga-fren"]["lines_recalled"] == {"en-fr": 1126}
    made = {file.name for file in (tmp_path / "site").rglob("*") if file.is_file()}
    assert made >= {"training-giga-fren.tar", "training-parallel-un.tgz", "test-full.tgz"}
    accepted = layers.of_call(ROOT, [], {**over, "mirrors": []})
    out = [tmp_path / side for side in ("source.gz", "target.gz")]
    for pair in texts:
        for name, count in asked(accepted, pair):
            sides = []
            for language in pair.split("-"):
                corpus, file, member = places.place(accepted, pair, name, language)
                entry = CorpusFile(**accepted["corpora"][corpus]["files"][file])
                archive = tmp_path / "site" / entry.addresses[0].partition("//")[2]
                sides.append(f"{archive}::{member}")
            extract(*sides, out[:1], out[1:], lines=count)


def test_a_stage_is_beside_its_plan(tmp_path: Path) -> None:
    (tmp_path / "clean.tsv").write_text("s\tmax_rss\tcpu_time\n9.0\t200.5\t7200.0\n")
    job = Job("clean", {}, [], ["results/wmt14/clean/a.gz"], memory=2000, benchmark="clean.tsv")
    (tmp_path / job.outputs[0]).parent.mkdir(parents=True)
    (tmp_path / job.outputs[0]).write_bytes(b"12345")
    told = json.loads(json.dumps({job.outputs[0]: [3600.0, nan]}))
    assert [*rows([job], told, tmp_path)] == [
        ("clean", [1, 7200.0, 3600.0, 200.5e6, 2000e6, 5, 0, 5])
    ]


def test_hours_of_trainings_follow_from_words_and_rates(tmp_path: Path) -> None:
    told = {"train": {"pairs": 10, "target": {"tokens": 240}}}
    for pair in ("en-fr", "en-de"):
        for view in ("word", "sym", "bpe", "sym-bpe"):
            (tmp_path / "binarize" / pair / view).mkdir(parents=True)
            (tmp_path / "binarize" / pair / view / "manifest.json").write_text(json.dumps(told))
    asked_for = ["baseline", "context", "rnnencdec-50", "gru"]
    configuration = layers.of_call(ROOT, [], {"preset": "wmt14", "systems": asked_for})
    words = 80 * 25
    rates = {
        f"{name}{suffix}": 1e6 * words / 3600 / hours
        for name, hours in (
            ("baseline (Choi et al.)", 3),
            ("with context (Choi et al.)", 10),
            ("RNNencdec (Bahdanau et al.)", 100),
            ("RNNsearch (Bahdanau et al.)", 1000),
        )
        for suffix in ("", ", tf32", ", bf16")
    }
    assert rates.keys() <= gpu_rates(RATES).keys()
    assert [*training_hours(configuration, tmp_path, rates)] == [
        ["choi2017, en-fr", "2", "2.0", "13", "13", "13"],
        ["choi2017, en-de", "2", "2.0", "13", "13", "13"],
        ["bahdanau2015, en-fr", "1", "0.6", "60", "60", "60"],
        ["chen2017, en-fr", "1", "0.7", "667", "667", "667"],
        ["chen2017, en-de", "1", "0.7", "667", "667", "667"],
    ]


@pytest.mark.parametrize("pair", ["en-fr", "en-de"])
def test_the_sizes_are_those_of_the_campaign(pair: str) -> None:
    """The papers' training texts have 40.8 and 4.5 million pairs."""
    configuration = layers.of_call(ROOT, [], {"preset": "wmt14"})
    sizes = dict(asked(configuration, pair))
    training = places.texts(configuration, pair, "train")
    millions = sum(sizes[name] for name in training) / 1e6
    assert round(millions, 1) == {"en-fr": 40.8, "en-de": 4.5}[pair]
