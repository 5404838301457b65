"""Effects of a recipe's settings: its stop, its optimizer, its precision."""

import pytest
import torch
from small_run import RECIPE, training

from contextnmt.errors import UserError


@pytest.fixture(scope="module")
def undisturbed(reversal, tmp_path_factory):
    run = training(reversal, tmp_path_factory.mktemp("undisturbed"))
    run.run()
    return run


def test_without_patience_the_last_weights_are_the_model(reversal, tmp_path):
    last = training(reversal, tmp_path / "a", learning_rate=1e-9, patience=None, max_updates=45)
    last.run()
    assert (last.stopped, last.update) == ("max_updates", 45)
    assert (last.early.best_update, last.early.misses) == (45, 0)
    assert last.early.best_bleu == last.journal.records[-1]["bleu"]
    assert [r["update"] for r in last.journal.records if r["kind"] == "dev"] == [10, 20, 30, 40, 45]
    assert all(torch.equal(t, last.best[name]) for name, t in last.model.state_dict().items())
    best = training(reversal, tmp_path / "b", learning_rate=1e-9, patience=50, max_updates=45)
    best.run()
    assert best.early.best_update == 10  # with such steps, no later validation is any better


def spoil(run, update):
    """Make a gradient of that update not finite."""

    def hook(gradient):
        return gradient * float("inf") if run.update == update else gradient

    run.model.readout.state.bias.register_hook(hook)


@pytest.mark.parametrize(
    ("update", "every", "noticed"),
    [(5, 40, 6), (70, 70, 70)],  # records are 2 and 3 updates apart; a validation notices it too
)
def test_divergence_is_an_error_that_names_the_batch(reversal, tmp_path, update, every, noticed):
    """Nothing spoilt is scored or saved."""
    run = training(reversal, tmp_path, validate_every=every, max_updates=every + 1)
    spoil(run, update)
    with pytest.raises(
        UserError, match=rf"not finite in update {update}: .*learning_rate"
    ) as error:
        run.run()
    assert run.update == noticed
    pairs = ", ".join(str(row + 1) for row in run.batches.rows(update - 1))
    assert f" the pairs {pairs} of the training text" in str(error.value)
    assert not list((tmp_path / "state").glob("checkpoint.*"))
    assert [r for r in run.journal.records if r["kind"] == "dev"] == []


ADADELTA = {"optimizer": "adadelta", "learning_rate": 1.0, "loss": "sum"}


def test_adadeltas_recipe_goes_on_after_a_gradient_that_is_not_finite(reversal, tmp_path):
    run = training(reversal, tmp_path, **ADADELTA)
    spoil(run, 5)
    run.run()
    counts = [r["non_finite"] for r in run.journal.records if r["kind"] == "train"]
    assert sum(counts) == 1
    assert all(tensor.isfinite().all() for tensor in run.best.values())


def test_the_recipe_of_choi_takes_these_steps_to_the_last_bit(reversal, undisturbed, tmp_path):
    """Written out: the mean over the sentences, clipped at 1, Adam; in 32 bits, nothing else, and
    nothing of the largest batch, which is computed first."""
    model = training(reversal, tmp_path).model
    batches = training(reversal, tmp_path).batches
    adam = torch.optim.Adam(model.parameters(), lr=RECIPE["learning_rate"], fused=True)
    for update in range(undisturbed.early.best_update):
        source, target = map(torch.from_numpy, batches[update])
        torch.manual_seed((1 << 32) + update + 1)
        adam.zero_grad()
        (model(source, target).sum() / len(source)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    for name, tensor in undisturbed.best.items():
        assert torch.equal(tensor, model.state_dict()[name]), name


def test_the_largest_batch_comes_first_also_after_a_stop(reversal, tmp_path):
    run = training(reversal, tmp_path)
    run.update = 7
    run._save()
    resumed = training(reversal, tmp_path)
    shapes = []

    def seen(model, batch):
        if model.training:  # the dev text is not
            shapes.append([ids.shape for ids in batch])

    resumed.model.register_forward_pre_hook(seen)
    resumed.run()
    expected = [resumed.batches.largest(), *map(resumed.batches.__getitem__, range(7, 40))]
    assert shapes == [[ids.shape for ids in batch] for batch in expected]
