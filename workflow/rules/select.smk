"""Which of the clean pairs are trained on: sample, language models, scores, rank, select."""

# Which random pairs stand for the pool, and which others the selection is compared with: with the
# same seed, the latter would begin with the former.
SAMPLE_SEED = 1
COMPARISON_SEED = 2


rule sample:
    input:
        source=paths.in_training("clean/{pair}/{part}.{source}.gz"),
        target=paths.in_training("clean/{pair}/{part}.{target}.gz"),
        in_domain=paths.tokenized("target", paths.in_domain_texts),
    output:
        source="<results>/sample/{source}-{target}/sample.{source}.gz",
        target="<results>/sample/{source}-{target}/sample.{target}.gz",
    log:
        "<logs>/sample/{source}-{target}.log",
    resources:
        mem_mb=memory(2000),
        runtime=hours(2),
    params:
        *code("contextnmt.selection.cross_entropy"),
        texts=options_of_inputs("source", "target", "in_domain"),
        seed=SAMPLE_SEED,
    message:
        "sample {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt sample {params.texts} --seed {params.seed}"
        " --source-out {output.source} --target-out {output.target} > {log} 2>&1"


rule language_models:
    input:
        in_domain=paths.tokenized("language", paths.in_domain_texts),
        general="<results>/sample/{pair}/sample.{language}.gz",
    output:
        expand(
            "<results>/language-models/{{pair}}/{{language}}.{file}",
            file=LANGUAGE_MODELS,
        ),
    log:
        "<logs>/language-models/{pair}/{language}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.selection.cross_entropy"),
        in_domain=options_of_inputs("in_domain"),
        out=lambda wildcards: paths.models_prefix(wildcards, "language"),
    message:
        "language models {wildcards.pair}, {wildcards.language}"
    shell:
        "python -m contextnmt language-models {params.in_domain} --general {input.general}"
        " --out {params.out} > {log} 2>&1"


rule cross_entropy:
    input:
        source="<results>/clean/{source}-{target}/{part}.{source}.gz",
        target="<results>/clean/{source}-{target}/{part}.{target}.gz",
        source_models=paths.language_models("source"),
        target_models=paths.language_models("target"),
    output:
        "<results>/cross-entropy/{source}-{target}/{part}.scores.npy",
    log:
        "<logs>/cross-entropy/{source}-{target}/{part}.log",
    resources:
        mem_mb=memory(2000),
        runtime=hours(2),
    params:
        *code("contextnmt.selection.cross_entropy"),
        models=lambda wildcards: " ".join(
            f"--{side}-models {paths.models_prefix(wildcards, side)}" for side in SIDES
        ),
    message:
        "cross-entropy {wildcards.source}-{wildcards.target} {wildcards.part}"
    shell:
        "python -m contextnmt cross-entropy --source {input.source} --target {input.target}"
        " {params.models} --out {output} > {log} 2>&1"


rule rank:
    input:
        paths.in_training("cross-entropy/{pair}/{part}.scores.npy"),
    output:
        "<results>/rank/{pair}.json",
    log:
        "<logs>/rank/{pair}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.selection.rank"),
        scores=lambda wildcards, input: options(scores=input),
        limit=paths.selection_limit,
    message:
        "rank {wildcards.pair}"
    shell:
        "python -m contextnmt rank {params.scores} {params.limit} --out {output} > {log} 2>&1"


rule select:
    input:
        source="<results>/clean/{source}-{target}/{part}.{source}.gz",
        target="<results>/clean/{source}-{target}/{part}.{target}.gz",
        scores=paths.if_selected("cross-entropy/{source}-{target}/{part}.scores.npy"),
        ranking=paths.if_selected("rank/{source}-{target}.json"),
    output:
        source="<results>/select/{source}-{target}/{part}.{source}.gz",
        target="<results>/select/{source}-{target}/{part}.{target}.gz",
        source_counts="<results>/select/{source}-{target}/{part}.{source}.tsv.gz",
        target_counts="<results>/select/{source}-{target}/{part}.{target}.tsv.gz",
        selected="<results>/select/{source}-{target}/{part}.selected.json",
    log:
        "<logs>/select/{source}-{target}/{part}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(2),
    params:
        *code("contextnmt.selection.select"),
        ranking=options_of_inputs("scores", "ranking"),
    message:
        "select {wildcards.source}-{wildcards.target} {wildcards.part}"
    shell:
        "python -m contextnmt select --source {input.source} --target {input.target}"
        " {params.ranking} --source-out {output.source} --target-out {output.target}"
        " --source-counts-out {output.source_counts} --target-counts-out {output.target_counts}"
        " --selected-out {output.selected} > {log} 2>&1"


rule word_counts:
    input:
        paths.in_training("select/{pair}/{part}.{language}.tsv.gz"),
    output:
        "<results>/word-counts/{pair}/{language}.tsv",
    log:
        "<logs>/word-counts/{pair}/{language}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.selection.select"),
        counts=lambda wildcards, input: options(counts=input),
    message:
        "word counts {wildcards.pair}, {wildcards.language}"
    shell:
        "python -m contextnmt word-counts {params.counts} --out {output} > {log} 2>&1"


rule perplexity:
    input:
        text=paths.in_training("clean/{pair}/{part}.{target}.gz"),
        scores=paths.in_training("cross-entropy/{pair}/{part}.scores.npy"),
        ranking="<results>/rank/{source}-{target}.json",
        vocabulary="<results>/language-models/{source}-{target}/{target}.vocabulary.txt",
        dev=paths.tokenized("target", lambda pair: paths.texts(pair, "dev")),
    output:
        "<results>/perplexity/{source}-{target}.json",
    log:
        "<logs>/perplexity/{source}-{target}.log",
    resources:
        # For the models, and 2,000 MB for a pool of 40 million pairs.
        mem_mb=lambda wildcards, attempt: (
            min(attempt, ATTEMPTS)
            * (4000 + paths.perplexity_words(wildcards) * 130 // 1_000_000)
        ),
        runtime=hours(2),
    params:
        *code("contextnmt.selection.perplexity"),
        most_words=paths.perplexity_words,
        texts=options_of_inputs("text", "scores", "dev"),
        seed=COMPARISON_SEED,
    message:
        "perplexity {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt perplexity {params.texts} --ranking {input.ranking}"
        " --vocabulary {input.vocabulary} --most-words {params.most_words}"
        " --seed {params.seed} --out {output} > {log} 2>&1"
