"""Attention weights of finished translations, and the file that keeps them.

They are computed by forcing a translation through the model, as Jean et al. 2015 do for the
replacement of unknown words (spec sec. 5.1): so search has nothing to keep, and any translation
can be aligned, whoever made it.
"""

import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from numpy.lib.npyio import NpzFile
from torch import Tensor

from contextnmt.errors import UserError
from contextnmt.files import atomic, open_binary
from contextnmt.model.translator import PADDING
from contextnmt.translation.ensemble import Ensemble

#: Attention weights of one translation [target symbols, source symbols]; rows sum to 1. The last
#: column is the source's end-of-sentence; the last row is the translation's, if it is finished.
Weights = npt.NDArray[np.floating]


@torch.inference_mode()
def attention_weights(
    ensemble: Ensemble, source: Tensor, targets: Sequence[Sequence[int]]
) -> list[Weights]:
    """alpha_ij of each symbol i of a translation and j of its source (Bahdanau et al. 2015, eq. 6).

    `source` [B, S] ends each sentence by end-of-sentence, then padding; `targets` are B
    translations of at least one symbol, with end-of-sentence where they have one. Of an ensemble,
    the mean of its models. Raises UserError if a model has no attention.
    """
    longest = max(map(len, targets))
    words = source.new_tensor([[*ids, *[PADDING] * (longest - len(ids))] for ids in targets])
    encoded = ensemble.encode(source)
    states, steps = ensemble.start(encoded), []
    for step in range(longest):
        weights, contexts = ensemble.attend(states, encoded)
        steps.append(weights)
        states = ensemble.advance(states, words[:, step : step + 1], contexts, encoded)
    together = torch.cat(steps, dim=1).cpu().numpy()  # [B, T, S]
    lengths = (source != PADDING).sum(1).tolist()
    return [
        weights[: len(ids), :length]
        for weights, ids, length in zip(together, targets, lengths, strict=True)
    ]


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
    try:
        with open_binary(path) as stream, NpzFile(stream) as arrays:
            shapes, flat = arrays["shapes"], arrays["weights"]
        ends = np.cumsum(shapes.prod(1, dtype=np.int64))
        if len(flat) != (ends[-1] if len(ends) else 0):
            raise ValueError(f"{len(flat)} weights for {len(ends)} sentences")
        return [
            matrix.reshape(shape)
            for matrix, shape in zip(np.split(flat, ends[:-1]), shapes, strict=False)
        ]
    except (zipfile.BadZipFile, KeyError, ValueError) as error:
        raise UserError(
            f"{path}: no alignments of `contextnmt translate` ({error}): write them again"
        ) from None
