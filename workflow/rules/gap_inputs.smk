"""What reports are made of: all runs or, with gaps, those that are finished, and why others are not."""

from dataclasses import replace
from types import SimpleNamespace

from contextnmt.files import read_json, write_lines
from contextnmt.report.contents import Contents
from contextnmt.report.stale import stale_systems
from contextnmt.unfinished import gap_of_run, gap_of_system


def run_gap(pair, system, seed):
    """Why a run, or the ensemble of a system, has no translations yet; empty if it has."""
    run = SimpleNamespace(pair=pair, system=system, seed=seed)
    folders = [Path(folder) for folder in models(run)]
    files = [*TRAINED_FILES, *VOCABULARIES]
    return gap_of_run(
        [folder / file for folder in folders for file in files],
        folders[0] / "state",
        map(Path, translations("translate", run)),
    )


def system_gap(pair, system):
    """Why a system is not finished in a language pair; empty if it is."""
    of_runs = {
        f"seed {seed}": run_gap(pair, system, seed) for seed in CONFIGURATION["seeds"]
    }
    together = Contents(RESULTS, CONFIGURATION, SYSTEMS[system]).ensembles
    if together and not any(of_runs.values()):
        of_runs["ensemble"] = run_gap(pair, system, "ensemble")
    return gap_of_system(of_runs)


def found_gaps():
    """Language pair -> system -> why it is a gap; none if everything is to be made.

    What the call of Snakemake has found its jobs take over: a training that ends meanwhile must not
    change what they read.
    """
    seen = "CONTEXTNMT_GAPS"
    if CONFIGURATION["gaps"] and workflow.is_main_process:
        gaps = {
            pair: {
                system: reason
                for system in systems_with(pair)
                if (reason := system_gap(pair, system))
            }
            for pair in PAIRS
        }
        os.environ[seen] = json.dumps(gaps)
    return json.loads(os.environ[seen]) if CONFIGURATION["gaps"] else {}


GAPS = found_gaps()


CONTENTS = {name: Contents(RESULTS, CONFIGURATION, name, GAPS) for name in EXPERIMENTS}
REPORTED = [name for name, contents in CONTENTS.items() if contents.pairs]


def finished(experiment, pair):
    """The systems of an experiment that its reports are made of in a language pair."""
    return CONTENTS[experiment].finished(pair)


def of_reports(stage, ending=""):
    """The files of a stage that the reports of all experiments are made of."""
    return list(
        dict.fromkeys(
            path
            for contents in CONTENTS.values()
            for path in contents.files()
            if path.startswith(f"{RESULTS}/{stage}/") and path.endswith(ending)
        )
    )


def accept_configuration(jobs):
    """Write the configuration whose changes --touch of these jobs accepts: touching writes nothing.

    Say first whether tables are taken for up to date by it that lack marks.
    """
    path = Path(f"{RESULTS}/configuration.json")
    touched = {job.rule.name for job in jobs}
    if not path.exists() or "configuration" not in touched:
        return
    was = read_json(path)["configuration"]
    write_lines(path, told_to_reports().split("\n"))
    for name in touched & {*CONTENTS} & {*was["experiments"]}:
        now = CONTENTS[name]
        before = replace(now, configuration=was)
        files = [file for each in [now, before] for of in each.trained() for file in of]
        if all(map(os.path.exists, files)):
            if stale_systems(before) != stale_systems(now):
                print(
                    f"{name}: numbers are accepted that other settings made: for a report that "
                    f"marks them as stale, the same call with -R {name} in place of --touch",
                    file=sys.stderr,
                )


def refuse_anew(jobs):
    """End the program if these jobs would make a finished run anew: a report with gaps does not."""
    outdated = [
        f"{job.rule.name} {job.wildcards.pair} {job.wildcards.system}, seed {job.wildcards.seed}"
        for job in jobs
        if job.rule.name in ["train", "translate"]
        and CONFIGURATION["gaps"]
        and not run_gap(**dict(job.wildcards.items()))
    ]
    if outdated and not workflow.touch:
        sys.exit(
            f"{len(outdated)} of the finished trainings and translations are out of date, and with "
            f"gaps=true they are not made anew, the first one {outdated[0]}: -n says what changed; "
            "accept the change with --touch translations, and the report marks as stale what was "
            "trained with other settings; or leave gaps=true out"
        )
