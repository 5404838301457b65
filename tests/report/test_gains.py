"""The figure of gains: a method's contrasts in each language pair, and the paper's beside them."""

from dataclasses import replace
from pathlib import Path

from made_up_significance import make_significance
from results_folder import Made, make_results

from contextnmt.report.contents import parts
from contextnmt.report.report import make
from contextnmt.report.results import Results


def gains_of(results: Results) -> dict[str, str]:
    """The figure of gains of each pair, as SVG."""
    for part in parts(results):
        if part.caption in ("bleu-table", "significance", "gains"):
            make(results, part)
    figures = results.report / "figures"
    return {pair: (figures / f"gains.{pair}.svg").read_text() for pair in results.pairs}


def test_gains_are_drawn_for_each_pair(results_of_seeds: Made) -> None:
    drawn = gains_of(results_of_seeds.results)
    assert list(drawn) == ["en-fr", "en-de"]
    for svg in drawn.values():
        for text in ("contextualization (C)", "+C+S over +Symbol (S)", "paper"):
            assert f">{text}</text>" in svg
        assert ">on test_2016_flickr, beam 12</text>" in svg


def test_what_all_gains_are_over_stands_in_the_heading(tmp_path: Path) -> None:
    drawn = gains_of(make_results(tmp_path, name="chen2017").results)
    for pair, title in (("en-fr", "English → French"), ("en-de", "English → German")):
        assert f">{title} (reconstruction)</text>" in drawn[pair]
        assert ">smoothing by convolution (CCWM) over GRU baseline</text>" in drawn[pair]
        assert ">CCWM, all words</text>" in drawn[pair]
        assert ">paper</text>" not in drawn[pair]


def test_without_two_systems_to_compare_the_figure_says_so(tmp_path: Path) -> None:
    made = make_results(tmp_path)
    alone = [system for system in made.about["systems"] if system["id"] == "context"]
    make_significance(tmp_path, made.about | {"systems": alone})
    results = made.results
    one = replace(results, systems=[each for each in results.systems if each.id == "context"])
    for svg in gains_of(one).values():
        assert ">no two systems to compare</text>" in svg


def test_methods_may_share_a_name(results_of_seeds: Made) -> None:
    results = results_of_seeds.results
    named = [replace(method, name="a method") for method in results.methods]
    for svg in gains_of(replace(results, methods=named)).values():
        assert svg.count(">a method</text>") == len(named)
        assert ">+Context (C) over Baseline</text>" in svg
