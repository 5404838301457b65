"""Reports, and every stage by a name without wildcards."""

training_parts, other_texts = paths.all_training_parts(), paths.other_texts()
selected_pairs = [pair for pair in paths.pairs if paths.selection(pair)]

TARGETS = {
    "download": paths.archive_files(),
    "extracted": paths.side_files("extract", training_parts + other_texts),
    "tokenized": paths.side_files("tokenize", training_parts + other_texts),
    "surveyed": paths.of_pairs("survey/{}/{}.fingerprints.npy", paths.surveyed_parts()),
    "cleaned": paths.side_files("clean", training_parts),
    "sampled": paths.of_pairs(
        "sample/{}/sample.{}.gz", paths.languages(selected_pairs)
    ),
    "estimated": [
        path
        for file in LANGUAGE_MODELS
        for path in paths.of_pairs(
            f"language-models/{{}}/{{}}.{file}", paths.languages(selected_pairs)
        )
    ],
    "cross_entropies": paths.of_pairs(
        "cross-entropy/{}/{}.scores.npy",
        [(pair, part) for pair, part in training_parts if pair in selected_pairs],
    ),
    "ranked": expand("<results>/rank/{pair}.json", pair=selected_pairs),
    "selected": paths.side_files("select", training_parts),
    "words_counted": paths.of_pairs(
        "word-counts/{}/{}.tsv", paths.languages(paths.pairs)
    ),
    "perplexities": expand("<results>/perplexity/{pair}.json", pair=selected_pairs),
    "symbolized": paths.symbolized_files(),
    "dictionaries": expand(
        "<results>/rule-dictionary/{pair}/rules.tsv", pair=paths.pairs
    ),
    "subwords": paths.subword_files(),
    "binarized": [
        path
        for pair in paths.pairs
        for path in paths.binarized(pair, paths.views(pair))
    ],
    "models": paths.runs("train/{pair}/{system}/{seed}/model.json"),
    "run_files": paths.runs("run/{pair}/{system}/{seed}.json"),
    "translations": paths.translating("translate/{pair}/{system}/{seed}"),
    "restored": paths.translating("restore/{pair}/{system}/{seed}"),
    "lines_known": paths.known_lines_of_all(),
    "scores": paths.translating("score/{pair}/{system}/{seed}/scores.json"),
    "lexicons": paths.lexicons(),
    "replaced": paths.of_reports("score", "replaced.json"),
    "overlaps": paths.of_reports("overlap"),
    "coverages": paths.of_reports("coverage"),
    "pairs_counted": paths.of_reports("pairs"),
    "counts": paths.of_reports("phenomena"),
    "symbols_scored": paths.of_reports("symbol-scores"),
    "compared": paths.of_reports("significance"),
    "lengths_scored": paths.of_reports("length-scores"),
    "word_vectors": [
        f"{paths.results}/cbow/{Path(chart).stem}/vectors.safetensors"
        for chart in paths.of_reports("local-charts")
    ],
    "words_charted": paths.of_reports("local-charts"),
    "browser_models": paths.of_reports("browser-model"),
    "contexts_masked": paths.of_reports("masks"),
}

for name, files in TARGETS.items():

    rule:
        name:
            name
        input:
            files,
        localrule: True


rule configuration:
    output:
        "<results>/configuration.json",
    log:
        "<logs>/configuration.log",
    localrule: True
    params:
        # A digest, since the whole would fill the reasons of a dry run.
        content=hashlib.sha256(paths.report_configuration().encode()).hexdigest()[:12],
    message:
        "configuration: {output}"
    run:
        write_lines(Path(output[0]), paths.report_configuration().split("\n"))


# Rules of its own for each experiment: Snakemake knows the outputs of a rule before it knows its
# wildcards, and what there is of an experiment depends on its language pairs and systems.
for name in paths.experiments:

    rule:
        name:
            f"{name}_corpora"
        input:
            configuration="<results>/configuration.json",
            made_of=inputs(paths.results_of[name], "corpora"),
        output:
            in_all_formats(name, "corpora"),
        log:
            f"<logs>/report/{name}.corpora.log",
        localrule: True
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
            made_of=inputs(paths.results_of[name], "systems"),
            corpora=[
                path for path, _ in paths.in_formats(name, "corpora", "json", "svg")
            ],
            # Not shown: whoever sees the page can try its systems on text of their own.
            runs=[*map(str, paths.results_of[name].of_runs("run", ".json").values())],
            captions=sorted(map(os.path.relpath, BASE.glob("workflow/report/*.rst"))),
        output:
            report(
                f"<results>/report/{name}/index.html",
                caption="../report/workflow.rst",
                category="Report",
                labels={"experiment": paths.marked(name)},
            ),
            f"<results>/report/{name}/{METADATA}",
            f"<results>/report/{name}/{CONFIGURATION}",
            directory(f"<results>/report/{name}/{WORKFLOW}"),
            in_all_formats(name, "systems"),
        log:
            f"<logs>/report/{name}.log",
        localrule: True
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
        localrule: True
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
        default_target: DEFAULT and name == "all"
        log:
            f"<logs>/report/{name}.log",
        localrule: True
        params:
            reason=paths.absence(name),
        message:
            "{params.reason}"
        shell:
            "echo {params.reason:q} >&2; exit 1"
