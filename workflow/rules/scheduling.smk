"""When Snakemake looks for jobs to start."""

from snakemake.settings.types import MaxJobsPerTimespan

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
