"""Beam search as the authors' code has it (spec sec. 2.7), one sentence and one hypothesis at a
time: slow, obvious, and written from the description alone."""

import math
from typing import NamedTuple

import torch


class Found(NamedTuple):
    """Results of a search: `finished` and `open` are (score, words), the best first."""

    finished: list
    open: list

    @property
    def expected(self):
        """Finished translations, or else the best open one."""
        return self.finished or self.open[:1]


class Hypothesis(NamedTuple):
    score: float
    words: list
    states: list  # of each model


def slow_search(models, source, width, end, forbidden=None, minimum=0.5):
    """Every translation that a beam of `width` ends for the ids `source`, with end-of-sentence."""
    row = torch.tensor([source])
    encoded = [model.encode(row) for model in models]
    beam = [Hypothesis(0.0, [], [each.start for each in encoded])]
    finished = []
    for step in range(1, 3 * len(source) + 1):
        if width == 0:
            break
        candidates = []
        for hypothesis in beam:
            logs, contexts = next_word(models, hypothesis.states, encoded)
            for word, log in enumerate(logs):
                too_early = word == end and step <= math.floor(minimum * len(source))
                if not too_early and word != forbidden:
                    candidates.append((hypothesis.score + log, word, hypothesis, contexts))
        candidates.sort(key=lambda candidate: -candidate[0])
        beam = []
        for score, word, hypothesis, contexts in candidates[:width]:
            if word == end:
                finished.append((score, hypothesis.words))
                width -= 1
            else:
                states = follow(models, hypothesis.states, word, contexts, encoded)
                beam.append(Hypothesis(score, [*hypothesis.words, word], states))
    finished.sort(key=lambda each: -each[0])
    still_open = [(each.score, each.words) for each in beam]
    return Found(finished, still_open)


def next_word(models, states, encoded):
    """The logarithm of the models' mean probability of each word, and the context of each."""
    probabilities, contexts = [], []
    for model, state, each in zip(models, states, encoded, strict=True):
        logits, context, _ = model.predict(state, each)
        largest = logits.max().item()
        powers = [math.exp(logit - largest) for logit in logits.flatten().tolist()]
        probabilities.append([power / sum(powers) for power in powers])
        contexts.append(context)
    means = [sum(of_word) / len(models) for of_word in zip(*probabilities, strict=True)]
    return [math.log(mean) for mean in means], contexts


def follow(models, states, word, contexts, encoded):
    """The states of the models after `word`."""
    words = torch.tensor([[word]])
    return [
        model.advance(state, words, context, each)
        for model, state, context, each in zip(models, states, contexts, encoded, strict=True)
    ]
