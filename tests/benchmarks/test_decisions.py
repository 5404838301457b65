"""benchmarks/decisions.py: what its trainings are, and what it says of their results."""

import torch
from calls import ROOT
from decisions import QUESTIONS, SPARED, STARTS, SYSTEMS, Outcome, Spared, outcome, overlay, rows

from contextnmt.configuration import layers, recipes
from contextnmt.configuration.model import ContextualizerSettings, ModelSettings
from contextnmt.files import write_json
from contextnmt.model.translator import PADDING, Translator

MODEL = ModelSettings(4, 6, 5, 3, ContextualizerSettings((4,)), initialisation="glorot")


def test_the_configuration_holds_every_alternative(tmp_path) -> None:
    write_json(tmp_path / "overlay.yaml", overlay(2))
    made = layers.of_call(ROOT, [tmp_path / "overlay.yaml"], {})
    recipe = {name: recipes.recipe(made, "en-fr", name) for name in SYSTEMS}
    assert recipe["sum"]["training"] == {**recipe["mean"]["training"], "loss": "sum"}
    depths = [recipe[f"layers-{depth}"]["model"]["contextualizer"]["layers"] for depth in (1, 2, 3)]
    assert [len(layers) for layers in depths] == [1, 2, 3]
    of_tables = [recipe[name]["model"]["contextualizer"] for name in ("layers-2", "shared")]
    assert of_tables == [{**of_tables[1], "table": table} for table in ("own", "shared")]
    asked = {name for each in QUESTIONS for name in (each.decision, *each.others)}
    assert asked == {*SYSTEMS, *STARTS, SPARED}


def test_the_mask_spares_the_readout_in_training_as_in_translation() -> None:
    torch.manual_seed(3)
    model = Spared(MODEL, 9, 9).double()
    source = torch.tensor([[3, 4, 1], [5, 1, 0]])
    target = torch.tensor([[6, 7, 8, 1], [4, 1, 0, 0]])
    encoded = model.encode(source)
    state, losses = encoded.start, []
    for words in target.unbind(1):
        logits, context, _ = model.predict(state, encoded)
        logs = torch.log_softmax(logits.squeeze(1), 1)
        losses.append(-logs.gather(1, words.unsqueeze(1)))
        state = model.advance(state, words.unsqueeze(1), context, encoded)
    expected = torch.cat(losses, 1).masked_fill(target == PADDING, 0)
    found = model(source, target)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)
    masked = Translator(MODEL, 9, 9).double()
    masked.load_state_dict(model.state_dict())
    assert not torch.allclose(masked(source, target), found)


def test_rows_tell_the_difference_to_the_decision() -> None:
    found = {
        "mean": [Outcome(50.0, 1.0, right=0.3), Outcome(52.0, 0.5, right=0.5)],
        "sum": [Outcome(54.0, 1.0), Outcome(56.0, 1.0)],
    }
    first, second = rows(QUESTIONS[0], found)
    assert first[:4] == ["mean over the sentences", "51.00 ± 1.41", "decided", "75%"]
    assert first[4:] == ["", "40% (30% to 50%)", "", "50.00, 52.00"]
    assert second[1:6] == ["55.00 ± 1.41", "+4.00 ± 1.41", "100%", "", ""]


def test_rows_tell_when_each_seed_learnt_the_ambiguous_words() -> None:
    question = next(each for each in QUESTIONS if each.decision in STARTS)
    runs = [Outcome(50.0, 1.0, 0.2, 0.9, learnt=500), Outcome(52.0, 1.0, 0.2, 0.6)]
    for row in rows(question, dict.fromkeys(STARTS, runs)):
        assert row[4:7] == ["20%", "75% (60% to 90%)", "500, –"]


def test_the_gates_are_those_of_the_best_validation() -> None:
    records = [
        {"kind": "train", "clip_rate": 0.5},
        {"kind": "dev", "bleu": 3.0, "source_gate_open": 0.8},
        {"kind": "dev", "bleu": 2.0, "source_gate_open": 0.1},
        {"kind": "dev", "bleu": 3.0, "source_gate_open": 0.2},  # the weights kept are the first's
    ]
    assert outcome(3.0, iter(records)) == Outcome(3.0, 0.5, 0.8)
    shares = [{"kind": "dev", "update": n, "bleu": n, "ambiguous": n / 10} for n in (6, 8, 9)]
    assert outcome(9.0, iter([records[0], *shares])) == Outcome(9.0, 0.5, None, 0.9, 8)


def test_questions_are_those_of_the_decisions() -> None:
    page = (ROOT / "docs" / "decisions.md").read_text()
    for question in QUESTIONS:
        assert f"| {question.title.partition(':')[0]} |" in page
