"""From the papers' corpora to their tables: what depends on what, where it runs, what it needs.

Configuration: config.yaml. Run: `snakemake --profile local`. Plan only: add `-n`.
"""

from snakemake.utils import min_version

min_version("9.16")


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/corpus_inputs.smk"
include: "workflow/rules/compare_inputs.smk"
include: "workflow/rules/own_text_inputs.smk"
include: "workflow/rules/replace_inputs.smk"
include: "workflow/rules/variant_inputs.smk"
include: "workflow/rules/gap_inputs.smk"
include: "workflow/rules/outputs.smk"
include: "workflow/rules/analyse_inputs.smk"


report: "workflow/report/start.rst"


# Before the first job; neither in dry runs nor in the jobs themselves.
onstart:
    lift_rate_limit()
    refuse_anew(workflow.dag.needrun_jobs())
    if workflow.touch:
        accept_configuration(workflow.dag.needrun_jobs())
    check_downloads(workflow.dag.needrun_jobs())
    if workflow.executor_plugin.name == "slurm":
        check_slurm(workflow.dag.needrun_jobs())
    elif workflow.executor_plugin.name == "local":
        check_device(workflow.dag.needrun_jobs())


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    benchmarks=f"{RESULTS}/benchmarks",


include: "workflow/rules/scheduling.smk"
include: "workflow/rules/slurm.smk"
include: "workflow/rules/device.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/select.smk"
include: "workflow/rules/text.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/own_text.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/compare.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/targets.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/replace.smk"


if EXPERIMENTS and not REPORTED:

    rule all:
        default_target: True
        log:
            "<logs>/report/all.log",
        localrule: True
        conda:
            "envs/contextnmt.yaml"
        params:
            reason=". ".join(CONTENTS[name].unfinished() for name in EXPERIMENTS),
        message:
            "{params.reason}"
        shell:
            "echo {params.reason:q} >&2; exit 1"

else:

    rule all:
        default_target: True
        input:
            expand("<results>/report/{experiment}/index.html", experiment=REPORTED),
            "<results>/report/index.html",
        localrule: True
