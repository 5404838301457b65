"""The lexicon of a training text, its probabilities held against a slow, obvious estimation."""

import math
import random
from collections import defaultdict
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.files import read_lines, write_lines
from contextnmt.text import lexicon as module
from contextnmt.text.lexicon import lexicon, likeliest, read_lexicon, sampled


def write(folder: Path, name: str, *pairs: tuple[str, str]) -> tuple[Path, Path]:
    """Both sides of a text."""
    paths = folder / f"{name}.en.gz", folder / f"{name}.fr.gz"
    for path, side in zip(paths, zip(*pairs, strict=True), strict=True):
        write_lines(path, side)
    return paths


PAIRS = [
    ("the house", "la maison"),
    ("the blue house", "la maison bleue"),
    ("the flower", "la fleur"),
    ("", "rien"),
    ("blue", "bleue"),
]


def test_a_row_has_word_translation_probability_and_count(tmp_path: Path) -> None:
    source, target = write(tmp_path, "train", *PAIRS)
    out = tmp_path / "lexicon.tsv.gz"
    lexicon([source], [target], out)
    rows = [line.split("\t") for line in read_lines(out)]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("the", "la", "3"),
        ("blue", "bleue", "2"),
        ("house", "maison", "2"),
        ("flower", "fleur", "1"),
    ]
    assert all(0.5 < float(row[2]) <= 1 and len(row[2]) == 6 for row in rows)
    assert read_lexicon(out) == {row[0]: row[1] for row in rows}


def test_the_parts_of_a_text_make_no_difference(tmp_path: Path) -> None:
    whole = write(tmp_path, "train", *PAIRS)
    parts = [write(tmp_path, "1of2", *PAIRS[:2]), write(tmp_path, "2of2", *PAIRS[2:])]
    outs = [tmp_path / "whole.tsv.gz", tmp_path / "parts.tsv.gz"]
    lexicon([whole[0]], [whole[1]], outs[0], pairs=3)
    lexicon([part[0] for part in parts], [part[1] for part in parts], outs[1], pairs=3)
    assert outs[0].read_bytes() == outs[1].read_bytes()


@pytest.mark.parametrize(("most", "taken"), [(3, [3, 6, 9]), (10, range(10)), (99, range(10))])
def test_pairs_are_evenly_spread(tmp_path: Path, most: int, taken: list[int]) -> None:
    source, target = write(tmp_path, "train", *((f"s{n}", f"t{n}") for n in range(10)))
    assert list(sampled([source], [target], most)) == [([f"s{n}"], [f"t{n}"]) for n in taken]


def test_long_sentences_are_left_out(tmp_path: Path) -> None:
    source, target = write(tmp_path, "train", ("a " * 101, "b"), ("c", "d " * 101), ("e", "f"))
    assert list(sampled([source], [target], 9)) == [(["e"], ["f"])]


def test_a_text_without_words_has_an_empty_lexicon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = write(tmp_path, "train", ("", "rien"), ("nothing", ""))
    lexicon([source], [target], tmp_path / "lexicon.tsv")
    assert read_lexicon(tmp_path / "lexicon.tsv") == {}
    assert "no sentence pair has words on both sides" in capsys.readouterr().err


def test_texts_without_a_pair_of_sides_are_refused(tmp_path: Path) -> None:
    source, _ = write(tmp_path, "train", *PAIRS)
    with pytest.raises(UserError, match="1 --source, 0 --target"):
        lexicon([source], [], tmp_path / "lexicon.tsv")


@pytest.mark.parametrize("line", ["house\tmaison", "\tmaison\t0.5\t2", "house\t\t0.5\t2"])
def test_what_is_no_lexicon_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    write_lines(tmp_path / "lexicon.tsv", ["the\tla\t0.5\t3", line])
    with pytest.raises(UserError, match=r"lexicon.tsv, line 2: expected a source word"):
        read_lexicon(tmp_path / "lexicon.tsv")


Pairs = list[tuple[list[str], list[str]]]


def estimated(pairs: Pairs) -> dict[str, dict[str, float]]:
    """t(target | source) of fast_align's model after five iterations, word by word."""
    table: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(lambda: 1.0))
    for _ in range(5):
        counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for source, target in pairs:
            for j, word in enumerate(target, start=1):
                near = [
                    math.exp(-4 * abs(i / len(source) - j / len(target)))
                    for i in range(1, len(source) + 1)
                ]
                weights = [0.08 * table[""][word]] + [
                    0.92 * share / sum(near) * table[other][word]
                    for share, other in zip(near, source, strict=True)
                ]
                for weight, other in zip(weights, ["", *source], strict=True):
                    counts[other][word] += weight / sum(weights)
        table = defaultdict(
            dict,
            {
                source: {word: n / sum(row.values()) for word, n in row.items()}
                for source, row in counts.items()
            },
        )
    return table


def made_up(seed: int, count: int = 60) -> Pairs:
    """Sentence pairs of random words, of which the target's are those of the source or others."""
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(25)]
    pairs = []
    for _ in range(count):
        source = chance.choices(words, range(25, 0, -1), k=chance.randint(1, 9))
        target = [w.upper() if chance.random() < 0.8 else "DE" for w in source]
        chance.shuffle(target)
        pairs.append((source, [*target, *["LE"] * chance.randint(0, 2)]))
    return pairs


@pytest.mark.parametrize(("seed", "block"), [(0, module.BLOCK), (1, module.BLOCK), (2, 1)])
def test_the_probabilities_are_those_of_the_model(
    seed: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    pairs = made_up(seed)
    table = estimated(pairs)
    found = list(likeliest(pairs))
    assert {word for word, *_ in found} == set(table) - {""}
    for word, other, probability, frequency in found:
        likely = table[word]
        assert probability == pytest.approx(max(likely.values()), rel=1e-4)
        assert likely[other] == pytest.approx(probability, rel=1e-4)
        assert frequency == sum(source.count(word) for source, _ in pairs)


def test_words_come_by_count_then_by_word_and_of_equal_translations_the_first() -> None:
    pairs = [(["b"], ["B"]), (["a"], ["A"]), (["c"], ["Z"]), (["c"], ["C"])]
    assert list(likeliest(pairs)) == [("c", "Z", 0.5, 2), ("a", "A", 1, 1), ("b", "B", 1, 1)]
