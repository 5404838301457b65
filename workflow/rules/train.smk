"""Training: one model for each language pair, system and seed, or an exported one in its place."""

# Only validations of restored words load the restoration: an edit of it trains no others again.
TRAINING = code("contextnmt.training.train", "contextnmt.training.restored")
RESTORING = [mark for mark in code("contextnmt.training.train") if mark not in TRAINING]


# What a checkpoint must match to be resumed. It is a file of its own, since --touch leaves its
# content alone: an edit that was accepted for what is finished is accepted for what is half done.
rule train_identity:
    output:
        "<results>/train-identity/{pair}/{system}/{seed}.json",
    log:
        "<logs>/train-identity/{pair}/{system}/{seed}.log",
    localrule: True
    params:
        identity=lambda wildcards: paths.training_identity(
            wildcards, TRAINING, RESTORING
        ),
    message:
        "train-identity {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    shell:
        "printf '%s\\n' {params.identity:q} > {output} 2> {log}"


rule train:
    input:
        paths.training_data,
        unpack(paths.restored_dev),
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
        runtime=training_minutes(),
    params:
        *TRAINING,
        *map(paths.if_restored, RESTORING),
        model=lambda wildcards: settings(paths.recipe(wildcards)["model"]),
        training=paths.training_settings,
        filters=paths.filter_options,
        data=lambda wildcards, input: Path(input[0]).parent,
        dev=options_of_inputs("dev_source", "dev_target"),
        restoration=paths.restoration_options,
        folder=subpath(output[0], parent=True),
    message:
        "train {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
    # exec: a signal of the scheduler reaches the trainer, which then saves its state. The state is
    # no output: outputs are deleted before a job is tried again, and it would start all over.
    shell:
        "exec python -m contextnmt train --data {params.data} {params.dev} --model {params.model:q}"
        " --training {params.training:q} {params.filters} {params.restoration}"
        " --seed {wildcards.seed}"
        " --identity {input.identity} --out {params.folder} --state {params.folder}/state"
        " > {log} 2>&1"


if paths.pretrained:

    ruleorder: pretrained > train

    rule pretrained:
        input:
            unpack(paths.pretrained_inputs),
        output:
            "<results>/train/{pair}/{system}/{seed}/model.safetensors",
            "<results>/train/{pair}/{system}/{seed}/model.json",
            "<results>/train/{pair}/{system}/{seed}/log.jsonl",
            expand(
                "<results>/train/{{pair}}/{{system}}/{{seed}}/{file}",
                file=VOCABULARIES,
            ),
        log:
            "<logs>/pretrained/{pair}/{system}/{seed}.log",
        wildcard_constraints:
            # A lookahead: of all runs, only those that have an exported model.
            pair=f"(?=({'|'.join(paths.pretrained)})/)[a-z]+-[a-z]+",
        localrule: True
        params:
            *code("contextnmt.translation.exported"),
            model=lambda wildcards, input: options(model=[Path(input.model[0]).parent]),
            here=lambda wildcards, input: options(
                **{name: [path] for name, path in input.items() if name != "model"}
            ),
            folder=subpath(output[0], parent=True),
        message:
            "exported model of {wildcards.pair} {wildcards.system}, seed {wildcards.seed}"
        shell:
            "python -m contextnmt adopt {params.model} {params.here} --out {params.folder} > {log} 2>&1"
