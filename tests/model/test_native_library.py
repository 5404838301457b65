"""Compiling functions in C, and what they are given."""

import ctypes
import gc
import re
import subprocess
import sys
import weakref
from collections import Counter

import pytest
import torch
from model.architectures import build, pairs
from model.native_ways import in_torch

from contextnmt.errors import UserError
from contextnmt.model.hidden_layer import Keys, forth
from contextnmt.model.native import library as native
from contextnmt.model.native.library import Numbers, compiler_used, library
from contextnmt.training.precision import autocast

pytestmark = pytest.mark.usefixtures("in_c", "same_threads_after")

#: The functions of a step, forth and back.
OF_UNITS = {
    "gru": ("gru_gates", "gru_forth", "gru_back", "gru_gates_back"),
    "lstm": ("lstm_forth", "lstm_back"),
}


@pytest.mark.parametrize(
    "other",
    [
        lambda keys: keys.transpose(1, 2).contiguous().transpose(1, 2),
        lambda keys: keys.float(),
        lambda keys: keys.to("meta"),
    ],
    ids=["in other pieces", "of another type", "elsewhere"],
)
def test_what_c_would_misread_is_refused(other):
    numbers = Numbers(torch.float64)
    tensor = torch.randn(3, 2, 5, dtype=torch.float64)
    assert numbers.whole(tensor).value == numbers.rows(tensor)[0].value == tensor.data_ptr()
    for function in numbers.whole, numbers.rows:
        with pytest.raises(ValueError, match="on a CPU and in one piece"):
            function(other(tensor))


def test_rows_are_in_one_piece_for_each_direction():
    numbers = Numbers(torch.float32)
    tensor = torch.randn(2, 4, 5)
    start, apart = numbers.rows(tensor[:, 1:3])
    assert (start.value, apart.value) == (tensor[0, 1].data_ptr(), 20)
    with pytest.raises(ValueError, match="in one piece"):
        numbers.whole(tensor[:, 1:3])
    with pytest.raises(ValueError, match="in one piece"):
        numbers.rows(tensor[:, :, 1:3])


def test_what_c_is_given_stays():
    numbers = Numbers(torch.float32)
    tensor = torch.ones(3)
    known, start = weakref.ref(tensor), numbers.whole(tensor)
    del tensor
    gc.collect()
    assert known() is not None
    del start
    gc.collect()
    assert known() is None


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize("name", ["RNNsearch", "RNNencdec"])
@pytest.mark.parametrize("way", [torch.no_grad, torch.inference_mode])
def test_where_no_gradients_are_wanted_the_hidden_layer_alone_is_in_c(name, way):
    sizes = {"embedding": 5, "hidden": 10, "alignment": 64, "maxout": 3}
    model = build(name, 11, sizes, 0.3)
    source, target = pairs([(9, 7), (4, 11)], 11)
    with way():
        model(source, target)
    assert {source for source, _ in native.libraries} <= {"hidden_layer.c"}


@pytest.mark.parametrize(
    ("name", "cell", "attends"),
    [("RNNsearch", "gru", True), ("RNNencdec", "gru", False), ("Choi", "lstm", True)],
)
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_an_update_calls_functions_in_c_at_each_of_its_steps(
    name, cell, attends, precision, monkeypatch
):
    sizes = {"embedding": 5, "hidden": 10, "alignment": 64, "maxout": 3}
    model = build(name, 11, sizes, 0.3)
    source, target = pairs([(9, 7), (4, 11)], 11)
    calls, call = Counter(), native.Library.call

    def counted(functions, called, *arguments):
        calls[called] += 1
        call(functions, called, *arguments)

    monkeypatch.setattr(native.Library, "call", counted)
    with autocast(torch.device("cpu"), precision):
        losses = model(source, target)
    losses.sum().backward()
    longest, moves = source.size(1), target.size(1) - 1
    # The encoder reads both ways at once.
    steps = Counter(dict.fromkeys(OF_UNITS[cell], longest + moves))
    # Of the hidden layer and of the contexts, which are called alike.
    steps.update({each: 2 * (moves + 1) for each in ("forth", "back") if attends})
    assert calls == Counter({"into_slopes": 1, **steps})


#: A compiler that writes such bytes as C's own messages may have in other languages.
ELSEWHERE = "sh -c 'printf \"error: \\351\" >&2; exit 3'"


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize(
    ("compiler", "reason"),
    [
        ("no-such-compiler -v", "No such file or directory: 'no-such-compiler'"),
        ("false", "false fails: exit status 1"),
        ("true", "functions.so: cannot open shared object file"),  # which it did not write
        ("cc -fno-such-thing", "error: unrecognized command-line option"),
        ("cc '", "CC in the environment cannot be read: No closing quotation"),
        (ELSEWHERE, "sh fails: error: \ufffd"),
        ("sh -c 'sleep 9'", "timed out after"),
    ],
)
def test_where_nothing_can_be_compiled_it_says_so_once_and_goes_on(
    compiler, reason, monkeypatch, capsys
):
    monkeypatch.setattr(native, "PATIENCE", 1)
    monkeypatch.setenv("CC", compiler)
    asked, weight, keys = torch.rand(3, 5), torch.rand(1, 5), Keys(torch.rand(3, 2, 5), True)
    scratch = torch.empty_like(keys.entering)
    expected = in_torch(forth, asked, keys, weight, scratch.clone())
    for _ in range(2):
        assert torch.equal(forth(asked, keys, weight, scratch), expected)
    assert library("units.c", torch.float32) is None
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert reason in said
    assert compiler_used() is None


@pytest.mark.usefixtures("compiled_anew")
def test_no_folder_to_compile_in_is_no_end(monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    assert library("units.c", torch.float32) is None
    assert "TMPDIR" in capsys.readouterr().err


@pytest.mark.usefixtures("compiled_anew")
def test_threads_of_another_library_are_not_mixed_with_torchs(monkeypatch, capsys):
    torchs = native.threads_of(ctypes.CDLL(torch._C.__file__))
    anothers = "/another/libgomp.so.1"
    monkeypatch.setattr(
        native,
        "threads_of",
        lambda loaded: torchs if loaded._name == torch._C.__file__ else anothers,
    )
    assert library("units.c", torch.float32) is None
    assert "its threads are not torch's" in capsys.readouterr().err


def test_a_library_without_threads_has_none():
    with pytest.raises(UserError, match="no threads for code of GCC"):
        native.threads_of(ctypes.CDLL("libc.so.6"))


@pytest.mark.usefixtures("compiled_anew")
def test_a_compiler_that_goes_during_a_training_is_told_still(monkeypatch):
    assert library("units.c", torch.float32)
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    assert compiler_used()


@pytest.mark.usefixtures("compiled_anew")
def test_elsewhere_than_on_linux_there_are_none(monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "darwin")
    assert library("units.c", torch.float32) is None
    assert not capsys.readouterr().err


@pytest.mark.usefixtures("compiled_anew")
def test_the_compiler_is_told_of_what_was_used():
    assert compiler_used() is None
    assert library("units.c", torch.float32)
    assert re.search(r"\d+\.\d+", compiler_used())


def test_the_library_of_threads_is_torchs_own():
    """The threads of another would wait for the same processor cores."""
    script = (
        "import re, torch\n"
        "from contextnmt.model.native.library import library\n"
        "def threads():\n"
        "    lines = open('/proc/self/maps').read().split('\\n')\n"
        "    paths = {line.split()[-1] for line in lines if line}\n"
        "    return {path for path in paths if re.search('/lib(g|i)?omp[^/]*$', path)}\n"
        "before = threads()\n"
        "assert before\n"
        "assert library('units.c', torch.float32)\n"
        "assert threads() == before, threads()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
