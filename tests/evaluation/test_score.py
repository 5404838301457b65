import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.bleu_statistics import NO_WORD
from contextnmt.evaluation.score import (
    NO_LINE,
    NO_REFERENCE,
    NO_WORD_OF_SUBSET,
    detokenized_scores,
    normalise_blanks,
    score,
    tokenized_bleu,
)
from contextnmt.files import read_lines, write_json, write_lines

REFERENCE = ["le chat est assis sur le tapis .", "il pleut aujourd' hui à Paris ."]
RAW = ["Le chat est assis sur le tapis.", "Il pleut aujourd'hui à Paris."]


def write_scores(folder: Path, hypothesis: list[str], reference: list[str], raw: list[str]) -> Path:
    for name, lines in (("hyp", hypothesis), ("ref", reference), ("raw", raw)):
        write_lines(folder / name, lines)
    out = folder / "scores.json"
    score(["test.beam12"], [folder / "hyp"], [folder / "ref"], [folder / "raw"], "fr", out)
    return out


def as_multi_bleu_prints(result: dict[str, Any]) -> str:
    """The line of multi-bleu.perl, in its form."""
    precisions = "/".join(f"{precision:.1f}" for precision in result["precisions"])
    return (
        f"BLEU = {result['bleu']:.2f}, {precisions} (BP={result['bp']:.3f}, "
        f"ratio={result['ratio']:.3f}, hyp_len={result['hypothesis_length']}, "
        f"ref_len={result['reference_length']})"
    )


def test_every_printed_digit_is_that_of_multi_bleu(shared: Path):
    folder = shared / "oracles/multi_bleu"
    expected = dict(line.split(" ", 1) for line in read_lines(folder / "expected.txt"))
    hypotheses = {path.name.partition(".")[0]: path for path in folder.glob("hyp_*.fr.tok")}
    assert expected.keys() == hypotheses.keys()
    assert len(expected) >= 4
    reference = list(read_lines(folder / "ref.fr.tok"))
    for name, line in expected.items():
        result = tokenized_bleu(list(read_lines(hypotheses[name])), reference)
        assert as_multi_bleu_prints(result) == line


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
    assert result["test.beam12"]["bp"] == result["test.beam12"]["ratio"] == 0
    assert result["test.beam12"]["hypothesis_length"] == result["test.beam12"]["chrf"] == 0
    assert result["test.beam12"]["ter"] == 100
    assert result["test.beam12"]["notes"] == [NO_WORD]


def test_a_reference_without_words_has_bleu_zero_and_a_note(tmp_path: Path):
    result = json.loads(write_scores(tmp_path, REFERENCE, ["", ""], RAW).read_text())
    assert result["test.beam12"]["bleu"] == 0
    assert result["test.beam12"]["ratio"] is None
    assert result["test.beam12"]["notes"] == [NO_REFERENCE]


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
    result = detokenized_scores(hypothesis, RAW, "fr")
    assert result["bleu_detokenized"] == pytest.approx(100)
    assert "tok:13a" in result["signature_detokenized"]


def test_chrf_and_ter_are_of_the_detokenized_text():
    """Worked out by hand for TER: one of twelve words replaced, one left out."""
    wrong = ["Le chat est assis sur un tapis .", "Il pleut à Paris ."]
    result = detokenized_scores(wrong, RAW, "fr")
    assert result["ter"] == pytest.approx(100 * 2 / 12)
    assert 50 < result["chrf"] < 100
    perfect = detokenized_scores(REFERENCE, [line[0].lower() + line[1:] for line in RAW], "fr")
    assert (perfect["ter"], perfect["chrf"]) == (0, 100)
    assert "case:lc|tok:tercom" in result["signature_ter"]
    assert "nc:6|nw:0" in result["signature_chrf"]


def test_entities_of_the_text_are_not_unescaped():
    line = "écrivez &amp; puis &lt; dans le texte"
    assert detokenized_scores([line], [line], "fr")["bleu_detokenized"] == pytest.approx(100)


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
    assert result["dev.beam1"].keys() == {
        *("bleu", "bp", "hypothesis_length", "reference_length", "ratio", "precisions", "notes"),
        *("bleu_detokenized", "chrf", "ter", "sentences"),
        *("signature", "signature_detokenized", "signature_chrf", "signature_ter"),
    }
    assert result["dev.beam1"]["notes"] == []


@pytest.mark.parametrize("short", ["reference", "raw"])
def test_references_of_different_lengths_are_reported_with_both_counts(tmp_path: Path, short: str):
    texts = {"hypothesis": REFERENCE, "reference": REFERENCE, "raw": RAW}
    texts[short] = texts[short][:1]
    with pytest.raises(UserError, match=r"ref has [12] lines and .*raw has [12]:"):
        write_scores(tmp_path, **texts)


def score_beside_a_whole_one(
    folder: Path, content: bytes, *options: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries of a translation that is nothing but these bytes, and of one that is whole."""
    for name, lines in (("whole", REFERENCE), ("ref", REFERENCE), ("raw", RAW)):
        write_lines(folder / name, lines)
    bad = folder / "bad.gz"
    bad.write_bytes(content)
    names = ["test.beam1", "test.beam12"]
    references = ([folder / name] * 2 for name in ("ref", "raw"))
    score(names, [bad, folder / "whole"], *references, "fr", folder / "out", *options)
    found = json.loads((folder / "out").read_text())
    return found["test.beam1"], found["test.beam12"]


def packed(*lines: str) -> bytes:
    return gzip.compress("".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (packed(REFERENCE[0]), r"bad.gz has 1 lines and .*ref has 2$"),
        (packed(*REFERENCE, "de trop"), r"bad.gz has 3 lines and .*ref has 2$"),
        (packed(), r"bad.gz has 0 lines and .*ref has 2$"),
        (packed(*REFERENCE)[:-9], r"bad.gz: damaged gzip file after line \d"),
        (b"le chat\nil pleut\n", r"bad.gz: damaged gzip file after line 0"),
        (gzip.compress(b"le chat\n\xff\n"), r"bad.gz, line 2: invalid UTF-8"),
    ],
    ids=["short", "long", "empty", "cut off", "plain", "not UTF-8"],
)
def test_a_translation_that_does_not_fit_is_a_gap_and_others_are_scored(
    tmp_path: Path, content: bytes, reason: str, capsys: pytest.CaptureFixture[str]
):
    bad, whole = score_beside_a_whole_one(tmp_path, content)
    assert bad.keys() == {"gap"}
    assert re.search(reason, bad["gap"])
    assert whole["bleu"] == pytest.approx(100)
    assert f"warning: no scores of test.beam1: {bad['gap']}\n" == capsys.readouterr().err


def test_a_subset_of_a_translation_that_does_not_fit_is_the_same_gap(tmp_path: Path):
    write_json(tmp_path / "known.json", {"sentences": 2, "lines": [2]})
    subset = [f"test.beam1={tmp_path / 'known.json'}"]
    bad, _ = score_beside_a_whole_one(tmp_path, packed(REFERENCE[0]), [], subset)
    assert bad.keys() == {"gap"}


def test_a_missing_translation_is_a_mistake_of_the_call(tmp_path: Path):
    for name, lines in (("ref", REFERENCE), ("raw", RAW)):
        write_lines(tmp_path / name, lines)
    paths = [[tmp_path / name] for name in ("no", "ref", "raw")]
    with pytest.raises(UserError, match="no: no such file"):
        score(["test.beam1"], *paths, "fr", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_reference_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="empty reference"):
        write_scores(tmp_path, [], [], [])


def test_another_number_of_lines_than_the_text_has_is_refused(tmp_path: Path):
    for name, lines in (("hyp", REFERENCE), ("ref", REFERENCE), ("raw", RAW)):
        write_lines(tmp_path / name, lines)
    paths = [[tmp_path / name] for name in ("hyp", "ref", "raw")]
    score(["news.beam1"], *paths, "fr", tmp_path / "out", ["news=2", "other=5"])
    with pytest.raises(UserError, match="ref has 2 lines, and news has 3003"):
        score(["news.beam1"], *paths, "fr", tmp_path / "out", ["news=3003"])


@pytest.mark.parametrize("wrong", ["3003", "test=many", "=1"])
def test_numbers_of_lines_are_stated_by_text(tmp_path: Path, wrong: str):
    with pytest.raises(UserError, match=f"--lines {wrong}: write TEXT=NUMBER"):
        score(["test.beam1"], *[[tmp_path / "no"]] * 3, "fr", tmp_path / "out", [wrong])


def test_a_translation_without_a_reference_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="2 --name, 1 --hypothesis"):
        score(["a", "b"], [Path("h")], [Path("r")], [Path("w")], "fr", tmp_path / "out")


def score_subset(folder: Path, hypothesis: list[str], lines: list[int]) -> dict[str, Any]:
    """The scores of a translation as a whole, and under another name of some lines alone."""
    for name, text in (("hyp", hypothesis), ("ref", REFERENCE), ("raw", RAW)):
        write_lines(folder / name, text)
    write_json(folder / "known.json", {"sentences": len(REFERENCE), "lines": lines})
    names, out = ["test.beam12", "test.beam12.no-unknown"], folder / "scores.json"
    files = ([folder / name] * 2 for name in ("hyp", "ref", "raw"))
    subset = [f"{names[1]}={folder / 'known.json'}"]
    score(names, *files, "fr", out, ["test=2"], subset)
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def test_a_subset_is_scored_as_its_lines_alone(tmp_path: Path):
    hypothesis = ["le chat est là", "il pleut aujourd' hui à Rome ."]
    whole, part = score_subset(tmp_path, hypothesis, [2]).values()
    alone = tokenized_bleu(hypothesis[1:], REFERENCE[1:])
    assert {key: part[key] for key in alone} == alone
    assert part["bleu"] != pytest.approx(whole["bleu"])
    plain = detokenized_scores(hypothesis[1:], RAW[1:], "fr", ["bleu_detokenized"])
    assert {key: part[key] for key in plain} == plain
    assert (part["sentences"], part["of"]) == (1, 2)
    assert whole["sentences"] == 2 and "of" not in whole


def test_a_subset_of_all_lines_has_the_scores_of_all(tmp_path: Path):
    whole, part = score_subset(tmp_path, [REFERENCE[0], "il pleut ."], [1, 2]).values()
    others = {"chrf", "ter", "signature_chrf", "signature_ter"}
    assert part == {key: whole[key] for key in whole.keys() - others} | {"of": 2}


@pytest.mark.parametrize("variant", ["no-unknown", "normalised", "replaced"])
def test_variants_get_bleu_alone(tmp_path: Path, variant: str):
    files = [[tmp_path / name] for name in ("hyp", "ref", "raw")]
    for [path], lines in zip(files, (REFERENCE, REFERENCE, RAW), strict=True):
        write_lines(path, lines)
    score([f"test.beam12.{variant}"], *files, "fr", tmp_path / "out")
    [entry] = json.loads((tmp_path / "out").read_text()).values()
    assert entry["bleu"] == pytest.approx(100)
    assert {"bleu_detokenized", "signature_detokenized"} <= entry.keys()
    assert not {"chrf", "ter", "signature_chrf", "signature_ter"} & entry.keys()


@pytest.mark.parametrize(
    ("hypothesis", "lines", "reason"),
    [(REFERENCE, [], NO_LINE), (["", REFERENCE[1]], [1], NO_WORD_OF_SUBSET)],
)
def test_a_subset_without_words_is_a_gap(
    tmp_path: Path, hypothesis: list[str], lines: list[int], reason: str
):
    whole, part = score_subset(tmp_path, hypothesis, lines).values()
    assert part == {"gap": reason, "sentences": len(lines), "of": 2}
    assert whole["bleu"] > 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("test.beam12", "--subset test.beam12: write NAME=FILE"),
        ("dev.beam12=known.json", "no --name dev.beam12: name a translation"),
    ],
)
def test_a_subset_names_its_translation(tmp_path: Path, option: str, message: str):
    with pytest.raises(UserError, match=message):
        score(["test.beam12"], *[[tmp_path / "no"]] * 3, "fr", tmp_path / "out", [], [option])
