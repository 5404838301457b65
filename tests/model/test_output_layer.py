"""The output layer of search: its bias, and what bfloat16 leaves exact."""

import math

import torch
from torch import nn

from contextnmt.model.candidates import BLOCK
from contextnmt.model.output_layer import LIKELIEST, OutputLayer

ROWS, SIZE, WORDS = 20, 24, 700


def layer_and_features():
    """Random ones, whose logits are far from zero: bfloat16 has few of the bits of such."""
    torch.manual_seed(2)
    layer = nn.Linear(SIZE, WORDS)
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
def test_in_32_bits_it_is_the_layer():
    layer, features = layer_and_features()
    found = log_probabilities(layer, features, bf16=False)
    torch.testing.assert_close(found, layer(features).log_softmax(1), rtol=1e-5, atol=1e-4)


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
def test_a_vocabulary_may_have_fewer_words_than_that():
    layer = nn.Linear(SIZE, LIKELIEST - 1)
    features = torch.randn(ROWS, SIZE)
    found = log_probabilities(layer, features, bf16=True)
    torch.testing.assert_close(found, layer(features).log_softmax(1), rtol=1e-5, atol=1e-4)
