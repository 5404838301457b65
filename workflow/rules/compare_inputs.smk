"""What is compared: the translations of a test text by all systems of an experiment."""


def compared_texts(experiment):
    """The test texts on which systems are compared, as (pair, TEXT.beamN): the widest beam."""
    beam = max(CONFIGURATION["experiments"][experiment]["decoding"]["beams"])
    return [
        (pair, f"{text}.beam{beam}")
        for pair in reported_pairs(experiment)
        for text in roles_of(experiment, pair, "test")
    ]


def significance_files(experiment):
    """How sure the differences between systems are, a file a test text."""
    return [
        f"<results>/significance/{experiment}/{pair}/{name}.json"
        for pair, name in compared_texts(experiment)
    ]


def of_first_texts(stage, experiment):
    """The files of a stage that compares, of the first test text of each pair."""
    first = {pair: name for pair, name in reversed(compared_texts(experiment))}
    return [
        f"<results>/{stage}/{experiment}/{pair}/{first[pair]}.json"
        for pair in reported_pairs(experiment)
    ]


def first_significance_files(experiment):
    """How sure the differences between systems are on the first test text of each pair."""
    return of_first_texts("significance", experiment)


def length_score_files(experiment):
    """BLEU by sentence length on the first test text of each pair."""
    return of_first_texts("length-scores", experiment)


def length_figures(experiment, *suffixes):
    """The figures of BLEU by sentence length, one a pair."""
    return expand(
        f"<results>/report/{experiment}/figures/lengths.{{pair}}.{{suffix}}",
        pair=reported_pairs(experiment),
        suffix=suffixes,
    )


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
