"""The batched beam search against a slow one of a sentence at a time, on random models."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from model.architectures import ARCHITECTURES, OTHERS, build, every
from slow_search import slow_search
from torch.nn.utils.rnn import pad_sequence

from contextnmt.configuration.model import ModelSettings
from contextnmt.model import arithmetic, hidden_layer, inference
from contextnmt.model.translator import Translator
from contextnmt.translation import beam
from contextnmt.translation.beam import beam_search
from contextnmt.translation.ensemble import Ensemble

END, UNKNOWN, WORDS = 1, 2, 8
SIZES = {"embedding": 5, "hidden": 6, "alignment": 4, "maxout": 5}
SOURCES = [[3, 2, 5], [4], [2, 7]]
NAMES = [*ARCHITECTURES, *OTHERS]


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    """Let the few words of these models fill several blocks of the output layer."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inference, "BLOCK", 3)
        yield


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


def same(found, expected):
    """The hypotheses that the slow search found, in its order, with its scores."""
    assert [each.ids for each in found] == [words for _, words in expected.expected]
    assert all(each.finished == bool(expected.finished) for each in found)
    scores = [score for score, _ in expected.expected]
    assert [each.score for each in found] == pytest.approx(scores, abs=1e-9)


@every
@torch.inference_mode()
def test_every_architecture(name):
    model = random_model(name, 1)
    sources = [[*words, END] for words in SOURCES]
    for width in (1, 2, 5, 12):
        lists = beam_search(model, padded(sources), width, END, every=True)
        for source, found in zip(sources, lists, strict=True):
            same(found, slow_search([model], source, width, END))
    for minimum in (0.5, 0.0, 1.0):
        greedy = model.greedy(padded(sources), END, minimum).tolist()
        lists = beam_search(model, padded(sources), 1, END, minimum_length=minimum)
        for words, [found] in zip(greedy, lists, strict=True):
            assert found.ids == (words[: words.index(END)] if END in words else words)


@torch.inference_mode()
def test_without_a_minimum_length_the_first_word_may_be_the_end():
    model = random_model("Choi", 1, end=50.0)
    sources = padded([[*words, END] for words in ([3, 2, 5, 4], [4])])
    for minimum, lengths in {0.0: [0, 0], 0.5: [2, 1], 1.0: [5, 2]}.items():
        lists = beam_search(model, sources, 3, END, minimum_length=minimum)
        assert [len(found.ids) for [found] in lists] == lengths
        assert all(found.finished for [found] in lists)


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
        "minimum": draw(st.sampled_from([0.0, 0.3, 0.5, 1.0])),
    }


def in_batches(model, task, every):
    sources, size = task["sources"], task["size"]
    for start in range(0, len(sources), size):
        batch = padded(sources[start : start + size])
        limits = task["forbidden"], every, task["minimum"]
        yield from beam_search(model, batch, task["width"], END, *limits)


@given(tasks())
@settings(max_examples=40, deadline=None)
@torch.inference_mode()
def test_any_batch_order_and_width(task):
    lists = in_batches(task["model"], task, True)
    best = in_batches(task["model"], task, False)
    for source, found, [first] in zip(task["sources"], lists, best, strict=True):
        limits = task["forbidden"], task["minimum"]
        expected = slow_search([task["model"]], source, task["width"], END, *limits)
        same(found, expected)
        same([first], expected._replace(finished=expected.finished[:1]))
        assert task["forbidden"] not in [word for each in found for word in each.ids]


def test_where_every_word_is_forbidden_nothing_is_found():
    """Two symbols of source ask for one word before the end, and there is none but padding."""
    model = Translator(ModelSettings(5, 6, 4, 5, initialisation="glorot"), WORDS, 2)
    [[found]] = beam_search(model, torch.tensor([[3, END]]), 2, END, forbidden=0)
    assert (found.ids, found.score, found.finished) == ([], -torch.inf, False)


@pytest.mark.parametrize("width", [1, 5])
@torch.inference_mode()
def test_an_ensemble_takes_the_mean_of_probabilities(width):
    models = [random_model(name, seed) for seed, name in enumerate(["Choi", "RNNsearch", "Choi+C"])]
    sources = [[*words, END] for words in SOURCES]
    together = beam_search(Ensemble(models), padded(sources), width, END, UNKNOWN, every=True)
    for source, found in zip(sources, together, strict=True):
        same(found, slow_search(models, source, width, END, UNKNOWN))


@pytest.mark.parametrize("width", [1, 6])
@pytest.mark.parametrize("name", ["Choi+C", "RNNsearch"])
@torch.inference_mode()
def test_as_on_a_gpu_which_is_seldom_asked(name, width, monkeypatch):
    """Drop finished sentences at every eighth step, compute logits and attention of one at a time,
    and take no exponentials of keys."""
    monkeypatch.setitem(beam.LOOK, "cpu", 8)
    for most in (beam.LOGITS, inference.HIDDEN):
        monkeypatch.setitem(most, "cpu", 1)
    monkeypatch.setattr(hidden_layer, "LIMIT", 0.0)
    monkeypatch.setattr(arithmetic, "CPU_TYPES", set())
    model = random_model(name, 2, end=1.0)
    sources = [[*words, END] for words in SOURCES]
    lists = beam_search(model, padded(sources), width, END, every=True)
    best = beam_search(model, padded(sources), width, END)
    for source, found, [first] in zip(sources, lists, best, strict=True):
        expected = slow_search([model], source, width, END)
        same(found, expected)
        assert first.ids == found[0].ids
