"""Questions to Slurm and the use of its answers; its programs are scripts here."""

import math
import sys

import pytest

from contextnmt.errors import UserError
from contextnmt.planning import slurm
from contextnmt.planning.slurm import Request

GPU = Request(("-p", "fast", "--gpus=h100:1"), minutes=2880, gpus=1, partition="fast")

#: A partition of a day, the default one, another of 12 hours, and one without a limit.
PARTITIONS = "echo 'cpu* 1-00:00:00'; echo 'night 12:00:00'; echo 'fast infinite'"


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Put programs on the PATH, which has no others; give their bodies, in sh."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()

    def put(**bodies):
        for name, body in bodies.items():
            (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
            (tmp_path / "bin" / name).chmod(0o755)

    return put


def test_a_step_runs_where_sbatch_would_put_the_job(monkeypatch):
    monkeypatch.setenv("SBATCH_ACCOUNT", "ours")
    monkeypatch.setenv("SBATCH_RESERVATION", "week")
    assert GPU.place() == ["--partition=fast", "--account=ours", "--reservation=week"]
    assert Request(account="theirs").place() == ["--account=theirs", "--reservation=week"]


@pytest.mark.parametrize(
    ("limit", "minutes"),
    [
        ("infinite", math.inf),
        ("00:30", 0.5),  # sinfo always prints minutes and seconds
        ("30:00", 30),
        ("1:30:00", 90),
        ("2-00:00:00", 2880),
        ("1-12:00:30", 2160.5),
    ],
)
def test_times_of_sinfo_are_read(limit, minutes):
    assert slurm.minutes(limit) == minutes


@pytest.mark.parametrize(
    ("written", "minutes"),
    [
        ("", 2880),
        ("90", 90),
        ("90:30", 91),
        ("24:00:00", 1440),
        ("2-0", 2880),
        ("1-12", 2160),
        ("1-12:30", 2190),
        ("1-00:00:01", 1441),
        ("24h", 1440),
        ("1.5 days", 2160),
    ],
)
def test_times_of_trainings_are_read_as_slurm_and_snakemake_write_them(
    monkeypatch, written, minutes
):
    monkeypatch.setenv("CONTEXTNMT_SLURM_TRAINING_TIME", written)
    assert slurm.training_minutes("48h") == minutes


@pytest.mark.parametrize("written", ["UNLIMITED", "0", "-1", "1-", "2-0h", "1-2-3", "1:2:3:4", "h"])
def test_what_is_no_time_of_a_training_is_refused(monkeypatch, written):
    monkeypatch.setenv("CONTEXTNMT_SLURM_TRAINING_TIME", written)
    with pytest.raises(UserError, match=r"^CONTEXTNMT_SLURM_TRAINING_TIME is .*such as 24:00:00"):
        slurm.training_minutes("48h")


def test_a_machine_without_slurm_and_a_controller_without_answer_are_told(programs):
    programs(sbatch="", squeue="")
    with pytest.raises(UserError, match=r"srun, scancel, sinfo not on the PATH.*--profile local"):
        slurm.check_programs()
    programs(srun="", scancel="", sinfo="echo 'Unable to contact slurm controller' >&2; exit 1")
    with pytest.raises(UserError, match="or ask who runs it:\n  Unable to contact"):
        slurm.check_programs()
    programs(sinfo="echo cpu")
    slurm.check_programs()


def test_accounts_are_told_where_slurm_has_some(programs):
    slurm.check_account("group")  # no sacctmgr: nothing is known
    programs(sacctmgr="echo tests; echo ours; echo tests")
    with pytest.raises(UserError, match="account group: not one of yours, which are ours, tests"):
        slurm.check_account("ours,group")
    slurm.check_account("Ours")
    slurm.check_account("")
    programs(sacctmgr="echo no database; exit 1")
    slurm.check_account("group")


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("Invalid partition name specified", "GPU_PARTITION to one of cpu, fast, night"),
        ("Requested node configuration is not available", "CONTEXTNMT_SLURM_GPU_TYPE and CONT"),
        ("Invalid account or account/partition combination specified", "_SLURM_ACCOUNT"),
        ("Job's QOS not permitted to use this partition", "CONTEXTNMT_SLURM_QOS"),
        ("Requested time limit is invalid (missing or exceeds some limit)", "TRAINING_TIME"),
        ("Invalid feature specification", "or your profile"),
    ],
)
def test_a_refusal_is_told_once_with_what_to_do(programs, words, advice):
    programs(
        sbatch=f'echo "sbatch: error: some" >&2; echo "allocation failure: {words}" >&2; exit 1',
        sinfo=f"case $* in *states*) ;; *) {PARTITIONS};; esac",
    )
    jobs = {GPU: ["train", "train"], Request(gpus=2): ["translate"]}
    with pytest.raises(UserError) as refused:
        slurm.check_requests(jobs)
    first, told = str(refused.value).split("\n")
    assert first == "Slurm would never run what this call needs:"
    such = "- train, translate (such as sbatch -p fast --gpus=h100:1)"
    assert told.startswith(f"{such}: {words}: ")
    assert advice in told


@pytest.mark.parametrize("partition", ["", "night,cpu"])
def test_a_time_that_slurm_would_never_grant_is_found(programs, partition):
    """The longest of several partitions counts, and a quality of service may lift any limit."""
    programs(sbatch="", sinfo=PARTITIONS)
    slurm.check_requests({Request(minutes=1440, partition=partition): ["bpe"]})
    with pytest.raises(UserError, match="limit of 24 hours: set CONTEXTNMT_SLURM_PARTITION"):
        slurm.check_requests({Request(minutes=1441, partition=partition): ["bpe"]})
    slurm.check_requests({Request(minutes=9999, partition="night,fast"): ["bpe"]})
    slurm.check_requests({Request(minutes=9999, partition=partition, qos="long"): ["bpe"]})


NO_NODE = "Requested node configuration is not available"
DOWN = "allocation failure: Required node not available (down, drained or reserved)"
POLICY = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"


@pytest.mark.parametrize(
    ("refusal", "nodes", "told"),
    [
        (DOWN, "cpu* 1:00", DOWN),  # this may pass
        (NO_NODE, "n7", f"{NO_NODE}: no node of that partition that is up "),  # while n7 is down
        (POLICY, "cpu*", POLICY),  # a full queue, or a limit for ever
        ("error: It must be small.\nUnspecified", "cpu*", "error: It must be small. Unspecified"),
    ],
)
def test_what_may_pass_and_words_of_a_site_end_no_call(programs, refusal, nodes, told):
    programs(sbatch=f'echo "{refusal}" >&2; exit 1', sinfo=f"echo '{nodes}'")
    (line,) = slurm.check_requests({GPU: ["train"]})
    assert line.startswith(f"- train (such as {GPU}): {told}")


def test_slurm_is_asked_as_from_outside_of_a_job(programs, monkeypatch):
    programs(srun='echo "$SLURM_JOB_ID $SLURM_CONF"')
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_CONF", "/etc/slurm/slurm.conf")
    assert slurm.asked("srun").stdout == "/etc/slurm/slurm.conf"


def test_what_a_node_does_not_see_is_told(programs, tmp_path):
    folder = tmp_path / "results"

    def check(srun, *requests, latency=1):
        programs(srun=f'echo "$@" > {tmp_path}/asked; {srun}')
        found = list(slurm.check_folder(folder, "/bin/python", requests or [GPU], latency))
        assert not list(folder.iterdir())
        return found

    for status, place in [(slurm.UNSEEN, folder), (slurm.NO_PYTHON, "/bin/python")]:
        with pytest.raises(UserError, match=f"node n7 does not see {place}"):
            check(f"echo n7; exit {status}")
    busy = "Requested nodes are busy"
    asked = check(f"echo 'srun: error: {busy}' >&2; exit 1", GPU, Request())
    assert asked == [("(the default)", busy), ("fast", busy)]
    # The probe may take as long as files come late.
    for latency, minutes in [(10, 2), (60, 3), (180, 5)]:
        assert check("echo 'a notice of the site' >&2", latency=latency) == []
        words = (tmp_path / "asked").read_text().split()
        assert f"--time={minutes}" in words and words[-1] == str(latency)


def test_the_probe_finds_what_is_missing(tmp_path):
    """The script itself, on this machine."""
    for path, python, status in [
        (tmp_path, sys.executable, 0),
        (tmp_path, tmp_path / "python", slurm.NO_PYTHON),
        (tmp_path / "unseen", sys.executable, slurm.UNSEEN),
    ]:
        answer = slurm.asked("sh", "-c", slurm.PROBE, "sh", str(path), str(python), "1")
        assert answer.returncode == status


def test_jobs_that_a_killed_call_left_are_those_it_has_noted(programs):
    run = slurm.comment("train", ["en-fr", "gru", "a/1"])
    assert (run, slurm.comment("bpe", [])) == ("rule_train_wildcards_en-fr_gru_a_1", "rule_bpe")
    queue = {"1": run, "2": "other", "3": "rule_bpe", "4": ""}
    programs(squeue="".join(f"echo '{n}\t{comment}'\n" for n, comment in queue.items()))
    noted = {"1": run, "2": "rule_train", "9": "rule_bpe"}
    assert slurm.left_over(noted) == {"1": run}
    programs(squeue="echo 'slurm_load_jobs error: Timed out' >&2; exit 1")
    with pytest.raises(UserError, match=r"squeue does not list.*Timed out"):
        slurm.left_over(noted)


def test_jobs_that_are_ended_are_waited_for(programs, tmp_path):
    queue = tmp_path / "queue"
    queue.touch()
    programs(
        scancel=f'echo "$@" > {tmp_path}/cancelled; echo some notice >&2',
        squeue=f"[ -e {queue} ] && echo 2; echo notice >&2; /bin/rm -f {queue}",
    )
    slurm.cancel(["1", "2"])
    assert (tmp_path / "cancelled").read_text() == "1 2\n"
    assert not queue.exists()


def test_jobs_that_cannot_be_ended_are_named(programs, monkeypatch):
    programs(scancel="echo Access denied >&2; exit 1", squeue="echo 2")
    with pytest.raises(UserError, match=r"jobs 1, 2 of an earlier call .*\(Access denied\)"):
        slurm.cancel(["1", "2"])
    programs(scancel="")
    monkeypatch.setattr(slurm, "ENDING", 0)
    with pytest.raises(UserError, match="scancel"):
        slurm.cancel(["1"])


def test_no_answer_and_no_program_are_answers(programs):
    programs(sinfo="exec /bin/sleep 5")
    assert slurm.asked("sinfo", seconds=0.1).returncode == 124
    answer = slurm.asked("scontrol", "show", "config")
    assert answer.returncode == 127 and "scontrol" in answer.stderr
