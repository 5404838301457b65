"""The training corpora of each language pair, and the files that a text stage wrote of their parts.

Such a file is called ``{pair}/{part}{suffix}``; a part is a whole corpus, ``un``, or one of several
of it, ``un.2of8``.
"""

import re
from pathlib import Path

from contextnmt.errors import UserError
from contextnmt.report.experiment import Experiment, match

PART = re.compile(r"(?P<corpus>[^.]+)(\.[1-9]\d*of(?P<count>[1-9]\d*))?")

#: Corpus -> part -> file.
Corpora = dict[str, dict[str, Path]]


def by_corpus(option: str, paths: list[Path], suffix: str, about: Experiment) -> dict[str, Corpora]:
    """The files of each language pair: its corpora in the order given, their parts in their own.

    Raises UserError if a pair of the experiment has no file, if a file is of no such pair or not
    called after a part, or if a part of a corpus is missing or there twice.
    """
    found: dict[str, dict[str, list[Path]]] = {pair: {} for pair in about.pairs}
    for path in paths:
        pair = path.absolute().parent.name
        name = PART.fullmatch(part_of(path, suffix))
        if pair not in found:
            raise UserError(f"{option} {path}: {pair} is not a pair of the experiment")
        if name is None:
            raise UserError(
                f"{option} {path}: give files that are called CORPUS{suffix} or CORPUS.2of8{suffix}"
            )
        found[pair].setdefault(name["corpus"], []).append(path)
    missing = [pair for pair, corpora in found.items() if not corpora]
    if missing:
        raise UserError(f"{option}: no file for {', '.join(missing)}: make it and name it too")
    return {
        pair: {
            corpus: match(
                option, files, lambda path: part_of(path, suffix), parts_like(files[0], suffix)
            )
            for corpus, files in corpora.items()
        }
        for pair, corpora in found.items()
    }


def part_of(path: Path, suffix: str) -> str:
    """The part that a file is named after."""
    return path.name.removesuffix(suffix)


def parts_like(path: Path, suffix: str) -> list[str]:
    """All parts of the corpus that a file is of, in their order."""
    name = PART.fullmatch(part_of(path, suffix))
    assert name is not None
    if name["count"] is None:
        return [name["corpus"]]
    count = int(name["count"])
    return [f"{name['corpus']}.{number}of{count}" for number in range(1, count + 1)]
