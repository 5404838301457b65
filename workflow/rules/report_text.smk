"""What the report says of the training text: cleaning and selection, for each experiment."""

for name in EXPERIMENTS:

    rule:
        name:
            f"{name}_cleaning"
        input:
            [
                f"{RESULTS}/clean/{pair}/{part}.removed.json"
                for pair in pairs_of(name)
                for part in training_parts(pair)
            ],
        output:
            report(
                f"<results>/report/{name}/tables/cleaning.csv",
                caption="../report/cleaning.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "cleaning"},
            ),
            other_formats(name, "cleaning"),
        log:
            f"<logs>/report/{name}/cleaning.log",
        benchmark:
            f"<benchmarks>/report/{name}/cleaning.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.cleaning_table"),
            experiment=experiment(name, *MARKED),
            files=lambda wildcards, input: repeated("--removed", input),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: table of cleaning"
        shell:
            "python -m contextnmt cleaning-table {params.files} --experiment {params.experiment:q}"
            " --out {params.out} > {log} 2>&1"

    rule:
        name:
            f"{name}_selection"
        input:
            selected=[
                f"{RESULTS}/select/{pair}/{part}.selected.json"
                for pair in pairs_of(name)
                for part in training_parts(pair)
            ],
            rankings=rankings(name),
        output:
            report(
                f"<results>/report/{name}/tables/selection.csv",
                caption="../report/selection.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "selection"},
            ),
            other_formats(name, "selection"),
        log:
            f"<logs>/report/{name}/selection.log",
        benchmark:
            f"<benchmarks>/report/{name}/selection.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.selection_table"),
            experiment=experiment(name, *MARKED),
            # One param for all, since Snakemake compares params as a set: another order re-runs.
            files=lambda wildcards, input: " ".join(
                [
                    repeated("--selected", input.selected),
                    repeated("--ranking", input.rankings),
                ]
            ),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: table of selection"
        shell:
            "python -m contextnmt selection-table {params.files} --experiment {params.experiment:q}"
            " --out {params.out} > {log} 2>&1"

    if rankings(name):

        rule:
            name:
                f"{name}_selection_figures"
            input:
                rankings=rankings(name),
                perplexities=perplexities(name),
            output:
                report(
                    selection_figures(name, "svg"),
                    caption="../report/selection-figures.rst",
                    category="Figures",
                    labels={"experiment": marked(name)},
                ),
                selection_figures(name, "pdf", "png"),
            log:
                f"<logs>/report/{name}/selection-figures.log",
            benchmark:
                f"<benchmarks>/report/{name}/selection-figures.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.selection_figures"),
                experiment=experiment(name, *MARKED),
                # One param for all, since Snakemake compares params as a set: another order re-runs.
                files=lambda wildcards, input: " ".join(
                    [
                        repeated("--ranking", input.rankings),
                        repeated("--perplexity", input.perplexities),
                    ]
                ),
                folder=subpath(output[0], parent=True),
            message:
                f"{name}: figures of selection"
            shell:
                "python -m contextnmt selection-figures {params.files} --experiment {params.experiment:q}"
                " --out {params.folder} > {log} 2>&1"
