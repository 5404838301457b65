"""The model of yardstick.py in other toolkits, by their own commands: what benchmarks compare with.

Each toolkit lies in an environment of its own. How fast it trains and translates is what its logs
say.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import typer

from contextnmt.text.vocabulary import SPECIALS
from contextnmt.training.process import STEP

#: No GPU. Some read their own models as pickles, which torch since 2.6 allows only if asked.
#: Freed memory stays, as by training/process.py, but for its huge pages.
ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "",
    "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1),
    "MALLOC_TOP_PAD_": str(STEP),
}


class Recipe(NamedTuple):
    """Pairs in a batch; updates, and those between two reports of the speed."""

    batch_size: int
    updates: int
    report: int


class Beam(NamedTuple):
    """The width of a beam, the words of every translation, and sentences in a batch."""

    width: int
    length: int
    sentences: int


class Toolkit(NamedTuple):
    """How a toolkit trains `Yardstick` (Adam, its step 0.001; clip 1; no dropout) and translates.

    In settings (YAML, in $folder/config.yaml) and commands, $NAMES stand for the facts of a `Peer`.
    """

    name: str
    package: str
    speed: str  # how its log reports target words per second
    seconds: Sequence[str]  # and what translating took, without its start, in one part or several
    train: str
    translate: str
    settings: str = ""
    prepare: str = ""  # a command before `train`
    vocabulary: tuple[str, str] = ("", "\n")  # what $folder/vocabulary begins with; after each word


#: JoeyNMT's decoder feeds its attention's output to the next step. Its other schedules, or none,
#: fail; "exponential" changes nothing before an epoch's end.
#: It reads the least length of a translation, and does not tell its search. But that never writes
#: what separates a prompt from its sentence: here, while it translates, the end of a sentence.
MARK = "special_symbols: {sep_token: </s>, sep_id: 3}"
JOEYNMT = """
name: benchmark
model_dir: $folder/model
use_cuda: false
data:
  {train: $text, dev: $text, dataset_type: plain, $mark
  src: {lang: source, level: word, voc_file: $folder/vocabulary, max_length: 60},
  trg: {lang: target, level: word, voc_file: $folder/vocabulary, max_length: 60}}
model:
  encoder: {type: recurrent, rnn_type: lstm, num_layers: 1, hidden_size: 256, bidirectional: true,
    embeddings: {embedding_dim: 256}, dropout: 0.0}
  decoder: {type: recurrent, rnn_type: lstm, num_layers: 1, hidden_size: 512, hidden_dropout: 0.0,
    embeddings: {embedding_dim: 256}, dropout: 0.0,
    attention: bahdanau, input_feeding: true, init_hidden: bridge}
training:
  {optimizer: adam, learning_rate: 0.001, clip_grad_norm: 1.0,
  scheduling: exponential, decrease_factor: 1.0,
  batch_type: sentence, batch_size: $batch_size, normalization: tokens,
  epochs: $never, updates: $updates, validation_freq: $never,
  logging_freq: $report, print_valid_sents: []}
testing:
  {eval_metrics: [bleu], beam_size: $width, max_output_length: $length,
  batch_size: $sentences, batch_type: sentence}
"""

#: OpenNMT-py and its descendant eole have the same settings, in other sections.
TEXT = """
  save_data: $folder/data, data: {corpus: {path_src: $text.source, path_tgt: $text.target}},
  src_vocab: $folder/vocabulary, src_vocab_size: $words,
  tgt_vocab: $folder/vocabulary, tgt_vocab_size: $words, report_every: $report
"""
UNIT = "rnn_type: LSTM, layers: 1, hidden_size: 512"
UPDATES = """
  optim: adam, learning_rate: 0.001, max_grad_norm: 1.0, dropout: [0.0],
  batch_type: sents, batch_size: $batch_size, bucket_size: 5000, num_workers: 0,
  train_steps: $updates, save_checkpoint_steps: $updates, valid_steps: $never
"""
OPENNMT = f"""
{{{TEXT}, {UPDATES}, {UNIT}, encoder_type: brnn, decoder_type: rnn, global_attention: mlp,
  word_vec_size: 256, input_feed: 1, save_model: $folder/model}}
"""
#: Its architecture "rnn" has no bidirectional encoder.
EOLE = f"""
{{{TEXT}, overwrite: true,
  model: {{architecture: custom, hidden_size: 512, embeddings: {{word_vec_size: 256}},
    encoder: {{encoder_type: brnn, {UNIT}}},
    decoder: {{decoder_type: rnn, global_attention: mlp, {UNIT}}}}},
  training: {{{UPDATES}, dropout_steps: [0], compute_dtype: fp32, model_path: $folder/model}}}}
"""
OPENNMT_SEARCH = """
    -src $text.source -output $folder/translated -beam_size $width -batch_type sents
    -batch_size $sentences -min_length $length -max_length $length -max_length_ratio 0 -report_time
"""

#: The toolkits by the folder of their environment.
TOOLKITS = {
    "joeynmt": Toolkit(
        name="JoeyNMT",
        package="joeynmt",
        speed=r"Tokens per Sec:\s+(\d+)",
        seconds=[r"Generation took ([\d.]+)"],
        train="python -m joeynmt train $folder/config.yaml --skip-test",
        translate="python -m joeynmt test $folder/config.yaml",
        settings=JOEYNMT,
        vocabulary=("<unk>\n<pad>\n<s>\n</s>\n", "\n"),
    ),
    "onmt": Toolkit(
        name="OpenNMT-py",
        package="OpenNMT-py",
        speed=r"/\s*(\d+) tok/s",
        seconds=[r"Total translation time \(s\): ([\d.]+)"],
        train="onmt_train -config $folder/config.yaml",
        translate=f"onmt_translate -model $folder/model_step_$updates.pt {OPENNMT_SEARCH}",
        settings=OPENNMT,
    ),
    "eole": Toolkit(
        name="eole",
        package="eole",
        speed=r"/\s*(\d+) tok/s",
        seconds=[
            r"Step 0 time \(s\): ([\d.]+)",
            r"Subsequent prediction time including all \(s\): ([\d.]+)",
        ],
        train="eole train -config $folder/config.yaml",
        translate="eole predict -model_path $folder/model/step_$updates -world_size 0"
        + OPENNMT_SEARCH,
        settings=EOLE,
    ),
    # Its LSTM has a bilinear attention alone: a lighter model.
    "fairseq": Toolkit(
        name="fairseq",
        package="fairseq-fixed",
        speed=r"train_inner.*?wps=([\d.]+)",
        seconds=[r"Translated [\d,]+ sentences \([\d,]+ tokens\) in ([\d.]+)s"],
        vocabulary=("", " 1\n"),
        prepare="""fairseq-preprocess -s source -t target --trainpref $text --destdir $folder/data
            --srcdict $folder/vocabulary --tgtdict $folder/vocabulary --workers 1""",
        train="""fairseq-train $folder/data --arch lstm --encoder-layers 1 --decoder-layers 1
            --encoder-bidirectional --encoder-embed-dim 256 --decoder-embed-dim 256
            --encoder-hidden-size 256 --decoder-hidden-size 512 --decoder-out-embed-dim 512
            --dropout 0 --optimizer adam --lr 0.001 --clip-norm 1.0 --batch-size $batch_size
            --max-update $updates --log-interval $report --log-format simple --num-workers 0
            --save-dir $folder/model --disable-validation --cpu""",
        # It adds a step for the end of the sentence.
        translate="""fairseq-generate $folder/data --gen-subset train --cpu --quiet
            --path $folder/model/checkpoint_last.pt --beam $width --batch-size $sentences
            --min-len $before_end --max-len-a 0 --max-len-b $before_end""",
    ),
}


@dataclass
class Peer:
    """A toolkit in its environment, with a text to train on."""

    toolkit: Toolkit
    programs: Path  # of its environment
    threads: int
    folder: Path  # for all that it writes
    facts: dict[str, Any]  # what stands for $NAMES

    @property
    def name(self) -> str:
        """Its name in tables."""
        return self.toolkit.name

    def speeds(self) -> list[float]:
        """Target words per second from one report to the next in a training from the start."""
        return self.numbers("speed", self.toolkit.speed, self.learn())

    def learn(self) -> str:
        """Train from the start; the log."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        first, after = self.toolkit.vocabulary
        ids = range(len(SPECIALS), len(SPECIALS) + self.facts["words"])
        (self.folder / "vocabulary").write_text(first + "".join(f"{word}{after}" for word in ids))
        self.settle(Beam(1, 1, 1), mark="")
        if self.toolkit.prepare:
            self.call(self.toolkit.prepare)
        return self.call(self.toolkit.train)

    def seconds(self, beam: Beam) -> float:
        """Seconds to translate the source, as the trained toolkit reports; without its start."""
        self.settle(beam, mark=f"{MARK},")
        said = self.call(self.toolkit.translate)
        return sum(self.numbers("time", part, said)[-1] for part in self.toolkit.seconds)

    def numbers(self, what: str, pattern: str, said: str) -> list[float]:
        """The numbers that a pattern finds in a log, one at least."""
        found = re.findall(pattern, said)
        if not found:
            raise SystemExit(f"{self.name} reported no {what}:\n{said[-2000:]}")
        return [float(each) for each in found]

    def version(self) -> str:
        """The versions of the toolkit and of its torch."""
        asked = "from importlib.metadata import version as v; print(v('{}'), v('torch'))"
        own, torch = self.call(f'python -c "{asked.format(self.toolkit.package)}"').split()
        return f"{self.toolkit.package} {own} with torch {torch}"

    def settle(self, beam: Beam, mark: str) -> None:
        """Write its settings."""
        self.facts |= {**beam._asdict(), "before_end": beam.length - 1, "mark": mark}
        settings = Template(self.toolkit.settings).substitute(self.facts)
        (self.folder / "config.yaml").write_text(settings)

    def call(self, command: str) -> str:
        """The output of one of its commands."""
        words = shlex.split(command)
        program, *arguments = (Template(word).substitute(self.facts) for word in words)
        threads = dict.fromkeys(["OMP_NUM_THREADS", "MKL_NUM_THREADS"], str(self.threads))
        done = subprocess.run(
            [self.programs / program, *arguments],
            env={**os.environ, **ENVIRONMENT, **threads},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode:
            raise SystemExit(f"{program} failed:\n{done.stdout[-2000:]}")
        return done.stdout


def peers(
    environments: Path | None,
    threads: int,
    pairs: Sequence[tuple[Iterable[int], Iterable[int]]],
    words: int,
    recipe: Recipe,
    folder: Path,
) -> list[Peer]:
    """The toolkits whose environment is there, with pairs of ids as words, of so many, in `folder`.

    None without environments. Raises BadParameter if there is no toolkit among them.
    """
    if environments is None:
        return []
    for side, sentences in zip(("source", "target"), zip(*pairs, strict=True), strict=True):
        lines = (" ".join(map(str, ids)) + "\n" for ids in sentences)
        (folder / f"text.{side}").write_text("".join(lines))
    facts = {"text": folder / "text", "words": words, "never": 10 * recipe.updates}
    facts |= recipe._asdict()
    found = [
        Peer(toolkit, place.absolute(), threads, folder / name, facts | {"folder": folder / name})
        for name, toolkit in TOOLKITS.items()
        if (place := environments / name / "bin").is_dir()
    ]
    if not found:
        raise typer.BadParameter(f"--peers: {environments} holds none of {list(TOOLKITS)}")
    return found
