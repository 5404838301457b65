"""What is read of Slurm's records and of the jobs' own."""

from pathlib import Path

import yaml
from slurm_jobs import WIDTH, Job, commands, own_configuration, remembered

PART = "rule_tokenize_wildcards_en_fr_train.1of40"


def line(*cells: str) -> str:
    return "".join(cell.ljust(WIDTH) for cell in cells)


def test_finished_jobs_of_the_folder_are_counted(tmp_path: Path) -> None:
    times = ["2026-11-22T10:00:00", "2026-11-22T10:00:03", "2026-11-22T10:01:10"]
    here = str(tmp_path)
    shown = [
        line(PART, here, *times, "COMPLETED"),
        line(PART, "/elsewhere", *times, "COMPLETED"),
        line("rule_tokenize_wildcards_en_fr_dev", here, *times, "COMPLETED"),
        line(PART, here, times[0], "N/A", "N/A", "PENDING"),
        "",
    ]
    assert list(remembered("\n".join(shown), tmp_path)) == [Job(queued=3, taken=67)]


def test_the_seconds_of_the_commands_are_snakemakes(tmp_path: Path) -> None:
    folder = tmp_path / "results/demo/benchmarks/tokenize/en-fr"
    folder.mkdir(parents=True)
    for name, seconds in {"train.1of2": "0.5", "train.2of2": "0.75", "dev": "9"}.items():
        (folder / f"{name}.tsv").write_text(f"s\tmax_rss\n{seconds}\t40\n")
    assert commands(tmp_path) == [0.5, 0.75]


def test_the_text_is_cut_into_as_many_parts_as_there_are_jobs() -> None:
    corpora = yaml.safe_load(own_configuration(40))["corpora"]
    assert corpora == {"embedded": {"texts": {"train": {"shards": 40}}}}
