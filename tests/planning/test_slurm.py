"""Questions to Slurm and the use of its answers; its programs are scripts here."""

import math
import stat
import sys

import pytest

from contextnmt.errors import UserError
from contextnmt.planning import slurm
from contextnmt.planning.slurm import Request

GPU = Request(("-p", "fast", "--gpus=h100:1"), minutes=2880, gpus=1, partition="fast")


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Put programs on the PATH, which has no others; give their bodies, in sh."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def put(**bodies):
        for name, body in bodies.items():
            path = tmp_path / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    return put


def test_a_request_is_shown_as_sbatch_gets_it():
    assert str(GPU) == "sbatch -p fast --gpus=h100:1"
    assert str(Request(("-x", "n 1"))) == "sbatch -x 'n 1'"


def test_a_step_runs_where_sbatch_would_put_the_job(monkeypatch):
    monkeypatch.setenv("SBATCH_ACCOUNT", "ours")
    monkeypatch.setenv("SBATCH_RESERVATION", "week")
    assert GPU.place() == ["--partition=fast", "--account=ours", "--reservation=week"]
    assert Request(account="theirs").place() == ["--account=theirs", "--reservation=week"]


@pytest.mark.parametrize(
    ("limit", "minutes"),
    [
        ("infinite", math.inf),
        ("30", 0.5),
        ("30:00", 30),
        ("1:30:00", 90),
        ("2-00:00:00", 2880),
        ("1-12:00:30", 2160.5),
        ("n/a", math.inf),
    ],
)
def test_times_of_sinfo_are_read(limit, minutes):
    assert slurm.minutes(limit) == minutes


def test_without_slurm_the_other_profile_is_named(programs):
    programs(sbatch="", squeue="")
    with pytest.raises(UserError, match=r"srun, scancel, sinfo not on the PATH.*--profile local"):
        slurm.check_programs()


def test_a_controller_that_does_not_answer_is_told(programs):
    fine = dict.fromkeys(slurm.PROGRAMS, "")
    programs(**fine | {"sinfo": "echo 'Unable to contact slurm controller' >&2; exit 1"})
    with pytest.raises(UserError, match="does not answer: Unable to contact"):
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
        ("Invalid partition name specified", "CONTEXTNMT_SLURM_GPU_PARTITION to one of cpu, fast"),
        ("Requested node configuration is not available", "CONTEXTNMT_SLURM_GPU_TYPE and CONT"),
        ("Invalid account or account/partition combination specified", "_SLURM_ACCOUNT"),
        ("Invalid qos specification", "CONTEXTNMT_SLURM_QOS"),
        ("Job's QOS not permitted to use this partition", "CONTEXTNMT_SLURM_QOS"),
        ("Requested time limit is invalid (missing or exceeds some limit)", "TRAINING_TIME"),
        ("Invalid feature specification", "or your profile"),
    ],
)
def test_a_refusal_is_told_once_with_what_to_do(programs, words, advice):
    programs(
        sbatch=f'echo "sbatch: error: some" >&2; echo "allocation failure: {words}" >&2; exit 1',
        sinfo="case $* in *states*) ;; *) echo 'cpu* 1-00:00:00'; echo 'fast infinite';; esac",
    )
    jobs = {GPU: ["train", "train"], Request(gpus=2): ["translate"]}
    with pytest.raises(UserError) as refused:
        slurm.check_requests(jobs)
    first, *told = str(refused.value).split("\n")
    assert first == "Slurm would never run what this call needs:"
    (line,) = told
    assert line.startswith(f"- train, translate (such as {GPU}): {words}: ")
    assert advice in line


def test_a_time_that_slurm_would_never_grant_is_found(programs):
    programs(sbatch="", sinfo="echo 'cpu* 1-00:00:00'; echo 'fast infinite'")
    slurm.check_requests({GPU: ["train"], Request(minutes=1440): ["bpe"]})
    with pytest.raises(UserError, match="limit of 24 hours: set CONTEXTNMT_SLURM_PARTITION"):
        slurm.check_requests({Request(minutes=1441): ["bpe"]})


def test_the_longest_of_several_partitions_counts(programs):
    programs(sbatch="", sinfo="echo 'cpu* 1-00:00:00'; echo 'night 12:00:00'; echo 'fast infinite'")
    slurm.check_requests({Request(minutes=1440, partition="night,cpu"): ["bpe"]})
    slurm.check_requests({Request(minutes=9999, partition="night,fast"): ["bpe"]})
    with pytest.raises(UserError, match="limit of 24 hours"):
        slurm.check_requests({Request(minutes=1441, partition="night,cpu"): ["bpe"]})


def test_what_may_pass_and_what_a_qos_may_lift_ends_no_call(programs):
    down = "Required node not available (down, drained or reserved)"
    programs(sbatch=f'echo "allocation failure: {down}" >&2; exit 1', sinfo="echo 'cpu* 1:00'")
    (told,) = slurm.check_requests({GPU: ["train"]})
    assert told == f"- train (such as {GPU}): allocation failure: {down}"
    programs(sbatch="")
    slurm.check_requests({Request(minutes=2880, qos="long"): ["train"]})


def test_what_no_node_has_that_is_up_is_told_while_others_are_down(programs):
    refusal = "Requested node configuration is not available"
    programs(sbatch=f'echo "{refusal}" >&2; exit 1', sinfo="echo n7")
    (told,) = slurm.check_requests({GPU: ["train"]})
    assert told.startswith(f"- train (such as {GPU}): {refusal}: no node of that partition that is")
    assert "set CONTEXTNMT_SLURM_GPU_TYPE" in told


def test_words_of_a_site_are_passed_on_whole(programs):
    programs(
        sbatch="echo 'error: Jobs here must be small.' >&2; echo 'Unspecified error' >&2; exit 1",
        sinfo="echo 'cpu* 1-00:00:00'",
    )
    (told,) = slurm.check_requests({GPU: ["train"]})
    assert told == f"- train (such as {GPU}): error: Jobs here must be small. Unspecified error"
    policy = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
    programs(sbatch=f'echo "{policy}" >&2; exit 1')  # a full queue, or a limit for ever
    (told,) = slurm.check_requests({GPU: ["train"]})
    assert told.endswith(policy)


def test_slurm_is_asked_as_from_outside_of_a_job(programs, monkeypatch):
    programs(srun='echo "$SLURM_JOB_ID $SLURM_CONF"')
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_CONF", "/etc/slurm/slurm.conf")
    assert slurm.asked("srun").stdout == "/etc/slurm/slurm.conf"


def test_what_a_node_does_not_see_is_told(programs, tmp_path):
    probe = 'while [ "$1" != -c ]; do shift; done; '
    programs(srun=probe + f"echo n7; exit {slurm.UNSEEN}")
    with pytest.raises(UserError, match=f"node n7 does not see {tmp_path}/results"):
        list(slurm.check_folder(tmp_path / "results", sys.executable, [GPU], 1))
    programs(srun=probe + f"echo n7; exit {slurm.NO_PYTHON}")
    with pytest.raises(UserError, match=f"node n7 does not see {sys.executable}"):
        list(slurm.check_folder(tmp_path / "results", sys.executable, [GPU], 1))
    programs(srun="echo 'srun: error: Requested nodes are busy' >&2; exit 1")
    asked = slurm.check_folder(tmp_path / "results", sys.executable, [GPU, Request()], 1)
    busy = "Requested nodes are busy"
    assert list(asked) == [f"(the default): {busy}", f"fast: {busy}"]
    programs(srun="echo 'a notice of the site' >&2")
    assert not list(slurm.check_folder(tmp_path / "results", sys.executable, [GPU], 1))
    assert not list((tmp_path / "results").iterdir())


def test_the_probe_finds_what_is_missing(tmp_path):
    """The script itself, on this machine."""
    (tmp_path / "seen").touch()
    for path, python, status in [
        (tmp_path / "seen", sys.executable, 0),
        (tmp_path / "seen", tmp_path / "python", slurm.NO_PYTHON),
        (tmp_path / "unseen", sys.executable, slurm.UNSEEN),
    ]:
        answer = slurm.asked("sh", "-c", slurm.PROBE, "sh", str(path), str(python), "1")
        assert answer.returncode == status


def test_jobs_that_a_killed_call_left_are_those_it_has_noted(programs):
    queue = {"1": "rule_train_wildcards_en-fr_gru_1", "2": "other", "3": "rule_bpe", "4": ""}
    programs(squeue="".join(f"echo '{n}\t{comment}'\n" for n, comment in queue.items()))
    noted = {"1": "rule_train_wildcards_en-fr_gru_1", "2": "rule_train", "9": "rule_bpe"}
    assert slurm.left_over(noted) == {"1": "rule_train_wildcards_en-fr_gru_1"}
    programs(squeue="echo 'slurm_load_jobs error: Timed out' >&2; exit 1")
    with pytest.raises(UserError, match=r"squeue does not tell.*Timed out"):
        slurm.left_over(noted)


def test_a_job_is_named_as_by_the_executor():
    assert slurm.comment("bpe", ["en", "fr", "a/b"]) == "rule_bpe_wildcards_en_fr_a_b"
    assert slurm.comment("bpe", []) == "rule_bpe"


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
    with pytest.raises(UserError, match="jobs 1, 2 of an earlier call do not end Access denied"):
        slurm.cancel(["1", "2"])
    programs(scancel="")
    monkeypatch.setattr(slurm, "ENDING", 0)
    with pytest.raises(UserError, match="scancel"):
        slurm.cancel(["1"])


def test_no_answer_is_an_answer(programs):
    programs(sinfo="exec /bin/sleep 5")
    assert slurm.asked("sinfo", seconds=0.1).returncode == 124


def test_a_program_that_is_not_there_is_an_answer(programs):
    programs()
    answer = slurm.asked("scontrol", "show", "config")
    assert answer.returncode == 127 and "scontrol" in answer.stderr


def test_the_probe_may_take_as_long_as_files_come_late(programs, tmp_path):
    programs(srun=f'echo "$@" > {tmp_path}/asked')
    for latency, minutes in [(10, 2), (60, 3), (180, 5)]:
        assert not list(slurm.check_folder(tmp_path / "results", sys.executable, [GPU], latency))
        words = (tmp_path / "asked").read_text().split()
        assert f"--time={minutes}" in words and words[-1] == str(latency)
