"""Every architecture learns 50 pairs by heart, and beam search works with it."""

import random
import time

import pytest
import torch
from architectures import ARCHITECTURES, OTHERS, build, every
from sacrebleu.metrics.bleu import BLEU

from contextnmt.model.translator import PADDING
from contextnmt.translation.beam import beam_search

END, UNKNOWN, WORDS = 1, 2, 16
SIZES = {"embedding": 24, "hidden": 32, "alignment": 24, "maxout": 24}

#: Processor seconds in which a model has to learn the pairs.
MINUTE = 60


def pairs():
    """Fifty sentences of 4 to 6 words, unknown ones among them, with unrelated translations."""
    rng = random.Random(1)
    found = {}
    while len(found) < 50:
        source = tuple(rng.choices(range(UNKNOWN, WORDS), k=rng.randint(4, 6)))
        found[source] = rng.choices(range(UNKNOWN, WORDS), k=rng.randint(4, 6))
    return padded(found), padded(found.values())


def padded(sentences):
    rows = [torch.tensor([*sentence, END]) for sentence in sentences]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PADDING)


def text(rows):
    """Ids up to the end of each sentence, as a line of text."""
    return [" ".join(map(str, [*row, END][: [*row, END].index(END)])) for row in rows.tolist()]


@every
def test_fifty_pairs_are_learnt_by_heart(name):
    source, target = pairs()
    model = build(name, WORDS, {**SIZES, **wider(name)})
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    greedy, beam, updates, began = [], [], 0, time.process_time()
    while (greedy != text(target) or beam != text(target)) and updates < 600:
        for _ in range(20):
            optimizer.zero_grad()
            (model(source, target).sum() / len(source)).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        updates += 20
        greedy = text(model.eval().greedy(source, END))
        beam = [" ".join(map(str, found.ids)) for [found] in beam_search(model, source, 3, END)]
        model.train()
    for found in (greedy, beam):
        assert metric.corpus_score(found, [text(target)]).score == pytest.approx(100), updates
        assert found == text(target)
    assert time.process_time() - began < MINUTE


def wider(name):
    """A readout of low rank has to fit in between."""
    return {"readout_rank": 20} if "readout_rank" in (ARCHITECTURES | OTHERS)[name] else {}


def one_by_one(model, source, width):
    """The best translation that a beam finds: lists of words, scored anew in full at each step."""
    length = int((source != PADDING).sum())

    def scores(translations):
        """log p(words | source) of lists of equally many words, by the likelihood of training."""
        losses = model(source.expand(len(translations), -1), torch.tensor(translations))
        return (-losses.view(len(translations), -1).sum(1)).tolist()

    beam, ended = [(0.0, [])], []
    for step in range(1, 3 * length + 1):
        words = [w for w in range(WORDS) if w != PADDING and (w != END or step > length // 2)]
        longer = [[*before, word] for _, before in beam for word in words]
        best = sorted(zip(scores(longer), longer, strict=True), reverse=True)
        best = best[: width - len(ended)]
        ended += [each for each in best if each[1][-1] == END]
        beam = [each for each in best if each[1][-1] != END]
        if not beam or len(ended) == width or (ended and max(ended)[0] >= beam[0][0]):
            break
    score, words = max(ended or beam)
    return [word for word in words if word != END], score


@pytest.mark.parametrize(
    ("name", "end", "unknown"),
    [
        ("ccwm, all, encoder and decoder", 0.0, 2.0),
        ("fcwm, unknown, encoder and decoder", 0.5, 3.0),
    ],
)
def test_a_beam_of_three_finds_what_a_search_one_by_one_finds(name, end, unknown):
    """`end` and `unknown` make these two words likely enough to be written."""
    model = build(name, WORDS, {"embedding": 5, "hidden": 6, "alignment": 4, "maxout": 5}, 0.7)
    model = model.double().eval()
    with torch.no_grad():
        bias = model.readout.output[-1].bias
        bias[PADDING] = -50.0  # the likelihood leaves padding out
        bias[END], bias[UNKNOWN] = end, unknown
        sources = [[3, 2, 5], [4], [2, 2, 7, 8], [9, 2]]
        together = [found for [found] in beam_search(model, padded(sources), 3, END)]
        for source, found in zip(sources, together, strict=True):
            words, score = one_by_one(model, padded([source]), 3)
            assert found.ids == words
            assert found.score == pytest.approx(score, abs=1e-9)
    # Unknown words written, by hypotheses that outgrew the decoder's window; some that ended.
    assert any(UNKNOWN in found.ids[:-1] and len(found.ids) > 4 for found in together)
    limits = [3 * (len(source) + 1) for source in sources]
    assert any(len(found.ids) < most for found, most in zip(together, limits, strict=True))
