"""How a part of the report was made: its rule, its seconds, the call that makes it anew."""

from dataclasses import replace
from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.experiment import parse_experiment
from contextnmt.report.making import makings


def test_how_a_part_was_made_has_its_rule_seconds_and_call(
    results: Results, tmp_path: Path
) -> None:
    about = parse_experiment(results.experiment)
    write_lines(tmp_path / "local-charts.tsv", ["s\tmax_rss", "5.25\t20", "61\t20"])
    write_lines(tmp_path / "table4.tsv", ["s\tmax_rss"])
    making = makings(about, [tmp_path / "local-charts.tsv", tmp_path / "table4.tsv"])
    rule = f"{about.name}_local_charts"
    call = f"snakemake --profile local {about.name} -R {rule} --config preset=made-up"
    assert making("local-charts") == (rule, call, 61)
    assert making("table4").seconds is making("claims").seconds is None
    unfinished = replace(about, gaps={"en-fr": {"bpe": "not trained"}})
    assert makings(unfinished, [])("table4").call.endswith("preset=made-up gaps=true")
    write_lines(tmp_path / "gains.tsv", ["something", "else"])
    with pytest.raises(UserError, match=r"gains\.tsv: not a benchmark file"):
        makings(about, [tmp_path / "gains.tsv"])
