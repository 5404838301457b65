"""From translations to numbers: score, phenomena, significance, lengths, symbols, contexts."""


rule score:
    input:
        restored="<results>/restore/{pair}/{system}/{seed}",
        reference=paths.references("tokenize"),
        raw_reference=paths.references("extract"),
        further=paths.further_files,
        known_lines=lambda wildcards: list(paths.known_lines(wildcards).values()),
    output:
        "<results>/score/{pair}/{system}/{seed}/scores.json",
    log:
        "<logs>/score/{pair}/{system}/{seed}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(2),
    params:
        *code("contextnmt.evaluation.score"),
        names=lambda wildcards: options(name=paths.translation_names(wildcards)),
        lines=paths.stated_lines,
        subsets=paths.subsets,
        files=lambda wildcards, input: options(
            hypothesis=paths.translations("restore", wildcards),
            reference=input.reference,
            raw_reference=input.raw_reference,
        ),
        further=paths.further_options,
        target=lambda wildcards: language_of(wildcards, "target"),
    message:
        "score {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt score {params.names} {params.files} {params.further} {params.lines}"
        " {params.subsets} --target-language {params.target} --out {output} > {log} 2>&1"


rule phenomena:
    input:
        tags=lambda wildcards: paths.tags(wildcards)[0],
        restored="<results>/restore/{pair}/{system}/{seed}",
        reference=paths.compared_side("target"),
    output:
        "<results>/phenomena/{pair}/{system}/{seed}/{text}.json",
    log:
        "<logs>/phenomena/{pair}/{system}/{seed}/{text}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.phenomena"),
        tags=lambda wildcards: "::".join(paths.tags(wildcards)),
        versions=paths.versions(lambda wildcards: paths.tags(wildcards)[:1]),
        names=lambda wildcards: options(name=paths.searches(wildcards)),
        hypotheses=lambda wildcards, input: options(
            hypothesis=[
                f"{input.restored}/{name}.gz" for name in paths.searches(wildcards)
            ]
        ),
        target=lambda wildcards: language_of(wildcards, "target"),
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
    resources:
        mem_mb=memory(8000),
        runtime=hours(2),
    params:
        *code("contextnmt.evaluation.coverage"),
        symbolized=options_of_inputs("source_after", "target_after"),
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
    resources:
        mem_mb=memory(8000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.coverage"),
        filters=paths.pair_filters,
    message:
        "pairs {wildcards.pair}"
    shell:
        "python -m contextnmt pairs {params.filters} --out {output} > {log} 2>&1"


rule overlap:
    input:
        source=paths.in_training("select/{pair}/{part}.{source}.gz"),
        target=paths.in_training("select/{pair}/{part}.{target}.gz"),
        text_source=paths.tokenized("source", paths.evaluated_texts),
        text_target=paths.tokenized("target", paths.evaluated_texts),
    output:
        "<results>/overlap/{source}-{target}.json",
    log:
        "<logs>/overlap/{source}-{target}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.overlap"),
        names=lambda wildcards: options(name=paths.evaluated_texts(pair_of(wildcards))),
        files=options_of_inputs("source", "target", "text_source", "text_target"),
    message:
        "overlap {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt overlap {params.names} {params.files} --out {output} > {log} 2>&1"


rule symbol_scores:
    input:
        source=paths.tokenized("source", paths.symbolic_texts),
        target=paths.tokenized("target", paths.symbolic_texts),
        source_counts="<results>/word-counts/{source}-{target}/{source}.tsv",
        target_counts="<results>/word-counts/{source}-{target}/{target}.tsv",
        rates="<results>/rule-dictionary/{source}-{target}/rates.tsv",
    output:
        "<results>/symbol-scores/{source}-{target}.json",
    log:
        "<logs>/symbol-scores/{source}-{target}.log",
    resources:
        mem_mb=memory(8000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.symbol_scores"),
        threshold=paths.configuration["text"]["symbol_threshold"],
        external_rules=paths.external_rules,
        texts=lambda wildcards, input: options(
            name=paths.symbolic_texts(pair_of(wildcards)),
            source=input.source,
            target=input.target,
        ),
    message:
        "symbol scores {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt symbol-scores {params.texts}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-counts {input.source_counts} --target-counts {input.target_counts}"
        " --rates {input.rates} --threshold {params.threshold} {params.external_rules}"
        " --out {output} > {log} 2>&1"


rule significance:
    input:
        paths.compared_runs,
        source=paths.compared_side("source"),
        reference=paths.compared_references,
    output:
        "<results>/significance/{experiment}/{pair}/{text}.beam{beam}.json",
    log:
        "<logs>/significance/{experiment}/{pair}/{text}.beam{beam}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.significance"),
        references=options_of_inputs("reference"),
        translations=paths.compared_translations,
        contrasts=paths.compared_systems,
    message:
        "significance {wildcards.experiment} {wildcards.pair}: {wildcards.text}"
    shell:
        "python -m contextnmt significance --name {wildcards.text}.beam{wildcards.beam}"
        " --source {input.source} {params.references}"
        " {params.translations} {params.contrasts} --out {output} > {log} 2>&1"


rule length_scores:
    input:
        paths.compared_runs,
        source=paths.compared_side("source"),
        reference=paths.compared_references,
    output:
        "<results>/length-scores/{experiment}/{pair}/{text}.beam{beam}.json",
    log:
        "<logs>/length-scores/{experiment}/{pair}/{text}.beam{beam}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.length_scores"),
        references=options_of_inputs("reference"),
        translations=paths.compared_translations,
    message:
        "length scores {wildcards.experiment} {wildcards.pair}: {wildcards.text}"
    shell:
        "python -m contextnmt length-scores --name {wildcards.text}.beam{wildcards.beam}"
        " --source {input.source} {params.references} {params.translations}"
        " --out {output} > {log} 2>&1"


rule cbow:
    input:
        paths.in_training("select/{pair}/{part}.{source}.gz"),
    output:
        "<results>/cbow/{source}-{target}/vectors.safetensors",
        "<results>/cbow/{source}-{target}/vocabulary.source.tsv",
    log:
        "<logs>/cbow/{source}-{target}.log",
    resources:
        mem_mb=memory(8000),
        runtime=hours(4),
    params:
        *code("contextnmt.evaluation.cbow"),
        text=lambda wildcards, input: options(text=input),
        vocabulary_size=paths.configuration["text"]["vocabulary_size"],
        out=subpath(output[0], parent=True),
    message:
        "CBOW vectors {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt cbow {params.text} --vocabulary-size {params.vocabulary_size}"
        " --out {params.out} > {log} 2>&1"


rule local_charts:
    input:
        cbow="<results>/cbow/{source}-{target}/vectors.safetensors",
        words="<results>/cbow/{source}-{target}/vocabulary.source.tsv",
        models=paths.charted_models("model.safetensors"),
        vocabularies=paths.charted_models("vocabulary.source.tsv"),
    output:
        "<results>/local-charts/{source}-{target}.json",
    log:
        "<logs>/local-charts/{source}-{target}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.local_charts"),
        models=lambda wildcards, input: options(
            name=paths.charted_systems(pair_of(wildcards)),
            model=(Path(path).parent for path in input.models),
        ),
        cbow=subpath(input.cbow, parent=True),
        words=lambda wildcards: options(word=paths.inspected_words()),
    message:
        "local charts {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt local-charts {params.models} --cbow {params.cbow} {params.words}"
        " --out {output} > {log} 2>&1"


rule masks:
    input:
        model=expand(
            "<results>/train/{{pair}}/{{system}}/{{seed}}/{file}",
            file=["model.safetensors", "model.json", *VOCABULARIES],
        ),
        text=paths.text_in_view("source"),
        tags=paths.masked_tags,
    output:
        "<results>/masks/{pair}/{system}/{seed}/{text}.json",
    log:
        "<logs>/masks/{pair}/{system}/{seed}/{text}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.masks"),
        model=lambda wildcards, input: Path(input.model[0]).parent,
        words=paths.masked_words,
        versions=paths.versions(paths.masked_tags),
    message:
        "masks {wildcards.pair} {wildcards.system}, seed {wildcards.seed}: {wildcards.text}"
    shell:
        "python -m contextnmt masks --model {params.model} --text {input.text} {params.words}"
        " --out {output} > {log} 2>&1"
