"""Snakemake, asking Slurm every second how its jobs are.

The executor waits ten seconds more after each time that no job has ended, up to three minutes, and
no option says otherwise. Jobs run Snakemake as it is.
"""

import asyncio
import sys

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

SECONDS = 1.0


async def nap(self: RemoteExecutor) -> None:
    """In the place of `RemoteExecutor.sleep`."""
    await asyncio.sleep(min(SECONDS, self.next_seconds_between_status_checks or SECONDS))


if __name__ == "__main__":
    RemoteExecutor.sleep = nap  # type: ignore[method-assign]
    sys.argv[0] = "snakemake"
    main()
