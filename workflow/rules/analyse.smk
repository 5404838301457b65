"""What models know of single words: vectors beside theirs, local charts, masks of contexts."""


rule cbow:
    input:
        paths.in_training("select/{pair}/{part}.{source}.gz"),
    output:
        "<results>/cbow/{source}-{target}/vectors.safetensors",
        "<results>/cbow/{source}-{target}/vocabulary.source.tsv",
    log:
        "<logs>/cbow/{source}-{target}.log",
    benchmark:
        "<benchmarks>/cbow/{source}-{target}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(8000),
        runtime=hours(4),
    params:
        *code("contextnmt.evaluation.cbow"),
        text=lambda wildcards, input: repeated("--text", input),
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
    benchmark:
        "<benchmarks>/local-charts/{source}-{target}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.local_charts"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        models=lambda wildcards, input: " ".join(
            [
                repeated("--name", paths.charted_systems(pair_of(wildcards))),
                repeated("--model", (Path(path).parent for path in input.models)),
            ]
        ),
        cbow=subpath(input.cbow, parent=True),
        words=(
            repeated("--word", paths.inspected_words())
            if "choi2017" in paths.reported
            else ""
        ),
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
        text=paths.masked_view,
        tags=paths.masked_tags,
    output:
        "<results>/masks/{pair}/{system}/{seed}/{text}.json",
    log:
        "<logs>/masks/{pair}/{system}/{seed}/{text}.log",
    benchmark:
        "<benchmarks>/masks/{pair}/{system}/{seed}/{text}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.masks"),
        model=lambda wildcards, input: Path(input.model[0]).parent,
        words=paths.masked_words,
    message:
        "masks {wildcards.pair} {wildcards.system}, seed {wildcards.seed}: {wildcards.text}"
    shell:
        "python -m contextnmt masks --model {params.model} --text {input.text} {params.words}"
        " --out {output} > {log} 2>&1"
