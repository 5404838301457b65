"""Stage *cross-entropy*: how much more a pair is like the in-domain text than like the pool."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from contextnmt.files import atomic, read_pairs
from contextnmt.progress import progress
from contextnmt.selection.language_models import DomainModels
from contextnmt.selection.ranking import SCORED

#: Pairs scored at a time: about 100,000 words a side, where the models are fastest.
BLOCK = 4096


def score_pairs(
    pairs: Iterable[tuple[str, str]], source_models: DomainModels, target_models: DomainModels
) -> Iterator[npt.NDArray[np.void]]:
    """The scores of a stream of pairs, block by block: [pairs of a block] of `SCORED` each.

    Axelrod et al. 2011: [H_I(s) - H_O(s)] + [H_I(t) - H_O(t)], lower is better. Infinite if a side
    is empty. A pair's score does not depend on the pairs around it.
    """
    pairs = iter(pairs)
    while block := list(islice(pairs, BLOCK)):
        sources, targets = zip(*block, strict=True)
        scored = np.empty(len(block), SCORED)
        target_difference, scored["target_words"] = target_models.cross_entropy_difference(targets)
        scored["score"] = source_models.cross_entropy_difference(sources)[0] + target_difference
        yield scored


def cross_entropy(
    source: Annotated[Path, typer.Option(help="Tokenized source side of a text of the pool.")],
    target: Annotated[Path, typer.Option(help="Its target side.")],
    source_models: Annotated[str, typer.Option(help="Prefix of the source language's models.")],
    target_models: Annotated[str, typer.Option(help="Prefix of the target language's models.")],
    out: Annotated[Path, typer.Option(help="Scores to write, PART.scores.npy, for rank.")],
) -> None:
    """Score pairs by the bilingual cross-entropy difference of Axelrod et al. 2011.

    The lower a score, the more the pair is like the in-domain text; in bits a word.

    Example: contextnmt cross-entropy --source news.en.gz --target news.fr.gz --source-models
    models.en --target-models models.fr --out news.scores.npy
    """
    models = DomainModels.load(source_models), DomainModels.load(target_models)
    pairs = progress(read_pairs(source, target), f"score {source.name}", "pairs")
    scored = np.concatenate([np.empty(0, SCORED), *score_pairs(pairs, *models)])
    with atomic(out, "wb") as stream:
        np.save(stream, scored, allow_pickle=False)
