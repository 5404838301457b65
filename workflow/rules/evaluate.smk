"""From models to numbers: from translate to phenomena; and what symbolization does."""


rule translate:
    input:
        model=paths.model_files,
        text=paths.translated_texts,
    output:
        directory("<results>/translate/{pair}/{system}/{seed}"),
    log:
        "<logs>/translate/{pair}/{system}/{seed}.log",
    benchmark:
        "<benchmarks>/translate/{pair}/{system}/{seed}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    threads: lambda wildcards: paths.recipe(wildcards)["training"]["threads"]
    resources:
        **gpu_resources(),
        mem_mb=memory(16000),
        runtime=hours(8),
    params:
        *code("contextnmt.translation.view_texts", "contextnmt.translation.translate"),
        device=paths.configuration["device"],
        models=paths.model_options,
        texts=lambda wildcards, input: repeated("--text", input.text),
        beams=lambda wildcards: repeated("--beam", paths.beams(wildcards)),
        out=lambda wildcards: repeated("--out", paths.likeliest(wildcards)),
        others=paths.other_translations,
        precision=lambda wildcards: paths.recipe(wildcards)["decoding"]["precision"],
    message:
        "translate {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt translate {params.models} {params.texts}"
        " {params.beams} {params.out} {params.others} --device {params.device}"
        " --precision {params.precision} --threads {threads} > {log} 2>&1"


rule restore:
    input:
        translation="<results>/translate/{pair}/{system}/{seed}",
        symbols=paths.symbol_tables,
        rules=paths.rules_of,
    output:
        directory("<results>/restore/{pair}/{system}/{seed}"),
    log:
        "<logs>/restore/{pair}/{system}/{seed}.log",
    benchmark:
        "<benchmarks>/restore/{pair}/{system}/{seed}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.text.restore"),
        languages=lambda wildcards: "--source-language {} --target-language {}".format(
            *wildcards.pair.split("-")
        ),
        translations=lambda wildcards: repeated(
            "--translation", paths.translations("translate", wildcards)
        ),
        out=lambda wildcards: repeated(
            "--out", paths.translations("restore", wildcards)
        ),
        symbols=lambda wildcards, input: repeated(
            "--symbols", paths.of_each_translation(wildcards, input.symbols)
        ),
        rules=lambda wildcards, input: repeated("--rules", input.rules),
        bpe=lambda wildcards: (
            "--bpe" if "bpe" in paths.recipe(wildcards)["view"] else ""
        ),
    message:
        "restore {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt restore {params.translations} {params.out} {params.languages}"
        " {params.symbols} {params.rules} {params.bpe} --statistics-out {output}/restored.json"
        " > {log} 2>&1"


rule known_lines:
    input:
        source=lambda wildcards: paths.view_file(
            wildcards.pair,
            wildcards.view,
            wildcards.text,
            wildcards.pair.split("-")[0],
        ),
        reference=lambda wildcards: paths.view_file(
            wildcards.pair,
            wildcards.view,
            wildcards.text,
            wildcards.pair.split("-")[1],
            aware=True,
        ),
        vocabularies=expand(
            "<results>/binarize/{{pair}}/{{view}}/{file}", file=VOCABULARIES
        ),
    output:
        "<results>/known-lines/{pair}/{view}/{text}.json",
    log:
        "<logs>/known-lines/{pair}/{view}/{text}.log",
    benchmark:
        "<benchmarks>/known-lines/{pair}/{view}/{text}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.known_lines"),
    message:
        "known lines {wildcards.pair} {wildcards.view}: {wildcards.text}"
    shell:
        "python -m contextnmt known-lines --source {input.source} --reference {input.reference}"
        " --source-vocabulary {input.vocabularies[0]} --target-vocabulary {input.vocabularies[1]}"
        " --out {output} > {log} 2>&1"


rule score:
    input:
        restored="<results>/restore/{pair}/{system}/{seed}",
        reference=paths.references("tokenize"),
        raw_reference=paths.references("extract"),
        known_lines=paths.known_lines_files,
    output:
        "<results>/score/{pair}/{system}/{seed}/scores.json",
    log:
        "<logs>/score/{pair}/{system}/{seed}.log",
    benchmark:
        "<benchmarks>/score/{pair}/{system}/{seed}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(2),
    params:
        *code("contextnmt.evaluation.score"),
        names=lambda wildcards: repeated("--name", paths.translation_names(wildcards)),
        lines=paths.stated_lines,
        subsets=paths.subsets,
        files=lambda wildcards, input: " ".join(
            [
                repeated("--hypothesis", paths.translations("restore", wildcards)),
                repeated("--reference", input.reference),
                repeated("--raw-reference", input.raw_reference),
            ]
        ),
        target=lambda wildcards: wildcards.pair.split("-")[1],
    message:
        "score {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt score {params.names} {params.files} {params.lines}"
        " {params.subsets} --target-language {params.target} --out {output} > {log} 2>&1"


rule phenomena:
    input:
        tags=lambda wildcards: paths.tags(wildcards)[0],
        restored="<results>/restore/{pair}/{system}/{seed}",
        reference=lambda wildcards: (
            f"{paths.results}/tokenize/{wildcards.pair}/{wildcards.text}"
            f".{wildcards.pair.split('-')[1]}.gz"
        ),
    output:
        "<results>/phenomena/{pair}/{system}/{seed}/{text}.json",
    log:
        "<logs>/phenomena/{pair}/{system}/{seed}/{text}.log",
    benchmark:
        "<benchmarks>/phenomena/{pair}/{system}/{seed}/{text}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.phenomena"),
        tags=lambda wildcards: "::".join(paths.tags(wildcards)),
        names=lambda wildcards: repeated(
            "--name", (f"{wildcards.text}.beam{b}" for b in paths.beams(wildcards))
        ),
        hypotheses=lambda wildcards, input: repeated(
            "--hypothesis",
            (
                f"{input.restored}/{wildcards.text}.beam{b}.gz"
                for b in paths.beams(wildcards)
            ),
        ),
        target=lambda wildcards: wildcards.pair.split("-")[1],
    message:
        "phenomena {wildcards.pair} {wildcards.system}, seed {wildcards.seed}: {wildcards.text}"
    shell:
        "python -m contextnmt phenomena --tags {params.tags:q}"
        " --target-language {params.target} {params.names} {params.hypotheses}"
        " --reference {input.reference} --out {output} > {log} 2>&1"


rule coverage:
    input:
        source_before="<results>/word-counts/{source}-{target}/{source}.tsv",
        target_before="<results>/word-counts/{source}-{target}/{target}.tsv",
        source_after=paths.in_training("symbolize/{pair}/{part}.{source}.gz"),
        target_after=paths.in_training("symbolize/{pair}/{part}.{target}.gz"),
    output:
        "<results>/coverage/{source}-{target}.json",
    log:
        "<logs>/coverage/{source}-{target}.log",
    benchmark:
        "<benchmarks>/coverage/{source}-{target}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=hours(2),
    params:
        *code("contextnmt.evaluation.coverage"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        symbolized=lambda wildcards, input: " ".join(
            [
                repeated("--source-after", input.source_after),
                repeated("--target-after", input.target_after),
            ]
        ),
        vocabulary_size=paths.configuration["text"]["vocabulary_size"],
    message:
        "coverage {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt coverage --source-language {wildcards.source}"
        " --target-language {wildcards.target} --source-before {input.source_before}"
        " --target-before {input.target_before} {params.symbolized}"
        " --vocabulary-size {params.vocabulary_size} --out {output} > {log} 2>&1"


rule pairs:
    input:
        paths.filtered_pairs,
    output:
        "<results>/pairs/{pair}.json",
    log:
        "<logs>/pairs/{pair}.log",
    benchmark:
        "<benchmarks>/pairs/{pair}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.pairs"),
        filters=paths.pair_filters,
    message:
        "pairs {wildcards.pair}"
    shell:
        "python -m contextnmt pairs {params.filters} --out {output} > {log} 2>&1"


rule symbol_scores:
    input:
        source=paths.symbolic_files("source"),
        target=paths.symbolic_files("target"),
        source_counts="<results>/word-counts/{source}-{target}/{source}.tsv",
        target_counts="<results>/word-counts/{source}-{target}/{target}.tsv",
        rates="<results>/rule-dictionary/{source}-{target}/rates.tsv",
    output:
        "<results>/symbol-scores/{source}-{target}.json",
    log:
        "<logs>/symbol-scores/{source}-{target}.log",
    benchmark:
        "<benchmarks>/symbol-scores/{source}-{target}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.symbol_scores"),
        threshold=paths.configuration["text"]["symbol_threshold"],
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        texts=lambda wildcards, input: " ".join(
            [
                repeated(
                    "--name",
                    paths.symbolic_texts(pair_of(wildcards)),
                ),
                repeated("--source", input.source),
                repeated("--target", input.target),
            ]
        ),
    message:
        "symbol scores {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt symbol-scores {params.texts}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --target-counts {input.target_counts}"
        " --rates {input.rates} --threshold {params.threshold} --out {output} > {log} 2>&1"
