"""Stage *generate*: the corpus that the package writes itself."""

from pathlib import Path
from typing import Annotated

import typer

from contextnmt.corpus.embedded.archive import write_archive


def generate(
    seed: Annotated[int, typer.Option(help="Seed of the generator.")],
    out: Annotated[Path, typer.Option(help="Archive to write.")],
) -> None:
    """Write the embedded corpus: a tar archive of all its texts, the same for the same seed.

    Example: contextnmt generate --seed 1 --out generate/embedded/embedded.tar.gz
    """
    write_archive(out, seed)
