"""The stage symbolize on files: training text, dev text, lone source."""

import gzip
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.text.restore import restore
from contextnmt.text.symbolize import read_counts, symbolize

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
        counts: dict[str, int] = {}
        for word in (tmp_path / name).read_text(encoding="utf-8").split():
            counts[word] = counts.get(word, 0) + 1
        rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        table = "".join(f"{word}\t{count}\n" for word, count in rows)
        (tmp_path / f"counts.{name[-2:]}.tsv").write_text(table, encoding="utf-8")
    return tmp_path


def symbolize_training(folder: Path, **options: Path) -> None:
    symbolize(
        source=folder / "train.en",
        target=folder / "train.fr",
        source_language="en",
        target_language="fr",
        source_counts=folder / "counts.en.tsv",
        target_counts=folder / "counts.fr.tsv",
        source_out=folder / "sym.en.gz",
        target_out=folder / "sym.fr.gz",
        **options,
    )


def symbolize_lone(folder: Path, text: str, **options: int) -> None:
    (folder / "test.en").write_text(text, encoding="utf-8")
    symbolize(
        source=folder / "test.en",
        source_language="en",
        target_language="fr",
        source_counts=folder / "counts.en.tsv",
        rules=folder / "rules.tsv",
        source_out=folder / "test.sym.en",
        symbols_out=folder / "test.symbols.tsv.gz",
        **options,
    )


def unzipped(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode("utf-8")


def test_a_training_text_gets_symbols_and_rules(folder: Path) -> None:
    symbolize_training(folder, rules_out=folder / "rules.tsv")
    assert unzipped(folder / "sym.en.gz").splitlines()[:2] == [
        "he met <S>_1 in Geneva on June <N>_1 ^^nd",
        "the <C>_1 lent <N>_1 dollars to Geneva",
    ]
    assert unzipped(folder / "sym.fr.gz").splitlines()[:2] == [
        "il a vu <S>_1 à Genève le <N>_1 juin",
        "le <C>_1 a prêté <N>_1 dollars à Genève",
    ]
    assert (folder / "rules.tsv").read_text(encoding="utf-8") == (
        "type\tsource\ttarget\tcount\n"
        "C\tIMF\tFMI\t1\n"
        "S\tGeneva\t\t4\n"
        "S\tJune\t\t1\n"
        "S\tObama\tObama\t2\n"
        "S\tSwitzerland\t\t1\n"
    )


def test_a_dev_text_gets_the_same_symbols_and_no_rules(folder: Path) -> None:
    symbolize_training(folder, rules_out=folder / "rules.tsv")
    trained = (folder / "sym.en.gz").read_bytes(), (folder / "sym.fr.gz").read_bytes()
    (folder / "rules.tsv").unlink()
    symbolize_training(folder)
    assert ((folder / "sym.en.gz").read_bytes(), (folder / "sym.fr.gz").read_bytes()) == trained
    assert not (folder / "rules.tsv").exists()


def test_a_lone_source_follows_what_was_seen_in_training(folder: Path) -> None:
    symbolize_training(folder, rules_out=folder / "rules.tsv")
    symbolize_lone(folder, "Obama left Geneva\n\nhe saw Putin , the WTO and 2,500 men\n")
    assert (folder / "test.sym.en").read_text(encoding="utf-8").splitlines() == [
        "<S>_1 left Geneva",
        "",
        "he saw <S>_1 , the <C>_1 and <N>_1 men",
    ]
    assert unzipped(folder / "test.symbols.tsv.gz") == (
        "line\tsymbol\tsource\n1\t<S>_1\tObama\n3\t<N>_1\t2,500\n3\t<S>_1\tPutin\n3\t<C>_1\tWTO\n"
    )


def test_a_name_outside_the_vocabulary_becomes_a_symbol(folder: Path) -> None:
    symbolize_training(folder, rules_out=folder / "rules.tsv")
    symbolize_lone(folder, "he left Switzerland\n")
    assert (folder / "test.sym.en").read_text(encoding="utf-8") == "he left Switzerland\n"
    symbolize_lone(folder, "he left Switzerland\n", vocabulary_size=3)
    assert (folder / "test.sym.en").read_text(encoding="utf-8") == "he left <S>_1\n"


def test_restore_undoes_a_lone_source(folder: Path) -> None:
    symbolize_training(folder, rules_out=folder / "rules.tsv")
    symbolize_lone(folder, "Obama left Geneva\nhe saw Putin on May 3rd , the IMF and 2,500 men\n")
    restore(
        translation=[folder / "test.sym.en"],
        symbols=[folder / "test.symbols.tsv.gz"],
        rules=folder / "rules.tsv",
        out=[folder / "words"],
        target_language="fr",
    )
    assert (folder / "words").read_text(encoding="utf-8").splitlines() == [
        "Obama left Geneva",
        "he saw Putin on May 3rd , the FMI and 2 500 men",
    ]


def test_options_that_do_not_go_together_are_the_users_mistake(folder: Path) -> None:
    with pytest.raises(UserError, match="give either --target"):
        symbolize_training(folder, rules=folder / "rules.tsv", symbols_out=folder / "s.tsv")


def test_texts_of_unequal_length_leave_nothing_behind(folder: Path) -> None:
    (folder / "train.fr").write_text(TARGET + "encore\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"4 lines and .* has 5"):
        symbolize_training(folder, rules_out=folder / "rules.tsv")
    assert not list(folder.glob("*.gz")) and not (folder / "rules.tsv").exists()


def test_a_malformed_count_is_named(tmp_path: Path) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("the\t7\nof seven\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2: expected a word"):
        read_counts(path)
