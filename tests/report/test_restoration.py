"""What became of the symbols in the translations."""

from pathlib import Path

import pytest
from results_folder import Results

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.experiment import parse_experiment
from contextnmt.report.restoration import restoration

FILES = "restore/*/*/*/restored.json"


def test_systems_with_symbols_have_a_row_each(results: Results) -> None:
    blocks = restoration(parse_experiment(results.experiment), results.files(FILES))
    assert [block.title for block in blocks] == ["English → French", "English → German"]
    assert blocks[0].columns == [("rule",), ("copy",), ("dropped",), ("missing",)]
    shown = {label: [cell.text for cell in cells] for label, cells in blocks[0].rows}
    assert shown == {
        "+Symbol (S)": ["2", "400", "3", "140"],
        "+C+S": ["3", "600", "3", "210"],
        "+BPE+C+S": ["6", "1,200", "3", "420"],
        "+BPE+S": ["7", "1,400", "3", "490"],
    }


def test_seeds_are_added_up(results_of_seeds: Results) -> None:
    about = parse_experiment(results_of_seeds.experiment)
    block, _ = restoration(about, results_of_seeds.files(FILES))
    assert [cell.text for cell in block.rows[0][1]] == ["6", "1,200", "9", "420"]


def test_without_symbols_there_is_nothing_to_tell(results: Results) -> None:
    systems = [system for system in results.about["systems"] if "sym" not in system["view"]]
    about = Results(results.folder, results.about | {"systems": systems})
    files = [path for path in results.files(FILES) if "symbol" not in str(path)]
    assert restoration(parse_experiment(about.experiment), files) == []
    assert restoration(parse_experiment(results.experiment), []) == []


def test_a_run_without_counts_is_named(results: Results, tmp_path: Path) -> None:
    broken = tmp_path / "en-fr/symbol/1/restored.json"
    write_json(broken, {"test.beam12": {"rule": 1}})
    files = [broken if "fr/symbol/" in str(path) else path for path in results.files(FILES)]
    with pytest.raises(UserError, match=r"restored.json: no symbols of test.beam12 counted"):
        restoration(parse_experiment(results.experiment), files)
