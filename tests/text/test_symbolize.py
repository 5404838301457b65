"""The stage symbolize on files: training text, dev text, lone source."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from contextnmt.corpus.counts import count_words, write_counts
from contextnmt.errors import UserError
from contextnmt.files import read_lines
from contextnmt.text.symbolize import symbolize

SOURCE = """\
he met Obama in Geneva on June 2nd
the IMF lent 1,234 dollars to Geneva
Geneva is in Switzerland
Obama saw Geneva
"""
TARGET = """\
il a vu Obama à Genève le 2 juin
le FMI a prêté 1 234 dollars à Genève
Genève est en Suisse
Obama a vu Genève
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.en").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "train.fr").write_text(TARGET, encoding="utf-8")
    for name in ("train.en", "train.fr"):
        write_counts(tmp_path / f"counts.{name[-2:]}.tsv", count_words(tmp_path / name))
    return tmp_path


def symbolize_training(folder: Path, **options: Any) -> None:
    symbolize(folder / "train.en", "en", "fr", folder / "sym", folder / "train.fr", **options)


def symbolize_lone(folder: Path, text: str, **options: Any) -> None:
    source = folder / "test.en"
    source.write_text(text, encoding="utf-8")
    tables = {"source_counts": folder / "counts.en.tsv", "rates": folder / "sym.rates.tsv"}
    symbolize(source, "en", "fr", folder / "test.sym", **tables, **options)


def lines(path: Path) -> list[str]:
    return list(read_lines(path))


def test_a_training_text_gets_symbols_rules_and_rates(folder: Path) -> None:
    symbolize_training(folder, external_rules=True)
    assert lines(folder / "sym.en.gz")[:2] == [
        "he met <S>_1 in Geneva on June <N>_1 ^^nd",
        "the <C>_1 lent <N>_1 dollars to Geneva",
    ]
    assert lines(folder / "sym.fr.gz")[:2] == [
        "il a vu <S>_1 à Genève le <N>_1 juin",
        "le <C>_1 a prêté <N>_1 dollars à Genève",
    ]
    assert (folder / "sym.rules.tsv").read_text(encoding="utf-8") == (
        "type\tsource\ttarget\tcount\n"
        "C\tIMF\tFMI\t1\n"
        "N\t1,234\t1 234\t1\n"
        "N\t2\t2\t1\n"
        "S\tObama\tObama\t2\n"
    )
    assert (folder / "sym.rates.tsv").read_text(encoding="utf-8") == (
        "word\tposition\tsymbol\ttext\n"
        "Geneva\tfirst\t0\t3\n"
        "Geneva\topening\t0\t1\n"
        "IMF\tacronym\t1\t0\n"
        "IMF\tfirst\t0\t1\n"
        "June\tfirst\t0\t1\n"
        "Obama\tfirst\t1\t0\n"
        "Obama\topening\t1\t0\n"
        "Switzerland\tfirst\t0\t1\n"
    )


def test_the_counts_of_the_training_text_decide_about_a_dev_text(folder: Path) -> None:
    (folder / "train.en").write_text("In Bonn\n", encoding="utf-8")
    (folder / "train.fr").write_text("In Bonn\n", encoding="utf-8")
    symbolize_training(folder)
    assert lines(folder / "sym.en.gz") == ["<S>_1"]
    (folder / "in.tsv").write_text("in\t9\n", encoding="utf-8")
    symbolize_training(folder, source_counts=folder / "in.tsv", target_counts=folder / "in.tsv")
    assert lines(folder / "sym.en.gz") == ["In <S>_1"]


def test_a_lone_source_follows_what_was_seen_in_training(folder: Path) -> None:
    symbolize_training(folder)
    symbolize_lone(folder, "Obama left Geneva\n\nhe saw Obama , the IMF and 2,500 men\n")
    assert lines(folder / "test.sym.en.gz") == [
        "<S>_1 left Geneva",
        "",
        "he saw <S>_1 , the <C>_1 and <N>_1 men",
    ]
    assert lines(folder / "test.sym.symbols.tsv.gz") == [
        "line\tsymbol\tsource",
        "1\t<S>_1\tObama",
        "3\t<N>_1\t2,500",
        "3\t<S>_1\tObama",
        "3\t<C>_1\tIMF",
    ]


def test_the_threshold_decides_how_likely_a_symbol_must_be(folder: Path) -> None:
    symbolize_training(folder)
    symbolize_lone(folder, "Obama left Geneva\n", threshold=0.0)
    assert lines(folder / "test.sym.en.gz") == ["<S>_1 left <S>_2"]
    symbolize_lone(folder, "Obama left Geneva\n", threshold=1.0)
    assert lines(folder / "test.sym.en.gz") == ["Obama left Geneva"]


def test_a_threshold_is_refused_where_the_rule_dictionary_decides(folder: Path) -> None:
    symbolize_training(folder)
    with pytest.raises(UserError, match="--threshold goes with --rates: leave it out, or --dict"):
        symbolize(
            folder / "train.en",
            "en",
            "fr",
            folder / "out",
            dictionary=folder / "sym.rules.tsv",
            threshold=0.5,
        )


def test_names_and_acronyms_of_the_rule_dictionary_become_symbols(folder: Path) -> None:
    symbolize_training(folder)
    rules = "type\tsource\ttarget\tcount\nC\tIMF\tFMI\t1\nN\t7\t7\t1\n"
    rules += "".join(f"S\t{name}\t{name}\t1\n" for name in ("Bank", "Bank of Bonn", "Obama"))
    (folder / "own.rules.tsv").write_text(rules, encoding="utf-8")
    text = "Obama and Bank of Bonn-led IMF men left Geneva , WTO , Bonn and 8 Barack Obama\n"
    (folder / "test.en").write_text(text, encoding="utf-8")
    options = {"dictionary": folder / "own.rules.tsv"}
    symbolize(folder / "test.en", "en", "fr", folder / "test.sym", **options)
    assert lines(folder / "test.sym.en.gz") == [
        "<S>_1 and <S>_2 ^^-led <C>_1 men left Geneva , WTO , Bonn and <N>_1 Barack <S>_3"
    ]
    assert lines(folder / "test.sym.symbols.tsv.gz")[2:4] == [
        "1\t<S>_1\tObama",
        "1\t<S>_2\tBank of Bonn",
    ]


def test_a_dev_text_has_no_rules_of_its_own(folder: Path) -> None:
    counts = {"source_counts": folder / "counts.en.tsv", "target_counts": folder / "counts.fr.tsv"}
    symbolize_training(folder, rules=False, **counts)
    assert sorted(path.name for path in folder.glob("sym.*")) == ["sym.en.gz", "sym.fr.gz"]


def test_options_that_do_not_go_together_are_the_users_mistake(folder: Path) -> None:
    with pytest.raises(UserError, match="--rates is for a source alone"):
        symbolize_training(folder, rates=folder / "sym.rates.tsv")
    with pytest.raises(UserError, match="--dictionary is for a source alone"):
        symbolize_training(folder, dictionary=folder / "sym.rules.tsv")
    with pytest.raises(UserError, match="--dictionary takes the place of --rates"):
        symbolize_lone(folder, "", dictionary=folder / "sym.rules.tsv")
    with pytest.raises(UserError, match="--no-rules is for a dev text"):
        symbolize_training(folder, rules=False)
    with pytest.raises(UserError, match="without --target, give --rates and --source-counts"):
        symbolize(folder / "train.en", "en", "fr", folder / "sym")


@pytest.mark.parametrize(
    ("languages", "out", "message"),
    [
        (("en", "en"), "sym", "are both 'en'"),
        (("xx", "fr"), "sym", "language 'xx'"),
        (("en", "fr"), ".", "give the beginning of the names"),
    ],
)
def test_mistakes_are_told_before_anything_is_read(
    folder: Path, languages: tuple[str, str], out: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        symbolize(folder / "missing.en", *languages, folder / out, folder / "missing.fr")


def test_no_input_is_overwritten(folder: Path) -> None:
    text = gzip.compress(SOURCE.encode())
    (folder / "train.en.gz").write_bytes(text)
    with pytest.raises(UserError, match="read or written already"):
        symbolize(folder / "train.en.gz", "en", "fr", folder / "train", folder / "train.fr")
    assert (folder / "train.en.gz").read_bytes() == text


def test_a_table_that_cannot_be_written_leaves_no_text_behind(folder: Path) -> None:
    (folder / "sym.rates.tsv").mkdir()
    with pytest.raises(UserError):
        symbolize_training(folder)
    assert [path.name for path in folder.glob("sym.*") if path.is_file()] == []
