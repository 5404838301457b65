"""Raw text of tokenized lines, held against what was tokenized."""

import pytest

from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.text.detokenize import detokenizer, join_marks
from contextnmt.text.numbers import FORMATS

#: Language -> a sentence as it is written, with apostrophes; that of all others is a name.
SENTENCES = {
    "ca": "L'home d'Espanya no s'ha n'anat: dona'm l'aigua.",
    "cs": "V roce 1995 a 1996 vedl O'Neill 5.",
    "de": "Das ist's, was Hans' Auto und O'Brien brauchen.",
    "el": "Απ' όλα σ' αγαπώ μ' αυτό.",
    "en": "They're at John's, not in the Joneses' house, at 5 o'clock since the '90s, aren't they?",
    "et": "O'Brien'i maja.",
    "fi": "Vaa'an ruo'ot raa'assa maassa.",
    "fr": "Qu'est-ce que l'ami d'Anne n'a pas lu aujourd'hui, jusqu'ici ?",
    "ga": "D'fhág sé b'fhéidir m'athair.",
    "it": "L'acqua dell'isola è un po' fredda, dall'8 a oggi.",
    "nl": "'s Avonds zie ik foto's van auto's en zo'n ding in 't huis.",
    "pl": "Joyce'a Kennedy'ego.",
    "pt": "Copo d'água, mãe d'água.",
    "sv": "Lars' bil är O'Briens.",
    "tdt": "La'o ba ne'e, ha'u di'ak.",
}


@pytest.mark.parametrize("apostrophe", ["'", "’"])
@pytest.mark.parametrize("language", sorted({*FORMATS} - {"zh"}))  # whose tokenizer takes long
def test_apostrophes_stand_where_the_author_wrote_them(language: str, apostrophe: str) -> None:
    raw = SENTENCES.get(language, "O'Brien L'Oréal.").replace("'", apostrophe)
    assert detokenizer(language)(Tokenizer(language, segmented=True).line(raw)) == raw


@pytest.mark.parametrize(
    ("language", "raw"),
    [
        ("en", "He said ‘it’s fine’, and ‘the boys’ house’."),
        ("en", "Select 'New York', or '%' in 'C'."),
        ("en", "The Joneses' and the Smiths' houses."),
        ("fr", "Comme en 'C' ou l'autre 'mot' d'ici."),
        ("de", "Die Option 'an' heißt ‚fast an‘."),
        ("fr", "D’ici jusqu’à l’an 2000, qu’il dit ; dans les années ’90."),
        ("it", "Negli anni '60, dall'8 all'11, c'era 'Roma'."),
        ("fi", "Hän sanoi ’hyvää päivää’ ja lähti."),
    ],
)
def test_single_quotation_marks_stand_at_what_they_quote(language: str, raw: str) -> None:
    assert detokenizer(language)(Tokenizer(language).line(raw)) == raw


def test_czech_translations_of_any_kind_have_a_raw_text() -> None:
    raw = detokenizer("cs")
    assert raw("je' - li to 1990 , 5 .") == "je' - li to 1990, 5."
    assert raw("") == ""


def test_chinese_has_no_blanks_around_apostrophes() -> None:
    assert detokenizer("zh")("他 叫 O ’ Brien 。") == "他叫O’Brien。"


def test_a_line_of_nothing_but_marks_takes_no_longer_than_another() -> None:
    for mark in ("‘", "'"):
        assert "".join(join_marks([mark, "a"] * 100_000, "de")).count("a") == 100_000
