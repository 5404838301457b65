"""The stage `local-charts`: the neighbourhood of a word along its two main directions.

Choi et al. 2017, section 3.2 and Table 1: "For any word x' under inspection, we find the N-1
nearest neighbors ... we use principal component analysis to find the corresponding
lower-dimensional Euclidean space. In this Euclidean space, we can inspect the nearest neighbors
along each coordinate." N, the distance and the number of words shown are those of the authors'
published notebook.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy
import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.evaluation.cbow import WordVectors, read_published, read_vectors
from contextnmt.evaluation.distances import Vectors
from contextnmt.files import write_json

#: Digits after the point of what is summed up: later ones depend on the number of threads.
DIGITS = 9
#: N, the words of a neighbourhood, and M, those shown along an axis; both count the word itself.
NEIGHBOURHOOD, SHOWN = 100, 5
AXES = 2

#: The words of Table 1.
WORDS = ["notebook", "power"]

#: The name of the CBOW vectors among those of the models.
CBOW = "cbow"


def local_charts(
    out: Annotated[Path, typer.Option(help="JSON file to write")],
    name: Annotated[list[str] | None, typer.Option(help="name of a model; repeatable")] = None,
    model: Annotated[list[Path] | None, typer.Option(help="its folder; as often as --name")] = None,
    cbow: Annotated[Path | None, typer.Option(help="folder of `contextnmt cbow` to chart")] = None,
    word: Annotated[list[str], typer.Option(help="word to inspect; repeatable")] = WORDS,
    vectors: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE of word2vec (text, or .bin) or GloVe; repeatable"),
    ] = None,
) -> None:
    """Chart the neighbourhoods of words in the source embeddings of models, and in CBOW vectors.

    Choi et al. charted published vectors; --vectors reads such a file whole into memory. A word
    that a vocabulary does not have is a gap, with the reason.

    Example: contextnmt local-charts --name baseline --model train/en-fr/baseline/1
    --cbow cbow/en-fr --word notebook --word power --out local-charts/en-fr.json
    """
    name, model = name or [], model or []
    one_of_each("model", name=name, model=model)
    given = [each.partition("=")[::2] for each in vectors or []]
    if not model and cbow is None and not given:
        raise UserError("nothing to chart: give --name and --model, --cbow, or --vectors")
    if not all(map(all, given)):
        raise UserError(f"--vectors {' '.join(vectors or [])}: write NAME=FILE")
    names = [*name, *(key for key, _ in given), CBOW]
    for option, values in (("--name", names), ("--word", word)):
        value, times = Counter(values).most_common(1)[0]
        if times > 1:
            raise UserError(f"{option} {value} is given twice or taken: choose another")
    folders = [(key, path, "train") for key, path in zip(name, model, strict=True)]
    folders += [(CBOW, cbow, "cbow")] if cbow else []
    charts = {key: charts_of(read_vectors(path, maker), word) for key, path, maker in folders}
    charts |= {key: charts_of(read_published(Path(file)), word) for key, file in given}
    write_json(out, {"words": word, "charts": charts})


def charts_of(found: WordVectors, words: list[str]) -> dict[str, Any]:
    """The chart of each of `words`, or ``{"gap": reason}``."""
    rows = {word: row for row, word in enumerate(found.words)}
    charts: dict[str, Any] = {}
    for word in words:
        if word not in rows:
            charts[word] = {"gap": f"not among the {len(rows)} words of the vocabulary"}
        elif len(rows) < NEIGHBOURHOOD:
            charts[word] = {
                "gap": f"a vocabulary of {len(rows)} words: a chart has {NEIGHBOURHOOD}"
            }
        else:
            charts[word] = chart(found, rows[word])
    return charts


def chart(found: WordVectors, row: int) -> dict[str, Any]:
    """The local chart of the word in a row of the vectors.

    ``neighbours``: the `NEIGHBOURHOOD` words nearest by Euclidean distance, the word itself first,
    each with its squared distance and its position on both axes, the word being at (0, 0).
    ``axes``: the share of the neighbourhood's variance along each, and the `SHOWN` words with the
    positions nearest to the word's, in the order along the axis.
    """
    distances = ((found.vectors - found.vectors[row]) ** 2).sum(1)  # [words]
    distances[row] = -1  # before any other word with the same vector
    nearest = numpy.argsort(distances, kind="stable")[:NEIGHBOURHOOD]
    distances[row] = 0
    words = [found.words[number] for number in nearest]
    directions, shares = principal_axes(found.vectors[nearest])
    local = found.vectors[nearest] - found.vectors[row]
    positions = (local @ directions.T).round(DIGITS)  # [NEIGHBOURHOOD, AXES]
    return {
        "neighbours": [
            {
                "word": word,
                "squared_distance": float(distances[number]),
                "position": position.tolist(),
            }
            for word, number, position in zip(words, nearest, positions, strict=True)
        ],
        "axes": [
            {
                "variance_percent": round(100 * float(share), DIGITS),
                "words": [words[number] for number in along(positions[:, axis])],
            }
            for axis, share in enumerate(shares)
        ],
    }


def principal_axes(points: Vectors) -> tuple[Vectors, Vectors]:
    """The first principal directions [AXES, size] of `points` [n, size], and their shares of the
    variance [AXES], which are zero if all points are one.

    PCA leaves the sign open: here the largest number of a direction is positive.
    """
    _, singular, directions = numpy.linalg.svd(points - points.mean(0), full_matrices=False)
    directions = directions[:AXES]
    largest = numpy.abs(directions).argmax(1)
    signs = numpy.sign(directions[numpy.arange(len(directions)), largest])
    variance = singular**2
    return directions * signs[:, None], variance[:AXES] / (variance.sum() or 1)


def along(positions: Vectors) -> list[int]:
    """The numbers of the `SHOWN` `positions` nearest to 0, in the order along the axis.

    The first position is the word's own, and always among them.
    """
    nearest = numpy.argsort(numpy.abs(positions), kind="stable")[:SHOWN]
    return [int(number) for number in nearest[numpy.argsort(positions[nearest], kind="stable")]]
