import io
import json
import tarfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextnmt.corpus.extract import read_side
from contextnmt.corpus.generate import generate
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
    write_lines(folder / "tags.tsv", list(rows))
    return str(folder / "tags.tsv")


def test_tags_are_counted_by_kind_distance_word_and_whether_seen(tmp_path: Path):
    path = tmp_path / "hypothesis.gz"
    write_lines(path, HYPOTHESIS)
    table, out = write_table(tmp_path, HEADER, *ROWS), tmp_path / "out.json"
    phenomena(table, "fr", ["test.beam1"], [path], path, out)
    assert json.loads(out.read_text())["test.beam1"] == {
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
        "by_word": {"bank": {"right": 1, "total": 2}},
        "names_by_seen": {"seen": {"right": 0, "total": 1}, "unseen": {"right": 1, "total": 1}},
    }


def test_every_translation_gets_its_name(tmp_path: Path):
    write_lines(tmp_path / "good", HYPOTHESIS)
    write_lines(tmp_path / "bad", ["", "", ""])
    table, out = write_table(tmp_path, HEADER, *ROWS), tmp_path / "out.json"
    paths = [tmp_path / "good", tmp_path / "bad"]
    phenomena(table, "fr", ["good", "bad"], paths, paths[0], out)
    result = json.loads(out.read_text())
    assert sorted(result) == ["bad", "good"]
    assert result["bad"]["kinds"]["number"] == {"right": 0, "total": 1}


def test_the_table_may_be_a_member_of_an_archive(tmp_path: Path):
    content = "\n".join([HEADER, *ROWS, ""]).encode()
    with tarfile.open(tmp_path / "corpus.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("test.phenomena.tsv")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    tags = read_tags(f"{tmp_path / 'corpus.tar.gz'}::test.phenomena.tsv", "fr")
    assert sorted(tags) == [1, 3]


def test_columns_may_come_in_any_order_and_others_between_them(tmp_path: Path):
    rows = [line.split("\t") for line in [HEADER, *ROWS]]
    turned = ["\t".join(["side", *row[::-1]]) for row in rows]
    assert read_tags(write_table(tmp_path, *turned), "fr") == read_tags(
        write_table(tmp_path, HEADER, *ROWS), "fr"
    )


def test_only_tags_of_the_target_language_count(tmp_path: Path):
    tags = read_tags(write_table(tmp_path, HEADER, *ROWS), "de")
    assert tags == {1: [Tag("ambiguous", "bank", ("Bank",), True, "1-3")]}


def test_targets_are_tokenized_as_the_text_is(tmp_path: Path):
    tags = read_tags(write_table(tmp_path, HEADER, *ROWS), "fr")
    assert [tag.target for tag in tags[3]] == [("rive",), ("1", "234,5"), ("l'", "ONU"), ("Bob",)]


@pytest.mark.parametrize(
    "distance, bucket",
    [(1, "1-3"), (3, "1-3"), (4, "4-6"), (6, "4-6"), (7, "7-12"), (12, "7-12"), (13, "13+")],
)
def test_distances_are_counted_in_buckets(tmp_path: Path, distance: int, bucket: str):
    row = f"1\tambiguous\tfr\tbank\tbanque\t1\t{distance}"
    (tags,) = read_tags(write_table(tmp_path, HEADER, row), "fr").values()
    assert tags[0].bucket == bucket


def test_a_target_is_found_as_one_piece_and_in_its_case():
    tokens = ["la", "Banque", "de", "France"]
    assert rendered([tag("Banque", "de")], tokens) == [True]
    assert rendered([tag("Banque", "France")], tokens) == [False]
    assert rendered([tag("banque")], tokens) == [False]


def test_two_tags_with_one_target_need_it_twice():
    assert rendered([tag("a"), tag("a")], ["a", "b"]) == [True, False]
    assert rendered([tag("a"), tag("a")], ["a", "b", "a"]) == [True, True]


def test_a_longer_target_chooses_first():
    assert rendered([tag("a"), tag("a", "b")], ["a", "b"]) == [False, True]
    assert rendered([tag("a"), tag("a", "b")], ["a", "b", "a"]) == [True, True]


tokens = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)


@given(st.lists(tokens, max_size=6), st.randoms(use_true_random=False))
def test_a_sentence_of_the_targets_in_any_order_renders_them_all(
    targets: list[list[str]], random: Random
):
    shuffled = random.sample(targets, len(targets))
    sentence = [token for target in shuffled for token in [*target, "-"]]
    assert all(rendered([tag(*target) for target in targets], sentence))


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = tmp_path_factory.mktemp("embedded") / "embedded.tar.gz"
    generate(1, archive)
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
    "lines", [[], HYPOTHESIS[:2], HYPOTHESIS[:3], [*HYPOTHESIS, "", ""]], ids=len
)
def test_a_translation_of_another_length_is_a_gap(
    tmp_path: Path, lines: list[str], capsys: pytest.CaptureFixture[str]
):
    paths = [tmp_path / name for name in ("bad", "good", "reference")]
    for path, text in zip(paths, [lines, *[[*HYPOTHESIS, "fin"]] * 2], strict=True):
        write_lines(path, text)
    table, out = write_table(tmp_path, HEADER, *ROWS), tmp_path / "out.json"
    phenomena(table, "fr", ["bad", "good"], paths[:2], paths[2], out)
    result = json.loads(out.read_text())
    gap = f"{paths[0]} has {len(lines)} lines and {paths[2]} has 4"
    assert result["bad"] == {"gap": gap}
    assert result["good"]["kinds"]["number"] == {"right": 1, "total": 1}
    assert capsys.readouterr().err == f"warning: no scores of bad: {gap}\n"


def test_a_damaged_translation_is_a_gap(tmp_path: Path):
    write_lines(tmp_path / "reference", HYPOTHESIS)
    (tmp_path / "bad.gz").write_bytes(b"no gzip")
    table, out = write_table(tmp_path, HEADER, *ROWS), tmp_path / "out.json"
    phenomena(table, "fr", ["bad"], [tmp_path / "bad.gz"], tmp_path / "reference", out)
    assert "damaged gzip file" in json.loads(out.read_text())["bad"]["gap"]


def test_tags_of_another_text_and_a_missing_translation_are_reported(tmp_path: Path):
    table, out = write_table(tmp_path, HEADER, *ROWS), tmp_path / "out.json"
    path = tmp_path / "reference"
    write_lines(path, HYPOTHESIS[:2])
    with pytest.raises(UserError, match="reference has 2 lines, but line 3 is tagged"):
        phenomena(table, "fr", ["a"], [path], path, out)
    write_lines(path, HYPOTHESIS)
    with pytest.raises(UserError, match="no: no such file"):
        phenomena(table, "fr", ["a"], [tmp_path / "no"], path, out)


@pytest.mark.parametrize(
    "row, problem",
    [
        ("1\tverb\tfr\tbank\tbanque\t1\t3", "kind is 'verb'; allowed: ambiguous"),
        ("1\tname\tfr\tAnn\tAnn\tyes\t", "seen is 'yes'; allowed: 0 or 1"),
        ("1\tname\tfr\tAnn\t \t1\t", "target is empty"),
        ("1\tambiguous\tfr\tbank\tbanque\t1\t", "invalid literal"),
        ("1\tambiguous\tfr\tbank\tbanque\t1\t0", "distance is 0; it must be at least 1"),
        ("one\tname\tfr\tAnn\tAnn\t1\t", "invalid literal"),
        ("1\tname\tfr\tAnn", "shorter"),
    ],
)
def test_a_damaged_row_is_reported_with_its_line(tmp_path: Path, row: str, problem: str):
    with pytest.raises(UserError, match=f"line 3: .*{problem}"):
        read_tags(write_table(tmp_path, HEADER, ROWS[0], row), "fr")


def test_a_missing_column_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="no column seen"):
        read_tags(write_table(tmp_path, HEADER.replace("seen", "known"), *ROWS), "fr")


def test_a_language_without_tags_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="no tag for the language 'it'"):
        read_tags(write_table(tmp_path, HEADER, *ROWS), "it")


def test_a_translation_without_a_name_is_reported(tmp_path: Path):
    with pytest.raises(UserError, match="1 --name, 2 --hypothesis"):
        phenomena("tags", "fr", ["a"], [Path("b"), Path("c")], Path("r"), tmp_path / "out")
