"""The sentence pairs of a text in which a model knows every word: those of the column "No UNK".

Bahdanau et al. 2015, Table 1: BLEU of the sentences without an unknown word in themselves and in
the reference translation, where no unknown word may be written (A21). All systems of a language
pair and a view have the same vocabularies, so these are the same sentences for all of them.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_json
from contextnmt.text.vocabulary import UNK, Vocabulary


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

    `contextnmt score --subset NAME=test.known.json` then scores a translation on them alone.
    """
    sides = [
        list(without_unknown(path, Vocabulary.read(vocabulary)))
        for path, vocabulary in [(source, source_vocabulary), (reference, target_vocabulary)]
    ]
    if len(sides[0]) != len(sides[1]):
        raise UserError(
            f"{source} has {len(sides[0])} lines and {reference} has {len(sides[1])}: "
            "give both sides of one text"
        )
    known = [number for number, both in enumerate(zip(*sides, strict=True), 1) if all(both)]
    counts = [sum(side) for side in sides]
    content = {"sentences": len(sides[0]), "source": counts[0], "reference": counts[1]}
    write_json(out, {**content, "lines": known})


def without_unknown(path: Path, vocabulary: Vocabulary) -> Iterator[bool]:
    """Whether a model with this vocabulary knows every word, for each line of a text."""
    return (UNK not in vocabulary.encode(line.split()) for line in read_lines(path))
