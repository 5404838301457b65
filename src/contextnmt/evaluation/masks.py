"""The stage `masks`: what the contextualizer makes of one word in several sentences.

Choi et al. 2017, section 3.3: "By masking, i.e., multiplication of weights on the word embedding,
it is possible to have different word vectors depending on the context." Here are those weights of
the source words, sigmoid(W_x c^x + b_x), and the distances of the masked vectors. A model without
contextualizer gives a word one vector: its distances are 0.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy
import torch
import typer

from contextnmt.errors import UserError
from contextnmt.evaluation.distances import MEASURES, Vectors, compare
from contextnmt.evaluation.phenomena import read_tags
from contextnmt.files import read_lines, write_json
from contextnmt.model.arithmetic import choose_device
from contextnmt.text.pieces import SYMBOL, tokens_of
from contextnmt.text.subwords import SEPARATOR
from contextnmt.text.vocabulary import EOS, UNK
from contextnmt.translation.saved import SavedTranslator

#: Digits after the point of what is written of vectors.
DIGITS = 6

#: From here on a mask leaves a dimension as it is, for short: it lets 99 % of it pass.
OPEN = 0.99


class Occurrence(NamedTuple):
    """A word in a sentence: the number of its line (from 1), its symbols, what it means there.

    `sense`: how the reference translates it; empty where nobody has said so.
    """

    word: str
    line: int
    sentence: list[str]
    sense: str


def masks(
    model: Annotated[Path, typer.Option(help="folder that `contextnmt train` wrote")],
    text: Annotated[Path, typer.Option(help="source sentences in the model's view")],
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    tags: Annotated[str, typer.Option(help="ambiguous words: FILE or ARCHIVE::MEMBER")] = "",
    target_language: Annotated[str, typer.Option(help="language whose tags are taken")] = "",
    word: Annotated[
        list[str] | None, typer.Option(help="word to inspect, without --tags; repeatable")
    ] = None,
) -> None:
    """Compute the context masks of words in the sentences of a text, and how far apart they are.

    Ambiguous words come from the tags of a test text. Or name words: they are compared in all
    sentences that have them, two at least.

    Example: contextnmt masks --model train/en-fr/context/1 --text tokenize/en-fr/test.en.gz
    --tags embedded.tar.gz::test.phenomena.tsv --target-language fr --out masks.json
    """
    if bool(tags) == bool(word) or bool(tags) != bool(target_language):
        raise UserError("give --tags with --target-language, or --word")
    found: dict[str, list[Occurrence]] = {each: [] for each in word or []}
    for occurrence in tagged(text, tags, target_language) if tags else containing(text, found):
        found.setdefault(occurrence.word, []).append(occurrence)
    saved = SavedTranslator([model], choose_device("cpu"))
    words = {each: masks_of(saved, each, occurrences) for each, occurrences in found.items()}
    contextualized = saved.ensemble.models[0].contextualizer is not None
    write_json(out, {"contextualizer": contextualized, "words": words, "all": over_words(words)})


def tagged(text: Path, tags: str, language: str) -> Iterator[Occurrence]:
    """The ambiguous words that a table of tags names.

    One that became a part of a symbol is passed over. Raises UserError if a line of `text` does
    not have the word that is tagged in it.
    """
    tags_of = read_tags(tags, language)
    last = 0
    for last, line in enumerate(read_lines(text), start=1):
        sentence = tokens_of(line)
        for tag in tags_of.get(last, ()):
            if tag.kind != "ambiguous":
                continue
            if symbols_of(tag.source, sentence) is not None:
                yield Occurrence(tag.source, last, sentence, " ".join(tag.target))
            elif not any(map(SYMBOL.search, sentence)):
                raise UserError(
                    f"{text}, line {last}: no {tag.source!r}, which {tags} has there: give the "
                    "text that the tags belong to"
                )
    if last < max(tags_of):
        raise UserError(f"{text} has {last} lines, but {tags} has tags of line {max(tags_of)}")


def containing(text: Path, words: Collection[str]) -> Iterator[Occurrence]:
    """The sentences of `text` that have one of `words`, what it means there being unknown."""
    for number, line in enumerate(read_lines(text), start=1):
        sentence = tokens_of(line)
        for word in words:
            if symbols_of(word, sentence) is not None:
                yield Occurrence(word, number, sentence, "")


def symbols_of(word: str, sentence: list[str]) -> list[str] | None:
    """The symbols of `sentence`, one or several subwords, that make up `word`; None if none do."""
    symbols: list[str] = []
    for symbol in sentence:
        symbols.append(symbol)
        if not symbol.endswith(SEPARATOR):
            if "".join(each.removesuffix(SEPARATOR) for each in symbols) == word:
                return symbols
            symbols = []
    return None


def masks_of(saved: SavedTranslator, word: str, found: list[Occurrence]) -> dict[str, Any]:
    """The vector of a word, its masks in all contexts, and their comparison; or a gap."""
    if len(found) < 2:
        return {"gap": f"sentences that have it: {len(found)}; a comparison takes two"}
    ids = saved.source.encode(symbols_of(word, found[0].sentence) or [])
    if UNK in ids:
        return {"gap": f"not among the {len(saved.source.words)} words of the vocabulary"}
    with torch.inference_mode():
        embedded = saved.ensemble.models[0].source_embedding(torch.tensor(ids))
        vector = embedded.double().mean(0).numpy()
        gates = [mask_of(saved, each.sentence) for each in found]
    masks = numpy.stack([numpy.ones_like(vector) if gate is None else gate for gate in gates])
    return {
        "vector": rounded(vector),
        "occurrences": [
            {
                "line": each.line,
                "sentence": " ".join(each.sentence),
                "sense": each.sense,
                "mask": None if gate is None else rounded(gate),
            }
            for each, gate in zip(found, gates, strict=True)
        ],
        **compare(vector * masks, [each.sense for each in found]),
    }


def mask_of(saved: SavedTranslator, sentence: list[str]) -> Vectors | None:
    """The mask [m] of the source words in a sentence, None without contextualizer.

    It is the same for all words of the sentence.
    """
    ids = torch.tensor([[*saved.source.encode(sentence), EOS]])
    gates = saved.ensemble.models[0].gates(ids)
    return None if gates is None else gates[0][0].double().numpy()


def rounded(vector: Vectors) -> list[float]:
    """The numbers of a vector as they are written."""
    return [round(float(number), DIGITS) for number in vector]


def over_words(words: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Figures of all words together: how far their masks are open, means of their distances.

    ``open_percent`` is the share of all numbers of the masks above `OPEN`, None without masks.
    ``same`` and ``different`` senses, and ``separation`` with its standard error, are over the
    words that occur in pairs of both kinds; ``unknown`` senses over the other words compared.
    """
    both = [found for found in words.values() if found.get("separation") is not None]
    unknown = [found for found in words.values() if found.get("unknown", {}).get("pairs")]
    masks = [each["mask"] for found in words.values() for each in found.get("occurrences", ())]
    numbers = numpy.array([mask for mask in masks if mask is not None])
    means: dict[str, Any] = {"words": len(both), "open_percent": None}
    if numbers.size:
        means["open_percent"] = float(100 * (numbers > OPEN).mean())
    if both:
        shares = [found["separation"] for found in both]
        means["separation"] = float(numpy.mean(shares))
        error = float(numpy.std(shares, ddof=1) / len(shares) ** 0.5) if len(shares) > 1 else None
        means["separation_error"] = error
    for kind, of_kind in (("same", both), ("different", both), ("unknown", unknown)):
        if of_kind:
            means[kind] = {
                "words": len(of_kind),
                "pairs": sum(found[kind]["pairs"] for found in of_kind),
                **{m: float(numpy.mean([found[kind][m] for found in of_kind])) for m in MEASURES},
            }
    return means
