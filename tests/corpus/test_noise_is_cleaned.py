"""How much the demo's cleaning finds of the noise planted in the embedded training text."""

import json
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from contextnmt.configuration.reading import load
from contextnmt.configuration.recipes import merge
from contextnmt.corpus.clean import Cleaner, read_settings
from contextnmt.corpus.extract import extract, read_side
from contextnmt.corpus.generate import NOISE_LINES, SIZES
from contextnmt.corpus.tokenize import tokenize
from contextnmt.files import read_pairs

WORKFLOW = Path(__file__).parents[2] / "workflow"


class Cleaned(NamedTuple):
    """A training text; its lines count from 1."""

    pairs: dict[int, tuple[str, str]]  # untokenized
    planted: dict[str, set[int]]  # kind of noise -> lines in which it concerns either side
    dropped: set[int]


@pytest.fixture(scope="module", params=["fr", "de"])
def cleaned(
    request: pytest.FixtureRequest, archive: Path, tmp_path_factory: pytest.TempPathFactory
) -> Cleaned:
    """English and French, or English and German, tokenized and cleaned."""
    language, folder = request.param, tmp_path_factory.mktemp("cleaned")
    raw = folder / "raw.en", folder / f"raw.{language}"
    words = folder / "words.en", folder / f"words.{language}"
    sides = f"{archive}::train.en", f"{archive}::train.{language}"
    extract(*sides, source_out=[raw[0]], target_out=[raw[1]])
    tokenize(*raw, "en", language, *words)
    layers = [load(WORKFLOW / "text.yaml"), load(WORKFLOW / "presets/demo.yaml")]
    filters = json.dumps(merge(*layers)["clean"][f"en-{language}"])
    cleaner = Cleaner(read_settings(filters), *words)
    kept = {cleaner.read for _ in cleaner.keep(read_pairs(*words))}
    planted: dict[str, set[int]] = defaultdict(set)
    for row in list(read_side(f"{archive}::train.noise.tsv"))[1:]:
        line, kind, languages = row.split("\t")
        if {"en", language}.intersection(languages.split(",")):
            planted[kind].add(int(line))
    pairs = dict(enumerate(read_pairs(*raw), start=1))
    return Cleaned(pairs, planted, pairs.keys() - kept)


@pytest.mark.parametrize("kind", ["empty", "overlong", "duplicate", "mojibake"])
def test_what_can_be_seen_in_a_pair_is_dropped(cleaned: Cleaned, kind: str) -> None:
    assert len(cleaned.planted[kind]) > NOISE_LINES / 2
    assert cleaned.planted[kind] <= cleaned.dropped


def test_untranslated_text_is_dropped_and_a_third_language_is_not(cleaned: Cleaned) -> None:
    foreign = cleaned.planted["wrong-language"]
    copies = {line for line in foreign if len(set(cleaned.pairs[line])) == 1}
    assert 0 < len(copies) < NOISE_LINES
    assert copies <= cleaned.dropped
    third = foreign - copies
    assert len(third & cleaned.dropped) <= 0.05 * len(third)


def test_separators_and_control_characters_are_mended(cleaned: Cleaned) -> None:
    assert not cleaned.planted["line-separators"] & cleaned.dropped
    control = cleaned.planted["control-characters"]
    # The tokenizer removes all of ASCII's control characters but this one.
    delete = {line for line in control if "\x7f" in "".join(cleaned.pairs[line])}
    assert control & cleaned.dropped == delete != control


def test_fluent_but_wrong_translations_stay(cleaned: Cleaned) -> None:
    misaligned = cleaned.planted["misaligned"]
    assert len(misaligned & cleaned.dropped) <= 0.05 * len(misaligned)


def test_hardly_a_good_pair_is_lost(cleaned: Cleaned) -> None:
    good = cleaned.pairs.keys() - set().union(*cleaned.planted.values())
    assert len(good) >= SIZES["train"]
    assert len(good & cleaned.dropped) <= 0.005 * len(good)
