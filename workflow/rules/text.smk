"""The views of a text: symbolize, bpe, and binarize for the trainer."""

# Training texts and texts to translate have rules of their own for symbols, but one folder.
TRAINED = "|".join(
    re.escape(part) for text in paths.texts_trained_on() for part in paths.parts(text)
)
EVALUATED = "|".join(
    text for pair in paths.pairs for text in paths.evaluated_texts(pair)
)

# The view whose words bpe cuts.
WITHOUT_BPE = {"bpe": "word", "sym-bpe": "sym"}


rule symbolize:
    input:
        source="<results>/select/{source}-{target}/{part}.{source}.gz",
        target="<results>/select/{source}-{target}/{part}.{target}.gz",
        source_counts="<results>/word-counts/{source}-{target}/{source}.tsv",
        target_counts="<results>/word-counts/{source}-{target}/{target}.tsv",
    output:
        source="<results>/symbolize/{source}-{target}/{part}.{source}.gz",
        target="<results>/symbolize/{source}-{target}/{part}.{target}.gz",
        rules="<results>/symbolize/{source}-{target}/{part}.rules.tsv",
        rates="<results>/symbolize/{source}-{target}/{part}.rates.tsv",
    log:
        "<logs>/symbolize/{source}-{target}/{part}.log",
    wildcard_constraints:
        part=TRAINED,
    resources:
        mem_mb=memory(16000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.symbolize"),
        external_rules=paths.external_rules,
        out=lambda wildcards, output: output.rules.removesuffix(".rules.tsv"),
    message:
        "symbolize {wildcards.source}-{wildcards.target} {wildcards.part}"
    shell:
        "python -m contextnmt symbolize --source {input.source} --target {input.target}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --target-counts {input.target_counts}"
        " {params.external_rules} --out {params.out} > {log} 2>&1"


rule rule_dictionary:
    input:
        rules=paths.in_training("symbolize/{pair}/{part}.rules.tsv"),
        rates=paths.in_training("symbolize/{pair}/{part}.rates.tsv"),
    output:
        rules="<results>/rule-dictionary/{pair}/rules.tsv",
        rates="<results>/rule-dictionary/{pair}/rates.tsv",
    log:
        "<logs>/rule-dictionary/{pair}.log",
    resources:
        mem_mb=memory(2000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.rule_dictionary"),
        tables=options_of_inputs("rules", "rates"),
    message:
        "rule dictionary {wildcards.pair}"
    shell:
        "python -m contextnmt rule-dictionary {params.tables}"
        " --rules-out {output.rules} --rates-out {output.rates} > {log} 2>&1"


rule symbolize_pair:
    input:
        source="<results>/tokenize/{source}-{target}/{text}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{text}.{target}.gz",
        source_counts="<results>/word-counts/{source}-{target}/{source}.tsv",
        target_counts="<results>/word-counts/{source}-{target}/{target}.tsv",
    output:
        source="<results>/symbolize/{source}-{target}/{text}.pair.{source}.gz",
        target="<results>/symbolize/{source}-{target}/{text}.pair.{target}.gz",
    log:
        "<logs>/symbolize/{source}-{target}/{text}.pair.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.text.symbolize"),
        external_rules=paths.external_rules,
        out=lambda wildcards, output: output.source.removesuffix(
            f".{wildcards.source}.gz"
        ),
    message:
        "symbolize {wildcards.source}-{wildcards.target} {wildcards.text}, both sides"
    shell:
        "python -m contextnmt symbolize --source {input.source} --target {input.target}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --target-counts {input.target_counts}"
        " --no-rules {params.external_rules} --out {params.out} > {log} 2>&1"


rule symbolize_source:
    input:
        source="<results>/tokenize/{source}-{target}/{text}.{source}.gz",
        choice=paths.choice_files,
    output:
        source="<results>/symbolize/{source}-{target}/{text}{choice}.{source}.gz",
        symbols="<results>/symbolize/{source}-{target}/{text}{choice}.symbols.tsv.gz",
    log:
        "<logs>/symbolize/{source}-{target}/{text}{choice}.source.log",
    wildcard_constraints:
        text=EVALUATED,
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.text.symbolize"),
        choice=paths.choice_options,
        external_rules=paths.external_rules,
        out=lambda wildcards, output: output.symbols.removesuffix(".symbols.tsv.gz"),
    message:
        "symbolize {wildcards.source}-{wildcards.target} {wildcards.text}{wildcards.choice}, source alone"
    shell:
        "python -m contextnmt symbolize --source {input.source}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " {params.choice} {params.external_rules}"
        " --out {params.out} > {log} 2>&1"


rule bpe_codes:
    input:
        lambda wildcards: [
            path
            for language in wildcards.languages.split("-")
            for path in paths.training_files(
                wildcards.pair, WITHOUT_BPE[wildcards.view], language
            )
        ],
    output:
        "<results>/bpe/{pair}/{view}/codes.{languages}",
    log:
        "<logs>/bpe/{pair}/{view}/codes.{languages}.log",
    wildcard_constraints:
        languages="[a-z]{2,3}(-[a-z]{2,3})?",
    resources:
        mem_mb=memory(16000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.bpe"),
        texts=lambda wildcards, input: options(text=input),
        merges=paths.configuration["text"]["merges"],
    message:
        "learn bpe {wildcards.pair} {wildcards.view}, {wildcards.languages}"
    shell:
        "python -m contextnmt bpe {params.texts} --merges {params.merges}"
        " --codes-out {output} > {log} 2>&1"


rule bpe:
    input:
        text=lambda wildcards: paths.view_file(
            wildcards.pair,
            WITHOUT_BPE[wildcards.view],
            wildcards.part,
            wildcards.language,
            aware=bool(wildcards.aware),
            choice=wildcards.choice,
        ),
        codes=lambda wildcards: paths.codes_file(
            wildcards.pair, wildcards.view, wildcards.language
        ),
    output:
        "<results>/bpe/{pair}/{view}/{part}{aware}{choice}.{language}.gz",
    log:
        "<logs>/bpe/{pair}/{view}/{part}{aware}{choice}.{language}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.bpe"),
    message:
        "bpe {wildcards.pair} {wildcards.view} {wildcards.part}{wildcards.choice}, {wildcards.language}"
    shell:
        "python -m contextnmt bpe --text {input.text} --codes {input.codes} --out {output}"
        " > {log} 2>&1"


rule binarize:
    input:
        source=paths.train_files("source"),
        target=paths.train_files("target"),
    output:
        expand(
            "<results>/binarize/{{source}}-{{target}}/{{view}}/{file}", file=BINARIZED
        ),
    log:
        "<logs>/binarize/{source}-{target}/{view}.log",
    resources:
        mem_mb=memory(8000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.binarize"),
        texts=options_of_inputs("source", "target"),
        vocabulary_size=paths.configuration["text"]["vocabulary_size"],
        folder=subpath(output[0], parent=True),
    message:
        "binarize {wildcards.source}-{wildcards.target} {wildcards.view}"
    shell:
        "python -m contextnmt binarize {params.texts}"
        " --vocabulary-size {params.vocabulary_size} --out {params.folder} > {log} 2>&1"
