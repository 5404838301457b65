"""Alignments of translations with their sources, as Figure 3 of Bahdanau et al. 2015."""

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.evaluation.translated_lines import GapError, translated_lines
from contextnmt.files import read_lines
from contextnmt.report.alignment_panels import Panel, draw_panels
from contextnmt.report.examples import folder_of
from contextnmt.report.experiment import Experiment, match, parse_experiment, run_of
from contextnmt.report.figures import drawing, save
from contextnmt.report.sentences import Place, nowhere, place_of
from contextnmt.text.counts import read_counts
from contextnmt.text.vocabulary import Vocabulary
from contextnmt.translation.alignment_file import Weights, read_alignments
from contextnmt.translation.unknown_word import UNKNOWN

#: Random sentences that are drawn, the words of their sources, and the seed that draws them.
COUNT, LENGTHS, SEED = 4, range(10, 21), 1
#: The last symbol of a sentence, as the paper shows it.
END = "<end>"


@dataclass(frozen=True)
class Aligned:
    """The lines of a text: tokenized `source` and `reference`; source and translation in the view
    of a system; the weights that its attention gave them.

    `gap` says why there are neither translations nor weights.
    """

    source: list[str]
    reference: list[str]
    view: list[list[str]]
    translation: list[list[str]]
    weights: list[Weights]
    gap: str = ""

    def panel(self, place: Place) -> Panel:
        """The map of a line."""
        number = place.line - 1
        rows = self.translation[number]
        weights = self.weights[number]
        ended = [END] * (len(weights) - len(rows))  # none if the length limit cut it off
        title = f"{place.text}, line {place.line:,}"
        return Panel(title, [*self.view[number], END], [*rows, *ended], weights)


def alignment_maps(
    translation: list[Path],
    view: list[Path],
    source: list[Path],
    reference: list[Path],
    source_counts: list[Path],
    target_counts: list[Path],
    experiment: str,
    out: Path,
) -> None:
    """Draw the alignments of sentences as maps, from 0 (black) to 1 (white).

    alignments.{pair}.chosen has the experiment's `sentences`; alignments.{pair}.random has some of
    the first test text, of 10 to 20 words without unknown ones in source, reference and
    translation; both in SVG, PDF and PNG. The pair is told by the folders of a translation; the
    weights lie beside it. Where either is damaged or of another length than the source, the reason
    stands in place of the maps.
    """
    about = parse_experiment(experiment)
    if not len(translation) == len(view) == len(source) == len(reference):
        raise UserError(
            f"{len(translation)} --translation, {len(view)} --view, {len(source)} --source, "
            f"{len(reference)} --reference: give one of each for every text"
        )
    there = {run_of(path).pair for path in translation}
    pairs = [pair for pair in about.pairs if pair in there]
    counts = [
        match(option, paths, folder_of, pairs)
        for option, paths in (
            ("--source-counts", source_counts),
            ("--target-counts", target_counts),
        )
    ]
    files = list(zip(translation, view, source, reference, strict=True))
    for pair in pairs:
        texts = {
            paths[0].name.split(".")[0]: read_aligned(*paths)
            for paths in files
            if run_of(paths[0]).pair == pair
        }
        first = about.test[pair][0]
        if first not in texts:
            raise UserError(f"--translation: no {first} of {pair}: name it too")
        label, title = label_of(about, pair, translation), about.pair_title(pair)
        if about.sentences.get(pair):
            chosen = list(chosen_panels(about.sentences[pair], texts))
            draw(f"{label}, chosen sentences: {title}", chosen, out / f"alignments.{pair}.chosen")
        known = [
            set(Vocabulary.most_frequent(read_counts(of_pair[pair]), about.vocabulary_size).words)
            for of_pair in counts
        ]
        drawn = random_panels(first, texts[first], *known)
        draw(f"{label}, random sentences: {title}", drawn, out / f"alignments.{pair}.random")


def label_of(about: Experiment, pair: str, translations: list[Path]) -> str:
    """The label of the system that they are of. Raises UserError if that is none or not one."""
    systems = {run_of(path).system for path in translations if run_of(path).pair == pair}
    labels = [label for system, label in about.labels(pair).items() if system in systems]
    if len(labels) != 1 or len(systems) != 1:
        raise UserError(
            f"--translation: {', '.join(sorted(systems))}: give those of one system of {about.name}"
        )
    return labels[0]


def read_aligned(translation: Path, view: Path, source: Path, reference: Path) -> Aligned:
    """A text with its translation and alignments, or with the reason why they are of no use.

    Raises UserError if a file is not there, or if the others do not fit together.
    """
    sources, references = (list(read_lines(file)) for file in (source, reference))
    reads = [line.split() for line in read_lines(view)]
    if not len(sources) == len(references) == len(reads):
        files = ", ".join(map(str, (source, reference, view)))
        raise UserError(f"{files}: not of one length: make them again from one text")
    try:
        writes = [line.split() for line in translated_lines(translation, view, len(reads))]
        weights = read_weights(translation, reads, writes)
    except GapError as gap:
        print(f"warning: no alignments: {gap}", file=sys.stderr)
        return Aligned(sources, references, reads, [], [], str(gap))
    return Aligned(sources, references, reads, writes, weights)


def read_weights(
    translation: Path, reads: Sequence[list[str]], writes: Sequence[list[str]]
) -> list[Weights]:
    """The weights beside a translation, from the words of its view that it `reads` and `writes`.

    Raises GapError if they are damaged or do not fit these, and another UserError if there are
    none.
    """
    path = translation.with_name(f"{translation.name.removesuffix('.gz')}.alignments.npz")
    try:
        found = read_alignments(path)
    except UserError as damage:
        raise GapError(str(damage)) if path.is_file() else damage from None
    if len(found) != len(reads):
        raise GapError(f"{path} has {len(found)} sentences and {translation} has {len(reads)}")
    for number, (read, rows, matrix) in enumerate(zip(reads, writes, found, strict=True), start=1):
        ended = len(matrix) - len(rows)
        if matrix.size and (ended not in (0, 1) or matrix.shape[1] != len(read) + 1):
            raise GapError(
                f"{path}, sentence {number}: {matrix.shape[0]} x {matrix.shape[1]} weights for "
                f"{len(rows)} and {len(read)} symbols: translate this text again"
            )
    return found


def chosen_panels(sentences: list[str], texts: dict[str, Aligned]) -> Iterator[Panel]:
    """The maps of sentences that are named by words in them; a gap where there is no such one."""
    sources = {text: aligned.source for text, aligned in texts.items()}
    for words in sentences:
        place = place_of(words, sources)
        if place is None:
            yield Panel.gap(nowhere(words, sources))
        elif texts[place.text].gap:
            yield Panel.gap(f"{place.text}, line {place.line:,}: {texts[place.text].gap}")
        elif not texts[place.text].weights[place.line - 1].size:
            yield Panel.gap(f"{place.text}, line {place.line:,}: an empty translation")
        else:
            yield texts[place.text].panel(place)


def random_panels(
    text: str, aligned: Aligned, known_source: set[str], known_target: set[str]
) -> list[Panel]:
    """The maps of some lines of `LENGTHS` words without unknown ones, in their order; or a gap."""
    if aligned.gap:
        return [Panel.gap(f"{text}: {aligned.gap}")]
    lines = zip(aligned.source, aligned.reference, aligned.translation, strict=True)
    fitting = [
        number
        for number, (source, reference, translation) in enumerate(lines, start=1)
        if len(source.split()) in LENGTHS
        and known_source.issuperset(source.split())
        and known_target.issuperset(reference.split())
        and translation
        and UNKNOWN not in translation
    ]
    drawn = sorted(random.Random(SEED).sample(fitting, min(COUNT, len(fitting))))
    if not drawn:
        return [
            Panel.gap(
                f"no sentence of {text} has {LENGTHS[0]} to {LENGTHS[-1]} words and no unknown one"
            )
        ]
    return [aligned.panel(Place(text, number)) for number in drawn]


def draw(title: str, panels: list[Panel], out: Path) -> None:
    """Write a figure of some maps."""
    with drawing() as figure:
        draw_panels(figure, title, panels)
        save(figure, out)
