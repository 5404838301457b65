"""The weights that a model starts from."""

import math

import pytest
import torch
from architectures import build, every

from contextnmt.errors import UserError
from contextnmt.model.initialisation import initialise

SIZES = {"embedding": 60, "hidden": 80, "alignment": 70, "maxout": 50}


def made(name, initialisation):
    model = build(name, 500, SIZES)
    initialise(model, initialisation)
    return dict(model.named_parameters())


def recurrent(name):
    """Whether a parameter is made of matrices from state to state."""
    return "recurrent" in name or "weight_hh" in name


@every
@pytest.mark.parametrize("initialisation", ["gaussian", "glorot"])
def test_recurrent_matrices_are_orthogonal_and_biases_zero(name, initialisation):
    parameters = made(name, initialisation)
    for key, parameter in parameters.items():
        if parameter.dim() == 1:
            assert not parameter.any(), key
        elif recurrent(key):
            for matrix in parameter.split(80):
                torch.testing.assert_close(
                    matrix @ matrix.T, torch.eye(80), rtol=0, atol=1e-5, msg=key
                )
    found = [key for key in parameters if recurrent(key)]
    directions = 1 if "encoder.backward_gru.cell.candidate.weight" not in parameters else 2
    if "decoder.cell.candidate.weight" in parameters:
        assert len(found) == 2 * (directions + 1)  # U and the pair U_z, U_r, each network


@every
def test_gaussian_is_that_of_the_paper(name):
    """Bahdanau et al. 2015, B.1."""
    for key, parameter in made(name, "gaussian").items():
        if key == "attention.energy.weight":
            assert not parameter.any()
        elif parameter.dim() == 2 and not recurrent(key):
            std = 0.001 if key in ("attention.query.weight", "attention.key.weight") else 0.01
            loose = 5 / math.sqrt(2 * parameter.numel())  # five standard errors
            assert parameter.std().item() == pytest.approx(std, rel=loose), key
            assert abs(parameter.mean().item()) < 5 * std / math.sqrt(parameter.numel()), key


@every
def test_glorot_scales_by_the_sizes(name):
    for key, parameter in made(name, "glorot").items():
        if parameter.dim() == 2 and not recurrent(key):
            std = 0.5 if "embedding" in key else math.sqrt(2 / sum(parameter.shape))
            loose = 5 / math.sqrt(2 * parameter.numel())
            assert parameter.std().item() == pytest.approx(std, rel=loose), key


def test_an_unknown_initialisation_is_refused():
    with pytest.raises(UserError, match=r"model\.initialisation is 'magic'"):
        initialise(build("Choi", 5, SIZES), "magic")
