"""The stage `masks`: what the contextualizer makes of one word in several sentences.

Choi et al. 2017, section 3.3: "By masking, i.e., multiplication of weights on the word embedding,
it is possible to have different word vectors depending on the context." Here are those weights of
both sides, sigmoid(W_x c^x + b_x) and sigmoid(W_y c^x + b_y), and the distances of the masked
vectors. A model without contextualizer gives a word one vector: its distances are 0.

Both masks depend on the source sentence alone: they are the same for all words of the sentence and
of its translation. So a distance is that of one vector under the masks of two sentences. On the
source side it is the vector of the word that is looked at. On the target side it is that of a
rendering that the tags name, in all sentences that have the word: the vector that the decoder would
read, had it written this rendering there. The distance of two sentences is the mean over the
renderings. Without tags no rendering is known, so the masks are there, but no distances.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy
import torch
import typer
from numpy.typing import NDArray

from contextnmt.errors import UserError
from contextnmt.evaluation.distances import MEASURES, Vectors, compare, masked_distances
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

#: Values of a mask between these two neither let a dimension pass nor take it away.
LOW, HIGH = 0.05, 0.95

#: A dimension varies if its values in the sentences looked at span more than this.
SPAN = 0.05


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
    """Compute context masks of words in the sentences of a text, and distances of masked vectors.

    Ambiguous words come from the tags of a test text. Or give --word: its vectors are compared in
    all sentences that have it, at least two.

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
    """The vector of a word, its masks in all contexts, and their comparison; or a gap.

    Under ``target``, the vectors of its renderings and their comparison, or a gap.
    """
    if len(found) < 2:
        return {"gap": f"sentences that have it: {len(found)}; a comparison takes two"}
    ids = saved.source.encode(symbols_of(word, found[0].sentence) or [])
    if UNK in ids:
        return {"gap": f"not among the {len(saved.source.words)} words of the vocabulary"}
    vector = mean_vector(saved.ensemble.models[0].source_embedding, ids)
    gates = [gates_in(saved, each.sentence) for each in found]
    open_gates = numpy.ones((2, len(vector)))
    masks = numpy.stack([open_gates if gate is None else gate for gate in gates])  # [n, 2, m]
    senses = [each.sense for each in found]
    return {
        "vector": rounded(vector),
        "occurrences": [
            {
                "line": each.line,
                "sentence": " ".join(each.sentence),
                "sense": each.sense,
                "mask": None if gate is None else rounded(gate[0]),
                "target_mask": None if gate is None else rounded(gate[1]),
            }
            for each, gate in zip(found, gates, strict=True)
        ],
        **compare(masked_distances(vector[None], masks[:, 0]), senses),
        "target": renderings_of(saved, senses, masks[:, 1]),
    }


def renderings_of(saved: SavedTranslator, senses: list[str], masks: Vectors) -> dict[str, Any]:
    """The vectors of a word's renderings, and the comparison of its contexts by them; or a gap.

    `senses` [n] are the renderings, empty if unknown, and `masks` [n, m] those of the target side.
    A rendering is left out if the target vocabulary does not have all of its words.
    """
    ids = {sense: saved.target.encode(sense.split()) for sense in sorted(set(senses) - {""})}
    if not ids:
        return {"gap": "its renderings are not known"}
    embedding = saved.ensemble.models[0].target_embedding
    vectors = {each: mean_vector(embedding, of) for each, of in ids.items() if UNK not in of}
    if not vectors:
        size = len(saved.target.words)
        return {"gap": f"no rendering is among the {size} words of the target vocabulary"}
    return {
        "vectors": {rendering: rounded(vector) for rendering, vector in vectors.items()},
        **compare(masked_distances(numpy.stack([*vectors.values()]), masks), senses),
    }


@torch.inference_mode()
def mean_vector(embedding: torch.nn.Module, ids: list[int]) -> Vectors:
    """The mean [m] of the embeddings of some ids, one at least."""
    return embedding(torch.tensor(ids)).double().mean(0).numpy()  # type: ignore[no-any-return]


@torch.inference_mode()
def gates_in(saved: SavedTranslator, sentence: list[str]) -> Vectors | None:
    """The masks [2, m] of source and target vectors in a sentence, None without contextualizer."""
    gates = saved.ensemble.models[0].gates(torch.tensor([[*saved.source.encode(sentence), EOS]]))
    return None if gates is None else torch.cat(gates).double().numpy()


def rounded(vector: Vectors) -> list[float]:
    """The numbers of a vector as they are written."""
    return [round(float(number), DIGITS) for number in vector]


def over_words(words: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Figures of all words together, see `figures`; under ``target`` those of the target side."""
    occurrences = [each for found in words.values() for each in found.get("occurrences", ())]
    source, target = (
        numpy.array([each[key] for each in occurrences if each[key] is not None])
        for key in ("mask", "target_mask")
    )
    renderings = [found["target"] for found in words.values() if "target" in found]
    return figures([*words.values()], source) | {"target": figures(renderings, target)}


def figures(words: list[dict[str, Any]], masks: Vectors) -> dict[str, Any]:
    """Figures of one side: how far masks are open and vary, means of the distances of all words.

    Of all values of `masks` [n, m], ``open_percent`` are above `OPEN` and ``between_percent``
    between `LOW` and `HIGH`. Of the dimensions, ``varying_percent`` have a greatest value that is
    more than `SPAN` above their smallest one: the sentence changes vectors in these alone. More
    sentences can only make more dimensions vary. The three are None without masks. ``same`` and
    ``different`` senses, and ``separation`` with its standard error, are over the words that occur
    in pairs of both kinds; ``unknown`` senses over the other words compared.
    """
    both = [found for found in words if found.get("separation") is not None]
    unknown = [found for found in words if found.get("unknown", {}).get("pairs")]
    means: dict[str, Any] = {"words": len(both)}
    means |= dict.fromkeys(("open_percent", "between_percent", "varying_percent"))
    if masks.size:
        means["open_percent"] = percent(masks > OPEN)
        means["between_percent"] = percent((masks > LOW) & (masks < HIGH))
        means["varying_percent"] = percent(numpy.ptp(masks, axis=0) > SPAN)
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


def percent(true: NDArray[numpy.bool_]) -> float:
    """The share of true values, in percent."""
    return float(100 * true.mean())
