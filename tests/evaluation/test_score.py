import gzip
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from contextnmt.errors import UserError
from contextnmt.evaluation.bleu_statistics import NO_WORD, corpus_bleu, sentence_counts
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

#: Scores of detokenized text beside BLEU.
OTHERS = {"chrf", "ter", "signature_chrf", "signature_ter"}


def packed(*lines: str) -> bytes:
    return gzip.compress("".join(f"{line}\n" for line in lines).encode())


def scored(
    folder: Path,
    translations: Mapping[str, Sequence[str] | bytes],
    *options: list[str],
    reference: list[str] = REFERENCE,
    raw: list[str] = RAW,
    **further: list[str],
) -> list[dict[str, Any]]:
    """The scores of translations, given by name as their lines or as the bytes of a file."""
    paths = [folder / f"{name}.gz" for name in translations]
    for path, content in zip(paths, translations.values(), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else packed(*content))
    for name, lines in (("ref", reference), ("raw", raw)):
        write_lines(folder / name, lines)
    references = ([folder / name] * len(paths) for name in ("ref", "raw"))
    score([*translations], paths, *references, "fr", folder / "out.json", *options, **further)
    found = json.loads((folder / "out.json").read_text())
    assert found.keys() == translations.keys()
    return [found[name] for name in translations]


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


#: Hypothesis, its references, and what multi-bleu.perl prints of them.
SEVERAL = [
    (
        "hyp_a",
        ["hyp_b", "hyp_c", "hyp_d"],
        "BLEU = 51.11, 87.0/61.7/42.9/29.6 (BP=1.000, ratio=1.092, hyp_len=11439, ref_len=10478)",
    ),
    (
        "hyp_b",
        ["ref", "hyp_a", "hyp_c"],
        "BLEU = 56.42, 88.2/65.3/49.5/37.6 (BP=0.986, ratio=0.986, hyp_len=10425, ref_len=10568)",
    ),
]


@pytest.mark.parametrize(("hypothesis", "references", "line"), SEVERAL)
def test_of_several_references_too(shared: Path, hypothesis: str, references: list[str], line: str):
    files = (shared / f"oracles/multi_bleu/{name}.fr.tok" for name in (hypothesis, *references))
    texts = [list(read_lines(path)) for path in files]
    result = tokenized_bleu(*texts)
    assert as_multi_bleu_prints(result) == line
    assert "nrefs:3|" in result["signature"]
    counts = sentence_counts(*texts).sum(axis=0)
    assert corpus_bleu(counts) == pytest.approx(result["bleu"])


@pytest.mark.parametrize(
    ("hypothesis", "reference", "bleu", "precisions"),
    [
        (REFERENCE, REFERENCE, 100, [100] * 4),
        (["le chat est debout"], ["le chat est assis"], 0, [75, 200 / 3, 50, 0]),
        (["le chat"], ["le chat"], 0, [100, 100, 0, 0]),  # too short for a 4-gram
        (["LE CHAT EST ASSIS"], ["le chat est assis"], 0, [0] * 4),
    ],
)
def test_bleu_is_zero_without_a_common_4_gram(
    hypothesis: list[str], reference: list[str], bleu: float, precisions: list[float]
):
    result = tokenized_bleu(hypothesis, reference)
    assert (result["bleu"], result["bp"]) == (pytest.approx(bleu), 1)
    assert result["precisions"] == pytest.approx(precisions)


def test_an_empty_translation_has_bleu_zero_and_a_note(tmp_path: Path):
    (found,) = scored(tmp_path, {"test.beam12": ["", ""]})
    for key in ("bleu", "bleu_detokenized", "bp", "ratio", "hypothesis_length", "chrf"):
        assert found[key] == 0
    assert (found["ter"], found["notes"]) == (100, [NO_WORD])


def test_a_text_may_have_further_references(tmp_path: Path):
    """Worked out by hand: no n-gram of the second sentence is right by the first reference alone,
    and all are by the other one, which is nearer in length too."""
    hypothesis, other = (
        [REFERENCE[0], "il fait très beau à Paris ."],
        ["x", "il fait très beau à Paris ."],
    )
    write_lines(tmp_path / "other", other)
    named = [f"test={tmp_path / 'other'}"]
    texts = {
        "dev.beam1": hypothesis,
        "test.beam12": hypothesis,
        "test.beam1.normalised": hypothesis,
    }
    more: dict[str, Any] = {"further_reference": named, "further_raw_reference": named}
    one, several, variant = scored(tmp_path, texts, **more)
    assert one["bleu"] < 70
    assert (one["signature"].count("nrefs:1|"), several["signature"].count("nrefs:2|")) == (1, 1)
    assert several["bleu"] == variant["bleu"] == pytest.approx(100)
    assert several["chrf"] > one["chrf"]
    assert several["ter"] < one["ter"]
    assert all("nrefs:2|" in several[f"signature_{key}"] for key in ("detokenized", "chrf", "ter"))

    write_lines(tmp_path / "other", [*other, ""])
    with pytest.raises(UserError, match="other has 3 lines, and test has 2"):
        scored(tmp_path, texts, **more)
    with pytest.raises(UserError, match="give both for each reference"):
        scored(tmp_path, texts, further_reference=named)
    with pytest.raises(UserError, match="no --name tset"):
        scored(tmp_path, texts, **{key: [f"tset={tmp_path}"] for key in more})


def test_a_reference_without_words_has_bleu_zero_and_a_note(tmp_path: Path):
    (found,) = scored(tmp_path, {"test.beam12": REFERENCE}, reference=["", ""])
    assert (found["bleu"], found["ratio"], found["notes"]) == (0, None, [NO_REFERENCE])


@pytest.mark.parametrize("blank", ["\u00a0", "\u2028", "\u0085", "\x1c"])
def test_other_blanks_are_parts_of_tokens_as_for_multi_bleu(blank: str):
    reference = "a b c d e"
    result = tokenized_bleu([reference.replace("d e", f"d{blank}e")], [reference])
    assert result["hypothesis_length"] == 4
    assert result["precisions"][0] == pytest.approx(75)
    assert normalise_blanks([f"d{blank}e"]) != normalise_blanks(["d_e"])


def test_chrf_and_ter_are_of_the_detokenized_text():
    """Worked out by hand for TER: one of twelve words replaced, one left out."""
    wrong = ["Le chat est assis sur un tapis .", "Il pleut à Paris ."]
    result = detokenized_scores(wrong, [RAW], "fr")
    assert result["ter"] == pytest.approx(100 * 2 / 12)
    assert 50 < result["chrf"] < 100
    perfect = detokenized_scores(REFERENCE, [[line[0].lower() + line[1:] for line in RAW]], "fr")
    assert (perfect["ter"], perfect["chrf"]) == (0, 100)
    assert perfect["bleu_detokenized"] == pytest.approx(100)
    line = "écrivez &amp; puis &lt; dans le texte"  # no entities
    assert detokenized_scores([line], [[line]], "fr")["bleu_detokenized"] == pytest.approx(100)


def test_chinese_is_scored_by_characters():
    """Worked out by hand: of seven characters one is wrong, and no blank counts."""
    found = detokenized_scores(["我们 去 看书 吧 。"], [["我们去看 戏吧。"]], "zh")
    assert "tok:zh" in found["signature_detokenized"]
    assert "norm:yes" in found["signature_ter"]
    precisions = [6 / 7, 4 / 6, 2 / 5, 1 / 4]
    assert found["bleu_detokenized"] == pytest.approx(100 * math.prod(precisions) ** 0.25)
    assert found["ter"] == pytest.approx(100 / 7)


def test_the_file_has_every_name_and_signature(tmp_path: Path):
    found, other = scored(tmp_path, {"dev.beam1": REFERENCE, "test.beam12": REFERENCE})
    assert found == other
    assert (found["sentences"], found["notes"]) == (2, [])
    assert found.keys() == {
        *("bleu", "bp", "hypothesis_length", "reference_length", "ratio", "precisions", "notes"),
        *("bleu_detokenized", "sentences", "signature", "signature_detokenized", *OTHERS),
    }
    assert "smooth:none" in found["signature"]
    for key, part in (("", "none"), ("_detokenized", "13a"), ("_ter", "tercom")):
        assert f"tok:{part}" in found[f"signature{key}"]
    assert "nc:6|nw:0" in found["signature_chrf"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (packed(REFERENCE[0]), r"test.beam1.gz has 1 lines and .*ref has 2$"),
        (packed(*REFERENCE, "de trop"), r"test.beam1.gz has 3 lines and .*ref has 2$"),
        (packed(), r"test.beam1.gz has 0 lines and .*ref has 2$"),
        (packed(*REFERENCE)[:-9], r"test.beam1.gz: damaged packed file after line \d"),
        (b"le chat\nil pleut\n", r"test.beam1.gz: damaged packed file after line 0"),
        (gzip.compress(b"le chat\n\xff\n"), r"test.beam1.gz, line 2: invalid UTF-8"),
    ],
    ids=["short", "long", "empty", "cut off", "plain", "not UTF-8"],
)
def test_a_translation_that_does_not_fit_is_a_gap_and_others_are_scored(
    tmp_path: Path, content: bytes, reason: str, capsys: pytest.CaptureFixture[str]
):
    write_json(tmp_path / "known.json", {"sentences": 2, "lines": [2]})
    subset = [f"test.beam1.part={tmp_path / 'known.json'}"]
    translations = {"test.beam1": content, "test.beam1.part": content, "test.beam12": REFERENCE}
    bad, part, whole = scored(tmp_path, translations, [], subset)
    assert bad.keys() == part.keys() == {"gap"}
    assert re.search(reason, bad["gap"])
    assert whole["bleu"] == pytest.approx(100)
    assert f"warning: no scores of test.beam1: {bad['gap']}\n" in capsys.readouterr().err


def test_a_missing_translation_is_a_mistake_of_the_call(tmp_path: Path):
    write_lines(tmp_path / "ref", RAW)
    files = [tmp_path / "no"], *[[tmp_path / "ref"]] * 2
    with pytest.raises(UserError, match="no: no such file"):
        score(["test.beam1"], *files, "fr", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("texts", "lines", "message"),
    [
        ({"reference": REFERENCE[:1]}, "test=1", r"ref has 1 lines and .*raw has 2:"),
        ({"raw": RAW[:1]}, "test=2", r"ref has 2 lines and .*raw has 1:"),
        ({"reference": [], "raw": []}, "test=0", "empty reference"),
        ({}, "test=3003", "ref has 2 lines, and test has 3003"),
    ],
)
def test_a_reference_that_is_not_the_text_is_refused(
    tmp_path: Path, texts: dict[str, list[str]], lines: str, message: str
):
    with pytest.raises(UserError, match=message):
        scored(tmp_path, {"test.beam12": REFERENCE}, [lines, "other=5"], **texts)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["a", "b"], [], "2 --name, 1 --hypothesis"),
        (["a"], [["3003"]], "--lines 3003: write TEXT=NUMBER"),
        (["a"], [["test=many"]], "--lines test=many: write TEXT=NUMBER"),
        (["a"], [["=1"]], "--lines =1: write TEXT=NUMBER"),
        (["a"], [[], ["a"]], "--subset a: write NAME=FILE"),
        (["a"], [[], ["b=known.json"]], "no --name b: name a translation"),
    ],
)
def test_a_mistaken_call_is_refused(
    tmp_path: Path, names: list[str], options: list[list[str]], message: str
):
    with pytest.raises(UserError, match=message):
        score(names, *[[tmp_path / "no"]] * 3, "fr", tmp_path / "out", *options)


def score_subset(folder: Path, hypothesis: list[str], lines: list[int]) -> list[dict[str, Any]]:
    """The scores of a translation as a whole, and under another name of some lines alone."""
    write_json(folder / "known.json", {"sentences": 2, "lines": lines})
    translations = dict.fromkeys(["test.beam12", "test.beam12.no-unknown"], hypothesis)
    subset = [f"test.beam12.no-unknown={folder / 'known.json'}"]
    return scored(folder, translations, ["test=2"], subset)


def test_a_subset_is_scored_as_its_lines_alone(tmp_path: Path):
    hypothesis = ["le chat est là", "il pleut aujourd' hui à Rome ."]
    whole, part = score_subset(tmp_path, hypothesis, [2])
    alone = tokenized_bleu(hypothesis[1:], REFERENCE[1:])
    alone |= detokenized_scores(hypothesis[1:], [RAW[1:]], "fr", ["bleu_detokenized"])
    assert part == {**alone, "sentences": 1, "of": 2}
    assert part["bleu"] != pytest.approx(whole["bleu"])
    assert whole["sentences"] == 2 and "of" not in whole


def test_a_variant_gets_bleu_alone(tmp_path: Path):
    whole, part = score_subset(tmp_path, [REFERENCE[0], "il pleut ."], [1, 2])
    assert part == {key: whole[key] for key in whole.keys() - OTHERS} | {"of": 2}


@pytest.mark.parametrize(
    ("hypothesis", "lines", "reason"),
    [(REFERENCE, [], NO_LINE), (["", REFERENCE[1]], [1], NO_WORD_OF_SUBSET)],
)
def test_a_subset_without_words_is_a_gap(
    tmp_path: Path, hypothesis: list[str], lines: list[int], reason: str
):
    whole, part = score_subset(tmp_path, hypothesis, lines)
    assert part == {"gap": reason, "sentences": len(lines), "of": 2}
    assert whole["bleu"] > 0
