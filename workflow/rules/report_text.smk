"""What the report says of the training text: cleaning, selection, symbols."""


rule choi2017_cleaning:
    input:
        [
            f"{RESULTS}/clean/{pair}/{part}.removed.json"
            for pair, part in all_training_parts()
        ],
    output:
        report(
            "<results>/report/tables/cleaning.csv",
            caption="../report/cleaning.rst",
            category="Tables",
        ),
        expand(
            "<results>/report/tables/cleaning.{suffix}", suffix=["json", "md", "tex"]
        ),
    log:
        "<logs>/report/cleaning.log",
    benchmark:
        "<benchmarks>/report/cleaning.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.cleaning_table"),
        experiment=experiment("choi2017", "pairs"),
        removed=lambda wildcards, input: repeated("--removed", input),
        out=lambda wildcards, output: Path(output[0]).with_suffix(""),
    message:
        "table of cleaning"
    shell:
        "python -m contextnmt cleaning-table {params.removed}"
        " --experiment {params.experiment:q} --out {params.out} > {log} 2>&1"


rule choi2017_selection:
    input:
        selected=[
            f"{RESULTS}/select/{pair}/{part}.selected.json"
            for pair, part in all_training_parts()
        ],
        rankings=rankings(),
    output:
        report(
            "<results>/report/tables/selection.csv",
            caption="../report/selection.rst",
            category="Tables",
        ),
        expand(
            "<results>/report/tables/selection.{suffix}", suffix=["json", "md", "tex"]
        ),
    log:
        "<logs>/report/selection.log",
    benchmark:
        "<benchmarks>/report/selection.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.selection_table"),
        experiment=experiment("choi2017", "pairs"),
        # One param for all, since Snakemake compares params as a set: another order re-runs.
        files=lambda wildcards, input: " ".join(
            [
                repeated("--selected", input.selected),
                repeated("--ranking", input.rankings),
            ]
        ),
        out=lambda wildcards, output: Path(output[0]).with_suffix(""),
    message:
        "table of selection"
    shell:
        "python -m contextnmt selection-table {params.files}"
        " --experiment {params.experiment:q} --out {params.out} > {log} 2>&1"


if selected_pairs():

    rule choi2017_selection_figures:
        input:
            rankings=rankings(),
            perplexities=perplexities(),
        output:
            report(
                selection_figures("svg"),
                caption="../report/selection-figures.rst",
                category="Figures",
            ),
            selection_figures("pdf", "png"),
        log:
            "<logs>/report/selection-figures.log",
        benchmark:
            "<benchmarks>/report/selection-figures.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.selection_figures"),
            experiment=experiment("choi2017", "pairs"),
            # One param for all, since Snakemake compares params as a set: another order re-runs.
            files=lambda wildcards, input: " ".join(
                [
                    repeated("--ranking", input.rankings),
                    repeated("--perplexity", input.perplexities),
                ]
            ),
            folder=subpath(output[0], parent=True),
        message:
            "figures of selection"
        shell:
            "python -m contextnmt selection-figures {params.files}"
            " --experiment {params.experiment:q} --out {params.folder} > {log} 2>&1"


rule choi2017_table2:
    output:
        report(
            "<results>/report/tables/table2.csv",
            caption="../report/table2.rst",
            category="Tables",
        ),
        expand("<results>/report/tables/table2.{suffix}", suffix=["json", "md", "tex"]),
    log:
        "<logs>/report/table2.log",
    benchmark:
        "<benchmarks>/report/table2.tsv"
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
        coverage=expand("<results>/coverage/{pair}.json", pair=PAIRS),
        pairs=expand("<results>/pairs/{pair}.json", pair=PAIRS),
    output:
        report(
            "<results>/report/tables/table3.csv",
            caption="../report/table3.rst",
            category="Tables",
        ),
        expand("<results>/report/tables/table3.{suffix}", suffix=["json", "md", "tex"]),
    log:
        "<logs>/report/table3.log",
    benchmark:
        "<benchmarks>/report/table3.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.table3"),
        experiment=experiment("choi2017", "pairs", "vocabulary_size"),
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
        expand("<results>/rule-dictionary/{pair}/rules.tsv", pair=PAIRS),
    output:
        report(
            "<results>/report/tables/symbols.csv",
            caption="../report/symbols.rst",
            category="Tables",
        ),
        expand("<results>/report/tables/symbols.{suffix}", suffix=["json", "md", "tex"]),
    log:
        "<logs>/report/symbols.log",
    benchmark:
        "<benchmarks>/report/symbols.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.symbols_table"),
        experiment=experiment("choi2017", "pairs"),
        rules=lambda wildcards, input: repeated("--rules", input),
        out=lambda wildcards, output: Path(output[0]).with_suffix(""),
    message:
        "table of symbols"
    shell:
        "python -m contextnmt symbols-table {params.rules} --experiment {params.experiment:q}"
        " --out {params.out} > {log} 2>&1"


rule choi2017_symbol_scores:
    input:
        symbol_score_files(),
    output:
        report(
            "<results>/report/tables/symbol-scores.csv",
            caption="../report/symbol-scores.rst",
            category="Tables",
        ),
        report(
            "<results>/report/tables/symbol-errors.csv",
            caption="../report/symbol-errors.rst",
            category="Tables",
        ),
        expand(
            "<results>/report/tables/{table}.{suffix}",
            table=["symbol-scores", "symbol-errors"],
            suffix=["json", "md", "tex"],
        ),
    log:
        "<logs>/report/symbol-scores.log",
    benchmark:
        "<benchmarks>/report/symbol-scores.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.symbol_scores_table"),
        experiment=experiment("choi2017", "pairs", "dev", "test"),
        scores=lambda wildcards, input: repeated("--symbol-scores", input),
        out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        errors_out=lambda wildcards, output: Path(output[1]).with_suffix(""),
    message:
        "tables of symbol scores"
    shell:
        "python -m contextnmt symbol-scores-table {params.scores}"
        " --experiment {params.experiment:q} --out {params.out}"
        " --errors-out {params.errors_out} > {log} 2>&1"
