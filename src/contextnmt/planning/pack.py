"""The kit with which a call of Snakemake runs on another machine."""

import importlib.metadata
import io
import json
import os
import shlex
import tarfile
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from contextnmt.closure import PACKED, ROOT, commit
from contextnmt.errors import UserError
from contextnmt.files import atomic_path
from contextnmt.planning.jobs import Call, planned

#: What jobs need of the checkout.
WORKFLOW = ("Snakefile", "config.yaml", "workflow", "src", "local", "envs")

#: The folder that the kit unpacks to, and where the user's own files lie in it.
KIT = Path("contextnmt-kit")
GIVEN = Path("given")

#: The script that runs the kit; its call of Snakemake gets the words in place of this one.
SCRIPT, WORDS = Path(__file__).with_name("run.sh"), "@WORDS@"

#: So many seconds older are the files in the kit: what jobs make of them is younger, even if the
#: other machine's clock is slow.
OLDER = 30 * 86_400

#: Options of Snakemake whose values are files or folders.
PATHS = {"--configfile", "--configfiles", "--profile", "--workflow-profile", "--snakefile", "-s"}

#: In the kit, the list of results that came with it.
CARRIED = "carried.txt"


def pack(
    out: Annotated[Path, typer.Option(help="the kit, a .tar.gz file")],
    wheels: Annotated[
        Path | None, typer.Option(help="folder of wheels that the other machine lacks")
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(help="options and targets, as after `snakemake`", metavar="WORDS"),
    ] = None,
) -> None:
    """Pack what a call of Snakemake needs on another machine, such as one with a GPU.

    The kit holds the workflow, the files that the jobs read, and WHEELS. Call `pack` in the folder
    with results/, after all stages that need no GPU.

    The other machine needs Linux, Python 3.11 or newer with pip, and torch, but no network. There,
    tar -xzf KIT, then contextnmt-kit/run.sh SECONDS JOBS: it runs for so long, with so many GPU
    jobs side by side. Trainings save their state before the time is up; the same command goes on.
    Each call writes contextnmt-kit/returned.tar.gz for `contextnmt unpack`.

    WHEELS are the packages of requirements.lock that the other machine lacks. Fetch them for its
    Python: pip download --no-deps --only-binary=:all: --python-version 3.12
    --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 --dest WHEELS NAME==VERSION …
    A package that has no wheel there: pip wheel --no-deps --wheel-dir WHEELS NAME==VERSION

    Example: contextnmt pack --out kit.tar.gz --wheels wheels run_files translations
    --profile local --config preset=multi30k device=cuda

    Raises UserError with what Snakemake says of a mistake, or if a file cannot go into a kit.
    """
    words = words or []
    call = planned(words)
    if not call.jobs:
        raise UserError("nothing to be done: this call of Snakemake starts no job")
    if call.folder != Path.cwd():
        raise UserError("--directory: leave it out, and call `contextnmt pack` in that folder")
    carried = needed(call)
    found = sorted(wheels.glob("*.whl")) if wheels else []
    if wheels and not found:
        raise UserError(f"--wheels {wheels}: no wheels there: give the folder that pip wrote")
    with atomic_path(out) as temporary, tarfile.open(temporary, "w:gz", compresslevel=6) as kit:
        for name in WORKFLOW:
            add(kit, ROOT / name, name)
        # The version of the package, which model.json names.
        metadata = importlib.metadata.distribution("contextnmt").read_text("METADATA") or ""
        version = importlib.metadata.version("contextnmt")
        add_text(kit, f"src/contextnmt-{version}.dist-info/METADATA", metadata)
        for wheel in found:
            add(kit, wheel, f"wheels/{wheel.name}")
        for path in carried:
            add(kit, Path(path), path)
        for path in local_files(call) - set(carried):
            add_text(kit, path, "", os.stat(path).st_mtime - OLDER)  # only done jobs read it
        said, places = given(words)
        for own, place in places.items():
            add(kit, own, place)
        add_text(kit, PACKED, json.dumps(commit()))
        add_text(kit, CARRIED, "".join(f"{path}\n" for path in carried))
        script = SCRIPT.read_text(encoding="utf-8").replace(WORDS, shlex.join(said))
        add_text(kit, "run.sh", script, mode=0o755)
    jobs = Counter(job.rule for job in call.jobs)
    told = ", ".join(f"{rule} {count}" for rule, count in jobs.items())
    print(f"{out}: {len(carried)} files of results, for the jobs {told}")


def needed(call: Call) -> list[str]:
    """The files that the jobs of a call read and none of them makes."""
    made = {path for job in call.jobs for path in job.outputs}
    read = {inside(path) for job in call.jobs for path in job.inputs} - made
    below = (path for each in read for path in [Path(each), *Path(each).rglob("*")])
    return sorted({str(path) for path in below if path.is_file()})


def local_files(call: Call) -> set[str]:
    """The user's own files, which the workflow looks for in any case."""
    corpora = call.configuration["corpora"].values()
    entries = [entry for corpus in corpora for entry in corpus["files"].values()]
    return {inside(entry["local"]) for entry in entries if "local" in entry}


def inside(path: str) -> str:
    """`path`. Raises UserError if it leads out of the folder."""
    if os.path.isabs(path) or ".." in Path(path).parts:
        raise UserError(f"{path}: outside this folder: copy or link it here and name that")
    return path


def given(words: list[str]) -> tuple[list[str], dict[Path, str]]:
    """Return the words of a call as they are in the kit, and where its own files lie there.

    Files of the checkout keep their places; the user's, such as a --configfile, get one.
    """
    said: list[str] = []
    places: dict[Path, str] = {}
    option = ""
    for word in words:
        name, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        option = name if equals else word if word.startswith("-") else option
        path = Path(value).resolve()
        if option not in PATHS or word == option or not path.exists():
            said.append(word)
            continue
        if path.is_relative_to(ROOT):
            place = str(path.relative_to(ROOT))
            outside = Path(place).parts[0] not in WORKFLOW
        else:
            number = list(places).index(path) if path in places else len(places)
            place, outside = str(GIVEN / str(number) / path.name), True
        if outside:
            places[path] = place
        said.append(f"{name}{equals}{place}")
    return said, places


def add(kit: tarfile.TarFile, path: Path, name: str) -> None:
    """Add a file or folder without compiled Python and its owner's name."""

    def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        member.mtime -= OLDER
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return None if member.name.endswith(("__pycache__", ".egg-info")) else member

    kit.add(path.resolve(), str(KIT / name), filter=anonymous)


def add_text(
    kit: tarfile.TarFile, name: str, text: str, time: float = 0, mode: int = 0o644
) -> None:
    """Add a file that holds `text`."""
    content = text.encode()
    member = tarfile.TarInfo(str(KIT / name))
    member.size, member.mtime, member.mode = len(content), time, mode
    kit.addfile(member, io.BytesIO(content))
