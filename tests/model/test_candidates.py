"""The best continuations against all of them, sorted."""

import pytest
import torch

from contextnmt.model.candidates import BLOCK, best_words


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
