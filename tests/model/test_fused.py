"""Functions for a GPU, worked out by Triton's interpreter, against what works anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from model.architectures import build, pairs

from contextnmt.model import device
from contextnmt.model.products import Linear, aligned

WORDS = 11
SIZES = {"embedding": 5, "hidden": 10, "alignment": 9, "maxout": 3}
NAMES = ["Choi", "RNNsearch", "RNNencdec", "LSTM without attention, contextualized"]


def gradients(name, kind=torch.float64, lower=False, lengths=((6, 4), (2, 5), (1, 1))):
    """Return the gradients of the losses in a random direction, by parameter, and the losses."""
    model = build(name, WORDS, SIZES, 0.3).to(kind)
    with torch.autocast("cpu", torch.bfloat16, enabled=lower):
        losses = model(*pairs(lengths, WORDS))
    direction = torch.randn(losses.shape, dtype=torch.float64).to(kind)
    found = torch.autograd.grad((losses * direction).sum(), list(model.parameters()))
    named = {key: slope for (key, _), slope in zip(model.named_parameters(), found, strict=True)}
    return {"losses": losses.detach(), **named}


@pytest.mark.parametrize("name", NAMES)
def test_losses_and_gradients_are_those_of_what_works_anywhere(name, request):
    expected = gradients(name)
    request.getfixturevalue("fused")
    for key, found in gradients(name).items():
        torch.testing.assert_close(found, expected[key], rtol=0, atol=1e-12, msg=key)


@pytest.mark.parametrize("name", NAMES)
def test_a_target_of_one_symbol_moves_no_state(name, request):
    lengths = [(3, 1), (5, 1)]
    expected = gradients(name, lengths=lengths)
    request.getfixturevalue("fused")
    for key, found in gradients(name, lengths=lengths).items():
        torch.testing.assert_close(found, expected[key], rtol=0, atol=1e-12, msg=key)


@pytest.mark.parametrize("name", NAMES)
def test_in_bfloat16_they_are_as_good(name, request):
    exact, plain = gradients(name), gradients(name, torch.float32, lower=True)
    request.getfixturevalue("fused")
    for key, found in gradients(name, torch.float32, lower=True).items():
        true = exact[key]
        assert (found - true).norm() <= 2 * (plain[key] - true).norm() + 0.02 * true.norm(), key


def test_they_compile_and_no_batch_compiles_them_again(tmp_path):
    """For a GPU, on any machine: while a CUDA graph is captured, nothing can be compiled."""
    pytest.importorskip("triton", reason="needs Triton, which there is for Linux")
    script = Path(__file__).with_name("compile_for_gpu.py")
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(script.parents[1])}
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    first, all_batches = json.loads(done.stdout)
    assert all_batches == first
    assert min(first.values()) > 0
    assert len(first) == 12


def test_where_triton_cannot_compile_it_says_so_once(monkeypatch, capsys):
    pytest.importorskip("triton", reason="needs Triton, which there is for Linux")
    from contextnmt.model.fused import loss_kernel

    def fail(*tensors):
        raise RuntimeError("Failed to find C compiler.\nPlease specify via CC")

    monkeypatch.setattr(loss_kernel, "into_slopes", fail)
    device.compiles.cache_clear()
    try:
        assert not device.compiles(torch.device("cpu"))
        assert not device.compiles(torch.device("cpu"))
    finally:
        device.compiles.cache_clear()
    said = capsys.readouterr().err
    assert said.count("cannot compile for cpu: Failed to find C compiler.\n") == 1


def test_where_there_is_no_triton_it_says_so(monkeypatch, capsys):
    for name in [each for each in sys.modules if each.startswith("contextnmt.model.fused.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("triton", "triton.language"):
        monkeypatch.setitem(sys.modules, name, None)
    device.compiles.cache_clear()
    try:
        assert not device.compiles(torch.device("cpu"))
    finally:
        device.compiles.cache_clear()
    assert "as Triton cannot compile for cpu: " in capsys.readouterr().err


@pytest.mark.usefixtures("fused")
def test_the_probe_compiles():
    assert device.compiles(torch.device("cpu"))
    device.compiles.cache_clear()


def test_only_what_a_gpu_multiplies_in_16_bits_has_columns_added(monkeypatch):
    factors = torch.ones(2, 5), torch.ones(3, 5)

    def sizes():
        return [tuple(each.shape) for each in aligned(*factors)]

    assert sizes() == [(2, 5), (3, 5)]
    with torch.autocast("cpu", torch.bfloat16):
        assert sizes() == [(2, 5), (3, 5)]
        monkeypatch.setattr(device, "CPU_TYPES", set())
        assert sizes() == [(2, 8), (3, 8)]
    assert sizes() == [(2, 5), (3, 5)]


def test_they_change_no_product(monkeypatch):
    layer, inputs = Linear(5, 3), torch.randn(4, 5)
    with torch.autocast("cpu", torch.bfloat16):
        expected = layer(inputs)
        monkeypatch.setattr(device, "CPU_TYPES", set())
        torch.testing.assert_close(layer(inputs), expected)
