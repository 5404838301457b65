"""The views of a text: symbolize, bpe, and binarize for the trainer."""

# The view whose words bpe cuts.
WITHOUT_BPE = {"bpe": "word", "sym-bpe": "sym"}


rule symbolize:
    input:
        source="<results>/select/{source}-{target}/train.{source}.gz",
        target="<results>/select/{source}-{target}/train.{target}.gz",
        source_counts="<results>/select/{source}-{target}/counts.{source}.tsv",
        target_counts="<results>/select/{source}-{target}/counts.{target}.tsv",
    output:
        source="<results>/symbolize/{source}-{target}/train.{source}.gz",
        target="<results>/symbolize/{source}-{target}/train.{target}.gz",
        rules="<results>/symbolize/{source}-{target}/train.rules.tsv",
        rates="<results>/symbolize/{source}-{target}/train.rates.tsv",
    log:
        "<logs>/symbolize/{source}-{target}/train.log",
    benchmark:
        "<benchmarks>/symbolize/{source}-{target}/train.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=16000,
        runtime="12h",
    params:
        *code("contextnmt.text.symbolize"),
        out=lambda wildcards, output: output.rules.removesuffix(".rules.tsv"),
    message:
        "symbolize {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt symbolize --source {input.source} --target {input.target}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --target-counts {input.target_counts}"
        " --out {params.out} > {log} 2>&1"


rule symbolize_pair:
    input:
        source="<results>/tokenize/{source}-{target}/{text}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{text}.{target}.gz",
        source_counts="<results>/select/{source}-{target}/counts.{source}.tsv",
        target_counts="<results>/select/{source}-{target}/counts.{target}.tsv",
    output:
        source="<results>/symbolize/{source}-{target}/{text}.pair.{source}.gz",
        target="<results>/symbolize/{source}-{target}/{text}.pair.{target}.gz",
    log:
        "<logs>/symbolize/{source}-{target}/{text}.pair.log",
    benchmark:
        "<benchmarks>/symbolize/{source}-{target}/{text}.pair.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        *code("contextnmt.text.symbolize"),
        out=lambda wildcards, output: output.source.removesuffix(
            f".{wildcards.source}.gz"
        ),
    message:
        "symbolize {wildcards.source}-{wildcards.target} {wildcards.text}, both sides"
    shell:
        "python -m contextnmt symbolize --source {input.source} --target {input.target}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --target-counts {input.target_counts}"
        " --no-rules --out {params.out} > {log} 2>&1"


rule symbolize_source:
    input:
        source="<results>/tokenize/{source}-{target}/{text}.{source}.gz",
        source_counts="<results>/select/{source}-{target}/counts.{source}.tsv",
        rates="<results>/symbolize/{source}-{target}/train.rates.tsv",
    output:
        source="<results>/symbolize/{source}-{target}/{text}.{source}.gz",
        symbols="<results>/symbolize/{source}-{target}/{text}.symbols.tsv.gz",
    log:
        "<logs>/symbolize/{source}-{target}/{text}.source.log",
    benchmark:
        "<benchmarks>/symbolize/{source}-{target}/{text}.source.tsv"
    wildcard_constraints:
        text=r"(?!train\.)[A-Za-z0-9_-]+",
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        *code("contextnmt.text.symbolize"),
        threshold=CONFIGURATION["text"]["symbol_threshold"],
        out=lambda wildcards, output: output.symbols.removesuffix(".symbols.tsv.gz"),
    message:
        "symbolize {wildcards.source}-{wildcards.target} {wildcards.text}, source alone"
    shell:
        "python -m contextnmt symbolize --source {input.source}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --rates {input.rates}"
        " --threshold {params.threshold} --out {params.out} > {log} 2>&1"


rule bpe_codes:
    input:
        lambda wildcards: [
            view_file(wildcards.pair, WITHOUT_BPE[wildcards.view], "train", language)
            for language in wildcards.languages.split("-")
        ],
    output:
        "<results>/bpe/{pair}/{view}/codes.{languages}",
    log:
        "<logs>/bpe/{pair}/{view}/codes.{languages}.log",
    benchmark:
        "<benchmarks>/bpe/{pair}/{view}/codes.{languages}.tsv"
    wildcard_constraints:
        languages="[a-z]{2,3}(-[a-z]{2,3})?",
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=16000,
        runtime="12h",
    params:
        *code("contextnmt.text.bpe"),
        texts=lambda wildcards, input: repeated("--text", input),
        merges=CONFIGURATION["text"]["merges"],
    message:
        "learn bpe {wildcards.pair} {wildcards.view}, {wildcards.languages}"
    shell:
        "python -m contextnmt bpe {params.texts} --merges {params.merges}"
        " --codes-out {output} > {log} 2>&1"


rule bpe:
    input:
        text=lambda wildcards: view_file(
            wildcards.pair,
            WITHOUT_BPE[wildcards.view],
            wildcards.text,
            wildcards.language,
            aware=bool(wildcards.aware),
        ),
        codes=codes,
    output:
        "<results>/bpe/{pair}/{view}/{text}{aware}.{language}.gz",
    log:
        "<logs>/bpe/{pair}/{view}/{text}{aware}.{language}.log",
    benchmark:
        "<benchmarks>/bpe/{pair}/{view}/{text}{aware}.{language}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=4000,
        runtime="12h",
    params:
        *code("contextnmt.text.bpe"),
    message:
        "bpe {wildcards.pair} {wildcards.view} {wildcards.text}, {wildcards.language}"
    shell:
        "python -m contextnmt bpe --text {input.text} --codes {input.codes} --out {output}"
        " > {log} 2>&1"


rule binarize:
    input:
        source=train_file("source"),
        target=train_file("target"),
        dev_source=dev_files("source"),
        dev_target=dev_files("target"),
    output:
        expand(
            "<results>/binarize/{{source}}-{{target}}/{{view}}/{file}", file=BINARIZED
        ),
    log:
        "<logs>/binarize/{source}-{target}/{view}.log",
    benchmark:
        "<benchmarks>/binarize/{source}-{target}/{view}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=8000,
        runtime="6h",
    params:
        *code("contextnmt.text.binarize"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        dev=lambda wildcards, input: " ".join(
            [
                repeated("--dev-source", input.dev_source),
                repeated("--dev-target", input.dev_target),
            ]
        ),
        vocabulary_size=CONFIGURATION["text"]["vocabulary_size"],
        folder=subpath(output[0], parent=True),
    message:
        "binarize {wildcards.source}-{wildcards.target} {wildcards.view}"
    shell:
        "python -m contextnmt binarize --source {input.source} --target {input.target}"
        " {params.dev} --vocabulary-size {params.vocabulary_size} --out {params.folder}"
        " > {log} 2>&1"
