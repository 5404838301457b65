"""The figures of local charts."""

import itertools
import json
import random
from pathlib import Path
from typing import Any

from analysed_models import words_of, write_charts
from made_up_experiments import experiment
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg

from contextnmt.report.experiment import experiment_of
from contextnmt.report.figures import drawing
from contextnmt.report.local_charts import (
    Box,
    draw_chart,
    local_charts_figure,
    name_all,
    name_box,
    outside,
    shared,
)

ABOUT = experiment_of(experiment("choi2017", (1,), ("test",)))


def test_figures_name_the_words_of_the_table(tmp_path: Path) -> None:
    content = write_charts(tmp_path / "en-fr.json", ["notebook", "power"], "baseline", "cbow")
    local_charts_figure([tmp_path / "en-fr.json"], ABOUT, tmp_path / "one")
    local_charts_figure([tmp_path / "en-fr.json"], ABOUT, tmp_path / "other")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == [f"local-charts.en-fr.{suffix}" for suffix in ("pdf", "png", "svg")]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    said = words_of(tmp_path / "one/local-charts.en-fr.svg")
    assert {"notebook, CBOW", "notebook, Baseline", "Without a chart: power."} <= set(said)
    for charts in content["charts"].values():
        for axis in charts["notebook"]["axes"]:
            assert set(axis["words"]) - {"notebook"} <= set(said)


def test_dots_are_where_the_words_are(tmp_path: Path) -> None:
    content = write_charts(tmp_path / "en-fr.json", ["w7"], "cbow")
    chart = content["charts"]["cbow"]["w7"]
    with drawing() as figure:
        axes = figure.subplots()
        draw_chart(axes, chart)
        name_all(figure, [(axes, chart)])
        dots = axes.collections[0].get_offsets().tolist()
        labels = {text.get_text(): list(text.xy) for text in axes.texts}
    assert dots == [each["position"] for each in chart["neighbours"]]
    places = {each["word"]: each["position"] for each in chart["neighbours"]}
    assert len(labels) >= 4
    assert all(place == places[word] for word, place in labels.items())


def crowded() -> dict[str, Any]:
    """A chart whose words of both axes are close together, around the word."""
    close = random.Random(1)
    words = [f"crowded{number}" for number in range(8)]
    others = [{"word": w, "position": [close.gauss(0, 0.1), close.gauss(0, 0.1)]} for w in words]
    far = [{"word": "left", "position": [-3, -3]}, {"word": "right", "position": [3, 3]}]
    axes = [{"variance_percent": 20, "words": ["here", *some]} for some in (words[:4], words[4:])]
    return {"neighbours": [{"word": "here", "position": [0, 0]}, *others, *far], "axes": axes}


def named(inches: tuple[float, float]) -> tuple[Axes, list[Box]]:
    """A panel of that size with the names of a crowded chart, and the places of these."""
    with drawing() as figure:
        figure.set_size_inches(*inches)
        axes, chart = figure.subplots(), crowded()
        draw_chart(axes, chart)
        name_all(figure, [(axes, chart)])
        renderer = FigureCanvasAgg(figure).get_renderer()
        return axes, [name_box(text, renderer) for text in axes.texts]


def test_no_name_covers_another() -> None:
    axes, boxes = named((3, 2.7))
    assert len(boxes) == 8
    assert any(text.arrow_patch for text in axes.texts)  # some had to go farther away
    assert not any(shared(a, b) for a, b in itertools.combinations(boxes, 2))
    assert not any(outside(box, axes.bbox.extents) for box in boxes)


def test_where_no_place_is_free_every_word_has_a_name() -> None:
    _, boxes = named((1.4, 1.2))
    assert len(boxes) == 8


def test_vectors_that_lack_a_word_say_so(tmp_path: Path) -> None:
    content = write_charts(tmp_path / "en-fr.json", ["notebook"], "baseline", "cbow")
    content["charts"]["cbow"]["notebook"] = {"gap": "no such word"}
    (tmp_path / "en-fr.json").write_text(json.dumps(content))
    local_charts_figure([tmp_path / "en-fr.json"], ABOUT, tmp_path)
    assert "no such word" in words_of(tmp_path / "local-charts.en-fr.svg")
    content["charts"]["baseline"]["notebook"] = {"gap": "no such word"}
    (tmp_path / "en-fr.json").write_text(json.dumps(content))
    local_charts_figure([tmp_path / "en-fr.json"], ABOUT, tmp_path)
    assert "Without a chart: notebook." in words_of(tmp_path / "local-charts.en-fr.svg")


def test_dollars_stay_what_they_are(tmp_path: Path) -> None:
    content = write_charts(tmp_path / "en-fr.json", ["w3"], "baseline")
    text = json.dumps(content).replace('"w', '"$_$w').replace('"$_$words', '"words')
    (tmp_path / "en-fr.json").write_text(text.replace('"$_$word"', '"word"'))
    local_charts_figure([tmp_path / "en-fr.json"], ABOUT, tmp_path)
    said = words_of(tmp_path / "local-charts.en-fr.svg")
    assert "$_$w3, Baseline" in said
    assert sum(text.startswith("$_$w") for text in said) >= 5
