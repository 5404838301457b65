"""Sentences without their padding, and what recurrent networks make of them."""

import pytest
import torch

from contextnmt.model.encoder import GRU, LSTM, side_by_side
from contextnmt.model.padding import Packed

LENGTHS = torch.tensor([2, 5, 1, 5, 3])
TIME = 6
REAL = torch.arange(TIME) < LENGTHS.unsqueeze(1)


@pytest.fixture
def embedded() -> torch.Tensor:
    torch.manual_seed(3)
    return torch.randn(len(LENGTHS), TIME, 4, dtype=torch.double)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("way", [0, 1])
def test_what_was_packed_comes_back(embedded: torch.Tensor, padded: bool, way: int) -> None:
    packed = Packed(LENGTHS, TIME, padded)
    words = packed.pack(embedded, way)
    assert len(words) == sum(packed.sizes) == (embedded[..., 0].numel() if padded else REAL.sum())
    assert torch.equal(packed.unpack(words, way)[REAL], embedded[REAL])
    assert padded or not packed.unpack(words, way)[~REAL].any()


def test_each_step_has_the_sentences_that_are_long_enough(embedded: torch.Tensor) -> None:
    packed = Packed(LENGTHS, TIME, padded=False)
    assert packed.sizes == [5, 4, 3, 2, 2, 0]
    forth, back = (packed.pack(embedded, way)[:5] for way in (0, 1))
    longest_first = [1, 3, 4, 0, 2]
    assert torch.equal(forth, embedded[longest_first, 0])
    assert torch.equal(back, embedded[longest_first, LENGTHS[longest_first] - 1])


@pytest.mark.parametrize("kind", [LSTM, GRU])
def test_padding_changes_no_state(embedded: torch.Tensor, kind: type[LSTM | GRU]) -> None:
    torch.manual_seed(5)
    networks = [kind(4, 3).double(), kind(4, 3).double()]
    found = []
    for padded in (False, True):
        packed = Packed(LENGTHS, TIME, padded)
        words = [packed.pack(embedded, way) for way in (0, 1)]
        states = side_by_side(networks, words, packed.sizes)
        found.append([packed.unpack(states[way], way)[REAL] for way in (0, 1)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-14)


def test_states_of_lstms_are_those_of_torch(embedded: torch.Tensor) -> None:
    torch.manual_seed(5)
    networks = [LSTM(4, 3).double(), LSTM(4, 3).double()]
    for network in networks:
        for bias in (network.bias_ih_l0, network.bias_hh_l0):
            torch.nn.init.normal_(bias)
    packed = Packed(LENGTHS, TIME, padded=True)
    words = [packed.pack(embedded, way) for way in (0, 1)]
    ours = side_by_side(networks, words, packed.sizes)
    for network, states, read in zip(networks, ours, words, strict=True):
        steps, expected = (torch.unflatten(each, 0, (TIME, -1)) for each in (read, states))
        found, _ = network(steps.transpose(0, 1))
        torch.testing.assert_close(found.transpose(0, 1), expected, rtol=0, atol=1e-14)
