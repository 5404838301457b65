"""What Slurm is asked for, and whether it would give it: asked before the first job is queued."""

import sys

from snakemake_executor_plugin_slurm.validation import validate_slurm_extra

from contextnmt.planning import slurm
from contextnmt.training.lock import Watch

GPUS = 1 if CONFIGURATION["device"] == "cuda" else 0


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


def slurm_request(job, attempt):
    """What a job asks Slurm for at an attempt, as the executor will put it."""
    first, job.attempt = job.attempt, attempt
    validate_slurm_extra(job)
    named = job.resources.get
    request = slurm.Request(
        threads=job.threads,
        memory=named("mem_mb") or 0,
        minutes=named("runtime") or 0,
        gpus=named("gpu") or 0,
        gpu_type=str(named("gpu_model") or ""),
        partition=str(named("slurm_partition") or ""),
        account=str(named("slurm_account") or ""),
        qos=str(named("qos") or workflow.executor_settings.qos or ""),
        constraint=str(named("constraint") or ""),
        extra=str(named("slurm_extra") or ""),
    )
    job.attempt = first
    return request


def slurm_requests(jobs, attempt):
    """What is asked for at an attempt -> the rules that ask for it."""
    requests = {}
    for job in jobs:
        requests.setdefault(slurm_request(job, attempt), []).append(job.name)
    return requests


def check_slurm(jobs):
    """End the call unless Slurm would run all jobs; end what a killed call has left in Slurm."""
    jobs = [job for job in jobs if not job.is_local]
    if not jobs:
        return
    requests = slurm_requests(jobs, 1)
    try:
        slurm.check_programs()
        for account in {request.account for request in requests}:
            slurm.check_account(account)
        slurm.check_requests(requests)
        try:
            slurm.check_requests(slurm_requests(jobs, ATTEMPTS))
        except UserError as error:  # few jobs come to that
            tell(f"At the third attempt, if it comes to that: {error}")
        latency = workflow.execution_settings.latency_wait
        unasked = slurm.check_folder(Path(RESULTS), sys.executable, requests, latency)
        for partition in unasked:
            tell(
                f"No node of partition {partition} could be asked whether it sees this folder."
            )
        if seconds := slurm.forgets_early():
            tell(
                f"This Slurm forgets jobs {seconds} seconds after their end (MinJobAge), perhaps "
                "before Snakemake has seen it: if it waits for finished jobs, start it again."
            )
        end_left_over(jobs)
    except UserError as error:
        sys.exit(str(error))


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
    """End jobs in Slurm that a killed call has started for the same files."""
    left = slurm.left_over(
        {
            number: slurm.comment(job.name, job.wildcards_dict.values())
            for job in jobs
            for number in noted(job)
        }
    )
    if left:
        names = ", ".join(f"{job.number} ({job.comment})" for job in left)
        tell(f"Jobs of a call that was killed are ended: {names}")
        slurm.cancel(left)


def tell(words):
    """A line for the user."""
    print(words, file=sys.stderr, flush=True)
