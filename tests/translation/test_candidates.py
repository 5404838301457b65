"""The best continuations against all of them, sorted."""

import pytest
import torch

from contextnmt.translation.candidates import BLOCK, best_words


@pytest.mark.parametrize("words", [1, 5, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 5 * BLOCK + 7])
@pytest.mark.parametrize(("hypotheses", "width"), [(1, 1), (1, 12), (3, 2), (12, 12), (2, 500)])
def test_they_are_the_best_of_all(words, hypotheses, width):
    torch.manual_seed(words)
    logits = 3 * torch.randn(4, hypotheses, words, dtype=torch.float64)
    scores = torch.randn(4, hypotheses, dtype=torch.float64)
    normaliser = logits.logsumexp(2)
    totals = (scores - normaliser).unsqueeze(2) + logits
    expected = totals.flatten(1).topk(min(width, hypotheses * words))
    best, origin, word = best_words(logits, normaliser, scores, width)
    torch.testing.assert_close(best, expected.values)
    assert torch.equal(origin * words + word, expected.indices)


def test_hypotheses_that_are_none_give_none():
    """All words of one hypothesis and all but a word of the other are ruled out."""
    logits = torch.full((1, 2, 100), -torch.inf)
    logits[0, 1, 77] = 2.0
    scores, normaliser = torch.tensor([[-torch.inf, -1.0]]), torch.zeros(1, 2)
    best, origin, word = best_words(logits, normaliser, scores, 3)
    assert best.tolist() == [[1.0, -torch.inf, -torch.inf]]
    assert (origin[0, 0], word[0, 0]) == (1, 77)
    assert 0 <= int(origin.min()) <= int(origin.max()) < 2
    assert 0 <= int(word.min()) <= int(word.max()) < 100
