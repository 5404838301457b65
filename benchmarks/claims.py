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

HEAD = ["claim", "text", "systems", "BLEU", "difference", "95 % interval"]
HEAD += ["p, bootstrap", "p, randomization", "holds"]

NOTES = f"""
BLEU of the test text at beam {BEAM}, cased, on tokenized text; the mean over seeds where there are
several. Difference: of the two systems. Of the claim about length, it is the difference on source
sentences longer than the median less that on the others, both in points of BLEU, whatever these
start from. Interval and first p: the paired bootstrap (Koehn 2004); second p: approximate
randomization (Riezler and Maxwell 2005), which says nothing about the claim of length;
{RESAMPLES:,} draws each, two-sided, not corrected for how many claims there are.
A claim holds, or the opposite does, if every p is below {LEVEL}; else it is not shown. Intervals
and p are about other test sentences, with the models at hand; another training may differ.
"""


class Claim(NamedTuple):
    """What a paper says: that a system is better than another one.

    `longer`: that it is so by more on long sentences than on short ones.
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

    @property
    def median(self) -> float:
        """Words of a source in the middle."""
        return float(np.median(self.lengths))


class Effect(NamedTuple):
    """A difference of BLEU with its interval; `p` by bootstrap and, if it was made, by swaps.

    `scores` [parts, 2] of both systems on the parts of the text: all, or long and short.
    """

    scores: npt.NDArray[np.float64]
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
    languages = pair.split("-")
    text = reference.name.removesuffix(f".{languages[1]}.gz")
    source = reference.with_name(f"{text}.{languages[0]}.gz")
    paths = sorted((results / "restore" / pair).glob(f"*/[0-9]*/{text}.beam{BEAM}.gz"))
    systems, seeds = ([path.parts[place] for path in paths] for place in (-3, -2))
    found = read_translations(
        f"{text}.beam{BEAM}", reference, systems, list(map(int, seeds)), paths
    )
    lengths = np.array([len(words_of(line)) for line in read_lines(source)])
    return Text(f"{pair} {text}", found, lengths)


def gap(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """By how much the first system is better than the second, [..., parts, 2] to [...]; of two
    parts, on the first more than on the second."""
    differences = scores[..., 0] - scores[..., 1]
    first: npt.NDArray[np.float64] = differences[..., 0]
    return first - differences[..., 1] if differences.shape[-1] == 2 else first


def effect(claim: Claim, text: Text) -> Effect:
    """How much better the one system is."""
    better, worse = (text.found.statistics[name] for name in (claim.better, claim.worse))
    long = text.lengths > text.median
    parts = [long, ~long] if claim.longer else [np.ones_like(long)]
    # A part is the text with nothing in the other sentences, so that both are drawn together.
    counts = np.stack([np.stack([better, worse]) * part[:, np.newaxis] for part in parts])
    scores = corpus_bleu(counts.sum(axis=-2)).mean(axis=-1)
    drawn = gap(bootstrap(counts, RESAMPLES).mean(axis=-1))
    p = [p_bootstrap(drawn)]
    p += [] if claim.longer else [p_randomization(better, worse, RESAMPLES)]
    return Effect(scores, float(gap(scores)), interval(drawn), p)


def rows(texts: list[Text]) -> Iterator[list[str]]:
    """A row for each claim and text that has its systems."""
    for claim in CLAIMS:
        for text in texts:
            if {claim.better, claim.worse} <= set(text.found.statistics):
                found = effect(claim, text)
                parts = f"; over and up to {text.median:g} words" if claim.longer else ""
                yield [
                    f"{claim.paper}: {claim.says}",
                    text.name,
                    f"{claim.better} over {claim.worse}{parts}",
                    "; ".join(f"{one:.2f}, {other:.2f}" for one, other in found.scores),
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
    names = " ".join(map(str, references))
    lines = [
        *("# The papers' claims on real text", ""),
        *made_by(f"python benchmarks/claims.py {names}", "sacrebleu"),
        *("", " ".join(NOTES.split()), ""),
        *table(HEAD, rows(texts)),
    ]
    publish(lines, out)


if __name__ == "__main__":
    typer.run(main)
