"""What the report says of how systems compare, for each experiment."""

for name in REPORTED:

    rule:
        name:
            f"{name}_significance"
        input:
            files=significance_files(name),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/significance.csv",
                caption="../report/significance.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "significance"},
            ),
            other_formats(name, "significance"),
        log:
            f"<logs>/report/{name}/significance.log",
        benchmark:
            f"<benchmarks>/report/{name}/significance.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.significance_table"),
            experiment=experiment(name, *OF_RUNS, "beams", "test"),
            files=lambda wildcards, input: repeated("--significance", input.files),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: table of significance"
        shell:
            "python -m contextnmt significance-table {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.out} > {log} 2>&1"

    if CONFIGURATION["experiments"][name].get("claims"):

        rule:
            name:
                f"{name}_claims"
            input:
                bleu=f"<results>/report/{name}/tables/{bleu_table(name)}.json",
                significance=first_significance_files(name),
                stale=f"<results>/stale/{name}.json",
            output:
                report(
                    f"<results>/report/{name}/tables/claims.csv",
                    caption="../report/claims.rst",
                    category="Tables",
                    labels={"experiment": marked(name), "table": "claims"},
                ),
                other_formats(name, "claims"),
            log:
                f"<logs>/report/{name}/claims.log",
            benchmark:
                f"<benchmarks>/report/{name}/claims.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.claims_table"),
                experiment=experiment(name, *CLAIMED),
                files=lambda wildcards, input: repeated(
                    "--significance", input.significance
                ),
                out=lambda wildcards, output: Path(output[0]).with_suffix(""),
            message:
                f"{name}: the paper's claims"
            shell:
                "python -m contextnmt claims-table --bleu-table {input.bleu} {params.files}"
                " --stale {input.stale} --experiment {params.experiment:q}"
                " --out {params.out} > {log} 2>&1"

    rule:
        name:
            f"{name}_literature"
        input:
            bleu=f"<results>/report/{name}/tables/{bleu_table(name)}.json",
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/literature.csv",
                caption="../report/literature.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "literature"},
            ),
            other_formats(name, "literature"),
        log:
            f"<logs>/report/{name}/literature.log",
        benchmark:
            f"<benchmarks>/report/{name}/literature.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.literature_table"),
            experiment=experiment(name, *OF_RUNS, "beams", "test", "deviations"),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: scores of others on the same texts"
        shell:
            "python -m contextnmt literature-table --bleu-table {input.bleu}"
            " --stale {input.stale} --experiment {params.experiment:q}"
            " --out {params.out} > {log} 2>&1"

    rule:
        name:
            f"{name}_lengths"
        input:
            scores=length_score_files(name),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                length_figures(name, "svg"),
                caption="../report/lengths.rst",
                category="Figures",
                labels={"experiment": marked(name)},
            ),
            length_figures(name, "pdf", "png"),
        log:
            f"<logs>/report/{name}/lengths.log",
        benchmark:
            f"<benchmarks>/report/{name}/lengths.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.length_curves"),
            experiment=experiment(name, *OF_RUNS),
            files=lambda wildcards, input: repeated("--scores", input.scores),
            folder=subpath(output[0], parent=True),
        message:
            f"{name}: BLEU by sentence length"
        shell:
            "python -m contextnmt length-curves {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.folder} > {log} 2>&1"

    rule:
        name:
            f"{name}_length_scores"
        input:
            scores=length_score_files(name),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/length-scores.csv",
                caption="../report/length-scores.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "length-scores"},
            ),
            other_formats(name, "length-scores"),
        log:
            f"<logs>/report/{name}/length-scores.log",
        benchmark:
            f"<benchmarks>/report/{name}/length-scores.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.length_scores_table"),
            experiment=experiment(name, *OF_RUNS),
            files=lambda wildcards, input: repeated("--scores", input.scores),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: table of BLEU by sentence length"
        shell:
            "python -m contextnmt length-scores-table {params.files}"
            " --stale {input.stale} --experiment {params.experiment:q}"
            " --out {params.out} > {log} 2>&1"
