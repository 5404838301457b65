"""Where the texts of a configuration lie, and which of them are the same."""

import json
import os
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

Configuration = dict[str, Any]

#: Names in braces that the names of files and members may have.
PLACEHOLDERS = ("lang", "source", "target", "pair", "side")

#: Separator of the name of a text and the number of a further reference of it, from 2 on.
REFERENCE = ".reference"

#: A core works on so many pairs for a minute or more; no text is cut into more parts than these.
PAIRS_OF_A_PART, MOST_PARTS = 2_000_000, 64


def place(
    configuration: Configuration, pair: str, text: str, language: str
) -> tuple[str, str, str | None]:
    """Where one side of `text` is found: corpus, file, and the file's member if it is an archive.

    The PLACEHOLDERS in both names are filled in: {lang} is `language`, {source} and {target} are
    those of `pair`, and {side} is src or ref, as WMT names the two files of a test set.
    """
    corpora, entry = configuration["corpora"], side(configuration, pair, text, language)
    own = text.partition(REFERENCE)[0]
    corpus = next(name for name, entry in corpora.items() if own in entry["texts"])
    source, target = pair.split("-")
    kind = "src" if language == source else "ref"
    names = dict(zip(PLACEHOLDERS, (language, source, target, pair, kind), strict=True))
    member = entry.get("member")
    return corpus, entry["file"].format(**names), member.format(**names) if member else None


def side(configuration: Configuration, pair: str, name: str, language: str) -> Configuration:
    """The configuration of one side of a text, with the name of its `column` (or language).

    The target side of TEXT.reference2 is the first one of the key `references`.
    """
    own, _, number = name.partition(REFERENCE)
    entry = {"column": language, **text(configuration, own)}
    if number and language != pair.split("-")[0]:
        key = next(key for key in ("columns", "member", "file") if entry.get(key))
        named = entry["references"][language][int(number) - 2]
        entry["column" if key == "columns" else key] = named
    return entry


def references(configuration: Configuration, pair: str, name: str) -> list[str]:
    """The text `name`, whose target side is its first reference, then those with further ones."""
    further = text(configuration, name).get("references", {}).get(pair.split("-")[1], [])
    return [name, *(f"{name}{REFERENCE}{number}" for number, _ in enumerate(further, 2))]


def pairs(configuration: Configuration, experiment: str) -> list[str]:
    """The language pairs that an experiment takes part in."""
    asked = configuration["experiments"][experiment].get("pairs")
    return [pair for pair in configuration["pairs"] if asked is None or pair in asked]


def roles(configuration: Configuration, experiment: str, pair: str) -> dict[str, list[str]]:
    """The dev and test texts of an experiment: its own or, if it names none, those of the pair."""
    own = configuration["experiments"][experiment].get("roles", {}).get(pair, {})
    of_pair = configuration["roles"][pair]
    return {role: own.get(role, of_pair.get(role, [])) for role in ("dev", "test")}


def texts(configuration: Configuration, pair: str, *wanted: str) -> list[str]:
    """The texts that have one of these roles (train, dev, test) in a language pair, none twice."""
    blocks = [
        roles(configuration, experiment, pair)
        for experiment in configuration["experiments"]
        if pair in pairs(configuration, experiment)
    ]
    blocks.append({"train": configuration["roles"][pair]["train"]})
    return distinct(block.get(role, []) for role in wanted for block in blocks)


def distinct(several: Iterable[Iterable[str]]) -> list[str]:
    """All members of several lists, none twice, in order."""
    return list(dict.fromkeys(chain.from_iterable(several)))


def contents(configuration: Configuration, role: str) -> set[str]:
    """The `content` of the source sides of all texts of a role."""
    return {
        content(configuration, pair, text, pair.split("-")[0])
        for pair in configuration["pairs"]
        for text in texts(configuration, pair, role)
    }


def content(configuration: Configuration, pair: str, text: str, language: str) -> str:
    """Identity of one side of a text, whatever the text is called.

    The file with its URL or path, links followed, the member in it, and the column.
    """
    corpus, file, member = place(configuration, pair, text, language)
    entry = side(configuration, pair, text, language)
    column = entry["columns"].index(entry["column"]) if "columns" in entry else None
    origin = dict(configuration["corpora"][corpus]["files"][file])
    if "local" in origin:
        origin = {"local": os.path.realpath(origin["local"])}
    return canonical([origin, member, column])


def canonical(value: Any) -> str:
    """`value` as JSON on one line, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def stated(text: Mapping[str, Any], key: str, pair: str) -> int | None:
    """Number of lines that the key `lines` or `lines_recalled` of a text states for a pair."""
    said = text.get(key)
    return said.get(pair) if isinstance(said, dict) else said


def lines(text: Mapping[str, Any]) -> int | None:
    """Stated number of lines of a text, the largest if pairs differ; None if none is stated."""
    said = text.get("lines") or text.get("lines_recalled")
    return max(said.values(), default=None) if isinstance(said, dict) else said


def shards(text: Mapping[str, Any]) -> int:
    """Number of parts that a training text is cut into: its key `shards`, or by its size.

    A part is a job of its own in a dozen stages, each of which costs a cluster some seconds besides
    its work: parts are few and big.
    """
    return text.get("shards") or min(MOST_PARTS, -(-(lines(text) or 1) // PAIRS_OF_A_PART))


def text(configuration: Configuration, name: str) -> Configuration:
    """The configuration of a text, also by the name with another reference of it."""
    own = name.partition(REFERENCE)[0]
    texts = (corpus["texts"] for corpus in configuration["corpora"].values())
    return next(each[own] for each in texts if own in each)  # type: ignore[no-any-return]


def numbered(name: str, count: int) -> list[str]:
    """Names of the `count` parts of a text, ``NAME.1of2``; a text in one part keeps its name."""
    return [name] if count == 1 else [f"{name}.{n}of{count}" for n in range(1, count + 1)]


def training_parts(configuration: Configuration, pair: str) -> list[str]:
    """Names of the parts of all training texts of a language pair, in order."""
    return [
        part
        for name in texts(configuration, pair, "train")
        for part in numbered(name, shards(text(configuration, name)))
    ]
