"""Stage *language-models*: the models of one language that the selection compares."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.selection.domain_models import DomainModels


def language_models(
    in_domain: Annotated[list[Path], typer.Option(help="Tokenized in-domain text; repeatable.")],
    general: Annotated[Path, typer.Option(help="Tokenized sample of the pool, same language.")],
    out: Annotated[
        str, typer.Option(help="Prefix of the files .vocabulary.txt, .in-domain.npz, .general.npz.")
    ],
) -> None:
    """Estimate a language model of the in-domain text and one of text in general.

    Both are 4-gram models with interpolated modified Kneser-Ney smoothing. They know the words
    that the in-domain text has at least twice.

    Example: contextnmt language-models --in-domain newstest2012.fr.gz --in-domain
    newstest2013.fr.gz --general sample.fr.gz --out models.fr
    """
    in_domain_lines = list(chain.from_iterable(map(read_lines, in_domain)))
    if not any(line.split() for line in in_domain_lines):
        names = ", ".join(map(str, in_domain))
        raise UserError(f"{names}: no words: name texts of the domain to select for")
    DomainModels.estimate(in_domain_lines, list(read_lines(general))).save(out)
