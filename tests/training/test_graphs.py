"""Updates as CUDA graphs, captured and replayed by a CPU."""

import copy

import pytest
import torch
from model.architectures import build, pairs
from recorded_graphs import be_a_gpu
from small_run import MODEL, training

from contextnmt.configuration.training import TrainingSettings
from contextnmt.model import arithmetic
from contextnmt.training.update import LENGTHS, GraphUpdater, Updater, make_state, padded_length

CPU = torch.device("cpu")
WORDS = 23
SIZES = {"embedding": 8, "hidden": 12, "alignment": 6, "maxout": 4}
RECIPES = {
    "adam": TrainingSettings(learning_rate=0.01),
    "adadelta": TrainingSettings(optimizer="adadelta", learning_rate=1.0, loss="sum"),
}
LONGEST = [(17, 9), (3, 24), (4, 4)]
BATCHES = [
    [(2, 3), (2, 1), (1, 1)],
    [(16, 22), (9, 2), (17, 4)],
    [(1, 2), (3, 3), (2, 2)],  # of the shape of the first
    LONGEST,
    [(16, 24), (1, 1), (8, 9)],  # of that of the second
    [(4, 5), (3, 3)],  # of fewer sentences
    [(1, 1), (3, 1), (3, 2)],
]
NAMES = [
    *("RNNsearch", "RNNencdec", "Choi", "Choi+C", "Choi+C, shared table"),
    *("ccwm, all, encoder and decoder", "fcwm, unknown, encoder"),
]


def updater(name, recipe):
    return Updater(build(name, WORDS, SIZES, 0.3).double(), recipe, CPU)


def state(one):
    """The tensors that an update changes."""
    return {
        **one.model.state_dict(),
        **{
            f"{number}.{name}": tensor
            for number, entry in one.optimizer.state_dict()["state"].items()
            for name, tensor in entry.items()
        },
    }


def taken(make, name="RNNsearch", recipe=RECIPES["adam"], batches=BATCHES):
    """Return results and state after an update by each batch, and the updater."""
    one = updater(name, recipe)
    take = make(one)
    found = []
    for number, lengths in enumerate(batches):
        torch.manual_seed(number)
        told = take(*pairs(lengths, WORDS))
        found.append([told.loss.item(), told.norm.item(), copy.deepcopy(state(one))])
    return found, take


def graphs(one):
    return GraphUpdater(one, *pairs(LONGEST, WORDS))


def itself(one):
    return one


@pytest.mark.parametrize("optimizer", RECIPES)
@pytest.mark.parametrize("name", NAMES)
def test_replayed_updates_are_those_of_the_updater(name, optimizer, monkeypatch):
    expected, _ = taken(itself, name, RECIPES[optimizer])
    be_a_gpu(monkeypatch)
    found, take = taken(graphs, name, RECIPES[optimizer])
    assert take.captures
    assert sorted(take.graphs) == [(2, 6, 6), (3, 3, 3), (3, 17, 24)]
    for one, other in zip(found, expected, strict=True):
        assert one[:2] == pytest.approx(other[:2], rel=1e-9)
        assert one[2].keys() == other[2].keys()
        for key, tensor in one[2].items():
            torch.testing.assert_close(tensor, other[2][key], rtol=0, atol=1e-9, msg=key)


def test_a_gradient_that_is_not_finite_is_replaced_in_a_replay_too(monkeypatch):
    def spoil(one):
        take = graphs(one)
        with torch.no_grad():
            one.model.readout.state.weight[0, 0] = float("nan")
        return take

    be_a_gpu(monkeypatch)
    found, _ = taken(spoil, recipe=RECIPES["adadelta"], batches=BATCHES[:1])
    _, norm, after = found[0]
    assert norm != norm
    assert after["source_embedding.weight"].isfinite().all()


def test_a_replay_draws_what_its_seed_says(monkeypatch):
    """Dropout is not that of the batch that was captured. A batch that needs no more padding."""
    be_a_gpu(monkeypatch)
    monkeypatch.setitem(SIZES, "dropout", 0.5)
    batches = [[(15, 24), (9, 9), (4, 4)]] * 3
    found, _ = taken(graphs, batches=batches)
    expected, _ = taken(itself, batches=batches)
    for one, other in zip(found, expected, strict=True):
        assert one[:2] == pytest.approx(other[:2], rel=1e-9)


def test_batches_of_about_the_same_length_share_a_graph(monkeypatch):
    be_a_gpu(monkeypatch)
    lengths = [[(s, t)] * 3 for s in (1, 3, 16, 17) for t in (2, 3, 23)]
    _, take = taken(graphs, batches=lengths)
    assert set(take.graphs) == {(3, 3, 3), (3, 3, 24), (3, 17, 3), (3, 17, 24)}


@pytest.mark.parametrize("longest", [1, 2, 7, 8, 9, 51, 64, 101])
def test_lengths_are_few_and_none_is_longer_than_the_longest(longest):
    found = [padded_length(time, longest) for time in range(1, longest + 1)]
    assert all(time <= length <= longest for time, length in enumerate(found, start=1))
    assert len(set(found)) <= LENGTHS
    assert found[-1] == longest
    assert padded_length(longest + 5, longest) == longest + 5


def test_what_cannot_be_captured_is_said_once_and_taken_all_the_same(monkeypatch, capsys):
    be_a_gpu(monkeypatch)
    expected, _ = taken(itself)
    monkeypatch.setattr(arithmetic, "CPU_TYPES", {"cpu"})  # so it is asked where padding is
    found, take = taken(graphs)
    assert not take.captures
    assert not take.graphs
    said = capsys.readouterr().err
    assert said.count("torch cannot capture updates as CUDA graphs, so they take longer (") == 1
    assert "not permitted when a graph is recorded" in said
    for one, other in zip(found, expected, strict=True):
        assert one[:2] == pytest.approx(other[:2], rel=1e-9)


class Failing:
    """End as torch's own does after an error: by another one, on the stream of the capture."""

    def __init__(self, graph, pool):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *_):
        raise RuntimeError("operation failed due to a previous error during capture")


def test_the_first_error_is_told_and_the_stream_is_that_of_before(monkeypatch, capsys):
    be_a_gpu(monkeypatch)
    streams = []
    monkeypatch.setattr(torch.cuda, "set_stream", streams.append)
    monkeypatch.setattr(torch.cuda, "graph", Failing)
    monkeypatch.setattr(Updater, "__call__", lambda *_: torch.ones(2) @ torch.ones(3))
    one = graphs(updater("Choi", RECIPES["adam"]))
    assert not one.captures
    assert streams == ["the stream before"]
    said = capsys.readouterr().err
    assert "size" in said
    assert "previous error" not in said


@pytest.mark.parametrize("optimizer", RECIPES)
def test_to_make_the_state_leaves_no_trace_but_that(optimizer):
    one, other = (updater("Choi", RECIPES[optimizer]) for _ in range(2))
    make_state(one.optimizer)
    assert all(map(torch.equal, one.model.parameters(), other.model.parameters()))
    assert all(weight.grad is None for weight in one.model.parameters())
    batch = pairs(LONGEST, WORDS)
    for each in one, other:
        each(*batch)
    assert all(torch.equal(tensor, state(other)[key]) for key, tensor in state(one).items())
    kept = copy.deepcopy(state(one))
    make_state(one.optimizer)
    assert all(torch.equal(tensor, kept[key]) for key, tensor in state(one).items())


def losses_of(run):
    """Run a training: the losses of its updates and validations, as they are before the journal
    rounds them."""
    losses, add, validate = [], run.window.add, run.validation.loss

    def added(update, taken, *symbols):
        losses.append(float(taken.loss))
        add(update, taken, *symbols)

    def validated(*arguments):
        losses.append(validate(*arguments))
        return losses[-1]

    run.window.add, run.validation.loss = added, validated
    run.run()
    return losses


def written(run):
    """The losses in the journal, each the mean of updates that a replay could have written over,
    rounded to four digits."""
    return [record["loss"] for record in run.journal.records if "loss" in record]


@pytest.mark.parametrize("batch_size", [20, 37])  # 37: epochs end with 30 pairs
def test_a_training_by_graphs_learns_the_same_and_resumes(
    reversal, tmp_path, monkeypatch, batch_size
):
    monkeypatch.setattr("contextnmt.training.loop.RECORDS", 20)  # one for five updates
    changes = {"model": {**MODEL, "dropout": 0}, "batch_size": batch_size}
    plain = training(reversal, tmp_path / "plain", **changes)
    expected = losses_of(plain)
    be_a_gpu(monkeypatch)
    whole = training(reversal, tmp_path / "whole", **changes)
    assert losses_of(whole) == pytest.approx(expected, rel=1e-4)
    assert written(whole) == pytest.approx(written(plain), abs=4e-4)
    assert len(expected) > plain.update  # validations too
    assert isinstance(whole.take, GraphUpdater)
    assert whole.take.captures
    assert whole.update == plain.update
    first = training(reversal, tmp_path / "parts", **changes)
    first.rehearse()
    for _ in range(13):
        first.step()
    first._save()
    rest = training(reversal, tmp_path / "parts", **changes)
    assert rest.update == 13
    rest.run()
    weights = rest.model.state_dict()
    assert all(torch.equal(each, weights[name]) for name, each in whole.model.state_dict().items())
