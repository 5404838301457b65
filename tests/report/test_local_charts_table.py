"""Table 1 of Choi et al.: local charts here beside those of the paper."""

import csv
from pathlib import Path

import pytest
from analysed_models import write_charts
from made_up_experiments import experiment

from contextnmt.errors import UserError
from contextnmt.files import read_json, write_json
from contextnmt.report.experiment import experiment_of
from contextnmt.report.local_charts import local_charts_table
from contextnmt.report.published import published
from contextnmt.report.tables import write_table

ABOUT = experiment_of(experiment("choi2017", (1,), ("test",)))


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
    content = write_charts(tmp_path / "en-de.json", ["notebook", "power"], "context", "cbow")
    write_table(tmp_path / "table1", local_charts_table([tmp_path / "en-de.json"], ABOUT))
    table = read_json(tmp_path / "table1.json")
    (block,) = table["blocks"]
    assert block["title"] == "English → German: English words"
    assert block["columns"] == [["paper"], ["CBOW"], ["+Context (C)"]]
    rows = {row["label"]: [cell["text"] for cell in row["cells"]] for row in block["rows"]}
    assert list(rows) == ["notebook, axis 1", "notebook, axis 2", "power, axis 1", "power, axis 2"]
    assert rows["notebook, axis 1"][0] == "diary notebooks (notebook) sketchbook jottings"
    words = content["charts"]["context"]["notebook"]["axes"][1]["words"]
    assert rows["notebook, axis 2"][2].replace("(", "").replace(")", "") == " ".join(words)
    assert rows["notebook, axis 2"][2].count("(notebook)") == 1
    gap = block["rows"][2]["cells"][1]
    assert (gap["text"], gap["remark"]) == ("–", "(not among the 151 words of the vocabulary)")
    assert rows["power, axis 2"][0].endswith("hydel (power)")


def test_data_have_a_row_for_each_word_along_each_axis(tmp_path: Path) -> None:
    content = write_charts(tmp_path / "en-fr.json", ["notebook", "power"], "baseline")
    write_table(tmp_path / "table1", local_charts_table([tmp_path / "en-fr.json"], ABOUT))
    rows = read_json(tmp_path / "table1.json")["data"]
    here = [row for row in rows if row["vectors"] == "baseline"]
    assert len(here) == 5 + 5 + 2
    assert len(rows) == len(here) + 20
    chart = content["charts"]["baseline"]["notebook"]
    positions = {each["word"]: each["position"] for each in chart["neighbours"]}
    for row in here[:10]:
        assert row["position"] == positions[row["neighbour"]][row["axis"] - 1]
    assert [row["position"] for row in here[:5]] == sorted(row["position"] for row in here[:5])
    assert all(row["gap"] == "not among the 151 words of the vocabulary" for row in here[10:])


def test_other_source_languages_have_no_paper_beside_them(tmp_path: Path) -> None:
    about = experiment_of(experiment("choi2017", (1,), ("test",)) | {"pairs": ["fr-en"]})
    write_charts(tmp_path / "fr-en.json", ["notebook"], "baseline")
    write_table(tmp_path / "table1", local_charts_table([tmp_path / "fr-en.json"], about))
    (block,) = read_json(tmp_path / "table1.json")["blocks"]
    assert block["columns"] == [["Baseline"]]
    assert all(row["vectors"] != "paper" for row in read_json(tmp_path / "table1.json")["data"])


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"words": ["notebook"], "charts": {"unheard-of": {"notebook": {"gap": ""}}}},
        {"words": ["notebook"], "charts": {"baseline": {}}},
    ],
)
def test_wrong_files_are_named(tmp_path: Path, content: object) -> None:
    write_json(tmp_path / "en-fr.json", content)
    with pytest.raises(UserError, match=r"en-fr\.json: not local charts of systems"):
        write_table(tmp_path / "table1", local_charts_table([tmp_path / "en-fr.json"], ABOUT))
