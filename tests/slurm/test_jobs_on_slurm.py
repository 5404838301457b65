"""Requests of jobs on Slurm, their allocations, and the message of a failed one."""

import shutil
from pathlib import Path

from cluster import Cluster
from conftest import Start
from one_training import ONE_MODEL, records


def test_gpu_jobs_go_to_gpus_and_fail_at_once_where_there_is_no_cuda(
    cluster: Cluster, start: Start, untrained: Path
) -> None:
    shutil.rmtree(untrained / "results/demo/binarize")
    words = [*ONE_MODEL, "--config", "device=cuda", "--retries", "0"]
    where = {"CONTEXTNMT_SLURM_GPU_PARTITION": "gpu", "CONTEXTNMT_SLURM_GPU_TYPE": "test"}
    run = start(cluster, untrained, *words, **where)
    said, _ = run.communicate(timeout=900)
    assert run.returncode == 1
    seen = records(cluster, untrained)
    (trained,) = seen["train"]
    assert len(seen["binarize"]) == 2  # of words and, for its filter, of symbolized text
    for binarized in seen["binarize"]:
        assert binarized["Partition"] == "cpu"
        assert "TresPerJob" not in binarized
    assert trained["Partition"] == "gpu"
    assert (trained["TresPerJob"], trained["JobState"]) == ("gres:gpu:test:1", "FAILED")
    minutes, seconds = map(int, trained["RunTime"].split(":")[1:])
    assert 60 * minutes + seconds < 120  # Snakemake starts twice in it
    # The log's last line, and where the rest of it is.
    assert "CUDA" in said
    assert "results/demo/logs/train/en-fr/baseline/1.log" in said
    assert "Traceback" not in said


def test_a_job_out_of_memory_is_tried_again_with_more_of_it_and_more_time(
    cluster: Cluster, start: Start, untrained: Path
) -> None:
    shutil.rmtree(untrained / "results/demo/binarize")
    rules = untrained / "workflow/rules/text.smk"
    before, after = "mem_mb=memory(8000)", "mem_mb=lambda wildcards, attempt: 100 * attempt"
    assert before in rules.read_text()
    rules.write_text(rules.read_text().replace(before, after))
    folder = "results/demo/binarize/en-fr/word/manifest.json"
    run = start(cluster, untrained, folder, *ONE_MODEL[1:])
    said, _ = run.communicate(timeout=900)
    assert run.returncode == 0, said[-5000:]
    *killed, done = records(cluster, untrained)["binarize"]
    assert killed and {job["JobState"] for job in killed} == {"FAILED"}
    assert "exceeded memory limit" in said  # Slurm's own words, from its log
    assert done["JobState"] == "COMPLETED"
    for number, job in enumerate([*killed, done], start=1):
        assert f"mem={100 * number}M" in job.get("ReqTRES", job.get("TRES"))
        assert job["TimeLimit"] == f"{number:02}:00:00"
