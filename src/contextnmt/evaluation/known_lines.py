"""The sentence pairs of a text in which a model knows every word: those of the column "No UNK".

Bahdanau et al. 2015, Table 1: BLEU of the sentences without an unknown word in themselves and in
the reference translation, where no unknown word may be written (A21). All systems of a language
pair and a view have the same vocabularies, so these are the same sentences for all of them.
"""

from pathlib import Path
from typing import Annotated

import typer

from contextnmt.files import read_pairs, write_json
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
