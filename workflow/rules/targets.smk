"""Every stage by a name without wildcards.

Target          makes the last file of stage
download        download, generate
extracted       extract
tokenized       tokenize
cleaned         clean
selected        select
symbolized      symbolize
subwords        bpe
binarized       binarize
models          train
translations    translate
restored        restore
scores          score
coverages       coverage
pairs_counted   pairs
counts          phenomena
symbols_scored  symbol_scores
"""


rule download:
    input:
        archive_files(),


rule extracted:
    input:
        side_files("extract", parallel_texts("train", "dev", "test")),


rule tokenized:
    input:
        side_files("tokenize", parallel_texts("train", "dev", "test")),


rule cleaned:
    input:
        side_files("clean", parallel_texts("train")),


rule selected:
    input:
        side_files("select", ((pair, "train") for pair in PAIRS)),


rule symbolized:
    input:
        symbolized_files(),


rule subwords:
    input:
        subword_files(),


rule binarized:
    input:
        binarized_files(),


rule models:
    input:
        runs("<results>/train/{pair}/{system}/{seed}/model.json"),


rule translations:
    input:
        runs("<results>/translate/{pair}/{system}/{seed}"),


rule restored:
    input:
        runs("<results>/restore/{pair}/{system}/{seed}"),


rule scores:
    input:
        runs("<results>/score/{pair}/{system}/{seed}/scores.json"),


rule coverages:
    input:
        expand("<results>/coverage/{pair}.json", pair=PAIRS),


rule pairs_counted:
    input:
        expand("<results>/pairs/{pair}.json", pair=PAIRS),


rule counts:
    input:
        phenomena_files(),


rule symbols_scored:
    input:
        symbol_score_files(),
