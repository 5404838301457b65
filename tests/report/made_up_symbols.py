"""Files of the stages that count symbols and words, with made-up numbers."""

from collections.abc import Iterator
from typing import Any

from contextnmt.files import read_json, write_json, write_lines
from contextnmt.report.results import Results
from contextnmt.text.symbol_tables import Rule


def symbol_scores_of(texts: tuple[str, ...], sentences: int) -> dict[str, Any]:
    """The file that symbol-scores writes for a pair: no acronyms, all numbers right."""
    names = {"source_alone": 100, "both_sides": 80, "right": 70, "precision_percent": 70.0}
    names |= {"recall_percent": 87.5, "f1_percent": 700 / 9}
    numbers = {"source_alone": 1000, "both_sides": 1000, "right": 1000, "precision_percent": 100.0}
    numbers |= {"recall_percent": 100.0, "f1_percent": 100.0}
    every = {"source_alone": 1100, "both_sides": 1080, "right": 1070, "precision_percent": 97.3}
    every |= {"recall_percent": 99.1, "f1_percent": 98.2}
    none = {key: None if "percent" in key else 0 for key in names}
    wrong = {"false": {"absent": 20, "extent": 10}, "missed": {"extent": 10}}
    right: dict[str, Any] = {"false": {}, "missed": {}}
    types = {"N": numbers | right, "S": names | wrong, "C": none | right, "all": every | wrong}
    example = {"text": texts[-1], "line": 7, "source": "… in Germany | and", "target": "in"}
    error = {"type": "S", "error": "false", "reason": "absent", "count": 2000, **example}
    return {
        "texts": {text: {"sentences": sentences, "types": types} for text in texts},
        "errors": [{**error, "surface": "Germany"}, {**error, "surface": "New\rYork", "count": 1}],
    }


def coverage_of(pair: str) -> dict[str, Any]:
    """The file that coverage writes for a pair."""
    before = {
        "unique_words": 4000,
        "total_words": 123456,
        "coverage_percent": 91.234,
        "symbol_percent": {"N": 0.0, "S": 0.0, "C": 0.0},
    }
    after = {
        "unique_words": 2500,
        "total_words": 120000,
        "coverage_percent": 97.5,
        "symbol_percent": {"N": 4.123, "S": 2.5, "C": 0.25},
    }
    return {language: {"before": before, "after": after} for language in pair.split("-")}


def pairs_kept() -> dict[str, Any]:
    """The file that pairs writes for a pair: 100 sentence pairs more are kept with symbols."""
    limits = {"max_length": 50, "unknown_limit": 0.1, "read": 10000, "kept_by_all": 9750}
    dropped = {"empty": 0, "length": 40}
    words = {
        "kept_words": {"source": 110000, "target": 105000},
        "kept_coverage_percent": {"source": 98.25, "target": 97.75},
    }
    return {
        "before": {**limits, **words, "dropped": {**dropped, "unknown": 160}, "kept": 9800},
        "after": {**limits, **words, "dropped": {**dropped, "unknown": 60}, "kept": 9900},
    }


def rules() -> Iterator[Rule]:
    """A rule dictionary of 5 acronyms, 120 numbers, the last ones most frequent, and 120 names."""
    yield Rule("C", "A|B", "A|B", 3)
    yield Rule("C", "IMF", "FMI", 40)
    yield Rule("C", "IMF", "IMF", 2)
    yield from (Rule("C", "UN", target, 1) for target in ("ONU", "UN"))
    yield from (Rule("C", name, name, 1) for name in ("USA", "ZDF"))
    yield from (Rule("N", f"{n:03}", f"{n:03}", 380 + n) for n in range(120))
    yield from (Rule("S", f"Ville-{n:03}", f"Ville-{n:03}", 300 - n) for n in range(120))


#: BLEU that a choice of the symbols of a test text adds, and such a text with its share of symbols.
ADDED = {".all": -10.0, ".dictionary": -5.0}
SYMBOLIZED = {
    "": "<S>_1 saw <N>_1 ^^st cat",
    ".all": "<S>_1 <S>_2",
    ".dictionary": "Ann saw the cat",
}


def make_ablation(results: Results) -> None:
    """Files of test texts with other choices of symbols; their BLEU is the usual one, and more."""
    for (_, _, choice), path in results.symbolized_sources().items():
        write_lines(path, [SYMBOLIZED[choice]] * 2)
    for run, path in results.ablation_scores().items():
        scores = read_json(results.scores()[run])
        content = {
            f"{name}{choice}": {"bleu": scores[name]["bleu"] + added}
            for name in (f"{text}.beam{results.beam}" for text in results.test[run.pair])
            for choice, added in ADDED.items()
        }
        write_json(path, content)
