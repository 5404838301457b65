"""What a GPU computes, against the CPU: the only tests that want one."""

import copy
import gzip

import pytest
import torch
from model.architectures import build, every, pairs
from small_run import MODEL, training
from test_graphs import BATCHES, LONGEST, NAMES, RECIPES, SIZES, WORDS
from translation.random_model import save

from contextnmt.model.device import fuses
from contextnmt.training.graphs import GraphUpdater
from contextnmt.training.settings import TrainingSettings
from contextnmt.training.update import Updater
from contextnmt.translation.translate import translate

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

CPU, GPU = torch.device("cpu"), torch.device("cuda")
LENGTHS = [(9, 7), (4, 11), (12, 1), (1, 5)]
LINES = ["a b c", "f", "d zzz a c e", "b b"] * 25


def gradients(name, device, precision="fp32", kind=torch.float32, lengths=LENGTHS, std=0.3):
    """Those of the loss of a batch, by parameter, and the losses."""
    model = build(name, WORDS, SIZES, std).to(device, kind)
    updater = Updater(model, TrainingSettings(precision=precision), device)
    loss = updater.differentiate(*pairs(lengths, WORDS))
    found = {key: weight.grad.cpu() for key, weight in model.named_parameters()}
    return found | {"loss": loss.cpu()}


def test_triton_compiles_there():
    assert fuses(torch.ones(1, device=GPU))


@every
@pytest.mark.parametrize(
    ("kind", "allowed"), [(torch.float64, 1e-10), (torch.float32, 1e-3)], ids=str
)
def test_losses_and_gradients_are_those_of_the_cpu(name, kind, allowed):
    found, expected = (gradients(name, device, kind=kind) for device in (GPU, CPU))
    for key, tensor in found.items():
        torch.testing.assert_close(tensor, expected[key], rtol=0, atol=allowed, msg=key)


@pytest.mark.parametrize("name", NAMES)
def test_bfloat16_is_near(name):
    exact = gradients(name, CPU, kind=torch.float64)
    found = gradients(name, GPU, "bf16")
    for key, tensor in found.items():
        assert (tensor - exact[key]).norm() <= 0.1 * exact[key].norm(), key


def updates(name, device, recipe, graphs):
    """What updates by all batches tell, the weights after each, and what took them."""
    one = Updater(build(name, WORDS, SIZES, 0.3).to(device).double(), recipe, device)
    take = GraphUpdater(one, *warmed(one)) if graphs else one
    found = []
    for lengths in BATCHES:
        told = take(*pairs(lengths, WORDS))
        weights = {key: weight.cpu() for key, weight in one.model.state_dict().items()}
        found.append((told.loss.item(), told.norm.item(), copy.deepcopy(weights)))
    return found, take


def warmed(one):
    """The largest batch, which has been differentiated."""
    batch = pairs(LONGEST, WORDS)
    one.differentiate(*batch)
    return batch


@pytest.mark.parametrize("optimizer", RECIPES)
@pytest.mark.parametrize("name", NAMES)
def test_replayed_updates_are_those_of_the_cpu(name, optimizer):
    recipe = RECIPES[optimizer]
    expected, _ = updates(name, CPU, recipe, graphs=False)
    found, take = updates(name, GPU, recipe, graphs=True)
    assert take.captures
    assert sorted(take.graphs) == [(2, 6, 6), (3, 3, 3), (3, 17, 24)]
    for one, other in zip(found, expected, strict=True):
        assert one[:2] == pytest.approx(other[:2], rel=1e-7)
        for key, tensor in one[2].items():
            torch.testing.assert_close(tensor, other[2][key], rtol=0, atol=1e-7, msg=key)


def test_a_training_learns_the_same_and_resumes(reversal, tmp_path):
    changes = {"model": {**MODEL, "dropout": 0}}
    losses = {}
    for device in ("cpu", "cuda"):
        run = training(reversal, tmp_path / device, device=device, **changes)
        run.run()
        losses[device] = [record["loss"] for record in run.journal.records if "loss" in record]
    assert losses["cuda"] == pytest.approx(losses["cpu"], rel=2e-3)
    first = training(reversal, tmp_path / "parts", device="cuda", **changes)
    first.rehearse()
    for _ in range(13):
        first._step(first.window)
    first._save()
    rest = training(reversal, tmp_path / "parts", device="cuda", **changes)
    assert rest.update == 13
    rest.run()
    assert isinstance(rest.take, GraphUpdater)
    assert rest.take.captures
    for name, tensor in run.best.items():
        torch.testing.assert_close(tensor, rest.best[name], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("settings", [{}, {"cell": "gru"}, {"attention": False}])
def test_translations_are_those_of_the_cpu(settings, tmp_path):
    text = tmp_path / "text.gz"
    text.write_bytes(gzip.compress("".join(f"{line}\n" for line in LINES).encode()))
    model, made = save(tmp_path / "model", **settings), {}
    for device in ("cpu", "cuda"):
        out = tmp_path / f"{device}.gz"
        translate(model, [text], [12], [out], device=device)
        made[device] = gzip.decompress(out.read_bytes())
    assert made["cuda"] == made["cpu"]
