"""The weights that a model starts from."""

import math

import pytest
import torch
from architectures import build, every

from contextnmt.model.translator import initialise

SIZES = {"embedding": 60, "hidden": 80, "alignment": 70, "maxout": 50}


def made(name, initialisation):
    model = build(name, 500, SIZES)
    initialise(model, initialisation)
    return dict(model.named_parameters())


#: The matrices from state to state: U, U_z and U_r of each network, or an LSTM's four.
RECURRENT = {
    "encoder.forward_gru.cell.recurrent_candidate.weight",
    "encoder.forward_gru.cell.recurrent_gates.weight",
    "encoder.backward_gru.cell.recurrent_candidate.weight",
    "encoder.backward_gru.cell.recurrent_gates.weight",
    "decoder.cell.recurrent_candidate.weight",
    "decoder.cell.recurrent_gates.weight",
    "encoder.forward_lstm.weight_hh_l0",
    "encoder.backward_lstm.weight_hh_l0",
    "decoder.recurrent.weight",
}


@every
@pytest.mark.parametrize("initialisation", ["gaussian", "glorot"])
def test_recurrent_matrices_are_orthogonal_and_biases_zero(name, initialisation):
    parameters = made(name, initialisation)
    for key, parameter in parameters.items():
        if parameter.dim() == 1:
            assert not parameter.any(), key
        elif key in RECURRENT:
            for matrix in parameter.split(80):
                torch.testing.assert_close(
                    matrix @ matrix.T, torch.eye(80), rtol=0, atol=1e-5, msg=key
                )
    networks = 3 if any(key.startswith("encoder.backward") for key in parameters) else 2
    matrices = sum(parameters[key].size(0) // 80 for key in RECURRENT & parameters.keys())
    assert matrices == networks * (3 if "decoder.cell.candidate.weight" in parameters else 4)


@every
def test_gaussian_is_that_of_the_paper(name):
    """Bahdanau et al. 2015, B.1."""
    for key, parameter in made(name, "gaussian").items():
        if key == "attention.energy.weight":
            assert not parameter.any()
        elif parameter.dim() == 2 and key not in RECURRENT:
            std = 0.001 if key in ("attention.query.weight", "attention.key.weight") else 0.01
            loose = 5 / math.sqrt(2 * parameter.numel())  # five standard errors
            assert parameter.std().item() == pytest.approx(std, rel=loose), key
            assert abs(parameter.mean().item()) < 5 * std / math.sqrt(parameter.numel()), key


@every
def test_glorot_scales_by_the_sizes(name):
    for key, parameter in made(name, "glorot").items():
        if parameter.dim() == 2 and key not in RECURRENT:
            std = 0.5 if "embedding" in key else math.sqrt(2 / sum(parameter.shape))
            loose = 5 / math.sqrt(2 * parameter.numel())
            assert parameter.std().item() == pytest.approx(std, rel=loose), key
