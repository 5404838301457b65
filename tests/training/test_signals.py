"""Where a training ends at a signal, and where it lives on until it is killed."""

import sys

from contextnmt.training.signals import stays_alive


def test_at_a_terminal_a_signal_ends_it_in_a_slurm_job_too(monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert stays_alive()
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    assert not stays_alive()
    monkeypatch.setattr(sys, "stdin", None)
    assert stays_alive()
    monkeypatch.delenv("SLURM_JOB_ID")
    assert not stays_alive()
