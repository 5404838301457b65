"""What the report of Choi et al. 2017 alone has: their examples, and what symbols do."""

if "choi2017" in EXPERIMENTS:

    rule choi2017_table2:
        output:
            report(
                "<results>/report/choi2017/tables/table2.csv",
                caption="../report/table2.rst",
                category="Tables",
                labels={"experiment": "choi2017"},
            ),
            expand(
                "<results>/report/choi2017/tables/table2.{suffix}",
                suffix=["json", "md", "tex"],
            ),
        log:
            "<logs>/report/choi2017/table2.log",
        benchmark:
            "<benchmarks>/report/choi2017/table2.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.table2"),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            "Table 2 of Choi et al. 2017"
        shell:
            "python -m contextnmt table2 --out {params.out} > {log} 2>&1"

    rule choi2017_table3:
        input:
            coverage=expand("<results>/coverage/{pair}.json", pair=pairs_of("choi2017")),
            pairs=expand("<results>/pairs/{pair}.json", pair=pairs_of("choi2017")),
        output:
            report(
                "<results>/report/choi2017/tables/table3.csv",
                caption="../report/table3.rst",
                category="Tables",
                labels={"experiment": "choi2017"},
            ),
            expand(
                "<results>/report/choi2017/tables/table3.{suffix}",
                suffix=["json", "md", "tex"],
            ),
        log:
            "<logs>/report/choi2017/table3.log",
        benchmark:
            "<benchmarks>/report/choi2017/table3.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.table3"),
            experiment=experiment("choi2017", *MARKED, "vocabulary_size"),
            coverage=lambda wildcards, input: repeated("--coverage", input.coverage),
            pairs=lambda wildcards, input: repeated("--pairs", input.pairs),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            "Table 3 of Choi et al. 2017"
        shell:
            "python -m contextnmt table3 {params.coverage} {params.pairs}"
            " --experiment {params.experiment:q} --out {params.out} > {log} 2>&1"

    rule choi2017_symbols:
        input:
            expand(
                "<results>/rule-dictionary/{pair}/rules.tsv", pair=pairs_of("choi2017")
            ),
        output:
            report(
                "<results>/report/choi2017/tables/symbols.csv",
                caption="../report/symbols.rst",
                category="Tables",
                labels={"experiment": "choi2017"},
            ),
            expand(
                "<results>/report/choi2017/tables/symbols.{suffix}",
                suffix=["json", "md", "tex"],
            ),
        log:
            "<logs>/report/choi2017/symbols.log",
        benchmark:
            "<benchmarks>/report/choi2017/symbols.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.symbols_table"),
            experiment=experiment("choi2017", *MARKED),
            rules=lambda wildcards, input: repeated("--rules", input),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            "table of symbols"
        shell:
            "python -m contextnmt symbols-table {params.rules} --experiment {params.experiment:q}"
            " --out {params.out} > {log} 2>&1"

    if symbol_score_files("choi2017"):

        rule choi2017_symbol_scores:
            input:
                symbol_score_files("choi2017"),
            output:
                report(
                    "<results>/report/choi2017/tables/symbol-scores.csv",
                    caption="../report/symbol-scores.rst",
                    category="Tables",
                    labels={"experiment": "choi2017"},
                ),
                report(
                    "<results>/report/choi2017/tables/symbol-errors.csv",
                    caption="../report/symbol-errors.rst",
                    category="Tables",
                    labels={"experiment": "choi2017"},
                ),
                expand(
                    "<results>/report/choi2017/tables/{table}.{suffix}",
                    table=["symbol-scores", "symbol-errors"],
                    suffix=["json", "md", "tex"],
                ),
            log:
                "<logs>/report/choi2017/symbol-scores.log",
            benchmark:
                "<benchmarks>/report/choi2017/symbol-scores.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.symbol_scores_table"),
                experiment=experiment("choi2017", *MARKED, "dev", "test"),
                scores=lambda wildcards, input: repeated("--symbol-scores", input),
                out=lambda wildcards, output: Path(output[0]).with_suffix(""),
                errors_out=lambda wildcards, output: Path(output[1]).with_suffix(""),
            message:
                "tables of symbol scores"
            shell:
                "python -m contextnmt symbol-scores-table {params.scores}"
                " --experiment {params.experiment:q} --out {params.out}"
                " --errors-out {params.errors_out} > {log} 2>&1"


if "choi2017" in REPORTED and symbol_score_files("choi2017"):

    rule choi2017_restoration:
        input:
            restored=finished_runs(
                "<results>/restore/{pair}/{system}/{seed}", "choi2017"
            ),
            stale="<results>/stale/choi2017.json",
        output:
            report(
                "<results>/report/choi2017/tables/restoration.csv",
                caption="../report/restoration.rst",
                category="Tables",
                labels={"experiment": "choi2017"},
            ),
            other_formats("choi2017", "restoration"),
        log:
            "<logs>/report/choi2017/restoration.log",
        benchmark:
            "<benchmarks>/report/choi2017/restoration.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.restoration_table"),
            experiment=experiment("choi2017", *OF_RUNS, "beams", "test"),
            restored=lambda wildcards, input: repeated(
                "--restored",
                (f"{folder}/restored.json" for folder in input.restored),
            ),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            "table of restored symbols"
        shell:
            "python -m contextnmt restoration-table {params.restored}"
            " --experiment {params.experiment:q} --stale {input.stale}"
            " --out {params.out} > {log} 2>&1"
