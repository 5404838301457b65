"""What reports are made of: all runs or, with gaps, those that are finished, and why others are not."""

from types import SimpleNamespace

from contextnmt.files import read_json
from contextnmt.report.stale import found_stale
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
    if has_ensembles(SYSTEMS[system]) and not any(of_runs.values()):
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


def gaps_of(experiment):
    """The same of one experiment."""
    systems = systems_of(experiment)
    return {
        pair: found
        for pair in pairs_of(experiment)
        if (
            found := {
                each: gap for each, gap in GAPS.get(pair, {}).items() if each in systems
            }
        )
    }


def finished(experiment, pair):
    """The systems of an experiment that its reports are made of in a language pair."""
    return [
        system for system in systems_of(experiment) if system not in GAPS.get(pair, {})
    ]


def reported_pairs(experiment):
    """The language pairs of an experiment that have such a system."""
    return [pair for pair in pairs_of(experiment) if finished(experiment, pair)]


REPORTED = [name for name in EXPERIMENTS if reported_pairs(name)]


def finished_runs(pattern, experiment, seeds=None):
    """`pattern` for every run that the reports of an experiment are made of, or some seeds of it."""
    return [
        path
        for pair in reported_pairs(experiment)
        for path in expand(
            pattern,
            pair=[pair],
            system=finished(experiment, pair),
            seed=seeds or CONFIGURATION["seeds"],
        )
    ]


def finished_ensembles(pattern, experiment):
    """The same for the ensembles."""
    wanted = has_ensembles(experiment)
    return finished_runs(pattern, experiment, ["ensemble"]) if wanted else []


def unfinished(experiment):
    """Why there is no report of an experiment of which nothing is finished."""
    reasons = {
        f"{pair} {system}": reason
        for pair, found in gaps_of(experiment).items()
        for system, reason in found.items()
    }
    shared = len(set(reasons.values())) == 1
    told = dict.fromkeys(
        reason if shared else f"{name}: {reason}" for name, reason in reasons.items()
    )
    return (
        f"no system of {experiment} is finished: {'; '.join(told)}: "
        "without gaps=true they are made"
    )


def recipes_of(experiment):
    """Model and training of the finished systems of an experiment, by pair and system, as JSON."""
    return settings(
        {
            pair: {
                system: {
                    part: recipes.recipe(CONFIGURATION, pair, system)[part]
                    for part in ["model", "training"]
                }
                for system in finished(experiment, pair)
            }
            for pair in reported_pairs(experiment)
        }
    )


def tell_stale(jobs):
    """Say whether --touch of these jobs takes tables for up to date that lack marks."""
    for name in {job.wildcards.experiment for job in jobs if job.rule.name == "stale"}:
        models, identities = (
            [
                Path(file.replace("<results>", RESULTS))
                for file in finished_runs(each, name)
            ]
            for each in [
                "<results>/train/{pair}/{system}/{seed}/model.json",
                "<results>/train-identity/{pair}/{system}/{seed}.json",
            ]
        )
        path = Path(f"{RESULTS}/stale/{name}.json")
        if all(file.exists() for file in [path, *models, *identities]):
            told = experiment(name, *OF_RUNS)
            if read_json(path) != found_stale(
                models, identities, recipes_of(name), told
            ):
                print(
                    f"{name}: numbers are accepted that other settings made: for a report that "
                    "marks them as stale, the same call with -R stale in place of --touch",
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
