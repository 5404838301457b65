"""Jobs on another machine: the kit that takes them there, and their results back.

`pack` makes a kit here, `collect` gathers there what its jobs have made, `unpack` lays that here.
The kit's `run.sh` calls this module there.

Example: python -m contextnmt.planning.kit --weights --without '*/dev.*.npz'
"""

import fnmatch
import gzip
import importlib.metadata
import io
import json
import os
import shlex
import shutil
import tarfile
import time
import zlib
from collections import Counter
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from contextnmt.closure import PACKED, ROOT, commit
from contextnmt.errors import UserError
from contextnmt.files import atomic_path, read_lines, refuse_special
from contextnmt.planning.jobs import Call, Job, planned
from contextnmt.progress import say
from contextnmt.tar import Entry

#: Files of the checkout that jobs need.
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

#: The results that a kit brings back.
RETURNED = "returned.tar.gz"

#: Folders of results/PRESET/ that tell of jobs and may be replaced by those of a later call.
PASSING = {"logs", "benchmarks"}

#: Files that a kit brings back at most, and bytes of it that are read at a time.
MOST_FILES, BLOCK = 1_000_000, 1 << 16

#: Seconds since 1970 that no file system can note.
LATEST = 1 << 40


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

    The other machine needs Linux, Python 3.11 or newer with pip, and torch, but no network. There:
    tar -xzf KIT, then contextnmt-kit/run.sh SECONDS JOBS, which runs for SECONDS with JOBS GPU jobs
    at a time. Trainings save their state before the time is up; run the same command again to
    continue. Each call writes contextnmt-kit/returned.tar.gz for `contextnmt unpack`.

    WHEELS are the packages of requirements.lock that the other machine lacks. Fetch them for its
    Python: pip download --no-deps --only-binary=:all: --python-version 3.12
    --platform manylinux_2_28_x86_64 --platform manylinux2014_x86_64 --dest WHEELS NAME==VERSION …
    If the index has no wheel of a package: pip wheel --no-deps --wheel-dir WHEELS NAME==VERSION

    Example: contextnmt pack --out kit.tar.gz --wheels wheels run_files translations
    --profile local --config preset=multi30k device=cuda

    If the call has a mistake, prints Snakemake's message. If a file cannot go into a kit, names it.
    """
    words = words or []
    call = planned(words)
    if not call.jobs:
        raise UserError("nothing to be done: this call of Snakemake starts no job")
    if call.folder != Path.cwd():
        raise UserError("--directory: leave it out, and call `contextnmt pack` in that folder")
    if fetched := [job.outputs[0] for job in call.jobs if job.stage == "download"]:
        raise UserError(
            f"downloads still to be made: {len(fetched)}, such as {fetched[0]}; the kit has to do "
            "without network: call `snakemake download` here first, with the options of this call"
        )
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
    jobs = Counter(job.rule for job in call.jobs).items()
    counts = ", ".join(f"{rule} {count}" for rule, count in jobs)
    print(f"{out}: {len(carried)} files of results, for the jobs {counts}")
    if early := early_rules(call.jobs):
        print(
            f"Jobs of {', '.join(early)} need no GPU and keep GPU jobs waiting: call `snakemake "
            "--omit-from train` here first, with the options of this call, then pack again"
        )


def needed(call: Call) -> list[str]:
    """The files that the jobs of a call read and none of them makes, and exported models, which
    the workflow looks into in any case."""
    made = {path for job in call.jobs for path in job.outputs}
    read = {inside(path) for job in call.jobs for path in job.inputs} - made
    read |= {inside(folder) for folder in call.configuration.get("pretrained", {}).values()}
    below = (path for each in read for path in [Path(each), *Path(each).rglob("*")])
    return sorted({str(path) for path in below if path.is_file()})


def early_rules(jobs: list[Job]) -> list[str]:
    """The rules whose jobs compute on no GPU and make what a job on a GPU reads."""
    read = {path for job in jobs if job.gpus for path in job.inputs}
    makers = [job for job in jobs if not job.gpus and read & {*job.outputs}]
    return list(dict.fromkeys(job.rule for job in makers if job.stage != "train-identity"))


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
        path = Path(os.path.realpath(value))
        if option not in PATHS or word == option or not path.exists():
            said.append(word)
            continue
        place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else None
        if not place or place.parts[0] not in WORKFLOW:
            places.setdefault(path, str(place or GIVEN / str(len(places)) / path.name))
        said.append(f"{name}{equals}{places.get(path, place)}")
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


def collect(
    folder: Annotated[Path, typer.Option(hidden=True)] = Path(),
    weights: Annotated[bool, typer.Option("--weights", help="also the weights")] = False,
    without: Annotated[
        list[str] | None, typer.Option(help="pattern of paths that stay there; repeatable")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="check the options only")] = False,
) -> None:
    """Write returned.tar.gz of what is new in the results of a kit, but for patterns `without`."""
    if check:
        return
    files = {str(path.relative_to(folder)): path for path in (folder / "results").glob("*/**/*")}
    unwanted = {name for pattern in without or [] for name in fnmatch.filter(files, pattern)}
    unwanted |= set(read_lines(folder / CARRIED))
    made = {
        name: path
        for name, path in sorted(files.items())
        if path.is_file() and name not in unwanted and wanted(Path(name), weights)
    }
    with atomic_path(folder / RETURNED) as temporary, tarfile.open(temporary, "w:gz") as out:
        for name, path in made.items():
            out.add(path, name)
    say(f"{folder / RETURNED}: {len(made)} files")


def wanted(path: Path, weights: bool) -> bool:
    """Whether results/PRESET/STAGE/… goes back: of a training its journal, weights if asked for."""
    if path.parts[2] != "train":
        return path.suffix != ".part"
    below = path.parts[6:]  # PAIR/SYSTEM/SEED
    if len(below) > 1:
        return below == ("state", "log.jsonl")
    return weights or path.suffix not in (".safetensors", ".tsv", ".part")


def unpack(
    returned: Annotated[Path, typer.Argument(help="returned.tar.gz of a kit")],
    force: Annotated[bool, typer.Option("--force", help="replace results that differ")] = False,
) -> None:
    """Lay the results of a kit into results/ of this folder.

    Snakemake then goes on from there: it makes scores and reports of the translations without
    training again, unless something reads the weights and they were left behind. Nothing is
    written if the file is damaged, or, without --force, if a result here differs. --force also
    deletes weights here that do not belong to the returned model.json.

    Example: contextnmt unpack returned.tar.gz
    """
    refuse_special(returned)
    try:
        with gzip.open(returned) as whole:
            while whole.read(BLOCK):  # to the end, where gzip has its checksum
                pass
        with tarfile.open(returned, "r:gz", tarinfo=Entry) as archive:
            members = checked(archive, returned, force)
            laid = {Path(member.name) for member in members}
            models = [path for path in laid if path.name == "model.json" and path.exists()]
            before = {model: model.read_bytes() for model in models}
            later = time.time() - max((member.mtime for member in members), default=0)
            for member in members:
                with atomic_path(Path(member.name)) as path:
                    with path.open("wb") as out, opened(archive, member) as stream:
                        shutil.copyfileobj(stream, out)
                    # Younger than what is here, whatever the other machine's clock says.
                    os.utime(path, (member.mtime + later,) * 2)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise UserError(f"{returned}: cannot be read ({error}): copy it again") from None
    for model in models:
        if model.read_bytes() != before[model]:  # weights of another training
            for path in set(model.parent.iterdir()) - laid:
                if path.is_file():
                    path.unlink()
    print(f"{len(members)} files laid into results/")


def checked(archive: tarfile.TarFile, name: Path, force: bool) -> list[tarfile.TarInfo]:
    """The results in an archive of this `name`. Raises UserError if one may not be laid here."""
    members: list[tarfile.TarInfo] = []
    files, folders = set[Path](), set[Path]()
    for member in archive:
        members.append(member)
        if len(members) > MOST_FILES:
            raise UserError(f"{name}: more than {MOST_FILES} files: refused")
        path, parts = Path(member.name), PurePosixPath(member.name).parts
        plain = member.isreg() and not member.issparse() and "/".join(parts) == member.name
        plain = plain and "\0" not in member.name and 0 <= member.mtime < LATEST
        if not plain or parts[:1] != ("results",) or ".." in parts or len(parts) < 3:
            raise UserError(
                f"{name}: refused: {member.name[:80]!r} is no plain file below results/"
            )
        above = {*path.parents}
        if (
            path in files
            or path in folders
            or path.is_dir()
            or above & files
            or any(map(Path.is_file, above))
        ):
            raise UserError(
                f"{name}: refused: {member.name[:80]!r} would take the place of another file"
            )
        files.add(path)
        folders |= above
        passing = force or parts[2] in PASSING or path.parent.name == "state"
        if passing or not path.is_file():
            continue
        with opened(archive, member) as stream, path.open("rb") as here:
            digests = {file_digest(each, "sha256").digest() for each in (stream, here)}
        if len(digests) > 1:
            raise UserError(f"{path}: differs from the one here: say --force to replace results")
    if not members:
        raise UserError(f"{name}: no results in it")
    return members


def opened(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Any:
    """The content of a regular file in an archive."""
    return archive.extractfile(member)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(collect)
    app()
