"""The model of yardstick.py in other toolkits, by their own commands: what benchmarks compare with.

Each toolkit lies in an environment of its own. How fast it trains and translates is what its logs
say.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from made_up_pairs import Pair

from contextnmt.text.vocabulary import SPECIALS
from contextnmt.training.process import STEP

#: No GPU. Some read their own models as pickles, which torch since 2.6 has to be told to allow.
#: Freed memory stays, as by training/process.py, but for its huge pages.
ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "",
    "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1),
    "MALLOC_TOP_PAD_": str(STEP),
}

SIDES = ("source", "target")

#: What OpenNMT-py and its descendant eole call the parts of `Yardstick`.
UNIT = {"rnn_type": "LSTM", "layers": 1, "hidden_size": 512}
ENCODER = {"encoder_type": "brnn", **UNIT}
DECODER = {"decoder_type": "rnn", "global_attention": "mlp", **UNIT}

#: The sizes of `Yardstick`, additive attention, input feeding, in OpenNMT-py.
OPENNMT = {**ENCODER, **DECODER, "word_vec_size": 256, "input_feed": 1}


class Programs:
    """The commands in the folder `bin` of an environment, run with so many threads."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder, self.threads = folder.absolute(), threads

    def call(self, program: str, *arguments: object) -> str:
        """What a program says."""
        threads = dict.fromkeys(["OMP_NUM_THREADS", "MKL_NUM_THREADS"], str(self.threads))
        done = subprocess.run(
            [self.folder / program, *map(str, arguments)],
            env={**os.environ, **ENVIRONMENT, **threads},
            text=True,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise SystemExit(f"{program} failed:\n{done.stdout[-2000:]}")
        return done.stdout

    def version(self, package: str) -> str:
        """Of a package and the torch that it uses."""
        asked = f"from importlib.metadata import version as v; print(v('{package}'), v('torch'))"
        own, torch = self.call("python", "-c", asked).split()
        return f"{package} {own} with torch {torch}"


class Corpus(NamedTuple):
    """Where `write_corpus` has put a text: FOLDER/text.source, text.target and vocabulary."""

    folder: Path
    words: int  # in the vocabulary, without what a toolkit adds

    def text(self, side: str) -> Path:
        """A line for each sentence."""
        return self.folder / f"text.{side}"

    @property
    def vocabulary(self) -> Path:
        """A line for each word, of either side."""
        return self.folder / "vocabulary"


class Recipe(NamedTuple):
    """Pairs in a batch; updates, and those between two reports of the speed."""

    batch_size: int
    updates: int
    report: int


class Beam(NamedTuple):
    """The width of a beam, the words of every translation, and sentences in a batch."""

    width: int
    words: int
    batch_size: int


def write_corpus(folder: Path, pairs: Iterable[Pair], words: int) -> Corpus:
    """Write the pairs of `made_up` with the ids as words."""
    corpus = Corpus(folder, words)
    for side, sentences in zip(SIDES, zip(*pairs, strict=True), strict=True):
        lines = (" ".join(map(str, ids)) + "\n" for ids in sentences)
        corpus.text(side).write_text("".join(lines))
    spelt = range(len(SPECIALS), len(SPECIALS) + words)
    corpus.vocabulary.write_text("".join(f"{word}\n" for word in spelt))
    return corpus


class Peer:
    """A toolkit that trains `Yardstick` on a corpus: Adam, its step 1e-3; clip 1; no dropout."""

    #: Its name and that of its package; how its logs report target words a second, and the seconds
    #: that translating took, in one part or several. Without these, it cannot be told how many
    #: words to write.
    name: ClassVar[str]
    package: ClassVar[str]
    pattern: ClassVar[str]
    took: ClassVar[tuple[str, ...]]

    def __init__(self, programs: Programs, corpus: Corpus, recipe: Recipe, folder: Path) -> None:
        """`folder` is for all that it writes."""
        self.programs, self.corpus, self.recipe = programs, corpus, recipe
        self.folder, self.config = folder, folder / "config.yaml"

    def speeds(self) -> list[float]:
        """Target words a second from one report to the next in a training from the start."""
        said = self.learn()
        found = re.findall(self.pattern, said)
        if not found:
            raise SystemExit(f"{self.name} reported no speed:\n{said[-2000:]}")
        return [float(each) for each in found]

    def learn(self) -> str:
        """Train from the start; the log."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.prepare()
        return self.train()

    def seconds(self, beam: Beam) -> float:
        """What it says that translating the source took, once it has learnt; without its start."""
        said = self.translate(beam)
        found = [re.findall(pattern, said) for pattern in self.took]
        if not all(found):
            raise SystemExit(f"{self.name} reported no time:\n{said[-2000:]}")
        return sum(float(each[-1]) for each in found)

    def version(self) -> str:
        """Of the toolkit and the torch that it uses."""
        return self.programs.version(self.package)

    def prepare(self) -> None:
        """Write what `train` needs besides the corpus."""

    def train(self) -> str:
        """Train; the log."""
        raise NotImplementedError

    def translate(self, beam: Beam) -> str:
        """Translate the source; the log."""
        raise NotImplementedError

    def write(self, config: Mapping[str, Any]) -> None:
        """Write a file of settings."""
        self.config.write_text(json.dumps(config))  # JSON is YAML too


class JoeyNMT(Peer):
    """JoeyNMT, whose decoder feeds its attention's output to the next step unless told not to."""

    name, package, pattern = "JoeyNMT", "joeynmt", r"Tokens per Sec:\s+(\d+)"
    took = (r"Generation took ([\d.]+)",)

    #: What its vocabulary begins with.
    SPECIAL = "<unk>\n<pad>\n<s>\n</s>\n"

    #: It reads the least length of a translation, and does not tell its search. But that never
    #: writes what separates a prompt from its sentence: here the end of a sentence.
    NEVER_WRITTEN: ClassVar = {"sep_token": "</s>", "sep_id": SPECIAL.split("\n").index("</s>")}

    def prepare(self) -> None:
        vocabulary = self.SPECIAL + self.corpus.vocabulary.read_text()
        (self.folder / "vocabulary").write_text(vocabulary)
        self.settle(self.data(), {})

    def settle(self, data: Mapping[str, Any], testing: Mapping[str, Any]) -> None:
        """Write its settings, those of text and search as they are given."""
        self.write(
            {
                **{"name": "benchmark", "model_dir": str(self.folder / "model"), "use_cuda": False},
                "data": data,
                "model": self.model(),
                "training": self.training(),
                "testing": {"eval_metrics": ["bleu"], **testing},
            }
        )

    def data(self) -> dict[str, Any]:
        """Its settings."""
        text, vocabulary = str(self.corpus.folder / "text"), str(self.folder / "vocabulary")
        side = {"level": "word", "voc_file": vocabulary, "max_length": 60}
        return {
            **{"train": text, "dev": text, "dataset_type": "plain"},
            **{"src": {"lang": SIDES[0], **side}, "trg": {"lang": SIDES[1], **side}},
        }

    def model(self) -> dict[str, Any]:
        """Its settings."""
        lstm = {
            **{"type": "recurrent", "rnn_type": "lstm", "num_layers": 1, "dropout": 0.0},
            "embeddings": {"embedding_dim": 256},
        }
        attention = {"attention": "bahdanau", "input_feeding": True, "init_hidden": "bridge"}
        return {
            "encoder": {**lstm, "hidden_size": 256, "bidirectional": True},
            "decoder": {**lstm, "hidden_size": 512, "hidden_dropout": 0.0, **attention},
        }

    def training(self) -> dict[str, Any]:
        """Its settings."""
        batch_size, updates, report = self.recipe
        never = 10 * updates
        return {
            **{"optimizer": "adam", "learning_rate": 1e-3, "clip_grad_norm": 1.0},
            # Its other schedules, or none, fail; this one changes nothing before an epoch's end.
            **{"scheduling": "exponential", "decrease_factor": 1.0},
            **{"batch_type": "sentence", "batch_size": batch_size, "normalization": "tokens"},
            **{"epochs": never, "updates": updates, "validation_freq": never},
            **{"logging_freq": report, "print_valid_sents": []},
        }

    def train(self) -> str:
        return self.programs.call("python", "-m", "joeynmt", "train", self.config, "--skip-test")

    def translate(self, beam: Beam) -> str:
        testing = {
            **{"beam_size": beam.width, "max_output_length": beam.words},
            **{"batch_size": beam.batch_size, "batch_type": "sentence"},
        }
        self.settle({**self.data(), "special_symbols": self.NEVER_WRITTEN}, testing)
        return self.programs.call("python", "-m", "joeynmt", "test", self.config)


class OpenNMT(Peer):
    """OpenNMT-py."""

    name, package, pattern = "OpenNMT-py", "OpenNMT-py", r"/\s*(\d+) tok/s"
    took = (r"Total translation time \(s\): ([\d.]+)",)

    def prepare(self) -> None:
        saved = {"save_model": str(self.folder / "model"), **self.saving()}
        self.write({**self.data(), **OPENNMT, **self.training(), **saved})

    def data(self) -> dict[str, Any]:
        """Settings of text and reports."""
        vocabulary = str(self.corpus.vocabulary)
        source, target = (str(self.corpus.text(side)) for side in SIDES)
        return {
            **{"save_data": str(self.folder / "data"), "report_every": self.recipe.report},
            **{"src_vocab": vocabulary, "src_vocab_size": self.corpus.words},
            **{"tgt_vocab": vocabulary, "tgt_vocab_size": self.corpus.words},
            "data": {"corpus": {"path_src": source, "path_tgt": target}},
        }

    def training(self) -> dict[str, Any]:
        """Settings of the updates."""
        return {
            **{"optim": "adam", "learning_rate": 1e-3, "max_grad_norm": 1.0, "dropout": [0.0]},
            **{"batch_type": "sents", "batch_size": self.recipe.batch_size, "bucket_size": 5000},
            "num_workers": 0,
        }

    def saving(self) -> dict[str, Any]:
        """Settings of when to end, and to save and validate: not before."""
        updates = self.recipe.updates
        return {
            **{"train_steps": updates, "save_checkpoint_steps": updates},
            "valid_steps": 10 * updates,
        }

    def train(self) -> str:
        return self.programs.call("onmt_train", "-config", self.config)

    def translate(self, beam: Beam) -> str:
        model = self.folder / f"model_step_{self.recipe.updates}.pt"
        return self.programs.call("onmt_translate", "-model", model, *self.searching(beam))

    def searching(self, beam: Beam) -> list[object]:
        """The options of a translation."""
        return [
            *("-src", self.corpus.text(SIDES[0]), "-output", self.folder / "translated"),
            *("-beam_size", beam.width, "-batch_type", "sents", "-batch_size", beam.batch_size),
            *("-min_length", beam.words, "-max_length", beam.words, "-max_length_ratio", 0),
            "-report_time",
        ]


class Eole(OpenNMT):
    """eole, the descendant of OpenNMT-py, with other sections of the same settings."""

    name, package = "eole", "eole"
    took = (
        r"Step 0 time \(s\): ([\d.]+)",
        r"Subsequent prediction time including all \(s\): ([\d.]+)",
    )

    def prepare(self) -> None:
        model = {
            # Its architecture "rnn" has no bidirectional encoder.
            **{"architecture": "custom", "hidden_size": 512},
            "embeddings": {"word_vec_size": 256},
            **{"encoder": ENCODER, "decoder": DECODER},
        }
        training = {
            **{**self.training(), "dropout_steps": [0], "compute_dtype": "fp32"},
            **{"model_path": str(self.folder / "model"), **self.saving()},
        }
        self.write({**self.data(), "overwrite": True, "training": training, "model": model})

    def train(self) -> str:
        return self.programs.call("eole", "train", "-config", self.config)

    def translate(self, beam: Beam) -> str:
        model = self.folder / "model" / f"step_{self.recipe.updates}"
        options = ["-model_path", model, "-world_size", 0, *self.searching(beam)]
        return self.programs.call("eole", "predict", *options)


class Fairseq(Peer):
    """fairseq, whose LSTM has a bilinear attention alone: a lighter model."""

    name, package, pattern = "fairseq", "fairseq-fixed", r"train_inner.*?wps=([\d.]+)"
    took = (r"Translated [\d,]+ sentences \([\d,]+ tokens\) in ([\d.]+)s",)

    MODEL: ClassVar = {
        **{"arch": "lstm", "encoder-layers": 1, "decoder-layers": 1, "dropout": 0},
        **{"encoder-embed-dim": 256, "decoder-embed-dim": 256},
        **{"encoder-hidden-size": 256, "decoder-hidden-size": 512, "decoder-out-embed-dim": 512},
        **{"optimizer": "adam", "lr": 1e-3, "clip-norm": 1.0},
    }

    def prepare(self) -> None:
        words = self.corpus.vocabulary.read_text().split()
        dictionary = self.folder / "dictionary"
        dictionary.write_text("".join(f"{word} 1\n" for word in words))
        self.programs.call(
            "fairseq-preprocess",
            *("-s", SIDES[0], "-t", SIDES[1], "--trainpref", self.corpus.folder / "text"),
            *("--srcdict", dictionary, "--tgtdict", dictionary),
            *("--destdir", self.folder / "data", "--workers", 1),
        )

    def train(self) -> str:
        batch_size, updates, report = self.recipe
        settings = {
            **self.MODEL,
            **{"batch-size": batch_size, "max-update": updates, "log-interval": report},
            **{"log-format": "simple", "num-workers": 0, "save-dir": self.folder / "model"},
        }
        options = [part for key, value in settings.items() for part in (f"--{key}", value)]
        flags = ["--encoder-bidirectional", "--disable-validation", "--cpu"]
        return self.programs.call("fairseq-train", self.folder / "data", *options, *flags)

    def translate(self, beam: Beam) -> str:
        return self.programs.call(
            "fairseq-generate",
            *(self.folder / "data", "--gen-subset", "train", "--cpu", "--quiet"),
            *("--path", self.folder / "model" / "checkpoint_last.pt"),
            *("--beam", beam.width, "--batch-size", beam.batch_size),
            # It adds a step for the end of the sentence.
            *("--min-len", beam.words - 1, "--max-len-a", 0, "--max-len-b", beam.words - 1),
        )


#: The toolkits by the folder of their environment.
TOOLKITS: dict[str, type[Peer]] = {
    "joeynmt": JoeyNMT,
    "onmt": OpenNMT,
    "eole": Eole,
    "fairseq": Fairseq,
}


def peers(
    environments: Path, threads: int, corpus: Corpus, recipe: Recipe, folder: Path
) -> list[Peer]:
    """Those whose environment is there; they write into `folder`."""
    return [
        toolkit(Programs(environments / name / "bin", threads), corpus, recipe, folder / name)
        for name, toolkit in TOOLKITS.items()
        if (environments / name).is_dir()
    ]
