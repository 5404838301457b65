"""Recurrent attention in plain PyTorch, written with care: what the others are compared with.

The decoder steps first and attends then, from its new state; what the readout makes of both goes
into its next step (input feeding). Keys are computed once for each sentence; in training, so is
what the words contribute to the gates, and the output layer comes once after all steps.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PADDING = 0
BEGIN = 1

#: Hidden state, cell and feed [B, K, hidden] of the decoder.
Memory = tuple[Tensor, Tensor, Tensor]


class Read(NamedTuple):
    """Annotations and keys [B, S, hidden] of sources, and their padding [B, 1, S]."""

    states: Tensor
    keys: Tensor
    padding: Tensor


class Yardstick(nn.Module):
    """Bidirectional LSTM encoder, LSTM decoder of `hidden`, additive attention of the same size."""

    def __init__(self, source_words: int, target_words: int, size: int = 256, hidden: int = 512):
        super().__init__()
        self.source = nn.Embedding(source_words, size)
        self.target = nn.Embedding(target_words, size)
        self.encoder = nn.LSTM(size, hidden // 2, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(hidden, hidden)
        self.word = nn.Linear(size, 4 * hidden)
        self.recurrent = nn.Linear(2 * hidden, 4 * hidden, bias=False)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.key = nn.Linear(hidden, hidden, bias=False)
        self.energy = nn.Linear(hidden, 1, bias=False)
        self.merge = nn.Linear(2 * hidden, hidden)
        self.output = nn.Linear(hidden, target_words)

    def encode(self, source: Tensor) -> tuple[Read, Tensor]:
        """Return the annotations of `source` [B, S] and the last state [B, hidden]."""
        real = source != PADDING
        lengths = real.sum(1).cpu()
        packed = pack_padded_sequence(self.source(source), lengths, True, enforce_sorted=False)
        states, (last, _) = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], 1)))
        return Read(states, self.key(states), ~real.unsqueeze(1)), state

    def start(self, state: Tensor, width: int) -> tuple[Tensor, Memory]:
        """The first words [B, K], and the memory of the decoder."""
        hidden = state.unsqueeze(1).expand(-1, width, -1)
        words = torch.full(hidden.shape[:2], BEGIN, device=hidden.device)
        return words, (hidden, torch.zeros_like(hidden), torch.zeros_like(hidden))

    def write(self, words: Tensor, memory: Memory, read: Read) -> tuple[Tensor, Memory]:
        """One step: log-probabilities [B, K, V], and the memory after it."""
        memory = self.move(self.word(self.target(words)), memory, read)
        return self.output(memory[2]).log_softmax(2), memory

    def move(self, gates: Tensor, memory: Memory, read: Read) -> Memory:
        """The memory after a step, to whose `gates` [B, K, 4 hidden] the words have contributed."""
        hidden, cell, feed = memory
        gates = gates + self.recurrent(torch.cat([feed, hidden], 2))
        into, forget, candidate, out = gates.chunk(4, 2)
        cell = forget.sigmoid() * cell + into.sigmoid() * candidate.tanh()
        hidden = out.sigmoid() * cell.tanh()
        energies = self.energy(torch.tanh(self.query(hidden).unsqueeze(2) + read.keys.unsqueeze(1)))
        weights = energies.squeeze(3).masked_fill(read.padding, -torch.inf).softmax(2)
        feed = torch.tanh(self.merge(torch.cat([hidden, weights @ read.states], 2)))
        return hidden, cell, feed

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """The mean negative log-likelihood of the real target words [B, T], of sources [B, S]."""
        read, state = self.encode(source)
        words, memory = self.start(state, 1)
        gates = self.word(self.target(torch.cat([words, target[:, :-1]], 1)))  # of all steps
        feeds = []
        for step in torch.split(gates, 1, 1):
            memory = self.move(step, memory, read)
            feeds.append(memory[2])
        real = target != PADDING
        return functional.cross_entropy(self.output(torch.cat(feeds, 1)[real]), target[real])

    @torch.inference_mode()
    def search(self, source: Tensor, width: int, steps: int, end: int) -> Tensor:
        """The best translation of `steps` words [B, steps] of each source [B, S]."""
        read, state = self.encode(source)
        words, memory = self.start(state, width)
        scores = torch.full(words.shape, -torch.inf, device=words.device)
        scores[:, 0] = 0.0  # all hypotheses are the same one at first
        written = words.new_empty(*words.shape, 0)
        for _ in range(steps):
            logs, memory = self.write(words, memory, read)
            logs[:, :, end] = -torch.inf
            scores, flat = (scores.unsqueeze(2) + logs).flatten(1).topk(width)
            origin, words = (flat // logs.size(2)).unsqueeze(2), flat % logs.size(2)
            hidden, cell, feed = (each.gather(1, origin.expand_as(each)) for each in memory)
            memory = hidden, cell, feed
            before = written.gather(1, origin.expand_as(written))
            written = torch.cat([before, words.unsqueeze(2)], 2)
        return written[:, 0]
