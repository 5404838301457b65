"""From numbers to tables, figures and the page of each experiment."""

# What a command must know of an experiment. The page says more of it than tables and figures.
MARKED = ["pairs", "reconstruction"]
OF_RUNS = [*MARKED, "systems", "seeds"]
OF_BLEU = [*OF_RUNS, "table", "methods", "beams", "dev", "test"]
OF_BLEU += ["translations", "ensemble"]
CLAIMED = [*OF_RUNS, "claims", "beams", "test"]
PAGE = [*OF_BLEU, "title", "preset", "corpora", "vocabulary_size", "config_digest"]
PAGE += ["deviations"]
TRANSLATED = [*OF_RUNS, "beams", "dev", "test", "sentences"]

CAPTIONS = ["alignments", "differences", "examples"]
CAPTIONS += [
    "bleu-table",
    "claims",
    "cleaning",
    "curves",
    "gains",
    "length-scores",
    "lengths",
    "literature",
]
CAPTIONS += ["phenomena", "selection", "selection-figures", "significance"]
CAPTIONS += ["restoration", "symbol-errors", "symbol-scores", "symbols"]
CAPTIONS += ["table1", "table2", "table3", "trainings", "unknown-words", "workflow"]
CAPTIONS += ["gates", "local-charts", "masks", "masks-figure"]


rule stale:
    input:
        models=lambda wildcards: finished_runs(
            "<results>/train/{pair}/{system}/{seed}/model.json", wildcards.experiment
        ),
        identities=lambda wildcards: finished_runs(
            "<results>/train-identity/{pair}/{system}/{seed}.json",
            wildcards.experiment,
        ),
    output:
        "<results>/stale/{experiment}.json",
    log:
        "<logs>/stale/{experiment}.log",
    benchmark:
        "<benchmarks>/stale/{experiment}.tsv"
    localrule: True
    conda:
        "../../envs/contextnmt.yaml"
    params:
        *code("contextnmt.report.stale"),
        experiment=lambda wildcards: experiment(wildcards.experiment, *OF_RUNS),
        recipes=lambda wildcards: recipes_of(wildcards.experiment),
        # One param for both, since Snakemake compares params as a set: another order re-runs.
        files=lambda wildcards, input: " ".join(
            [
                repeated("--model", input.models),
                repeated("--identity", input.identities),
            ]
        ),
    message:
        "{wildcards.experiment}: what is stale"
    shell:
        "python -m contextnmt stale {params.files} --recipes {params.recipes:q}"
        " --experiment {params.experiment:q} --out {output} > {log} 2>&1"


# Rules of its own for each experiment: Snakemake knows the outputs of a rule before it knows its
# wildcards, and the language pairs, hence the files, depend on the experiment.
for name in REPORTED:

    rule:
        name:
            f"{name}_{bleu_table(name)}"
        input:
            scores=finished_runs(
                "<results>/score/{pair}/{system}/{seed}/scores.json", name
            ),
            ensembles=finished_ensembles(
                "<results>/score/{pair}/{system}/{seed}/scores.json", name
            ),
            significance=significance_files(name),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/{bleu_table(name)}.csv",
                caption="../report/bleu-table.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": bleu_table(name)},
            ),
            other_formats(name, bleu_table(name)),
        log:
            f"<logs>/report/{name}/{bleu_table(name)}.log",
        benchmark:
            f"<benchmarks>/report/{name}/{bleu_table(name)}.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.bleu_table"),
            experiment=experiment(name, *OF_BLEU),
            files=lambda wildcards, input: " ".join(
                [
                    repeated("--scores", input.scores),
                    repeated("--ensemble-scores", input.ensembles),
                    repeated("--significance", input.significance),
                ]
            ),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: BLEU"
        shell:
            "python -m contextnmt bleu-table {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.out} > {log} 2>&1"

    if phenomena_files(name):

        rule:
            name:
                f"{name}_phenomena"
            input:
                files=phenomena_files(name),
                stale=f"<results>/stale/{name}.json",
            output:
                report(
                    f"<results>/report/{name}/tables/phenomena.csv",
                    caption="../report/phenomena.rst",
                    category="Tables",
                    labels={"experiment": marked(name), "table": "phenomena"},
                ),
                other_formats(name, "phenomena"),
            log:
                f"<logs>/report/{name}/phenomena.log",
            benchmark:
                f"<benchmarks>/report/{name}/phenomena.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.phenomena_table"),
                experiment=experiment(name, *OF_RUNS, "beams"),
                files=lambda wildcards, input: repeated("--phenomena", input.files),
                out=lambda wildcards, output: Path(output[0]).with_suffix(""),
            message:
                f"{name}: table of phenomena"
            shell:
                "python -m contextnmt phenomena-table {params.files} --experiment {params.experiment:q}"
                " --stale {input.stale} --out {params.out} > {log} 2>&1"

    rule:
        name:
            f"{name}_curves"
        input:
            logs=finished_runs("<results>/train/{pair}/{system}/{seed}/log.jsonl", name),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                curve_figures(name, "svg"),
                caption="../report/curves.rst",
                category="Figures",
                labels={"experiment": marked(name)},
            ),
            curve_figures(name, "pdf", "png"),
        log:
            f"<logs>/report/{name}/curves.log",
        benchmark:
            f"<benchmarks>/report/{name}/curves.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.curves"),
            experiment=experiment(name, *OF_RUNS),
            files=lambda wildcards, input: repeated("--log", input.logs),
            folder=subpath(output[0], parent=True),
        message:
            f"{name}: learning curves"
        shell:
            "python -m contextnmt curves {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.folder} > {log} 2>&1"

    rule:
        name:
            f"{name}_trainings"
        input:
            models=finished_runs(
                "<results>/train/{pair}/{system}/{seed}/model.json", name
            ),
            logs=finished_runs("<results>/train/{pair}/{system}/{seed}/log.jsonl", name),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/trainings.csv",
                caption="../report/trainings.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "trainings"},
            ),
            other_formats(name, "trainings"),
        log:
            f"<logs>/report/{name}/trainings.log",
        benchmark:
            f"<benchmarks>/report/{name}/trainings.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.trainings_table"),
            experiment=experiment(name, *OF_RUNS),
            # One param for both, since Snakemake compares params as a set: another order re-runs.
            files=lambda wildcards, input: " ".join(
                [
                    repeated("--model", input.models),
                    repeated("--log", input.logs),
                ]
            ),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: table of trainings"
        shell:
            "python -m contextnmt trainings-table {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.out} > {log} 2>&1"

    rule:
        name:
            f"{name}_gains"
        input:
            bleu=f"<results>/report/{name}/tables/{bleu_table(name)}.json",
            significance=f"<results>/report/{name}/tables/significance.json",
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                gain_figures(name, "svg"),
                caption="../report/gains.rst",
                category="Figures",
                labels={"experiment": marked(name)},
            ),
            gain_figures(name, "pdf", "png"),
        log:
            f"<logs>/report/{name}/gains.log",
        benchmark:
            f"<benchmarks>/report/{name}/gains.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.gains"),
            experiment=experiment(name, *OF_BLEU),
            folder=subpath(output[0], parent=True),
        message:
            f"{name}: figure of gains"
        shell:
            "python -m contextnmt gains --bleu-table {input.bleu}"
            " --significance-table {input.significance} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.folder} > {log} 2>&1"

    rule:
        name:
            name
        input:
            tables=tables_of(name),
            figures=[
                *gain_figures(name, "svg"),
                *curve_figures(name, "svg"),
                *length_figures(name, "svg"),
                *selection_figures(name, "svg"),
                *(
                    chart_figures("svg") + mask_figures("svg")
                    if name in ANALYSED
                    else []
                ),
                *alignment_figures(name, "svg"),
            ],
            models=finished_runs(
                "<results>/train/{pair}/{system}/{seed}/model.json", name
            ),
            stale=f"<results>/stale/{name}.json",
            # Not shown: whoever sees the page can try its systems on text of their own.
            runs=finished_runs("<results>/run/{pair}/{system}/{seed}.json", name),
            captions=[
                os.path.relpath(BASE / f"workflow/report/{caption}.rst")
                for caption in CAPTIONS
            ],
        output:
            report(
                f"<results>/report/{name}/index.html",
                caption="../report/workflow.rst",
                category="Report",
                labels={"experiment": marked(name)},
            ),
        log:
            f"<logs>/report/{name}/page.log",
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.page"),
            experiment=experiment(name, *PAGE),
            parts=lambda wildcards, input: " ".join(
                [
                    repeated("--table", input.tables),
                    repeated("--figure", input.figures),
                    repeated(
                        "--caption",
                        (f"{Path(path).stem}={path}" for path in input.captions),
                    ),
                    repeated("--model", input.models),
                ]
            ),
            benchmarks=repeated("--benchmark", benchmarks(name)),
            made=repeated(
                "--made",
                [f"{glob.escape(RESULTS)}/benchmarks/report/{name}/*.tsv"],
            ),
        message:
            "report: {output}"
        shell:
            "python -m contextnmt page {params.parts} {params.benchmarks} {params.made}"
            " --stale {input.stale}"
            " --experiment {params.experiment:q} --out {output} > {log} 2>&1"


if REPORTED:

    rule papers:
        input:
            tables=tables_of_papers(),
            pages=expand(
                "<results>/report/{experiment}/index.html", experiment=REPORTED
            ),
            stale=expand("<results>/stale/{experiment}.json", experiment=REPORTED),
        output:
            page=report(
                "<results>/report/index.html",
                caption="../report/papers.rst",
                category="Report",
                labels={"experiment": "all of them"},
            ),
            start="<results>/report/start.rst",
        log:
            "<logs>/report/papers.log",
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.papers"),
            experiments=repeated(
                "--experiment", (experiment(name, *PAGE) for name in REPORTED)
            ),
            files=lambda wildcards, input: " ".join(
                [
                    repeated("--table", input.tables),
                    repeated("--page", input.pages),
                    repeated("--stale", input.stale),
                ]
            ),
            missing=repeated(
                "--missing",
                (unfinished(name) for name in EXPERIMENTS if name not in REPORTED),
            ),
        message:
            "report: {output.page}"
        shell:
            "python -m contextnmt papers {params.experiments} {params.files}"
            " {params.missing} --out {output.page} --start {output.start} > {log} 2>&1"


for name in unreported():

    rule:
        name:
            name
        log:
            f"<logs>/report/{name}.log",
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            reason=absence(name),
        message:
            "{params.reason}"
        shell:
            "echo {params.reason:q} >&2; exit 1"
