"""The weights that a model starts from."""

import math

import pytest
import torch
from architectures import build, every

from contextnmt.model.translator import initialise

SIZES = {"embedding": 60, "hidden": 80, "alignment": 70, "maxout": 50}


def deviation(initialisation, key, shape):
    """Return the standard deviation of a matrix: of `gaussian` by Bahdanau et al. 2015, B.1."""
    if key == "attention.energy.weight":
        return 0.0
    if initialisation == "glorot":
        return 0.5 if "embedding" in key else math.sqrt(2 / sum(shape))
    return 0.001 if key in ("attention.query.weight", "attention.key.weight") else 0.01


@every
@pytest.mark.parametrize("initialisation", ["gaussian", "glorot"])
def test_biases_are_zero_recurrent_matrices_orthogonal_and_others_random(name, initialisation):
    model = build(name, 500, SIZES)
    initialise(model, initialisation)
    orthogonal = 0
    for key, parameter in model.named_parameters():
        if parameter.dim() == 1:
            assert not parameter.any(), key
        elif "recurrent" in key or "weight_hh" in key:
            for matrix in parameter.split(80):  # U, U_z and U_r, or an LSTM's four
                orthogonal += 1
                torch.testing.assert_close(
                    matrix @ matrix.T, torch.eye(80), rtol=0, atol=1e-5, msg=key
                )
        else:
            std = deviation(initialisation, key, parameter.shape)
            loose = 5 / math.sqrt(2 * parameter.numel())  # five standard errors
            assert parameter.std().item() == pytest.approx(std, rel=loose), key
            assert abs(parameter.mean().item()) <= 5 * std / math.sqrt(parameter.numel()), key
    networks = 3 if model.encoder.__class__.__name__ == "BidirectionalEncoder" else 2
    assert orthogonal == networks * (3 if hasattr(model.decoder, "cell") else 4)
