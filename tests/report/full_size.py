"""The report of a preset as large as wmt14, from made-up numbers: three seeds, trainings of a
million updates, texts of 3,003 sentences as long as those of the news, long ones to be shown."""

import json
import random
from pathlib import Path

from results_folder import ALIGNED, Made, make_alignments, make_report, make_results

from contextnmt.files import write_lines

SEEDS, LINES = (1, 2, 3), 3003
#: Records of a training of a million updates: of the loss, and of dev BLEU.
LOSSES, VALIDATIONS = range(500, 1_000_001, 500), range(10_000, 1_000_001, 10_000)
#: Sentences to be shown, and the words of each.
CHOSEN, LONG = 8, 60
#: Words that differ between two translations of a sentence.
CHANGED = 0.3
VOCABULARY = [f"word{number}" for number in range(5000)]


def make_full_size(folder: Path, name: str) -> Path:
    """The page of an experiment of that size, with all that it links to."""
    chance = random.Random(1)
    results = make_results(folder, SEEDS, name=name)
    for pair in results.about["pairs"]:
        make_texts(results, pair, chance)
        results.about["sentences"][pair] = [f"chosen {number}" for number in range(CHOSEN)]
    for path in results.files("train/*/*/*/log.jsonl"):
        write_lines(path, map(json.dumps, records(chance)))
    return make_report(results)


def make_texts(results: Made, pair: str, chance: random.Random) -> None:
    """Sentences, first those to be shown, and what the first seed of each system makes of them."""
    source, target = pair.split("-")
    for text in ("test", "dev"):
        lines = [
            *(f"chosen {number} {' '.join(some(chance, LONG - 2))}" for number in range(CHOSEN)),
            *(" ".join(some(chance, length(chance))) for _ in range(LINES - CHOSEN)),
        ]
        for language in (source, target):
            write_lines(results.folder / f"tokenize/{pair}/{text}.{language}.gz", lines)
        for system in results.about["systems"]:
            file = f"{pair}/{system['id']}/{SEEDS[0]}/{text}.beam12"
            made = [altered(line.split(), chance) for line in lines]
            write_lines(results.folder / f"restore/{file}.gz", map(" ".join, made))
            if system == results.about["systems"][ALIGNED]:
                make_alignments(results.folder / f"translate/{file}", lines, made)
    for language in (source, target):
        counts = [f"{word}\t9" for word in VOCABULARY]
        write_lines(results.folder / f"word-counts/{pair}/{language}.tsv", counts)


def length(chance: random.Random) -> int:
    """The words of a sentence: 22 in the mean of a log-normal distribution, 80 at most."""
    return max(1, min(80, round(chance.lognormvariate(2.95, 0.55))))


def some(chance: random.Random, count: int) -> list[str]:
    return chance.choices(VOCABULARY, k=count)


def altered(words: list[str], chance: random.Random) -> list[str]:
    """A translation of `words`, which the reference is too: some are others."""
    return [chance.choice(VOCABULARY) if chance.random() < CHANGED else word for word in words]


def records(chance: random.Random) -> list[dict[str, float | str]]:
    """The log of a training whose loss falls as 1 / update."""
    losses = [
        {"kind": "train", "update": update, "epoch": update / 150_000, "loss": loss}
        for update in LOSSES
        for loss in [3 + 60_000 / (20_000 + update) + chance.uniform(-0.1, 0.1)]
    ]
    bleu = [
        {"kind": "dev", "update": update, "bleu": value, "loss": 3.1}
        for update in VALIDATIONS
        for value in [25 - 500_000 / (20_000 + update) + chance.uniform(-0.3, 0.3)]
    ]
    return losses + bleu
