"""Beam search against exhaustive search, greedy search and the model's own likelihood."""

import itertools

import pytest
import torch

from contextnmt.configuration.model import ModelSettings
from contextnmt.model.translator import Translator
from contextnmt.translation.beam import beam_search

END, WORDS = 1, 6
SOURCE = torch.tensor([[3, 4, 5, 1], [4, 1, 0, 0], [5, 3, 1, 0], [3, 3, 5, 1]])


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = Translator(ModelSettings(5, 6, 4, 5, initialisation="glorot"), WORDS, WORDS).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model


def log_probability(model, source, words):
    """Of `words` and end-of-sentence, given the real symbols of `source`."""
    source = source[source != 0].unsqueeze(0)
    with torch.no_grad():
        return -model(source, torch.tensor([[*words, END]])).sum().item()


def test_scores_are_the_models_own(model):
    for row, [found] in zip(SOURCE, beam_search(model, SOURCE, 3, END), strict=True):
        limit = 3 * int((row != 0).sum())
        if len(found.ids) < limit:
            expected = log_probability(model, row, found.ids)
            assert found.score == pytest.approx(expected, abs=1e-4)


def test_a_beam_of_one_is_greedy_search(model):
    for scale in (0.7, 0.2, 2.0):
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=scale)
        greedy = model.greedy(SOURCE, END).tolist()
        for words, [found] in zip(greedy, beam_search(model, SOURCE, 1, END), strict=True):
            assert found.ids == (words[: words.index(END)] if END in words else words)


def test_a_beam_that_holds_everything_finds_the_best_translation(model):
    source = SOURCE[1:2]  # two symbols: one to five words
    known = [word for word in range(WORDS) if word != END]
    best = max(
        (words for n in range(1, 6) for words in itertools.product(known, repeat=n)),
        key=lambda words: log_probability(model, source[0], words),
    )
    [[found]] = beam_search(model, source, WORDS**4, END)
    assert tuple(found.ids) == best


def test_neighbours_do_not_matter(model):
    together = beam_search(model, SOURCE, 4, END)
    for row, [found] in zip(SOURCE, together, strict=True):
        [[alone]] = beam_search(model, row[row != 0].unsqueeze(0), 4, END)
        assert alone.ids == found.ids
        assert alone.score == pytest.approx(found.score, abs=1e-4)


def test_lengths_keep_to_the_limits(model):
    lengths = (SOURCE != 0).sum(1).tolist()
    for length, [found] in zip(lengths, beam_search(model, SOURCE, 5, END), strict=True):
        assert length // 2 <= len(found.ids) <= 3 * length


def test_without_an_end_the_best_open_translation_is_taken(model):
    """No second search with a wider beam: a beam of one stays greedy (A19)."""
    with torch.no_grad():
        model.readout.output.bias[END] = -100.0
    for width in (1, 3):
        for [found] in beam_search(model, SOURCE, width, END, every=True):
            assert not found.finished
    lengths = (SOURCE != 0).sum(1).tolist()
    found = [each for [each] in beam_search(model, SOURCE, 1, END)]
    assert [len(each.ids) for each in found] == [3 * length for length in lengths]
    assert not any(each.finished for each in found)


def test_a_list_is_what_the_beam_ends(model):
    with torch.no_grad():
        model.readout.output.bias[END] = 4.0
    for width in (1, 4, 12):
        for found in beam_search(model, SOURCE, width, END, every=True):
            scores = [each.score for each in found]
            assert len(found) <= width
            assert scores == sorted(scores, reverse=True)
            assert len({tuple(each.ids) for each in found}) == len(found)
            assert all(each.finished for each in found) or len(found) == 1
    assert max(map(len, beam_search(model, SOURCE, 12, END, every=True))) > 5


def test_a_forbidden_word_is_never_written(model):
    [usual] = beam_search(model, SOURCE[:1], 6, END, every=True)
    often = max(range(2, WORDS), key=lambda word: sum(word in each.ids for each in usual))
    assert any(often in each.ids for each in usual)
    for found in beam_search(model, SOURCE, 6, END, forbidden=often, every=True):
        assert not any(often in each.ids for each in found)
        assert all(each.score > -torch.inf for each in found)


def test_where_every_word_is_forbidden_nothing_is_found():
    """Two symbols of source ask for one word before the end, and there is none but padding."""
    model = Translator(ModelSettings(5, 6, 4, 5, initialisation="glorot"), WORDS, 2)
    [[found]] = beam_search(model, torch.tensor([[3, END]]), 2, END, forbidden=0)
    assert (found.ids, found.score, found.finished) == ([], -torch.inf, False)
