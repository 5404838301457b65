"""The configuration, and what all rules share: names of texts and parts, runs, marks of code."""

import glob
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

# Of this file, not of the workflow's main one: that may be another one, with this one as a module.
BASE = Path(workflow.current_basedir).parents[1]
SOURCE = BASE / "src"
sys.path.insert(0, str(SOURCE))

from contextnmt.configuration import layers
from contextnmt.configuration import places, recipes
from contextnmt.closure import code_marks
from contextnmt.errors import UserError
from contextnmt.configuration.places import canonical, place
from contextnmt.report.contents import VIEWS
from contextnmt.text.numbers import FORMATS as LANGUAGES


def read_configuration():
    """The merged configuration; a mistake ends the program with a few lines, not a traceback."""
    try:
        if workflow.modifier.is_main_snakefile():
            layers.refuse_said_twice(sys.argv)
            return layers.of_call(
                BASE, workflow.overwrite_configfiles, workflow.config_settings.config
            )
        return layers.of_call(BASE, [], config, "config of the module")
    except UserError as error:
        sys.exit(str(error))


def check_writable(path):
    """End the program unless files can be made below `path`, which need not be there yet."""
    there = next(folder for folder in [path, *path.parents] if folder.exists())
    if not there.is_dir():
        sys.exit(
            f"{there} is a file, but results go into a folder of this name: rename the file"
        )
    try:
        # Permissions say too little: root has them all, even on a read-only file system.
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        sys.exit(
            f"{there.resolve()}: not writable ({error.strerror}): mend that or use --directory"
        )


def check_local_files(corpora):
    """End the program unless the user's own files are there."""
    for corpus, entry in corpora.items():
        for file, place in entry["files"].items():
            path = Path(place.get("local", "."))
            if not path.exists():
                sys.exit(
                    f"corpora.{corpus}.files.{file}.local: {path.absolute()}: no such file: "
                    "correct the path"
                )


def check_languages(pairs):
    """End the program unless the stages know both languages of each pair."""
    for pair in pairs:
        for language in pair.split("-"):
            if language not in LANGUAGES:
                sys.exit(
                    f"pairs: {pair}: language {language} is not known; allowed: "
                    + ", ".join(sorted(LANGUAGES))
                )


CONFIGURATION = read_configuration()
check_languages(CONFIGURATION["pairs"])
check_local_files(CONFIGURATION["corpora"])
RESULTS = f"results/{CONFIGURATION['preset']}"
check_writable(Path(RESULTS))
PAIRS = CONFIGURATION["pairs"]
SYSTEMS = {
    system: experiment
    for experiment in CONFIGURATION["experiments"]
    for system in recipes.systems(CONFIGURATION, experiment)
    if places.pairs(CONFIGURATION, experiment)
}
EXPERIMENTS = list(dict.fromkeys(SYSTEMS.values()))

shell.prefix(f"export PYTHONPATH={shlex.quote(str(SOURCE))} OMP_NUM_THREADS=1; ")


wildcard_constraints:
    pair="|".join(PAIRS),
    source="[a-z]{2,3}",
    target="[a-z]{2,3}",
    language="[a-z]{2,3}",
    text="[A-Za-z0-9_-]+",
    part=r"[A-Za-z0-9_-]+(\.[0-9]+of[0-9]+)?",
    aware=r"(\.pair)?",
    view="|".join(VIEWS),
    experiment="|".join(EXPERIMENTS),
    system="|".join(SYSTEMS),
    seed="[0-9]+|ensemble",
    beam="[0-9]+",


def code(module, *alone):
    """Marks of all files that running `module` can reach: as params, they re-run an edited stage.

    Of the modules `alone`, which reach more than the stage needs, it is their own marks.
    """
    files = tuple(f"{other.replace('.', '/')}.py@" for other in alone)
    own = [mark for other in alone for mark in code_marks(SOURCE, other)]
    return code_marks(SOURCE, module) + [mark for mark in own if mark.startswith(files)]


def settings(value):
    """Settings for a command, as one param: Snakemake compares params as a set without names."""
    return canonical(value)


def texts(pair, *roles):
    """Names of the texts that have these roles (train, dev, test) in `pair`."""
    return places.texts(CONFIGURATION, pair, *roles)


def pairs_of(experiment):
    """The language pairs of an experiment."""
    return places.pairs(CONFIGURATION, experiment)


def systems_of(experiment):
    """The systems of an experiment, in the order of tables."""
    return [system for system, home in SYSTEMS.items() if home == experiment]


def roles_of(experiment, pair, *roles):
    """Names of the dev and test texts of an experiment, or of those of one role."""
    entry = places.roles(CONFIGURATION, experiment, pair)
    named = (name for role in roles or ["dev", "test"] for name in entry[role])
    return list(dict.fromkeys(named))


def systems_with(pair):
    """The systems that a language pair is translated with."""
    return [system for system, home in SYSTEMS.items() if pair in pairs_of(home)]


def view_of(system):
    """The view of the text that a system reads and writes."""
    return CONFIGURATION["experiments"][SYSTEMS[system]]["systems"][system]["view"]


def evaluated(pair, system, *roles):
    """The same for a system: those of its experiment."""
    return roles_of(SYSTEMS[system], pair, *roles)


def evaluated_texts(pair):
    """Names of the dev and test texts of all systems that `pair` is translated with."""
    named = (name for system in systems_with(pair) for name in evaluated(pair, system))
    return list(dict.fromkeys(named))


def text_entry(name):
    """The configuration of a text."""
    return places.text(CONFIGURATION, name)


def shards(text):
    """Into how many parts a text is cut while it is a training text."""
    return places.shards(text_entry(text))


def parts(text):
    """Names of the parts of a training text, in order."""
    return places.numbered(text, shards(text))


def texts_trained_on():
    """Names of the training texts of all pairs."""
    return list(dict.fromkeys(text for pair in PAIRS for text in texts(pair, "train")))


def training_parts(pair):
    """Names of the parts of all training texts of `pair`: the pool to select from, in order."""
    return places.training_parts(CONFIGURATION, pair)


def in_domain_texts(pair):
    """Names of the texts that the training text of `pair` is selected by."""
    return (selection(pair) or {}).get("in_domain", [])


def selection(pair):
    """What is selected of the training texts of `pair`, or None: all."""
    return CONFIGURATION["select"].get(pair)


def is_large():
    """Whether some pair has over a million pairs to train on, or nobody has said how many."""
    lines = [
        [places.lines(text_entry(text)) for text in texts(pair, "train")]
        for pair in PAIRS
    ]
    return any(None in each or sum(each) > 1_000_000 for each in lines)


# What rules ask for is what WMT14 takes, up to forty million pairs (benchmarks/published/scale.md).
SHARE = 1 if is_large() else 1 / 4


# So often a job is given more: with --retries beyond that, as trainings may need, no more than that.
ATTEMPTS = 3


def memory(megabytes):
    """Resource function: what a job may take, and as much again with each attempt."""
    least = max(2000, int(megabytes * SHARE))
    return lambda wildcards, attempt: least * min(attempt, ATTEMPTS)


def hours(count):
    """Resource function: minutes that a job may take, and as many again with each attempt."""
    least = max(60, int(60 * count * SHARE))
    return lambda wildcards, attempt: least * min(attempt, ATTEMPTS)


def recipe(wildcards):
    """View, model and training of the system that the wildcards name."""
    return recipes.recipe(CONFIGURATION, wildcards.pair, wildcards.system)


def runs(pattern):
    """`pattern` for every language pair, system and seed."""
    return [
        path
        for experiment in EXPERIMENTS
        for path in expand(
            pattern,
            pair=pairs_of(experiment),
            system=systems_of(experiment),
            seed=CONFIGURATION["seeds"],
        )
    ]
