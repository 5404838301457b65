"""Functions in C, against torch's ways to the same numbers."""

import shutil
import subprocess
import sys

import pytest
import torch

from contextnmt.model import hidden_layer
from contextnmt.model.hidden_layer import Keys, back, forth
from contextnmt.model.native.library import library

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="needs Linux and a C compiler, cc"
)

BOTH = [torch.float32, torch.float64]
#: Of which the last two have work for several threads.
SHAPES = [(0, 2, 3), (1, 1, 1), (3, 2, 5), (1, 40, 1000), (7, 30, 333)]


@pytest.fixture
def two_threads():
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)


@pytest.fixture
def compiled_anew():
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
    assert library(kind)
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
    scratch = torch.empty_like(keys.entering)
    back(asked, keys, slopes, *found, scratch)
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
    torch.set_num_threads(1)
    for each in found[1:]:
        assert all(map(torch.equal, each, found[0]))


def test_tensors_in_several_pieces_are_refused():
    asked, keys, weight = made(3, 2, 5)
    scattered = Keys(keys.entering.transpose(1, 2).contiguous().transpose(1, 2), True)
    with pytest.raises(ValueError, match="in several pieces"):
        forth(asked, scattered, weight, torch.empty_like(keys.entering))


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize(
    ("compiler", "reason"),
    [
        ("no-such-compiler -v", "no-such-compiler makes nothing that runs here: [Errno 2]"),
        ("false", "false makes nothing that runs here: exit status 1"),
        ("true", "true makes nothing that runs here: "),  # no file, with which to load
        ("cc -fno-such-thing", "no-such-thing"),
    ],
)
def test_where_nothing_can_be_compiled_it_says_so_once_and_goes_on(
    compiler, reason, monkeypatch, capsys
):
    monkeypatch.setenv("CC", compiler)
    asked, keys, weight = made(3, 2, 5)
    scratch = torch.empty_like(keys.entering)
    expected = in_torch(forth, asked, keys, weight, scratch.clone())
    for _ in range(2):
        assert torch.equal(forth(asked, keys, weight, scratch), expected)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert reason in said


@pytest.mark.usefixtures("compiled_anew")
def test_threads_of_another_library_are_not_mixed_with_torchs(monkeypatch, capsys):
    monkeypatch.setattr("pathlib.Path.read_text", lambda *_, **__: "0-1 r-xp 0 0:0 0 /x/libomp.so")
    assert library(torch.float32) is None
    assert "libgomp" in capsys.readouterr().err


def test_the_library_of_threads_is_torchs_own():
    """The threads of another would wait for the same processor cores."""
    script = (
        "import torch\n"
        "from contextnmt.model.native.library import library\n"
        "def threads():\n"
        "    lines = open('/proc/self/maps').read().split('\\n')\n"
        "    return {line.split(maxsplit=5)[5] for line in lines if 'omp' in line}\n"
        "before = threads()\n"
        "assert before\n"
        "assert library(torch.float32)\n"
        "assert threads() == before, threads()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
