"""Whether the papers' claims hold in finished runs: effect, interval and tests, a Markdown page.

Each run is named by its reference, tokenized words: there are its language pair, its text, and
beside it the translations of all systems. Claims whose systems are not there are left out.

Example: python benchmarks/claims.py results/multi30k/tokenize/en-de/test_2016_flickr.de.gz
--out benchmarks/published/claims.md
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
import typer
from pages import made_by, publish, table

from contextnmt.evaluation.bleu_statistics import corpus_bleu, words_of
from contextnmt.evaluation.resampling import bootstrap, interval
from contextnmt.evaluation.significance import RESAMPLES, p_bootstrap, p_randomization
from contextnmt.evaluation.translations import Translations, read_translations
from contextnmt.files import read_lines
from contextnmt.report.significance_table import LEVEL, p_value, significant
from contextnmt.report.tables import signed

BEAM = 12

HEAD = ["claim", "text", "systems", "BLEU", "difference", "95 % interval", "p", "p", "holds"]

NOTES = f"""
BLEU of the test text at beam {BEAM}, cased, on tokenized text; the mean over seeds where there are
several. Difference: of the two systems; of the last claim about search, the difference on the
longer half of the sentences less that on the shorter half. The first p is that of the paired
bootstrap (Koehn 2004), as is the interval; the second that of approximate randomization (Riezler
and Maxwell 2005); {RESAMPLES:,} draws each, two-sided, not corrected for how many claims there are.
A claim holds, or the opposite does, if every p is below {LEVEL}; else it is not shown. Intervals
and p are about other test sentences, with the models at hand; another training may differ.
"""


class Claim(NamedTuple):
    """What a paper says: that a system is better than another one.

    `longer`: that it is so more clearly for long sentences than for short ones.
    """

    paper: str
    says: str
    better: str
    worse: str
    longer: bool = False


CLAIMS = [
    Claim("Bahdanau", "search beats the fixed vector", "rnnsearch-50", "rnnencdec-50"),
    Claim("Bahdanau", "the more, the longer", "rnnsearch-50", "rnnencdec-50", longer=True),
    Claim("Choi", "context helps", "context", "baseline"),
    Claim("Choi", "symbols help", "symbol", "baseline"),
    Claim("Choi", "both help more than symbols alone", "context-symbol", "symbol"),
    Claim("Choi", "both help more than context alone", "context-symbol", "context"),
    Claim("Choi", "subwords help", "bpe", "baseline"),
    Claim("Choi", "context helps on top of subwords", "bpe-context", "bpe"),
]


class Text(NamedTuple):
    """A test text and what all systems made of it."""

    name: str
    found: Translations
    lengths: npt.NDArray[np.int64]  # words of each source


class Effect(NamedTuple):
    """A difference of BLEU with its interval; `p` by bootstrap and, if it was made, by swaps."""

    scores: tuple[float, float]
    difference: float
    interval: list[float]
    p: list[float]

    @property
    def holds(self) -> str:
        """Whether the claim does."""
        if not significant(self.p):
            return "not shown"
        return "yes" if self.difference > 0 else "no, the opposite does"


def read_text(reference: Path) -> Text:
    """The text of a reference ``RESULTS/tokenize/PAIR/TEXT.LANGUAGE.gz`` and its translations."""
    results, pair = reference.parents[2], reference.parent.name
    text = reference.name.split(".")[0]
    source = reference.with_name(f"{text}.{pair.split('-')[0]}.gz")
    paths = sorted((results / "restore" / pair).glob(f"*/[0-9]*/{text}.beam{BEAM}.gz"))
    systems, seeds = ([path.parts[place] for path in paths] for place in (-3, -2))
    found = read_translations(
        f"{text}.beam{BEAM}", reference, systems, list(map(int, seeds)), paths
    )
    lengths = np.array([len(words_of(line)) for line in read_lines(source)])
    return Text(f"{pair} {text}", found, lengths)


def gap(counts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """BLEU of both systems [2], and their difference in every resample.

    `counts` [2, seeds, sentences, COUNTS].
    """
    drawn = bootstrap(counts, RESAMPLES).mean(axis=-1)
    return corpus_bleu(counts.sum(axis=-2)).mean(axis=-1), drawn[:, 0] - drawn[:, 1]


def effect(claim: Claim, text: Text) -> Effect:
    """How much better the one system is."""
    better, worse = (text.found.statistics[name] for name in (claim.better, claim.worse))
    both = np.stack([better, worse])
    scores, drawn = gap(both)
    difference = float(scores[0] - scores[1])
    if claim.longer:
        long = text.lengths > np.median(text.lengths)
        (on_long, of_long), (on_short, of_short) = (gap(both[:, :, h]) for h in (long, ~long))
        difference = float((on_long[0] - on_long[1]) - (on_short[0] - on_short[1]))
        drawn = of_long - of_short
        p = [p_bootstrap(drawn)]
    else:
        p = [p_bootstrap(drawn), p_randomization(better, worse, RESAMPLES)]
    return Effect((float(scores[0]), float(scores[1])), difference, interval(drawn), p)


def rows(texts: list[Text]) -> Iterator[list[str]]:
    """A row for each claim and text that has its systems."""
    for claim in CLAIMS:
        for text in texts:
            if {claim.better, claim.worse} <= set(text.found.statistics):
                found = effect(claim, text)
                yield [
                    f"{claim.paper}: {claim.says}",
                    text.name,
                    f"{claim.better} over {claim.worse}",
                    f"{found.scores[0]:.2f}, {found.scores[1]:.2f}",
                    signed(found.difference),
                    " to ".join(map(signed, found.interval)),
                    *(p_value(p) for p in found.p),
                    *[""] * (2 - len(found.p)),
                    found.holds,
                ]


def main(
    references: Annotated[
        list[Path], typer.Argument(help="RESULTS/tokenize/PAIR/TEXT.LANGUAGE.gz")
    ],
    out: Annotated[Path | None, typer.Option(help="file to write besides printing")] = None,
) -> None:
    """Hold the papers' claims against the translations beside each of REFERENCES."""
    texts = [read_text(reference) for reference in references]
    names = " ".join("/".join(path.parts[-4:]) for path in references)
    lines = [
        *("# The papers' claims on real text", ""),
        *made_by(f"python benchmarks/claims.py {names}", "sacrebleu"),
        *("", " ".join(NOTES.split()), ""),
        *table(HEAD, rows(texts)),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
