"""Which source files a stage can reach, so that an edit re-runs the stages it touches, no others.

Snakemake sees the command of a rule but not the modules behind it. The rules therefore carry one
mark a file as parameters; a changed mark re-runs the rule and names the file as the reason. The
mark of a module is that of its syntax: comments, docstrings and formatting have no say in it.
"""

import ast
import atexit
import contextlib
import functools
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from contextnmt.errors import UserError
from contextnmt.files import write_json

#: The name of a file; anything else, as a sentence of a note, may be too long to ask the disk for.
FILE_NAME = re.compile(r"[\w/-]{0,200}\.[\w.]{1,20}")

#: Cache of parsed modules, below the source.
CACHE = Path("__pycache__", "syntax.json")

#: The checkout, or a kit of `contextnmt pack`, which has a file of what it was made of.
ROOT, PACKED = Path(__file__).parents[2], "commit.json"


class Module(NamedTuple):
    """A module under the source: its file with the digest of its syntax, the files that it names,
    each with the digest of its content, and the modules under the source that it may import."""

    files: tuple[tuple[Path, str], ...]
    imported: frozenset[str]


@functools.cache  # each module asks for all that it may import
def module_file(source: Path, name: str) -> Path | None:
    """The file under `source` that holds the dotted module `name`, if there is one."""
    path = source.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if name and file.is_file()), None)


def imports(name: str, path: Path, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Dotted names that the module `name`, held by `path`, may import; `nodes` are its syntax."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    yield package
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], base]).rstrip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def file_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Constants in the `nodes` of a syntax that may name a file: a template, table, style sheet. A
    module that is only named, not imported, is none of them."""
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    for name in constants:
        if isinstance(name, str) and FILE_NAME.fullmatch(name) and not name.endswith(".py"):
            yield name


def parsed(source: Path, name: str, path: Path) -> list[Any]:
    """Parse the module `name` under `source`, held by `path`, unless an earlier process has.

    The digests of its text and of its syntax, the dotted names that it may import, and its
    constants that look like names of files.
    """
    content, known = path.read_bytes(), remembered(source)
    text = digest(Path(__file__).read_bytes() + content, 64)
    if text not in known.get(name, ()):
        tree = ast.parse(content)
        nodes = list(ast.walk(tree))
        imported, named = set(imports(name, path, nodes)), set(file_names(nodes))
        known[name] = [text, digest(repr(syntax(tree)).encode()), sorted(imported), sorted(named)]
    return known[name]  # type: ignore[no-any-return]


@functools.cache
def remembered(source: Path) -> dict[str, Any]:
    """The modules under `source` as last parsed, by name, from a file beside Python's own caches.

    Parsing them all takes a second, for Snakemake and for each of its jobs on a cluster.
    """
    try:
        known: dict[str, Any] = json.loads((source / CACHE).read_bytes())
    except (OSError, ValueError):
        known = {}
    if not sys.dont_write_bytecode:
        atexit.register(remember, source / CACHE, known, dict(known))
    return known


def remember(cache: Path, known: dict[str, Any], before: dict[str, Any]) -> None:
    """Write what is `known`, if it is not what was known `before`."""
    if known != before and cache.parents[1].is_dir():
        with contextlib.suppress(OSError, UserError):  # as of a folder that others own
            write_json(cache, known)


def digest(content: bytes, length: int = 8) -> str:
    """The first characters of the SHA-256 of bytes."""
    return hashlib.sha256(content).hexdigest()[:length]


@functools.cache  # many stages reach the same modules
def module(source: Path, name: str) -> Module:
    """The dotted module `name` under `source`, as it was when a program first asked for it.

    Raises ValueError if there is none.
    """
    path = module_file(source, name)
    if not path:
        raise ValueError(f"no module {name} under {source}")
    _, mark, imported, named = parsed(source, name, path)
    beside = [file for each in named if (file := path.parent / each).is_file()]
    return Module(
        ((path, mark), *((file, digest(file.read_bytes())) for file in beside)),
        frozenset(each for each in imported if module_file(source, each)),
    )


def syntax(node: Any) -> Any:
    """Return a node of a syntax tree as nested tuples, without places and docstrings.

    Empty fields are left out, so that a version of Python that knows more of them says the same.
    """
    if isinstance(node, ast.AST):
        fields = [(name, getattr(node, name, None)) for name in node._fields]
        kept = [(name, syntax(value)) for name, value in fields if value not in (None, [])]
        return (type(node).__name__, *kept)
    if isinstance(node, list):
        return tuple(syntax(each) for each in node if not is_docstring(each))
    return node


def is_docstring(node: Any) -> bool:
    """Whether a statement is a text alone, which does nothing."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def code_marks(source: Path, name: str, *without: str) -> list[str]:
    """One `path@digest` for each file under `source` that the module `name` can reach, sorted.

    Reached are the modules that it imports, in turn, and the files beside them that they name; but
    none by way of the modules `without`, which a call does not load. Raises ValueError if `source`
    holds no module `name`.
    """
    marks: dict[Path, str] = {}
    seen, todo = {name, *without}, [name]
    while todo:
        found = module(source, todo.pop())
        marks.update(found.files)
        todo.extend(found.imported - seen)
        seen |= found.imported
    return sorted(f"{path.relative_to(source)}@{mark}" for path, mark in marks.items())


def commit() -> dict[str, Any]:
    """Return the ``commit`` of this code and whether it is ``dirty``; None if git does not know.

    Of the code in a kit they are those of the checkout that packed it.
    """
    if (ROOT / PACKED).is_file():
        return json.loads((ROOT / PACKED).read_bytes())  # type: ignore[no-any-return]
    return {
        "commit": git("rev-parse", "HEAD"),
        "dirty": bool(git("status", "--porcelain", "--untracked-files=no")),
    }


def git(*arguments: str) -> str | None:
    """Return what git says about the checkout that holds this file, None if it says nothing."""
    try:
        done = subprocess.run(
            ["git", "-C", str(Path(__file__).parent), *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
