"""In how many bits search multiplies."""

import gzip

import pytest
import torch
from random_model import save

from contextnmt.translation.precision import Precision, set_precision
from contextnmt.translation.translate import translate, where

LINES = ["a b c", "f", "d zzz a c e", "b b"] * 25


@pytest.fixture(autouse=True)
def _as_it_was():
    yield
    set_precision(Precision.FP32)


@pytest.mark.parametrize(("precision", "of_torch"), [("fp32", "highest"), ("bf16", "medium")])
def test_it_holds_for_the_whole_process(precision, of_torch):
    where("cpu", Precision.BF16)  # what came before does not last
    where("cpu", Precision(precision))
    assert torch.get_float32_matmul_precision() == of_torch


def test_factors_of_16_bits_change_next_to_nothing(tmp_path):
    """Nothing at all, where the processor multiplies none."""
    text = tmp_path / "text.gz"
    text.write_bytes(gzip.compress("".join(f"{line}\n" for line in LINES).encode()))
    model, made = save(tmp_path / "model"), {}
    for precision in Precision:
        out = tmp_path / f"{precision}.gz"
        translate(model, [text], [12], [out], precision=precision)
        made[precision] = gzip.decompress(out.read_bytes()).decode().split("\n")
    same = sum(one == other for one, other in zip(*made.values(), strict=True))
    assert same >= 0.99 * len(LINES)
    if not torch.cpu._is_avx512_bf16_supported():
        assert same == len(LINES) + 1
