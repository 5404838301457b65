"""Functions in C, against torch's ways to the same numbers."""

import ctypes
import gc
import re
import subprocess
import sys
import weakref

import pytest
import torch
from model.architectures import build, pairs

from contextnmt.errors import UserError
from contextnmt.model import cross_entropy
from contextnmt.model.hidden_layer import Keys, back, forth
from contextnmt.model.native import cross_entropy as losses_in_c
from contextnmt.model.native import library as native
from contextnmt.model.native import units as native_units
from contextnmt.model.native.library import Numbers, compiler_used, library
from contextnmt.model.native.units import choose
from contextnmt.model.units import GRUUnit, LSTMUnit

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
def compiled_anew(in_c, monkeypatch):
    monkeypatch.setattr(native, "libraries", {})


def made(sentences, positions, size, kind=torch.float64):
    """Exponentials of queries and keys; a weight."""
    torch.manual_seed(1)
    shapes = [(sentences, size), (sentences, positions, size), (1, size)]
    asked, keys, weight = (torch.randn(shape, dtype=kind) for shape in shapes)
    return asked.exp(), Keys(keys.exp(), True), weight


def in_torch(function, *arguments):
    """What a function of `hidden_layer` does where nothing can be compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "libraries", {("none.c", torch.float32): None})
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


def test_a_model_of_16_bits_has_the_gradients_of_32():
    """Its keys have 32 bits on a CPU, and what adds up to their gradient has them too."""
    sizes = {"embedding": 5, "hidden": 10, "alignment": 64, "maxout": 3}
    model = build("RNNsearch", 11, sizes, 0.3).bfloat16()
    source, target = pairs([(9, 7), (4, 11)], 11)
    found = torch.autograd.grad(model(source, target).sum(), list(model.parameters()))
    expected = torch.autograd.grad(model.float()(source, target).sum(), list(model.parameters()))
    for one, other in zip(found, expected, strict=True):
        assert (one.float() - other).norm() <= 0.1 * other.norm() + 1e-3


#: Types of matrices and of all else.
TYPES = [
    (torch.float32, torch.float32),
    (torch.float64, torch.float64),
    (torch.bfloat16, torch.float32),
]


def weights_of(kind, directions, size, lower):
    blocks = [4] if kind is LSTMUnit else [1, 2]
    return [torch.randn(directions, each * size, size).to(lower) / size**0.5 for each in blocks]


def wide(directions, batch, size, kind):
    """Rows [D, B, size] that are a part of more."""
    whole = torch.randn(directions, batch + 2, size, dtype=torch.float64).to(kind).fill_(7)
    whole[:, 1 : batch + 1].normal_()
    return whole[:, 1 : batch + 1]


def around(rows):
    """All that such rows are a part of."""
    directions, batch, size = rows.shape
    return rows.as_strided((directions, batch + 2, size), rows.stride(), 0)


def one_way(unit, inputs, memory, gradient, lower):
    """All that a step of a unit makes, forth and back, and what lies around its results."""
    out = wide(*memory[0].shape, memory[0].dtype).fill_(7)
    after, trace = unit.step(inputs, memory, out)
    of_inputs = wide(*inputs.shape, lower).fill_(7)
    before = unit.back(trace, tuple(each.clone() for each in gradient), of_inputs)
    assert torch.equal(after[0].nan_to_num(), out.nan_to_num())
    return [*after, *before, around(out), around(of_inputs)]


def unit_of(kind, weights, state):
    return choose(kind, weights[0], state)(*weights)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("inputs_in", ["lower", "exact"])
@pytest.mark.parametrize("shape", [(1, 0, 3), (1, 1, 1), (2, 3, 5), (2, 20, 333)], ids=str)
def test_a_step_of_a_unit_is_that_of_torch(shape, inputs_in, lower, exact, kind):
    torch.manual_seed(1)
    directions, batch, size = shape
    weights = weights_of(kind, directions, size, lower)
    width = weights[0].size(1) if kind is LSTMUnit else 3 * size
    inputs = wide(directions, batch, width, lower if inputs_in == "lower" else exact)
    memory = tuple(wide(*shape, exact) for _ in kind(*weights).start(wide(*shape, exact)))
    gradient = tuple(torch.randn(shape, dtype=exact) for _ in memory)
    unit = unit_of(kind, weights, memory[0])
    assert type(unit) is native_units.NATIVE[kind]
    plain = in_torch(unit_of, kind, weights, memory[0])
    assert type(plain) is kind
    ways = [one_way(each, inputs, memory, gradient, lower) for each in (unit, plain)]
    allowed = {torch.float64: 1e-13, torch.float32: 1e-5, torch.bfloat16: 0.06}[lower]
    torch.testing.assert_close(*ways, rtol=0, atol=allowed)


@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
def test_units_in_c_are_for_such_memory_alone(kind):
    weights, state = weights_of(kind, 1, 3, torch.float32), torch.zeros(1, 2, 3)
    assert type(unit_of(kind, weights, state.bfloat16())) is kind
    assert type(unit_of(kind, [each.half() for each in weights], state.half())) is kind


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize("name", ["RNNsearch", "RNNencdec"])
@pytest.mark.parametrize("way", [torch.no_grad, torch.inference_mode])
def test_where_no_gradients_are_wanted_units_and_losses_are_not_in_c(name, way):
    sizes = {"embedding": 5, "hidden": 10, "alignment": 64, "maxout": 3}
    model = build(name, 11, sizes, 0.3)
    source, target = pairs([(9, 7), (4, 11)], 11)
    with way():
        model(source, target)
    assert {source for source, _ in native.libraries} <= {"hidden_layer.c"}
    model(source, target)
    assert {source for source, _ in native.libraries} >= {"units.c", "cross_entropy.c"}


@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
def test_what_is_open_or_closed_or_no_number_is_so_in_all_that_a_step_makes(kind, lower, exact):
    values = [0, 40, -40, 1e4, -1e4, torch.inf, -torch.inf, torch.nan]
    size, blocks = len(values) ** 2, 4 if kind is LSTMUnit else 3
    every = torch.tensor(values, dtype=exact)
    one, other = every.repeat(len(values)), every.repeat_interleave(len(values))
    weights = [torch.zeros_like(each) for each in weights_of(kind, 1, size, lower)]
    inputs = torch.cat([one, other, one.flip(0), other.roll(1)][:blocks]).view(1, 1, -1)
    memory = tuple(torch.linspace(-1, 1, size).to(exact).view(1, 1, -1) for _ in "sc")
    memory = memory if kind is LSTMUnit else memory[:1]
    gradient = tuple(torch.where(one == 40, torch.nan, 1).to(exact).view(1, 1, -1) for _ in memory)
    unit = unit_of(kind, weights, memory[0])
    plain = in_torch(unit_of, kind, weights, memory[0])
    ways = [one_way(each, inputs, memory, gradient, lower) for each in (unit, plain)]
    assert ways[0][0].isnan().any()
    allowed = {torch.float64: 1e-14, torch.float32: 1e-6, torch.bfloat16: 1e-2}[lower]
    torch.testing.assert_close(*ways, rtol=0, atol=allowed, equal_nan=True)


def test_numbers_are_rounded_to_bfloat16_as_torch_does():
    torch.manual_seed(1)
    bits = torch.randint(-(2**31), 2**31, (100_000,)).to(torch.int32)
    numbers = torch.cat([bits.view(torch.float32), torch.tensor([torch.inf, torch.nan, -0.0])])
    state = numbers.view(1, 1, -1)
    functions = library("units.c", torch.bfloat16)
    of_inputs = torch.empty(1, 1, 3 * numbers.numel(), dtype=torch.bfloat16)
    exact, nothing = functions.numbers.whole, torch.zeros_like(state)
    gates = torch.ones(1, 1, 2 * numbers.numel())  # through which the gradient goes unchanged
    arguments = exact(gates), exact(nothing), exact(state), *functions.lower.rows(of_inputs)
    functions.call("gru_back", *arguments, *state.shape)
    found, expected = of_inputs[0, 0, : len(numbers)], numbers.bfloat16()
    assert torch.equal(found.isnan(), expected.isnan())
    assert torch.equal(found.nan_to_num(7), expected.nan_to_num(7))


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (5, 16), (30, 1000)], ids=str)
def test_losses_and_slopes_are_those_of_torch(shape, lower, exact):
    torch.manual_seed(1)
    logits = (5 * torch.randn(shape, dtype=exact)).to(lower)
    logits[:, -1:] = -torch.inf if shape[1] > 1 else 0  # as of a word that there is not
    target = torch.randint(0, max(1, shape[1] - 1), shape[:1])
    ways = []
    for into in (
        lambda *tensors: losses_in_c.into_slopes(library(losses_in_c.SOURCE, lower), *tensors),
        cross_entropy.into_slopes,
    ):
        slopes = logits.clone()
        sums, losses = (torch.full(shape[:1], torch.nan, dtype=exact) for _ in range(2))
        into(slopes, target, sums, losses)
        ways.append([slopes, sums, losses])
    precise = 1e-12 if exact == torch.float64 else 1e-5
    torch.testing.assert_close(ways[0][1:], ways[1][1:], rtol=precise, atol=precise)
    coarse = 2**-7 if lower == torch.bfloat16 else precise
    torch.testing.assert_close(ways[0][0], ways[1][0], rtol=coarse, atol=precise)


@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
def test_slopes_of_a_sure_word_among_many_lose_nothing(lower, exact):
    """In a sum near 1 what each of the others has would be lost."""
    torch.manual_seed(1)
    logits = torch.randn(3, 30_000, dtype=exact)
    logits[0, 70], logits[1, 29_999] = 18.0, 22.0
    logits = logits.to(lower)
    target = torch.tensor([70, 29_999, 0])
    sums, losses = torch.empty(3, dtype=exact), torch.empty(3, dtype=exact)
    slopes = logits.clone()
    losses_in_c.into_slopes(library(losses_in_c.SOURCE, lower), slopes, target, sums, losses)
    true = logits.double()
    expected = torch.nn.functional.cross_entropy(true, target, reduction="none")
    allowed = 1e-12 if exact == torch.float64 else 1e-6
    torch.testing.assert_close(losses.double(), expected, rtol=0, atol=allowed)
    true = true.softmax(1)
    places = torch.arange(3), target
    true[places] = 0
    true[places] = -true.sum(1)
    found = slopes.double() / sums.double().unsqueeze(1)
    precise = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2**-8}[lower]
    torch.testing.assert_close(found, true, rtol=precise, atol=0)


@pytest.mark.parametrize("place", [0, 3, 9])
@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_one_logit_that_is_no_number_makes_a_loss_that_is_none(value, place):
    functions, logits = library(losses_in_c.SOURCE, torch.float32), torch.randn(2, 10)
    logits[0, place] = value
    sums, losses = torch.empty(2), torch.empty(2)
    losses_in_c.into_slopes(functions, logits, torch.tensor([3, 3]), sums, losses)
    assert losses.isnan().tolist() == [True, False]


@pytest.mark.parametrize("word", [-1, 10])
def test_a_target_that_is_no_word_is_refused(word):
    functions, logits = library(losses_in_c.SOURCE, torch.float32), torch.randn(2, 10)
    sums, losses = torch.empty(2), torch.empty(2)
    with pytest.raises(IndexError, match="of 10 words"):
        losses_in_c.into_slopes(functions, logits, torch.tensor([3, word]), sums, losses)


@pytest.mark.parametrize("kind", [LSTMUnit, GRUUnit])
def test_threads_change_no_digit_of_units_and_losses(kind):
    torch.manual_seed(1)
    weights = weights_of(kind, 2, 40, torch.float32)
    inputs = torch.randn(2, 60, 160 if kind is LSTMUnit else 120)
    memory = tuple(torch.randn(2, 60, 40) for _ in kind(*weights).start(torch.zeros(2, 60, 40)))
    logits, target = torch.randn(33, 1000), torch.randint(0, 1000, (33,))
    found, functions = [], library(losses_in_c.SOURCE, torch.float32)
    products = torch.bmm(memory[0], weights[-1].transpose(1, 2))
    for threads in 1, 2, 3:
        torch.set_num_threads(threads)
        unit = unit_of(kind, weights, memory[0])
        with pytest.MonkeyPatch.context() as patch:  # whose digits threads may change
            patch.setattr(torch, "bmm", lambda one, other: products[:, :, : other.size(2)].clone())
            patch.setattr(native_units, "add_product", lambda to, *_: to)
            made = one_way(unit, inputs, memory, memory, torch.float32)
        slopes, sums, losses = logits.clone(), torch.empty(33), torch.empty(33)
        losses_in_c.into_slopes(functions, slopes, target, sums, losses)
        found.append([*made, slopes, sums, losses])
    for each in found[1:]:
        assert all(map(torch.equal, each, found[0]))


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
