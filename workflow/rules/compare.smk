"""How the systems of an experiment compare: significance of differences, BLEU by length."""


rule significance:
    input:
        paths.compared_runs,
        source=paths.compared_side("source"),
        reference=paths.compared_side("target"),
    output:
        "<results>/significance/{experiment}/{pair}/{text}.beam{beam}.json",
    log:
        "<logs>/significance/{experiment}/{pair}/{text}.beam{beam}.log",
    benchmark:
        "<benchmarks>/significance/{experiment}/{pair}/{text}.beam{beam}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.significance"),
        translations=paths.compared_translations,
        contrasts=paths.compared_systems,
    message:
        "significance {wildcards.experiment} {wildcards.pair}: {wildcards.text}"
    shell:
        "python -m contextnmt significance --name {wildcards.text}.beam{wildcards.beam}"
        " --source {input.source} --reference {input.reference}"
        " {params.translations} {params.contrasts}"
        " --out {output} > {log} 2>&1"


rule length_scores:
    input:
        paths.compared_runs,
        source=paths.compared_side("source"),
        reference=paths.compared_side("target"),
    output:
        "<results>/length-scores/{experiment}/{pair}/{text}.beam{beam}.json",
    log:
        "<logs>/length-scores/{experiment}/{pair}/{text}.beam{beam}.log",
    benchmark:
        "<benchmarks>/length-scores/{experiment}/{pair}/{text}.beam{beam}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=hours(1),
    params:
        *code("contextnmt.evaluation.length_scores"),
        translations=paths.compared_translations,
    message:
        "length scores {wildcards.experiment} {wildcards.pair}: {wildcards.text}"
    shell:
        "python -m contextnmt length-scores --name {wildcards.text}.beam{wildcards.beam}"
        " --source {input.source} --reference {input.reference} {params.translations}"
        " --out {output} > {log} 2>&1"
