"""From numbers to tables, figures and the page."""

# What the page tells of an experiment: the tables and figures need less.
PAGE = [
    "title",
    "preset",
    "corpora",
    "pairs",
    "systems",
    "seeds",
    "beams",
    "dev",
    "test",
]
PAGE += ["config_digest", "deviations"]
CAPTIONS = ["cleaning", "selection", "selection-figures"]
CAPTIONS += [
    "curves",
    "gains",
    "phenomena",
    "symbol-errors",
    "symbol-scores",
    "symbols",
]
CAPTIONS += ["table2", "table3", "table4", "workflow"]


rule choi2017_table4:
    input:
        runs("<results>/score/{pair}/{system}/{seed}/scores.json"),
    output:
        report(
            "<results>/report/tables/table4.csv",
            caption="../report/table4.rst",
            category="Tables",
        ),
        expand("<results>/report/tables/table4.{suffix}", suffix=["json", "md", "tex"]),
    log:
        "<logs>/report/table4.log",
    benchmark:
        "<benchmarks>/report/table4.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.table4"),
        experiment=experiment(
            "choi2017", "pairs", "systems", "seeds", "beams", "dev", "test"
        ),
        scores=lambda wildcards, input: repeated("--scores", input),
        out=lambda wildcards, output: Path(output[0]).with_suffix(""),
    message:
        "Table 4 of Choi et al. 2017"
    shell:
        "python -m contextnmt table4 {params.scores} --experiment {params.experiment:q}"
        " --out {params.out} > {log} 2>&1"


rule choi2017_phenomena:
    input:
        phenomena_files(),
    output:
        report(
            "<results>/report/tables/phenomena.csv",
            caption="../report/phenomena.rst",
            category="Tables",
        ),
        expand(
            "<results>/report/tables/phenomena.{suffix}", suffix=["json", "md", "tex"]
        ),
    log:
        "<logs>/report/phenomena.log",
    benchmark:
        "<benchmarks>/report/phenomena.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.phenomena_table"),
        experiment=experiment("choi2017", "pairs", "systems", "seeds", "beams"),
        phenomena=lambda wildcards, input: repeated("--phenomena", input),
        out=lambda wildcards, output: Path(output[0]).with_suffix(""),
    message:
        "table of phenomena"
    shell:
        "python -m contextnmt phenomena-table {params.phenomena}"
        " --experiment {params.experiment:q} --out {params.out} > {log} 2>&1"


rule choi2017_curves:
    input:
        runs("<results>/train/{pair}/{system}/{seed}/log.jsonl"),
    output:
        report(
            expand(
                "<results>/report/figures/curves.{pair}.{quantity}.svg",
                pair=PAIRS,
                quantity=["bleu", "loss"],
            ),
            caption="../report/curves.rst",
            category="Figures",
        ),
        expand(
            "<results>/report/figures/curves.{pair}.{quantity}.{suffix}",
            pair=PAIRS,
            quantity=["bleu", "loss"],
            suffix=["pdf", "png"],
        ),
    log:
        "<logs>/report/curves.log",
    benchmark:
        "<benchmarks>/report/curves.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.curves"),
        experiment=experiment("choi2017", "pairs", "systems", "seeds"),
        logs=lambda wildcards, input: repeated("--log", input),
        folder=subpath(output[0], parent=True),
    message:
        "learning curves"
    shell:
        "python -m contextnmt curves {params.logs} --experiment {params.experiment:q}"
        " --out {params.folder} > {log} 2>&1"


rule choi2017_gains:
    input:
        "<results>/report/tables/table4.json",
    output:
        report(
            expand("<results>/report/figures/gains.{pair}.svg", pair=PAIRS),
            caption="../report/gains.rst",
            category="Figures",
        ),
        expand(
            "<results>/report/figures/gains.{pair}.{suffix}",
            pair=PAIRS,
            suffix=["pdf", "png"],
        ),
    log:
        "<logs>/report/gains.log",
    benchmark:
        "<benchmarks>/report/gains.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.gains"),
        experiment=experiment("choi2017", "pairs", "systems", "beams", "test"),
        folder=subpath(output[0], parent=True),
    message:
        "figure of gains"
    shell:
        "python -m contextnmt gains --table4 {input} --experiment {params.experiment:q}"
        " --out {params.folder} > {log} 2>&1"


rule choi2017:
    input:
        tables=[
            "<results>/report/tables/cleaning.json",
            "<results>/report/tables/selection.json",
            "<results>/report/tables/table4.json",
            "<results>/report/tables/table2.json",
            "<results>/report/tables/table3.json",
            "<results>/report/tables/symbols.json",
            *(["<results>/report/tables/phenomena.json"] if phenomena_files() else []),
            *(
                expand(
                    "<results>/report/tables/{table}.json",
                    table=["symbol-scores", "symbol-errors"],
                )
                if symbol_score_files()
                else []
            ),
        ],
        figures=[
            *expand("<results>/report/figures/gains.{pair}.svg", pair=PAIRS),
            *expand(
                "<results>/report/figures/curves.{pair}.{quantity}.svg",
                pair=PAIRS,
                quantity=["bleu", "loss"],
            ),
            *selection_figures("svg"),
        ],
        models=runs("<results>/train/{pair}/{system}/{seed}/model.json"),
        source=first_test_files("tokenize", 0),
        reference=first_test_files("tokenize", 1),
        restored=runs("<results>/restore/{pair}/{system}/{seed}"),
        captions=[
            os.path.relpath(BASE / f"workflow/report/{name}.rst") for name in CAPTIONS
        ],
    output:
        report(
            "<results>/report/index.html",
            caption="../report/workflow.rst",
            category="Report",
        ),
    log:
        "<logs>/report/page.log",
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.page"),
        experiment=experiment("choi2017", *PAGE),
        parts=lambda wildcards, input: " ".join(
            [
                repeated("--table", input.tables),
                repeated("--figure", input.figures),
                repeated(
                    "--caption",
                    (f"{Path(path).stem}={path}" for path in input.captions),
                ),
                repeated("--model", input.models),
                repeated(
                    "--restored",
                    (f"{folder}/restored.json" for folder in input.restored),
                ),
            ]
        ),
        examples=lambda wildcards, input: " ".join(
            [
                repeated("--source", input.source),
                repeated("--reference", input.reference),
                repeated("--hypothesis", first_translations()),
            ]
        ),
        benchmarks=benchmarks(),
    message:
        "report: {output}"
    shell:
        "python -m contextnmt page {params.parts} {params.examples}"
        # Snakemake lets a benchmark file be deleted, and does not make it again.
        " $(ls {params.benchmarks} 2> /dev/null | sed 's/^/--benchmark /')"
        " --experiment {params.experiment:q} --out {output} > {log} 2>&1"
