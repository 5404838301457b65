"""The batched beam search against a slow one of a sentence at a time, on random models."""

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from model.architectures import ARCHITECTURES, OTHERS, build, every
from slow_search import slow_search
from torch.nn.utils.rnn import pad_sequence

from contextnmt.model import device
from contextnmt.translation import beam
from contextnmt.translation.beam import beam_search
from contextnmt.translation.ensemble import Ensemble

END, UNKNOWN, WORDS = 1, 2, 8
SIZES = {"embedding": 5, "hidden": 6, "alignment": 4, "maxout": 5}
SOURCES = [[3, 2, 5], [4], [2, 7]]
NAMES = [*ARCHITECTURES, *OTHERS]

#: Scores that differ by less may change places in 32 bits.
NEAR = 1e-5


def random_model(name, seed, end=0.0):
    """A model in 64 bits without a zero in it; `end` is the bias of end-of-sentence."""
    model = build(name, WORDS, SIZES)
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.7)
        output = model.readout.output
        (output[-1] if isinstance(output, torch.nn.Sequential) else output).bias[END] = end
    return model.double().eval()


def padded(sentences):
    return pad_sequence([torch.tensor(each) for each in sentences], batch_first=True)


def same(found, expected, tolerance=1e-9):
    """The hypotheses that the slow search found, in its order, with its scores."""
    assert [each.ids for each in found] == [words for _, words in expected.expected]
    assert all(each.finished == bool(expected.finished) for each in found)
    scores = [score for score, _ in expected.expected]
    assert [each.score for each in found] == pytest.approx(scores, abs=tolerance)


@every
@torch.inference_mode()
def test_every_architecture(name):
    model = random_model(name, 1)
    sources = [[*words, END] for words in SOURCES]
    for width in range(1, 13):
        lists = beam_search(model, padded(sources), width, END, every=True)
        best = beam_search(model, padded(sources), width, END)
        for source, found, [first] in zip(sources, lists, best, strict=True):
            expected = slow_search([model], source, width, END)
            same(found, expected)
            assert (first.ids, first.finished) == (found[0].ids, found[0].finished)
            assert first.score == pytest.approx(found[0].score, abs=1e-9)


@st.composite
def tasks(draw):
    """A model, sentences in any order, cut into batches of any size, a width, a word forbidden."""
    words = st.integers(UNKNOWN, WORDS - 1)
    sentences = draw(st.lists(st.lists(words, min_size=1, max_size=4), min_size=1, max_size=4))
    model = (draw(st.sampled_from(NAMES)), draw(st.integers(0, 99)), draw(st.floats(-3, 3)))
    return {
        "model": random_model(*model),
        "sources": [[*sentence, END] for sentence in draw(st.permutations(sentences))],
        "size": draw(st.integers(1, 4)),
        "width": draw(st.integers(1, 12)),
        "forbidden": draw(st.sampled_from([None, UNKNOWN])),
    }


def in_batches(model, task, every):
    sources, size = task["sources"], task["size"]
    for start in range(0, len(sources), size):
        batch = padded(sources[start : start + size])
        yield from beam_search(model, batch, task["width"], END, task["forbidden"], every)


@given(tasks())
@settings(max_examples=40, deadline=None)
@torch.inference_mode()
def test_any_batch_order_and_width(task):
    lists = in_batches(task["model"], task, True)
    best = in_batches(task["model"], task, False)
    for source, found, [first] in zip(task["sources"], lists, best, strict=True):
        expected = slow_search([task["model"]], source, task["width"], END, task["forbidden"])
        same(found, expected)
        same([first], expected._replace(finished=expected.finished[:1]))
        assert task["forbidden"] not in [word for each in found for word in each.ids]


@given(tasks())
@settings(max_examples=25, deadline=None)
@torch.inference_mode()
def test_32_bits_find_the_same_where_scores_are_apart(task):
    expected = [
        slow_search([task["model"]], source, task["width"], END, task["forbidden"])
        for source in task["sources"]
    ]
    assume(any(each.gap > NEAR for each in expected))
    for found, each in zip(in_batches(task["model"].float(), task, True), expected, strict=True):
        if each.gap > NEAR:
            same(found, each, tolerance=1e-4)


@pytest.mark.parametrize("width", [1, 3, 7])
@torch.inference_mode()
def test_an_ensemble_takes_the_mean_of_probabilities(width):
    models = [random_model(name, seed) for seed, name in enumerate(["Choi", "RNNsearch", "Choi+C"])]
    sources = [[*words, END] for words in SOURCES]
    together = beam_search(Ensemble(models), padded(sources), width, END, UNKNOWN, every=True)
    for source, found in zip(sources, together, strict=True):
        same(found, slow_search(models, source, width, END, UNKNOWN))


@pytest.mark.parametrize("width", [1, 2, 6])
@pytest.mark.parametrize("name", ["Choi", "Choi+C", "RNNsearch"])
@torch.inference_mode()
def test_as_on_a_gpu_which_is_seldom_asked(name, width, monkeypatch):
    """Drop finished sentences at every eighth step, and compute the logits of one at a time."""
    monkeypatch.setitem(beam.LOOK, "cpu", 8)
    monkeypatch.setitem(beam.LOGITS, "cpu", 1)
    monkeypatch.setattr(device, "CPU_TYPES", set())
    model = random_model(name, 2, end=1.0)
    sources = [[*words, END] for words in SOURCES]
    lists = beam_search(model, padded(sources), width, END, every=True)
    best = beam_search(model, padded(sources), width, END)
    for source, found, [first] in zip(sources, lists, best, strict=True):
        expected = slow_search([model], source, width, END)
        same(found, expected)
        assert first.ids == found[0].ids
