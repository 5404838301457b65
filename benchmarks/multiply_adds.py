"""The multiply-adds of matrix products in a training, from the shapes, without the padding.

torch's FlopCounterMode does not see into an LSTM, and counts the padding.
"""

from itertools import pairwise

from made_up_pairs import Count

from contextnmt.configuration.model import ModelSettings

#: Backward, the gradient of either factor of a product costs as much as the product.
PASSES = 3

#: Vectors that a unit computes at each step.
GATES = {"lstm": 4, "gru": 3}


def of_translator(settings: ModelSettings, words: int, text: Count) -> int:
    """Forward, of a `Translator` with so many words (ids) on the target side.

    The state after a sentence's last word predicts nothing and is not computed.
    """
    assert settings.smoother is None
    m, n, a, maxout = settings.embedding, settings.hidden, settings.alignment, settings.maxout
    unit, annotation = GATES[settings.cell] * n, 2 * n if settings.attention else n
    rank = settings.readout_rank
    output = maxout * words if rank is None else maxout * rank + rank * words
    symbol = annotation // n * unit * (m + n)
    word = 2 * maxout * (n + m + annotation) + output
    adds = text.sentences * n * n + text.source * symbol + text.target * word
    adds += (text.target - text.sentences) * unit * (m + n + annotation)
    if settings.attention:
        adds += text.source * annotation * a + text.target * n * a
        adds += text.places * (a + annotation)
    if settings.contextualizer:
        shared = settings.contextualizer.table == "shared"
        sizes = (*[m] * shared, *settings.contextualizer.layers)
        adds += text.source * sum(size * following for size, following in pairwise(sizes))
        adds += text.sentences * 2 * sizes[-1] * m
    return adds


def of_yardstick(size: int, hidden: int, words: int, text: Count) -> int:
    """Forward, of a `Yardstick` with so many words (ids) on the target side."""
    reading = 2 * 4 * hidden // 2 * (size + hidden // 2)
    gates = 4 * hidden * (size + 2 * hidden)
    attention = 2 * hidden * text.places + hidden * hidden * (text.source + text.target)
    word = gates + 2 * hidden * hidden + hidden * words
    return text.sentences * hidden * hidden + text.source * reading + text.target * word + attention
