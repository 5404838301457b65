"""The learning curves and the figure of gains: same bytes each time, one file a format."""

from pathlib import Path

import pytest
from made_up_experiments import EXPERIMENTS, experiment
from made_up_significance import make_significance
from results_folder import Results, make_results

from contextnmt.errors import UserError
from contextnmt.report.bleu_table import bleu_table
from contextnmt.report.experiment import System
from contextnmt.report.figures import drawing, lines_of
from contextnmt.report.gains import gains
from contextnmt.report.significance_table import significance_table
from contextnmt.report.tables import write_table
from contextnmt.report.trainings import curves, plot, read_log, scale_by_logarithm


def test_figures_are_the_same_bytes_each_time(results: Results, tmp_path: Path) -> None:
    logs = results.files("train/*/*/*/log.jsonl")
    for name, order in (("a", logs), ("b", logs[::-1])):
        curves(order, results.experiment, tmp_path / name)
    written = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert written == [
        f"curves.{pair}.{quantity}.{suffix}"
        for pair in ("en-de", "en-fr")
        for quantity in ("bleu", "loss")
        for suffix in ("pdf", "png", "svg")
    ]
    for name in written:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize(
    ("losses", "ticks"),
    [([3.0, 0.8], [1, 2, 3]), ([5.0, 0.1, 0.0, 7e-5], [1e-4, 1e-3, 0.01, 0.1, 1])],
)
def test_a_logarithmic_axis_has_few_numbers(losses: list[float], ticks: list[float]) -> None:
    with drawing() as figure:
        axes = figure.subplots()
        axes.plot(losses)
        scale_by_logarithm(axes)
        low, high = axes.get_ylim()
        shown = [tick for tick in axes.get_yticks() if low <= tick <= high]
    assert low > min(filter(None, losses)) / 3
    assert shown == pytest.approx(ticks)


def test_every_system_has_a_line_in_the_legend(results: Results, tmp_path: Path) -> None:
    curves(results.files("train/*/*/*/log.jsonl"), results.experiment, tmp_path)
    svg = (tmp_path / "curves.en-fr.loss.svg").read_text()
    for system in results.about["systems"]:
        assert f">{system['label']}</text>" in svg


def test_a_damaged_log_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"kind": "train", "update": 1}\n{"kind": "tr\n')
    with pytest.raises(UserError, match=r"log\.jsonl, line 2: not JSON"):
        read_log(tmp_path / "log.jsonl")


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_no_two_systems_have_the_same_line(name: str) -> None:
    about = experiment(name)
    systems = [System(**system) for system in about["systems"]]
    lines = lines_of(systems)
    assert len({tuple(line.values()) for line in lines.values()}) == len(systems)


def test_the_mean_of_seeds_ends_where_the_first_of_them_does() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    plot(axes, [{1: 2.0, 2: 4.0, 3: 9.0}, {1: 4.0, 2: 5.0}], {"color": "red"}, "of both")
    mean, *rest = axes.lines
    assert (list(mean.get_xdata()), list(mean.get_ydata())) == ([1, 2], [3.0, 4.5])
    assert [(list(line.get_xdata()), list(line.get_ydata())) for line in rest] == [
        ([2, 3], [4.0, 9.0]),
        ([2], [5.0]),
    ]
    low, high = axes.collections[0].get_datalim(axes.transData).intervaly
    assert (low, high) == (2.0, 5.0)


def test_gains_are_drawn_for_each_pair(results_of_seeds: Results, tmp_path: Path) -> None:
    drawn = gains_of(results_of_seeds, tmp_path)
    assert list(drawn) == ["en-fr", "en-de"]
    for svg in drawn.values():
        for text in ("contextualization (C)", "+C+S over +Symbol (S)", "paper"):
            assert f">{text}</text>" in svg
        assert ">on test_2016_flickr, beam 12</text>" in svg


def test_what_all_gains_are_over_stands_in_the_heading(tmp_path: Path) -> None:
    drawn = gains_of(make_results(tmp_path, name="chen2017"), tmp_path)
    for pair, title in (("en-fr", "English → French"), ("en-de", "English → German")):
        assert f">{title} (reconstruction)</text>" in drawn[pair]
        assert ">smoothing by convolution (CCWM) over GRU baseline</text>" in drawn[pair]
        assert ">CCWM, all words</text>" in drawn[pair]
        assert ">paper</text>" not in drawn[pair]


def test_without_two_systems_to_compare_the_figure_says_so(
    results: Results, tmp_path: Path
) -> None:
    alone = [system for system in results.about["systems"] if system["id"] == "context"]
    one = Results(results.folder, results.about | {"systems": alone})
    for svg in gains_of(one, tmp_path, "context").values():
        assert ">no two systems to compare</text>" in svg


def gains_of(results: Results, folder: Path, system: str = "*") -> dict[str, str]:
    """The figure of gains of each pair, as SVG."""
    scores = results.files(f"score/*/{system}/*/scores.json")
    write_table(folder / "bleu", bleu_table(scores, results.experiment))
    tested = make_significance(results.folder, results.about)
    write_table(folder / "significance", significance_table(tested, results.experiment))
    tables = folder / "bleu.json", folder / "significance.json"
    gains(*tables, results.experiment, folder / "figures")
    pairs = results.about["pairs"]
    return {pair: (folder / f"figures/gains.{pair}.svg").read_text() for pair in pairs}
