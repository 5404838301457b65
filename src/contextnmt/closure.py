"""Which source files a stage can reach, so that an edit re-runs the stages it touches, no others.

Snakemake sees the command of a rule but not the modules behind it. The rules therefore carry one
mark a file as parameters; a changed mark re-runs the rule and names the file as the reason.
"""

import ast
import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

#: The name of a file; anything else, as a sentence of a note, may be too long to ask the disk for.
FILE_NAME = re.compile(r"[\w/-]{0,200}\.[\w.]{1,20}")


def module_file(source: Path, name: str) -> Path | None:
    """The file under `source` that holds the dotted module `name`, if there is one."""
    path = source.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if name and file.is_file()), None)


def imports(name: str, path: Path) -> Iterator[str]:
    """Dotted names that the module `name`, held by `path`, may import, wherever in the file."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    yield package
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                base = ".".join([*parents[: len(parents) - node.level + 1], base]).rstrip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def named_files(path: Path) -> Iterator[Path]:
    """The files beside the module at `path` that it names: templates, tables, style sheets."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value
            if FILE_NAME.fullmatch(name) and (path.parent / name).is_file():
                yield path.parent / name


@functools.cache
def code_marks(source: Path, module: str) -> list[str]:
    """One `path@digest` for each file under `source` that running `module` can reach, sorted.

    Reached are the modules that it imports, in turn, and the files beside them that they name.

    Raises ValueError if `source` holds no such module.
    """
    marks: dict[Path, str] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        path = module_file(source, name)
        if path and path not in marks:
            for file in (path, *named_files(path)):
                marks[file] = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
            todo.extend(imports(name, path))
    if not marks:
        raise ValueError(f"no module {module} under {source}")
    return sorted(f"{path.relative_to(source)}@{mark}" for path, mark in marks.items())
