"""From archives to clean tokenized pairs: download, generate, extract, tokenize, survey, clean."""


rule download_file:
    output:
        "<results>/download/{corpus}/{file}",
    log:
        "<logs>/download/{corpus}/{file}.log",
    retries: 0  # the command itself tries again what another attempt may mend
    localrule: True
    resources:
        download=1,
    params:
        # Snakemake would delete the file and fetch it anew, so let nothing else than its digests
        # count: not the code, which cannot change it, and not the places it may come from.
        # Functions of `output` are not compared.
        digests=lambda wildcards: digests(paths.file_entry(wildcards)),
        entry=lambda wildcards, output: settings(paths.file_entry(wildcards)),
        copies=lambda wildcards, output: paths.copies(),
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
    resources:
        mem_mb=memory(2000),
        runtime=hours(1),
    params:
        *code("contextnmt.corpus.generate"),
        seed=lambda wildcards: paths.file_entry(wildcards)["seed"],
    message:
        "generate {wildcards.corpus}/{wildcards.file}"
    shell:
        "python -m contextnmt generate --seed {params.seed} --out {output:q} > {log:q} 2>&1"


# A rule for each number of parts that texts are cut into: Snakemake knows the outputs of a rule
# before it knows its text.
for count in sorted({1, *map(paths.shards, paths.texts_trained_on())}):

    rule:
        name:
            "extract" if count == 1 else f"extract_{count}_parts"
        input:
            source=paths.archived("source", parts=1),
            target=paths.archived("target", parts=1),
        output:
            source=extracted_parts("source", count),
            target=extracted_parts("target", count),
        log:
            f"<logs>/{extraction('{source}-{target}', '{text}', count)}.log",
        resources:
            mem_mb=memory(2000),
            runtime=hours(2),
        params:
            *code("contextnmt.corpus.extract"),
            source=paths.archived("source", parts=2),
            target=paths.archived("target", parts=2),
            options=paths.extraction_options,
            # Not compared, as above: a count that is stated later changes no line of the text.
            counts=lambda wildcards, output: paths.stated_counts(wildcards),
            versions=paths.versions(
                lambda wildcards: [
                    paths.archive_of(wildcards, side)[0] for side in SIDES
                ]
            ),
            out=lambda wildcards, output: options(
                source_out=output.source, target_out=output.target
            ),
        message:
            "extract {wildcards.source}-{wildcards.target} {wildcards.text}"
        shell:
            "python -m contextnmt extract --source {params.source:q} --target {params.target:q}"
            " {params.out} {params.options} {params.counts} > {log} 2>&1"


rule tokenize:
    input:
        source="<results>/extract/{source}-{target}/{part}.{source}.gz",
        target="<results>/extract/{source}-{target}/{part}.{target}.gz",
    output:
        source="<results>/tokenize/{source}-{target}/{part}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{part}.{target}.gz",
    log:
        "<logs>/tokenize/{source}-{target}/{part}.log",
    resources:
        mem_mb=memory(2000),
        runtime=hours(2),
    params:
        *code("contextnmt.corpus.tokenize"),
        segmented=paths.segmented,
    message:
        "tokenize {wildcards.source}-{wildcards.target} {wildcards.part}"
    shell:
        "python -m contextnmt tokenize --source {input.source} --target {input.target}"
        " --source-language {wildcards.source} --target-language {wildcards.target}"
        " --source-out {output.source} --target-out {output.target} {params.segmented}"
        " > {log} 2>&1"


rule survey:
    input:
        source="<results>/tokenize/{source}-{target}/{part}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{part}.{target}.gz",
    output:
        source="<results>/survey/{source}-{target}/{part}.{source}.tsv.gz",
        target="<results>/survey/{source}-{target}/{part}.{target}.tsv.gz",
        fingerprints="<results>/survey/{source}-{target}/{part}.fingerprints.npy",
    log:
        "<logs>/survey/{source}-{target}/{part}.log",
    resources:
        mem_mb=memory(4000),
        runtime=hours(2),
    params:
        *code("contextnmt.corpus.clean"),
    message:
        "survey {wildcards.source}-{wildcards.target} {wildcards.part}"
    shell:
        "python -m contextnmt survey --source {input.source} --target {input.target}"
        " --source-counts-out {output.source} --target-counts-out {output.target}"
        " --fingerprints-out {output.fingerprints} > {log} 2>&1"


rule clean:
    input:
        source="<results>/tokenize/{source}-{target}/{part}.{source}.gz",
        target="<results>/tokenize/{source}-{target}/{part}.{target}.gz",
        source_counts=paths.surveyed("{part}.{source}.tsv.gz", "wrong_language"),
        target_counts=paths.surveyed("{part}.{target}.tsv.gz", "wrong_language"),
        fingerprints=paths.earlier_and_own(
            paths.surveyed("{part}.fingerprints.npy", "drop_duplicates")
        ),
    output:
        source="<results>/clean/{source}-{target}/{part}.{source}.gz",
        target="<results>/clean/{source}-{target}/{part}.{target}.gz",
        removed="<results>/clean/{source}-{target}/{part}.removed.json",
    log:
        "<logs>/clean/{source}-{target}/{part}.log",
    resources:
        mem_mb=memory(8000),
        runtime=hours(2),
    params:
        *code("contextnmt.corpus.clean"),
        settings=lambda wildcards: settings(
            paths.configuration["clean"][pair_of(wildcards)]
        ),
        surveys=options_of_inputs("source_counts", "target_counts", "fingerprints"),
    message:
        "clean {wildcards.source}-{wildcards.target} {wildcards.part}"
    shell:
        "python -m contextnmt clean --source {input.source} --target {input.target}"
        " --source-out {output.source} --target-out {output.target} --removed-out {output.removed}"
        " --settings {params.settings:q} {params.surveys} > {log} 2>&1"
