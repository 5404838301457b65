"""A random model, saved as `contextnmt train` saves one."""

import dataclasses
import json

import torch
from safetensors.torch import save_file

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator

WORDS = ["a", "b", "c", "d", "e", "f"]


def save(folder, seed=1, words=WORDS, end=3.0, **settings):
    """A random model in the files of `contextnmt train`, which writes unknown words readily.

    `end` is the bias of end-of-sentence.
    """
    folder.mkdir()
    torch.manual_seed(seed)
    chosen = ModelSettings(5, 6, 4, 5, initialisation="glorot", **settings)
    model = Translator(chosen, len(words) + 3, len(words) + 3)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    with torch.no_grad():
        model.readout.output.bias[:3] = torch.tensor([-50.0, end, 3.0])  # padding, end, unknown
    save_file(model.state_dict(), folder / "model.safetensors")
    (folder / "model.json").write_text(json.dumps({"model": dataclasses.asdict(chosen)}))
    for side in ("source", "target"):
        lines = "".join(f"{word}\t1\n" for word in words)
        (folder / f"vocabulary.{side}.tsv").write_text(lines)
    return folder
