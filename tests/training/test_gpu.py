"""Results of a GPU against those of the CPU: the only tests that need one."""

import copy
import gzip

import pytest
import torch
from model.architectures import build, every, pairs
from small_run import MODEL, training
from test_graphs import BATCHES, LONGEST, NAMES, RECIPES, SIZES, WORDS
from translation.random_model import save

from contextnmt.configuration.training import TrainingSettings
from contextnmt.model import arithmetic
from contextnmt.training.update import GraphUpdater, Updater
from contextnmt.translation.translate import translate

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")

CPU, GPU = torch.device("cpu"), torch.device("cuda")
LENGTHS = [(9, 7), (4, 11), (12, 1), (1, 5)]
LINES = ["a b c", "f", "d zzz a c e", "b b"] * 25


#: Larger than what a function of the GPU works on at a time.
LARGE = {"embedding": 20, "hidden": 520, "alignment": 1100, "maxout": 8}
LONG, MANY = [(70, 5), (3, 2), (1, 1)], 5000


@pytest.fixture(params=["fused", "plain"])
def way(request, monkeypatch):
    """Run a test with Triton, and as if it could not compile."""
    if request.param == "plain":
        monkeypatch.setattr(arithmetic, "compiles", lambda _: False)


def gradients(name, place, precision="fp32", kind=torch.float32):
    """Return the gradients of the loss of a batch, by parameter, and the loss."""
    return differentiated(build(name, WORDS, SIZES, 0.3).to(place, kind), precision, LENGTHS, WORDS)


def differentiated(model, precision, lengths, words):
    """Return the gradients and the loss of a model and a batch of sentences of such lengths."""
    place = next(model.parameters()).device
    updater = Updater(model, TrainingSettings(precision=precision), place)
    loss = updater.differentiate(*pairs(lengths, words))
    found = {key: weight.grad.cpu() for key, weight in model.named_parameters()}
    return found | {"loss": loss.cpu()}


def test_triton_compiles_there():
    assert arithmetic.fuses(torch.ones(1, device=GPU))


@pytest.mark.usefixtures("way")
@every
@pytest.mark.parametrize(
    ("kind", "allowed"), [(torch.float64, 1e-10), (torch.float32, 1e-3)], ids=str
)
def test_losses_and_gradients_are_those_of_the_cpu(name, kind, allowed):
    found, expected = (gradients(name, place, kind=kind) for place in (GPU, CPU))
    for key, tensor in found.items():
        torch.testing.assert_close(tensor, expected[key], rtol=0, atol=allowed, msg=key)


@pytest.mark.parametrize("name", ["Choi", "RNNsearch", "RNNencdec"])
def test_large_models_and_long_sentences_too(name):
    found, expected = (
        differentiated(build(name, MANY, LARGE, 0.05).to(place).double(), "fp32", LONG, MANY)
        for place in (GPU, CPU)
    )
    for key, tensor in found.items():
        torch.testing.assert_close(tensor, expected[key], rtol=1e-9, atol=1e-10, msg=key)


@pytest.mark.parametrize("name", NAMES)
def test_bfloat16_is_near(name):
    exact = gradients(name, CPU, kind=torch.float64)
    found = gradients(name, GPU, "bf16")
    for key, tensor in found.items():
        assert (tensor - exact[key]).norm() <= 0.1 * exact[key].norm(), key


def updates(name, place, recipe, graphs):
    """Return loss, norm and weights after each batch, and the updater."""
    one = Updater(build(name, WORDS, SIZES, 0.3).to(place).double(), recipe, place)
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


@pytest.mark.usefixtures("way")
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
    changes = {"model": {**MODEL, "dropout": 0}, "linear_decay": 0.5}
    losses = {}
    for place in ("cpu", "cuda"):
        run = training(reversal, tmp_path / place, device=place, **changes)
        run.run()
        losses[place] = [record["loss"] for record in run.journal.records if "loss" in record]
    assert losses["cuda"] == pytest.approx(losses["cpu"], rel=2e-3)
    first = training(reversal, tmp_path / "parts", device="cuda", **changes)
    first.rehearse()
    for _ in range(13):
        first.step()
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
    for place in ("cpu", "cuda"):
        out = tmp_path / f"{place}.gz"
        translate(model, [text], [12], [out], device=place)
        made[place] = gzip.decompress(out.read_bytes())
    assert made["cuda"] == made["cpu"]
