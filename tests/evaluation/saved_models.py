"""Folders as `contextnmt train` and `contextnmt cbow` leave them, with random weights."""

import dataclasses
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from contextnmt.configuration.model import model_settings
from contextnmt.evaluation.cbow import WordVectors, write_cbow
from contextnmt.files import write_json
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import Vocabulary

CONTEXTUALIZER = {"layers": [7, 6]}
SHARED = {**CONTEXTUALIZER, "table": "shared"}


def save_model(folder: Path, words: list[str], contextualizer: dict | None = None) -> Translator:
    """A small model of these source words, untrained; its weights are all far from zero."""
    torch.manual_seed(3)
    block = {
        "embedding": 5,
        "hidden": 4,
        "alignment": 4,
        "maxout": 3,
        "contextualizer": contextualizer,
        "initialisation": "glorot",
    }
    vocabulary = Vocabulary(words)
    settings = model_settings(block)
    model = Translator(settings, len(vocabulary), len(vocabulary)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.8)
    folder.mkdir(parents=True)
    save_file(model.state_dict(), folder / "model.safetensors")
    write_json(folder / "model.json", {"model": dataclasses.asdict(settings)})
    for side in ("source", "target"):
        vocabulary.write(folder / f"vocabulary.{side}.tsv", dict.fromkeys(words, 1))
    return model


def save_vectors(folder: Path, words: list[str], vectors: np.ndarray) -> None:
    write_cbow(folder, WordVectors(words, vectors), dict.fromkeys(words, 1))
