import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from contextnmt.corpus import generate as generator
from contextnmt.corpus.extract import read_side
from contextnmt.corpus.tokenize import Tokenizer
from contextnmt.errors import UserError
from contextnmt.evaluation.phenomena import Tag, count_right, phenomena, read_tags, rendered
from contextnmt.files import write_lines

HEADER = "line\tkind\tlanguage\tsource\ttarget\tseen\tdistance"
ROWS = [
    "1\tambiguous\tfr\tbank\tbanque\t1\t3",
    "1\tambiguous\tde\tbank\tBank\t1\t3",
    "1\tname\tfr\tAnn Lee\tAnn Lee\t0\t",
    "3\tambiguous\tfr\tbank\trive\t1\t7",
    "3\tnumber\tfr\t1,234.5\t1 234,5\t1\t",
    "3\tacronym\tfr\tUN\tl'ONU\t1\t",
    "3\tname\tfr\tBob\tBob\t1\t",
]
HYPOTHESIS = ["la banque d' Ann Lee", "rien", "la banque , 1 234,5 , selon l' ONU , Lee"]


def tag(*target: str) -> Tag:
    return Tag("name", "source", target, seen=True, bucket="")


def write_table(folder: Path, *rows: str) -> str:
    write_lines(folder / "tags.tsv", rows or [HEADER, *ROWS])
    return str(folder / "tags.tsv")


def counted(folder: Path, reference: list[str], **translations: list[str] | bytes) -> Any:
    """The output of the stage for translations: their lines, or the bytes of a file."""
    paths = [folder / f"{name}.gz" for name in translations]
    for path, content in zip(paths, translations.values(), strict=True):
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            write_lines(path, content)
    write_lines(folder / "reference", reference)
    inputs = write_table(folder), "fr", [*translations], paths, folder / "reference"
    phenomena(*inputs, folder / "out.json")
    return json.loads((folder / "out.json").read_text())


def test_tags_are_counted_by_kind_distance_word_and_whether_seen(tmp_path: Path):
    result = counted(tmp_path, HYPOTHESIS, good=HYPOTHESIS, bad=["", "", ""])
    assert result["good"] == {
        "kinds": {
            "ambiguous": {"right": 1, "total": 2},
            "name": {"right": 1, "total": 2},
            "number": {"right": 1, "total": 1},
            "acronym": {"right": 1, "total": 1},
        },
        "ambiguous_by_distance": {
            "1-3": {"right": 1, "total": 1},
            "7-12": {"right": 0, "total": 1},
        },
        "ambiguous_by_cue": {"seen": {"right": 1, "total": 2}},
        "by_word": {"bank": {"right": 1, "total": 2}},
        "names_by_seen": {"seen": {"right": 0, "total": 1}, "unseen": {"right": 1, "total": 1}},
    }
    assert result["bad"]["kinds"]["number"] == {"right": 0, "total": 1}


def test_the_table_may_be_in_an_archive_with_other_columns_in_any_order(tmp_path: Path):
    rows = [line.split("\t") for line in [HEADER, *ROWS]]
    content = "".join("\t".join(["side", *row[::-1]]) + "\n" for row in rows).encode()
    with tarfile.open(tmp_path / "corpus.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("test.phenomena.tsv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    tags = read_tags(f"{tmp_path / 'corpus.tar.gz'}::test.phenomena.tsv", "fr")
    assert tags == read_tags(write_table(tmp_path), "fr")


def test_only_tags_of_the_target_language_count_and_are_tokenized_as_the_text(tmp_path: Path):
    table = write_table(tmp_path)
    assert read_tags(table, "de") == {1: [Tag("ambiguous", "bank", ("Bank",), True, "1-3")]}
    targets = [tag.target for tag in read_tags(table, "fr")[3]]
    assert targets == [("rive",), ("1", "234,5"), ("l'", "ONU"), ("Bob",)]


@pytest.mark.parametrize(
    "distance, bucket", [(1, "1-3"), (3, "1-3"), (4, "4-6"), (7, "7-12"), (12, "7-12"), (13, "13+")]
)
def test_distances_are_counted_in_buckets(tmp_path: Path, distance: int, bucket: str):
    row = f"1\tambiguous\tfr\tbank\tbanque\t1\t{distance}"
    (tags,) = read_tags(write_table(tmp_path, HEADER, row), "fr").values()
    assert tags[0].bucket == bucket


@pytest.mark.parametrize(
    "targets, tokens, right",
    [
        (["Banque de"], "la Banque de France", [True]),
        (["Banque France"], "la Banque de France", [False]),
        (["banque"], "la Banque de France", [False]),
        # two tags with one target need it twice
        (["a", "a"], "a b", [True, False]),
        (["a", "a"], "a b a", [True, True]),
        # a longer target chooses first
        (["a", "a b"], "a b", [False, True]),
        (["a", "a b"], "a b a", [True, True]),
    ],
)
def test_a_target_is_found_as_one_piece_and_in_its_case(
    targets: list[str], tokens: str, right: list[bool]
):
    assert rendered([tag(*target.split()) for target in targets], tokens.split()) == right


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded corpus with less training text."""
    archive = tmp_path_factory.mktemp("embedded") / "embedded.tar.gz"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(generator, "SIZES", {"train": 600, "dev": 1, "test": 400})
        patched.setattr(generator, "NOISE_LINES", 1)
        generator.generate(1, archive)
    return archive


@pytest.mark.parametrize("language", ["fr", "de"])
def test_the_reference_of_the_embedded_corpus_renders_every_tag(embedded: Path, language: str):
    tags = read_tags(f"{embedded}::test.phenomena.tsv", language)
    reference = [*map(Tokenizer(language).line, read_side(f"{embedded}::test.{language}"))]
    for table in count_right(tags, reference).values():
        for cell in table.values():
            assert cell["right"] == cell["total"] > 0
    for cell in count_right(tags, [*reference[1:], reference[0]])["kinds"].values():
        assert cell["right"] < cell["total"] / 4


@pytest.mark.parametrize(
    "content, reason",
    [
        ([], r"bad\.gz has 0 lines and .*reference has 4"),
        (HYPOTHESIS, r"bad\.gz has 3 lines and .*reference has 4"),
        ([*HYPOTHESIS, "", ""], r"bad\.gz has 5 lines and .*reference has 4"),
        (b"no gzip", "damaged packed file"),
    ],
    ids=["empty", "short", "long", "damaged"],
)
def test_a_translation_that_does_not_fit_is_a_gap(
    tmp_path: Path, content: list[str] | bytes, reason: str, capsys: pytest.CaptureFixture[str]
):
    text = [*HYPOTHESIS, "fin"]
    result = counted(tmp_path, text, bad=content, good=text)
    assert result["bad"].keys() == {"gap"}
    assert re.search(reason, result["bad"]["gap"])
    assert result["good"]["kinds"]["number"] == {"right": 1, "total": 1}
    assert "warning: no scores of bad: " in capsys.readouterr().err


def test_tags_of_another_text_are_refused(tmp_path: Path):
    with pytest.raises(UserError, match="reference has 2 lines, but line 3 is tagged"):
        counted(tmp_path, HYPOTHESIS[:2])


def test_a_missing_or_nameless_translation_is_a_mistake_of_the_call(tmp_path: Path):
    table, text, paths = write_table(tmp_path), tmp_path / "text", [tmp_path / "no"]
    write_lines(text, HYPOTHESIS)
    with pytest.raises(UserError, match="no: no such file"):
        phenomena(table, "fr", ["a"], paths, text, tmp_path / "out")
    with pytest.raises(UserError, match="1 --name, 2 --hypothesis"):
        phenomena(table, "fr", ["a"], paths * 2, text, tmp_path / "out")


@pytest.mark.parametrize(
    "rows, problem",
    [
        (
            [HEADER, ROWS[0], "1\tverb\tfr\tb\tb\t1\t3"],
            ", line 3: kind is 'verb'; allowed",
        ),
        ([HEADER, "1\tname\tfr\tA\tA\tyes\t"], ", line 2: seen is 'yes'; allowed: 0 or 1"),
        ([HEADER, "1\tname\tfr\tA\t \t1\t"], ", line 2: target is empty"),
        ([HEADER, "1\tambiguous\tfr\tb\tb\t1\t"], ", line 2: distance is ''; it must"),
        (
            [HEADER, "1\tambiguous\tfr\tb\tb\t1\t0"],
            ", line 2: distance is '0'; it must",
        ),
        ([HEADER, "1\tname\tfr\tA"], ", line 2: 4 cells; the header has 7"),
        ([HEADER, "-1\tname\tfr\tA\tA\t1\t"], ", line 2: line is '-1'; it must"),
        ([HEADER, f"1\t{'name' * 99}\tfr\tA\tA\t1\t"], ", line 2: kind is '.{80}'; allowed"),
        ([HEADER.replace("seen", "known"), *ROWS], ", line 1: no column seen"),
        ([HEADER, ROWS[1]], ": no tag for the language 'fr'"),
    ],
)
def test_a_damaged_table_is_reported_with_its_line(tmp_path: Path, rows: list[str], problem: str):
    with pytest.raises(UserError, match=f"tags.tsv{problem}"):
        read_tags(write_table(tmp_path, *rows), "fr")
