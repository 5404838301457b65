"""Remove the lock that a killed snakemake left in this folder.

Snakemake locks the folder in which it works and takes the lock away at its end, but not when it is
killed (kill -9, a machine that goes down). This script does so in its place, unless a snakemake
still works here. Jobs of the killed one that still run are waited for, so that no two of them
write the same files; trainings also where they run on other machines, by the lock of their state.
"""

import subprocess
import sys
import time
from pathlib import Path

import psutil

from contextnmt.training.lock import Lock

LOCKS = Path(".snakemake/locks")
STATES = "results/*/train/*/*/*/state"
PROGRAMS = {"snakemake", "contextnmt"}


def command(process: psutil.Process) -> list[str]:
    """The words of a Python process's command line that runs one of PROGRAMS in this folder.

    Empty for every other process, and for one that ended or belongs to somebody else.
    """
    try:
        words = process.cmdline()
        if not words or not Path(words[0]).name.lower().startswith(("python", *PROGRAMS)):
            return []
        if PROGRAMS.isdisjoint(Path(word).name for word in words[:4]):
            return []
        return words if Path(process.cwd()) == Path.cwd() else []
    except (psutil.Error, OSError):
        return []


def holds_the_lock(words: list[str]) -> bool:
    """Whether a command line is that of a snakemake itself; those of its jobs carry --mode."""
    return "snakemake" in {Path(word).name for word in words[:4]} and "--mode" not in words


def main() -> None:
    """Unlock the current folder if the snakemake that locked it is no more."""
    if not LOCKS.is_dir() or not any(LOCKS.iterdir()):
        return
    at_work = {process: words for process in psutil.process_iter() if (words := command(process))}
    for process, words in at_work.items():
        if holds_the_lock(words):
            print(f"snakemake (process {process.pid}) is at work in this folder: its lock stays.")
            return
    for process, words in at_work.items():
        print(f"Waiting for process {process.pid} of the killed snakemake: {' '.join(words)}")
    while any(command(process) for process in at_work):
        time.sleep(1)
    trainings = [Lock(state) for state in Path().glob(STATES)]
    for training in trainings:
        if owner := training.living():
            print(f"Waiting for the training in {training.folder}: {owner}", flush=True)
    while any(training.living() for training in trainings):
        time.sleep(1)
    subprocess.run([sys.executable, "-m", "snakemake", "--unlock", "--cores", "1"], check=True)


if __name__ == "__main__":
    main()
