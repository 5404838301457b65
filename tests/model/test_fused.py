"""Functions for a GPU, worked out by Triton's interpreter, against what works anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from model.architectures import build, pairs

from contextnmt.model import arithmetic
from contextnmt.model.arithmetic import Linear, aligned

WORDS = 11
SIZES = {"embedding": 5, "hidden": 10, "alignment": 9, "maxout": 3}
SENTENCES, ENDS = [(3, 4), (2, 2), (1, 1)], [(3, 1), (5, 1)]


def gradients(name, kind=torch.float64, lower=False, lengths=SENTENCES):
    """Return the gradients of the losses in a random direction, by parameter, and the losses."""
    model = build(name, WORDS, SIZES, 0.3).to(kind)
    with torch.autocast("cpu", torch.bfloat16, enabled=lower):
        losses = model(*pairs(lengths, WORDS))
    direction = torch.randn(losses.shape, dtype=torch.float64).to(kind)
    found = torch.autograd.grad((losses * direction).sum(), list(model.parameters()))
    named = {key: slope for (key, _), slope in zip(model.named_parameters(), found, strict=True)}
    return {"losses": losses.detach(), **named}


@pytest.mark.parametrize("name", ["Choi", "RNNsearch", "RNNencdec"])
@pytest.mark.parametrize("lengths", [SENTENCES, ENDS], ids=["sentences", "ends alone"])
def test_losses_and_gradients_are_those_of_what_works_anywhere(name, lengths, request):
    expected = gradients(name, lengths=lengths)
    request.getfixturevalue("fused")
    for key, found in gradients(name, lengths=lengths).items():
        torch.testing.assert_close(found, expected[key], rtol=0, atol=1e-12, msg=key)


@pytest.mark.parametrize("name", ["Choi", "RNNencdec"])
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


@pytest.fixture
def compiles():
    """Ask anew whether Triton compiles for a CPU, which no other test is told."""
    arithmetic.compiles.cache_clear()
    yield lambda: arithmetic.compiles(torch.device("cpu"))
    arithmetic.compiles.cache_clear()


def test_where_triton_cannot_compile_it_says_so_once(monkeypatch, capsys, compiles):
    pytest.importorskip("triton", reason="needs Triton, which there is for Linux")
    from contextnmt.model.fused import kernels

    def fail(*tensors):
        raise RuntimeError("Failed to find C compiler.\nPlease specify via CC")

    monkeypatch.setattr(kernels, "into_slopes", fail)
    assert not compiles() and not compiles()
    said = capsys.readouterr().err
    assert said.count("as long (Failed to find C compiler.). It needs") == 1


def test_where_there_is_no_triton_it_says_so(monkeypatch, capsys, compiles):
    for name in [each for each in sys.modules if each.startswith("contextnmt.model.fused.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("triton", "triton.language"):
        monkeypatch.setitem(sys.modules, name, None)
    assert not compiles()
    assert "Triton cannot compile for cpu, so " in capsys.readouterr().err


@pytest.mark.usefixtures("fused")
def test_the_probe_compiles(compiles):
    assert compiles()


def test_only_what_a_gpu_multiplies_in_16_bits_has_columns_added(monkeypatch):
    """They change no product."""
    layer, inputs = Linear(5, 3), torch.randn(4, 5)

    def size():
        return aligned(inputs, layer.weight)[0].size(1)

    assert size() == 5
    with torch.autocast("cpu", torch.bfloat16):
        assert size() == 5
        expected = layer(inputs)
        monkeypatch.setattr(arithmetic, "CPU_TYPES", set())
        assert size() == 8
        torch.testing.assert_close(layer(inputs), expected)
    assert size() == 5
