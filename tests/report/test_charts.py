"""Table 1 of Choi et al., local charts here beside those of the paper, and their figure."""

import csv
import itertools
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from analysed_models import words_of, write_charts
from made_up_experiments import experiment, results_of
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from results_folder import as_svg

from contextnmt.files import write_json
from contextnmt.report import charts
from contextnmt.report.charts import local_charts_figure, local_charts_table
from contextnmt.report.figures import save_all
from contextnmt.report.published import published
from contextnmt.report.results import Results


def results(folder: Path, pair: str = "en-fr") -> Results:
    return results_of(folder, experiment("choi2017") | {"pairs": [pair]})


def test_the_papers_words_are_those_of_the_specification(shared: Path) -> None:
    with open(shared / "spec/paper_tables/choi2017_table1.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    printed = published("paper/choi2017_table1.csv")
    found = [
        (row["word"], row["axis"], str(order), word, str(int(word == row["word"])))
        for row in printed
        for order, word in enumerate(row["neighbours"].split(" "), start=1)
    ]
    keys = ("word", "axis", "position_along_axis", "neighbor", "is_query_word")
    assert found == [tuple(row[key] for key in keys) for row in rows]


def test_charts_stand_beside_the_papers(tmp_path: Path) -> None:
    content = write_charts(tmp_path, "en-de", ["notebook", "power", "w7"], "context")
    table = local_charts_table(results(tmp_path, "en-de"))
    [block] = table.blocks
    assert block.title == "English → German: English words"
    assert block.columns == [("paper",), ("CBOW",), ("+Context (C)",)]
    rows = {label: [cell.plain for cell in cells] for label, cells in block.rows}
    assert list(rows) == [
        f"{word}, axis {axis}" for word in ("notebook", "power", "w7") for axis in (1, 2)
    ]
    assert rows["notebook, axis 1"][0] == "diary notebooks (notebook) sketchbook jottings"
    words = content["charts"]["context"]["notebook"]["axes"][1]["words"]
    assert rows["notebook, axis 2"][2].replace("(", "").replace(")", "") == " ".join(words)
    assert rows["notebook, axis 2"][2].count("(notebook)") == 1
    assert rows["power, axis 1"][1] == "– (not among the 151 words of the vocabulary)"
    assert rows["power, axis 2"][1] == "–"
    assert rows["power, axis 2"][0].endswith("hydel (power)")
    assert rows["w7, axis 1"][0] == "–"
    here = [row for row in table.data if row["vectors"] == "context"]
    assert len(here) == 5 + 5 + 2 + 5 + 5
    chart = content["charts"]["context"]["notebook"]
    positions = {each["word"]: each["position"] for each in chart["neighbours"]}
    for row in here[:10]:
        assert row["position"] == positions[row["neighbour"]][row["axis"] - 1]
    assert all(row["gap"] == "not among the 151 words of the vocabulary" for row in here[10:12])


def test_other_source_languages_have_no_paper_beside_them(tmp_path: Path) -> None:
    write_charts(tmp_path, "fr-en", ["notebook"], "baseline")
    table = local_charts_table(replace(results(tmp_path), all_pairs=["fr-en"]))
    assert table.blocks[0].title == "French → English: French words"
    assert table.blocks[0].columns == [("CBOW",), ("Baseline",)]
    assert all(row["vectors"] != "paper" for row in table.data)


def drawn(folder: Path) -> Axes:
    """The first panel."""
    [(_, figure)] = local_charts_figure(results(folder))
    return figure.axes[0]


def test_dots_are_where_the_words_are(tmp_path: Path) -> None:
    chart = write_charts(tmp_path, "en-fr", ["w7"])["charts"]["cbow"]["w7"]
    axes = drawn(tmp_path)
    places = {each["word"]: each["position"] for each in chart["neighbours"]}
    assert axes.collections[0].get_offsets().tolist() == list(places.values())
    labels = {text.get_text(): list(text.xy) for text in axes.texts}
    assert len(labels) >= 4
    assert all(place == places[word] for word, place in labels.items())


def crowded(folder: Path) -> tuple[Axes, list[Bbox]]:
    """A panel with eight words of both axes close together, around the word, and the places of
    their names."""
    close = random.Random(1)
    words = [f"crowded{number}" for number in range(8)]
    others = [{"word": w, "position": [close.gauss(0, 0.1), close.gauss(0, 0.1)]} for w in words]
    far = [{"word": "left", "position": [-3, -3]}, {"word": "right", "position": [3, 3]}]
    along = [{"variance_percent": 20, "words": ["here", *some]} for some in (words[:4], words[4:])]
    neighbours = [{"word": "here", "position": [0, 0]}, *others, *far]
    charts = {"cbow": {"here": {"neighbours": neighbours, "axes": along}}}
    write_json(folder / "local-charts/en-fr.json", {"words": ["here"], "charts": charts})
    axes = drawn(folder)
    axes.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in axes.texts]
    assert len(boxes) == 8
    return axes, boxes


def test_no_name_covers_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    axes, boxes = crowded(tmp_path)
    assert any(text.arrow_patch for text in axes.texts)  # some had to go farther away
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    assert all(axes.bbox.contains(*corner) for box in boxes for corner in (box.min, box.max))
    monkeypatch.setattr(charts, "WIDTH", 1.4)
    monkeypatch.setattr(charts, "HEIGHT", 0.3)
    crowded(tmp_path)  # without a free place, every word has a name all the same


@as_svg
def said(folder: Path) -> list[str]:
    """The texts of the figure as it is saved."""
    save_all(local_charts_figure(results(folder)), folder)
    return words_of(folder / "local-charts.en-fr.svg")


def test_figures_name_the_words_of_the_table(tmp_path: Path) -> None:
    content = write_charts(tmp_path, "en-fr", ["notebook", "power"], "baseline")
    words = said(tmp_path)
    assert {"notebook, CBOW", "notebook, Baseline", "Without a chart: power."} <= set(words)
    for found in content["charts"].values():
        for axis in found["notebook"]["axes"]:
            assert set(axis["words"]) - {"notebook"} <= set(words)
    for name, expected in [("cbow", "no such word"), ("baseline", "chart: notebook, power.")]:
        content["charts"][name]["notebook"] = {"gap": "no such word"}
        write_json(tmp_path / "local-charts/en-fr.json", content)
        assert expected in " ".join(said(tmp_path))


def test_dollars_stay_what_they_are(tmp_path: Path) -> None:
    content = write_charts(tmp_path, "en-fr", ["w3"])
    text = json.dumps(content).replace('"w', '"$_$w').replace('"$_$words', '"words')
    (tmp_path / "local-charts/en-fr.json").write_text(text.replace('"$_$word"', '"word"'))
    assert "$_$w3, CBOW" in said(tmp_path)
