"""``contextnmt STAGE …``: one command per stage.

A stage's module holds its function with typed, documented arguments; this file only finds it. The
module is imported when its command is called, so that `contextnmt restore` does not wait for torch.
"""

import ast
import atexit
import contextlib
import difflib
import errno
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
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import typer

from contextnmt.closure import module_file
from contextnmt.errors import UserError, printable
from contextnmt.files import REMEDIES


def modules(package: str, names: str) -> dict[str, str]:
    """Commands of a package, each with its module: that of its name, or that behind a colon."""
    found = {}
    for each in names.split():
        name, _, module = each.partition(":")
        found[name] = f"contextnmt.{package}.{(module or name).replace('-', '_')}"
    return found


SELECTING = (
    "sample:cross-entropy language-models:cross-entropy cross-entropy rank select "
    "word-counts:select perplexity"
)
EVALUATING = (
    "known-lines:coverage score significance length-scores overlap coverage pairs:coverage "
    "phenomena symbol-scores cbow local-charts masks"
)

#: Heading in the overview -> command -> module that holds a function of the same name, a hyphen in
#: it as an underscore; first the stages, in the order of the way of the data.
HEADINGS = {
    "Corpus": modules("corpus", "download generate extract tokenize survey:clean clean"),
    "Selection": modules("selection", SELECTING),
    "Text": modules("text", "symbolize rule-dictionary lexicon bpe binarize"),
    "Training": modules("training", "train") | modules("translation", "adopt:exported"),
    "Translation": modules("translation", "translate replace-unknown")
    | modules("text", "restore")
    | modules("translation", "browser-model"),
    "Evaluation": modules("evaluation", EVALUATING),
    "Report": modules("report", "report"),
    "Before a run": modules("planning", "plan"),
    "On another machine": modules("planning", "pack:kit unpack:kit"),
    "After a run": modules("report", "export"),
    "After two runs": modules("report", "compare"),
}

COMMANDS = {name: module for found in HEADINGS.values() for name, module in found.items()}

#: Commands that the workflow does not call, and those that it calls.
BESIDE = ("plan", "pack", "unpack", "export", "compare")
STAGES = {name: module for name, module in COMMANDS.items() if name not in BESIDE}

OVERVIEW = """Usage: contextnmt STAGE [OPTIONS]
       contextnmt --version

The stages in the order of the data, then other commands.
`contextnmt COMMAND --help` explains one of them.
`snakemake --profile local` runs the stages that the configuration
needs, up to `report`."""

#: Signals by which schedulers and closing terminals end a program.
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU)

#: Advice about an operating-system error, by errno; the last ones come while reading, too.
ADVICE = {
    **REMEDIES,
    errno.EACCES: "may not be read or written: mend its permissions and those of its folders",
    errno.EIO: "its disk fails: check it, then run the same command again",
    errno.ESTALE: "its file system has lost it: run the same command again",
}

#: What torch says where the system refuses it a file: with the name and the number of the error.
REFUSED = re.compile(r"<(.+?)>.*: (.+) \((\d+)\)$", re.MULTILINE)

#: Words of the errors of systems and libraries that get no memory, in lower case.
NO_MEMORY = ("allocate memory", "out of memory", "map segment", "can't start new thread")

#: Columns of the overview at most, and those before what a stage does.
WIDTH, INDENT = 100, 23


def overview(columns: int) -> str:
    """The text of a call without a stage: each step with its stages, in lines of `columns`."""
    lines = OVERVIEW.split("\n")
    for heading, commands in HEADINGS.items():
        lines += ["", f"{heading}:"]
        for name in commands:
            lines += textwrap.wrap(
                phrase(name),
                min(columns, WIDTH),
                initial_indent=f"  {name}".ljust(INDENT),
                subsequent_indent=" " * INDENT,
            )
    return "\n".join(lines)


def documentation(name: str) -> str:
    """The docstring of a command, without loading its module; `python -OO` has none in memory."""
    module = module_file(Path(__file__).parents[1], COMMANDS[name])
    assert module
    functions = (n for n in ast.parse(module.read_bytes()).body if isinstance(n, ast.FunctionDef))
    called = next(each for each in functions if each.name == name.replace("-", "_"))
    return ast.get_docstring(called) or ""


def phrase(name: str) -> str:
    """The purpose of a command: the beginning of its docstring."""
    first = documentation(name).partition("\n\n")[0]
    return re.split(r"[:;] ", " ".join(first.split()))[0].removesuffix(".")


def paragraphs(documentation: str) -> str:
    """A docstring with each paragraph on one line, for the terminal to wrap at its own width."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in documentation.split("\n\n"))


def guarded(function: Callable[..., None]) -> Callable[..., None]:
    """`function`, which then refuses to write a file that it reads, or one file twice.

    Outputs are the paths whose options end in ``out``; all other paths are inputs.
    """

    @functools.wraps(function)
    def checked(**options: Any) -> None:
        seen: set[str] = set()
        for name in sorted(options, key=lambda name: name.endswith("out")):
            value = options[name]
            paths = value if isinstance(value, list) else [value]
            for path in (os.path.realpath(path) for path in paths if isinstance(path, Path)):
                if name.endswith("out") and path in seen:
                    option = name.replace("_", "-")
                    raise UserError(f"--{option} {path}: read or written already: choose another")
                seen.add(path)
        function(**options)

    return checked


def loaded(name: str) -> ModuleType:
    """The module `name`. Ctrl-C ends the program meanwhile, without a traceback.

    torch takes seconds to load, and an exception within it comes out as a broken installation.
    Python does not look for garbage among what it loads, nor at the end: there is hardly any, and
    of the 1.5 s of a program that loads torch alone, the search takes a third. So what still has to
    be written at the end has to be closed by name.
    """
    if name in sys.modules:
        return sys.modules[name]
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.disable()
    try:
        module = importlib.import_module(name)
        gc.freeze()
    finally:
        gc.enable()
    if interruptible:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    atexit.register(gc.freeze)  # for what is loaded later, as torch._dynamo by its optimizers
    return module


class StoppedError(SystemExit):
    """A signal, of this number, ends the program, by way of all that cleans up behind it."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def stop(number: int, frame: FrameType | None) -> None:
    """Handle a signal: the first one ends the program orderly, the next one at once."""
    signal.signal(number, signal.SIG_DFL)
    raise StoppedError(number)


def open_streams() -> None:
    """Open stdin, stdout and stderr where they are closed, so that no file takes their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the lowest number is free, which is that of the stream
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def lacks_memory(error: BaseException) -> bool:
    """Whether the system refused memory; torch, loaders and threads have no error of their own."""
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(words in said for words in NO_MEMORY)


def explanation(error: BaseException) -> str:
    """The line for the user about an error of the system; empty for any other, which is a bug."""
    if isinstance(error, RuntimeError) and (refused := REFUSED.search(str(error))):
        file, words, number = refused[1], refused[2], int(refused[3])
        if words == os.strerror(number):
            error = OSError(number, words, file)
    if isinstance(error, OSError) and error.errno in ADVICE:
        return f"{error.filename or 'a file'}: {ADVICE[error.errno]}"
    system = isinstance(error, OSError | RuntimeError | ImportError | MemoryError)
    if system and lacks_memory(error):
        said = str(error).partition("\n")[0] or "MemoryError"
        return f"out of memory ({said}): allow more memory, or process less at once"
    return ""


def tell_of_thread(failed: threading.ExceptHookArgs) -> None:
    """Print the error that ends a thread, as `main` does; TensorBoard writes in one of its own."""
    if failed.exc_value and (line := explanation(failed.exc_value)):
        tell(line)
    else:
        threading.__excepthook__(failed)


def main() -> None:
    """Run the stage that the command line names; print a user's mistake without a traceback."""
    open_streams()
    threading.excepthook = tell_of_thread
    try:
        try:
            run(sys.argv[1:])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # who reads it, such as head, has seen enough
        drop_output()
        sys.exit(1)
    except StoppedError as stopped:
        tell(f"stopped by {signal.Signals(stopped.number).name}")
        raise
    except UserError as error:
        tell(error)
        sys.exit(2)
    except (OSError, RuntimeError, ImportError, MemoryError) as error:
        if not (line := explanation(error)):
            raise
        tell(line)
        if isinstance(error, OSError) and error.errno in REMEDIES:
            drop_output()
        sys.exit(2)


def tell(problem: object) -> None:
    """Print a line for the user on stderr, if it can be written."""
    with contextlib.suppress(OSError):
        line = printable(f"{' '.join(['contextnmt', *sys.argv[1:2]])}: {problem}")
        print(line, file=sys.stderr, flush=True)


def drop_output() -> None:
    """Lose what is left to be written to a stdout that takes no more."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
        help=paragraphs(documentation(stage)),
        context_settings={
            "help_option_names": ["-h", "--help"],
            "ignore_unknown_options": stage in ("plan", "pack"),  # they are Snakemake's
        },
    )(guarded(function))
    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:  # else `nohup` has it ignored
            signal.signal(number, stop)
    app(args=rest, prog_name=f"contextnmt {stage}")
