"""Whether the papers' claims hold in finished runs: effect, interval and tests, a Markdown page.

Each run is named by its reference, tokenized words: there are its language pair, its text, and
beside it the translations of all systems. Claims whose systems are not there are left out, and
those that are not about the BLEU of two systems.

benchmarks/README.md has an example.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
import yaml
from calls import ROOT
from pages import Out, made_by, publish, table

from contextnmt.errors import UserError
from contextnmt.evaluation.outputs import read_translations, source_lengths
from contextnmt.evaluation.significance import RESAMPLES, content
from contextnmt.report.certainty import TESTS, p_value
from contextnmt.report.claims import in_words, judged
from contextnmt.report.experiment import claim_of
from contextnmt.report.results import Claim as Told
from contextnmt.report.results import Range
from contextnmt.report.tables import signed

BEAM = 12

HEAD = ["claim", "claimed", "text", "systems", "seeds", "BLEU", "difference", "95 % interval"]
HEAD += ["p, bootstrap", "p, randomization", "verdict"]

NOTES = f"""
BLEU of the test text at beam {BEAM}, cased, on tokenized text; of several seeds, the mean.
Difference: of the two systems. Of a claim about length: the difference on source sentences longer
than the median less that on the others, in points of BLEU. Interval: over test sentences by the
paired bootstrap (Koehn 2004), and, with several seeds, over seeds, whose variance is shrunk towards
that of all systems. p: over sentences alone, two-sided, by the bootstrap and by approximate
randomization (Riezler and Maxwell 2005), not for claims about length. {RESAMPLES:,} draws each;
nothing is corrected for the number of claims. A claim holds if the whole interval lies in what is
claimed, and does not if none of it does: of a claim of more (> 0), the opposite holds. With one
seed there is no verdict: other trainings may give other differences.
"""


class Claim(NamedTuple):
    """A claim of a paper on two of the systems that it is about."""

    paper: str
    told: Told
    contrast: tuple[str, str]


def claims() -> Iterator[Claim]:
    """The claims of all papers."""
    for path in sorted((ROOT / "workflow" / "experiments").glob("*.yaml")):
        ((name, entry),) = yaml.safe_load(path.read_text())["experiments"].items()
        for told in map(claim_of, entry.get("claims", [])):
            yield from (Claim(name, told, contrast) for contrast in told.contrasts)


class Text(NamedTuple):
    """A test text, and what stage significance says of its systems, trainings and all claims."""

    pair: str
    name: str
    seeds: int
    systems: dict[str, Any]
    contrasts: dict[tuple[str, str], dict[str, Any]]


def read_text(reference: Path) -> Text:
    """The text of a reference ``RESULTS/tokenize/PAIR/TEXT.LANGUAGE.gz`` and its translations.
    Further references beside it, ``TEXT.reference2.LANGUAGE.gz``, count too.

    Raises UserError if it is named otherwise.
    """
    results, pair = reference.parents[2], reference.parent.name
    source_language, language = pair.split("-")
    text = reference.name.removesuffix(f".{language}.gz")
    if text == reference.name:
        raise UserError(f"{reference}: name the reference, as TEXT.{language}.gz")
    source = reference.with_name(f"{text}.{source_language}.gz")
    paths = sorted((results / "restore" / pair).glob(f"*/[0-9]*/{text}.beam{BEAM}.gz"))
    systems, seeds = [path.parts[-3] for path in paths], [int(path.parts[-2]) for path in paths]
    references = [reference, *reference.parent.glob(f"{text}.reference[0-9]*.{language}.gz")]
    found = read_translations(f"{text}.beam{BEAM}", references, systems, seeds, paths)
    there = (each.contrast for each in claims() if found.statistics.keys() >= {*each.contrast})
    asked = list(dict.fromkeys(there))
    made = content(found, asked, source_lengths(source, reference, found))
    found_contrasts = dict(zip(asked, made["contrasts"], strict=True))
    return Text(pair, text, len(made["seeds"]), made["systems"], found_contrasts)


def row(claim: Claim, claimed: Range, text: Text) -> list[str]:
    """The row of a claim on a text that has its systems; `claimed` in its language pair."""
    found = text.contrasts[claim.contrast]
    systems = [text.systems[each] for each in claim.contrast]
    names, tests = " over ".join(claim.contrast), TESTS
    scores = [[each["bleu"] for each in systems]]
    if claim.told.longer:
        found = found["growth"]
        scores, tests = [found["long"], found["short"]], TESTS[:1]
        names += f"; over and up to {found['median']:g} words"
    intervals = found["interval"], found["interval_with_seeds"]
    said = judged(claimed, {}, *intervals)
    p = [found[test] for test in tests]
    return [
        *(f"{claim.paper}: {claim.told.says}", in_words(claimed)),
        *(f"{text.pair} {text.name}", names, str(text.seeds)),
        "; ".join(f"{one:.2f}, {other:.2f}" for one, other in scores),
        *(signed(found["difference"]), f"{signed(said['low'])} to {signed(said['high'])}"),
        *(*map(p_value, p), *[""] * (2 - len(p))),
        ", ".join(filter(None, (said["verdict"], said.get("reason")))),
    ]


def rows(texts: list[Text]) -> Iterator[list[str]]:
    """A row for each claim and text that has its systems, and halves if it is about length."""
    for claim in claims():
        for text in texts:
            found, claimed = text.contrasts.get(claim.contrast), claim.told.claimed(text.pair)
            if found and claimed and (found["growth"] or not claim.told.longer):
                yield row(claim, claimed, text)


def main(
    references: Annotated[list[Path], typer.Argument(help="results/*/tokenize/PAIR/TEXT.LANG.gz")],
    out: Out = None,
) -> None:
    """Hold the papers' claims against the translations beside each of REFERENCES."""
    texts = [read_text(reference) for reference in references]
    title = "# The papers' claims on real text"
    publish(out, title, made_by("sacrebleu"), NOTES, table(HEAD, rows(texts)))


if __name__ == "__main__":
    typer.run(main)
