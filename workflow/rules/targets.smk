"""Every stage by a name without wildcards: what its last files are."""

TARGETS = {
    "download": paths.archive_files(),
    "extracted": paths.side_files(
        "extract", paths.all_training_parts() + paths.other_texts()
    ),
    "tokenized": paths.side_files(
        "tokenize", paths.all_training_parts() + paths.other_texts()
    ),
    "surveyed": [
        f"{paths.results}/survey/{pair}/{part}.fingerprints.npy"
        for pair, part in paths.surveyed_parts()
    ],
    "cleaned": paths.side_files("clean", paths.all_training_parts()),
    "sampled": paths.side_files(
        "sample", ((pair, "sample") for pair in paths.selected_pairs())
    ),
    "estimated": [
        f"{paths.results}/language-models/{pair}/{language}.{file}"
        for pair in paths.selected_pairs()
        for language in pair.split("-")
        for file in LANGUAGE_MODELS
    ],
    "cross_entropies": [
        f"{paths.results}/cross-entropy/{pair}/{part}.scores.npy"
        for pair in paths.selected_pairs()
        for part in paths.training_parts(pair)
    ],
    "ranked": paths.rankings(),
    "selected": paths.side_files("select", paths.all_training_parts()),
    "words_counted": [
        f"{paths.results}/word-counts/{pair}/{language}.tsv"
        for pair in paths.pairs
        for language in pair.split("-")
    ],
    "perplexities": paths.perplexities(),
    "symbolized": paths.symbolized_files(),
    "dictionaries": expand(
        "<results>/rule-dictionary/{pair}/rules.tsv", pair=paths.pairs
    ),
    "subwords": paths.subword_files(),
    "binarized": paths.binarized_files(),
    "models": paths.runs("train/{pair}/{system}/{seed}/model.json"),
    "run_files": paths.runs("run/{pair}/{system}/{seed}.json"),
    "translations": paths.runs_and_ensembles("translate/{pair}/{system}/{seed}"),
    "restored": paths.runs_and_ensembles("restore/{pair}/{system}/{seed}"),
    "lines_known": paths.known_lines_of_all(),
    "scores": paths.runs_and_ensembles("score/{pair}/{system}/{seed}/scores.json"),
    "lexicons": paths.lexicons(),
    "replaced": paths.of_reports("score", "replaced.json"),
    "coverages": paths.of_reports("coverage"),
    "pairs_counted": paths.of_reports("pairs"),
    "counts": paths.of_reports("phenomena"),
    "symbols_scored": paths.of_reports("symbol-scores"),
    "compared": paths.of_reports("significance"),
    "lengths_scored": paths.of_reports("length-scores"),
    "word_vectors": [
        f"{paths.results}/cbow/{Path(chart).stem}/vectors.safetensors"
        for chart in paths.of_reports("local-charts")
    ],
    "words_charted": paths.of_reports("local-charts"),
    "contexts_masked": paths.of_reports("masks"),
}

for name, files in TARGETS.items():

    rule:
        name:
            name
        input:
            files,
        localrule: True
