"""The model of yardstick.py in OpenNMT-py, by its own commands: what decoding.py compares with."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from peers import OPENNMT, Programs

#: The model, trained for two updates.
SETTINGS: dict[str, Any] = {
    **OPENNMT,
    **{"train_steps": 2, "save_checkpoint_steps": 2, "valid_steps": 1000},
    **{"batch_type": "sents", "batch_size": 16, "bucket_size": 64, "num_workers": 0},
    "dropout": [0.0],
}


class OpenNMT:
    """A model that translates `texts`, whose words are numbers below `words`."""

    def __init__(
        self,
        programs: Path,
        folder: Path,
        texts: Sequence[Sequence[int]],
        words: int,
        threads: int,
    ) -> None:
        """Train in `folder`; `programs` holds the commands of OpenNMT-py."""
        self.programs, self.folder = Programs(programs, threads), folder
        self.text, vocabulary = folder / "text", folder / "vocabulary"
        self.text.write_text("".join(" ".join(map(str, ids)) + "\n" for ids in texts))
        vocabulary.write_text("".join(f"{number}\n" for number in range(words)))
        config = {
            **SETTINGS,
            **{"save_data": str(folder / "data"), "save_model": str(folder / "model")},
            **{"src_vocab": str(vocabulary), "tgt_vocab": str(vocabulary)},
            "data": {"corpus": {"path_src": str(self.text), "path_tgt": str(self.text)}},
        }
        (folder / "config.yaml").write_text(json.dumps(config))  # JSON is YAML too
        self.programs.call("onmt_train", "-config", folder / "config.yaml")

    def seconds(self, width: int, steps: int, sentences: int) -> float:
        """What it says that translating took, without its start; `sentences` a batch."""
        said = self.programs.call(
            "onmt_translate",
            *("-model", self.folder / "model_step_2.pt", "-src", self.text),
            *("-output", self.folder / "translated", "-beam_size", width),
            *("-min_length", steps, "-max_length", steps, "-max_length_ratio", 0),
            *("-batch_type", "sents", "-batch_size", sentences, "-report_time"),
        )
        [took] = re.findall(r"Total translation time \(s\): ([\d.]+)", said)
        return float(took)

    def version(self) -> str:
        """Of OpenNMT-py and the torch that it uses."""
        return self.programs.version("OpenNMT-py")
