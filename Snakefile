"""The workflow of workflow/Snakefile, for calls in this folder."""


include: "workflow/Snakefile"


workflow.default_target = "all"  # an included file cannot say so
