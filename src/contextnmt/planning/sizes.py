"""How many sentence pairs a job works on, from what the configuration says of its texts.

The names of the job's files say which texts those are, ``STAGE/PAIR/…/TEXT.…``, or
``TEXT.2of8.…`` for a part of a training text. Cleaning is taken to drop nothing.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from math import isnan, nan
from pathlib import PurePath
from typing import Any, NamedTuple

from contextnmt.configuration.places import roles, stated, texts
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
    """Numbers of pairs under a configuration; NaN where it does not state them."""

    def __init__(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration
        corpora = configuration["corpora"].values()
        self.texts = dict(chain.from_iterable(corpus["texts"].items() for corpus in corpora))

    def pairs(self, job: Job) -> float:
        """The pairs of the texts that `job` makes or, if none is named, of those that it reads.

        Of a training or a translation, they are those of the experiment's dev and test texts.
        """
        if job.pair and {"system", "text"} <= job.wildcards.keys():
            return self.stated(job.pair, job.wildcards["text"])
        if job.pair and "system" in job.wildcards:
            experiment = experiment_of(self.configuration, job.wildcards["system"])
            translated = roles(self.configuration, experiment, job.pair).values()
            return sum(self.stated(job.pair, text) for text in {*chain(*translated)})
        parts = list(self.named(job.outputs)) or list(self.named(job.inputs))
        if not parts and job.pair:  # no text by name: all that is trained on
            trained = texts(self.configuration, job.pair, "train")
            parts = [Part(job.pair, text, 1, text, True) for text in trained]
        # Of a part that is there before and after selection, the whole one counts.
        whole_last = sorted(parts, key=lambda part: part.selected, reverse=True)
        return sum(map(self.size, {(part.pair, part.name): part for part in whole_last}.values()))

    def pairs_read(self, job: Job) -> float:
        """The pairs that `job` reads: a selection reads more than it leaves."""
        return self.pairs(replace(job, outputs=()) if job.rule == "select" else job)

    def unstated(self, job: Job) -> set[str]:
        """The texts of `job` whose sizes are not stated, with their language pairs."""
        parts = self.named((*job.inputs, *job.outputs))
        return {f"{p.text} ({p.pair})" for p in parts if isnan(self.stated(p.pair, p.text))}

    def named(self, paths: Iterable[str]) -> Iterator[Part]:
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

    def size(self, part: Part) -> float:
        """The pairs in a part."""
        kept = part.selected and part.text in texts(self.configuration, part.pair, "train")
        share = self.share(part.pair) if kept else 1.0
        return self.stated(part.pair, part.text) / part.parts * share

    def stated(self, pair: str, text: str) -> float:
        """The pairs of a whole text, before cleaning and selection."""
        text_entry = self.texts[text]
        lines = stated(text_entry, "lines", pair) or stated(text_entry, "lines_recalled", pair)
        return float(lines) if lines else nan

    def share(self, pair: str) -> float:
        """The share of the training pairs of `pair` that is selected."""
        selection = self.configuration.get("select", {}).get(pair)
        if not selection:
            return 1.0
        trained = texts(self.configuration, pair, "train")
        pool = sum(self.stated(pair, text) for text in trained)
        words = selection.get("target_words")
        wanted: float = words / WORDS_A_PAIR if words else selection["pairs"]
        return min(wanted / pool, 1.0)  # in this order, NaN stays
