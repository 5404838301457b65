"""What all tests of models need."""

import os
import shutil
import sys
from collections.abc import Iterator

import pytest
import torch

from contextnmt.model import attention, cross_entropy, device, hidden_layer, unroll
from contextnmt.model.native import library as native
from contextnmt.model.native.library import library


@pytest.fixture(params=[True, False], ids=["exponentials of keys", "as on a GPU"])
def both_hidden_layers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each of the two ways to the hidden layer of the attention."""
    if not request.param:
        monkeypatch.setattr(hidden_layer, "LIMIT", 0.0)


@pytest.fixture(params=["in_c", "in_torch"])
def in_c_and_in_torch(request: pytest.FixtureRequest) -> None:
    """Run a test of a training on a CPU with functions in C, and without."""
    request.getfixturevalue(request.param)


@pytest.fixture(params=["in C", "in torch", "as on a GPU"])
def every_recurrence(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each of the ways to units and hidden layer in training."""
    if request.param == "in C":
        request.getfixturevalue("in_c")
    else:
        request.getfixturevalue("in_torch")
    if request.param == "as on a GPU":
        monkeypatch.setattr(hidden_layer, "LIMIT", 0.0)


@pytest.fixture
def in_c() -> None:
    """Functions in C, which there are where there is GCC."""
    if sys.platform != "linux" or not shutil.which(os.environ.get("CC", "cc")):
        pytest.skip("needs Linux and GCC")
    assert library("hidden_layer.c", torch.float32)


@pytest.fixture
def in_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where nothing can be compiled."""
    monkeypatch.setattr(native, "libraries", {("none.c", torch.float32): None})


@pytest.fixture
def same_threads_after() -> Iterator[None]:
    """Leave the number of threads as it was."""
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def two_threads(same_threads_after: None) -> None:
    """Run a test with two threads."""
    torch.set_num_threads(2)


@pytest.fixture
def compiled_anew(in_c: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has compiled nothing yet."""
    monkeypatch.setattr(native, "libraries", {})


@pytest.fixture(params=[True, False], ids=["asked", "as on a GPU"])
def both_devices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test on a CPU as itself, and as a device that may not be asked where padding is."""
    if not request.param:
        monkeypatch.setattr(device, "ANSWERING", set())


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the CPU do as a GPU does with Triton, in blocks so small that there are several."""
    pytest.importorskip("triton", reason="needs Triton, which there is for Linux")
    if torch.cuda.is_available():
        pytest.skip("a GPU compiles these functions: tests/training/test_gpu.py holds them there")
    from contextnmt.model.fused import attending, attention_kernels, units
    from contextnmt.model.fused import cross_entropy as losses

    monkeypatch.setattr(device, "ANSWERING", set())
    for module in attention, cross_entropy, unroll:
        monkeypatch.setattr(module, "fuses", lambda tensor: True)
    for module in attending, units, losses:
        monkeypatch.setattr(module, "BLOCK", 8)
    monkeypatch.setattr(attention_kernels, "NUMBERS", attention_kernels.tl.constexpr(4))


@pytest.fixture(params=["in_c", "in_torch", "fused"])
def every_loss(request: pytest.FixtureRequest) -> None:
    """Run a test with each of the ways to the losses: on a CPU, anywhere, and on a GPU."""
    request.getfixturevalue(request.param)


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    """Models so small gain nothing from more, and threads that share a core wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
