from pathlib import Path

import numpy as np
import pytest
import torch
from saved_models import CONTEXTUALIZER, SHARED, save_model

from contextnmt.errors import UserError
from contextnmt.evaluation.masks import masks, over_words
from contextnmt.files import read_json, write_lines
from contextnmt.model.translator import Translator
from contextnmt.text.vocabulary import EOS, Vocabulary

WORDS = ["the", "bank", "river", "money", "by", "bo@@", "at", ".", "rive", "banque"]
LINES = [
    "the river bank .",
    "money .",
    "the bank by the river",
    "money by the bank",
    "bo@@ at by the river .",
]
TAGS = [
    "line\tkind\tlanguage\tsource\ttarget\tseen\tdistance",
    "1\tambiguous\tfr\tbank\trive\t1\t1",
    "3\tambiguous\tfr\tbank\trive\t1\t3",
    "3\tname\tfr\triver\triver\t1\t",
    "4\tambiguous\tfr\tbank\tbanque\t1\t3",
    "5\tambiguous\tfr\tboat\tbateau\t1\t3",
]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    write_lines(tmp_path / "test.gz", LINES)
    write_lines(tmp_path / "tags.tsv", TAGS)
    return tmp_path / "test.gz"


def run(text: Path, contextualizer: dict | None, **options: object) -> tuple[Translator, dict]:
    """The model and what the stage writes of it."""
    folder = text.parent
    model = save_model(folder / "model", WORDS, contextualizer)
    given = options or {"tags": str(folder / "tags.tsv"), "target_language": "fr"}
    masks(folder / "model", text, folder / "out.json", **given)
    return model, read_json(folder / "out.json")


def read_by_encoder(model: Translator, sentence: str, word: str) -> np.ndarray:
    """The vector that the encoder gets in place of a word."""
    seen = []
    model.encoder.register_forward_hook(lambda module, given, result: seen.append(given[0]))
    tokens = sentence.split()
    with torch.no_grad():
        model.encode(torch.tensor([[*Vocabulary(WORDS).encode(tokens), EOS]]))
    return seen[-1][0, tokens.index(word)].numpy()


@pytest.mark.parametrize("contextualizer", [CONTEXTUALIZER, SHARED], ids=["own", "shared"])
def test_masked_vectors_are_what_the_encoder_reads(text: Path, contextualizer: dict):
    model, content = run(text, contextualizer)
    assert content["contextualizer"] is True
    found = content["words"]["bank"]
    occurrences = [(each["line"], each["sense"]) for each in found["occurrences"]]
    assert occurrences == [(1, "rive"), (3, "rive"), (4, "banque")]
    vectors = []
    for each in found["occurrences"]:
        assert each["sentence"] == LINES[each["line"] - 1]
        assert all(0 < weight < 1 for weight in each["mask"])
        masked = np.array(found["vector"]) * np.array(each["mask"])
        vectors.append(read_by_encoder(model, each["sentence"], "bank"))
        assert masked == pytest.approx(vectors[-1], abs=1e-5)
    one, other, far = vectors
    assert found["same"]["pairs"] == 1
    assert found["same"]["cosine"] > 0
    assert found["same"]["euclidean"] == pytest.approx(np.linalg.norm(one - other), abs=1e-5)
    apart = (np.linalg.norm(one - far) + np.linalg.norm(other - far)) / 2
    assert found["different"]["euclidean"] == pytest.approx(apart, abs=1e-5)
    for of_side, compared, key in (
        (content["all"], found, "mask"),
        (content["all"].pop("target"), found["target"], "target_mask"),
    ):
        weights = np.array([each[key] for each in found["occurrences"]])
        assert of_side == {
            "words": 1,
            "open_percent": 100 * (weights > 0.99).mean(),
            "between_percent": 100 * ((weights > 0.05) & (weights < 0.95)).mean(),
            "varying_percent": 100 * (weights.max(0) - weights.min(0) > 0.05).mean(),
            "separation": compared["separation"],
            "separation_error": None,
            "same": {"words": 1, **compared["same"]},
            "different": {"words": 1, **compared["different"]},
        }


def test_masked_renderings_are_what_the_decoder_reads(text: Path):
    model, content = run(text, CONTEXTUALIZER)
    found, words = content["words"]["bank"], Vocabulary(WORDS)
    target = found["target"]
    assert list(target["vectors"]) == ["banque", "rive"]
    gaps = []
    for rendering, vector in target["vectors"].items():
        vectors = []
        for each in found["occurrences"]:
            source = torch.tensor([[*words.encode(each["sentence"].split()), EOS]])
            with torch.no_grad():
                gate = model.encode(source).target_gate
                read = model.embed_target(torch.tensor([words.encode([rendering])]), gate)
            assert np.array(vector) * each["target_mask"] == pytest.approx(read[0, 0], abs=1e-5)
            vectors.append(read[0, 0].numpy())
        one, other, far = vectors
        gaps.append([np.linalg.norm(one - other), np.linalg.norm(one - far)])
        gaps[-1].append(np.linalg.norm(other - far))
    same, *different = np.mean(gaps, axis=0)
    assert target["same"]["euclidean"] == pytest.approx(same, abs=1e-5)
    assert target["different"]["euclidean"] == pytest.approx(np.mean(different), abs=1e-5)


def test_renderings_that_the_model_does_not_know_are_left_out(text: Path):
    lines = [line.replace("banque", "agence") for line in TAGS]
    write_lines(text.parent / "tags.tsv", lines)
    _, content = run(text, CONTEXTUALIZER)
    assert list(content["words"]["bank"]["target"]["vectors"]) == ["rive"]
    write_lines(text.parent / "tags.tsv", [line.replace("rive\t", "berge\t") for line in lines])
    text.parent.joinpath("model").rename(text.parent / "before")
    _, content = run(text, CONTEXTUALIZER)
    gap = "no rendering is among the 10 words of the target vocabulary"
    assert content["words"]["bank"]["target"] == {"gap": gap}
    assert content["all"]["target"]["words"] == 0


def test_without_contextualizer_no_context_matters(text: Path):
    _, content = run(text, None)
    assert content["contextualizer"] is False
    found = content["words"]["bank"]
    assert [each["mask"] for each in found["occurrences"]] == [None] * 3
    for kind, pairs in (("same", 1), ("different", 2)):
        assert found[kind] == {"pairs": pairs, "cosine": 0, "euclidean": 0}
    assert found["separation"] == content["all"]["separation"] == 0.5
    assert found["target"]["different"] == {"pairs": 2, "cosine": 0, "euclidean": 0}
    assert content["all"]["open_percent"] is content["all"]["target"]["varying_percent"] is None


def test_words_without_tags_are_compared_in_all_sentences(text: Path):
    write_lines(text, [*LINES, "a ship", "the ship"])
    model, content = run(text, CONTEXTUALIZER, word=["money", "boat", "bo", "ship"])
    words = content["words"]
    found = words["money"]
    assert [each["line"] for each in found["occurrences"]] == [2, 4]
    one, other = (read_by_encoder(model, LINES[number], "money") for number in (1, 3))
    assert found["unknown"]["pairs"] == 1
    assert found["unknown"]["euclidean"] == pytest.approx(np.linalg.norm(one - other), abs=1e-5)
    assert found["separation"] is None
    assert found["target"] == {"gap": "its renderings are not known"}
    assert len(found["occurrences"][0]["target_mask"]) == 5
    assert words["boat"]["gap"] == "sentences that have it: 1; a comparison takes two"
    assert words["bo"]["gap"] == "sentences that have it: 0; a comparison takes two"
    assert words["ship"]["gap"] == "not among the 10 words of the vocabulary"
    assert content["all"]["words"] == 0
    assert content["all"]["unknown"] == {"words": 1, **found["unknown"]}


def test_means_are_over_the_words_that_have_both_kinds_of_pairs():
    def compared(separation: float | None, mask: list[float], **pairs: int):
        kinds = {
            kind: {"pairs": count, "cosine": 0.1 * count, "euclidean": count or None}
            for kind, count in {"same": 0, "different": 0, "unknown": 0, **pairs}.items()
        }
        occurrences = [{"mask": mask, "target_mask": [0.5, 0.97]}]
        compared = {"separation": separation, **kinds}
        return {"occurrences": occurrences, **compared, "target": compared}

    means = over_words(
        {
            "bank": compared(0.4, [1.0, 0.98], same=1, different=2),
            "pen": compared(0.8, [0.995, 0.3], same=3, different=6),
            "seal": compared(None, [0.2, 0.1], different=5),
            "ship": {"gap": "sentences that have it: 0; a comparison takes two"},
        }
    )
    assert means["words"] == 2
    assert means["open_percent"] == pytest.approx(100 / 3)
    assert means["between_percent"] == 50
    assert means["varying_percent"] == 100
    assert [means["target"][f"{what}_percent"] for what in ("open", "between", "varying")] == [
        *(0, 50, 0)
    ]
    assert means["target"]["separation"] == means["separation"]
    assert means["separation"] == pytest.approx(0.6)
    assert means["separation_error"] == pytest.approx(0.2)  # sd 0.2828, by the root of 2
    assert means["different"] == {"words": 2, "pairs": 8, "cosine": 0.4, "euclidean": 4}
    assert "unknown" not in means


def test_a_tagged_word_that_became_a_symbol_is_passed_over(text: Path):
    write_lines(text, ["<S>_1 the money", *LINES[1:]])
    _, content = run(text, CONTEXTUALIZER)
    assert [each["line"] for each in content["words"]["bank"]["occurrences"]] == [3, 4]


def test_a_word_of_several_subwords_has_their_mean(text: Path):
    write_lines(text, ["the bo@@ at", "bo@@ at by the bank", "a bo@@", "at"])
    model, content = run(text, CONTEXTUALIZER, word=["boat", "at"])
    ids = Vocabulary(WORDS).encode(["bo@@", "at"])
    mean = model.source_embedding.weight[ids].mean(0).detach().numpy()
    found = content["words"]["boat"]
    assert found["vector"] == pytest.approx(mean, abs=1e-5)
    assert [each["line"] for each in found["occurrences"]] == [1, 2]
    assert "have it: 1;" in content["words"]["at"]["gap"]  # not as a part of another word


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (LINES[:3], r"has 3 lines, but .*tags\.tsv has tags of line 5"),
        (LINES[::-1], r"line 1: no 'bank', which .*tags\.tsv has there"),
    ],
)
def test_tags_of_another_text_are_refused(text: Path, lines: list[str], message: str):
    write_lines(text, lines)
    with pytest.raises(UserError, match=message):
        run(text, CONTEXTUALIZER)


@pytest.mark.parametrize(
    "options", [{}, {"tags": "t"}, {"word": ["a"], "tags": "t", "target_language": "fr"}]
)
def test_tags_or_words(tmp_path: Path, options: dict):
    with pytest.raises(UserError, match="give --tags with --target-language, or --word"):
        masks(tmp_path, tmp_path, tmp_path, **options)
