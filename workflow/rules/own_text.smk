"""For text of one's own: the file by which `contextnmt translate --run` knows a run."""


rule run_file:
    input:
        unpack(paths.run_files_needed),
        model="<results>/train/{pair}/{system}/{seed}/model.safetensors",
    output:
        "<results>/run/{pair}/{system}/{seed}.json",
    log:
        "<logs>/run/{pair}/{system}/{seed}.log",
    benchmark:
        "<benchmarks>/run/{pair}/{system}/{seed}.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        run=paths.run_description,
    message:
        "what text goes through in {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "printf '%s\\n' {params.run:q} > {output} 2> {log}"
