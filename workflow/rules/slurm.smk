"""What Slurm is asked for, and whether it would give it: asked before the first job is queued."""

import sys

from contextnmt.planning import slurm

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


def slurm_request(job):
    """What a job asks Slurm for, as the executor will put it."""
    named = job.resources.get
    return slurm.Request(
        threads=job.threads,
        memory=named("mem_mb") or 0,
        minutes=named("runtime") or 0,
        gpus=named("gpu") or 0,
        gpu_type=named("gpu_model") or "",
        partition=named("slurm_partition") or "",
        account=named("slurm_account") or "",
        qos=named("qos") or workflow.executor_settings.qos or "",
        constraint=named("constraint") or "",
        extra=named("slurm_extra") or "",
    )


def slurm_comment(job):
    """The comment by which Slurm's records name a job: the executor's own words."""
    words = "_".join(job.wildcards_dict.values()).replace("/", "_")
    return f"rule_{job.name}" + (f"_wildcards_{words}" if words else "")


def check_slurm(jobs):
    """End the call unless Slurm would run all jobs; end what a killed call has left in Slurm."""
    jobs = [job for job in jobs if not job.is_local]
    if not jobs:
        return
    requests = {}
    for job in jobs:
        requests.setdefault(slurm_request(job), []).append(job.name)
    try:
        slurm.check_programs()
        for account in {request.account for request in requests}:
            slurm.check_account(account)
        slurm.check_requests(requests)
        slurm.check_folder(Path(RESULTS), sys.executable, requests)
    except UserError as error:
        sys.exit(str(error))
    prefix = workflow.executor_settings.jobname_prefix or "contextnmt"
    old = slurm.left_over(Path(), prefix, map(slurm_comment, jobs))
    if old:
        names = ", ".join(f"{job.number} ({job.comment})" for job in old)
        print(
            f"Jobs of a call that was killed are ended: {names}",
            file=sys.stderr,
            flush=True,
        )
        slurm.cancel(old)
