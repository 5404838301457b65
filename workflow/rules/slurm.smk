"""What Slurm is asked for, and whether it would give it: asked before the first job is queued."""

import shlex
import sys

from snakemake_executor_plugin_slurm.submit_string import get_submit_command
from snakemake_executor_plugin_slurm.utils import set_gres_string
from snakemake_executor_plugin_slurm.validation import validate_slurm_extra
from snakemake_interface_common.exceptions import WorkflowError

from contextnmt.planning import slurm
from contextnmt.training.lock import Watch

GPUS = 1 if paths.configuration["device"] == "cuda" else 0


def gpu_resources():
    """Resources of a job that computes on the device; without Slurm, the names mean nothing."""
    named = {
        "slurm_partition": os.environ.get("CONTEXTNMT_SLURM_GPU_PARTITION"),
        "gpu_model": os.environ.get("CONTEXTNMT_SLURM_GPU_TYPE"),
    }
    return {
        "gpu": GPUS,
        **{name: word for name, word in named.items() if GPUS and word},
    }


def slurm_request(job):
    """What a job asks Slurm for, in the executor's own words."""
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
        threads=job.threads,
        memory=named("mem_mb") or 0,
        minutes=named("runtime") or 0,
        gpus=named("gpu") or 0,
        gpu_type=str(named("gpu_model") or ""),
        partition=str(partition or ""),
        account=str(account or ""),
        qos=str(named("qos") or workflow.executor_settings.qos or ""),
    )


def slurm_requests(jobs, attempt):
    """What is asked for at an attempt -> the rules that ask for it."""
    requests = {}
    for job in jobs:
        first, job.attempt = job.attempt, attempt
        try:
            requests.setdefault(slurm_request(job), []).append(job.name)
        finally:
            job.attempt = first
    return requests


def check_slurm(jobs):
    """End the call unless Slurm would run all jobs; end what a killed call has left in Slurm."""
    jobs = [job for job in jobs if not job.is_local]
    if not jobs:
        return
    try:
        slurm.check_programs()
        requests = slurm_requests(jobs, 1)
        for account in {request.account for request in requests}:
            slurm.check_account(account)
        settings = workflow.executor_settings
        if file := settings.partition_config or os.environ.get(
            "SNAKEMAKE_SLURM_PARTITIONS"
        ):
            tell(
                f"Partitions are chosen by {file}: what Slurm refuses, its jobs will tell."
            )
        else:
            if unclear := slurm.check_requests(requests):
                tell("Slurm says of jobs of this call, and may refuse them:", *unclear)
            check_more_attempts(jobs)
        latency = workflow.execution_settings.latency_wait
        unasked = slurm.check_folder(
            Path(paths.results), sys.executable, requests, latency
        )
        for partition in unasked:
            tell(
                f"Whether nodes see this folder was not to be learnt in partition {partition}"
            )
        if seconds := slurm.forgets_early():
            tell(
                f"This Slurm forgets jobs {seconds} seconds after their end (MinJobAge), perhaps "
                "before Snakemake has seen it: if it waits for finished jobs, start it again."
            )
        for partition in slurm.ending_preempted(requests):
            tell(
                f"Partition {partition} ends jobs that are preempted (PreemptMode=CANCEL), and "
                "Snakemake would wait for them for ever: if it does, Ctrl-C, then the same command."
            )
        end_left_over(jobs)
    except UserError as error:
        sys.exit(str(error))


def check_more_attempts(jobs):
    """Tell if Slurm would not run what jobs ask for when they are tried again; few come to that."""
    attempts = min(1 + workflow.execution_settings.retries, ATTEMPTS)
    for attempt in range(2, attempts + 1):
        try:
            slurm.check_requests(slurm_requests(jobs, attempt))
        except UserError as error:
            tell(f"At attempt {attempt}, if it comes to that: {error}")
            return


def noted(job):
    """Numbers of Slurm's jobs that an earlier call has started for the files of this job."""
    # Snakemake notes them with the files, and the job itself strikes that out when it begins. A
    # training says then in the lock of its state who it is; other jobs are short.
    numbers = set(workflow.persistence.external_jobids(job))
    if job.name == "train":
        owner = Watch(Path(job.output[0]).parent / "state").owner()
        numbers |= {owner.job} if owner else set()
    return numbers


def end_left_over(jobs):
    """End jobs in Slurm that a killed call has started for the same files, and tell of others."""
    comments = {
        job: slurm.comment(job.name, job.wildcards_dict.values()) for job in jobs
    }
    left = slurm.left_over(
        {number: comments[job] for job in jobs for number in noted(job)}
    )
    if left:
        names = ", ".join(f"{job.number} ({job.comment})" for job in left)
        tell(f"Jobs of a call that was killed are ended: {names}")
        slurm.cancel(left)
    here = str(workflow.workdir_init)
    known = set(comments.values())
    alike = [
        job for job in slurm.queued() if job.comment in known and job.folder == here
    ]
    if alike:
        names = ", ".join(f"{job.number} ({job.comment})" for job in alike)
        tell(
            f"Jobs like those of this call are in Slurm already: {names}. If a killed call has "
            "left them and they are for the same results, Ctrl-C, and wait for them or cancel "
            "them (`scancel`) before you go on."
        )


def tell(*lines):
    """Lines for the user."""
    print(*lines, sep="\n", file=sys.stderr, flush=True)
