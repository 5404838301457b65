"""A results folder as the workflow leaves it: every view of a small text, by the stages.

The models are random: what they write is nonsense.
"""

import random
from pathlib import Path

from random_model import write_model

from contextnmt.corpus.tokenize import tokenize
from contextnmt.files import read_lines, write_json, write_lines
from contextnmt.selection.select import select
from contextnmt.text.binarize import binarize
from contextnmt.text.bpe import bpe
from contextnmt.text.restore import restore
from contextnmt.text.rule_dictionary import rule_dictionary
from contextnmt.text.symbolize import symbolize

VIEWS = ["word", "sym", "bpe", "sym-bpe"]
NAMES = ["Berlin", "New York", "Anna", "Mary-Jane", "NATO", "IMF"]


def sentence(rng: random.Random) -> tuple[str, str]:
    """A sentence and its translation, raw."""
    name, number = rng.choice(NAMES), f"{rng.randrange(1, 20000):,}"
    verb = rng.choice([("saw", "a vu"), ("doesn't like", "n'aime pas"), ("sold", "a vendu")])
    thing = rng.choice([("houses", "maisons"), ("cats", "chats"), ("2nd-hand cars", "voitures")])
    other = number.replace(",", " ")
    return (
        f'{name} {verb[0]} {number} {thing[0]}, "didn\'t {rng.choice(["she", "he"])}"?',
        f"{name} {verb[1]} {other} {thing[1]}, « n'est-ce pas » ?",
    )


def make(folder: Path) -> list[str]:
    """Write the files of a results folder; returns the raw test text."""
    rng = random.Random(5)
    train, test = [sentence(rng) for _ in range(150)], [sentence(rng)[0] for _ in range(12)]
    test += ["", "Zoë's 3rd café: £5.50 & 10% — “why?”", "  ", "x"]
    raw = [folder / name for name in ("raw.en", "raw.fr", "test.en")]
    for path, lines in zip(raw, [*zip(*train, strict=True), test], strict=True):
        write_lines(path, lines)
    tokenized = [folder / name for name in ("train.en", "train.fr", "tokenized.en")]
    tokenize(raw[0], raw[1], "en", "fr", tokenized[0], tokenized[1])
    tokenize(raw[2], raw[2], "en", "fr", tokenized[2], folder / "unused")
    counts = [folder / "counts.en.tsv", folder / "counts.fr.tsv"]
    kept = [folder / "kept.en", folder / "kept.fr"]
    select(tokenized[0], tokenized[1], *kept, *counts, folder / "selected.json")
    symbolize(tokenized[0], "en", "fr", folder / "sym", target=tokenized[1])
    tables = [folder / name for name in ("sym.rules.tsv", "sym.rates.tsv")]
    rule_dictionary([tables[0]], [tables[1]], folder / "rules.tsv", folder / "rates.tsv")
    known = {"source_counts": counts[0], "rates": folder / "rates.tsv"}
    symbolize(tokenized[2], "en", "fr", folder / "test.sym", threshold=0.4, **known)
    texts = {
        "word": [*tokenized[:2], tokenized[2]],
        "sym": [folder / f"{name}.gz" for name in ("sym.en", "sym.fr", "test.sym.en")],
    }
    for view, cut in (("word", "bpe"), ("sym", "sym-bpe")):
        texts[cut] = [folder / f"{cut}.{name}" for name in ("en", "fr", "test.en")]
        for language, side in zip(("en", "fr"), texts[view][:2], strict=True):
            bpe([side], merges=30, codes_out=folder / f"{cut}.codes.{language}")
        for path, out, language in zip(texts[view], texts[cut], ("en", "fr", "en"), strict=True):
            bpe([path], codes=folder / f"{cut}.codes.{language}", out=out)
    for view, (source, target, _) in texts.items():
        model = folder / "train" / view
        binarize([source], [target], vocabulary_size=60, out=model)
        write_model(model, seed=2, end=0.0, unknown=2.0)
        describe(folder, view)
    return test


def describe(folder: Path, view: str) -> None:
    """Write the file of a run as the workflow does."""
    up = "../../.."
    symbols = {key: f"{up}/{key}.tsv" for key in ("rates", "rules")}
    symbols |= {"counts": f"{up}/counts.en.tsv", "threshold": 0.4, "external_rules": False}
    run = {
        "source_language": "en",
        "target_language": "fr",
        "model": f"{up}/train/{view}",
        "codes": f"{up}/{view}.codes.en" if "bpe" in view else None,
        "symbols": symbols if "sym" in view else None,
    }
    write_json(run_file(folder, view), run)


def run_file(folder: Path, view: str) -> Path:
    return folder / "run" / "en-fr" / view / "1.json"


def text_of(folder: Path, view: str) -> Path:
    """The test text in a view, as the stages wrote it."""
    names = {"word": "tokenized.en", "sym": "test.sym.en.gz"}
    return folder / names.get(view, f"{view}.test.en")


def restored(folder: Path, view: str, translation: Path) -> list[str]:
    """The words of a translation of the test text, by the stage restore."""
    out = folder / f"{view}.restored"
    table = folder / "test.sym.symbols.tsv.gz"
    options = {"symbols": [table], "rules": folder / "rules.tsv"} if "sym" in view else {}
    restore([translation], [out], "en", "fr", bpe="bpe" in view, **options)
    return list(read_lines(out))
