"""What contextualization does, in the report of Choi et al. 2017: local charts and masks."""

if ANALYSED:

    rule choi2017_table1:
        input:
            charts=chart_files(),
            stale="<results>/stale/choi2017.json",
        output:
            report(
                "<results>/report/choi2017/tables/table1.csv",
                caption="../report/table1.rst",
                category="Tables",
                labels={"experiment": "choi2017", "table": "table1"},
            ),
            other_formats("choi2017", "table1"),
        log:
            "<logs>/report/choi2017/table1.log",
        benchmark:
            "<benchmarks>/report/choi2017/table1.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.local_charts_table"),
            experiment=experiment("choi2017", *MARKED, "systems"),
            charts=lambda wildcards, input: repeated("--charts", input.charts),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            "Table 1 of Choi et al. 2017"
        shell:
            "python -m contextnmt local-charts-table {params.charts}"
            " --stale {input.stale} --experiment {params.experiment:q}"
            " --out {params.out} > {log} 2>&1"

    rule choi2017_local_charts:
        input:
            charts=chart_files(),
            stale="<results>/stale/choi2017.json",
        output:
            report(
                chart_figures("svg"),
                caption="../report/local-charts.rst",
                category="Figures",
                labels={"experiment": "choi2017"},
            ),
            chart_figures("pdf", "png"),
        log:
            "<logs>/report/choi2017/local-charts.log",
        benchmark:
            "<benchmarks>/report/choi2017/local-charts.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.local_charts_figure"),
            experiment=experiment("choi2017", *MARKED, "systems"),
            charts=lambda wildcards, input: repeated("--charts", input.charts),
            folder=subpath(output[0], parent=True),
        message:
            "figures of local charts"
        shell:
            "python -m contextnmt local-charts-figure {params.charts}"
            " --stale {input.stale} --experiment {params.experiment:q}"
            " --out {params.folder} > {log} 2>&1"

    if contextualized_files("log.jsonl"):

        rule choi2017_gates:
            input:
                models=contextualized_files("model.json"),
                logs=contextualized_files("log.jsonl"),
                stale="<results>/stale/choi2017.json",
            output:
                report(
                    "<results>/report/choi2017/tables/gates.csv",
                    caption="../report/gates.rst",
                    category="Tables",
                    labels={"experiment": "choi2017", "table": "gates"},
                ),
                other_formats("choi2017", "gates"),
            log:
                "<logs>/report/choi2017/gates.log",
            benchmark:
                "<benchmarks>/report/choi2017/gates.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.gates_table"),
                experiment=experiment("choi2017", *OF_RUNS),
                # One param for both, since Snakemake compares params as a set.
                files=lambda wildcards, input: " ".join(
                    [
                        repeated("--model", input.models),
                        repeated("--log", input.logs),
                    ]
                ),
                out=lambda wildcards, output: Path(output[0]).with_suffix(""),
            message:
                "table of gates"
            shell:
                "python -m contextnmt gates-table {params.files}"
                " --stale {input.stale} --experiment {params.experiment:q}"
                " --out {params.out} > {log} 2>&1"

    if mask_files():

        rule choi2017_masks:
            input:
                masks=mask_files(),
                stale="<results>/stale/choi2017.json",
            output:
                report(
                    "<results>/report/choi2017/tables/masks.csv",
                    caption="../report/masks.rst",
                    category="Tables",
                    labels={"experiment": "choi2017", "table": "masks"},
                ),
                other_formats("choi2017", "masks"),
            log:
                "<logs>/report/choi2017/masks.log",
            benchmark:
                "<benchmarks>/report/choi2017/masks.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.masks_table"),
                experiment=experiment("choi2017", *OF_RUNS),
                masks=lambda wildcards, input: repeated("--masks", input.masks),
                out=lambda wildcards, output: Path(output[0]).with_suffix(""),
            message:
                "table of masks"
            shell:
                "python -m contextnmt masks-table {params.masks}"
                " --stale {input.stale} --experiment {params.experiment:q}"
                " --out {params.out} > {log} 2>&1"

        rule choi2017_masks_figure:
            input:
                masks=mask_files(),
                stale="<results>/stale/choi2017.json",
            output:
                report(
                    mask_figures("svg"),
                    caption="../report/masks-figure.rst",
                    category="Figures",
                    labels={"experiment": "choi2017"},
                ),
                mask_figures("pdf", "png"),
            log:
                "<logs>/report/choi2017/masks-figure.log",
            benchmark:
                "<benchmarks>/report/choi2017/masks-figure.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.masks_figure"),
                experiment=experiment("choi2017", *OF_RUNS),
                masks=lambda wildcards, input: repeated("--masks", input.masks),
                word=inspected_words()[0],
                folder=subpath(output[0], parent=True),
            message:
                "figures of masks"
            shell:
                "python -m contextnmt masks-figure {params.masks} --word {params.word:q}"
                " --stale {input.stale} --experiment {params.experiment:q}"
                " --out {params.folder} > {log} 2>&1"
