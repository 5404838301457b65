"""Fixtures for all tests of models."""

from collections.abc import Iterator

import pytest
import torch

from contextnmt.model import arithmetic, attention, hidden_layer, readout, units


@pytest.fixture(params=[True, False], ids=["exponentials of keys", "as on a GPU"])
def both_hidden_layers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each of the two ways to the hidden layer of the attention."""
    if not request.param:
        monkeypatch.setattr(hidden_layer, "LIMIT", 0.0)


@pytest.fixture(params=[True, False], ids=["on a CPU", "as on a GPU"])
def both_devices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test on a CPU as itself, and as a device that must not synchronize."""
    if not request.param:
        monkeypatch.setattr(arithmetic, "CPU_TYPES", set())


@pytest.fixture
def fused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the Triton kernels on the CPU, in blocks so small that there are several."""
    pytest.importorskip("triton", reason="needs Triton, which there is for Linux")
    if torch.cuda.is_available():
        pytest.skip("a GPU compiles these functions: tests/training/test_gpu.py holds them there")
    from contextnmt.model.fused import attention_kernels, kernels, recurrences

    monkeypatch.setattr(arithmetic, "CPU_TYPES", set())
    for module in attention, readout, units:
        monkeypatch.setattr(module, "fuses", lambda tensor: True)
    monkeypatch.setattr(kernels, "BLOCK", 8)
    monkeypatch.setattr(recurrences, "UNITS", 8)
    monkeypatch.setattr(recurrences, "NUMBERS", 8)
    monkeypatch.setattr(attention_kernels, "NUMBERS", attention_kernels.tl.constexpr(4))


@pytest.fixture(params=["in torch", "fused"])
def both_losses(request: pytest.FixtureRequest) -> None:
    """Run a test with each of the ways to the losses: by torch, and as on a GPU."""
    if request.param == "fused":
        request.getfixturevalue("fused")


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    """Models so small gain nothing from more, and threads that share a core wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
