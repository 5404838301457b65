"""Validations of restored words: their BLEU is that of the stages after the training."""

from pathlib import Path

import pytest
from random_model import write_model
from small_results import make, text_of

from contextnmt.evaluation.score import tokenized_bleu
from contextnmt.files import read_lines, write_lines
from contextnmt.text.bpe import bpe
from contextnmt.text.restore import restore
from contextnmt.text.symbolize import symbolize
from contextnmt.training.restored import read_restored
from contextnmt.training.validation import Validation
from contextnmt.translation.saved import load_model, read_vocabularies
from contextnmt.translation.translate import translate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results with a dev text, dev.en, in the views with symbols: each line has words."""
    folder = tmp_path_factory.mktemp("results")
    make(folder)
    lines = [line for line in read_lines(text_of(folder, "word")) if line.split()]
    write_lines(folder / "dev.en", lines)
    known = {"source_counts": folder / "counts.en.tsv", "rates": folder / "rates.tsv"}
    symbolize(folder / "dev.en", "en", "fr", folder / "dev.sym", threshold=0.4, **known)
    codes = folder / "sym-bpe.codes.en"
    bpe([folder / "dev.sym.en.gz"], codes=codes, out=folder / "dev.sym-bpe.en.gz")
    return folder


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("view", ["sym", "sym-bpe"])
def test_dev_bleu_is_that_of_the_stages(
    folder: Path, tmp_path: Path, view: str, external: bool
) -> None:
    model, text = folder / "train" / view, folder / f"dev.{view}.en.gz"
    write_model(model, seed=6, end=0.0, unknown=0.0)  # one that writes symbols
    table, rules = folder / "dev.sym.symbols.tsv.gz", folder / "rules.tsv"
    translation, words = tmp_path / "translation", tmp_path / "words"
    translate(model, [text], [1], [translation])
    assert ">_1 " in translation.read_text()
    subwords = "bpe" in view
    restore([translation], [words], "en", "fr", [table], rules, subwords, external_rules=external)
    hypotheses = list(read_lines(words))
    references = [line.replace("UNK", "?") for line in [*hypotheses[:8], *hypotheses[:7:-1]]]
    write_lines(tmp_path / "reference", references)
    languages = ("en", "fr") if external else None
    restored = read_restored([text], [table], [tmp_path / "reference"], rules, languages)
    assert any(restored.surfaces)
    vocabularies = read_vocabularies(model)
    validation = Validation([text], [text], *vocabularies, restored)
    bleu = validation.bleu(load_model(model, *vocabularies))
    assert 0 < bleu < 100
    assert bleu == pytest.approx(tokenized_bleu(hypotheses, references)["bleu"], abs=1e-6)
