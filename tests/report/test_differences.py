"""The sentences in which two systems differ most."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_experiments import experiment
from sacrebleu.metrics import CHRF

from contextnmt.errors import UserError
from contextnmt.files import write_lines
from contextnmt.report.differences import UNKNOWN, ContrastDifferences, Word, differences
from contextnmt.report.experiment import Experiment, Method, parse_experiment
from contextnmt.translation import saved

SOURCE = [
    "Jean Barbe of the IMF saw 3 cats .",
    "the cat sleeps .",
    "the dog sleeps .",
    "a cat eats .",
    "2.5Kg of fish .",
]
REFERENCE = [
    "Jean Barbe du FMI a vu 3 chats .",
    "le chat dort .",
    "le chien dort .",
    "un chat mange .",
    "2,5Kg de poisson .",
]
WITHOUT = ["UNK du UNK a vu 3 chats .", "le chat dort .", "le chien dort .", "un chien mange .", ""]
PRESENT = [
    "Jean Barbe du FMI a vu chats .",
    "le chat dort .",
    "UNK",
    "un chat mange .",
    "2,5Kg de viande .",
]
COUNTS = ["the\t9", "cat\t8", "of\t7", "sleeps\t6", ".\t5", "a\t4"]


@pytest.fixture
def about() -> Experiment:
    """One pair, two systems, one contrast; a vocabulary of six words."""
    whole = parse_experiment(json.dumps(experiment("choi2017", (1, 2), ("test",))))
    return replace(
        whole,
        pairs=["en-fr"],
        systems=whole.systems[:2],
        methods=[Method("C", "contextualization", [("context", "baseline"), ("bpe", "absent")])],
        vocabulary_size=6,
    )


def found(
    about: Experiment, folder: Path, without: list[str] = WITHOUT, present: list[str] = PRESENT
) -> ContrastDifferences:
    texts = {
        "en-fr/test.en": SOURCE,
        "en-fr/test.fr": REFERENCE,
        "en-fr/baseline/1/test.gz": without,
        "en-fr/context/1/test.gz": present,
        "en-fr/en.tsv": COUNTS,
        "en-fr/fr.tsv": ["le\t3"],
    }
    for name, lines in texts.items():
        write_lines(folder / name, lines)
    *files, first, second = (folder / name for name in texts if not name.endswith(".gz"))
    hypotheses = [folder / name for name in texts if name.endswith(".gz")]
    (contrast,) = differences(about, [files[0]], [files[1]], hypotheses[::-1], [first], [second])
    return contrast


def kinds(words: list[Word]) -> dict[str, str]:
    return {word.text: word.kind for word in words if word.kind}


def test_the_greatest_differences_come_first(about: Experiment, tmp_path: Path) -> None:
    contrast = found(about, tmp_path)
    assert (contrast.present.id, contrast.without.id) == ("context", "baseline")
    assert (contrast.better, contrast.worse, contrast.equal) == (3, 1, 1)
    gains = [each.gain for each in contrast.gains]
    assert gains == sorted(gains, reverse=True)
    assert {each.line for each in contrast.gains} == {1, 4, 5}
    assert [each.line for each in contrast.losses] == [3]
    for each in [*contrast.gains, *contrast.losses]:
        texts = (PRESENT[each.line - 1], WITHOUT[each.line - 1])
        with_it, without_it = (
            CHRF().sentence_score(text, [REFERENCE[each.line - 1]]).score for text in texts
        )
        assert each.gain == pytest.approx(with_it - without_it)


def test_names_numbers_acronyms_and_unknown_words_are_marked(
    about: Experiment, tmp_path: Path
) -> None:
    contrast = found(about, tmp_path)
    lines = {each.line: each for each in [*contrast.gains, *contrast.losses]}
    first = lines[1]
    assert kinds(first.source) == {"Jean": "name", "Barbe": "name", "IMF": "acronym", "3": "number"}
    assert kinds(first.reference) == {
        **{"Jean": "name", "Barbe": "name"},
        **{"FMI": "acronym", "3": "number"},
    }
    assert kinds(first.present) == {"Jean": "name", "Barbe": "name", "FMI": "acronym"}
    assert "3" not in [word.text for word in first.present]  # which got lost
    assert [word.text for word in first.without if word.unknown] == ["UNK", "UNK"]
    assert [word.text for word in first.source if word.unknown] == [
        *("Jean", "Barbe", "IMF", "saw", "3", "cats")
    ]
    assert kinds(lines[5].source) == kinds(lines[5].source[:1]) == {"2.5Kg": "number"}
    assert kinds(lines[5].present) == {"2,5Kg": "number"}
    for each in lines.values():
        texts = (each.source, each.reference, each.without, each.present)
        for words, text in zip(texts, (SOURCE, REFERENCE, WITHOUT, PRESENT), strict=True):
            assert " ".join(word.text for word in words) == text[each.line - 1]


def test_unknown_words_are_written_as_translate_does() -> None:
    assert saved.UNKNOWN == UNKNOWN


def test_equal_translations_have_no_differences(about: Experiment, tmp_path: Path) -> None:
    contrast = found(about, tmp_path, PRESENT, PRESENT)
    assert (contrast.better, contrast.worse, contrast.equal) == (0, 0, 5)
    assert contrast.gains == contrast.losses == []


def test_lengths_must_be_equal(about: Experiment, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"context/1/test\.gz ends before line 5"):
        found(about, tmp_path, present=PRESENT[:4])
