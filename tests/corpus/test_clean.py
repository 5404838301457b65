import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from contextnmt.configuration.values import Cleaning
from contextnmt.corpus.clean import WrongLanguage, clean, survey
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.files import read_json, read_pairs, write_lines, write_pairs

Pairs = list[tuple[str, str]]

NAMES = [field.name for field in fields(Cleaning)]

#: A small text that is as it should be; its words are those of its own side alone.
GOOD = [
    ("the dog sees a cat .", "le chien voit un chat ."),
    ("the cat sees a house .", "le chat voit une maison ."),
    ("a big house .", "une grande maison ."),
    ("the man has a big dog .", "le homme a un grand chien ."),
    ("the house is big .", "la maison est grande ."),
]


def run(folder: Path, pairs: Pairs, **settings: Any) -> tuple[Pairs, dict[str, Any]]:
    """The pairs that `clean` keeps, and its report."""
    files = [folder / name for name in ("in.en.gz", "in.fr.gz", "out.en.gz", "out.fr.gz", "r.json")]
    write_pairs(files[0], files[1], pairs)
    clean(*files, settings=json.dumps(settings))
    return list(read_pairs(files[2], files[3])), read_json(files[4])


def counts(report: dict[str, Any]) -> Counter[str]:
    """How many pairs each filter removed."""
    return Counter({name: removed["count"] for name, removed in report["removed"].items()})


@pytest.fixture(scope="module", autouse=True)
def unsynced() -> Iterator[None]:
    """Do not wait for the disk: the files here are many, small and not to be kept."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("contextnmt.files.os.fsync", lambda handle: None)
        yield


@pytest.mark.parametrize(
    ("name", "value", "bad", "good"),
    [
        ("drop_empty", True, ("", "un chat ."), ("a", "un")),
        ("drop_empty", True, ("a cat .", ""), ("a", "un")),
        ("drop_garbled", True, ("a caf\u00e9 .", "un caf\u00c3 \u00a9 ."), ("a café", "un café")),
        ("drop_garbled", True, ("it \ufffd s", "il est"), ("it ’ s", "c ’ est")),
        ("drop_garbled", True, ("a \x92 cat", "un chat"), ("SÃO PAULO", "ÂGE Âge à")),
        ("max_length", 3, ("a b c d", "a"), ("a b c", "d e f")),
        ("max_ratio", 2, ("a", "b " * 11 + "b"), ("a", "b " * 10 + "b")),
        ("max_ratio", 1.5, ("a " * 15 + "a", "b b b b"), ("a " * 14 + "a", "b b b b")),
        ("drop_identical", True, ("Paris .", "Paris ."), ("Paris .", "Paris !")),
        ("wrong_language", True, ("a big cat .", "the cat is big ."), ("a cat .", "un chat .")),
        ("wrong_language", True, ("un grand chat .", "le chat est grand ."), ("4", "4")),
        ("drop_duplicates", True, GOOD[0], (GOOD[0][0], GOOD[1][1])),
    ],
)
def test_each_filter_drops_its_kind_alone(
    tmp_path: Path, name: str, value: Any, bad: tuple[str, str], good: tuple[str, str]
) -> None:
    pairs = [good, bad] if name == "max_length" else [*GOOD, good, bad]
    example = {"line": len(pairs), "source": bad[0], "target": bad[1]}
    assert run(tmp_path, pairs, **{name: value}) == (
        pairs[:-1],
        {
            "read": len(pairs),
            "kept": len(pairs) - 1,
            "removed": {name: {"count": 1, "examples": [example]}},
        },
    )


#: Language -> a sentence, and how else its bytes may have been read.
SENTENCES = {
    "cs": ("Příliš žluťoučký kůň .", "cp1250"),
    "pl": ("Dziękuję za łódź .", "cp1250"),
    "hu": ("Árvíztűrő tükörfúrógép .", "latin-1"),
    "ru": ("Привет , мир .", "cp1251"),
    "el": ("Καλημέρα .", "latin-1"),
    "de": ("Äpfel über Straßen .", "latin-1"),
    "es": ("El niño español .", "latin-1"),
    "hi": ("नमस्ते दुनिया .", "latin-1"),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_wrongly_decoded_sentences_are_dropped_in_any_language(
    tmp_path: Path, language: str
) -> None:
    raw, other = SENTENCES[language]
    tokenizer = Tokenizer(language)
    right = [("right", tokenizer.line(raw))]
    wrong = [
        bytes([byte]).decode(encoding) if byte not in undecodable(encoding) else chr(byte)
        for encoding in ("cp1252", other)
        for byte in (f"{raw}\n").encode()
    ]
    garbled = "".join(wrong).removesuffix("\n").split("\n")
    found = [("wrong", text) for line in garbled for text in (line, tokenizer.line(line))]
    kept, _ = run(tmp_path, right + found, drop_garbled=True)
    assert kept == right


def undecodable(encoding: str) -> set[int]:
    """Bytes that an encoding leaves out."""
    return {byte for byte in range(256) if not bytes([byte]).decode(encoding, "ignore")}


def test_letters_before_marks_are_no_signs_of_damage(tmp_path: Path) -> None:
    clean = ["AMANHÃ", "NÃO .", "“ MANHÃ ”", "QUALITÉ » É …", "CAFÉ ¿ no ?", "1,5 Å ± 0,1 Å ²"]
    clean += ["KŘÍŽ , VÝŠE , ÚŽASNÉ", "РОССИЯ И СССР", "ÎN ROMÂNIA", "Ø ½ m", "été » – à « …"]
    pairs = [(f"{number}", line) for number, line in enumerate(clean)]
    kept, _ = run(tmp_path, pairs, drop_garbled=True)
    assert kept == pairs


@pytest.mark.parametrize("text", ["é è ê à ç œ Œ É À ü ö ä ß Ü", "« ’ ” – … ° €", "\u00a0"])
@pytest.mark.parametrize("wrong", ["latin-1", "cp1252"])
def test_wrongly_decoded_text_is_recognised_after_tokenization(
    tmp_path: Path, text: str, wrong: str
) -> None:
    pairs = [("right", "juste")]
    for character in text.split(" "):
        garbled = f"voi{character.encode().decode(wrong, errors='replace')} ."
        pairs.append(("see .", Tokenizer("fr").line(garbled)))
        pairs.append(("see .", Tokenizer("fr").line(f"voi{character} .")))
    kept, _ = run(tmp_path, pairs, drop_garbled=True)
    assert kept == pairs[::2]


def test_a_pair_counts_for_the_first_filter_that_drops_it_which_shows_ten(tmp_path: Path) -> None:
    pairs = [*GOOD, *[("", "")] * 25, ("x y z", "x y z"), ("x y z", "x y z")]
    kept, report = run(
        tmp_path, pairs, drop_duplicates=True, drop_identical=True, max_length=7, drop_empty=True
    )
    assert kept == GOOD
    assert counts(report) == Counter(drop_empty=25, drop_identical=2)
    examples = report["removed"]["drop_empty"]["examples"]
    assert [example["line"] for example in examples] == list(range(6, 16))


@pytest.mark.parametrize("off", [None, False])
def test_null_and_false_leave_a_filter_off(tmp_path: Path, off: bool | None) -> None:
    pairs = [("", ""), ("", ""), ("\ufffd", "a " * 200)]
    kept, report = run(tmp_path, pairs, **dict.fromkeys(NAMES, off))
    assert (kept, report["removed"]) == (pairs, {})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("{", "not JSON"),
        ("[" * 10**5, "not JSON"),
        ('{"max_lenght": 50}', "unknown key; did you mean max_length"),
        ('{"max_length": true}', "max_length is true; allowed: a whole number of at least 1"),
        ('{"max_ratio": "2"}', 'max_ratio is "2"; allowed: a number of at least 1'),
        ('{"drop_empty": 1}', "drop_empty is 1; allowed: true or false"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, settings: str, message: str) -> None:
    outs = [tmp_path / name for name in ("in.en", "in.fr", "out.en", "out.fr", "r.json")]
    with pytest.raises(UserError, match=message):
        clean(*outs, settings=settings)


def test_a_text_with_nothing_left_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, report = run(tmp_path, [("", "a"), ("b", "")], drop_empty=True, max_length=9)
    assert (kept, report["kept"]) == ([], 0)
    message = "in.en.gz: none of 2 pairs is left (dropped: drop_empty 2, max_length 0)"
    assert message in capsys.readouterr().err
    run(tmp_path, [("a", "a"), ("b", "")], drop_empty=True)
    run(tmp_path, [], drop_empty=True)  # a part of a text of fewer lines than parts
    assert "none of" not in capsys.readouterr().err


WORDS = st.lists(st.sampled_from(["a", "b", "le", "the", "12", "\u00c3"]), max_size=30)
TEXTS = st.lists(st.tuples(WORDS, WORDS), max_size=20).map(
    lambda pairs: [(" ".join(source), " ".join(target)) for source, target in pairs]
)
ALL_FILTERS = {**dict.fromkeys(NAMES, True), "max_length": 20, "max_ratio": 2}


@few(max_examples=40, deadline=None)
@given(pairs=TEXTS)
def test_nothing_is_lost_changed_or_reordered(
    tmp_path_factory: pytest.TempPathFactory, pairs: Pairs
) -> None:
    folder, text = tmp_path_factory.mktemp("clean"), [*GOOD, *pairs]
    kept, report = run(folder, text, **ALL_FILTERS)
    assert report["read"] == len(text) == report["kept"] + counts(report).total()
    assert len(kept) == report["kept"] == len(set(kept))
    rest = iter(text)
    assert all(pair in rest for pair in kept)
    assert run(folder, text, drop_duplicates=True)[0] == list(dict.fromkeys(text))


def test_a_part_is_judged_by_the_whole_text(tmp_path: Path) -> None:
    """By the words of all parts, and by the pairs of those before it."""
    new = ("the big dog .", "le grand chien .")
    parts = [GOOD, [*GOOD[:2], new, new, ("a big cat .", "the cat is big .")], [new]]
    surveys = []
    for number, pairs in enumerate(parts):
        text = tmp_path / f"{number}.en", tmp_path / f"{number}.fr"
        write_pairs(*text, pairs)
        surveys.append([tmp_path / f"{number}.{name}" for name in ("en.tsv", "fr.tsv", "npy")])
        survey(*text, *surveys[number])
    source_counts, target_counts, fingerprints = map(list, zip(*surveys, strict=True))
    outs = [tmp_path / name for name in ("out.en", "out.fr", "r.json")]
    settings = '{"wrong_language": true, "drop_duplicates": true}'
    tables = source_counts, target_counts, fingerprints[:2]
    clean(tmp_path / "1.en", tmp_path / "1.fr", *outs, settings, *tables)
    assert list(read_pairs(*outs[:2])) == [new]
    assert counts(read_json(outs[2])) == {"wrong_language": 1, "drop_duplicates": 3}


def jean(pairs: Pairs) -> Pairs:
    """Pairs that the filter of Jean et al. 2015 keeps (A12), step by step as it was published."""
    tables = [Counter(word for pair in pairs for word in pair[side].split()) for side in (0, 1)]

    def mean(words: list[str], side: int) -> float:
        return sum(log2(min(tables[side][word], 1000) + 1) for word in words) / len(words)

    kept = []
    for pair in pairs:
        f, g = pair[0].split(), pair[1].split()
        if len(f) == 0 or len(g) == 0:
            continue
        if len(f) >= 2 * len(g) + 10 or len(g) >= 2 * len(f) + 10:
            continue
        # "higher" is by more than floats err: of equal values, either may come out higher.
        if mean(g, 0) > mean(g, 1) + 1 / len(g) + 1e-12:
            continue
        if mean(f, 1) > mean(f, 0) + 1 / len(f) + 1e-12:
            continue
        kept.append(pair)
    return kept


JEAN = {"drop_empty": True, "max_ratio": 2, "wrong_language": True}

#: Sides of up to 15 words of two languages, some in both, and one word more often than is counted.
MIXED = st.lists(st.sampled_from(["a", "b", "c", "der", "das", "the", ".", "7"]), max_size=15)
SIDES = st.one_of(MIXED, MIXED, MIXED, st.sampled_from([["the"] * 1001, ["der"] * 990]))


@few(max_examples=40, deadline=None)
@given(pairs=st.lists(st.tuples(SIDES, SIDES), max_size=25))
def test_the_filter_of_jean_on_any_text(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[str], list[str]]]
) -> None:
    text = [(" ".join(source), " ".join(target)) for source, target in pairs]
    assert run(tmp_path_factory.mktemp("jean"), text, **JEAN)[0] == jean(text)


@pytest.mark.parametrize(
    ("source", "target", "words", "foreign"),
    [
        # log2(1) + log2(792) is log2(2) + log2(198) + 1, whatever floats say.
        ({"parent": 791}, {"proche": 1, "parent": 197}, ["proche", "parent"], False),
        ({"parent": 792}, {"proche": 1, "parent": 197}, ["proche", "parent"], True),
        # A count above 1000 is as good as 1000: 1001 is less than twice 500 + 1.
        ({"the": 9999}, {"the": 499}, ["the"], True),
        ({"the": 9999}, {"the": 500}, ["the"], False),
    ],
)
def test_a_side_is_foreign_if_it_is_likelier_by_more_than_one_bit(
    source: dict[str, int], target: dict[str, int], words: list[str], foreign: bool
) -> None:
    assert WrongLanguage(Counter(source), Counter(target))([], words) == foreign


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"source_counts": ["en.tsv"]}, "give both --source-counts and --target-counts"),
        ({"source_counts": ["fr.tsv"], "target_counts": ["fr.tsv"]}, "'the' is not in the word"),
        ({"source_counts": ["en.tsv", "bad.tsv"], "target_counts": ["fr.tsv"]}, "bad.tsv, line 2"),
        ({"fingerprints": ["npy", "few.npy"]}, "in.en: has 5 pairs and 4 fingerprints"),
        ({"fingerprints": ["en.tsv", "npy"]}, "en.tsv: not a file of fingerprints"),
        ({"fingerprints": ["floats.npy", "npy"]}, "floats.npy: not a file of fingerprints"),
        ({"fingerprints": ["pickled.npy", "npy"]}, "pickled.npy: not a file of fingerprints"),
    ],
)
def test_a_survey_of_another_text_is_refused(
    tmp_path: Path, tables: dict[str, list[str]], message: str
) -> None:
    def files(*names: str) -> list[Path]:
        return [tmp_path / name for name in names]

    write_pairs(*files("in.en", "in.fr"), GOOD)
    survey(*files("in.en", "in.fr", "en.tsv", "fr.tsv", "npy"))
    write_lines(tmp_path / "bad.tsv", ["the\t4", "cat 3"])
    arrays = {"few": np.arange(4, dtype=np.uint64), "floats": np.zeros(3), "pickled": [None]}
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    with pytest.raises(UserError, match=message):
        clean(
            *files("in.en", "in.fr", "out.en", "out.fr", "r.json"),
            settings='{"wrong_language": true, "drop_duplicates": true}',
            **{option: files(*names) for option, names in tables.items()},
        )
    assert not any(path.exists() for path in files("out.en", "out.fr", "r.json"))
