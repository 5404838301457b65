"""Single sentences in the report: as all systems translate them, and their alignments."""


def translated(experiment, pairs=None):
    """The dev and test texts of each pair of an experiment, or of some, as (pair, text)."""
    return [
        (pair, text)
        for pair in (reported_pairs(experiment) if pairs is None else pairs)
        for text in roles_of(experiment, pair)
    ]


def translated_files(experiment, side, pairs=None):
    """One side of these texts, tokenized."""
    return [
        f"{RESULTS}/tokenize/{pair}/{text}.{pair.split('-')[side]}.gz"
        for pair, text in translated(experiment, pairs)
    ]


def translations_of(stage, experiment, systems):
    """Some systems' translations of these texts: first seed, widest beam."""
    seed = CONFIGURATION["seeds"][0]
    beam = max(CONFIGURATION["experiments"][experiment]["decoding"]["beams"])
    return [
        f"{RESULTS}/{stage}/{pair}/{system}/{seed}/{text}.beam{beam}.gz"
        for pair, text in translated(experiment)
        for system in systems
        if system in finished(experiment, pair)
    ]


for name in REPORTED:

    rule:
        name:
            f"{name}_examples"
        input:
            source=translated_files(name, 0),
            reference=translated_files(name, 1),
            restored=finished_runs(
                f"{RESULTS}/restore/{{pair}}/{{system}}/{{seed}}",
                name,
                CONFIGURATION["seeds"][:1],
            ),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/examples.csv",
                caption="../report/examples.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "examples"},
            ),
            other_formats(name, "examples"),
        log:
            f"<logs>/report/{name}/examples.log",
        benchmark:
            f"<benchmarks>/report/{name}/examples.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.examples"),
            experiment=experiment(name, *TRANSLATED),
            # One param for all, since Snakemake compares params as a set: another order re-runs.
            files=lambda wildcards, input, name=name: " ".join(
                [
                    repeated("--source", input.source),
                    repeated("--reference", input.reference),
                    repeated(
                        "--hypothesis",
                        translations_of("restore", name, systems_of(name)),
                    ),
                ]
            ),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: examples"
        shell:
            "python -m contextnmt examples {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.out} > {log} 2>&1"

    rule:
        name:
            f"{name}_differences"
        input:
            source=first_test_files(name, "tokenize", 0),
            reference=first_test_files(name, "tokenize", 1),
            source_counts=count_files(name, 0),
            target_counts=count_files(name, 1),
            restored=finished_runs(
                f"{RESULTS}/restore/{{pair}}/{{system}}/{{seed}}",
                name,
                CONFIGURATION["seeds"][:1],
            ),
            stale=f"<results>/stale/{name}.json",
        output:
            report(
                f"<results>/report/{name}/tables/differences.csv",
                caption="../report/differences.rst",
                category="Tables",
                labels={"experiment": marked(name), "table": "differences"},
            ),
            other_formats(name, "differences"),
        log:
            f"<logs>/report/{name}/differences.log",
        benchmark:
            f"<benchmarks>/report/{name}/differences.tsv"
        localrule: True
        conda:
            "../../envs/contextnmt.yaml"
        params:
            *code("contextnmt.report.differences"),
            experiment=experiment(
                name, *OF_RUNS, "methods", "claims", "beams", "test", "vocabulary_size"
            ),
            # One param for all, since Snakemake compares params as a set: another order re-runs.
            files=lambda wildcards, input, name=name: " ".join(
                [
                    repeated("--source", input.source),
                    repeated("--reference", input.reference),
                    repeated("--source-counts", input.source_counts),
                    repeated("--target-counts", input.target_counts),
                    repeated("--hypothesis", first_translations(name)),
                ]
            ),
            out=lambda wildcards, output: Path(output[0]).with_suffix(""),
        message:
            f"{name}: differences"
        shell:
            "python -m contextnmt differences {params.files} --experiment {params.experiment:q}"
            " --stale {input.stale} --out {params.out} > {log} 2>&1"

    if alignment_figures(name):

        rule:
            name:
                f"{name}_alignments"
            input:
                translations=[
                    f"{RESULTS}/translate/{pair}/{aligned(name)}/{CONFIGURATION['seeds'][0]}"
                    for pair in aligned_pairs(name)
                ],
                view=[
                    view_file(pair, view_of(aligned(name)), text, pair.split("-")[0])
                    for pair, text in translated(name, aligned_pairs(name))
                ],
                source=translated_files(name, 0, aligned_pairs(name)),
                reference=translated_files(name, 1, aligned_pairs(name)),
                source_counts=[
                    f"{RESULTS}/word-counts/{pair}/{pair.split('-')[0]}.tsv"
                    for pair in aligned_pairs(name)
                ],
                target_counts=[
                    f"{RESULTS}/word-counts/{pair}/{pair.split('-')[1]}.tsv"
                    for pair in aligned_pairs(name)
                ],
                stale=f"<results>/stale/{name}.json",
            output:
                report(
                    alignment_figures(name, "svg"),
                    caption="../report/alignments.rst",
                    category="Figures",
                    labels={"experiment": marked(name)},
                ),
                alignment_figures(name, "pdf", "png"),
            log:
                f"<logs>/report/{name}/alignments.log",
            benchmark:
                f"<benchmarks>/report/{name}/alignments.tsv"
            localrule: True
            conda:
                "../../envs/contextnmt.yaml"
            params:
                *code("contextnmt.report.alignment_maps"),
                experiment=experiment(name, *TRANSLATED, "vocabulary_size"),
                # One param for all, since Snakemake compares params as a set: another order re-runs.
                files=lambda wildcards, input, name=name: " ".join(
                    [
                        repeated(
                            "--translation",
                            translations_of("translate", name, [aligned(name)]),
                        ),
                        repeated("--view", input.view),
                        repeated("--source", input.source),
                        repeated("--reference", input.reference),
                        repeated("--source-counts", input.source_counts),
                        repeated("--target-counts", input.target_counts),
                    ]
                ),
                folder=subpath(output[0], parent=True),
            message:
                f"{name}: alignments"
            shell:
                "python -m contextnmt alignment-maps {params.files}"
                " --stale {input.stale} --experiment {params.experiment:q}"
                " --out {params.folder} > {log} 2>&1"
