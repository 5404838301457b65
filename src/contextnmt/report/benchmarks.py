"""Benchmark files of the jobs that a report is made of: time and memory of each stage."""

from pathlib import Path

from contextnmt.configuration import places
from contextnmt.report.contents import Contents

#: Stages with a benchmark of each run, and those that only symbols need.
OF_RUNS = {"train", "translate", "restore", "score", "replace-unknown", "phenomena", "masks"}
OF_SYMBOLS = {"symbolize", "rule-dictionary", "coverage", "pairs", "symbol-scores"}
OF_SYMBOLS |= {"cbow", "local-charts"}
OF_SELECTION = {"sample", "rank", "perplexity", "language-models", "cross-entropy"}
#: Endings of symbolized texts: the training text, both sides in sight, the source alone (A26).
SIDES = ["", ".pair", ".source"]
OF_VIEWS, OF_EXPERIMENTS = {"binarize", "bpe", "known-lines"}, {"significance", "length-scores"}
#: Stages left out, since their jobs take seconds at most.
BRIEF = {"report", "run", "train-identity"}


def benchmarks(contents: Contents) -> list[Path]:
    """Benchmark files of this report's jobs.

    The folder also holds benchmarks of other experiments and of earlier configurations.
    """
    folder = Path(contents.root, "benchmarks")
    files = sorted(folder.rglob("*.tsv"))
    return [f for f in files if belongs(contents, *f.relative_to(folder).with_suffix("").parts)]


def belongs(contents: Contents, stage: str, *names: str) -> bool:
    """Whether a job with benchmark ``stage/name/name`` belongs to this report."""
    if stage in ("download", "generate"):
        return "/".join(names) in archives(contents)
    if stage in OF_EXPERIMENTS:
        return f"{contents.root}/{stage}/{'/'.join(names)}.json" in contents.compared(stage)
    pair, *others = names[0].split(".")[:1] + list(names[1:])
    if stage in BRIEF or pair not in contents.all_pairs:
        return False
    if stage in OF_SELECTION:
        return bool(contents.configuration["select"].get(pair))
    if stage in OF_RUNS:
        return belongs_to_run(contents, pair, stage, *others)
    views = {contents.view(system) for system in contents.systems}
    if stage in OF_SYMBOLS and contents.name != "choi2017" and not any("sym" in v for v in views):
        return False
    if stage == "lexicon":
        return any(contents.replaces(pair, system) for system in contents.systems)
    if stage == "known-lines" and not contents.entry["decoding"]["no_unknown"]:
        return False
    if stage in OF_VIEWS:
        counted = {"word", "sym"} if contents.name == "choi2017" and stage == "binarize" else set()
        return others[0] in views | counted
    return not others or others[0] in all_texts(contents, pair)


def belongs_to_run(
    contents: Contents, pair: str, stage: str, system: str, of: str, *text: str
) -> bool:
    """Whether a run's job belongs to this report.

    `of` is the seed; ``1.replaced`` stands for translations with replaced unknown words.
    """
    seed, _, replaced = of.partition(".")
    seeds = [*map(str, contents.seeds), *(["ensemble"] if contents.ensembles else [])]
    replaces = bool(replaced) or stage == "replace-unknown"
    return (
        system in contents.finished(pair)
        and seed in seeds
        and (not replaces or contents.replaces(pair, system))
    )


def all_texts(contents: Contents, pair: str) -> set[str]:
    """Names that benchmarks of a language pair's texts and languages can have."""
    trained = places.texts(contents.configuration, pair, "train")
    counts = {text: places.shards(places.text(contents.configuration, text)) for text in trained}
    return {
        *places.training_parts(contents.configuration, pair),
        *(f"{text}.{count}" for text, count in counts.items() if count > 1),
        *(f"{text}{side}" for text in other_texts(contents, pair) for side in SIDES),
        *pair.split("-"),
    }


def other_texts(contents: Contents, pair: str) -> list[str]:
    """Names of the dev, test and in-domain texts."""
    in_domain = (contents.configuration["select"].get(pair) or {}).get("in_domain", [])
    return list(dict.fromkeys([*contents.texts(pair, "dev", "test"), *in_domain]))


def archives(contents: Contents) -> set[str]:
    """Files of all texts, ``CORPUS/FILE``."""
    return {
        "/".join(places.place(contents.configuration, pair, text, language)[:2])
        for pair in contents.all_pairs
        for text in places.texts(contents.configuration, pair, "train")
        + other_texts(contents, pair)
        for language in pair.split("-")
    }
