"""In how many bits search multiplies."""

import gzip

import pytest
import torch
from random_model import save

from contextnmt.configuration.model import ContextualizerSettings
from contextnmt.translation.saved import Precision, in_bfloat16, set_precision
from contextnmt.translation.translate import translate

LINES = ["a b c", "f", "d zzz a c e", "b b"] * 25
CPU, GPU = torch.device("cpu"), torch.device("cuda")


@pytest.fixture
def as_it_was():
    yield
    set_precision(Precision.FP32, GPU)


def able(monkeypatch, **capabilities):
    """Let the processor be able to do so much."""
    found = {"avx2": True, "cpu_name": "bf16", "l2_cache_size": 2**20, **capabilities}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)


@pytest.mark.parametrize("name", ["avx512_bf16", "amx_bf16", "bf16"])
def test_a_processor_that_multiplies_bfloat16_does_if_it_is_asked_for(name, monkeypatch):
    able(monkeypatch, **{name: True})
    assert in_bfloat16(Precision.BF16, CPU)
    assert not in_bfloat16(Precision.FP32, CPU)
    assert not in_bfloat16(Precision.BF16, GPU)  # which rounds to TF32
    able(monkeypatch, **{name: False})
    assert not in_bfloat16(Precision.BF16, CPU)


@pytest.mark.usefixtures("as_it_was")
def test_a_gpu_rounds_to_tf32_until_it_is_told_otherwise():
    """torch keeps the switch on machines without a GPU too."""
    for precision in (Precision.BF16, Precision.FP32):
        set_precision(precision, GPU)
        assert torch.backends.cuda.matmul.allow_tf32 == (precision is Precision.BF16)
    set_precision(Precision.BF16, CPU)
    assert not torch.backends.cuda.matmul.allow_tf32


@pytest.mark.parametrize(
    "settings", [{"cell": "gru"}, {"contextualizer": ContextualizerSettings((4, 3))}]
)
def test_matrices_of_16_bits_change_next_to_nothing(settings, tmp_path, monkeypatch):
    """On any machine: torch multiplies bfloat16 on all, if not as fast."""
    text = tmp_path / "text.gz"
    text.write_bytes(gzip.compress("".join(f"{line}\n" for line in LINES).encode()))
    model, made = save(tmp_path / "model", **settings), {}
    able(monkeypatch, avx512_bf16=True)
    for precision in Precision:
        out, scores = tmp_path / f"{precision}.gz", tmp_path / f"{precision}.nbest.jsonl.gz"
        translate(model, [text], [12], [out], precision=precision, nbest=1)
        lines = gzip.decompress(out.read_bytes()).decode().split("\n")
        made[precision] = lines, scores.read_bytes()
    (fp32, exact), (bf16, rounded) = made.values()
    assert fp32 == bf16
    assert exact != rounded  # it did round
