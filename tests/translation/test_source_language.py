"""Whether a text is in the language that is translated from, as far as two vocabularies tell."""

import pytest

from contextnmt.text.vocabulary import Vocabulary
from contextnmt.translation.source_language import SourceLanguage

SOURCE = Vocabulary(["the", "house", "is", "here", "and", ".", "le", "Anna"])
TARGET = Vocabulary(["la", "maison", "est", "ici", "et", ".", "the", "Anna"])


def told(capsys, *texts):
    """What is told of a text that comes in several parts."""
    language = SourceLanguage(SOURCE, TARGET, "en", "fr")
    for text in texts:
        language.read([line.split() for line in text.split("\n")], "standard input")
    shown = capsys.readouterr().err
    assert language.told == bool(shown)
    return shown


def test_a_text_in_the_target_language_is_told_of_once(capsys):
    line = "la maison est ici ."
    assert told(capsys, "\n".join([line] * 4), line, line) == (
        "warning: standard input: 80% of the words are fr and not en, for all that the model "
        "knows, and 0% the other way round: it translates en to fr: is this the right text?\n"
    )


def test_it_takes_enough_words_in_however_many_parts(capsys):
    line = "la maison est ici ."
    assert told(capsys, *[line] * 3) == ""
    assert told(capsys, *[line] * 4) != ""


@pytest.mark.parametrize(
    "line",
    [
        "the house is here .",
        "ein Haus steht da .",  # unknown in both: that is told elsewhere
        "the house is la maison",
        "Anna . Anna . la",  # of both languages but for one word
        "",
    ],
)
def test_no_word_of_other_texts(capsys, line):
    assert told(capsys, *[line] * 20) == ""
