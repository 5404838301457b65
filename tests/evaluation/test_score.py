import json
import re
from pathlib import Path

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.score import (
    detokenized_bleu,
    normalise_blanks,
    score,
    tokenized_bleu,
)
from contextnmt.files import read_lines, write_lines

REFERENCE = ["le chat est assis sur le tapis .", "il pleut aujourd' hui à Paris ."]
RAW = ["Le chat est assis sur le tapis.", "Il pleut aujourd'hui à Paris."]


def write_scores(folder: Path, hypothesis: list[str], reference: list[str], raw: list[str]) -> Path:
    for name, lines in (("hyp", hypothesis), ("ref", reference), ("raw", raw)):
        write_lines(folder / name, lines)
    out = folder / "scores.json"
    score(["test.beam12"], [folder / "hyp"], [folder / "ref"], [folder / "raw"], "fr", out)
    return out


def oracle(shared: Path) -> list[tuple[str, ...]]:
    pattern = (
        r"(\w+) BLEU = ([\d.]+), ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) "
        r"\(BP=([\d.]+), ratio=[\d.]+, hyp_len=(\d+), ref_len=(\d+)\)"
    )
    lines = read_lines(shared / "oracles/multi_bleu/expected.txt")
    return [match.groups() for line in lines if (match := re.fullmatch(pattern, line))]


def test_tokenized_bleu_equals_that_of_multi_bleu(shared: Path):
    folder = shared / "oracles/multi_bleu"
    reference = list(read_lines(folder / "ref.fr.tok"))
    expected = oracle(shared)
    assert len(expected) == 4
    for name, *numbers in expected:
        result = tokenized_bleu(list(read_lines(folder / f"{name}.fr.tok")), reference)
        printed = [
            f"{result['bleu']:.2f}",
            *(f"{precision:.1f}" for precision in result["precisions"]),
            f"{result['bp']:.3f}",
            str(result["hypothesis_length"]),
            str(result["reference_length"]),
        ]
        assert printed == numbers


def test_a_perfect_translation_has_bleu_100():
    assert tokenized_bleu(REFERENCE, REFERENCE)["bleu"] == pytest.approx(100)
    assert tokenized_bleu(REFERENCE, REFERENCE)["bp"] == 1


def test_without_a_common_4_gram_bleu_is_zero():
    result = tokenized_bleu(["le chat est debout"], ["le chat est assis"])
    assert result["precisions"][:3] == pytest.approx([75, 200 / 3, 50])
    assert result["bleu"] == 0


def test_sentences_too_short_for_a_4_gram_have_bleu_zero():
    assert tokenized_bleu(["le chat"], ["le chat"])["bleu"] == 0


def test_an_empty_translation_has_bleu_zero(tmp_path: Path):
    result = json.loads(write_scores(tmp_path, ["", ""], REFERENCE, RAW).read_text())
    assert result["test.beam12"]["bleu"] == result["test.beam12"]["bleu_detokenized"] == 0
    assert result["test.beam12"]["bp"] == 0
    assert result["test.beam12"]["hypothesis_length"] == 0


def test_case_counts():
    assert tokenized_bleu([REFERENCE[0].upper()], [REFERENCE[0]])["bleu"] == 0


@pytest.mark.parametrize(
    "blank", ["\u00a0", "\u2009", "\u202f", "\u2028", "\u0085", "\u3000", "\x1c"]
)
def test_other_blanks_are_parts_of_tokens_as_for_multi_bleu(blank: str):
    reference = "a b c d e"
    result = tokenized_bleu([reference.replace("d e", f"d{blank}e")], [reference])
    assert result["hypothesis_length"] == 4
    assert result["precisions"][0] == pytest.approx(75)
    assert normalise_blanks([f"d{blank}e"]) != normalise_blanks(["d_e"])


def test_runs_of_blanks_count_as_one():
    assert normalise_blanks(["a \t b\r", "\va\f b"]) == ["a b ", " a b"]


def test_detokenized_bleu_is_against_the_untouched_reference():
    hypothesis = ["Le chat est assis sur le tapis .", "Il pleut aujourd' hui à Paris ."]
    result = detokenized_bleu(hypothesis, RAW, "fr")
    assert result["bleu_detokenized"] == pytest.approx(100)
    assert "tok:13a" in result["signature_detokenized"]


def test_entities_of_the_text_are_not_unescaped():
    line = "écrivez &amp; puis &lt; dans le texte"
    assert detokenized_bleu([line], [line], "fr")["bleu_detokenized"] == pytest.approx(100)


def test_the_file_has_every_name_and_signature(tmp_path: Path):
    paths = [tmp_path / name for name in ("hyp", "ref", "raw")]
    for path, lines in zip(paths, (REFERENCE, REFERENCE, RAW), strict=True):
        write_lines(path, lines)
    doubled = [[path, path] for path in paths]
    score(["dev.beam1", "test.beam12"], *doubled, "fr", tmp_path / "scores.json")
    result = json.loads((tmp_path / "scores.json").read_text())
    assert sorted(result) == ["dev.beam1", "test.beam12"]
    assert result["dev.beam1"] == result["test.beam12"]
    assert result["dev.beam1"]["sentences"] == 2
    assert "tok:none" in result["dev.beam1"]["signature"]
    assert "smooth:none" in result["dev.beam1"]["signature"]


@pytest.mark.parametrize("short", ["reference", "raw"])
def test_different_lengths_are_reported_with_both_counts(tmp_path: Path, short: str):
    texts = {"hypothesis": REFERENCE, "reference": REFERENCE, "raw": RAW}
    texts[short] = texts[short][:1]
    with pytest.raises(UserError, match=r"has 2 lines and .* has 1"):
        write_scores(tmp_path, **texts)


def test_an_empty_reference_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="empty reference"):
        write_scores(tmp_path, [], [], [])


def test_a_translation_without_a_reference_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="2 --name, 1 --hypothesis"):
        score(["a", "b"], [Path("h")], [Path("r")], [Path("w")], "fr", tmp_path / "out")
