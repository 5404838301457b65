"""A comparison of two results folders as lines for a terminal."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from contextnmt.evaluation.resampling import CONFIDENCE
from contextnmt.report.changed_scores import SIDES, ScoreChange, Unmatched, seed_list
from contextnmt.report.changed_settings import Change, scope
from contextnmt.report.experiment import Run
from contextnmt.report.nested import MISSING, shown
from contextnmt.report.provenance import DIGITS
from contextnmt.report.significance_table import LEVEL, p_value, scored, span
from contextnmt.report.tables import NONE, signed

#: Kinds of changes, as headings call them.
HEADINGS = {
    "setting": "Settings",
    "data": "Training and dev texts, vocabularies",
    "code": "Source files of the training",
    "environment": "Environment",
}

HEAD = ["system", "A", "B", "B - A", f"{CONFIDENCE} % interval", "p, bootstrap", "p, randomization"]

#: Columns of a line, and of a value in it.
WIDTH, VALUE = 100, 60

DIGEST = re.compile("[0-9a-f]{40,}")

#: Stands behind a significant difference.
MARK = " *"


def lines_of(
    folders: Sequence[str],
    missing: list[Unmatched],
    changes: list[Change],
    runs: list[Run],
    scores: list[ScoreChange],
) -> Iterator[str]:
    """All lines; `folders` are the names of A and B, `runs` those whose settings were compared."""
    for side, folder in zip(SIDES, folders, strict=True):
        yield f"{side}: {folder}"
    yield ""
    told = list(without_counterpart(missing))
    yield from [*told, ""] if told else []
    if runs and not changes:
        yield "Trainings: no difference in settings, texts, code, environment, as the folders tell."
        yield "How models were searched for translations, and by which code, is not recorded."
        yield ""
    if not runs:
        yield "Settings: no run in both whose settings are known."
        yield ""
    for kind, heading in HEADINGS.items():
        of_kind = [change for change in changes if change.kind == kind]
        if of_kind:
            yield f"{heading}, A -> B"
            yield from changed(of_kind, runs)
            yield ""
    if not scores:
        yield "BLEU: no translation of the same text, by the same system and beam, in both."
        return
    for _, block in groupby(scores, lambda score: (score.pair, score.translation)):
        yield from compared(list(block))
        yield ""
    yield from notes(scores)


def without_counterpart(missing: list[Unmatched]) -> Iterator[str]:
    """What is in one folder alone, or not finished."""
    for number, side in enumerate(SIDES):
        only = []
        for each in missing:
            own, other = (each.a, each.b) if number == 0 else (each.b, each.a)
            surplus = set(own) - set(other)
            if each.kind == "run" and surplus:
                only.append(f"{each.pair}/{each.system} ({seed_list(surplus)})")
            elif each.kind == "translation" and own and each.translation:
                only.append(f"{each.translation.name} of {each.pair}/{each.system}")
        if only:
            yield from wrapped(f"Only in {side}: {', '.join(only)}")
    for each in missing:
        if each.reason:
            side, seeds = (SIDES[0], each.a) if each.a else (SIDES[1], each.b)
            what = "Not finished" if each.kind == "unfinished" else "Settings not known"
            run = f"{each.pair}/{each.system} {seed_list(seeds)}"
            yield from wrapped(f"{what} in {side}: {run}: {each.reason}")


def changed(changes: list[Change], runs: list[Run]) -> Iterator[str]:
    """The changes of a kind, those that the same runs have in common together."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(scope(change.runs, runs), []).append(change)
    # What all runs have in common first.
    for name, group in sorted(groups.items(), key=lambda item: -len(item[1][0].runs)):
        yield from wrapped(name)
        width = max(len(change.key) for change in group)
        for change in group:
            yield f"    {change.key.ljust(width)}  {short(change.a)} -> {short(change.b)}"


def short(value: object) -> str:
    """A value that fits on a line; a digest by its first digits."""
    if value is MISSING:
        return "not stated"
    text = shown(value)
    if DIGEST.fullmatch(text):
        return text[:DIGITS]
    return text if len(text) <= VALUE else f"{text[: VALUE - 1]}…"


def compared(scores: list[ScoreChange]) -> Iterator[str]:
    """The table of a text in a language pair, and what to know of its rows."""
    first = scores[0]
    sentences = next((each.sentences for each in scores if each.sentences), None)
    size = f", {sentences:,} sentences" if sentences else ""
    text, beam = first.translation
    yield f"BLEU of {first.pair}, {text}, beam {beam}{size}"
    yield from aligned([HEAD, *map(cells, scores)])
    noted: dict[str, list[str]] = {}
    for score in scores:
        for note in score.notes:
            noted.setdefault(note, []).append(score.system)
    for note, systems in noted.items():
        who = "" if len(systems) == len(scores) > 1 else f"{', '.join(systems)}: "
        yield from wrapped(f"{who}{note}", "  ")


def cells(score: ScoreChange) -> list[str]:
    """A row of the table."""
    bleu = [scored(entry)[0].plain if entry else NONE for entry in (score.a, score.b)]
    if not score.tested:
        return [score.system, *bleu, *[NONE] * 4]
    tested = score.tested
    return [
        score.system,
        *bleu,
        signed(tested["difference"]) + (MARK if score.significant else " " * len(MARK)),
        span(tested["interval"], signed).text,
        p_value(tested["p_bootstrap"]),
        p_value(tested["p_randomization"]),
    ]


def aligned(rows: list[list[str]]) -> Iterator[str]:
    """Lines of a table: labels to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for label, *others in rows:
        numbers = (text.rjust(width) for text, width in zip(others, widths[1:], strict=True))
        yield "  " + "  ".join([label.ljust(widths[0]), *numbers]).rstrip()


def notes(scores: list[ScoreChange]) -> Iterator[str]:
    """What a reader must know to read the tables."""
    tested = [score for score in scores if score.tested]
    if not tested:
        return
    if any(len(score.seeds) > 1 for score in tested):
        yield "BLEU: mean ± standard deviation of seeds."
    count = sum(score.significant for score in tested)
    yield from wrapped(
        f"* significant, {count} of {len(tested)}: by both tests chance alone gives such a "
        f"difference in less than {100 * LEVEL:.0f} % of cases. They are two-sided and not "
        "corrected for how many are made; they tell what another choice of test sentences would "
        "give, with these models, not what another training would."
    )


def wrapped(text: str, before: str = "") -> Iterable[str]:
    """Lines of `text`, the second and later ones further in."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=before,
        subsequent_indent=f"{before}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
