"""Before the first job: what cannot be is said then, and not by a job that fails hours later."""

import threading
from dataclasses import replace

from snakemake.logging import logger
from snakemake.settings.types import MaxJobsPerTimespan
from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string
from snakemake_executor_plugin_slurm.validation import validate_slurm_extra
from snakemake_interface_common.exceptions import WorkflowError

from contextnmt.corpus.download import HTTP, Wanted, overview, watch
from contextnmt.planning import slurm
from contextnmt.progress import say
from contextnmt.report.gaps import stale_systems
from contextnmt.training.lock import Lock

UNASKED = MaxJobsPerTimespan(100, "1s")  # Snakemake's own limit


def lift_rate_limit():
    """Take away the limit on jobs per second, unless another one is asked for.

    Because of it, Snakemake 9 wakes up once a second for each job that has ended while others wait,
    and chooses among those, which in the demo takes 40 s of a processor core, and more in larger
    workflows. It would do no good here: Slurm gets at most two jobs at a time all the same. Snakemake
    has no option for it.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and vars(limit) == vars(UNASKED):
        workflow.scheduler.job_rate_limiter = None


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
    say(overview(files, paths.configuration["corpora"]))
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
            f"{outdated[0]} is out of date, the first of {len(outdated)} finished trainings and "
            "translations; gaps=true does not remake them. `snakemake -n` shows what changed. To "
            "keep the old results, add --touch translations (the report then marks as stale what "
            "was trained with other settings); to remake them, leave out gaps=true"
        )


def refuse_replacing(jobs):
    """End the program if exported models would replace models that were trained here."""
    for path in (Path(job.output[1]) for job in jobs if job.rule.name == "pretrained"):
        trained = path.is_file() and "pretrained" not in read_json(path)
        if trained and not workflow.touch:
            sys.exit(
                f"{path}: trained here, and the key pretrained would replace it: move its folder "
                "away, or take the run out of pretrained"
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
    write_lines(path, paths.report_configuration().split("\n"))
    for name in touched & {*paths.results_of} & {*was["experiments"]}:
        now = paths.results_of[name]
        known = [
            each
            for each in now.systems
            if each.id in was["experiments"][name]["systems"]
        ]
        before = replace(now, configuration=was, systems=known)
        files = [*now.models().values(), *now.identities().values()]
        if all(map(os.path.exists, files)):
            if stale_systems(before) != stale_systems(replace(now, systems=known)):
                say(
                    f"{name}: accepted numbers made with other settings; for a report that marks "
                    f"them as stale, repeat the call with -R {name} instead of --touch"
                )


def check_device(jobs):
    """End the call if jobs want a GPU and torch sees none here.

    They would fail one after another, and each would delete the model that it was to make anew.
    """
    if not any(job.resources.get("gpu") for job in jobs):
        return
    try:
        from contextnmt.model.arithmetic import choose_device
    except ImportError:  # torch is in the jobs' own environment
        return
    try:
        choose_device(paths.configuration["device"])
    except UserError as error:
        sys.exit(str(error))


def slurm_request(job):
    """Return the request of a job's first attempt to Slurm, in the executor's own words."""
    named = job.resources.get
    account, partition = named("slurm_account"), named("slurm_partition")
    about = {
        "run_uuid": "test",
        "slurm_logfile": os.devnull,
        "comment_str": "test",
        "account": f"-A {shlex.quote(str(account))}" if account else "",
        "partition": f"-p {shlex.quote(str(partition))}" if partition else "",
        "workdir": "",
    }
    try:
        validate_slurm_extra(job)
        call = get_submit_command(job, about, settings=workflow.executor_settings)
        words = shlex.split(call + set_gres_string(job))
    except WorkflowError as error:
        raise UserError(f"jobs of {job.name}: {error}") from error
    return slurm.Request(
        options=tuple(words[words.index("--comment") + 2 :]),
        minutes=named("runtime") or 0,
        gpus=named("gpu") or 0,
        partition=str(partition or ""),
        account=str(account or ""),
        qos=str(named("qos") or workflow.executor_settings.qos or ""),
    )


def check_slurm(jobs):
    """End the call unless Slurm would run all jobs; end what a killed call has left in Slurm."""
    jobs = [job for job in jobs if not job.is_local]
    if not jobs:
        return
    settings, latency = (
        workflow.executor_settings,
        workflow.execution_settings.latency_wait,
    )
    try:
        slurm.check_programs()
        requests = {}
        for job in jobs:
            requests.setdefault(slurm_request(job), []).append(job.name)
        for account in {request.account for request in requests}:
            slurm.check_account(account)
        # Where a file chooses partitions, jobs tell what Slurm refuses.
        if not (
            settings.partition_config or "SNAKEMAKE_SLURM_PARTITIONS" in os.environ
        ):
            if unclear := slurm.check_requests(requests):
                say("Slurm may refuse jobs of this call:")
                say("\n".join(unclear))
        for unasked, why in slurm.check_folder(
            Path(paths.results), sys.executable, requests, latency
        ):
            say(
                f"Could not check that the nodes of partition {unasked} see this folder "
                f"({why}); if jobs fail without a log, they may not see it"
            )
        end_left_over(jobs)
    except (UserError, WorkflowError) as error:
        sys.exit(str(error))


def end_left_over(jobs):
    """End jobs in Slurm that a killed call has started for the same files."""
    comments = {}
    for job in jobs:
        # Snakemake notes their numbers with the files, and the job itself strikes that out when it
        # begins. A training says then in the lock of its state who it is; other jobs are short.
        numbers = set(workflow.persistence.external_jobids(job))
        if job.name == "train":
            owner = Lock(Path(job.output[0]).parent / "state").living()
            numbers |= {owner.job} if owner else set()
        said = slurm.comment(job.name, job.wildcards_dict.values())
        comments |= dict.fromkeys(numbers, said)
    if left := slurm.left_over(comments):
        names = ", ".join(f"{number} ({said})" for number, said in left.items())
        say(f"Ending jobs left over by a killed call: {names}")
        slurm.cancel(left)
