"""A random model, saved as `contextnmt train` saves one."""

import dataclasses
import json

import torch
from safetensors.torch import save_file

from contextnmt.configuration.model import ModelSettings
from contextnmt.files import read_lines, write_lines
from contextnmt.model.translator import Translator

WORDS = ["a", "b", "c", "d", "e", "f"]
SIDES = ("source", "target")


def save(folder, seed=4, words=WORDS, end=3.0, **settings):
    """A random model in the files of `contextnmt train`, which writes unknown words readily."""
    for side in SIDES:
        write_lines(folder / f"vocabulary.{side}.tsv", [f"{word}\t1" for word in words])
    write_model(folder, seed, end, 3.0, **settings)
    return folder


def write_model(folder, seed, end, unknown, **settings):
    """A random model of the vocabularies in `folder`; `end` and `unknown` are biases of symbols."""
    chosen = ModelSettings(5, 6, 4, 5, **settings)
    sizes = [len(list(read_lines(folder / f"vocabulary.{side}.tsv"))) + 3 for side in SIDES]
    model = Translator(chosen, *sizes)
    torch.manual_seed(seed)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    with torch.no_grad():
        padding = -50.0
        model.readout.layers[-1].bias[:3] = torch.tensor([padding, end, unknown])
    save_file(model.state_dict(), folder / "model.safetensors")
    (folder / "model.json").write_text(json.dumps({"model": dataclasses.asdict(chosen)}))
