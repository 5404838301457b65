"""The commands of the text stages, and what they take on a text of one size."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from contextnmt.files import count_lines, read_json
from contextnmt.text.binarize import SIDES

#: The rules that run the stages, with the memory that each asks for.
RULES = Path(__file__).parents[1] / "workflow" / "rules"

#: Merges that bpe learns, and words of a language that get an id, as in the paper.
MERGES = WORDS = 30_000

#: Parts that a text is extracted in, and parts whose rule dictionaries are merged.
PARTS, MERGED = 8, 4

#: A pair of this many is selected.
SHARE = 2

#: The most words that `perplexity` makes a model of, unless the configuration says otherwise.
MOST_WORDS = 2**25

#: At WMT14, English-French: pairs of a tenth of giga-fren, and of all corpora; distinct words of
#: both languages in the selected text (Choi et al. 2017, Table 3).
PART, POOL = 2_252_040, 40_842_357
BOTH_WORDS = 3_500_000

FILTERS = '{"drop_empty":true,"max_ratio":2,"wrong_language":true,"drop_duplicates":true}'
LIMITS = '"max_length":50,"unknown_limit":0.1'


#: Runs a command and prints its seconds by the clock, its processor seconds and its largest memory.
#: A process of its own, since Linux counts the memory of whoever starts a command as the command's.
LAUNCHER = """
import json, os, sys, time
started = time.monotonic()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
seconds = time.monotonic() - started, usage.ru_utime + usage.ru_stime
print(json.dumps([*seconds, usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)]))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Text(NamedTuple):
    """A parallel text in a folder, where the commands leave what they make of it."""

    name: str
    pairs: int
    folder: Path


class Cost(NamedTuple):
    """Time and memory of a command on a text."""

    command: str
    text: str
    pairs: int
    wall: float  # seconds
    cpu: float  # seconds
    megabytes: float  # largest resident set


def measure(text: Text, command: str, arguments: list[str]) -> Cost:
    """Run a command in the text's folder."""
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, sys.executable, "-m", "contextnmt", *arguments],
        cwd=text.folder,
        stdout=subprocess.PIPE,
        check=True,
    )
    return Cost(command, text.name, text.pairs, *json.loads(done.stdout))


def stay_on_one_core() -> None:
    """Keep this process, and those that it starts, on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def sides(option: str, path: str) -> str:
    """An option a side, with a path in which ``{}`` is the side."""
    return " ".join(f"--{option.format(side)} {path.format(side)}" for side in SIDES)


def parts(option: str, path: str, number: int) -> str:
    """A repeatable option with `number` paths, in which ``{}`` is the number of the part."""
    return " ".join(f"--{option} {path.format(part)}" for part in range(1, number + 1))


def symbolize(text: str, out: str) -> str:
    """The stage symbolize, for one part of a text."""
    return (
        f"symbolize {sides('{}', text)} --source-language SOURCE --target-language TARGET"
        f" {sides('{}-counts', 'counts.{}.tsv')} --out {out}"
    )


def language_models(side: str) -> str:
    """The stage language-models, for one side."""
    return f"language-models --in-domain dev.{side}.gz --general sample.{side}.gz --out {side}"


def binarize(texts: str, out: str) -> str:
    """The stage binarize, for one view."""
    return f"binarize {texts} --vocabulary-size {WORDS} --out {out}"


class Step(NamedTuple):
    """A command. Without a name, it is not measured."""

    name: str
    line: str
    grows_with: str = ""  # which of MEASURES fills its memory
    wmt14: int = 0  # how large that is for one command at WMT14, English-French

    @property
    def rule(self) -> str:
        """The rule of the workflow that runs it; bpe has two."""
        command = self.line.partition(" ")[0].replace("-", "_")
        return "bpe_codes" if "--codes-out" in self.line else command


#: What is run, in this order, in a folder with the text in raw.* and the in-domain text in dev.*.
STEPS = [
    Step("extract", f"extract {sides('{}', 'raw.{}.gz')} {sides('{}-out', 'text.{}.gz')}"),
    Step(
        f"extract, {PARTS} parts",
        f"extract {sides('{}', 'raw.{}.gz')}"
        + "".join(f" {parts(f'{side}-out', f'{{}}of{PARTS}.{side}.gz', PARTS)}" for side in SIDES),
    ),
    Step(
        "tokenize",
        f"tokenize {sides('{}', 'text.{}.gz')} --source-language SOURCE --target-language TARGET"
        f" {sides('{}-out', 'tok.{}.gz')}",
    ),
    Step(
        "survey",
        f"survey {sides('{}', 'tok.{}.gz')} {sides('{}-counts-out', 'survey.{}.tsv.gz')}"
        " --fingerprints-out fingerprints.npy",
        "words",
        BOTH_WORDS,
    ),
    Step(
        "clean",
        f"clean {sides('{}', 'tok.{}.gz')} {sides('{}-out', 'clean.{}.gz')}"
        f" --removed-out removed.json --settings {FILTERS}"
        f" {sides('{}-counts', 'survey.{}.tsv.gz')} --fingerprints fingerprints.npy",
        "words",
        BOTH_WORDS,
    ),
    Step(
        "sample",
        f"sample {sides('{}', 'clean.{}.gz')} --in-domain dev.target.gz"
        f" {sides('{}-out', 'sample.{}.gz')} --seed 1",
    ),
    Step("", language_models("source")),
    Step("language-models", language_models("target")),
    Step(
        "cross-entropy",
        f"cross-entropy {sides('{}', 'clean.{}.gz')} {sides('{}-models', '{}')}"
        " --out text.scores.npy",
        "pairs",
        PART,
    ),
    Step(
        "rank", "rank --scores text.scores.npy --pairs SELECTED --out ranking.json", "pairs", POOL
    ),
    Step(
        f"select, 1/{SHARE}",
        f"select {sides('{}', 'clean.{}.gz')} --scores text.scores.npy --ranking ranking.json"
        f" {sides('{}-out', 'best.{}.gz')} {sides('{}-counts-out', 'best.{}.tsv.gz')}"
        " --selected-out best.json",
        "words",
        BOTH_WORDS,
    ),
    Step(
        "perplexity",
        "perplexity --text clean.target.gz --scores text.scores.npy --ranking ranking.json"
        " --vocabulary target.vocabulary.txt --dev dev.target.gz --seed 2 --out perplexity.json"
        f" --most-words {MOST_WORDS}",
        "tokens",
        MOST_WORDS,
    ),
    Step(
        "select, all",
        f"select {sides('{}', 'clean.{}.gz')} {sides('{}-out', 'sel.{}.gz')}"
        f" {sides('{}-counts-out', 'sel.{}.tsv.gz')} --selected-out selected.json",
        "words",
        BOTH_WORDS,
    ),
    Step("", "word-counts --counts sel.source.tsv.gz --out counts.source.tsv"),
    Step(
        "word-counts",
        "word-counts --counts sel.target.tsv.gz --out counts.target.tsv",
        "words",
        BOTH_WORDS,
    ),
    Step("symbolize", symbolize("sel.{}.gz", "sym"), "words", BOTH_WORDS),
    Step(
        "",
        f"extract {sides('{}', 'sel.{}.gz')}"
        + "".join(f" {parts(f'{side}-out', f'part{{}}.{side}.gz', MERGED)}" for side in SIDES),
    ),
    *(Step("", symbolize(f"part{part}.{{}}.gz", f"sym{part}")) for part in range(1, MERGED + 1)),
    Step(
        f"rule-dictionary, of {MERGED} parts",
        f"rule-dictionary {parts('rules', 'sym{}.rules.tsv', MERGED)}"
        f" {parts('rates', 'sym{}.rates.tsv', MERGED)}"
        " --rules-out rules.tsv --rates-out rates.tsv",
    ),
    Step(
        "bpe, learning",
        f"bpe --text sel.source.gz --merges {MERGES} --codes-out codes",
        "words",
        BOTH_WORDS,
    ),
    Step("bpe, cutting", "bpe --text sel.source.gz --codes codes --out bpe.source.gz"),
    Step("binarize", binarize(sides("{}", "sel.{}.gz"), "ids"), "words", BOTH_WORDS),
    Step("", binarize("--source sym.SOURCE.gz --target sym.TARGET.gz", "symbol-ids")),
    Step(
        "coverage",
        f"coverage --source-language SOURCE --target-language TARGET"
        f" {sides('{}-before', 'counts.{}.tsv')} --source-after sym.SOURCE.gz"
        f" --target-after sym.TARGET.gz --vocabulary-size {WORDS} --out coverage.json",
        "words",
        BOTH_WORDS,
    ),
    Step(
        "pairs",
        f'pairs --filter-before {{"data":"ids",{LIMITS}}}'
        f' --filter-after {{"data":"symbol-ids",{LIMITS}}} --out pairs.json',
    ),
]


class Run(NamedTuple):
    """A text of one size, and what the measured steps took on it."""

    text: Text
    languages: Sequence[str]
    costs: dict[str, Cost]  # by the name of the step

    @property
    def kept(self) -> int:
        """Pairs that clean has left."""
        kept: int = read_json(self.text.folder / "removed.json")["kept"]
        return kept


def words(run: Run, *sides: str) -> int:
    """The distinct words of a text's sides, or of both."""
    of = sides or SIDES
    return sum(count_lines(run.text.folder / f"survey.{side}.tsv.gz") for side in of)


def tokens(run: Run) -> int:
    """The target words of the pairs that `rank` has kept."""
    found: int = read_json(run.text.folder / "ranking.json")["kept"]["target_words"]
    return found


#: What fills the memory of commands, by its name in Step.
MEASURES: dict[str, Callable[[Run], int]] = {
    "pairs": lambda run: run.kept,
    "words": words,
    "tokens": tokens,
}


def run(text: Text, languages: Sequence[str], in_domain: Sequence[Path]) -> Run:
    """Run all steps on a text in raw.*; of the text that comes out of clean from there on."""
    arguments = ["tokenize"]
    for side, path, language in zip(SIDES, in_domain, languages, strict=True):
        arguments += [f"--{side}", str(path.absolute()), f"--{side}-language", language]
        arguments += [f"--{side}-out", f"dev.{side}.gz"]
    measure(text, "tokenize", arguments)
    given = {"SOURCE": languages[0], "TARGET": languages[1], "SELECTED": "0"}
    made, here = Run(text, languages, {}), text
    for step in STEPS:
        line = re.sub("|".join(given), lambda found: given[found[0]], step.line)
        cost = measure(here, step.name, line.split())
        if step.name:
            made.costs[step.name] = cost
        if step.name == "clean":
            here = here._replace(pairs=made.kept)
            given["SELECTED"] = str(here.pairs // SHARE)
    return made


def memory_asked() -> dict[str, int]:
    """Rule -> the memory (MB) that the workflow asks for, of those that ask for a fixed amount."""
    asked = {}
    for path in sorted(RULES.glob("*.smk")):
        for rule in re.split(r"^ *(?=rule\b)", path.read_text(), flags=re.MULTILINE)[1:]:
            name = re.match(r'rule (\w+):|rule:\s+name:\s+"(\w+)"', rule)
            memory = re.search(r"mem_mb=memory\((\d+)\)", rule)
            if name and memory:
                asked[name[1] or name[2]] = int(memory[1])
    return asked
