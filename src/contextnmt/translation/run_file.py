"""The file of a run: its model, and what a sentence goes through before and after it."""

import difflib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pydantic.dataclasses import dataclass

from contextnmt.configuration.values import KEYS, MINIMUM_LENGTH, Share, read
from contextnmt.corpus.counts import read_counts
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.text.bpe import segmenter
from contextnmt.text.detokenize import detokenizer
from contextnmt.text.pieces import tokens_of
from contextnmt.text.rates import Rates, read_rates
from contextnmt.text.restore import restore_tokens, surface_finder
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.symbol_tables import read_rules
from contextnmt.text.symbols import Side, symbolize_source
from contextnmt.translation.exported import MANIFEST, RUN, checked

#: Runs that a message names at most.
NAMED = 10


@dataclass(frozen=True, config=KEYS)
class SymbolFiles:
    """Files that symbolize a source sentence and restore its translation."""

    counts: str
    """Words of the source side of the training text."""
    rates: str
    """How often the dictionary of rules made each word a symbol in training."""
    rules: str
    """The rule dictionary."""
    threshold: Share
    """Least rate at which a word becomes a symbol (A26)."""
    external_rules: bool = True
    """Whether external rules write numbers, as they do where an earlier version wrote the file."""


@dataclass(frozen=True, config=KEYS)
class Run:
    """A trained system with one seed, from raw sentences to raw sentences."""

    source_language: str
    target_language: str
    model: str
    """Folder that `contextnmt train` wrote."""
    codes: str | None = None
    """Merges of the source language, in a view with subwords."""
    symbols: SymbolFiles | None = None
    """Files of a view with symbols."""
    minimum_length: Share = MINIMUM_LENGTH
    """Least length of a translation, as a share of its source's (A19)."""
    segmented: bool = False
    """Whether blanks part the words of the source, in a language that has none by itself."""

    @property
    def files(self) -> dict[str, str]:
        """The files besides the model, by their keys."""
        of = self.symbols
        found = {"counts": of.counts, "rates": of.rates, "rules": of.rules} if of else {}
        return {"codes": self.codes, **found} if self.codes else found


def read_run(path: Path) -> Run:
    """Read the file of a run. Its paths, which count from its folder, are made paths from here.

    Raises UserError if it is not such a file, or if something is missing that it names.
    """
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no such file"
        raise UserError(f"{path}: {what}\n{runs_near(path)}")
    try:
        run = read(Run, str(path), read_json(path))
    except UserError as error:
        raise UserError(f"not the file of a run: {error}\n{runs_near(path)}") from None
    folder = Path(os.path.relpath(path.parent))

    def from_here(file: str) -> str:
        return os.path.normpath(folder / file)

    if symbols := run.symbols:
        counts, rates, rules = map(from_here, (symbols.counts, symbols.rates, symbols.rules))
        symbols = replace(symbols, counts=counts, rates=rates, rules=rules)
    codes = run.codes and from_here(run.codes)
    run = replace(run, model=from_here(run.model), codes=codes, symbols=symbols)
    for file in [f"{run.model}/model.safetensors", *run.files.values()]:
        if not Path(file).is_file():
            raise UserError(
                f"{file}: no such file, and {path} needs it: `snakemake --profile local {path}` "
                "makes what is missing (with the --config and --configfile of that run)"
            )
    return run


def read_exported(folder: Path) -> Run:
    """The run in a folder that `contextnmt export` wrote, of which every file is checked.

    Raises UserError as `checked` and `read_run`, or if the run has a file outside of the folder.
    """
    listed = checked(folder).files
    run = read_run(folder / RUN)
    inside = {os.path.relpath(folder / name) for name in listed}
    for file in run.files.values():
        if file not in inside:
            raise UserError(f"{folder / RUN}: {file} is not in the list of {MANIFEST}: not used")
    if run.model != os.path.relpath(folder):
        raise UserError(f"{folder / RUN}: its model is {run.model}, not the folder: not used")
    return run


def runs_near(path: Path) -> str:
    """Lines that name up to NAMED runs of the results folder around `path`, like names first.

    If it has none, they are the runs of all presets beside it.
    """
    make = "`snakemake --profile local run_files` makes them all, and trains missing models"
    for folder in path.parents:
        for pattern in ("run/*/*/*.json", "*/run/*/*/*.json"):
            runs = [str(run) for run in sorted(folder.glob(pattern))]
            if runs:
                nearest = difflib.get_close_matches(str(path), runs, NAMED, cutoff=0.0)
                of = f"Closest of the {len(runs)} existing" if len(runs) > NAMED else "Existing"
                return "\n  ".join([f"{of} runs:", *nearest]) + f"\n{make}"
    return f"Name the file of a run, results/PRESET/run/PAIR/SYSTEM/SEED.json. {make}"


class Written(NamedTuple):
    """A source sentence: its words; its tokens in a view; what takes the place of symbols."""

    words: list[str]
    tokens: list[str]
    surfaces: Mapping[str, str]


class SentenceView:
    """The stages of a run's view: tokenize, symbolize, bpe; then bpe, restore and detokenization.

    Each gives the result of the stage of that name.
    """

    def __init__(self, run: Run) -> None:
        """Raises UserError if a file is damaged or a language unknown."""
        self.tokenizer = Tokenizer(run.source_language, run.segmented)
        self.symbolize = symbolizer(run, run.symbols) if run.symbols else None
        self.segment = segmenter(Path(run.codes)) if run.codes else None
        self.detokenize = detokenizer(run.target_language)

    def write(self, text: str) -> Written:
        """A raw sentence in the view; one without words has no tokens."""
        line = self.tokenizer.line(text)
        words = line.split()
        line, surfaces = self.symbolize(line) if self.symbolize else (line, {})
        if self.segment:
            line = self.segment(line)
        return Written(words, line.split(), surfaces)

    def text(self, translation: str, surfaces: Mapping[str, str]) -> str:
        """The raw text of a translation in the view, with the surfaces of its source."""
        tokens = tokens_of(translation)
        if self.segment:
            tokens = undo_bpe(tokens)
        if self.symbolize:
            tokens = restore_tokens(tokens, surfaces)
        return self.detokenize(" ".join(tokens))

    def plain(self, words: Sequence[str]) -> str:
        """Some words of the source as raw text, which is never empty."""
        text = " ".join(words)
        return self.detokenize(text) or text


def symbolizer(run: Run, files: SymbolFiles) -> Callable[[str], tuple[str, dict[str, str]]]:
    """A function that gives a tokenized line with symbols, and the target surface of each (A33).

    Raises UserError if a file is damaged or a language unknown.
    """
    languages = (run.source_language, run.target_language) if files.external_rules else None
    counts = read_counts(Path(files.counts))
    side = Side(run.source_language, counts, files.external_rules)
    is_symbol = Rates(read_rates(Path(files.rates)), side.counts).at_least(files.threshold)
    surface = surface_finder(read_rules(Path(files.rules)), languages)

    def symbolize(line: str) -> tuple[str, dict[str, str]]:
        done = symbolize_source(line, side, run.target_language, is_symbol)
        surfaces = {each.name: surface(each.name, each.source)[0] for each in done.symbols}
        return " ".join(done.source), surfaces

    return symbolize
