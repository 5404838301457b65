"""From models to translations: translate, restore, replace unknown words, runs for own text."""


rule translate:
    input:
        model=paths.model_files,
        text=paths.translated_texts,
    output:
        directory("<results>/translate/{pair}/{system}/{seed}"),
    log:
        "<logs>/translate/{pair}/{system}/{seed}.log",
    threads: lambda wildcards: paths.recipe(wildcards)["training"]["threads"]
    resources:
        **gpu_resources(),
        mem_mb=memory(16000),
        runtime=hours(8),
    params:
        *code("contextnmt.translation.translate", "contextnmt.translation.own_text"),
        device=paths.configuration["device"],
        models=paths.model_options,
        texts=lambda wildcards, input: options(text=input.text),
        beams=lambda wildcards: options(beam=paths.beams(wildcards)),
        out=lambda wildcards: options(out=paths.likeliest(wildcards)),
        others=paths.other_translations,
        precision=lambda wildcards: paths.recipe(wildcards)["decoding"]["precision"],
        least=lambda wildcards: paths.recipe(wildcards)["decoding"]["minimum_length"],
    message:
        "translate {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt translate {params.models} {params.texts}"
        " {params.beams} {params.out} {params.others} --device {params.device}"
        " --precision {params.precision} --minimum-length {params.least}"
        " --threads {threads} > {log} 2>&1"


rule restore:
    input:
        translation="<results>/translate/{pair}/{system}/{seed}",
        symbols=paths.symbol_tables,
        rules=paths.rules_of,
    output:
        directory("<results>/restore/{pair}/{system}/{seed}"),
    log:
        "<logs>/restore/{pair}/{system}/{seed}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.text.restore"),
        languages=language_options,
        translations=lambda wildcards: options(
            translation=paths.translations("translate", wildcards)
        ),
        out=lambda wildcards: options(out=paths.translations("restore", wildcards)),
        symbols=lambda wildcards, input: options(
            symbols=paths.of_each(wildcards, input.symbols)
        ),
        rules=options_of_inputs("rules"),
        external_rules=paths.restoring_rules,
        bpe=lambda wildcards: (
            "--bpe" if "bpe" in paths.recipe(wildcards)["view"] else ""
        ),
    message:
        "restore {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt restore {params.translations} {params.out} {params.languages}"
        " {params.symbols} {params.rules} {params.external_rules} {params.bpe}"
        " --statistics-out {output}/restored.json > {log} 2>&1"


rule known_lines:
    input:
        source=paths.text_in_view("source"),
        reference=paths.text_in_view("target", aware=True),
        vocabularies=expand(
            "<results>/binarize/{{pair}}/{{view}}/{file}", file=VOCABULARIES
        ),
    output:
        "<results>/known-lines/{pair}/{view}/{text}.json",
    log:
        "<logs>/known-lines/{pair}/{view}/{text}.log",
    resources:
        mem_mb=memory(2000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.coverage"),
    message:
        "known lines {wildcards.pair} {wildcards.view}: {wildcards.text}"
    shell:
        "python -m contextnmt known-lines --source {input.source} --reference {input.reference}"
        " --source-vocabulary {input.vocabularies[0]} --target-vocabulary {input.vocabularies[1]}"
        " --out {output} > {log} 2>&1"


rule lexicon:
    input:
        source=paths.in_training("select/{pair}/{part}.{source}.gz"),
        target=paths.in_training("select/{pair}/{part}.{target}.gz"),
    output:
        "<results>/lexicon/{source}-{target}.tsv.gz",
    log:
        "<logs>/lexicon/{source}-{target}.log",
    resources:
        mem_mb=memory(16000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.lexicon"),
        texts=options_of_inputs("source", "target"),
    message:
        "lexicon {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt lexicon {params.texts} --out {output} > {log} 2>&1"


rule replace_unknown:
    input:
        translation="<results>/translate/{pair}/{system}/{seed}",
        text=paths.translated_texts,
        lexicon="<results>/lexicon/{pair}.tsv.gz",
    output:
        directory("<results>/replace-unknown/{pair}/{system}/{seed}"),
    log:
        "<logs>/replace-unknown/{pair}/{system}/{seed}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.translation.replace_unknown"),
        files=lambda wildcards, input: options(
            translation=paths.replaceable(wildcards, ".gz"),
            alignments=paths.replaceable(wildcards, ".alignments.npz"),
            source=input.text,
            out=paths.replaced_files("replace-unknown", wildcards),
        ),
    message:
        "replace unknown words of {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt replace-unknown {params.files}"
        " --lexicon {input.lexicon} --statistics-out {output}/replaced.json > {log} 2>&1"


rule restore_replaced:
    input:
        translation="<results>/replace-unknown/{pair}/{system}/{seed}",
        symbols=paths.symbol_tables,
        rules=paths.rules_of,
    output:
        directory("<results>/restore/{pair}/{system}/{seed}.replaced"),
    log:
        "<logs>/restore/{pair}/{system}/{seed}.replaced.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.text.restore"),
        languages=language_options,
        files=lambda wildcards, input: options(
            translation=paths.replaced_files("replace-unknown", wildcards),
            out=paths.replaced_files("restore", wildcards),
            symbols=input.symbols,
            rules=input.rules,
        ),
        external_rules=paths.restoring_rules,
    message:
        "restore {wildcards.pair} {wildcards.system}, seed {wildcards.seed}, without unknown words"
    shell:
        "python -m contextnmt restore {params.files} {params.languages}"
        " {params.external_rules} > {log} 2>&1"


rule score_replaced:
    input:
        restored="<results>/restore/{pair}/{system}/{seed}.replaced",
        reference=lambda wildcards: paths.reference_texts("tokenize", wildcards),
        raw_reference=lambda wildcards: paths.reference_texts("extract", wildcards),
        further=paths.further_files,
    output:
        "<results>/score/{pair}/{system}/{seed}/replaced.json",
    log:
        "<logs>/score/{pair}/{system}/{seed}.replaced.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.score"),
        files=lambda wildcards, input: options(
            name=paths.replaced_names(wildcards),
            hypothesis=paths.replaced_files("restore", wildcards),
            reference=input.reference,
            raw_reference=input.raw_reference,
        ),
        further=paths.further_options,
        target=lambda wildcards: language_of(wildcards, "target"),
    message:
        "score {wildcards.pair} {wildcards.system}, seed {wildcards.seed}, without unknown words"
    shell:
        "python -m contextnmt score {params.files} {params.further} --target-language {params.target}"
        " --out {output} > {log} 2>&1"


rule browser_model:
    input:
        unpack(paths.run_files_needed),
        unpack(paths.offered_text),
        model=paths.model_files,
        run="<results>/run/{pair}/{system}/{seed}.json",
    output:
        "<results>/browser-model/{pair}/{system}/{seed}.json",
    log:
        "<logs>/browser-model/{pair}/{system}/{seed}.log",
    resources:
        mem_mb=memory(8000),
        runtime=hours(1),
    params:
        *code("contextnmt.translation.browser_model"),
        beam=lambda wildcards: max(paths.beams(wildcards)),
    message:
        "browser model {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt browser-model --run {input.run} --source {input.source}"
        " --target {input.target} --beam {params.beam} --out {output} > {log} 2>&1"


rule run_file:
    input:
        unpack(paths.run_files_needed),
        model="<results>/train/{pair}/{system}/{seed}/model.safetensors",
    output:
        "<results>/run/{pair}/{system}/{seed}.json",
    log:
        "<logs>/run/{pair}/{system}/{seed}.log",
    localrule: True
    params:
        run=paths.run_description,
    message:
        "run file {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "printf '%s\\n' {params.run:q} > {output} 2> {log}"
