"""The file that keeps the attention weights of a text's translations; read without a model."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from numpy.lib.npyio import NpzFile

from contextnmt.arrays import DAMAGE
from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary, refuse_special

#: Attention weights of one translation [target symbols, source symbols]; rows sum to 1. The last
#: column is the source's end-of-sentence; the last row is the translation's, if it is finished.
Weights = npt.NDArray[np.floating]


def write_alignments(path: Path, alignments: Iterable[Weights]) -> None:
    """Write the weights of a text's translations, in order, as an .npz file without pickle.

    Its arrays: `shapes` [sentences, 2] (int32), target and source symbols of each, 0 and 0 for an
    empty line; `weights` (float16), all matrices end to end, row by row. Equal weights give equal
    bytes.
    """
    matrices = list(alignments)
    shapes = np.array([matrix.shape for matrix in matrices], dtype=np.int32).reshape(-1, 2)
    weights = [matrix.astype(np.float16).ravel() for matrix in matrices]
    flat = np.concatenate([np.empty(0, np.float16), *weights])
    with atomic(path, "wb") as out:
        np.savez_compressed(out, allow_pickle=False, shapes=shapes, weights=flat)


def read_alignments(path: Path) -> list[Weights]:
    """The weights in a file that `write_alignments` made, one matrix a sentence.

    Raises UserError if it is not such a file.
    """
    refuse_special(path)
    try:
        with open_binary(path) as stream, NpzFile(stream) as arrays:
            shapes, flat = arrays["shapes"], arrays["weights"]
        matrices = np.split(flat, np.cumsum(shapes.prod(1, dtype=np.int64))[:-1])
        # Of no sentence, one matrix without a shape.
        return [each.reshape(shape) for each, shape in zip(matrices, shapes, strict=False)]
    except DAMAGE as error:
        raise UserError(
            f"{path}: no alignments of `contextnmt translate` ({error}): write them again"
        ) from None
