"""Training: one model for each language pair, system and seed."""


# What a state must agree with to be gone on from. It is a file of its own, since --touch leaves its
# content alone: an edit that was accepted for what is finished is accepted for what is half done.
rule train_identity:
    output:
        "<results>/train-identity/{pair}/{system}/{seed}.json",
    log:
        "<logs>/train-identity/{pair}/{system}/{seed}.log",
    localrule: True
    params:
        identity=lambda wildcards: paths.training_identity(
            wildcards, code("contextnmt.training.train")
        ),
    message:
        "what a training of {wildcards.pair} {wildcards.system}, seed {wildcards.seed}, is bound to"
    shell:
        "printf '%s\\n' {params.identity:q} > {output} 2> {log}"


rule train:
    input:
        paths.training_data,
        dev_source=paths.dev_files("source"),
        dev_target=paths.dev_files("target"),
        identity=rules.train_identity.output,
    output:
        "<results>/train/{pair}/{system}/{seed}/model.safetensors",
        "<results>/train/{pair}/{system}/{seed}/model.json",
        "<results>/train/{pair}/{system}/{seed}/log.jsonl",
        expand("<results>/train/{{pair}}/{{system}}/{{seed}}/{file}", file=VOCABULARIES),
    log:
        "<logs>/train/{pair}/{system}/{seed}.log",
    threads: lambda wildcards: paths.recipe(wildcards)["training"]["threads"]
    resources:
        **gpu_resources(),
        mem_mb=memory(24000),
        # Not more at the next attempt: what is trained goes on where it was.
        runtime="48h",
    params:
        *code("contextnmt.training.train"),
        model=lambda wildcards: settings(paths.recipe(wildcards)["model"]),
        training=paths.training_settings,
        filters=paths.filter_options,
        data=lambda wildcards, input: Path(input[0]).parent,
        dev=options_of_inputs("dev_source", "dev_target"),
        folder=subpath(output[0], parent=True),
    message:
        "train {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    # exec: a signal of the scheduler reaches the trainer, which then saves its state. The state is
    # no output: outputs are deleted before a job is tried again, and it would start all over.
    shell:
        "exec python -m contextnmt train --data {params.data} {params.dev} --model {params.model:q}"
        " --training {params.training:q} {params.filters} --seed {wildcards.seed}"
        " --identity {input.identity} --out {params.folder} --state {params.folder}/state"
        " > {log} 2>&1"
