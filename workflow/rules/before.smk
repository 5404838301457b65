"""Before the first job: what cannot be is said then, and not by a job that fails hours later."""

import threading
from dataclasses import replace

from contextnmt.corpus.download import HTTP
from contextnmt.corpus.overview import Wanted, overview, watch
from contextnmt.report.stale import stale_systems


def check_downloads(jobs):
    """Before downloads: say what they take and under which terms; end the program if one cannot be."""
    downloads = [job for job in jobs if job.rule.name == "download_file"]
    if downloads:
        check_folders_with_copies()
        announce_downloads(downloads)


def check_folders_with_copies():
    """End the program unless the folders are there that downloads may be copied from.

    Only before downloads, which run where Snakemake does: other machines need not see the folders.
    """
    named = {
        f"mirrors[{n}]": name for n, name in enumerate(paths.configuration["mirrors"])
    }
    if paths.configuration["hand_placed"]:
        named["hand_placed"] = paths.configuration["hand_placed"]
    for key, name in named.items():
        if not name.startswith(HTTP) and not Path(name).is_dir():
            sys.exit(
                f"{key}: {Path(name).absolute()}: no such folder: correct it or leave it out"
            )


def announce_downloads(jobs):
    """Say what these jobs will fetch and under which terms; then, now and then, how far they are."""
    files = [
        Wanted(
            job.wildcards.corpus,
            Path(job.output[0]),
            paths.file_entry(job.wildcards).get("bytes"),
        )
        for job in jobs
    ]
    print(overview(files, paths.configuration["corpora"]), file=sys.stderr, flush=True)
    # Each job has its progress in its own log; here is that of all of them.
    threading.Thread(target=watch, args=(files,), daemon=True).start()


def refuse_anew(jobs):
    """End the program if these jobs would make a finished run anew: a report with gaps does not."""
    outdated = [
        f"{job.rule.name} {job.wildcards.pair} {job.wildcards.system}, seed {job.wildcards.seed}"
        for job in jobs
        if job.rule.name in ["train", "translate"]
        and paths.configuration["gaps"]
        and not paths.run_gap(**dict(job.wildcards.items()))
    ]
    if outdated and not workflow.touch:
        sys.exit(
            f"{len(outdated)} of the finished trainings and translations are out of date, and with "
            f"gaps=true they are not made anew, the first one {outdated[0]}: -n says what changed; "
            "accept the change with --touch translations, and the report marks as stale what was "
            "trained with other settings; or leave gaps=true out"
        )


def accept_configuration(jobs):
    """Write the configuration whose changes --touch of these jobs accepts: touching writes nothing.

    Say first whether tables are taken for up to date by it that lack marks.
    """
    path = Path(f"{paths.results}/configuration.json")
    touched = {job.rule.name for job in jobs}
    if not path.exists() or "configuration" not in touched:
        return
    was = read_json(path)["configuration"]
    write_lines(path, paths.told_to_reports().split("\n"))
    for name in touched & {*paths.contents} & {*was["experiments"]}:
        now = paths.contents[name]
        before = replace(now, configuration=was)
        files = [file for each in [now, before] for of in each.trained() for file in of]
        if all(map(os.path.exists, files)):
            if stale_systems(before) != stale_systems(now):
                print(
                    f"{name}: numbers are accepted that other settings made: for a report that "
                    f"marks them as stale, the same call with -R {name} in place of --touch",
                    file=sys.stderr,
                )
