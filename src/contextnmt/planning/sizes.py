"""How many sentence pairs a job reads and writes, from what the configuration says of its texts.

Which texts those are is told by the names of the job's files, ``STAGE/PAIR/…/TEXT.…``, or
``TEXT.2of8.…`` for a part of a training text. Cleaning is taken to drop nothing.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import PurePath
from typing import Any, NamedTuple

from contextnmt.configuration.places import roles, texts
from contextnmt.configuration.recipes import experiment_of
from contextnmt.planning.jobs import Job

#: Target words a pair of the selected text: 348 million French words of WMT14 are the paper's 12
#: million pairs (Choi et al. 2017, sec. 5.1; docs/decisions.md, A1).
WORDS_A_PAIR = 29

#: Stages whose files hold the training pairs that were selected; those before have all of them.
SELECTED = {"select", "word-counts", "symbolize", "rule-dictionary", "bpe"}

#: Stages whose files have names of their own, which a text may have too.
OWN_NAMES = {"sample", "binarize"}

NAME = re.compile(r"(?P<text>[\w-]+)(?:\.\d+of(?P<parts>\d+))?\.")


class Part(NamedTuple):
    """A text of a language pair, or a part of it, as a file of a stage holds it."""

    pair: str
    text: str
    parts: int  # the text was cut into so many
    name: str  # TEXT, or TEXT.2of8
    selected: bool


class Sizes:
    """Numbers of pairs under a configuration; None where it does not state them."""

    def __init__(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration
        self.texts = {
            text: entry
            for corpus in configuration["corpora"].values()
            for text, entry in corpus["texts"].items()
        }

    def translated(self, pair: str, system: str) -> list[str]:
        """The texts that a system translates."""
        experiment = experiment_of(self.configuration, system)
        return list(dict.fromkeys(chain(*roles(self.configuration, experiment, pair).values())))

    def trained(self, pair: str) -> list[str]:
        """The texts that are trained on in `pair`."""
        return texts(self.configuration, pair, "train")

    def stated(self, pair: str, text: str) -> float | None:
        """The pairs of a whole text, before cleaning and selection."""
        for key in ("lines", "lines_recalled"):
            lines = self.texts[text].get(key)
            found = lines.get(pair) if isinstance(lines, dict) else lines
            if found is not None:
                return float(found)
        return None

    def share(self, pair: str) -> float | None:
        """The share of the training pairs of `pair` that is selected."""
        selection = self.configuration.get("select", {}).get(pair)
        if not selection:
            return 1.0
        pool = total(self.stated(pair, text) for text in self.trained(pair))
        words = selection.get("target_words")
        wanted = words / WORDS_A_PAIR if words else selection["pairs"]
        return min(1.0, wanted / pool) if pool else None

    def pairs(self, part: Part) -> float | None:
        """The pairs in a part."""
        stated = self.stated(part.pair, part.text)
        kept = part.selected and part.text in self.trained(part.pair)
        share = self.share(part.pair) if kept else 1.0
        return None if stated is None or share is None else stated / part.parts * share

    def named(self, paths: tuple[str, ...]) -> Iterator[Part]:
        """The parts of texts that files are named after."""
        for path in paths:
            steps = PurePath(path).parts  # results/PRESET/STAGE/PAIR/…
            match = NAME.match(steps[-1])
            if len(steps) < 5 or not match or steps[2] in OWN_NAMES:
                continue
            pair, text = steps[3], match["text"]
            if pair in self.configuration["pairs"] and text in self.texts:
                parts = int(match["parts"] or 1)
                yield Part(pair, text, parts, match[0][:-1], steps[2] in SELECTED)

    def read(self, job: Job) -> float | None:
        """The pairs that `job` reads; of a training or a translation, those of the experiment."""
        if job.pair and "system" in job.wildcards:
            translated = self.translated(job.pair, job.wildcards["system"])
            return total(self.stated(job.pair, text) for text in translated)
        own = {(part.pair, part.name) for part in self.named(job.outputs)}
        parts: dict[tuple[str, str], Part] = {}
        for part in self.named((*job.inputs, *job.outputs)):
            # A job that makes a part may look up something about the others. One that selects
            # reads more than it leaves.
            key = part.pair, part.name
            if (not own or key in own) and (key not in parts or not part.selected):
                parts[key] = part
        if not parts and job.pair:
            return self.training(job.pair)
        return total(self.pairs(part) for part in parts.values())

    def written(self, job: Job) -> float | None:
        """The pairs in the texts that `job` writes; if it writes none, those that it reads."""
        parts = {(part.pair, part.name): part for part in self.named(job.outputs)}
        return total(self.pairs(part) for part in parts.values()) if parts else self.read(job)

    def training(self, pair: str) -> float | None:
        """The pairs of all that is trained on in `pair`."""
        whole = [Part(pair, text, 1, text, True) for text in self.trained(pair)]
        return total(self.pairs(part) for part in whole)


def total(sizes: Iterator[float | None]) -> float | None:
    """The sum, None if one of them is not known."""
    known = list(sizes)
    return None if None in known else sum(size for size in known if size is not None)
