"""Unknown words of translations, replaced by means of the attention: a lexicon, texts, scores.

They are made beside the translations that they are of, not among them: another choice of heuristics
makes nothing else anew. Only for systems with attention, and for the widest beam.
"""


rule lexicon:
    input:
        source=paths.in_training("select/{pair}/{part}.{source}.gz"),
        target=paths.in_training("select/{pair}/{part}.{target}.gz"),
    output:
        "<results>/lexicon/{source}-{target}.tsv.gz",
    log:
        "<logs>/lexicon/{source}-{target}.log",
    benchmark:
        "<benchmarks>/lexicon/{source}-{target}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(16000),
        runtime=hours(2),
    params:
        *code("contextnmt.text.lexicon"),
        # One param for both, since Snakemake compares params as a set: another order re-runs.
        texts=lambda wildcards, input: " ".join(
            [repeated("--source", input.source), repeated("--target", input.target)]
        ),
    message:
        "lexicon {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt lexicon {params.texts} --out {output} > {log} 2>&1"


rule replace_unknown:
    input:
        translation="<results>/translate/{pair}/{system}/{seed}",
        text=paths.translated_texts,
        lexicon=paths.lexicon_of,
    output:
        directory("<results>/replace-unknown/{pair}/{system}/{seed}"),
    log:
        "<logs>/replace-unknown/{pair}/{system}/{seed}.log",
    benchmark:
        "<benchmarks>/replace-unknown/{pair}/{system}/{seed}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.translation.replace_unknown"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        files=lambda wildcards, input: " ".join(
            [
                repeated("--translation", paths.replaceable(wildcards, ".gz")),
                repeated(
                    "--alignments", paths.replaceable(wildcards, ".alignments.npz")
                ),
                repeated("--source", input.text),
                repeated("--out", paths.replaced_files("replace-unknown", wildcards)),
                repeated("--lexicon", input.lexicon),
            ]
        ),
        heuristics=lambda wildcards: repeated(
            "--heuristic", paths.heuristics(wildcards)
        ),
    message:
        "replace unknown words of {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "python -m contextnmt replace-unknown {params.files} {params.heuristics}"
        " --statistics-out {output}/replaced.json > {log} 2>&1"


rule restore_replaced:
    input:
        translation="<results>/replace-unknown/{pair}/{system}/{seed}",
        symbols=paths.symbol_tables,
        rules=paths.rules_of,
    output:
        directory("<results>/restore/{pair}/{system}/{seed}.replaced"),
    log:
        "<logs>/restore/{pair}/{system}/{seed}.replaced.log",
    benchmark:
        "<benchmarks>/restore/{pair}/{system}/{seed}.replaced.tsv"
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
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        files=lambda wildcards, input: " ".join(
            [
                repeated(
                    "--translation", paths.replaced_files("replace-unknown", wildcards)
                ),
                repeated("--out", paths.replaced_files("restore", wildcards)),
                repeated(
                    "--symbols", paths.of_each_replaced(wildcards, input.symbols)
                ),
                repeated("--rules", input.rules),
            ]
        ),
    message:
        "restore {wildcards.pair} {wildcards.system}, seed {wildcards.seed}, without unknown words"
    shell:
        "python -m contextnmt restore {params.files} {params.languages} > {log} 2>&1"


rule score_replaced:
    input:
        restored="<results>/restore/{pair}/{system}/{seed}.replaced",
        reference=paths.replaced_references("tokenize"),
        raw_reference=paths.replaced_references("extract"),
    output:
        "<results>/score/{pair}/{system}/{seed}/replaced.json",
    log:
        "<logs>/score/{pair}/{system}/{seed}.replaced.log",
    benchmark:
        "<benchmarks>/score/{pair}/{system}/{seed}.replaced.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.score"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        files=lambda wildcards, input: " ".join(
            [
                repeated("--name", paths.replaced_names(wildcards)),
                repeated("--hypothesis", paths.replaced_files("restore", wildcards)),
                repeated("--reference", input.reference),
                repeated("--raw-reference", input.raw_reference),
            ]
        ),
        target=lambda wildcards: wildcards.pair.split("-")[1],
    message:
        "score {wildcards.pair} {wildcards.system}, seed {wildcards.seed}, without unknown words"
    shell:
        "python -m contextnmt score {params.files} --target-language {params.target}"
        " --out {output} > {log} 2>&1"
