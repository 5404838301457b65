"""Functions in C, against torch's ways to the same numbers."""

import ctypes
import re
import subprocess
import sys

import pytest
import torch
from model.architectures import build, pairs

from contextnmt.errors import UserError
from contextnmt.model import hidden_layer
from contextnmt.model.hidden_layer import Keys, back, forth
from contextnmt.model.native import library as native
from contextnmt.model.native.library import compiler_used, library

pytestmark = pytest.mark.usefixtures("in_c", "same_threads_after")

BOTH = [torch.float32, torch.float64]
#: Of which the last two have work for several threads.
SHAPES = [(0, 2, 3), (1, 1, 1), (3, 2, 5), (2, 40, 1000), (7, 30, 333)]


@pytest.fixture
def same_threads_after():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def two_threads(same_threads_after):
    torch.set_num_threads(2)


@pytest.fixture
def compiled_anew(in_c):
    library.cache_clear()
    yield
    library.cache_clear()


def made(sentences, positions, size, kind=torch.float64):
    """Exponentials of queries and keys; a weight."""
    torch.manual_seed(1)
    shapes = [(sentences, size), (sentences, positions, size), (1, size)]
    asked, keys, weight = (torch.randn(shape, dtype=kind) for shape in shapes)
    return asked.exp(), Keys(keys.exp(), True), weight


def in_torch(function, *arguments):
    """What a function of `hidden_layer` does where nothing can be compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hidden_layer, "functions_for", lambda keys: None)
        return function(*arguments)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", BOTH, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_energies_are_those_of_torch(shape, kind):
    asked, keys, weight = made(*shape, kind=kind)
    scratch = torch.full_like(keys.entering, torch.nan)
    found = forth(asked, keys, weight, scratch)
    assert scratch.isnan().all()  # which C does not need
    torch.testing.assert_close(found, in_torch(forth, asked, keys, weight, scratch))


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", BOTH, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_are_those_of_torch(shape, kind):
    asked, keys, _ = made(*shape, kind=kind)
    slopes = torch.randn(shape[:2], dtype=kind)
    nothing = torch.full_like(asked, torch.nan)  # which is not added to
    before = [nothing, torch.randn_like(keys.entering), torch.randn_like(asked.unsqueeze(1))]
    found, expected = ([each.clone() for each in before] for _ in range(2))
    scratch = torch.full_like(keys.entering, torch.nan)
    back(asked, keys, slopes, *found, scratch)
    assert scratch.isnan().all()
    in_torch(back, asked, keys, slopes, *expected, scratch)
    allowed = 1e-12 if kind == torch.float64 else 1e-4
    torch.testing.assert_close(found, expected, rtol=0, atol=allowed)


def test_threads_change_no_digit():
    asked, keys, weight = made(7, 30, 333, kind=torch.float32)
    slopes = torch.randn(7, 30)
    found = []
    for threads in 1, 2, 3:
        torch.set_num_threads(threads)
        scratch = torch.empty_like(keys.entering)
        into = [torch.zeros_like(each) for each in (asked, keys.entering, asked)]
        back(asked, keys, slopes, *into, scratch)
        found.append([forth(asked, keys, weight, scratch), *into])
    for each in found[1:]:
        assert all(map(torch.equal, each, found[0]))


@pytest.mark.parametrize(
    "other",
    [
        lambda keys: keys.transpose(1, 2).contiguous().transpose(1, 2),
        lambda keys: keys.float(),
        lambda keys: keys.to("meta"),
    ],
    ids=["in several pieces", "of another type", "elsewhere"],
)
def test_what_c_would_misread_is_refused(other):
    asked, keys, weight = made(3, 2, 5)
    functions, energies = library(torch.float64), torch.zeros(3, 2, dtype=torch.float64)
    with pytest.raises(ValueError, match="on a CPU and in one piece"):
        functions.call("forth", asked, other(keys.entering), weight, energies, 3, 2, 5)
    assert not energies.any()


def test_a_model_of_16_bits_has_the_gradients_of_32():
    """Its keys have 32 bits on a CPU, and what adds up to their gradient has them too."""
    sizes = {"embedding": 5, "hidden": 10, "alignment": 64, "maxout": 3}
    model = build("RNNsearch", 11, sizes, 0.3).bfloat16()
    source, target = pairs([(9, 7), (4, 11)], 11)
    found = torch.autograd.grad(model(source, target).sum(), list(model.parameters()))
    expected = torch.autograd.grad(model.float()(source, target).sum(), list(model.parameters()))
    for one, other in zip(found, expected, strict=True):
        assert (one.float() - other).norm() <= 0.1 * other.norm() + 1e-3


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
    asked, keys, weight = made(3, 2, 5)
    scratch = torch.empty_like(keys.entering)
    expected = in_torch(forth, asked, keys, weight, scratch.clone())
    for _ in range(2):
        assert torch.equal(forth(asked, keys, weight, scratch), expected)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert reason in said
    assert compiler_used() is None


@pytest.mark.usefixtures("compiled_anew")
def test_no_folder_to_compile_in_is_no_end(monkeypatch, capsys):
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    assert library(torch.float32) is None
    assert "TMPDIR" in capsys.readouterr().err


@pytest.mark.usefixtures("compiled_anew")
def test_threads_of_another_library_are_not_mixed_with_torchs(monkeypatch, capsys):
    torchs = native.threads_of(ctypes.CDLL(torch._C.__file__))
    answers = iter([torchs, "/another/libgomp.so.1"])
    monkeypatch.setattr(native, "threads_of", lambda loaded: next(answers))
    assert library(torch.float32) is None
    assert "its threads are not torch's" in capsys.readouterr().err


def test_a_library_without_threads_has_none():
    with pytest.raises(UserError, match="no threads for code of GCC"):
        native.threads_of(ctypes.CDLL("libc.so.6"))


@pytest.mark.usefixtures("compiled_anew")
def test_a_compiler_that_goes_during_a_training_is_told_still(monkeypatch):
    assert library(torch.float32)
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    assert compiler_used()


@pytest.mark.usefixtures("compiled_anew")
def test_elsewhere_than_on_linux_there_are_none(monkeypatch, capsys):
    monkeypatch.setattr("sys.platform", "darwin")
    assert library(torch.float32) is None
    assert not capsys.readouterr().err


@pytest.mark.usefixtures("compiled_anew")
def test_the_compiler_is_told_of_what_was_used():
    assert compiler_used() is None
    assert library(torch.float32)
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
        "assert library(torch.float32)\n"
        "assert threads() == before, threads()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
