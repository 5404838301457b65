"""Training: one model for each language pair, system and seed."""

GPUS = 1 if CONFIGURATION["device"] == "cuda" else 0


rule train:
    input:
        training_data,
    output:
        "<results>/train/{pair}/{system}/{seed}/model.safetensors",
        "<results>/train/{pair}/{system}/{seed}/model.json",
        "<results>/train/{pair}/{system}/{seed}/log.jsonl",
        expand("<results>/train/{{pair}}/{{system}}/{{seed}}/{file}", file=VOCABULARIES),
    log:
        "<logs>/train/{pair}/{system}/{seed}.log",
    benchmark:
        "<benchmarks>/train/{pair}/{system}/{seed}.tsv"
    conda:
        "../../envs/contextnmt.yaml"
    threads: lambda wildcards: recipe(wildcards)["training"]["threads"]
    resources:
        gpu=GPUS,
        mem_mb=memory(16000),
        runtime="48h",
    params:
        *code("contextnmt.training.train"),
        model=lambda wildcards: settings(recipe(wildcards)["model"]),
        training=training_settings,
        filters=filter_options,
        data=lambda wildcards, input: Path(input[0]).parent,
        folder=subpath(output[0], parent=True),
    message:
        "train {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    # exec: a signal of the scheduler reaches the trainer, which then saves its state. The state is
    # no output: outputs are deleted before a job is tried again, and it would start all over.
    shell:
        "exec python -m contextnmt train --data {params.data} --model {params.model:q}"
        " --training {params.training:q} {params.filters} --seed {wildcards.seed}"
        " --out {params.folder} --state {params.folder}/state > {log} 2>&1"
