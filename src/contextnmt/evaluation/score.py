"""Scores of translations: BLEU as the papers count it, and BLEU, chrF and TER as one counts today.

The papers' number is that of Moses' multi-bleu.perl on tokenized text (Choi et al. section 5.4);
sacreBLEU gives the same without tokenization and smoothing. The others are sacreBLEU's defaults on
detokenized text against the untouched reference: BLEU (13a), chrF2 (Popović 2015) and TER (Snover
et al. 2006, without case); of Chinese, BLEU (zh) and TER count characters. The two BLEUs are never
to be compared.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from contextnmt.corpus.chinese import UNSPACED
from contextnmt.errors import UserError, one_of_each
from contextnmt.evaluation.bleu_statistics import (
    BLANKS,
    NO_WORD,
    normalise_blanks,
    tokenized_metric,
)
from contextnmt.evaluation.outputs import gap_in, translated_lines
from contextnmt.files import COUNT, read_json, read_lines, write_json
from contextnmt.text.detokenize import detokenizer

#: Hypotheses, then all references and these untouched, [references][sentences].
Texts = tuple[list[str], list[list[str]], list[list[str]]]

#: Scores of detokenized text. TER takes seconds for a hundred bad lines.
DETOKENIZED: dict[str, Callable[..., Metric]] = {
    "bleu_detokenized": BLEU,
    "chrf": CHRF,
    "ter": TER,
}
#: Their settings for a language without blanks.
OF_CHARACTERS: dict[str, dict[str, Any]] = {
    "bleu_detokenized": {"tokenize": "zh"},
    "ter": {"normalized": True, "asian_support": True},
}

NO_REFERENCE = "no word in any line of the reference: BLEU is 0"
#: Why there is no score of a subset.
NO_LINE = "no sentence of the text is in the subset"
NO_WORD_OF_SUBSET = "the translation has no word in the sentences of the subset"


def score(
    name: Annotated[list[str], typer.Option(help="name of a translation; repeatable")],
    hypothesis: Annotated[list[Path], typer.Option(help="translation, tokenized words")],
    reference: Annotated[list[Path], typer.Option(help="reference, tokenized the same way")],
    raw_reference: Annotated[list[Path], typer.Option(help="reference, untouched")],
    target_language: Annotated[str, typer.Option(help="language of the translations")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    lines: Annotated[list[str] | None, typer.Option(help="TEXT=N, its lines; repeatable")] = None,
    subset: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE of `known-lines`: score NAME on those alone; repeatable"),
    ] = None,
    further_reference: Annotated[
        list[str] | None, typer.Option(help="TEXT=FILE, one more --reference of it; repeatable")
    ] = None,
    further_raw_reference: Annotated[
        list[str] | None, typer.Option(help="TEXT=FILE, the same untouched; as often")
    ] = None,
) -> None:
    """Score translations: BLEU as the papers count it; detokenized BLEU, chrF and TER.

    A name is TEXT.beamN, or TEXT.beamN.VARIANT; variants get no chrF and TER. A reference is
    refused if its number of lines is not the one that `--lines` states for TEXT. A translation
    without a word in any line has BLEU 0 and a note. A translation gets a reason instead of a score
    if it is damaged, has another number of lines than its reference, or has no word in a subset.

    Example: contextnmt score --name test.beam12 --hypothesis test.beam12.gz --reference test.fr.gz
    --raw-reference raw.test.fr.gz --target-language fr --out scores.json
    """
    one_of_each(
        "translation",
        name=name,
        hypothesis=hypothesis,
        reference=reference,
        raw_reference=raw_reference,
    )
    numbers = named_values("--lines", "TEXT=NUMBER", COUNT, lines)
    stated = {text: int(number) for text, number in numbers}
    further = further_files(further_reference, further_raw_reference)
    for unknown in further.keys() - {key.partition(".")[0] for key in name}:
        raise UserError(f"--further-reference: no --name {unknown}.beamN: name a text that has one")
    subsets = dict(named_values("--subset", "NAME=FILE", ".+", subset))
    for unknown in subsets.keys() - set(name):
        raise UserError(f"--subset: no --name {unknown}: name a translation")
    scores: dict[str, dict[str, Any]] = {}
    for key, path, tokenized, raw in zip(name, hypothesis, reference, raw_reference, strict=True):
        text = key.partition(".")[0]
        first, first_raw = read_references(tokenized, raw, text, stated)
        count = len(first)
        others = [read_references(*both, text, {text: count}) for both in further.get(text, [])]
        references = [first, *(lines for lines, _ in others)]
        raw_references = [first_raw, *(lines for _, lines in others)]
        kept = read_known_lines(Path(subsets[key]), count) if key in subsets else None
        with gap_in(scores, key):
            texts = (translated_lines(path, tokenized, count), references, raw_references)
            # TEXT.beamN gets all detokenized scores, TEXT.beamN.VARIANT BLEU alone.
            wanted = ["bleu_detokenized"] if key.count(".") > 1 else DETOKENIZED
            scores[key] = scores_of(texts, kept, target_language, wanted)
    write_json(out, scores)


def named_values(
    option: str, form: str, value: str, options: Iterable[str] | None
) -> list[tuple[str, str]]:
    """The names and values of an option in this `form`; `value` is a pattern.

    Raises UserError at any other form.
    """
    values = []
    for each in options or []:
        match = re.fullmatch(f"([^=]+)=({value})", each)
        if not match:
            raise UserError(f"{option} {each}: write {form}")
        values.append((match[1], match[2]))
    return values


def further_files(
    tokenized: Iterable[str] | None, raw: Iterable[str] | None
) -> dict[str, list[tuple[Path, Path]]]:
    """The files of further references, tokenized and untouched, by text.

    Raises UserError unless the options name the same texts in the same order.
    """
    found: dict[str, list[tuple[Path, Path]]] = {}
    options = {"--further-reference": tokenized, "--further-raw-reference": raw}
    named = [named_values(option, "TEXT=FILE", ".+", each) for option, each in options.items()]
    for (text, file), (other, untouched) in zip_longest(*named, fillvalue=("", "")):
        if text != other:
            names = " and ".join(options)
            raise UserError(f"{names}: give both for each reference, in the same order")
        found.setdefault(text, []).append((Path(file), Path(untouched)))
    return found


def read_known_lines(path: Path, sentences: int) -> list[int]:
    """The lines, from 1, that `known_lines` wrote for a text of so many sentences.

    Raises UserError if they are of a text of another length, or if the file is something else.
    """
    content = read_json(path)
    try:
        stated, lines = content["sentences"], [int(line) for line in content["lines"]]
        if any(line >= after for line, after in pairwise([0, *lines, stated + 1])):
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise UserError(f"{path}: not a file of `contextnmt known-lines`: make it again") from None
    if stated != sentences:
        raise UserError(
            f"{path} is of a text of {stated} sentences, and the reference has {sentences}: "
            "make it from this text"
        )
    return lines


def scores_of(
    texts: Texts, kept: list[int] | None, language: str, wanted: Iterable[str]
) -> dict[str, Any]:
    """BLEU and the `wanted` detokenized scores of a translation, and of how many ``sentences``.

    With `kept`, of these lines alone, numbered from 1, ``of`` so many sentences of the text; where
    there is nothing to score there is only a ``gap``, the reason (A21).
    """
    hypotheses, references, raw_references = texts
    size = {"sentences": len(hypotheses)}
    if kept is not None:
        size = {"sentences": len(kept), "of": len(hypotheses)}

        def those(text: list[str]) -> list[str]:
            return [text[line - 1] for line in kept]

        hypotheses, references = those(hypotheses), [*map(those, references)]
        raw_references = [*map(those, raw_references)]
        if not kept:
            return {"gap": NO_LINE, **size}
        if not any(BLANKS.sub("", line) for line in hypotheses):
            return {"gap": NO_WORD_OF_SUBSET, **size}
    return {
        **tokenized_bleu(hypotheses, *references),
        **detokenized_scores(hypotheses, raw_references, language, wanted),
        **size,
    }


def read_references(
    reference: Path, raw_reference: Path, text: str, stated: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """The lines of both; raises UserError if they are empty, differ in length, or are not as many
    as is `stated` of their `text`."""
    lines, raw_lines = (list(read_lines(path)) for path in (reference, raw_reference))
    if len(lines) != len(raw_lines):
        raise UserError(
            f"{reference} has {len(lines)} lines and {raw_reference} has {len(raw_lines)}: they "
            "are one text, tokenized and untouched; make the first from the second again"
        )
    if not lines:
        raise UserError(f"{reference}: an empty reference: there is nothing to score against")
    if len(lines) != stated.get(text, len(lines)):
        raise UserError(
            f"{reference} has {len(lines)} lines, and {text} has {stated[text]}: "
            "give the reference of this text, or mend the number"
        )
    return lines, raw_lines


def tokenized_bleu(hypotheses: list[str], *references: list[str]) -> dict[str, Any]:
    """BLEU in percent over the tokens as they are, equal to that of multi-bleu.perl.

    `references`: one list of lines each.

    Besides ``bleu``: sacreBLEU's ``signature``, the brevity penalty ``bp``, both lengths in tokens
    and their ``ratio`` (None without a reference token), the 1- to 4-gram ``precisions`` in
    percent, and ``notes`` where multi-bleu.perl has no number. A precision of zero makes BLEU zero.
    """
    metric = tokenized_metric()
    result = metric.corpus_score(normalise_blanks(hypotheses), [*map(normalise_blanks, references)])
    notes = [(NO_WORD, not result.sys_len), (NO_REFERENCE, not result.ref_len)]
    return {
        "bleu": result.score,
        "signature": str(metric.get_signature()),
        "bp": result.bp,
        "hypothesis_length": result.sys_len,
        "reference_length": result.ref_len,
        "ratio": result.sys_len / result.ref_len if result.ref_len else None,
        "precisions": result.precisions,
        "notes": [note for note, holds in notes if holds],
    }


def detokenized_scores(
    hypotheses: list[str],
    raw_references: list[list[str]],
    language: str,
    wanted: Iterable[str] = DETOKENIZED,
) -> dict[str, Any]:
    """BLEU, chrF and TER, or those `wanted`, in percent of the detokenized hypotheses, and their
    signatures. `raw_references` [references][sentences].

    TER is the better the lower; it passes 100 where more has to be edited than the reference has.
    """
    plain = list(map(detokenizer(language), hypotheses))
    scores: dict[str, Any] = {}
    for key in wanted:
        metric = DETOKENIZED[key](**(OF_CHARACTERS.get(key, {}) if language in UNSPACED else {}))
        scores[key] = metric.corpus_score(plain, raw_references).score
        scores[f"signature_{key.removeprefix('bleu_')}"] = str(metric.get_signature())
    return scores
