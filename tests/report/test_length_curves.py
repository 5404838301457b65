"""BLEU by sentence length as a figure: what it shows, and what it says of what is not there."""

import copy
from pathlib import Path
from typing import Any

import pytest
from made_up_experiments import experiment
from made_up_lengths import lengths_of

from contextnmt.errors import UserError
from contextnmt.files import write_json
from contextnmt.report.experiment import experiment_of
from contextnmt.report.lengths import length_curves

ABOUT = experiment("bahdanau2015")
SYSTEMS = [system["id"] for system in ABOUT["systems"]]


def made_up() -> dict[str, Any]:
    """What length-scores writes of all systems."""
    return lengths_of("test.beam12", SYSTEMS, [1])


def draw(folder: Path, content: dict[str, Any], out: str = "out", **about: Any) -> str:
    """The figure as SVG."""
    path = folder / "en-fr/test.beam12.json"
    write_json(path, content)
    length_curves([path], experiment_of(ABOUT | about), folder / out)
    return (folder / out / "lengths.en-fr.svg").read_text()


def test_the_figure_has_systems_bins_and_the_text(tmp_path: Path) -> None:
    svg = draw(tmp_path, made_up())
    texts = ["English → French", "of test, beam 12", "21–30", "(1,500)", "up to 10", "41–50", "(0)"]
    for text in [*texts, *(system["label"] for system in ABOUT["systems"])]:
        assert f">{text}</" in svg, text
    assert "over 50" not in svg  # beyond the longest sentence
    assert "no running window" not in svg
    assert "seeds" not in svg


def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    for out in ("a", "b"):
        draw(tmp_path, made_up(), out)
    written = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert written == [f"lengths.en-fr.{suffix}" for suffix in ("pdf", "png", "svg")]
    for name in written:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_stale_system_is_named_so(tmp_path: Path) -> None:
    svg = draw(tmp_path, made_up(), stale={"en-fr": {"rnnsearch-30": "hidden was 9"}})
    assert svg.count("(stale)</") == svg.count(">RNNsearch-30 (stale)</") == 1


def test_a_system_without_scores_is_named_so(tmp_path: Path) -> None:
    content = made_up()
    content["systems"]["rnnsearch-30"] = {"gap": "no translation of seed 2"}
    content["seeds"] = [1, 2]
    svg = draw(tmp_path, content)
    assert ">RNNsearch-30 (no scores)</" in svg
    assert ">RNNsearch-50</" in svg
    assert ">of test, beam 12, mean of 2 seeds</" in svg


def test_a_text_too_short_for_windows_says_so(tmp_path: Path) -> None:
    content = made_up() | {"windows": []}
    for scores in content["systems"].values():
        scores["windows"] = []
    assert ">fewer than 200 sentences: no running window</" in draw(tmp_path, content)


def test_all_systems_without_scores_make_an_empty_figure(tmp_path: Path) -> None:
    content = made_up()
    content["systems"] = {system: {"gap": "no such file"} for system in SYSTEMS}
    assert draw(tmp_path, content).count("(no scores)</") == len(SYSTEMS)


@pytest.mark.parametrize("lacking", ["systems", "bins", "rnnsearch-30", "windows"])
def test_a_file_that_lacks_something_is_named(tmp_path: Path, lacking: str) -> None:
    content = copy.deepcopy(made_up())
    content.pop(lacking, None)
    content.get("systems", {}).pop(lacking, None)
    with pytest.raises(UserError, match=r"test\.beam12\.json: no scores by length"):
        draw(tmp_path, content)
    write_json(tmp_path / "en-fr/test.beam12.json", [1])
    with pytest.raises(UserError, match="make this file again"):
        length_curves(
            [tmp_path / "en-fr/test.beam12.json"], experiment_of(ABOUT), tmp_path / "figures"
        )


def test_files_belong_to_pairs(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no file for en-fr"):
        length_curves([], experiment_of(ABOUT), tmp_path)
    with pytest.raises(UserError, match="en-cs is not part of the experiment"):
        length_curves([tmp_path / "en-cs/test.beam12.json"], experiment_of(ABOUT), tmp_path)
