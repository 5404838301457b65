import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.corpus.clean import SETTINGS, clean
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.files import read_json, read_pairs, write_pairs

Pairs = list[tuple[str, str]]

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
    pairs = [*GOOD, good, bad]
    if name == "max_length":
        pairs = [good, bad]
    assert run(tmp_path, pairs, **{name: value}) == (
        pairs[:-1],
        {
            "read": len(pairs),
            "kept": len(pairs) - 1,
            "removed": {
                name: {
                    "count": 1,
                    "examples": [{"line": len(pairs), "source": bad[0], "target": bad[1]}],
                }
            },
        },
    )
    assert run(tmp_path, pairs) == (
        pairs,
        {"read": len(pairs), "kept": len(pairs), "removed": {}},
    )


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


def test_a_pair_counts_for_the_first_filter_that_drops_it(tmp_path: Path) -> None:
    pairs = [*GOOD, ("", ""), ("", ""), ("x y z", "x y z"), ("x y z", "x y z")]
    kept, report = run(
        tmp_path, pairs, drop_duplicates=True, drop_identical=True, max_length=7, drop_empty=True
    )
    assert kept == GOOD
    counts = {name: removed["count"] for name, removed in report["removed"].items()}
    assert counts == {"drop_empty": 2, "max_length": 0, "drop_identical": 2, "drop_duplicates": 0}


def test_ten_examples_are_shown(tmp_path: Path) -> None:
    _, report = run(tmp_path, [*GOOD, *[("a", "")] * 25], drop_empty=True)
    removed = report["removed"]["drop_empty"]
    assert removed["count"] == 25
    assert [example["line"] for example in removed["examples"]] == list(range(6, 16))


@pytest.mark.parametrize("off", [None, False])
def test_null_and_false_leave_a_filter_off(tmp_path: Path, off: bool | None) -> None:
    pairs = [("", ""), ("", ""), ("\ufffd", "a " * 200)]
    kept, report = run(tmp_path, pairs, **dict.fromkeys(SETTINGS, off))
    assert (kept, report["removed"]) == (pairs, {})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("{", "not a JSON object"),
        ("3", "not a JSON object"),
        ('{"max_lenght": 50}', "no filter 'max_lenght': choose from drop_empty"),
        ('{"max_length": true}', "max_length is True: give a whole number from 1"),
        ('{"max_length": 2.5}', "max_length is 2.5"),
        ('{"max_length": 0}', "max_length is 0"),
        ('{"max_ratio": "2"}', "max_ratio is '2': give a number from 1"),
        ('{"drop_empty": 1}', "drop_empty is 1: give true, false or null"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, settings: str, message: str) -> None:
    outs = [tmp_path / name for name in ("in.en", "in.fr", "out.en", "out.fr", "r.json")]
    with pytest.raises(UserError, match=message):
        clean(*outs, settings=settings)


def test_a_text_with_nothing_left_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none of 2 pairs is left \(dropped: drop_empty 2\)"):
        run(tmp_path, [("", "a"), ("b", "")], drop_empty=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.en.gz", "in.fr.gz"]


WORDS = st.lists(st.sampled_from(["a", "b", "le", "the", "12", "\u00c3"]), max_size=30)


@given(pairs=st.lists(st.tuples(WORDS, WORDS), max_size=20))
def test_nothing_is_lost_changed_or_reordered(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[str], list[str]]]
) -> None:
    text = [*GOOD, *[(" ".join(source), " ".join(target)) for source, target in pairs]]
    switches = dict.fromkeys(SETTINGS, True)
    kept, report = run(
        tmp_path_factory.mktemp("clean"), text, **{**switches, "max_length": 20, "max_ratio": 2}
    )
    removed = sum(entry["count"] for entry in report["removed"].values())
    assert report["read"] == len(text) == report["kept"] + removed
    assert len(kept) == report["kept"] == len(set(kept))
    rest = iter(text)
    assert all(pair in rest for pair in kept)
