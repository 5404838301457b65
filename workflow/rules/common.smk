"""The configuration, the paths of all files, and what rules share: wildcards, marks, resources."""

import hashlib
import json
import os
import re
import shlex
import sys
import tempfile
import time
from pathlib import Path

# Of this file, not of the workflow's main one: that may be another one, with this one as a module.
if not isinstance(workflow.current_basedir, os.PathLike):
    sys.exit(
        "contextnmt works from a local clone alone: clone it, and write the path of its "
        "workflow/Snakefile after `snakefile:`"
    )
BASE = Path(workflow.current_basedir).parents[1]
if re.search("[{}]", str(BASE)):
    sys.exit(
        f"{BASE}: Snakemake takes braces in this path for names of its own: move the clone"
    )
SOURCE = BASE / "src"
sys.path.insert(0, str(SOURCE))

from contextnmt.closure import PACKED, code_marks
from contextnmt.configuration import layers, places, reading
from contextnmt.corpus.chinese import UNSPACED, check_segmentable
from contextnmt.errors import UserError
from contextnmt.files import read_json, read_lines, write_lines
from contextnmt.paths.basis import (
    SIDES,
    language_of,
    language_options,
    options,
    options_of_inputs,
    pair_of,
    settings,
)
from contextnmt.paths.corpora import (
    LANGUAGE_MODELS,
    digests,
    extracted_parts,
    extraction,
)
from contextnmt.paths.reports import Reports
from contextnmt.paths.trainings import BINARIZED, VOCABULARIES
from contextnmt.planning import slurm
from contextnmt.report.contents import FIGURE_FORMATS, TABLE_FORMATS, inputs
from contextnmt.report.crate import CONFIGURATION, METADATA, WORKFLOW
from contextnmt.report.results import ABLATION, CHOICES, VIEWS
from contextnmt.text.numbers import FORMATS as LANGUAGES


def read_configuration():
    """The merged configuration; a mistake ends the program with a few lines, not a traceback."""
    try:
        if workflow.modifier.is_main_snakefile():
            reading.refuse_said_twice(sys.argv)
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
    """End the program unless the user's own files are there, and older than what is made of them."""
    for corpus, entry in corpora.items():
        for file, place in entry["files"].items():
            if "local" not in place:
                continue
            path, wrong = Path(place["local"]), ""
            if not path.is_file():
                wrong = (
                    "a folder: name a file in it"
                    if path.is_dir()
                    else "no such file: correct the path"
                )
            # Not in jobs: the clocks of their nodes may be slow.
            elif workflow.is_main_process and path.stat().st_mtime > time.time():
                wrong = f"dated in the future, and Snakemake goes by dates: touch {shlex.quote(str(path))}"
            if wrong:
                sys.exit(
                    f"corpora.{corpus}.files.{file}.local: {path.absolute()}: {wrong}"
                )


def check_pretrained():
    """End the program unless the exported folders have the models of their runs, as configured."""
    try:
        paths.check_pretrained()
    except UserError as error:
        sys.exit(str(error))


def check_languages(pairs):
    """End the program unless the stages know the languages of pairs, each (pair, language).

    And unless their texts, if they have to be segmented here, can be.
    """
    # A kit need not have what made its texts, and a conda environment has packages of its own.
    packed = (BASE / PACKED).exists()
    elsewhere = packed or workflow.deployment_settings.deployment_method
    for pair, language in pairs:
        if language not in LANGUAGES:
            sys.exit(
                f"pairs: {pair}: language {language} is not known; allowed: "
                + ", ".join(sorted(LANGUAGES))
            )
        if elsewhere or language not in UNSPACED or paths.is_segmented(language):
            continue
        if not any(Path(paths.results, "tokenize", pair).glob(f"*.{language}.gz")):
            try:
                check_segmentable(language)
            except UserError as error:
                sys.exit(f"pairs: {pair}: {error}")


def with_gaps(paths):
    """The paths of reports on what is finished, if the configuration wants gaps for all else.

    What the call of Snakemake has found its jobs take over: a training that ends meanwhile must not
    change what they read.
    """
    seen = "CONTEXTNMT_GAPS"
    if not paths.configuration["gaps"]:
        return paths
    if workflow.is_main_process:
        os.environ[seen] = json.dumps(paths.found_gaps())
    return Reports(BASE, paths.configuration, json.loads(os.environ[seen]))


paths = Reports(BASE, read_configuration(), {})
check_languages(paths.languages(paths.pairs))
check_local_files(paths.configuration["corpora"])
check_writable(Path(paths.results))
if workflow.is_main_process:
    check_pretrained()
paths = with_gaps(paths)

# Where Snakemake is called by its path, jobs find the `python` beside it all the same.
programs = os.path.dirname(sys.executable)
if programs not in os.get_exec_path():
    os.environ.update(PATH=os.pathsep.join([programs, *os.get_exec_path()]))

shell.prefix(f"export PYTHONPATH={shlex.quote(str(SOURCE))} OMP_NUM_THREADS=1; ")


wildcard_constraints:
    pair="|".join(paths.pairs),
    source="[a-z]{2,3}",
    target="[a-z]{2,3}",
    language="[a-z]{2,3}",
    text=r"[A-Za-z0-9_-]+(\.reference[0-9]+)?",
    part=r"[A-Za-z0-9_-]+(\.[0-9]+of[0-9]+|\.reference[0-9]+)?",
    aware=r"(\.pair)?",
    choice=f"({'|'.join(map(re.escape, CHOICES))})?",
    view="|".join(VIEWS),
    experiment="|".join(paths.experiments),
    system="|".join(paths.systems),
    seed=rf"[0-9]+({re.escape(ABLATION)})?|ensemble",
    beam="[0-9]+",


def code(module, *without):
    """Marks of all files that running `module` can reach: as params, they re-run an edited stage.

    Left out is what is reached only by the modules `without`, which the rule's jobs do not load.
    """
    return code_marks(SOURCE, module, *without)


def in_all_formats(name, about):
    """Files of tables and figures; `snakemake --report` shows one format, the page links to all."""
    files = []
    for path, part in paths.in_formats(name, about, *TABLE_FORMATS, *FIGURE_FORMATS):
        table = {"table": part.table} if part.table else {}
        shown = report(
            path,
            caption=f"../report/{part.caption}.rst",
            category="Tables" if part.table else "Figures",
            labels={"experiment": paths.marked(name), **table},
        )
        files.append(shown if path.endswith((".csv", ".svg")) else path)
    return files


def is_large():
    """Whether some pair has over a million pairs to train on, or nobody has said how many."""
    lines = [
        [places.lines(paths.text_entry(text)) for text in paths.texts(pair, "train")]
        for pair in paths.pairs
    ]
    return any(None in each or sum(each) > 1_000_000 for each in lines)


# What rules ask for is what WMT14 takes, up to forty million pairs (benchmarks/published/scale.md).
SHARE = 1 if is_large() else 1 / 4


# Jobs get more memory and time with each attempt up to this one: a training may have many more.
ATTEMPTS = 3


def memory(megabytes):
    """Resource function: what a job may take, and as much again with each attempt."""
    least = max(2000, int(megabytes * SHARE))
    return lambda wildcards, attempt: least * min(attempt, ATTEMPTS)


def hours(count):
    """Resource function: minutes that a job may take, and as many again with each attempt."""
    least = max(60, int(60 * count * SHARE))
    return lambda wildcards, attempt: least * min(attempt, ATTEMPTS)


def training_minutes():
    """Minutes that a job of a training may take."""
    try:
        return slurm.training_minutes("48h")
    except UserError as error:
        sys.exit(str(error))


def gpu_resources():
    """Resources of a job that computes on the device; without Slurm, the names mean nothing."""
    if paths.configuration["device"] != "cuda":
        return {"gpu": 0}
    named = {
        "slurm_partition": os.environ.get("CONTEXTNMT_SLURM_GPU_PARTITION"),
        "gpu_model": os.environ.get("CONTEXTNMT_SLURM_GPU_TYPE"),
    }
    return {"gpu": 1, **{name: word for name, word in named.items() if word}}
