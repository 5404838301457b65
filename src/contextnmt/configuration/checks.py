"""Mistakes in a configuration that no type of a single key can express."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import chain
from typing import Any

from contextnmt.configuration.keys import Decoding, Model, Training
from contextnmt.configuration.places import (
    Configuration,
    content,
    contents,
    pairs,
    place,
    references,
    roles,
    side,
)
from contextnmt.configuration.recipes import systems
from contextnmt.configuration.values import Mistake, dotted, unknown, violations

#: Names that no text can have, and why.
RESERVED = {
    "codes": "the codes of BPE lie beside the texts",
    "total": "tables have a row of this name",
}

#: Experiment -> rows that its paper's BLEU table has for comparison, and their labels.
QUOTED = {"bahdanau2015": {"moses": "Moses (quoted)"}}

#: Language pairs of the papers' tables: they may be named where there are no texts of them.
PRINTED_PAIRS = {"en-de", "en-fr"}

#: Labels that no system can have: rows of tables have them that are no systems.
TAKEN = ("Source", "Reference", *(label for rows in QUOTED.values() for label in rows.values()))

#: The experiment whose paper charts words, and counts them with and without symbols.
INSPECTING = "choi2017"

#: Keys of a model that not every experiment has.
OPTIONAL = ("contextualizer",)


def inconsistencies(configuration: Configuration) -> Iterator[Mistake]:
    """Names that point nowhere, texts in two roles, and what else no type can express."""
    yield from list(dangling(configuration)) or unfit(configuration)


def mistake(path: list[Any], words: str, said: list[Any] | None = None) -> Mistake:
    """A mistake whose message begins with `path`; it is said at `said`, if not there."""
    return said or path, f"{dotted(path)}: {words}"


def no_such(
    path: list[Any], kind: str, name: str, choices: Iterable[str], said: list[Any] | None = None
) -> Mistake:
    """A mistake as `mistake` gives it: a name of a text, system or the like not declared."""
    return mistake(path, unknown(f"{kind} {name}", name, choices), said)


def texts_of(configuration: Configuration) -> Iterator[tuple[list[Any], str, dict[str, Any]]]:
    """Every text: where it is declared, its name and its settings."""
    for corpus, entry in configuration["corpora"].items():
        for text, settings in entry["texts"].items():
            yield ["corpora", corpus, "texts", text], text, settings


def dangling(configuration: Configuration) -> Iterator[Mistake]:
    """Names of texts, files, language pairs and systems that are nowhere declared."""
    declared = Counter(text for _, text, _ in texts_of(configuration))
    for where, text, _ in texts_of(configuration):
        if declared[text] > 1:
            yield mistake(where, "two corpora have a text of this name; rename one")
        if text in RESERVED:
            yield mistake(where, f"{RESERVED[text]}; rename it")
    yield from useless_references(configuration)
    for path, pair, member in named_texts(configuration, configuration["pairs"]):
        yield from misplaced(configuration, path, pair, member)
    for position, pair in enumerate(configuration["pairs"]):
        said = ["pairs", position]
        if pair not in configuration["clean"]:
            yield mistake(["clean", pair], f"missing: say how {pair} is cleaned", said)
        if len(set(pair.split("-"))) == 1:
            yield mistake(["pairs"], f"{pair}: source and target are the same language", said)
    known = configuration["roles"]
    for path, pair in named_pairs(configuration):
        if pair not in known:
            yield no_such(path[:-1], "pair", pair, sorted(known), said=path)
    yield from wrong_systems(configuration)
    yield from wrong_claims(configuration)
    yield from wrong_limits(configuration)
    yield from wrong_pretrained(configuration)


def wrong_pretrained(configuration: Configuration) -> Iterator[Mistake]:
    """Runs with an exported model that are not asked for: a slip would train what it means."""
    runs = [
        f"{pair}/{system}/{seed}"
        for name in configuration["experiments"]
        for pair in pairs(configuration, name)
        for system in systems(configuration, name)
        for seed in configuration["seeds"]
    ]
    for run in configuration.get("pretrained", {}):
        if run not in runs:
            yield no_such(["pretrained"], "run", run, runs, said=["pretrained", run])


def useless_references(configuration: Configuration) -> Iterator[Mistake]:
    """References in languages that no pair, run now or not, translates the text into."""
    targets: dict[str, set[str]] = {}
    for _, pair, text in named_texts(configuration, configuration["roles"]):
        targets.setdefault(text, set()).add(pair.split("-")[1])
    for where, text, settings in texts_of(configuration):
        for language in settings.get("references", {}):
            if text in targets and language not in targets[text]:
                allowed = ", ".join(sorted(targets[text]))
                words = f"no pair with this text translates into {language}; allowed: {allowed}"
                yield mistake([*where, "references", language], words)


def named_texts(
    configuration: Configuration, among: Iterable[str]
) -> Iterator[tuple[list[Any], str, str]]:
    """Every text with a role in a pair `among` these: where the role stands, the pair, the text."""
    blocks = [(["roles"], configuration["roles"])]
    for name, experiment in configuration["experiments"].items():
        blocks.append((["experiments", name, "roles"], experiment.get("roles", {})))
    for path, block in blocks:
        for pair in among:
            for role, members in block.get(pair, {}).items():
                yield from (([*path, pair, role], pair, text) for text in members)


def named_pairs(configuration: Configuration) -> Iterator[tuple[list[Any], str]]:
    """Every language pair that is named apart from `roles`, and where."""
    yield from ((["pairs", position], pair) for position, pair in enumerate(configuration["pairs"]))
    for block in ("clean", "select"):
        yield from (([block, pair], pair) for pair in configuration[block])
    for name, experiment in configuration["experiments"].items():
        path = ["experiments", name]
        for position, pair in enumerate(experiment.get("pairs") or []):
            yield [*path, "pairs", position], pair
        for block in ("roles", "sentences"):
            yield from (([*path, block, pair], pair) for pair in experiment.get(block, {}))


def wrong_systems(configuration: Configuration) -> Iterator[Mistake]:
    """Systems and methods that cannot be, and names of systems that are nowhere declared."""
    experiments = configuration["experiments"]
    known = Counter(system for entry in experiments.values() for system in entry["systems"])
    for name, experiment in experiments.items():
        where, systems = ["experiments", name], experiment["systems"]
        for system, entry in systems.items():
            path = [*where, "systems", system]
            if known[system] > 1:
                yield mistake(path, "two experiments have a system of this name; rename one")
            if "contextualizer" in entry.get("model", {}) and not entry.get("context"):
                path = [*path, "model", "contextualizer"]
                yield mistake(path, "only for a system with `context: true`")
        for key, why in (
            ("inspected_words", "which charts words"),
            ("try_it", "whose models the page knows"),
        ):
            if experiment.get(key) and name != INSPECTING:
                yield mistake([*where, key], f"only for {INSPECTING}, {why}; remove it")
        methods, claims = experiment.get("methods", {}), experiment.get("claims", [])
        telling = [("methods", *each) for each in methods.items()]
        telling += [("claims", *each) for each in enumerate(claims)]
        for block, key, entry in telling:
            path = [*where, block, key]
            contrasts = entry.get("contrasts", [])
            if any(present == without for present, without in contrasts):
                yield mistake([*path, "contrasts"], "names one system twice: name two")
            named = {
                "contrasts": chain.from_iterable(contrasts),
                "quoted": (system for system, _ in entry.get("quoted", [])),
                "long_sentences": entry.get("long_sentences", {}),
            }
            for of, those in named.items():
                for system in those:
                    if system not in systems:
                        yield no_such([*path, of], "system", system, sorted(systems))
        for position, system in enumerate(experiment.get("try_it", [])):
            if system not in systems:
                yield no_such([*where, "try_it", position], "system", system, sorted(systems))
        drawn = experiment.get("alignments")
        if drawn not in (None, *systems):
            yield no_such([*where, "alignments"], "system", drawn, sorted(systems))
        yield from wrong_labels(name, systems)
    for position, system in enumerate(configuration["systems"] or []):
        if system not in known:
            said = ["systems", position]
            yield no_such(["systems"], "system", system, sorted(known), said)


def wrong_claims(configuration: Configuration) -> Iterator[Mistake]:
    """Claims about coverage, quoted rows or language pairs that are not there."""
    known = printed_or_here(configuration)
    for name, experiment in configuration["experiments"].items():
        rows = QUOTED.get(name, {})
        for number, claim in enumerate(experiment.get("claims", [])):
            path = ["experiments", name, "claims", number]
            if claim.get("coverage") and name != INSPECTING:
                words = f"only for {INSPECTING}, which counts it; remove the claim"
                yield mistake([*path, "coverage"], words)
            if claim.get("quoted") and not rows:
                words = f"only for {', '.join(QUOTED)}, whose table quotes others; remove the claim"
                yield mistake([*path, "quoted"], words)
            elif wrong := [row for _, row in claim.get("quoted", []) if row not in rows]:
                yield no_such([*path, "quoted"], "row", wrong[0], rows)
            for key in ("within", "at_least"):
                stated = claim.get(key)
                for pair in stated if isinstance(stated, dict) else []:
                    if pair not in known:
                        yield no_such([*path, key], "pair", pair, known)


def wrong_limits(configuration: Configuration) -> Iterator[Mistake]:
    """Limits to unknown words for language pairs that are not there."""
    blocks: list[tuple[list[Any], Configuration]] = [([], configuration)]
    for name, experiment in configuration["experiments"].items():
        path = ["experiments", name]
        blocks.append((path, experiment))
        for system, entry in experiment["systems"].items():
            blocks.append(([*path, "systems", system], entry))
    for path, block in blocks:
        for pair in block.get("training", {}).get("unknown_limit") or {}:
            if pair not in (known := printed_or_here(configuration)):
                yield no_such([*path, "training", "unknown_limit"], "pair", pair, known)


def printed_or_here(configuration: Configuration) -> list[str]:
    """Language pairs of the configuration and of the papers, whose files name theirs anywhere."""
    return sorted({*configuration["roles"], *PRINTED_PAIRS})


def wrong_labels(experiment: str, systems: dict[str, Any]) -> Iterator[Mistake]:
    """Labels of systems that a reader could not tell from others."""
    first: dict[str, str] = {}
    for system, entry in systems.items():
        path, label = ["experiments", experiment, "systems", system, "label"], entry["label"]
        if label in TAKEN:
            yield mistake(path, f"{label} is taken by a row of the tables; choose another label")
        elif label in first:
            yield mistake(path, f"{label} is taken by system {first[label]}; choose another label")
        first.setdefault(label, system)


def misplaced(
    configuration: Configuration, path: list[Any], pair: str, text: str
) -> Iterator[Mistake]:
    """Mistakes in naming `text` for `pair` at `path` of the configuration."""
    known = [name for _, name, _ in texts_of(configuration)]
    if text not in known:
        yield no_such(path, "text", text, known)
        return
    source, target = pair.split("-")
    named = references(configuration, pair, text)
    sides = [(text, source), *((each, target) for each in named)]
    for name, language in sides:
        corpus, file, _ = place(configuration, pair, name, language)
        files, where = configuration["corpora"][corpus]["files"], ["corpora", corpus, "texts", text]
        entry = side(configuration, pair, name, language)
        column, columns = entry["column"], entry.get("columns", [entry["column"]])
        further = ["references", target] if name != text else []
        if file not in files:
            yield no_such([*where, *(further or ["file"])], "file", file, files)
        if column not in columns:
            yield no_such([*where, *(further or ["columns"])], "column", column, columns)
        if file not in files or column not in columns:
            return
    found = [content(configuration, pair, *each) for each in sides]
    if found[0] == found[1]:
        where.append("member" if "member" in entry else "file")
        yield mistake(where, f"one and the same file for both languages of {pair}")
    elif len(set(found)) < len(found):
        yield mistake([*where, "references", target], "names one side of the text twice")
    if path[-1] == "train" and len(named) > 1:
        yield mistake([*where, "references"], "only for dev and test texts, not what is trained on")


def unfit(configuration: Configuration) -> Iterator[Mistake]:
    """Texts in two roles that exclude each other, and selections that cannot be made."""
    trained = contents(configuration, "train")
    for path, pair, text in named_texts(configuration, configuration["pairs"]):
        source = content(configuration, pair, text, pair.split("-")[0])
        if path[-1] != "train" and source in trained:
            yield mistake(path, f"{text} is trained on; name another text")
    for pair in configuration["pairs"]:
        yield from unselectable(configuration, pair)
    for name in configuration["experiments"]:
        for pair in pairs(configuration, name):
            for role, members in roles(configuration, name, pair).items():
                if not members:
                    yield mistake(["roles", pair, role], f"missing: name {role} texts of {pair}")
            yield from tested_on_dev(configuration, name, pair)
    yield from left_out(configuration)


def tested_on_dev(configuration: Configuration, experiment: str, pair: str) -> Iterator[Mistake]:
    """Test texts of an experiment that its trainings are validated on."""
    entry, source = roles(configuration, experiment, pair), pair.split("-")[0]
    dev = {content(configuration, pair, text, source): text for text in entry["dev"]}
    for text in entry["test"]:
        if same := dev.get(content(configuration, pair, text, source)):
            words = f"{text} is the dev text {same}, by which training stops; name another text"
            yield mistake(["roles", pair, "test"], words)


def left_out(configuration: Configuration) -> Iterator[Mistake]:
    """Systems that are asked for although their experiments take part in none of the pairs."""
    for name in configuration["experiments"]:
        asked = systems(configuration, name)
        if asked and not pairs(configuration, name) and configuration["systems"] is not None:
            position = configuration["systems"].index(asked[0])
            here = ", ".join(configuration["pairs"])
            words = f"{asked[0]}: its experiment {name} does not run {here}: remove the system, or "
            words += f"add a pair to experiments.{name}.pairs"
            yield mistake(["systems"], words, said=["systems", position])
    if not any(pairs(configuration, name) for name in configuration["experiments"]):
        yield ["pairs"], "pairs: no experiment runs these; add one to experiments.NAME.pairs"


def unmade(configuration: Configuration) -> Iterator[Mistake]:
    """Keys that the recipes lack, which may be put together from several blocks."""
    for name, experiment in configuration["experiments"].items():
        path = ["experiments", name]
        for block, kind in {"model": Model, "training": Training, "decoding": Decoding}.items():
            for field in fields(kind):
                if field.name not in experiment[block] and field.name not in OPTIONAL:
                    yield mistake([*path, block, field.name], "missing", said=path)
        for system in systems(configuration, name):
            entry = experiment["systems"][system]
            unused = () if entry.get("context") else OPTIONAL
            model = {key: value for key, value in entry["model"].items() if key not in unused}
            where = [*path, "systems", system, "model"]
            yield from violations(Model, model, *where)


def unselectable(configuration: Configuration, pair: str) -> Iterator[Mistake]:
    """Mistakes in the selection of the training pairs of `pair`."""
    selection = configuration["select"].get(pair)
    if selection is None:
        return
    path = ["select", pair]
    limits = sum(selection.get(key) is not None for key in ("target_words", "pairs"))
    if limits != 1:
        many = "two limits: make target_words or pairs null"
        yield mistake(path, many if limits else "no limit: give target_words or pairs")
    tests = contents(configuration, "test")
    path = [*path, "in_domain"]
    for text in selection["in_domain"]:
        wrong = list(misplaced(configuration, path, pair, text))
        yield from wrong
        if not wrong and content(configuration, pair, text, pair.split("-")[0]) in tests:
            words = "and selecting by it would bias the test; name another text"
            yield mistake(path, f"{text} is a test text, {words}")
