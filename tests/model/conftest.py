"""What all tests of models need."""

from collections.abc import Iterator

import pytest
import torch

from contextnmt.model import device, hidden_layer


@pytest.fixture(params=[True, False], ids=["exponentials of keys", "as on a GPU"])
def both_hidden_layers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each of the two ways to the hidden layer of the attention."""
    if not request.param:
        monkeypatch.setattr(hidden_layer, "LIMIT", 0.0)


@pytest.fixture(params=[True, False], ids=["asked", "as on a GPU"])
def both_devices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test on a CPU as itself, and as a device that may not be asked where padding is."""
    if not request.param:
        monkeypatch.setattr(device, "ANSWERING", set())


@pytest.fixture(autouse=True, scope="package")
def one_thread() -> Iterator[None]:
    """Models so small gain nothing from more, and threads that share a core wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
