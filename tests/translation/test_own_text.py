"""Text of one's own: what comes out is what the stages make, for any text at all, line by line."""

import gzip
import json
import os
import random
import subprocess
import sys
import threading

import pytest
import small_results
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sacremoses import MosesDetokenizer
from small_results import VIEWS, restored, run_file, text_of

from contextnmt.errors import UserError
from contextnmt.files import packing, read_lines, refuse_other, write_json, write_lines
from contextnmt.text.parts import LONGEST, cut
from contextnmt.text.pieces import SYMBOL
from contextnmt.text.vocabulary import Vocabulary
from contextnmt.translation.hypothesis import Hypothesis
from contextnmt.translation.own_text import (
    LINES,
    OwnText,
    SourceLanguage,
    arriving,
)
from contextnmt.translation.run_file import read_run
from contextnmt.translation.saved import SavedTranslator
from contextnmt.translation.translate import translate
from contextnmt.translation.view_texts import UnknownWords, Wanted

ODD = [*"\0\r\t\x1f\x85\u00a0\u200b\u2028\ufeff🙂", "e\u0301", "...", "12,345.6", "NATO", "3rd"]
ODD += ["Mary-Jane", "<N>_1", "^^", "\\^^nd", "@@", "a@@b", "</s>", "&amp;"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return folder, small_results.make(folder)


def own_text(folder, view, width=2, nbest=None, no_unknown=False, alignments=False):
    run = read_run(run_file(folder, view))
    translator = SavedTranslator([folder / "train" / view], "cpu")
    return OwnText(run, translator, width, Wanted(nbest, no_unknown, alignments))


@pytest.fixture(scope="module")
def owns(results):
    return {view: own_text(results[0], view) for view in VIEWS}


def command(folder, view):
    return [sys.executable, "-m", "contextnmt", "translate", "--run", run_file(folder, view)]


def detokenized(lines):
    moses = MosesDetokenizer(lang="fr")
    return [moses.detokenize(line.split(), unescape=False) for line in lines]


@pytest.mark.parametrize("view", VIEWS)
def test_after_the_model_a_sentence_is_that_of_the_stages(results, owns, view, tmp_path):
    """Of translations that have every word of the view, wherever it may stand."""
    folder, test = results
    rng = random.Random(view)
    words = ["UNK", "<N>_1", "^^<N>_2", "<S>_1", "<C>_1", "<S>_7", "a@@"]
    words += owns[view].translator.target.words
    made = [" ".join(rng.choices(words, k=rng.randrange(30))) for _ in test]
    write_lines(tmp_path / "made", made)
    expected = detokenized(restored(folder, view, tmp_path / "made"))
    view = owns[view].view
    found = [
        view.text(line, view.write(source).surfaces)
        for line, source in zip(made, test, strict=True)
    ]
    assert found == expected


@pytest.mark.parametrize("view", VIEWS)
def test_the_text_is_that_of_the_stages(results, owns, view, tmp_path):
    folder, test = results
    made = tmp_path / "made"
    translate(folder / "train" / view, [text_of(folder, view)], [2], [made])
    expected = detokenized(restored(folder, view, made))
    assert owns[view].answers(test) == expected
    assert len(set(expected)) > 5
    lines = list(read_lines(text_of(folder, view)))
    assert any("@@" in line for line in lines) == ("bpe" in view)
    assert any(SYMBOL.search(line) for line in lines) == ("sym" in view)


@given(
    st.sampled_from(VIEWS),
    st.lists(
        st.one_of(
            st.lists(st.sampled_from(ODD)).map(" ".join),
            st.lists(st.sampled_from(ODD)).map("".join),
            st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])),
        ),
        max_size=6,
    ),
)
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
def test_any_text_has_an_answer_for_each_line(owns, view, lines):
    answers = owns[view].answers(lines)
    assert len(answers) == len(lines)
    for line, answer in zip(lines, answers, strict=True):
        assert "\n" not in answer
        answer.encode()
        assert bool(answer.strip()) == bool(owns[view].view.write(line).tokens)


def finding(own, *translations):
    """The same run with a beam that ends these translations of each sentence, best first."""
    encode = own.translator.target.encode
    beam = [
        Hypothesis(list(encode(text.split())), -1.0 - place)
        for place, text in enumerate(translations)
    ]

    def search(sentences, width, name, no_unknown=False, every=False):
        return [(beam if every else beam[:1]) if each else [] for each in sentences]

    own.translator.search = search
    return own


FOREIGN = "<N>_1 <N>_1"  # of which "she did" has none


@pytest.mark.parametrize("view", ["sym", "sym-bpe"])
def test_a_translation_of_foreign_symbols_gives_way_to_the_next_one(results, view):
    beam = (FOREIGN, "<N>_1", "« »", "<N>_1 » «", FOREIGN)
    for options in ({}, {"nbest": 4}, {"alignments": True}):
        own = finding(own_text(results[0], view, width=5, **options), *beam)
        first, empty, other = own.answers(["she did", "", "she saw 12 cats"])
        if not options:
            assert (first, empty, other) == ("« »", "", "12 12")
            continue
        texts = [each["text"] for each in json.loads(first)]
        assert texts == (["« »", "» «"] if "nbest" in options else ["« »"])
        assert empty == "[]"
        assert json.loads(other)[0]["text"] == "12 12"
        if "alignments" in options:
            (part,) = json.loads(first)[0]["alignments"]
            assert part["target"] == ["«", "»", "</s>"]
            assert len(part["weights"]) == 3


@pytest.mark.parametrize("view", ["sym", "sym-bpe"])
def test_without_any_translation_the_words_stay_as_they_are(results, view):
    lines = ["x", "", "he did.", "did  she", "she did not . " * 90]
    plain, lists = (
        finding(own_text(results[0], view, **options), FOREIGN, "<N>_1").answers(lines)
        for options in ({}, {"nbest": 1, "alignments": True})
    )
    assert plain[:4] == ["x", "", "he did.", "did she"]
    assert plain[4].split() == lines[4].replace(" .", ".").split()
    [only] = json.loads(lists[2])
    assert only["text"] == "he did."
    assert only["alignments"][0]["target"][0] == "<N>_1"


def test_bytes_through_the_command(results):
    """A byte order mark, CR, invalid UTF-8, NUL, an empty line, and an end without LF."""
    lines = [b"\xef\xbb\xbfAnna saw 3 cats.", b"", b"\xff\xfe saw\r", b"\0", b"Anna saw 3 cats."]
    text = b"\n".join(lines)
    run = subprocess.run(
        command(results[0], "sym-bpe"), input=text, capture_output=True, check=True
    )
    answers = run.stdout.decode().split("\n")
    assert len(answers) == 6
    assert answers[5] == answers[1] == answers[3] == ""
    assert answers[0] == answers[4]
    assert answers[2]
    assert b"Traceback" not in run.stderr


def test_a_line_is_answered_before_the_next_one_comes(results):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command(results[0], "word"), **pipes) as process:
        for line in (b"Anna saw 3 cats.\nAn", b"na\n", b"\n"):
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline().endswith(b"\n")
        process.stdin.close()
        assert process.wait() == 0


def test_who_reads_no_further_ends_it_quietly(results):
    reading, writing = os.pipe()
    os.close(reading)
    pipes = {"stdout": writing, "stderr": subprocess.PIPE}
    run = subprocess.run(command(results[0], "word"), input=b"cats\n" * 3, check=False, **pipes)
    os.close(writing)
    assert run.returncode == 1
    assert b"rror" not in run.stderr


def test_lists_and_alignments(results):
    own = own_text(results[0], "sym-bpe", width=4, nbest=3, alignments=True)
    lines = ["Anna saw 1,234 houses.", "", "He did."]
    first, empty, third = map(json.loads, own.answers(lines))
    assert empty == []
    plain = own_text(results[0], "sym-bpe", width=4).answers(lines)
    for line, found, text in zip(lines[::2], (first, third), plain[::2], strict=True):
        assert 1 <= len(found) <= 3
        assert all({"text", "score", "normalised", "finished"} <= set(each) for each in found)
        assert found[0]["text"] == text
        [part] = found[0]["alignments"]
        assert part["source"] == [*own.view.write(line).tokens, "</s>"]
        assert len(part["weights"]) == len(part["target"])
        for row in part["weights"]:
            assert len(row) == len(part["source"])
            assert sum(row) == pytest.approx(1, abs=1e-3)
        assert all("alignments" not in each for each in found[1:])


def test_unknown_words_may_be_forbidden(results):
    folder, test = results
    assert "UNK" in " ".join(own_text(folder, "word").answers(test))
    assert "UNK" not in " ".join(own_text(folder, "word", no_unknown=True).answers(test))


def test_a_very_long_line_is_translated_in_parts(results, capsys):
    own = own_text(results[0], "sym-bpe", nbest=2, alignments=True)
    lines = ["Anna saw 3 cats. " * 90, "x" * 900, "Anna saw 3 cats."]
    first, second, third = map(json.loads, own.answers(lines))
    assert len(first) == len(second) == 1
    for each in (*first, *second):
        assert each["text"]
        assert len(each["alignments"]) > 3
        for part in each["alignments"]:
            assert len(part["source"]) <= LONGEST + 1
    assert len(third[0]["alignments"]) == 1
    error = capsys.readouterr().err
    assert error.count("translated in parts") == 1
    assert "standard input, line 1: longer than" in error


def test_a_text_of_unknown_words_is_told_of_once(results, capsys):
    own = own_text(results[0], "word")
    for _ in range(3):
        own.answers(["der Mann hat gestern zehn Hunde gesehen"] * 2)
    error = capsys.readouterr().err
    assert error.count(" of the words are unknown to the model (") == 1
    assert "is the text in en, and like" in error


@pytest.mark.parametrize("view", VIEWS)
def test_a_text_in_the_target_language_is_told_of_once_in_every_view(results, capsys, view):
    right, wrong = (list(read_lines(results[0] / f"raw.{side}"))[:40] for side in ("en", "fr"))
    own_text(results[0], view).answers(right[:20])
    assert capsys.readouterr().err == ""
    own = own_text(results[0], view)
    for lines in (wrong[:20], wrong[20:]):
        own.answers(lines)
    error = capsys.readouterr().err
    assert "of the words are only in the model's fr vocabulary, " in error
    assert error.count("warning: ") == error.count("warning: standard input: ") == 1


@pytest.mark.parametrize(("view", "other"), [("bpe", "word"), ("word", "bpe")])
def test_a_file_in_another_view_is_told_of(results, capsys, tmp_path, view, other):
    folder, _ = results
    texts = {"word": folder / "train.en", "bpe": folder / "bpe.en"}
    for text in (view, other):
        translate(folder / "train" / view, [texts[text]], [1], [tmp_path / text])
        told = "is the text in the model's view?" in capsys.readouterr().err
        assert told == (text == other)


def read(path, content):
    path.write_bytes(content)
    with path.open("rb") as stream:
        return list(arriving(stream.fileno()))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("arriving") / "text"


def encoded(content):
    """Whether bytes tell that they are in another encoding than UTF-8."""
    try:
        refuse_other(content, "text")
    except UserError:
        return True
    return False


@given(st.binary().map(lambda content: content.replace(b"x", b"\n")))
def test_any_bytes_are_lines(path, content):
    assume(not packing(content)[0] and not encoded(content))
    expected = content.removesuffix(b"\n").split(b"\n") if content else []
    found = [line for lines in read(path, content) for line in lines]
    decoded = [line.decode("utf-8", errors="replace") for line in expected]
    assert found == [line.removeprefix("\ufeff" * (n == 0)) for n, line in enumerate(decoded)]


def test_text_in_another_encoding_is_refused(path):
    with pytest.raises(UserError, match="standard input: in UTF-16: convert it"):
        read(path, "one\ntwo\n".encode("utf-16"))


@pytest.mark.parametrize("tokens", [0, "x", 1])
def test_a_record_that_tells_no_share_of_unknown_words_tells_none(tmp_path, tokens):
    manifest = {"train": {"source": {"unknowns": 10**400, "tokens": tokens}}}
    write_json(tmp_path / "model.json", {"data": {"manifest": manifest}})
    assert UnknownWords(tmp_path, Vocabulary(["a"]), "?").usual == 0


def test_a_line_without_an_end_does_not_fill_the_memory(path, monkeypatch):
    monkeypatch.setattr("contextnmt.translation.own_text.LONGEST_LINE", 1 << 17)
    with pytest.raises(UserError, match="standard input, line 3: longer than"):
        read(path, b"one\ntwo\n" + b"a" * (1 << 18))


@pytest.mark.parametrize("first", [1, 30])
def test_compressed_text_is_refused_however_it_comes(first):
    """Bytes that UTF-8 cannot begin with, so that no text is refused."""
    reading, writing = os.pipe()
    packed = gzip.compress(b"one\ntwo\n")
    os.write(writing, packed[:first])
    later = threading.Timer(0.1, os.write, (writing, packed[first:]))
    later.start()
    with pytest.raises(UserError, match=r"standard input: compressed by gzip: `zcat FILE \| "):
        next(arriving(reading))
    later.join()
    os.close(writing)
    os.close(reading)
    with pytest.raises(UnicodeDecodeError):
        packed[:2].decode()


def test_many_lines_come_in_lists_and_a_long_one_stays_whole(path):
    lines = [b"%d" % number for number in range(50_000)]
    lists = read(path, b"\n".join([*lines, b"a" * 30_000_000, b"b"]))
    assert max(map(len, lists)) == LINES  # those of one list wait for each other
    *found, first, second = [line for lines in lists for line in lines]
    assert found == list(map(str, range(50_000)))
    assert (len(first), second) == (30_000_000, "b")


@given(st.lists(st.sampled_from(["a", "b@@", "^^c", ".", ","]), max_size=4 * LONGEST))
def test_the_parts_are_the_sentence(tokens):
    parts = list(cut(tokens))
    assert [token for part in parts for token in part] == tokens
    assert all(0 < len(part) <= LONGEST for part in parts)
    if len(tokens) <= LONGEST:
        assert len(parts) <= 1


@pytest.mark.parametrize(
    ("first", "rest", "length"),
    [
        (["a"] * (LONGEST - 20) + ["."], ["a"] * 50, LONGEST - 19),  # after the full stop
        (["."] + ["a"] * (LONGEST - 1), ["a"] * 50, LONGEST),  # one in the first half is too early
        (["a"] * (LONGEST - 3) + ["b@@"] * 3, ["b@@"] * 50, LONGEST - 3),  # before the word
        (["a"] * LONGEST, ["^^a"] * 50, LONGEST - 1),  # before the piece and its left neighbour
        (["b@@"] * LONGEST, ["b@@"] * 50, LONGEST),  # within a word without end
    ],
)
def test_where_a_part_ends(first, rest, length):
    assert len(next(cut([*first, *rest]))) == length


SOURCE = Vocabulary(["the", "house", "is", "here", "and", ".", "le", "Anna"])
TARGET = Vocabulary(["la", "maison", "est", "ici", "et", ".", "the", "Anna"])


@pytest.mark.parametrize(
    ("line", "warned"),
    [
        ("la maison est ici .", [False] * 3 + [True]),  # after enough words
        ("the house is here .", [False] * 20),
        ("ein Haus steht da .", [False] * 20),  # unknown in both: that is told elsewhere
        ("the house is la maison", [False] * 20),
        ("Anna . Anna . la", [False] * 20),  # of both languages but for one word
    ],
)
def test_only_enough_words_of_the_target_language_are_told_of(line, warned):
    language = SourceLanguage(SOURCE, TARGET, "en", "fr")
    for expected in warned:
        language.read([line.split()])
        assert language.warned == expected
