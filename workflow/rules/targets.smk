"""Every stage by a name without wildcards: what its last files are."""

TARGETS = {
    "download": archive_files(),
    "extracted": side_files("extract", all_training_parts() + other_texts()),
    "tokenized": side_files("tokenize", all_training_parts() + other_texts()),
    "surveyed": [
        f"{RESULTS}/survey/{pair}/{part}.fingerprints.npy"
        for pair, part in surveyed_parts()
    ],
    "cleaned": side_files("clean", all_training_parts()),
    "sampled": side_files("sample", ((pair, "sample") for pair in selected_pairs())),
    "estimated": [
        f"{RESULTS}/language-models/{pair}/{language}.{file}"
        for pair in selected_pairs()
        for language in pair.split("-")
        for file in LANGUAGE_MODELS
    ],
    "cross_entropies": [
        f"{RESULTS}/cross-entropy/{pair}/{part}.scores.npy"
        for pair in selected_pairs()
        for part in training_parts(pair)
    ],
    "ranked": rankings(),
    "selected": side_files("select", all_training_parts()),
    "words_counted": [
        f"{RESULTS}/word-counts/{pair}/{language}.tsv"
        for pair in PAIRS
        for language in pair.split("-")
    ],
    "perplexities": perplexities(),
    "symbolized": symbolized_files(),
    "dictionaries": expand("<results>/rule-dictionary/{pair}/rules.tsv", pair=PAIRS),
    "subwords": subword_files(),
    "binarized": binarized_files(),
    "models": runs("<results>/train/{pair}/{system}/{seed}/model.json"),
    "run_files": runs("<results>/run/{pair}/{system}/{seed}.json"),
    "translations": runs_and_ensembles("<results>/translate/{pair}/{system}/{seed}"),
    "restored": runs_and_ensembles("<results>/restore/{pair}/{system}/{seed}"),
    "lines_known": known_lines_of_all(),
    "scores": runs_and_ensembles("<results>/score/{pair}/{system}/{seed}/scores.json"),
    "lexicons": lexicons(),
    "replaced": of_reports("score", "replaced.json"),
    "coverages": of_reports("coverage"),
    "pairs_counted": of_reports("pairs"),
    "counts": of_reports("phenomena"),
    "symbols_scored": of_reports("symbol-scores"),
    "compared": of_reports("significance"),
    "lengths_scored": of_reports("length-scores"),
    "word_vectors": [
        f"{RESULTS}/cbow/{Path(chart).stem}/vectors.safetensors"
        for chart in of_reports("local-charts")
    ],
    "words_charted": of_reports("local-charts"),
    "contexts_masked": of_reports("masks"),
}

for name, files in TARGETS.items():

    rule:
        name:
            name
        input:
            files,
        localrule: True
