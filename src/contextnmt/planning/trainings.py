"""What is known of a training before it starts: its updates at most, and the size of its model."""

from typing import Any

import torch

from contextnmt.configuration import recipes
from contextnmt.configuration.model import model_settings
from contextnmt.model.translator import Translator
from contextnmt.planning.jobs import Job

#: Padding, the end of a sentence and the unknown word have ids too (text/vocabulary.py).
SPECIAL = 3


def recipe(job: Job, configuration: dict[str, Any]) -> dict[str, Any]:
    """How the system of a training is made."""
    assert job.pair is not None
    return recipes.recipe(configuration, job.pair, job.wildcards["system"])


def longest(job: Job, configuration: dict[str, Any]) -> tuple[int, int]:
    """How long a training is at most: its updates, and the pairs of each.

    It ends earlier if its dev BLEU stops rising.
    """
    training = recipe(job, configuration)["training"]
    return training["max_updates"], training["batch_size"]


def weights(job: Job, configuration: dict[str, Any]) -> int:
    """The bytes of the model that a training leaves, if its vocabularies are full."""
    words = configuration["text"]["vocabulary_size"] + SPECIAL
    with torch.device("meta"):  # shapes alone, no memory
        model = Translator(model_settings(recipe(job, configuration)["model"]), words, words)
    return sum(weight.numel() * weight.element_size() for weight in model.parameters())
