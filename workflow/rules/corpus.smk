"""From archives to clean tokenized pairs: download, generate, extract, tokenize, clean, select."""


onstart:
    announce_downloads(
        job
        for job in workflow.dag.needrun_jobs()
        if job.rule.name == "download_file"
    )


rule download_file:
    output:
        "<results>/download/{corpus}/{file}",
    log:
        "<logs>/download/{corpus}/{file}.log",
    benchmark:
        "<benchmarks>/download/{corpus}/{file}.tsv"
    retries: 0  # the command itself tries again what another attempt may mend
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        download=1,
    params:
        # Snakemake would delete the file and fetch it anew, so let nothing else than its digests
        # count: not the code, which cannot change it, and not the places it may come from.
        # Functions of `output` are not compared.
        digests=digests_of,
        entry=lambda wildcards, output: settings(file_entry(wildcards)),
        copies=lambda wildcards, output: copies(),
    message:
        "download {wildcards.corpus}/{wildcards.file}"
    shell:
        "python -m contextnmt download --file {wildcards.file:q} --entry {params.entry:q}"
        " --out {output:q} {params.copies} > {log:q} 2>&1"


rule generate:
    output:
        "<results>/generate/{corpus}/{file}",
    log:
        "<logs>/generate/{corpus}/{file}.log",
    benchmark:
        "<benchmarks>/generate/{corpus}/{file}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=2000,
        runtime="1h",
    params:
        *code("contextnmt.corpus.generate"),
        seed=lambda wildcards: file_entry(wildcards)["seed"],
    message:
        "generate {wildcards.corpus}/{wildcards.file}"
    shell:
        "python -m contextnmt generate --seed {params.seed} --out {output:q} > {log:q} 2>&1"


rule extract:
    input:
        source=archive_file("source"),
        target=archive_file("target"),
    output:
        source="<results>/extract/{source}-{target}/{text}.{source}.gz",
        target="<results>/extract/{source}-{target}/{text}.{target}.gz",
    log:
        "<logs>/extract/{source}-{target}/{text}.log",
    benchmark:
        "<benchmarks>/extract/{source}-{target}/{text}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        *code("contextnmt.corpus.extract"),
        source=archive_member("source"),
        target=archive_member("target"),
        options=extraction_options,
    message:
        "extract {wildcards.source}-{wildcards.target} {wildcards.text}"
    shell:
        "python -m contextnmt extract --source {params.source:q} --target {params.target:q}"
        " --source-out {output.source} --target-out {output.target} {params.options}"
        " > {log} 2>&1"


rule tokenize:
    input:
        source="<results>/extract/{source}-{target}/{text}.{source}.gz",
        target="<results>/extract/{source}-{target}/{text}.{target}.gz",
    output:
        source="<results>/tokenize/{source}-{target}/{text}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{text}.{target}.gz",
    log:
        "<logs>/tokenize/{source}-{target}/{text}.log",
    benchmark:
        "<benchmarks>/tokenize/{source}-{target}/{text}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=2000,
        runtime="24h",
    params:
        *code("contextnmt.corpus.tokenize"),
    message:
        "tokenize {wildcards.source}-{wildcards.target} {wildcards.text}"
    shell:
        "python -m contextnmt tokenize --source {input.source} --target {input.target}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-out {output.source} --target-out {output.target} > {log} 2>&1"


rule clean:
    input:
        source="<results>/tokenize/{source}-{target}/{text}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{text}.{target}.gz",
    output:
        source="<results>/clean/{source}-{target}/{text}.{source}.gz",
        target="<results>/clean/{source}-{target}/{text}.{target}.gz",
        removed="<results>/clean/{source}-{target}/{text}.removed.json",
    log:
        "<logs>/clean/{source}-{target}/{text}.log",
    benchmark:
        "<benchmarks>/clean/{source}-{target}/{text}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=8000,
        runtime="12h",
    params:
        *code("contextnmt.corpus.clean"),
        settings=lambda wildcards: settings(
            CONFIGURATION["clean"][f"{wildcards.source}-{wildcards.target}"]
        ),
    message:
        "clean {wildcards.source}-{wildcards.target} {wildcards.text}"
    shell:
        "python -m contextnmt clean --source {input.source} --target {input.target}"
        " --source-out {output.source} --target-out {output.target}"
        " --removed-out {output.removed} --settings {params.settings:q} > {log} 2>&1"


rule select:
    input:
        source=training_texts("source"),
        target=training_texts("target"),
    output:
        source="<results>/select/{source}-{target}/train.{source}.gz",
        target="<results>/select/{source}-{target}/train.{target}.gz",
        source_counts="<results>/select/{source}-{target}/counts.{source}.tsv",
        target_counts="<results>/select/{source}-{target}/counts.{target}.tsv",
    log:
        "<logs>/select/{source}-{target}.log",
    benchmark:
        "<benchmarks>/select/{source}-{target}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=8000,
        runtime="24h",
    params:
        *code("contextnmt.selection.select"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        texts=lambda wildcards, input: " ".join(
            [repeated("--source", input.source), repeated("--target", input.target)]
        ),
    message:
        "select {wildcards.source}-{wildcards.target}"
    shell:
        "python -m contextnmt select {params.texts}"
        " --source-out {output.source} --target-out {output.target}"
        " --source-counts {output.source_counts} --target-counts {output.target_counts}"
        " > {log} 2>&1"
