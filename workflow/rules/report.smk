"""From numbers to tables, figures and the page of each experiment."""

# What `snakemake --report` shows; the page links to the other formats.
SHOWN, NOT_SHOWN = ["csv", "svg"], ["json", "md", "tex", "pdf", "png"]


rule configuration:
    output:
        "<results>/configuration.json",
    log:
        "<logs>/configuration.log",
    localrule: True
    params:
        # A digest, since the whole would fill the reasons of a dry run.
        told=hashlib.sha256(paths.told_to_reports().encode()).hexdigest()[:12],
    message:
        "{output}: what is made"
    run:
        write_lines(Path(output[0]), paths.told_to_reports().split("\n"))


# Rules of its own for each experiment: Snakemake knows the outputs of a rule before it knows its
# wildcards, and what there is of an experiment depends on its language pairs and systems.
for name in paths.experiments:

    rule:
        name:
            f"{name}_corpora"
        input:
            configuration="<results>/configuration.json",
            made_of=paths.contents[name].inputs("corpora"),
        output:
            [
                report(
                    path,
                    caption=f"../report/{part.caption}.rst",
                    category="Tables" if part.tables else "Figures",
                    labels=paths.labels(name, part),
                )
                for path, part in paths.in_formats(name, "corpora", *SHOWN)
            ],
            [path for path, _ in paths.in_formats(name, "corpora", *NOT_SHOWN)],
        log:
            f"<logs>/report/{name}.corpora.log",
        benchmark:
            f"<benchmarks>/report/{name}.corpora.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.report"),
            results=subpath(input.configuration, parent=True),
            experiment=name,
        message:
            f"{name}: tables and figures about corpora"
        shell:
            "python -m contextnmt report {params.results:q} {params.experiment:q} --only corpora"
            " > {log} 2>&1"


for name in paths.reported:

    rule:
        name:
            name
        input:
            configuration="<results>/configuration.json",
            made_of=paths.contents[name].inputs("systems"),
            corpora=[
                path for path, _ in paths.in_formats(name, "corpora", "json", "svg")
            ],
            # Not shown: whoever sees the page can try its systems on text of their own.
            runs=paths.contents[name].runs("run/{pair}/{system}/{seed}.json"),
            captions=paths.captions(),
        output:
            report(
                f"<results>/report/{name}/index.html",
                caption="../report/workflow.rst",
                category="Report",
                labels={"experiment": paths.marked(name)},
            ),
            [
                report(
                    path,
                    caption=f"../report/{part.caption}.rst",
                    category="Tables" if part.tables else "Figures",
                    labels=paths.labels(name, part),
                )
                for path, part in paths.in_formats(name, "systems", *SHOWN)
            ],
            [path for path, _ in paths.in_formats(name, "systems", *NOT_SHOWN)],
        log:
            f"<logs>/report/{name}.log",
        benchmark:
            f"<benchmarks>/report/{name}.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.report"),
            results=subpath(input.configuration, parent=True),
            experiment=name,
        message:
            "report: {output[0]}"
        shell:
            "python -m contextnmt report {params.results:q} {params.experiment:q} --only systems"
            " > {log} 2>&1"


if paths.reported:

    rule papers:
        input:
            configuration="<results>/configuration.json",
            pages=expand(
                "<results>/report/{experiment}/index.html", experiment=paths.reported
            ),
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
        benchmark:
            "<benchmarks>/report/papers.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.report"),
            results=subpath(input.configuration, parent=True),
        message:
            "report: {output.page}"
        shell:
            "python -m contextnmt report {params.results:q} > {log} 2>&1"


for name in paths.unreported():

    rule:
        name:
            name
        log:
            f"<logs>/report/{name}.log",
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            reason=paths.absence(name),
        message:
            "{params.reason}"
        shell:
            "echo {params.reason:q} >&2; exit 1"
