"""The stage `browser-model`: a run as one JSON file that a page translates with, in plain script.

Weights become 8-bit integers. Of a matrix, each row has a scale of its own, its largest magnitude
divided by 127; vectors stay in 32 bits. Tokenizer, symbols, merges and vocabularies become tables
for `report/try_it.js`.
"""

import base64
from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import torch
import typer
from sacrebleu.metrics.bleu import BLEU

from contextnmt.configuration.model import beyond_page
from contextnmt.corpus.chinese import UNSPACED
from contextnmt.corpus.counts import read_counts
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.files import read_lines, read_pairs, write_json
from contextnmt.text import bpe, names, rates, symbols
from contextnmt.text.numbers import number_format
from contextnmt.text.pieces import HAS_DIGIT
from contextnmt.text.rates import read_rates
from contextnmt.text.symbol_tables import best_targets, read_rules
from contextnmt.translation.ensemble import Ensemble
from contextnmt.translation.own_text import OwnText
from contextnmt.translation.run_file import Run, SymbolFiles, read_run
from contextnmt.translation.saved import SavedTranslator, read_settings
from contextnmt.translation.view_texts import Wanted

#: What the page symbolizes by, besides tables: the constants of `names`, `rates` and `symbols`.
RULES = {
    "function_words": sorted(names.FUNCTION_WORDS),
    "sentence_openers": sorted(names.SENTENCE_OPENERS),
    "elided": sorted(names.ELIDED),
    "between": sorted(symbols.BETWEEN),
    "phrase_words": names.PHRASE_WORDS,
    "searched_pieces": names.SEARCHED_PIECES,
    "abbreviated": names.ABBREVIATED,
    "limit": symbols.LIMIT,
    "near": symbols.NEAR,
    "rare": rates.RARE,
    "word_weight": rates.WORD_WEIGHT,
    "ending_weight": rates.ENDING_WEIGHT,
    "unseen": rates.UNSEEN,
    "endings": rates.ENDINGS,
}

#: The largest 8-bit integer that is used; its negative is the smallest.
LARGEST = 127


def browser_model(
    run: Annotated[Path, typer.Option(help="the file of a run")],
    source: Annotated[Path, typer.Option(help="source side of a test text, untouched")],
    target: Annotated[Path, typer.Option(help="its reference")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    beam: Annotated[int, typer.Option(help="beam width of the page", min=1)] = 12,
    sentences: Annotated[
        int, typer.Option(help="how many sentences to compare, and to offer on the page", min=1)
    ] = 200,
) -> None:
    """Write a run as one file with which a page translates; weights become 8-bit integers.

    The first sentences of the text are translated with these weights and with those of the run:
    the file has the share of translations that are equal, and the BLEU of both.

    Example: contextnmt browser-model --run results/demo/run/en-fr/baseline/1.json
    --source test.en.gz --target test.fr.gz --out baseline.json
    """
    found = read_run(run)
    settings = read_settings(Path(found.model))
    beyond = beyond_page(settings)
    if found.source_language in UNSPACED:
        beyond.append(f"the source language {found.source_language}")
    if beyond:
        kind = " and ".join(beyond)
        raise UserError(f"{run}: a page cannot translate with {kind}: name another run")
    translator = SavedTranslator([Path(found.model)], torch.device("cpu"))
    texts = [*islice(read_pairs(source, target), sentences)]
    lines, references = [left for left, _ in texts], [right for _, right in texts]
    exact = answers(found, translator, beam, lines)
    [model] = translator.ensemble.models
    weights = {name: packed(tensor.numpy()) for name, tensor in model.state_dict().items()}
    model.load_state_dict(
        {name: torch.from_numpy(unpacked(each)) for name, each in weights.items()}
    )
    translator.ensemble = Ensemble([model])
    rounded = answers(found, translator, beam, lines)
    bleu = BLEU()
    write_json(
        out,
        {
            **described(found),
            "beam": beam,
            "settings": asdict(settings),
            "vocabularies": {
                "source": translator.source.words,
                "target": translator.target.words,
            },
            "weights": weights,
            "sentences": lines,
            "compared": {
                "sentences": len(lines),
                "equal": sum(map(str.__eq__, exact, rounded)),
                "bleu": [
                    round(bleu.corpus_score(each, [references]).score, 2)
                    for each in (exact, rounded)
                ],
            },
        },
    )


def answers(run: Run, translator: SavedTranslator, beam: int, lines: list[str]) -> list[str]:
    """The translations of raw lines, as `contextnmt translate` writes them."""
    return OwnText(run, translator, beam, Wanted(None, no_unknown=False, alignments=False)).answers(
        lines
    )


def packed(weights: npt.NDArray[np.float32]) -> dict[str, Any]:
    """The `shape` of weights, and their numbers as base64, the least significant byte first.

    A matrix has ``integers`` of 8 bits and the ``scales`` of its rows, a vector has ``numbers``.
    """
    shape = {"shape": list(weights.shape)}
    if weights.ndim == 1:
        return {**shape, "numbers": coded(weights.astype("<f4"))}
    scales = (np.abs(weights).max(1) / LARGEST).astype("<f4")
    divided = weights / np.where(scales > 0, scales, 1)[:, None]
    return {**shape, "integers": coded(np.rint(divided).astype("i1")), "scales": coded(scales)}


def unpacked(weights: dict[str, Any]) -> npt.NDArray[np.float32]:
    """The weights that `packed` gives back."""
    shape = weights["shape"]
    if "numbers" in weights:
        return decoded(weights["numbers"], "<f4").reshape(shape)
    scales = decoded(weights["scales"], "<f4")
    return decoded(weights["integers"], "i1").reshape(shape) * scales[:, None]


def coded(numbers: npt.NDArray[Any]) -> str:
    """The bytes of `numbers` as base64."""
    return base64.b64encode(numbers.tobytes()).decode()


def decoded(text: str, kind: str) -> npt.NDArray[np.float32]:
    """The numbers of a `kind` whose bytes a base64 text has."""
    return np.frombuffer(base64.b64decode(text), kind).astype(np.float32)


def described(run: Run) -> dict[str, Any]:
    """Tokenizer, subwords and symbols of a run, as tables."""
    merges = None
    if run.codes:
        # Behind the version; a merge is two subwords with a blank between them.
        merges = [line.strip("\r\n ") for line in islice(read_lines(Path(run.codes)), 1, None)]
    return {
        "source_language": run.source_language,
        "target_language": run.target_language,
        "minimum_length": run.minimum_length,
        "tokenizer": tokenizer(run.source_language),
        "symbols": symbol_tables(run, run.symbols) if run.symbols else None,
        "merges": merges,
        "longest_word": bpe.LONGEST,
    }


def tokenizer(language: str) -> dict[str, Any]:
    """The tables of the tokenizer of Moses: classes of characters, and abbreviations."""
    moses = Tokenizer(language, segmented=True)
    classes = {"alnum": moses.IsAlnum, "alpha": moses.IsAlpha, "number": moses.IsN}
    return {
        "language": language,
        "classes": {
            name: ranges(characters)
            for name, characters in {**classes, "lower": moses.IsLower}.items()
        },
        "prefixes": moses.NONBREAKING_PREFIXES,
        "numeric": moses.NUMERIC_ONLY_PREFIXES,
    }


def ranges(characters: Iterable[str]) -> str:
    """Characters as the inside of a class in a regular expression."""
    codes = set(map(ord, characters))
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return "".join(
        f"\\u{{{start:x}}}-\\u{{{end:x}}}" for start, end in zip(starts, ends, strict=True)
    )


def symbol_tables(run: Run, files: SymbolFiles) -> dict[str, Any]:
    """The tables that symbolize a sentence and restore its translation (A26, A33)."""
    languages = (run.source_language, run.target_language)
    targets = best_targets(
        read_rules(Path(files.rules)), languages if files.external_rules else None
    )
    formats = [number_format(language)._asdict() for language in languages]
    counts = read_counts(Path(files.counts))
    # A word is compared with its lower-cased form, which tells nothing if there is none.
    compared = (word for word in counts if word == word.lower() or word.lower() in counts)
    return {
        "rates": [list(rate) for rate in read_rates(Path(files.rates))],
        "counts": [[word, counts[word]] for word in compared if not HAS_DIGIT.search(word)],
        "targets": [[*key, target] for key, target in targets.items()],
        "threshold": files.threshold,
        "rules": RULES,
        "formats": formats if files.external_rules else None,
        "grouped": files.external_rules and formats[0]["group"] == " ",
        "centuries": files.external_rules and languages == ("en", "fr"),
    }
