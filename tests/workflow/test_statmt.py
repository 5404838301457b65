"""The preset wmt14, whole, from a miniature of statmt.org on the loopback device to its report.

Rules, archives, members and addresses are those of the preset; only sizes and digests are others.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from workflow.statmt import (
    BUSY,
    CUT,
    FILES,
    MISSING,
    MOVED,
    NEW_HOME,
    NEWS_SHARES,
    NOISE,
    PAIRS,
    PRESET,
    ROOT,
    SLOW,
    WRONG,
    Site,
    address,
    miniature,
    statmt,
)

from contextnmt.configuration.layers import Layer, resolve
from contextnmt.configuration.places import place
from contextnmt.configuration.reading import load
from contextnmt.configuration.recipes import leaves
from contextnmt.corpus.download import download
from contextnmt.corpus.extract import extract
from contextnmt.files import count_lines, read_json, read_lines

MINIATURE = miniature()
ROLES = PRESET["roles"]
SELECTION = PRESET["select"]["en-fr"]
#: Every text that the experiment reads, with its language pair; those to train on alone.
TRAIN = [(pair, text) for pair in PAIRS for text in ROLES[pair]["train"]]
USED = [
    *TRAIN,
    *((pair, text) for pair in PAIRS for role in ("dev", "test") for text in ROLES[pair][role]),
    *(("en-fr", text) for text in SELECTION["in_domain"]),
]

#: Text -> how many parts it is cut into.
SHARDS: dict[str, int] = {
    name: text.get("shards", 1)
    for corpus in PRESET["corpora"].values()
    for name, text in corpus["texts"].items()
}

TARGET_WORDS = 6000
#: What is not as in the preset, besides the archives.
SIZES: dict[str, Any] = {
    "device": "cpu",
    "systems": ["baseline", "context-symbol", "bpe-context-symbol"],
    "select": {"en-fr": {"target_words": TARGET_WORDS}},
    "text": {"vocabulary_size": 500, "merges": 200},
    "model": dict.fromkeys(["embedding", "hidden", "alignment", "maxout"], 8),
    "experiments": {
        "choi2017": {"model": {"contextualizer": {"layers": [8, 8]}}},
        "bahdanau2015": {"decoding": {"nbest": 2}},
    },
    "training": {"batch_size": 16, "max_updates": 4, "validate_every": 4},
    "decoding": {"beams": [1, 2], "symbol_ablation": False},
}

#: How the mirrors answer to requests for a file, in turn, and from where on it was asked for.
Answers = list[tuple[int, str | None]]
HALF = f"bytes={len(MINIATURE.archives[CUT]) // 2}-"
ANSWERS: dict[str, Answers] = {
    CUT: [(200, None), (206, HALF)],
    MOVED: [(302, None)],
    SLOW: [(200, None)],
    BUSY: [(503, None), (200, None)],
    MISSING: [(404, None), (200, None)],
    WRONG: [(200, None), (200, None)],
}

Run = Callable[..., subprocess.CompletedProcess[str]]


def answers(site: Site, file: str) -> Answers:
    """The answers to requests for a file, first by the first mirror."""
    seen = [*site.first.seen, *site.second.seen]
    return [(each.status, each.range) for each in seen if each.path == address(file)]


def configured(mirrors: list[str]) -> dict[str, Any]:
    """The configuration by which the preset runs on the miniature."""
    return {**SIZES, "mirrors": mirrors, "corpora": MINIATURE.corpora()}


# The site


@pytest.mark.parametrize("file", FILES)
def test_every_file_can_be_had_in_spite_of_its_fault(file: str, tmp_path: Path) -> None:
    files = (corpus["files"] for corpus in MINIATURE.corpora().values())
    (here,) = (found[file] for found in files if file in found)
    with statmt() as site:
        entry = json.dumps({**FILES[file], **here})
        download(file, entry, tmp_path / file, mirror=site.mirrors)
        assert (tmp_path / file).read_bytes() == MINIATURE.archives[file]
        assert answers(site, file) == ANSWERS.get(file, [(200, None)])
        assert (file == MOVED) == (NEW_HOME in [seen.path for seen in site.first.seen])


def test_every_text_of_the_preset_can_be_extracted(tmp_path: Path) -> None:
    for file, content in MINIATURE.archives.items():
        (tmp_path / file).write_bytes(content)
    out = tmp_path / "source", tmp_path / "target"
    for pair, text in MINIATURE.texts:
        languages = pair.split("-")
        places = (place(PRESET, pair, text, language)[1:] for language in languages)
        source, target = (f"{tmp_path / file}::{member}" for file, member in places)
        extract(source, target, source_out=[out[0]], target_out=[out[1]])
        for path, language in zip(out, languages, strict=True):
            assert list(read_lines(path)) == MINIATURE.lines(pair, text, language), text
    assert {text for _, text in MINIATURE.texts} == {
        text for corpus in PRESET["corpora"].values() for text in corpus["texts"]
    }


@pytest.mark.parametrize(("pair", "text"), TRAIN)
def test_training_texts_have_their_share_of_news_and_all_kinds_of_noise(
    pair: str, text: str
) -> None:
    lines = MINIATURE.texts[pair, text]
    assert news_share(line.domain for line in lines) == pytest.approx(NEWS_SHARES[text], abs=0.1)
    assert {line.noise for line in lines} >= set(NOISE)
    for language in pair.split("-"):
        shown = "\n".join(MINIATURE.lines(pair, text, language))
        assert all(re.search(mark, shown) for mark in ["\r", "[\u0085\u2028]", "&amp;"])
        assert ("\ufffd" in shown) == (text in ("un", "giga-fren"))


def test_only_sizes_and_digests_differ_from_the_preset() -> None:
    user = {**load(ROOT / "config.yaml"), "preset": "wmt14"}
    layers = [Layer("config.yaml", user), Layer("own.yaml", configured(["http://127.0.0.1:9"]))]
    before, after = (dict(leaves(each)) for each in (PRESET, resolve(ROOT / "workflow", layers)))
    assert before.keys() == after.keys()
    changed = [key for key in before if before[key] != after[key]]
    sizes = "sha256|md5|bytes|lines|lines_recalled|lines_recalled.en-..|lines.en-.."
    archives = rf"corpora\..*\.({sizes})"
    systems = r"experiments\.\w+\.(systems\.[\w-]+\.)?"  # what is said of all is said of each
    kept = {re.sub(systems, "", key) for key in changed if not re.fullmatch(archives, key)}
    assert kept == {"mirrors", *(re.sub(systems, "", key) for key, _ in leaves(SIZES))}


# The experiment


class Finished(NamedTuple):
    """A run of the whole preset: its results and the site that its downloads came from."""

    results: Path
    site: Site
    again: Run  #: snakemake once more, with arguments

    def parts(self, stage: str, pair: str, text: str, suffix: str) -> list[Path]:
        """The files of a stage with the parts of a text, in order."""
        shards = SHARDS[text]
        parts = [f"{text}.{n}of{shards}" for n in range(1, shards + 1)] if shards > 1 else [text]
        return [self.results / stage / pair / f"{part}{suffix}" for part in parts]

    def lines(self, stage: str, pair: str, text: str, language: str) -> list[str]:
        """One side of a text, as a stage wrote it."""
        paths = self.parts(stage, pair, text, f".{language}.gz")
        return list(chain.from_iterable(map(read_lines, paths)))


@pytest.fixture(scope="module")
def finished(
    snakemake: Run, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Finished]:
    """The preset, run on the miniature: minutes, once for all tests here."""
    folder = tmp_path_factory.mktemp("wmt14")
    own = folder / "own.yaml"
    where = ["-s", f"{ROOT}/Snakefile", "-d", f"{folder}", "--configfile", f"{own}"]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        options = ["--profile", "local", *where, "--config", "preset=wmt14"]
        return snakemake(ROOT, *arguments, *options, timeout=1500)

    with statmt() as site, pytest.MonkeyPatch.context() as patch:
        for name, value in site.proxies.items():
            patch.setitem(environment, name, value)
        own.write_text(yaml.safe_dump(configured(site.mirrors)))
        made = run("choi2017")
        assert made.returncode == 0, made.stdout[-5000:]
        yield Finished(folder / "results" / "wmt14", site, run)


def squeezed(line: str) -> str:
    """A line without what tokenization changes, to know it again."""
    return re.sub(r"\W", "", line)


def news_share(domains: Iterable[str]) -> float:
    """Which share of these domains of sentences are news."""
    found = list(domains)
    return found.count("news") / len(found)


def test_the_archives_came_from_the_mirrors_and_only_those_that_are_needed(
    finished: Finished,
) -> None:
    needed = {place(PRESET, pair, text, "en")[1] for pair, text in USED}
    assert needed >= set(ANSWERS)
    for file in FILES:
        expected = ANSWERS.get(file, [(200, None)]) if file in needed else []
        assert answers(finished.site, file) == expected, file
    assert finished.site.outside.seen == []


@pytest.mark.parametrize(("pair", "text"), USED)
def test_each_text_is_extracted_line_by_line(finished: Finished, pair: str, text: str) -> None:
    for language in pair.split("-"):
        expected = MINIATURE.lines(pair, text, language)
        assert finished.lines("extract", pair, text, language) == expected


@pytest.mark.parametrize(("pair", "text"), TRAIN)
def test_cleaning_drops_the_planted_noise(finished: Finished, pair: str, text: str) -> None:
    reports = [read_json(path) for path in finished.parts("clean", pair, text, ".removed.json")]
    lines = MINIATURE.texts[pair, text]
    assert sum(report["read"] for report in reports) == len(lines)
    empty = [line for line in lines if line.noise == "empty"]
    assert sum(report["removed"]["drop_empty"]["count"] for report in reports) == len(empty)
    kept = sum(report["kept"] for report in reports)
    if pair == "en-fr":  # selection is its cleaning
        assert kept == len(lines) - len(empty)
        return
    sides = (finished.lines("clean", pair, text, language) for language in ("en", "de"))
    pairs = {tuple(map(squeezed, sentences)) for sentences in zip(*sides, strict=True)}
    noisy = [line for line in lines if line.noise in ("untranslated", "uneven")]
    assert not [
        line for line in noisy if (squeezed(line.texts["en"]), squeezed(line.texts["de"])) in pairs
    ]
    assert kept >= 0.95 * (len(lines) - len(empty) - len(noisy))


def test_the_french_pairs_are_selected_up_to_the_words_asked_for(finished: Finished) -> None:
    ranking = read_json(finished.results / "rank" / "en-fr.json")
    assert ranking["limit"] == {"target_words": TARGET_WORDS}
    read = words = kept = longest = 0
    for text in ROLES["en-fr"]["train"]:
        for path in finished.parts("select", "en-fr", text, ".selected.json"):
            selected = read_json(path)
            read += selected["read"]["pairs"]
            kept += selected["kept"]["pairs"]
            words += selected["kept"]["target_words"]
        lines = finished.lines("select", "en-fr", text, "fr")
        longest = max([longest, *(len(line.split()) for line in lines)])
    assert ranking["kept"] == {"pairs": kept, "target_words": words}
    assert TARGET_WORDS <= words < TARGET_WORDS + longest
    assert 0 < kept < read == ranking["pairs"]


def test_the_selected_pairs_are_more_about_the_news_than_the_pool(finished: Finished) -> None:
    texts = ROLES["en-fr"]["train"]
    pool = [line for text in texts for line in MINIATURE.texts["en-fr", text]]
    domains = {squeezed(line.texts["en"]): line.domain for line in pool}
    selected = [
        squeezed(line) for text in texts for line in finished.lines("select", "en-fr", text, "en")
    ]
    share = news_share(line.domain for line in pool)
    assert news_share(domains[line] for line in selected) > 1.5 * share
    compared = read_json(finished.results / "perplexity" / "en-fr.json")["cut_offs"][-1]
    assert compared["selected"]["perplexity"] < compared["random"]["perplexity"]


@pytest.mark.parametrize("pair", PAIRS)
def test_every_system_has_translated_every_text(finished: Finished, pair: str) -> None:
    texts = [*ROLES[pair]["dev"], *ROLES[pair]["test"]]
    names = {f"{text}.beam{beam}" for text in texts for beam in SIZES["decoding"]["beams"]}
    for system in SIZES["systems"]:
        folder = finished.results / "restore" / pair / system / "1"
        for text in texts:
            for beam in SIZES["decoding"]["beams"]:
                lines = count_lines(folder / f"{text}.beam{beam}.gz")
                assert lines == len(MINIATURE.texts[pair, text])
        scores = read_json(finished.results / "score" / pair / system / "1" / "scores.json")
        assert set(scores) == names


def test_the_report_shows_both_language_pairs(finished: Finished) -> None:
    report = finished.results / "report" / "choi2017"
    page = (report / "index.html").read_text()
    assert {"En-Fr", "En-De"} <= set(re.findall(r"En-(?:Fr|De)", page))
    for name in ("cleaning", "selection", "table3", "table4", "symbols", "symbol-scores"):
        for suffix in ("csv", "json", "md", "tex"):
            assert (report / "tables" / f"{name}.{suffix}").stat().st_size > 0
    for name in ("selection.en-fr.scores", "gains.en-fr", "gains.en-de"):
        assert (report / "figures" / f"{name}.svg").stat().st_size > 0


def test_nothing_is_left_to_do(finished: Finished) -> None:
    run = finished.again("choi2017", "-n")
    assert "Nothing to be done" in run.stdout, run.stdout[-3000:]
