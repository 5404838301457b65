"""What the stages do to a text, done to one sentence: into the view of a model, and back."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.text.bpe import segmenter
from contextnmt.text.counts import read_counts
from contextnmt.text.detokenize import detokenizer
from contextnmt.text.pieces import tokens_of
from contextnmt.text.rates import Position, Rates, read_rates
from contextnmt.text.restore import restore_tokens, surface_finder
from contextnmt.text.rules import best_targets, read_rules
from contextnmt.text.subwords import undo_bpe
from contextnmt.text.symbols import Side, Symbol, symbolize_source
from contextnmt.translation.run_file import Run, SymbolFiles


class Written(NamedTuple):
    """A source sentence: its words; its tokens in a view; what takes the place of symbols."""

    words: list[str]
    tokens: list[str]
    surfaces: dict[str, str]


class SentenceView:
    """The stages tokenize, symbolize and bpe forwards, bpe and restore backwards, then detokenized.

    Which of them a view has, a run says. Each gives what the stage would give.
    """

    def __init__(self, run: Run) -> None:
        """Raises UserError if a file is damaged or a language unknown."""
        self.tokenizer = Tokenizer(run.source_language)
        self.symbolizer = Symbolizer(run, run.symbols) if run.symbols else None
        self.segment = segmenter(Path(run.codes)) if run.codes else None
        self.detokenize = detokenizer(run.target_language)

    def write(self, text: str) -> Written:
        """A raw sentence in the view; one without words has no tokens."""
        line = self.tokenizer.line(text)
        words = line.split()
        surfaces: dict[str, str] = {}
        if self.symbolizer:
            line, surfaces = self.symbolizer.symbolize(line)
        if self.segment:
            line = self.segment(line)
        return Written(words, line.split(), surfaces)

    def text(self, translation: str, surfaces: Mapping[str, str]) -> str:
        """The raw text of a translation in the view, with the surfaces of its source."""
        tokens = tokens_of(translation)
        if self.segment:
            tokens = undo_bpe(tokens)
        if self.symbolizer:
            tokens = restore_tokens(tokens, surfaces)
        return self.detokenize(" ".join(tokens))

    def plain(self, words: Sequence[str]) -> str:
        """Some words of the source as raw text, which is never empty."""
        text = " ".join(words)
        return self.detokenize(text) or text


class Symbolizer:
    """Symbols of a lone source, and what takes their place in its translation."""

    def __init__(self, run: Run, files: SymbolFiles) -> None:
        """Raises UserError if a file is damaged or a language unknown."""
        languages = (run.source_language, run.target_language)
        self.side = Side(run.source_language, read_counts(Path(files.counts)))
        self.target_language = run.target_language
        self.rates = Rates(read_rates(Path(files.rates)), self.side.counts)
        self.threshold = files.threshold
        targets = best_targets(read_rules(Path(files.rules)), *languages)
        self.find = surface_finder(targets, *languages)

    def symbolize(self, line: str) -> tuple[str, dict[str, str]]:
        """A tokenized line with symbols, and the target surface of each."""
        done = symbolize_source(line, self.side, self.target_language, self.is_symbol)
        return " ".join(done.source), {each.name: self.surface(each) for each in done.symbols}

    def is_symbol(self, word: str, position: Position) -> bool:
        """Whether a word in its position becomes (part of) a symbol (A26)."""
        return self.rates.probability(word, position) >= self.threshold

    def surface(self, symbol: Symbol) -> str:
        """What a symbol stands for in the target language (A33)."""
        return self.find(symbol.name, symbol.source)[0]
