"""The loss in C, against that of torch."""

import pytest
import torch
from model.native_ways import TYPES

from contextnmt.model import cross_entropy
from contextnmt.model.native import cross_entropy as losses_in_c
from contextnmt.model.native.library import library

pytestmark = pytest.mark.usefixtures("in_c", "same_threads_after")


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (5, 16), (30, 1000)], ids=str)
def test_losses_and_slopes_are_those_of_torch(shape, lower, exact):
    torch.manual_seed(1)
    logits = (5 * torch.randn(shape, dtype=exact)).to(lower)
    logits[:, -1:] = -torch.inf if shape[1] > 1 else 0  # as of a word that there is not
    target = torch.randint(0, max(1, shape[1] - 1), shape[:1])
    ways = []
    for into in (
        lambda *tensors: losses_in_c.into_slopes(library(losses_in_c.SOURCE, lower), *tensors),
        cross_entropy.into_slopes,
    ):
        slopes = logits.clone()
        sums, losses = (torch.full(shape[:1], torch.nan, dtype=exact) for _ in range(2))
        into(slopes, target, sums, losses)
        ways.append([slopes, sums, losses])
    precise = 1e-12 if exact == torch.float64 else 1e-5
    torch.testing.assert_close(ways[0][1:], ways[1][1:], rtol=precise, atol=precise)
    coarse = 2**-7 if lower == torch.bfloat16 else precise
    torch.testing.assert_close(ways[0][0], ways[1][0], rtol=coarse, atol=precise)


@pytest.mark.parametrize(("lower", "exact"), TYPES, ids=str)
def test_slopes_of_a_sure_word_among_many_lose_nothing(lower, exact):
    """In a sum near 1 what each of the others has would be lost."""
    torch.manual_seed(1)
    logits = torch.randn(3, 30_000, dtype=exact)
    logits[0, 70], logits[1, 29_999], logits[2, 5] = 18.0, 22.0, 18.0  # the last one is wrong
    logits = logits.to(lower)
    target = torch.tensor([70, 29_999, 0])
    sums, losses = torch.empty(3, dtype=exact), torch.empty(3, dtype=exact)
    slopes = logits.clone()
    losses_in_c.into_slopes(library(losses_in_c.SOURCE, lower), slopes, target, sums, losses)
    true = logits.double()
    expected = torch.nn.functional.cross_entropy(true, target, reduction="none")
    allowed = 1e-12 if exact == torch.float64 else 1e-6
    torch.testing.assert_close(losses.double(), expected, rtol=allowed, atol=allowed)
    whole = (true - true.amax(1, keepdim=True)).exp().sum(1)
    torch.testing.assert_close(sums.double(), whole, rtol=allowed, atol=0)
    true = true.softmax(1)
    places = torch.arange(3), target
    true[places] = 0
    true[places] = -true.sum(1)
    found = slopes.double() / sums.double().unsqueeze(1)
    precise = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2**-8}[lower]
    torch.testing.assert_close(found, true, rtol=precise, atol=0)


@pytest.mark.parametrize("far", [-1000.0, -200.0, 200.0, 1000.0])
def test_it_is_the_same_loss_wherever_the_logits_are(far):
    functions, logits = library(losses_in_c.SOURCE, torch.float64), torch.randn(2, 10).double()
    target, found = torch.tensor([3, 9]), []
    for moved in logits.clone(), logits + far:
        sums, losses = (torch.empty(2, dtype=torch.float64) for _ in range(2))
        losses_in_c.into_slopes(functions, moved, target, sums, losses)
        found.append([moved, sums, losses])
    torch.testing.assert_close(*found, rtol=0, atol=1e-11)


@pytest.mark.parametrize("place", [0, 3, 9])
@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_one_logit_that_is_no_number_makes_a_loss_that_is_none(value, place):
    functions, logits = library(losses_in_c.SOURCE, torch.float32), torch.randn(2, 10)
    logits[0, place] = value
    sums, losses = torch.empty(2), torch.empty(2)
    losses_in_c.into_slopes(functions, logits, torch.tensor([3, 3]), sums, losses)
    assert losses.isnan().tolist() == [True, False]


@pytest.mark.parametrize("word", [-1, 10])
def test_a_target_that_is_no_word_is_refused(word):
    functions, logits = library(losses_in_c.SOURCE, torch.float32), torch.randn(2, 10)
    sums, losses = torch.empty(2), torch.empty(2)
    with pytest.raises(IndexError, match="of 10 words"):
        losses_in_c.into_slopes(functions, logits, torch.tensor([3, word]), sums, losses)
