"""The stage `replace-unknown`: unknown words of translations, replaced by means of the attention.

Jean et al. 2015, section 3.3: an unknown word is taken for the translation of the source word with
the largest weight of attention, without the end of the sentence. That word is looked up in a
lexicon, and copied if it is not there. It is heuristic 1 of their public code. The scores that they
print are of heuristic 2, which copies every word that does not begin with a lower-case letter.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError, one_of_each
from contextnmt.files import read_lines, write_json, write_lines
from contextnmt.progress import progress, say
from contextnmt.text.lexicon import read_lexicon
from contextnmt.text.pieces import tokens_of
from contextnmt.text.vocabulary import UNKNOWN
from contextnmt.translation.alignment_file import Weights, read_alignments


def replace_unknown(
    translation: Annotated[list[Path], typer.Option(help="output of `translate`; repeatable")],
    alignments: Annotated[
        list[Path], typer.Option(help="their attention weights, one for each --translation")
    ],
    source: Annotated[list[Path], typer.Option(help="source text of each --translation")],
    lexicon: Annotated[Path, typer.Option(help="table that `lexicon` wrote")],
    out: Annotated[list[Path], typer.Option(help="one for each --translation")],
    statistics_out: Annotated[
        Path, typer.Option(help="where to write what became of the unknown words, as JSON")
    ],
) -> None:
    """Replace each UNK of a translation, using the source word with the most attention.

    UNK becomes the lexicon's likeliest translation of that word, or the word itself if the lexicon
    lacks it. If that word is a symbol, `restore` later replaces the copy. Not meant for
    subwords: next to none are unknown. A literal UNK that the model copies from the source
    counts as unknown too; mostly it becomes UNK again, as a copy of the source word.

    Example: contextnmt replace-unknown --translation test.beam12.gz
    --alignments test.beam12.alignments.npz --source test.en.gz --lexicon lexicon.tsv.gz
    --out test.beam12.replaced.gz --statistics-out replaced.json
    """
    one_of_each(
        "translation", translation=translation, alignments=alignments, source=source, out=out
    )
    known = read_lexicon(lexicon)
    statistics: dict[str, Counter[str]] = {}
    for text, weights, words, path in zip(translation, alignments, source, out, strict=True):
        counts = Counter(unknown=0, looked_up=0, copied=0, words=0)
        write_lines(path, replaced(text, weights, words, known, counts))
        statistics[path.name.removesuffix(".gz")] = counts
        shown = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        say(f"{path}: {shown}")
    write_json(statistics_out, statistics)


def replaced(
    translation: Path,
    alignments: Path,
    source: Path,
    lexicon: Mapping[str, str],
    counts: Counter[str],
) -> Iterator[str]:
    """The lines of a translation without unknown words.

    Adds to `counts` how many `words` the translation has, and how many are `unknown`, `looked_up`
    and `copied`. Raises UserError, naming the line, if the weights are not those of this
    translation and source.
    """
    lines = zip_longest(read_lines(translation), read_alignments(alignments), read_lines(source))
    for number, (written, weights, read) in enumerate(
        progress(lines, f"replace {translation}", "lines"), start=1
    ):
        remedy = "name the weights and the source of this translation"
        if written is None or weights is None or read is None:
            raise UserError(
                f"{translation}, {alignments} and {source} differ in length: the shortest has "
                f"{number - 1} lines: {remedy}"
            )
        sentence, words = tokens_of(written), tokens_of(read)
        if not fits(weights, sentence, words):
            raise UserError(
                f"{alignments}, line {number}: the weights are for {weights.shape[0]} target and "
                f"{weights.shape[1]} source tokens, but the translation has {len(sentence)} and "
                f"its source {len(words)} (plus one end of sentence each): {remedy}"
            )
        counts["words"] += len(sentence)
        for place in (place for place, word in enumerate(sentence) if word == UNKNOWN):
            aligned = words[weights[place, :-1].argmax()]
            sentence[place] = lexicon.get(aligned, aligned)
            counts["unknown"] += 1
            counts["looked_up" if aligned in lexicon else "copied"] += 1
        yield " ".join(sentence)


def fits(weights: Weights, sentence: Sequence[str], source: Sequence[str]) -> bool:
    """Whether weights are those of a sentence; a translation that was cut off has no end."""
    if not sentence and not weights.size:
        return True
    rows, columns = weights.shape
    return bool(source) and rows - len(sentence) in (0, 1) and columns == len(source) + 1
