"""benchmarks/symbolization.py: a small corpus goes the whole way, and its rows are those of it."""

from pathlib import Path

import pytest
from pages import publish
from symbolization import Corpus, Measured, measure, page, parse_corpus

from contextnmt.errors import UserError
from contextnmt.files import write_lines

TRAIN = [
    ("We saw Berlin in 1990 .", "Nous avons vu Berlin en 1990 ."),
    ("We saw Germany .", "Nous avons vu l'Allemagne ."),
    ("The UNO met .", "L'ONU s'est réunie ."),
]
#: Berlin and the number are right; Germany, which training left text, is no symbol.
TEST = [
    ("We saw Berlin in 1991 .", "Nous avons vu Berlin en 1991 ."),
    ("We saw Germany .", "Nous avons vu l'Allemagne ."),
]


def write(folder: Path, text: str, pairs: list[tuple[str, str]]) -> None:
    for side, language in enumerate(("en", "fr")):
        write_lines(folder / f"{text}.{language}.gz", [pair[side] for pair in pairs])


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The page of a corpus with dev and test, and of one from which pairs are held out."""
    root = tmp_path_factory.mktemp("data")
    for name in ("canada-laws", "other"):
        write(root / f"{name}_en-fr", "train", TRAIN * 30)
    for text in ("dev", "test"):
        write(root / "canada-laws_en-fr", text, TEST)
    write(root / "news", "devtest", TEST)
    measured: dict[Corpus, Measured] = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("symbolization.HELD_OUT_PAIRS", 6)
        for name in ("canada-laws", "other"):
            corpus = parse_corpus(f"{root}/{name}_en-fr")
            work = tmp_path_factory.mktemp("work")
            measured[corpus] = measure(corpus, [f"{root}/news/devtest.{{lang}}.gz"], work)
    publish(root / "page.md", *page(measured))
    return (root / "page.md").read_text().split("\n")


def rows(lines: list[str], start: str) -> dict[tuple[str, ...], list[str]]:
    """The rows of the table after the line that begins like `start`, by their first three cells."""
    first = next(number for number, line in enumerate(lines) if line.startswith(start)) + 4
    body = lines[first : [*lines, ""].index("", first)]
    cells = [line.strip("| ").split(" | ") for line in body]
    return {tuple(row[:3]): row[3:] for row in cells}


def test_every_text_is_scored_and_those_looked_at_are_marked(lines: list[str]) -> None:
    scores = rows(lines, "Symbols made from the source alone")
    assert sorted(scores) == [
        ("canada-laws", "en-fr", r"dev\*"),
        ("canada-laws", "en-fr", "news-devtest"),
        ("canada-laws", "en-fr", "test"),
        ("other", "en-fr", r"held-out\*"),
        ("other", "en-fr", "news-devtest"),
    ]
    assert scores["canada-laws", "en-fr", "test"] == [
        "100.0 (100.0 / 100.0; 1)",
        "100.0 (100.0 / 100.0; 1)",
        "– (– / –; 0)",
    ]


def test_names_are_scored_at_each_threshold(lines: list[str]) -> None:
    scores = rows(lines, "Symbols made from the source alone")
    sweep = rows(lines, "The same of names")
    assert sweep.keys() == scores.keys()
    assert [cells[1] for cells in sweep.values()] == [cells[1] for cells in scores.values()]
    assert sweep["canada-laws", "en-fr", "test"] == ["100.0 (100.0 / 100.0; 1)"] * 5


def test_held_out_pairs_are_not_trained_on(lines: list[str]) -> None:
    pairs = rows(lines, "Seconds of the command")
    assert list(pairs) == [("canada-laws", "en-fr", "90"), ("other", "en-fr", "84")]


@pytest.mark.parametrize("argument", ["laws_en", "laws_en-fr+bible_en-de"])
def test_folders_of_no_one_pair_are_refused(argument: str) -> None:
    with pytest.raises(UserError, match="a name like laws_en-fr, of one pair"):
        parse_corpus(argument)
