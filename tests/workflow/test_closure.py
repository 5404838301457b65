"""The marks of code by which Snakemake notices an edited module."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contextnmt.cli import STAGES
from contextnmt.closure import code_marks, module

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    package = tmp_path / "pack"
    for name, text in {
        "__init__.py": "",
        "stage.py": "from pack.inner import deep\nfrom . import near\nSTYLE = 'page.css'\n"
        "NAMED = ['__init__.py', 'alone.py']\n",
        "near.py": "def later():\n    import pack.lazy\n",
        "lazy.py": "",
        "alone.py": "",
        "page.css": "p {}\n",
        "inner/__init__.py": "",
        "inner/deep.py": "from ..lowest import thing\nfrom .beside import *\n",
        "inner/beside.py": "",
        "lowest.py": "thing = 1\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    module.cache_clear()
    return tmp_path


def files(marks: list[str]) -> list[str]:
    return [mark.split("@")[0] for mark in marks]


def test_what_a_module_can_reach(source: Path) -> None:
    assert files(code_marks(source, "pack.stage")) == [
        "pack/__init__.py",
        "pack/inner/__init__.py",
        "pack/inner/beside.py",
        "pack/inner/deep.py",
        "pack/lazy.py",
        "pack/lowest.py",
        "pack/near.py",
        "pack/page.css",
        "pack/stage.py",
    ]


def test_what_is_reached_only_by_a_module_left_out_has_no_mark(source: Path) -> None:
    reached = files(code_marks(source, "pack.stage", "pack.inner.deep", "pack.lazy"))
    assert reached == [
        f"pack/{name}"
        for name in ["__init__.py", "inner/__init__.py", "near.py", "page.css", "stage.py"]
    ]


@pytest.mark.parametrize("name", ["lowest.py", "page.css", "lazy.py", "stage.py"])
def test_an_edit_changes_the_mark_of_its_file_alone(source: Path, name: str) -> None:
    before = code_marks(source, "pack.stage")
    with open(source / "pack" / name, "a") as file:
        file.write("\nMORE = 1\n")
    module.cache_clear()
    after = code_marks(source, "pack.stage")
    assert [files([old])[0] for old, new in zip(before, after, strict=True) if old != new] == [
        f"pack/{name}"
    ]


CODE = '''"""A module."""

import os


class Thing:
    """A thing."""

    size = 3  # of what


def call(x, *, y=1.0):
    """Call it."""
    return f"{x!r} {y}"
'''


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("  # of what", "", True),
        ('"""Call it."""', '"""Call\n\n    it."""', True),
        ('    """A thing."""\n', "", True),
        ("import os", "import os  # noqa\n\n\n", True),
        ("x, *, y=1.0", "\n    x,\n    *,\n    y=1.0,\n", True),
        ("size = 3", "size = 4", False),
        ("size = 3", "size = 3.0", False),
        ("y=1.0", "y=None", False),
        ("call", "called", False),
        ("{x!r}", "{x!s}", False),
        ("import os", "import os.path", False),
        ("*, ", "", False),
    ],
)
def test_a_mark_is_of_what_a_module_means(source: Path, old: str, new: str, same: bool) -> None:
    path = source / "pack" / "alone.py"
    marks = []
    for text in (CODE, CODE.replace(old, new)):
        path.write_text(text)
        module.cache_clear()
        marks.append(code_marks(source, "pack.alone"))
    assert (marks[0] == marks[1]) is same


def test_parsed_modules_are_remembered(source: Path) -> None:
    """And a cache that is old, broken or not to be written changes no mark."""
    call = "import sys, pathlib; from contextnmt.closure import code_marks as marks\n"
    call += "print(*marks(pathlib.Path(sys.argv[1]), 'pack.stage'), sep='\\n')"

    def marks() -> list[str]:
        command = [sys.executable, "-c", call, source]
        environment = os.environ | {"PYTHONPATH": str(SOURCE)}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        assert not done.stderr
        return done.stdout.split()

    first = marks()
    cache = source / "__pycache__" / "syntax.json"
    known = json.loads(cache.read_text())
    known["pack.stage"][1] = "0" * 8
    cache.write_text(json.dumps(known))
    assert marks() == [*first[:-1], "pack/stage.py@00000000"]
    stage = source / "pack" / "stage.py"
    stage.write_text(stage.read_text() + "MORE = 1\n")
    edited = marks()
    assert edited[:-1] == first[:-1]
    assert edited[-1] not in [first[-1], "pack/stage.py@00000000"]
    cache.write_text("{")
    assert marks() == edited
    cache.unlink()
    cache.mkdir()
    assert marks() == edited


def test_a_module_has_one_mark_whoever_names_it(source: Path) -> None:
    """In whatever order the modules are reached, which differs from process to process."""
    (source / "pack" / "__init__.py").write_text("# empty\n")
    module.cache_clear()
    named = module(source, "pack.stage").files
    assert [path.name for path, _ in named] == ["stage.py", "page.css"]


def test_a_sentence_is_no_name_of_a_file(source: Path) -> None:
    sentence = "Longer than the name of a file may be. " * 10
    with open(source / "pack" / "stage.py", "a") as file:
        file.write(f"NOTE = {sentence!r}\n")
    module.cache_clear()
    assert "pack/page.css" in files(code_marks(source, "pack.stage"))


def test_a_module_that_is_not_there(source: Path) -> None:
    with pytest.raises(ValueError, match=r"no module pack\.missing"):
        code_marks(source, "pack.missing")


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_reaches_the_command_line_or_the_configuration(stage: str) -> None:
    """Else every stage would run again after an edit of these."""
    reached = set(files(code_marks(SOURCE, STAGES[stage])))
    outside = {"cli", "configuration", "schema", "__main__"}
    assert not reached & {f"contextnmt/{name}.py" for name in outside}


def test_only_generate_reaches_the_embedded_corpus() -> None:
    """Else an edit of its grammar would fetch, and train on, every other corpus again."""
    reached = {stage: set(files(code_marks(SOURCE, name))) for stage, name in STAGES.items()}
    assert {s for s, of in reached.items() if any("/embedded/" in f for f in of)} == {"generate"}


def test_an_edit_of_the_restoration_trains_systems_with_symbols_alone() -> None:
    """Only their validations restore words, so only they load it."""
    restoring, loading = "contextnmt/text/restore.py", "contextnmt.training.restored"
    reaching = {s for s, name in STAGES.items() if restoring in files(code_marks(SOURCE, name))}
    assert reaching.isdisjoint({"tokenize", "clean", "symbolize", "bpe", "binarize"})
    assert {"restore", "train"} <= reaching
    assert restoring not in files(code_marks(SOURCE, STAGES["train"], loading))
