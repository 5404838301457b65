"""The words of a text that a model knows, and the pairs that this leaves.

Stages *coverage* and *pairs* are for Table 3 of Choi et al.: the words of the training text before
and after symbolization, and the pairs that the filters of the trainings then keep. Coverage is the
share of a text's words that the most frequent ones make up (A15: of as many words as the vocabulary
has, specials apart). The filters are those of sec. 5.3 (A13, A14); nothing is trained for it.

Stage *known-lines* is for the column "No UNK" of Table 1 of Bahdanau et al. 2015: BLEU of the
sentences without an unknown word in themselves and in the reference translation, where no unknown
word may be written (A21). All systems of a language pair and a view have the same vocabularies, so
these are the same sentences for all of them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.configuration.training import PairFilter, pair_filter
from contextnmt.corpus.counts import count_words, read_counts
from contextnmt.errors import UserError
from contextnmt.files import read_pairs, write_json
from contextnmt.text.numbers import check_languages
from contextnmt.text.pieces import JOIN, SYMBOL, tokens_of
from contextnmt.text.symbol_tables import KINDS
from contextnmt.text.vocabulary import UNK, Vocabulary
from contextnmt.training.dataset import blocks, drop_reasons, training_views

#: The sides of a pair.
SIDES = ("source", "target")


def coverage(
    source_language: Annotated[str, typer.Option(help="language of the source, such as en")],
    target_language: Annotated[str, typer.Option(help="language of the target, such as fr")],
    source_before: Annotated[Path, typer.Option(help="word counts of the source, unsymbolized")],
    target_before: Annotated[Path, typer.Option(help="the same of its target")],
    source_after: Annotated[list[Path], typer.Option(help="symbolized source text; repeatable")],
    target_after: Annotated[list[Path], typer.Option(help="symbolized target text; repeatable")],
    vocabulary_size: Annotated[int, typer.Option(min=1, help="words of the vocabulary")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Count words and coverage before and after symbolization.

    Example: contextnmt coverage --source-language en --target-language fr
    --source-before word-counts/en-fr/en.tsv --target-before word-counts/en-fr/fr.tsv
    --source-after symbolize/en-fr/train.en.gz --target-after symbolize/en-fr/train.fr.gz
    --vocabulary-size 30000 --out coverage.json
    """
    check_languages(source_language, target_language)
    content = {
        source_language: side(source_before, source_after, vocabulary_size),
        target_language: side(target_before, target_after, vocabulary_size),
    }
    write_json(out, content)


def side(before: Path, after: list[Path], vocabulary_size: int) -> dict[str, Any]:
    """The statistics of one side. Raises UserError if it has no words, before or after."""
    counts = {"before": read_counts(before), "after": count_words(*after, words=tokens_of)}
    for when, path in (("before", before), ("after", after[0])):
        if not any(counts[when].values()):
            raise UserError(f"{path}: no words in it: look at the filters of the stages before")
    return {when: statistics(words, vocabulary_size) for when, words in counts.items()}


def statistics(counts: Mapping[str, int], vocabulary_size: int) -> dict[str, Any]:
    """The three rows of Table 3, and the symbols of each type in percent of all words.

    ``coverage_percent``: of all words, those of the `vocabulary_size` most frequent kinds.
    """
    total = sum(counts.values())
    covered = sum(nlargest(vocabulary_size, counts.values()))
    symbols = dict.fromkeys(KINDS, 0)
    for word, count in counts.items():
        if symbol := SYMBOL.fullmatch(word.removeprefix(JOIN)):
            symbols[symbol[1]] += count
    return {
        "unique_words": len(counts),
        "total_words": total,
        "coverage_percent": 100 * covered / total,
        "symbol_percent": {kind: 100 * count / total for kind, count in symbols.items()},
    }


def pairs(
    filter_before: Annotated[str, typer.Option(help="filter of pairs before symbolization, JSON")],
    filter_after: Annotated[str, typer.Option(help="filter of the symbolized pairs, JSON")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    filter: Annotated[
        list[str] | None, typer.Option(help="filter of a system, JSON; repeatable")
    ] = None,
) -> None:
    """Count the training pairs that are dropped and kept before and after symbolization.

    A filter has the keys data (a folder of `contextnmt binarize`), max_length and unknown_limit.
    With --filter, also count the pairs that all systems keep.

    Example: contextnmt pairs
    --filter-before '{"data": "binarize/en-fr/word", "max_length": 50, "unknown_limit": 0.1}'
    --filter-after '{"data": "binarize/en-fr/sym", "max_length": 50, "unknown_limit": 0.1}'
    --out pairs.json
    """
    limits = {
        "before": pair_filter("--filter-before", filter_before),
        "after": pair_filter("--filter-after", filter_after),
    }
    systems = [pair_filter("--filter", each) for each in filter or []]
    write_json(out, pair_statistics(limits, systems))


def pair_statistics(
    limits: Mapping[str, PairFilter], systems: Sequence[PairFilter]
) -> dict[str, dict[str, Any]]:
    """Count the training pairs that each of the named `limits` keeps and drops.

    Of each name: the limits, how many pairs there are (``read``), how many are dropped for which
    first reason, how many kept, the words of those (``kept_words``) and how many of these are in
    the vocabulary (``kept_coverage_percent``) by side, and how many pairs are kept by all of
    `systems` (``kept_by_all``, the same for every name; None without systems). Raises UserError if
    the folders do not hold as many pairs as each other.
    """
    everyone = list(dict.fromkeys([*limits.values(), *systems]))
    views = training_views(everyone)
    read = len(views[0][0])
    dropped: dict[PairFilter, Counter[str]] = {each: Counter() for each in everyone}
    words: dict[PairFilter, Counter[tuple[str, str]]] = {
        each: Counter() for each in limits.values()
    }
    kept_by_all = 0
    for _, block in blocks(views):  # memory does not grow with the text
        kept: dict[PairFilter, npt.NDArray[np.bool_]] = {}
        for each, parts in zip(everyone, block, strict=True):
            reasons = drop_reasons(each, *parts)
            dropped[each].update({reason: int(rows.sum()) for reason, rows in reasons.items()})
            kept[each] = ~np.logical_or.reduce(list(reasons.values()))
            for side, part in zip(SIDES, parts if each in words else (), strict=False):
                count = int(part.lengths[kept[each]].sum())
                words[each].update({(side, "all"): count, (side, "known"): count})
                words[each][side, "known"] -= int(part.unknowns()[kept[each]].sum())
        if systems:
            kept_by_all += int(np.logical_and.reduce([kept[each] for each in systems]).sum())
    return {
        name: {
            "max_length": each.max_length,
            "unknown_limit": each.unknown_limit,
            "read": read,
            "dropped": dropped[each],
            "kept": read - dropped[each].total(),
            "kept_words": {side: words[each][side, "all"] for side in SIDES},
            "kept_coverage_percent": {
                side: 100 * words[each][side, "known"] / total if total else None
                for side in SIDES
                for total in [words[each][side, "all"]]
            },
            "kept_by_all": kept_by_all if systems else None,
        }
        for name, each in limits.items()
    }


def known_lines(
    source: Annotated[Path, typer.Option(help="source of a text, in the view of the vocabularies")],
    reference: Annotated[Path, typer.Option(help="its reference, in the same view")],
    source_vocabulary: Annotated[Path, typer.Option(help="vocabulary.source.tsv of a model")],
    target_vocabulary: Annotated[Path, typer.Option(help="vocabulary.target.tsv of a model")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
) -> None:
    """Find the lines of a text whose source and reference have no unknown word.

    Example: contextnmt known-lines --source test.en.gz --reference test.fr.gz
    --source-vocabulary model/vocabulary.source.tsv
    --target-vocabulary model/vocabulary.target.tsv --out test.known.json

    `contextnmt score --subset NAME=test.known.json` then scores a translation on these lines alone.
    """
    vocabularies = Vocabulary.read(source_vocabulary), Vocabulary.read(target_vocabulary)
    known = [
        [UNK not in vocabularies[side].encode(line.split()) for side, line in enumerate(pair)]
        for pair in read_pairs(source, reference)
    ]
    content = {
        "sentences": len(known),
        "source": sum(of_source for of_source, _ in known),
        "reference": sum(of_reference for _, of_reference in known),
        "lines": [number for number, both in enumerate(known, start=1) if all(both)],
    }
    write_json(out, content)
