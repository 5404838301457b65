"""The stage `replace-unknown`: unknown words of translations, replaced by means of the attention.

Jean et al. 2015, section 3.3 and their public code: an unknown word is taken for the translation of
the source word with the largest weight of attention, without the end of the sentence. Of three
heuristics, 0 copies this source word; 1 looks it up in a lexicon, and copies what is not there; 2
looks it up if it begins with a lower-case letter, and copies all else, such as names.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import atomic_all, read_lines, write_json
from contextnmt.progress import progress
from contextnmt.text.lexicon import read_lexicon
from contextnmt.text.pieces import tokens_of
from contextnmt.translation.alignment_file import Weights, read_alignments
from contextnmt.translation.unknown_word import UNKNOWN

#: Heuristics of Jean et al. 2015, by the numbers that they have in their code.
COPY, LOOK_UP, LOOK_UP_LOWER_CASE = HEURISTICS = (0, 1, 2)


def replace_unknown(
    translation: Annotated[list[Path], typer.Option(help="of `translate`; repeatable")],
    alignments: Annotated[
        list[Path], typer.Option(help="their attention weights, one for each --translation")
    ],
    source: Annotated[
        list[Path], typer.Option(help="what was translated, one for each --translation")
    ],
    heuristic: Annotated[
        list[int], typer.Option(help="0: copy, 1: look up, 2: look up lower case", min=0, max=2)
    ],
    out: Annotated[
        list[Path],
        typer.Option(help="one for each --translation and --heuristic, translations outermost"),
    ],
    statistics_out: Annotated[
        Path, typer.Option(help="where to write what became of the unknown words, as JSON")
    ],
    lexicon: Annotated[
        Path | None, typer.Option(help="of `lexicon`; for the heuristics 1 and 2")
    ] = None,
) -> None:
    """Replace each UNK of a translation by the source word that the attention is most on.

    Heuristic 0 copies this word, 1 writes its likeliest translation by the lexicon, or a copy of
    what is not in it, 2 does so for words that begin with a lower-case letter and copies others.
    A copied symbol is one that `restore` replaces; of subwords next to none are unknown. A word UNK
    that the text itself has is taken for an unknown one too, and most often comes back as a copy.

    Example: contextnmt replace-unknown --translation test.beam12.gz
    --alignments test.beam12.alignments.npz --source test.en.gz --lexicon lexicon.tsv.gz
    --heuristic 0 --heuristic 2 --out test.copied.gz --out test.replaced.gz
    --statistics-out replaced.json
    """
    if not len(translation) == len(alignments) == len(source):
        raise UserError(
            f"{len(translation)} --translation, {len(alignments)} --alignments, {len(source)} "
            "--source: give one of each for every translation"
        )
    if len(out) != len(translation) * len(heuristic):
        raise UserError(
            f"{len(translation)} --translation and {len(heuristic)} --heuristic need "
            f"{len(translation) * len(heuristic)} --out, not {len(out)}"
        )
    if lexicon is None and set(heuristic) != {COPY}:
        raise UserError("--heuristic 1 and 2 look words up: give a --lexicon")
    known = read_lexicon(lexicon) if lexicon else {}
    statistics: dict[str, Counter[str]] = {}
    following = iter(out)
    for text, weights, words in zip(translation, alignments, source, strict=True):
        outs = [next(following) for _ in heuristic]
        counts = [Counter(unknown=0, looked_up=0, copied=0, words=0) for _ in heuristic]
        with atomic_all(outs) as streams:
            for sentence, attended in attended_words(text, weights, words):
                for number, stream, counted in zip(heuristic, streams, counts, strict=True):
                    replaced = replace(sentence, attended, known, number, counted)
                    stream.write(" ".join(replaced) + "\n")
        for path, counted in zip(outs, counts, strict=True):
            statistics[path.name.removesuffix(".gz")] = counted
            told = ", ".join(f"{count} {kind}" for kind, count in counted.items())
            print(f"{path}: {told}", file=sys.stderr)
    write_json(statistics_out, statistics)


def replace(
    sentence: Iterable[str],
    attended: Mapping[int, str],
    lexicon: Mapping[str, str],
    heuristic: int,
    counts: Counter[str],
) -> list[str]:
    """The words of a translation without unknown ones.

    `attended`: the source word of each unknown one, by its place. Adds to `counts` how many `words`
    the sentence has, and how many are `unknown`, `looked_up` and `copied`.
    """
    words = list(sentence)
    for place, word in attended.items():
        look_up = heuristic == LOOK_UP or (heuristic == LOOK_UP_LOWER_CASE and word[0].islower())
        found = lexicon.get(word) if look_up else None
        words[place] = word if found is None else found
        counts["copied" if found is None else "looked_up"] += 1
    counts["unknown"] += len(attended)
    counts["words"] += len(words)
    return words


def attended_words(
    translation: Path, alignments: Path, source: Path
) -> Iterator[tuple[list[str], dict[int, str]]]:
    """The words of each translation and, by their place, the source words of the unknown ones.

    Raises UserError, naming the line, if the weights are not those of this translation and source.
    """
    lines = zip_longest(read_lines(translation), read_alignments(alignments), read_lines(source))
    for number, (written, weights, read) in enumerate(
        progress(lines, f"replace {translation}", "lines"), start=1
    ):
        if written is None or weights is None or read is None:
            raise UserError(
                f"{translation}, {alignments} and {source} differ in length: the shortest has "
                f"{number - 1} lines: name the weights and the source of this translation"
            )
        sentence, words = tokens_of(written), tokens_of(read)
        if not fits(weights, sentence, words):
            raise UserError(
                f"{alignments}: line {number} has weights of {weights.shape[0]} words on "
                f"{weights.shape[1]}, and the translation has {len(sentence)} words of a source "
                f"of {len(words)} (and an end of sentence each): name the weights and the source "
                "of this translation"
            )
        places = [place for place, word in enumerate(sentence) if word == UNKNOWN]
        yield sentence, {place: words[weights[place, :-1].argmax()] for place in places}


def fits(weights: Weights, sentence: Sequence[str], source: Sequence[str]) -> bool:
    """Whether weights are those of a sentence; a translation that was cut off has no end."""
    if not sentence and not weights.size:
        return True
    rows, columns = weights.shape
    return bool(source) and rows - len(sentence) in (0, 1) and columns == len(source) + 1
