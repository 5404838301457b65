"""Parts of the report of an experiment, by its configuration and what is finished."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from results_folder import make_results

from contextnmt import files as files_module
from contextnmt.configuration import layers
from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.contents import CORPORA, files, inputs, outputs, parts
from contextnmt.report.experiment import results_of
from contextnmt.report.page import captions
from contextnmt.report.provenance import belongs
from contextnmt.report.report import MAKERS, make, report
from contextnmt.report.results import Results

ROOT = Path(__file__).parents[2]
SHARDS = {"corpora": {"embedded": {"texts": {"train": {"shards": 3}}}}}
SELECTION = {"select": {"en-fr": {"in_domain": ["dev"], "pairs": 5}}}
#: All that the demo's corpus can show, with one seed.
OWN = {"pairs": ["en-fr", "en-de"], "seeds": [1], "decoding": {"symbol_ablation": True}}
DEMO = layers.of_call(ROOT, [], OWN)


def contents(name: str, gaps: dict[str, dict[str, str]] | None = None, **changes: Any) -> Results:
    """The results of an experiment of the demo, or of a configuration with `changes`."""
    configuration = layers.of_call(ROOT, [], OWN | changes) if changes else DEMO
    return results_of(Path("results/demo"), configuration, name, gaps)


def test_every_part_has_a_function_a_caption_and_files_of_its_own() -> None:
    asked = set()
    for preset in ("demo", "wmt14"):
        for name in DEMO["experiments"]:
            found = contents(name, preset=preset)
            made = parts(found)
            asked |= {part.caption for part in made}
            named = [path for part in made for path in outputs(found, part, "csv", "svg", "png")]
            assert len(set(named)) == len(named) > len(made)
            assert not [path for path in inputs(found) if path.startswith(str(found.report))]
    assert asked == set(MAKERS)
    assert asked <= captions().keys()
    assert "`" not in "".join(captions().values())  # the page shows them as they are


def test_what_is_not_finished_is_not_asked_for() -> None:
    whole = contents("choi2017")
    some = contents("choi2017", {"en-fr": {"context": "not trained"}})
    lost = set(files(whole)) - set(files(some))
    assert lost and all("/en-fr/context/" in str(path) for path in lost)
    none = dict.fromkeys([system.id for system in whole.systems], "not trained")
    alone = contents("choi2017", {"en-fr": none})
    assert alone.pairs == ["en-de"]
    # What became of the texts is told of all pairs, what is measured of those with a system.
    assert any("/clean/en-fr/" in str(path) for path in files(alone, CORPORA))
    assert not any("en-fr" in name for part in parts(alone) for name in part.figures)
    nothing = contents("choi2017", {"en-fr": none, "en-de": none})
    assert nothing.pairs == []
    assert nothing.unfinished().startswith("no system of choi2017 is finished (not trained)")


def test_an_ensemble_is_of_all_seeds_and_no_run() -> None:
    own = {"seeds": [3, 1], "decoding": {"ensemble": True}}
    found = contents("bahdanau2015", **own)
    ensembles = {str(path) for path in found.ensemble_scores().values()}
    assert len(ensembles) == 5 and len(found.scores()) == 5 * 2
    assert "results/demo/score/en-fr/rnnsearch-50/ensemble/scores.json" in ensembles
    assert ensembles <= set(map(str, files(found)))
    assert not any("ensemble" in str(path) for path in found.scores().values())
    assert contents("bahdanau2015", **own | {"seeds": [3]}).ensemble_scores() == {}
    gaps = {"en-fr": {"rnnsearch-50": "not trained"}}
    assert len(contents("bahdanau2015", gaps, **own).ensemble_scores()) == 4


@pytest.mark.parametrize(
    ("name", "changes", "job", "known"),
    [
        ("choi2017", {}, "train/en-fr/baseline/1", True),
        ("choi2017", {}, "train/en-fr/gru/1", False),
        ("choi2017", {"seeds": [1, 2]}, "train/en-fr/baseline/2", True),
        ("choi2017", {"pairs": ["en-de"]}, "train/en-fr/baseline/1", False),
        ("choi2017", {}, "masks/en-de/context/1/test", True),
        ("bahdanau2015", {}, "symbolize/en-fr/train", False),
        ("bahdanau2015", {}, "lexicon/en-fr", True),
        ("bahdanau2015", {}, "score/en-fr/rnnsearch-50/1.replaced", True),
        ("choi2017", {}, "translate/en-fr/symbol/1.ablation", True),
        ("choi2017", {}, "translate/en-fr/bpe/1.ablation", False),
        ("choi2017", {}, "symbolize/en-fr/test.dictionary.source", True),
        ("choi2017", {}, "significance/chen2017/en-fr/test.beam12", False),
        ("choi2017", {}, "significance/choi2017/en-fr/test.beam12", True),
        ("choi2017", {}, "extract/en-fr/train.3", False),
        ("choi2017", SHARDS, "extract/en-fr/train.3", True),
        ("choi2017", SHARDS, "clean/en-fr/train.2of3", True),
        ("choi2017", {}, "rank/en-fr", False),
        ("choi2017", SELECTION, "rank/en-fr", True),
        ("choi2017", {}, "extract/en-fr/an-earlier-text", False),
        ("choi2017", {}, "generate/embedded/embedded.tar.gz", True),
        ("choi2017", {}, "download/europarl/training.tgz", False),
        ("choi2017", {}, "report/choi2017", False),
    ],
)
def test_jobs_that_a_report_rests_on(
    name: str, changes: dict[str, Any], job: str, known: bool
) -> None:
    assert belongs(contents(name, **changes), *job.split("/")) is known


@pytest.mark.parametrize("name", ["choi2017", "bahdanau2015", "chen2017"])
def test_a_part_reads_nothing_but_the_files_of_its_subject(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Else the workflow would not make it anew after an edit of what it reads."""
    results = make_results(tmp_path, (1, 2), name=name).results
    opened: set[Path] = set()
    true = files_module.open_binary

    def spy(path: Path) -> Any:
        opened.add(path)
        return true(path)

    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: None)
    monkeypatch.setattr(files_module, "open_binary", spy)
    for part in parts(results):
        opened.clear()
        make(results, part)
        earlier = {path for path in opened if results.report in path.parents}
        read = {path for path in opened - earlier if tmp_path in path.parents}
        assert read <= set(files(results, part.about)), part.caption
        if part.about == CORPORA:
            assert not earlier


def test_mistakes_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    path = folder / "configuration.json"
    with pytest.raises(UserError, match=r"configuration\.json: no such file\. If .*demo is a"):
        report(folder, "choi2017")
    about = {"digest": "", "deviations": []}
    told = {"configuration": DEMO, "gaps": {}, "papers": dict.fromkeys(DEMO["experiments"], about)}
    write_json(path, {"configuration": DEMO})
    with pytest.raises(UserError, match=r"configuration\.json: no papers in it: make"):
        report(folder, "choi2017")
    write_json(path, told)
    with pytest.raises(UserError, match=r"^choi2018: .*demo has no such experiment, but .*choi2"):
        report(folder, "choi2018")
    with pytest.raises(UserError, match="--only: name an experiment too"):
        report(folder, only="corpora")
    with pytest.raises(UserError, match=r"scores\.json and \d+ more files: not there yet"):
        report(folder, "choi2017")
    with pytest.raises(UserError, match=r"2015/index\.html: not there yet: `contextnmt report"):
        report(folder)
    systems = [system.id for name in DEMO["experiments"] for system in contents(name).systems]
    gaps = {pair: dict.fromkeys(systems, "no model") for pair in DEMO["pairs"]}
    write_json(path, told | {"gaps": gaps})
    with pytest.raises(UserError, match=r"^no system of choi2017 is finished \(no model\): "):
        report(folder, "choi2017")
    with pytest.raises(UserError, match=r"^no system of bahdanau2015 is .* of choi2017 is"):
        report(folder)
