"""The scores that a table of BLEU is made of: of every system, text and way to translate."""

from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import read_json
from contextnmt.report.experiment import Experiment, by_run, match

#: Key of a score of detokenized text in scores.json -> its heading. They are not to be compared
#: with the papers' own, ``bleu``, which alone has their numbers beside it.
DETOKENIZED = {"bleu_detokenized": "BLEU", "chrf": "chrF", "ter": "TER"}
METRICS = ("bleu", *DETOKENIZED)
#: Those that are the better the lower.
LOWEST = {"ter"}
#: Key of a signature in scores.json -> what it is of.
SIGNATURES = {
    "signature": "BLEU on tokenized text",
    "signature_detokenized": "Detokenized, with an untouched reference: BLEU",
    "signature_chrf": "chrF",
    "signature_ter": "TER (the lower the better)",
}

#: What a paper's table calls the translations with unknown words, beside those without.
ALL = "All"


class Variant(NamedTuple):
    """A way to translate beside the likeliest: its heading, and its column in a paper's file."""

    heading: str
    printed: str | None


#: End of a translation's name -> what it is.
VARIANTS = {
    "no-unknown": Variant("No UNK", "no_unk"),
    "normalised": Variant("normalised (extra)", None),
}


class Of(NamedTuple):
    """What a score is of; `variant` is empty for the likeliest translation."""

    pair: str
    system: str
    text: str
    beam: int
    variant: str = ""


#: The entries of scores.json: one a seed, or one of an ensemble.
Scores = dict[Of, list[dict[str, Any]]]


def variants_at(about: Experiment, beam: int) -> list[str]:
    """The variants that there are at a beam width, in the order of the table."""
    ends = [name.partition(".")[::2] for name in about.translations]
    there = [variant for width, variant in ends if width == f"beam{beam}"]
    return [variant for variant in VARIANTS if variant in there]


def variants(about: Experiment) -> list[str]:
    """The variants that there are at any width."""
    there = {variant for beam in about.beams for variant in variants_at(about, beam)}
    return [variant for variant in VARIANTS if variant in there]


def scores_of_runs(about: Experiment, files: list[Path]) -> Scores:
    """The scores of all seeds, in the order of the experiment.

    Raises UserError if a run has no file or two, or if one lacks a translation.
    """
    found: Scores = {}
    for run, path in by_run("scores", files, about).items():
        add(about, found, run.pair, run.system, path)
    return found


def scores_of_ensembles(about: Experiment, files: list[Path]) -> Scores:
    """The same of the ensembles, ``…/{pair}/{system}/ensemble/scores.json``."""
    wanted = [(pair, system.id) for pair in about.pairs for system in about.finished(pair)]
    found: Scores = {}
    paths = match("ensemble scores", files, folders_of, wanted if about.ensemble else [])
    for (pair, system), path in paths.items():
        add(about, found, pair, system, path)
    return found


def folders_of(path: Path) -> tuple[str, str]:
    """Language pair and system of an ensemble's file. Raises UserError if it is no such file."""
    *_, pair, system, name, _ = ("", "", "", *path.absolute().parts)
    if name != "ensemble":
        raise UserError(f"{path}: its path should end in PAIR/SYSTEM/ensemble/FILE")
    return pair, system


def add(about: Experiment, found: Scores, pair: str, system: str, path: Path) -> None:
    """Add the scores of one file."""
    content = read_json(path)
    for text in about.test[pair] + about.dev[pair]:
        for beam in about.beams:
            for variant in ["", *variants_at(about, beam)]:
                name = f"{text}.beam{beam}" + (f".{variant}" if variant else "")
                entry = entry_of(content, path, name)
                found.setdefault(Of(pair, system, text, beam, variant), []).append(entry)


def entry_of(content: Any, path: Path, name: str) -> dict[str, Any]:
    """The scores of one translation. Raises UserError if the file does not have them."""
    try:
        entry: dict[str, Any] = content[name]
        # Variants have no chrF and TER.
        wanted = {"bleu", "signature"} if name.count(".") > 1 else {*METRICS, *SIGNATURES}
        if "gap" not in entry and not entry.keys() >= wanted:
            raise KeyError(name)
    except (KeyError, TypeError):
        raise UserError(f"{path}: no BLEU for {name}: score this translation too") from None
    return entry


def values(scores: Scores, of: Of, metric: str) -> list[float] | None:
    """The score of each seed; None without any, or where one has a gap: a mean is one of all."""
    entries = scores.get(of, [])
    missing = not entries or any("gap" in entry for entry in entries)
    return None if missing else [entry[metric] for entry in entries]


def gap_of(scores: Scores, of: Of) -> str:
    """Why a score is missing: the gaps of its seeds; empty if it is there."""
    return "; ".join(dict.fromkeys(each["gap"] for each in scores.get(of, []) if "gap" in each))


def remarks(about: Experiment, scores: Scores, name: str = "") -> list[str]:
    """Why scores are missing, and what `score` noted of others, each once for all systems."""
    labels = {system.id: system.label for system in about.systems}
    found: dict[tuple[str, str], dict[str, None]] = {}
    for of, entries in scores.items():
        heading = VARIANTS[of.variant].heading + ", " if of.variant else ""
        where = f"{heading}{of.pair} {of.text}, beam {of.beam}{name}"
        for entry in entries:
            for reason in [entry["gap"]] if "gap" in entry else entry.get("notes", []):
                found.setdefault((where, reason), {})[labels[of.system]] = None
    return [
        f"{where}: {'all systems' if len(of) == len(labels) else ', '.join(of)}: {reason}."
        for (where, reason), of in found.items()
    ]


def subset_sizes(about: Experiment, scores: Scores) -> list[str]:
    """How many sentences of each text a score without unknown words is of, by view if they differ.

    ``newstest2014: 737 of 3,003``.
    """
    views = {system.id: system.view for system in about.systems}
    sizes: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for of, entries in scores.items():
        for entry in (each for each in entries if "of" in each):
            of_text = sizes.setdefault((of.pair, of.text), {})
            of_text[views[of.system]] = (entry["sentences"], entry["of"])
    shown = []
    for (pair, text), by_view in sizes.items():
        where = f"{pair} {text}" if len(about.pairs) > 1 else text
        for view, (kept, whole) in by_view.items():
            what = where if len(by_view) == 1 else f"{where} ({view})"
            shown.append(f"{what}: {kept:,} of {whole:,}")
    return shown
