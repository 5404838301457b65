"""What words contribute, computed once for each of them."""

import torch
from torch import nn

from contextnmt.model.embedding import BiasedEmbedding
from contextnmt.model.word_table import WordTable


class Counted(BiasedEmbedding):
    """Notes what it is asked for."""

    def forward(self, words):
        self.asked = [*getattr(self, "asked", []), *words.tolist()]
        return super().forward(words)


def test_each_word_is_multiplied_once_and_only_when_it_comes():
    embedding = Counted(9, 4)
    nn.init.normal_(embedding.bias)
    weights = torch.randn(5, 4), torch.randn(2, 4)
    with torch.inference_mode():
        table = WordTable(embedding, *weights)
        for words in ([[3, 5, 3]], [[5, 3, 8]], [[8, 8, 5]]):
            embedded = BiasedEmbedding.forward(embedding, torch.tensor(words))
            for rows, weight in zip(table.of(torch.tensor(words)), weights, strict=True):
                torch.testing.assert_close(rows, nn.functional.linear(embedded, weight))
    assert embedding.asked == [3, 5, 8]


def test_no_words_have_no_rows():
    table = WordTable(nn.Embedding(9, 4), torch.randn(5, 4))
    [rows] = table.of(torch.zeros(0, 2, dtype=torch.long))
    assert rows.shape == (0, 2, 5)
