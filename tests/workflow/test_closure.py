"""The marks of code by which Snakemake notices an edited module."""

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
        "stage.py": "from pack.inner import deep\nfrom . import near\nSTYLE = 'page.css'\n",
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


@pytest.mark.parametrize("name", ["lowest.py", "page.css", "lazy.py", "stage.py"])
def test_an_edit_changes_the_mark_of_its_file_alone(source: Path, name: str) -> None:
    before = code_marks(source, "pack.stage")
    with open(source / "pack" / name, "a") as file:
        file.write("\n")
    module.cache_clear()
    after = code_marks(source, "pack.stage")
    assert [files([old])[0] for old, new in zip(before, after, strict=True) if old != new] == [
        f"pack/{name}"
    ]


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
    reaching = {
        stage
        for stage, name in STAGES.items()
        if any("/embedded/" in mark for mark in code_marks(SOURCE, name))
    }
    assert reaching == {"generate"}


@pytest.mark.parametrize("stage", ["train", "translate", "binarize"])
def test_functions_in_c_are_code_of_what_computes_with_a_model(stage: str) -> None:
    reached = set(files(code_marks(SOURCE, STAGES[stage])))
    for name in ("contexts.c", "hidden_layer.c", "units.c", "cross_entropy.c", "numbers.h"):
        assert (f"contextnmt/model/native/{name}" in reached) == (stage != "binarize")
