"""The output layer of search."""

import math

import pytest
import torch
from torch import nn

from contextnmt.model.inference import BLOCK, LIKELIEST, OutputLayer

ROWS, SIZE, WORDS = 20, 24, 700


def layer_and_features(words=WORDS):
    """Random ones, whose logits are far from zero: bfloat16 has few of the bits of such."""
    torch.manual_seed(2)
    layer = nn.Linear(SIZE, words)
    nn.init.normal_(layer.weight)
    nn.init.normal_(layer.bias, mean=30.0)
    return layer, torch.randn(ROWS, SIZE)


def log_probabilities(layer, features, bf16):
    """Of all words; those that fill up the last block are impossible."""
    found = OutputLayer(layer, bf16).log_probabilities(features)
    words = layer.out_features
    assert found.size(1) == math.ceil(words / BLOCK) * BLOCK
    assert found[:, words:].isneginf().all()
    return found[:, :words]


@torch.inference_mode()
def test_in_bfloat16_the_likeliest_words_are_exact():
    layer, features = layer_and_features()
    exact = layer(features).log_softmax(1)
    found = log_probabilities(layer, features, bf16=True)
    assert (found.exp().sum(1) - 1).abs().max() < 1e-5
    best = exact.topk(LIKELIEST // 2).indices  # of the others some may be taken for less likely
    errors = (found - exact).abs()
    assert errors.gather(1, best).max() < 0.01
    assert errors.max() > 0.05  # as large as the roundings are


@torch.inference_mode()
@pytest.mark.parametrize(("words", "bf16"), [(WORDS, False), (LIKELIEST - 1, True)])
def test_in_32_bits_or_of_few_words_it_is_the_layer(words, bf16):
    layer, features = layer_and_features(words)
    found = log_probabilities(layer, features, bf16)
    torch.testing.assert_close(found, layer(features).log_softmax(1), rtol=1e-5, atol=1e-4)
