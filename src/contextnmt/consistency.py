"""Mistakes in a configuration that no schema can tell."""

from collections.abc import Iterator
from typing import Any

from contextnmt.places import PLACEHOLDERS, Configuration, content, contents, place
from contextnmt.schema import Mistake, dotted, unknown

#: Names that no text can have, and why.
RESERVED = {
    "codes": "the codes of BPE lie beside the texts",
    "total": "tables have a row of this name",
}


def inconsistencies(configuration: Configuration) -> Iterator[Mistake]:
    """What no schema can tell: names that point nowhere, and texts in two roles."""
    wrong = list(malformed(configuration)) or list(dangling(configuration))
    yield from wrong or unfit(configuration)


def malformed(configuration: Configuration) -> Iterator[Mistake]:
    """Names of files and members whose placeholders cannot be filled in."""
    for corpus, entry in configuration["corpora"].items():
        for text, names in entry["texts"].items():
            for key in {"file", "member"} & names.keys():
                try:
                    names[key].format_map(dict.fromkeys(PLACEHOLDERS, ""))
                except (LookupError, ValueError, AttributeError):
                    path = ["corpora", corpus, "texts", text, key]
                    choices = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
                    yield (
                        path,
                        f"{dotted(path)} is {names[key]}; placeholders allowed in it: {choices}",
                    )


def dangling(configuration: Configuration) -> Iterator[Mistake]:
    """Names of texts, files, language pairs and systems that are nowhere declared."""
    homes = [
        (corpus, text)
        for corpus, entry in configuration["corpora"].items()
        for text in entry["texts"]
    ]
    for corpus, entry in configuration["corpora"].items():
        for text in entry["texts"]:
            if sum(text == name for _, name in homes) > 1:
                path = ["corpora", corpus, "texts", text]
                yield path, f"{dotted(path)}: two corpora have a text of this name; rename one"
            if text in RESERVED:
                path = ["corpora", corpus, "texts", text]
                yield path, f"{dotted(path)}: {RESERVED[text]}; rename it"
    for name, experiment in configuration["experiments"].items():
        texts = experiment["texts"]
        for position, pair in enumerate(configuration["pairs"]):
            if pair not in texts:
                yield ["pairs", position], f"pairs: {unknown(f'pair {pair}', pair, texts)} ({name})"
                continue
            for role, members in texts[pair].items():
                path = ["experiments", name, "texts", pair, role]
                for member in members:
                    yield from misplaced(configuration, path, pair, member)
    for position, pair in enumerate(configuration["pairs"]):
        if pair not in configuration["clean"]:
            yield ["pairs", position], f"clean.{pair}: missing: say how {pair} is cleaned"
        if len(set(pair.split("-"))) == 1:
            yield ["pairs", position], f"pairs: {pair}: source and target are the same language"
    known = {pair for entry in configuration["experiments"].values() for pair in entry["texts"]}
    for pair in configuration["select"]:
        if pair not in known:
            yield ["select", pair], f"select: {unknown(f'pair {pair}', pair, sorted(known))}"
    systems = {
        system for entry in configuration["experiments"].values() for system in entry["systems"]
    }
    for name, experiment in configuration["experiments"].items():
        for system, entry in experiment["systems"].items():
            if "contextualizer" in entry.get("model", {}) and not entry.get("context"):
                path = ["experiments", name, "systems", system, "model", "contextualizer"]
                yield path, f"{dotted(path)}: only for a system with `context: true`"
    for position, system in enumerate(configuration["systems"]):
        if system not in systems:
            what = f"system {system}"
            yield ["systems", position], f"systems: {unknown(what, system, sorted(systems))}"


def misplaced(
    configuration: Configuration, path: list[Any], pair: str, text: str
) -> Iterator[Mistake]:
    """What is wrong with naming `text` for `pair` at `path` of the configuration, if anything."""
    known = [name for entry in configuration["corpora"].values() for name in entry["texts"]]
    if text not in known:
        yield path, f"{dotted(path)}: {unknown(f'text {text}', text, known)}"
        return
    for language in pair.split("-"):
        corpus, file, _ = place(configuration, pair, text, language)
        files = configuration["corpora"][corpus]["files"]
        if file not in files:
            where = ["corpora", corpus, "texts", text, "file"]
            yield where, f"{dotted(where)}: {unknown(f'file {file}', file, files)}"
        columns = configuration["corpora"][corpus]["texts"][text].get("columns", [language])
        if language not in columns:
            where = ["corpora", corpus, "texts", text, "columns"]
            yield where, f"{dotted(where)}: {unknown(f'column {language}', language, columns)}"
            return
        if file not in files:
            return
    source, target = (content(configuration, pair, text, language) for language in pair.split("-"))
    if source == target:
        entry = configuration["corpora"][corpus]["texts"][text]
        where = ["corpora", corpus, "texts", text, "member" if "member" in entry else "file"]
        yield where, f"{dotted(where)}: one and the same file for both languages of {pair}"


def unfit(configuration: Configuration) -> Iterator[Mistake]:
    """Texts that are trained on and also dev or test texts, and selections that cannot be made."""
    trained = contents(configuration, "train")
    for name, experiment in configuration["experiments"].items():
        for pair in configuration["pairs"]:
            for role, texts in experiment["texts"][pair].items():
                path = ["experiments", name, "texts", pair, role]
                for text in texts:
                    source = content(configuration, pair, text, pair.split("-")[0])
                    if role != "train" and source in trained:
                        yield path, f"{dotted(path)}: {text} is trained on; name another text"
    for pair in configuration["pairs"]:
        yield from unselectable(configuration, pair)


def unselectable(configuration: Configuration, pair: str) -> Iterator[Mistake]:
    """What is wrong with the selection of the training pairs of `pair`, if anything."""
    selection = configuration["select"].get(pair)
    if selection is None:
        return
    path = ["select", pair]
    limits = [key for key in ("target_words", "pairs") if selection.get(key) is not None]
    if not limits:
        yield path, f"{dotted(path)}: no limit: give target_words or pairs"
    if len(limits) == 2:
        yield path, f"{dotted(path)}: two limits: make target_words or pairs null"
    tests = contents(configuration, "test")
    for text in selection["in_domain"]:
        wrong = list(misplaced(configuration, [*path, "in_domain"], pair, text))
        yield from wrong
        if not wrong and content(configuration, pair, text, pair.split("-")[0]) in tests:
            yield (
                [*path, "in_domain"],
                f"{dotted(path)}.in_domain: {text} is a test text: to select by it would spoil "
                "the test; name another text",
            )
