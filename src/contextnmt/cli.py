"""``contextnmt STAGE …``: one command per stage.

A stage's module holds its function with typed, documented arguments; this file only finds it. The
module is imported when its command is called, so that `contextnmt restore` does not wait for torch.
"""

import ast
import atexit
import difflib
import functools
import gc
import importlib
import importlib.metadata
import os
import re
import shutil
import signal
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

from contextnmt.closure import module_file
from contextnmt.errors import UserError
from contextnmt.files import REMEDIES

#: Command -> module that holds a function of the same name, a hyphen in it as an underscore; in the
#: order of the way of the data.
STAGES = {
    "download": "contextnmt.corpus.download",
    "generate": "contextnmt.corpus.generate",
    "extract": "contextnmt.corpus.extract",
    "tokenize": "contextnmt.corpus.tokenize",
    "survey": "contextnmt.corpus.survey",
    "clean": "contextnmt.corpus.clean",
    "sample": "contextnmt.selection.sample",
    "language-models": "contextnmt.selection.language_models",
    "cross-entropy": "contextnmt.selection.cross_entropy",
    "rank": "contextnmt.selection.rank",
    "select": "contextnmt.selection.select",
    "word-counts": "contextnmt.selection.word_counts",
    "perplexity": "contextnmt.selection.perplexity",
    "symbolize": "contextnmt.text.symbolize",
    "rule-dictionary": "contextnmt.text.rule_dictionary",
    "lexicon": "contextnmt.text.lexicon",
    "bpe": "contextnmt.text.bpe",
    "binarize": "contextnmt.text.binarize",
    "train": "contextnmt.training.train",
    "translate": "contextnmt.translation.translate",
    "replace-unknown": "contextnmt.translation.replace_unknown",
    "restore": "contextnmt.text.restore",
    "known-lines": "contextnmt.evaluation.known_lines",
    "score": "contextnmt.evaluation.score",
    "significance": "contextnmt.evaluation.significance",
    "length-scores": "contextnmt.evaluation.length_scores",
    "coverage": "contextnmt.evaluation.coverage",
    "pairs": "contextnmt.evaluation.pairs",
    "phenomena": "contextnmt.evaluation.phenomena",
    "symbol-scores": "contextnmt.evaluation.symbol_scores",
    "cbow": "contextnmt.evaluation.cbow",
    "local-charts": "contextnmt.evaluation.local_charts",
    "masks": "contextnmt.evaluation.masks",
    "report": "contextnmt.report.report",
}

#: Command -> heading above it in the overview: the steps of the way, then what is beside it.
HEADINGS = {
    "download": "Corpus",
    "sample": "Selection",
    "symbolize": "Text",
    "train": "Training",
    "translate": "Translation",
    "known-lines": "Evaluation",
    "report": "Report",
    "plan": "Before a run",
    "pack": "On another machine",
    "compare": "After two runs",
}

#: All commands, with those that are no stages.
COMMANDS = STAGES | {
    "plan": "contextnmt.planning.plan",
    "pack": "contextnmt.planning.kit",
    "unpack": "contextnmt.planning.kit",
    "compare": "contextnmt.report.compare",
}

OVERVIEW = """Usage: contextnmt STAGE [OPTIONS]
       contextnmt --version

The stages, in the order in which the data pass through them.
`contextnmt STAGE --help` explains one of them.
`snakemake --profile local` runs them all."""

#: Columns of the overview at most, and those before what a stage does.
WIDTH, INDENT = 100, 23


def overview(columns: int) -> str:
    """The text of a call without a stage: each step with its stages, in lines of `columns`."""
    lines = OVERVIEW.split("\n")
    for name in COMMANDS:
        if name in HEADINGS:
            lines += ["", f"{HEADINGS[name]}:"]
        lines += textwrap.wrap(
            phrase(name),
            min(columns, WIDTH),
            initial_indent=f"  {name}".ljust(INDENT),
            subsequent_indent=" " * INDENT,
        )
    return "\n".join(lines)


def phrase(name: str) -> str:
    """The purpose of a command: the beginning of its docstring, without loading its module."""
    module = module_file(Path(__file__).parents[1], COMMANDS[name])
    assert module
    for node in ast.parse(module.read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == name.replace("-", "_"):
            first = (ast.get_docstring(node) or "").partition("\n\n")[0]
            return re.split(r"[:;] ", " ".join(first.split()))[0].removesuffix(".")
    raise ValueError(f"{module} has no function for {name}")


def paragraphs(documentation: str) -> str:
    """A docstring with each paragraph on one line, for the terminal to wrap at its own width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in documentation.split("\n\n"))


def guarded(function: Callable[..., None]) -> Callable[..., None]:
    """`function`, which then refuses to write a file that it reads, or one file twice.

    Outputs are the paths whose options end in ``out``; all other paths are inputs.
    """

    @functools.wraps(function)
    def checked(**options: Any) -> None:
        seen: set[Path] = set()
        for name in sorted(options, key=lambda name: name.endswith("out")):
            value = options[name]
            paths = value if isinstance(value, list) else [value]
            for path in (path.resolve() for path in paths if isinstance(path, Path)):
                if name.endswith("out") and path in seen:
                    option = name.replace("_", "-")
                    raise UserError(f"--{option} {path}: read or written already: choose another")
                seen.add(path)
        function(**options)

    return checked


def loaded(name: str) -> ModuleType:
    """The module `name`. Ctrl-C ends the program meanwhile, without a traceback.

    torch takes seconds to load, and an exception within it comes out as a broken installation.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return imported(name)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    module = imported(name)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return module


def imported(name: str) -> ModuleType:
    """The module `name`. Python does not look for garbage among what it loads, nor at the end.

    There is hardly any, and of the 1.5 s of a program that loads torch alone, the search takes a
    third. So what still has to be written at the end has to be closed by name.
    """
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        module = importlib.import_module(name)
        gc.freeze()
    finally:
        gc.enable()
    atexit.register(gc.freeze)  # for what is loaded later, as torch._dynamo by its optimizers
    return module


def main() -> None:
    """Run the stage that the command line names; print a user's mistake without a traceback."""
    try:
        try:
            run(sys.argv[1:])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # who reads it, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def run(arguments: list[str]) -> None:
    """Run the stage that `arguments` begin with, and end the program where they are wrong."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(overview(shutil.get_terminal_size().columns))
        sys.exit(0 if arguments else 2)
    stage, *rest = arguments
    if stage == "--version":
        print(f"contextnmt {importlib.metadata.version('contextnmt')}")
        sys.exit(0)
    if stage not in COMMANDS:
        near = difflib.get_close_matches(stage, COMMANDS)
        hint = f"did you mean {', '.join(near)}? " if near else ""
        print(f"contextnmt: no stage {stage!r}; {hint}`contextnmt` lists them all", file=sys.stderr)
        sys.exit(2)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    function = getattr(loaded(COMMANDS[stage]), stage.replace("-", "_"))
    app.command(
        name=stage,
        help=paragraphs(function.__doc__),
        context_settings={
            "help_option_names": ["-h", "--help"],
            "ignore_unknown_options": stage in ("plan", "pack"),  # they are Snakemake's
        },
    )(guarded(function))
    try:
        app(args=rest, prog_name=f"contextnmt {stage}")
    except UserError as error:
        print(f"contextnmt {stage}: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if error.errno not in REMEDIES:
            raise
        what = error.filename or "an output"
        print(f"contextnmt {stage}: {what}: {REMEDIES[error.errno]}", file=sys.stderr)
        sys.exit(2)
