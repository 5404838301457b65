"""What is compared: the translations of a test text by all systems of an experiment."""


def compared_runs(wildcards):
    """The folders of all translations that are compared."""
    return expand(
        "<results>/restore/{pair}/{system}/{seed}",
        pair=wildcards.pair,
        system=finished(wildcards.experiment, wildcards.pair),
        seed=CONFIGURATION["seeds"],
    )


def compared_side(side):
    """Input function: one side of the text that is compared on, tokenized."""
    return lambda wildcards: filled(
        "tokenize/{pair}/{text}.{language}.gz",
        wildcards,
        language=wildcards.pair.split("-")[SIDES.index(side)],
    )


def compared_translations(wildcards):
    """The options that tell of all translations: system, seed and file."""
    name = "{text}.beam{beam}.gz"
    return " ".join(
        f"--system {system} --seed {seed} --hypothesis "
        + filled(f"restore/{{pair}}/{system}/{seed}/{name}", wildcards)
        for system in finished(wildcards.experiment, wildcards.pair)
        for seed in CONFIGURATION["seeds"]
    )


def compared_systems(wildcards):
    """The options that tell what is tested: the contrasts of all methods and claims, and first of
    all systems against the rest of them."""
    first, *others = systems_of(wildcards.experiment)
    systems = finished(wildcards.experiment, wildcards.pair)
    entry = CONFIGURATION["experiments"][wildcards.experiment]
    telling = [*entry["methods"].values(), *entry.get("claims", [])]
    named = (tuple(pair) for each in telling for pair in each["contrasts"])
    contrasts = dict.fromkeys([*((other, first) for other in others), *named])
    tested = (contrast for contrast in contrasts if set(contrast) <= set(systems))
    return repeated("--contrast", map(":".join, tested))
