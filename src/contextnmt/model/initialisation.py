"""How the weights start."""

import torch
from torch import nn

from contextnmt.errors import UserError


def gaussian(model: nn.Module) -> None:
    """As in Bahdanau et al. 2015, B.1: recurrent matrices orthogonal, W_a and U_a N(0, 0.001^2),
    v_a and all biases zero, everything else N(0, 0.01^2)."""
    for name, weight in model.named_parameters():
        if weight.dim() == 1 or name == "attention.energy.weight":
            nn.init.zeros_(weight)
        elif "recurrent" in name or "weight_hh" in name:
            for gate in torch.split(weight.data, weight.size(1)):
                nn.init.orthogonal_(gate)
        else:
            nn.init.normal_(weight, std=0.001 if name.startswith("attention.") else 0.01)


def glorot(model: nn.Module) -> None:
    """Glorot and Bengio 2010: for short trainings, which the papers' small weights would not leave
    the plateau in. Embeddings N(0, 0.5^2), biases zero, recurrent matrices orthogonal."""
    for name, weight in model.named_parameters():
        if weight.dim() == 1:
            nn.init.zeros_(weight)
        elif "recurrent" in name or "weight_hh" in name:
            for gate in torch.split(weight.data, weight.size(1)):
                nn.init.orthogonal_(gate)
        elif "embedding" in name:
            nn.init.normal_(weight, std=0.5)
        else:
            nn.init.xavier_uniform_(weight)


INITIALISATIONS = {"gaussian": gaussian, "glorot": glorot}


def initialise(model: nn.Module, name: str) -> None:
    """Set all weights of `model` anew. Raises UserError if there is no initialisation `name`."""
    if name not in INITIALISATIONS:
        choices = ", ".join(INITIALISATIONS)
        raise UserError(f"model.initialisation is {name!r}: choose from {choices}")
    INITIALISATIONS[name](model)
