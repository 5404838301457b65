"""The layers of search: the output layer, the best continuations."""

import math

import pytest
import torch
from torch import nn

from contextnmt.model.inference_layers import (
    BLOCK,
    LIKELIEST,
    OutputLayer,
    best_words,
)

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


@pytest.mark.parametrize("words", [1, 5, BLOCK, 3 * BLOCK, 5 * BLOCK + 7])
@pytest.mark.parametrize(("hypotheses", "width"), [(1, 1), (1, 12), (3, 2), (12, 12), (2, 500)])
def test_they_are_the_best_of_all(words, hypotheses, width):
    torch.manual_seed(words)
    logs = (3 * torch.randn(4, hypotheses, words, dtype=torch.float64)).log_softmax(2)
    scores = torch.randn(4, hypotheses, dtype=torch.float64)
    expected = (scores.unsqueeze(2) + logs).flatten(1).topk(min(width, hypotheses * words))
    none = logs.new_full((4, hypotheses, -words % BLOCK), -torch.inf)
    best, origin, word = best_words(torch.cat([logs, none], 2), scores, width)
    count = expected.values.size(1)
    torch.testing.assert_close(best[:, :count], expected.values)
    assert torch.equal((origin * words + word)[:, :count], expected.indices)
    assert best[:, count:].isneginf().all()
    assert not word[:, count:].any()


def test_hypotheses_that_are_none_give_none():
    """All words of one hypothesis and all but a word of the other are ruled out."""
    logs = torch.full((1, 2, 2 * BLOCK), -torch.inf)
    logs[0, 1, 77] = -2.0
    scores = torch.tensor([[-torch.inf, -1.0]])
    best, origin, word = best_words(logs, scores, 3)
    assert best.tolist() == [[-3.0, -torch.inf, -torch.inf]]
    assert (origin[0, 0], word[0, 0]) == (1, 77)
    assert 0 <= int(origin.min()) <= int(origin.max()) < 2
    assert word[0, 1:].tolist() == [0, 0]
