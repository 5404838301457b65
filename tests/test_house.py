"""The house rules that no linter knows: pins agree, imports go one way, the README is true."""

import ast
import importlib.metadata
import re
import runpy
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import configuration_reference as reference
import pytest
import yaml

from contextnmt.cli import STAGES
from contextnmt.configuration.keys import WholeConfiguration
from contextnmt.configuration.values import schema_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "contextnmt"
MODULES = sorted(PACKAGE.rglob("*.py"))

#: In the way of the data: a room imports from those before it.
ROOMS = [
    "configuration",
    "corpus",
    "selection",
    "text",
    "model",
    "training",
    "translation",
    "evaluation",
    "report",
    "paths",
]
#: Beside the way of the data: it reads the configuration, and no other room imports it.
PLANNING = "planning"
#: Open to every room.
COMMON = {"arrays", "closure", "errors", "files", "progress", "tar"}
#: What a stage may import of the configuration: an edit of any other module re-runs no training.
STAGE_SETTINGS = {"keys", "model", "training", "values"}

#: The two networks of Bahdanau et al. 2015.
NETWORKS = ("rnnencdec", "rnnsearch")

PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[\w+\])?==(?P<version>[^\s;]+)", re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def normal(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked(path: str) -> list[str]:
    """The requirements of a requirements*.in file."""
    lines = (ROOT / path).read_text().split("\n")
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def name_of(requirement: str) -> str:
    return normal(re.split(r"[\[=<>!~; ]", requirement)[0])


def pins(text: str) -> dict[str, str]:
    """Name and version of every `name==version` at the start of a line."""
    return {normal(match["name"]): match["version"] for match in PIN.finditer(text)}


LOCK = pins((ROOT / "requirements.lock").read_text())
DEV_LOCK = pins((ROOT / "requirements-dev.lock").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
(TORCH,) = re.findall(r"^TORCH := torch==(\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """The files that git tracks or would take."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / line for line in listing.stdout.split("\n") if line]
    return [path for path in paths if path.is_file()]


# Dependencies


@pytest.mark.parametrize("kind", ["", "-dev"])
def test_lock_pins_what_is_asked_for(kind: str) -> None:
    locked = DEV_LOCK if kind else LOCK
    for requirement in asked(f"requirements{kind}.in"):
        version = locked[name_of(requirement)]
        pin = requirement.partition(";")[0].partition("==")[2]
        assert not pin or version == pin, requirement


@pytest.mark.parametrize("kind", ["", "-dev"])
def test_lock_has_hashes_and_leaves_torch_out(kind: str) -> None:
    text = (ROOT / f"requirements{kind}.lock").read_text()
    blocks = re.split(r"\n(?=[a-z])", text)[1:]
    assert len(blocks) == len(DEV_LOCK if kind else LOCK)
    for block in blocks:
        assert "--hash=sha256:" in block, block
        assert not block.startswith(("torch==", "nvidia-")), block
    assert "triton" not in LOCK  # it comes with torch, where that is for a GPU


def test_the_two_locks_agree() -> None:
    for name in LOCK.keys() & DEV_LOCK.keys():
        assert LOCK[name] == DEV_LOCK[name], name


def test_conda_environment_has_the_pins_of_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "envs" / "contextnmt.yaml").read_text())
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    (listed,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert pins("\n".join(listed)) == {**LOCK, "torch": TORCH, "jieba": DEV_LOCK["jieba"]}


def test_package_asks_for_what_is_locked() -> None:
    assert {name_of(each) for each in PROJECT["dependencies"]} <= LOCK.keys() | {"torch"}


def test_package_asks_for_what_it_imports() -> None:
    owners = importlib.metadata.packages_distributions()
    imported = {name.partition(".")[0] for path in MODULES for name in imports(path)}
    foreign = imported - set(sys.stdlib_module_names) - {"contextnmt"}
    foreign -= {"triton"}  # comes with torch, where that is for a GPU
    extras = [each for extra in PROJECT["optional-dependencies"].values() for each in extra]
    declared = {name_of(each) for each in [*PROJECT["dependencies"], *extras]}
    of = {name: {normal(owner) for owner in owners.get(name, [name])} for name in foreign}
    undeclared = {name for name in foreign if not of[name] & declared}
    assert undeclared == set()


def test_torch_is_the_same_everywhere() -> None:
    tutorial = (ROOT / "docs/tutorial.md").read_text()
    assert re.findall(r"torch==([\w.]+)", tutorial) == [TORCH]


def test_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == PROJECT["version"]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()


# Architecture


def imports(path: Path) -> Iterator[str]:
    """Dotted names of the modules that `path` imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)}:{node.lineno}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent != PACKAGE], ids=relative)
def test_imports_go_one_way(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    if room in (PLANNING, "model"):
        open_rooms = {"configuration", "model", room}
    else:
        open_rooms = set(ROOMS[: ROOMS.index(room) + 1])
    for name in imports(path):
        package, _, rest = name.partition(".")
        if package == "contextnmt":
            other, _, module = rest.partition(".")
            assert other in open_rooms | COMMON, f"{relative(path)}: {name}"
            if other == "configuration" and room not in (
                PLANNING,
                "report",
                "paths",
                "configuration",
            ):
                assert module.partition(".")[0] in STAGE_SETTINGS, f"{relative(path)}: {name}"


def test_rooms_are_those_of_the_way() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == {*ROOMS, PLANNING}


def test_modules_outside_the_rooms_import_no_room() -> None:
    for path in PACKAGE.glob("*.py"):
        for name in imports(path):
            assert not re.match(rf"contextnmt\.({'|'.join(ROOMS)})\b", name), f"{path.name}: {name}"


def test_package_files_are_empty() -> None:
    assert [relative(p) for p in MODULES if p.name == "__init__.py" and p.stat().st_size] == []


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call in a Python file, with the last name of what is called."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call):
            yield getattr(node.func, "attr", getattr(node.func, "id", "")), node


def test_lines_end_at_lf_alone(tracked: list[Path]) -> None:
    """splitlines() also cuts at CR, VT, FF, U+0085 and U+2028, and sides run apart."""
    found = [
        f"{relative(path)}:{call.lineno}: use split or read_lines"
        for path in tracked
        if path.suffix == ".py"
        for name, call in calls(path)
        if name == "splitlines"
    ]
    assert found == []
    for path in [ROOT / "workflow/Snakefile", *(ROOT / "workflow").rglob("*.smk")]:
        assert "splitlines" not in path.read_text(), relative(path)


def test_messages_show_control_characters_by_number() -> None:
    """Control characters in a name or in a server's answer would steer the terminal."""
    found = [
        f"{relative(path)}:{call.lineno}: use contextnmt.progress.say"
        for path in MODULES
        if path.name != "cli.py"
        for name, call in calls(path)
        if name == "print" and any(keyword.arg == "file" for keyword in call.keywords)
    ]
    assert found == []
    for path in [ROOT / "workflow/Snakefile", *(ROOT / "workflow").rglob("*.smk")]:
        assert not re.search(r"\bprint\(", path.read_text()), relative(path)


@pytest.mark.parametrize("pattern", ["src/**/*.py", "tests/**/test_*.py"])
def test_no_two_modules_have_one_name(pattern: str) -> None:
    """Of tests, pytest would stop at the second one."""
    names = Counter(path.name for path in ROOT.glob(pattern))
    assert [name for name, count in names.items() if count > 1 and name != "__init__.py"] == []


@pytest.mark.parametrize("room", ["corpus", "selection", "text", "translation", "evaluation"])
def test_text_is_read_and_written_by_files_alone(room: str) -> None:
    """Python's own text files take CR for a line's end as well."""
    for path in (PACKAGE / room).rglob("*.py"):
        for name, call in calls(path):
            arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
            modes = [a.value for a in arguments if isinstance(a, ast.Constant)]
            binary = any(isinstance(mode, str) and set(mode) & set("b|") for mode in modes)
            text = name in ("read_text", "write_text") or (name == "open" and not binary)
            assert not text, f"{relative(path)}:{call.lineno}: {name}: use contextnmt.files"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=relative)
def test_rows_of_tables_have_a_cell_for_each_column(page: Path) -> None:
    columns = 0
    for number, line in enumerate(page.read_text().split("\n"), start=1):
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not columns or cells in (0, columns), f"{relative(page)}:{number}"
        columns = cells


# Nothing of one machine


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![\w.:/>*}-])/(?:home|root|Users|work|tmp|mnt)/\w",
        r"\b(?:py[p]i\.org|python[h]osted\.org|npm[j]s\.|ana[c]onda\.(?:org|com)|deb\.debian\.org)",
    ],
    ids=["absolute path", "package registry"],
)
def test_no_file_names_a_machine(tracked: list[Path], pattern: str) -> None:
    found = []
    for path in tracked:
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{relative(path)}: {match[0]}" for match in re.finditer(pattern, text)]
    assert found == []


# What the documentation promises


def test_every_stage_is_described_in_order() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \|", (ROOT / "docs/formats.md").read_text(), re.MULTILINE)
    assert [row for row in rows if row in STAGES] == list(STAGES)


def test_named_targets_exist() -> None:
    table = re.search(r"^\| targets \|.*?\n\n", (ROOT / "docs/targets.md").read_text(), re.M | re.S)
    assert table
    named = set(re.findall(r"`(\w+)`", table[0]))
    files = [*(ROOT / "workflow" / "rules").glob("*.smk"), ROOT / "workflow/Snakefile"]
    rules = "\n".join(path.read_text() for path in files)
    declared = set(re.findall(r'^ *(?:rule |")(\w+)"?:', rules, re.MULTILINE))
    experiments = {path.stem for path in (ROOT / "workflow" / "experiments").glob("*.yaml")}
    of_each = re.findall(r'f"{name}_([a-z_]+)"', rules)
    assert named - declared == experiments | {
        f"{x}_{part}" for x in experiments for part in of_each
    }


@pytest.mark.parametrize("page", ["README.md", "docs/results.md"])
def test_pages_have_the_scores_that_are_published(page: str) -> None:
    script = runpy.run_path(str(ROOT / "benchmarks" / "readme.py"))
    text = (ROOT / page).read_text()
    assert text == script["filled"](page, text, ROOT / "benchmarks" / "published"), (
        "run python benchmarks/readme.py"
    )


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 1300


def test_readme_has_every_preset() -> None:
    readme = (ROOT / "README.md").read_text()
    presets = sorted(path.stem for path in (ROOT / "workflow" / "presets").glob("*.yaml"))
    assert presets
    for preset in presets:
        assert f"| `{preset}` |" in readme


def test_readme_tells_first_how_long_sentences_were_trained_on() -> None:
    """The names of Bahdanau's systems have the paper's limits, which no small corpus has."""
    beginning = (ROOT / "README.md").read_text().partition("\n## ")[0]
    limits = {}
    for preset in ("demo", "multi30k"):
        layer = yaml.safe_load((ROOT / "workflow" / "presets" / f"{preset}.yaml").read_text())
        systems = layer["experiments"]["bahdanau2015"]["systems"]
        short = [systems[f"{name}-30"]["training"]["max_length"] for name in NETWORKS]
        assert short[0] == short[1]
        assert not systems.keys() & {f"{name}-50" for name in NETWORKS}
        limits[preset] = short[0]
    assert (
        f"up to {limits['demo']} words in `demo` and {limits['multi30k']} in `multi30k`"
    ) in beginning


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", ".pre-commit-config.yaml"])
def test_make_targets_exist(page: str) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^|&& )make ([a-z-]+)", (ROOT / page).read_text(), re.MULTILINE))
    assert named
    assert named <= targets


@pytest.mark.parametrize(
    "path",
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "benchmarks").rglob("*.md")),
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_links_lead_somewhere(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", path.read_text()):
        if not target.startswith("https://"):
            page = path.parent / target if target else path
            assert page.exists(), target
            headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M) if anchor else []
            assert not anchor or anchor in map(anchor_of, headings), f"{target}#{anchor}"


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_cited_decisions_are_listed() -> None:
    files = [*MODULES, ROOT / "config.yaml", *(ROOT / "workflow").rglob("*.yaml")]
    cited = {number for path in files for number in re.findall(r"\bA\d{1,2}\b", path.read_text())}
    listed = re.findall(r"^\| (A\d+) \|", (ROOT / "docs" / "decisions.md").read_text(), re.M)
    assert cited - set(listed) == set()


def test_decisions_name_keys_of_the_configuration() -> None:
    schema = schema_of(WholeConfiguration)
    known = {key.path for key in reference.keys(schema, schema)}
    rows = re.findall(r"^\| A\d.*\| (.*) \|$", (ROOT / "docs/decisions.md").read_text(), re.M)
    assert rows
    for key in re.findall(r"`([^`]+)`", "\n".join(rows)):
        assert key in known, key
