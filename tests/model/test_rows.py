"""Rows of a batch."""

import pytest
import torch

from contextnmt.model.rows import Kept, take


@pytest.mark.parametrize("stays", [[1, 0, 1, 0, 1], [1, 1, 1], [0, 0], [0, 0, 1], [0, 1, 1, 1, 0]])
def test_those_that_stay_are_kept_alike_in_every_tensor(stays):
    stays = torch.tensor(stays, dtype=torch.bool)
    numbers = torch.arange(len(stays))
    kept, expected = Kept(stays), numbers[stays].tolist()
    found = kept.of(numbers.clone())
    assert sorted(found.tolist()) == expected
    wide = numbers.view(-1, 1, 1).expand(-1, 2, 3)
    assert torch.equal(kept.of(wide), found.view(-1, 1, 1).expand(-1, 2, 3))


def test_a_slot_is_taken_as_often_as_it_is_named():
    tensor = torch.arange(12).view(2, 3, 2)
    taken = take(tensor, torch.tensor([[2, 2, 0, 1], [1, 1, 1, 1]]))
    assert taken[0].tolist() == [[4, 5], [4, 5], [0, 1], [2, 3]]
    assert taken[1].tolist() == [[8, 9]] * 4
