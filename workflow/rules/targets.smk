"""Every stage by a name without wildcards.

Target          makes the last file of stage
download        download, generate
extracted       extract
tokenized       tokenize
surveyed        survey
cleaned         clean
sampled         sample
estimated       language-models
cross_entropies cross-entropy
ranked          rank
selected        select
words_counted   word-counts
perplexities    perplexity
symbolized      symbolize
dictionaries    rule-dictionary
subwords        bpe
binarized       binarize
models          train
run_files       run_file (what `contextnmt translate --run` reads)
translations    translate
restored        restore
lines_known     known-lines
scores          score
lexicons        lexicon
replaced        replace-unknown
coverages       coverage
pairs_counted   pairs
counts          phenomena
symbols_scored  symbol_scores
compared        significance
lengths_scored  length-scores
word_vectors    cbow
words_charted   local-charts
contexts_masked masks
"""


rule download:
    input:
        archive_files(),


rule extracted:
    input:
        side_files("extract", all_training_parts() + other_texts()),


rule tokenized:
    input:
        side_files("tokenize", all_training_parts() + other_texts()),


rule surveyed:
    input:
        [
            f"{RESULTS}/survey/{pair}/{part}.fingerprints.npy"
            for pair, part in surveyed_parts()
        ],


rule cleaned:
    input:
        side_files("clean", all_training_parts()),


rule sampled:
    input:
        side_files("sample", ((pair, "sample") for pair in selected_pairs())),


rule estimated:
    input:
        [
            f"{RESULTS}/language-models/{pair}/{language}.{file}"
            for pair in selected_pairs()
            for language in pair.split("-")
            for file in LANGUAGE_MODELS
        ],


rule cross_entropies:
    input:
        [
            f"{RESULTS}/cross-entropy/{pair}/{part}.scores.npy"
            for pair in selected_pairs()
            for part in training_parts(pair)
        ],


rule ranked:
    input:
        rankings(),


rule selected:
    input:
        side_files("select", all_training_parts()),


rule words_counted:
    input:
        [
            f"{RESULTS}/word-counts/{pair}/{language}.tsv"
            for pair in PAIRS
            for language in pair.split("-")
        ],


rule perplexities:
    input:
        perplexities(),


rule symbolized:
    input:
        symbolized_files(),


rule dictionaries:
    input:
        expand("<results>/rule-dictionary/{pair}/rules.tsv", pair=PAIRS),


rule subwords:
    input:
        subword_files(),


rule binarized:
    input:
        binarized_files(),


rule models:
    input:
        runs("<results>/train/{pair}/{system}/{seed}/model.json"),


rule run_files:
    input:
        runs("<results>/run/{pair}/{system}/{seed}.json"),


rule translations:
    input:
        runs_and_ensembles("<results>/translate/{pair}/{system}/{seed}"),


rule restored:
    input:
        runs_and_ensembles("<results>/restore/{pair}/{system}/{seed}"),


rule lines_known:
    input:
        known_lines_of_all(),


rule scores:
    input:
        runs_and_ensembles("<results>/score/{pair}/{system}/{seed}/scores.json"),


rule lexicons:
    input:
        lexicons(),


rule replaced:
    input:
        of_reports("score", "replaced.json"),


rule coverages:
    input:
        of_reports("coverage"),


rule pairs_counted:
    input:
        of_reports("pairs"),


rule counts:
    input:
        of_reports("phenomena"),


rule symbols_scored:
    input:
        of_reports("symbol-scores"),


rule compared:
    input:
        of_reports("significance"),


rule lengths_scored:
    input:
        of_reports("length-scores"),


rule word_vectors:
    input:
        [
            f"{RESULTS}/cbow/{Path(chart).stem}/vectors.safetensors"
            for chart in of_reports("local-charts")
        ],


rule words_charted:
    input:
        of_reports("local-charts"),


rule contexts_masked:
    input:
        of_reports("masks"),
