"""What is translated besides: without unknown words, and by all seeds of a system together."""


def other_translations(wildcards):
    """The options of `translate` for what its searches write beside the likeliest translations.

    Alignments of every model with attention; those of an ensemble nothing reads.
    """
    made = recipe(wildcards)
    aligns = made["model"]["attention"] and wildcards.seed != "ensemble"
    decoding = made["decoding"]
    wanted = [
        ("--alignments", aligns),
        (f"--nbest {decoding['nbest']}", decoding["nbest"]),
        ("--no-unknown", decoding["no_unknown"]),
    ]
    return " ".join(option for option, asked_for in wanted if asked_for)


def ensembles(pattern):
    """`pattern` for the ensemble of every language pair and system."""
    return [
        path
        for name in EXPERIMENTS
        if CONTENTS[name].ensembles
        for path in expand(
            pattern, pair=pairs_of(name), system=systems_of(name), seed=["ensemble"]
        )
    ]


def runs_and_ensembles(pattern):
    """The same for every seed and then for the ensembles."""
    return runs(pattern) + ensembles(pattern)


def models(wildcards):
    """The folders of the models that translate together: one of a run, all seeds of an ensemble."""
    alone = wildcards.seed != "ensemble"
    return [
        f"{RESULTS}/train/{wildcards.pair}/{wildcards.system}/{seed}"
        for seed in ([wildcards.seed] if alone else CONFIGURATION["seeds"])
    ]


def model_files(wildcards):
    """What `translate` reads of them."""
    return [
        f"{folder}/{file}"
        for folder in models(wildcards)
        for file in ["model.safetensors", "model.json", *VOCABULARIES]
    ]


def model_options(wildcards):
    """The options that name them."""
    first, *others = models(wildcards)
    return " ".join(
        [repeated("--model", [first]), repeated("--ensemble", others)]
    ).strip()


def without_unknown(wildcards):
    """The texts that a run translates without unknown words too."""
    wanted = recipe(wildcards)["decoding"]["no_unknown"]
    return evaluated(wildcards.pair, wildcards.system) if wanted else []


def known_lines_of(wildcards, text):
    """Which lines of a text have no unknown word, in the view of a run's system."""
    return f"{RESULTS}/known-lines/{wildcards.pair}/{recipe(wildcards)['view']}/{text}.json"


def known_lines_files(wildcards):
    """The same of all texts that a run translates without unknown words."""
    return [known_lines_of(wildcards, text) for text in without_unknown(wildcards)]


def known_lines_of_all():
    """The same of every text and view that systems need it in."""
    return list(
        dict.fromkeys(
            f"{RESULTS}/known-lines/{pair}/{view_of(system)}/{text}.json"
            for name in EXPERIMENTS
            if CONFIGURATION["experiments"][name]["decoding"]["no_unknown"]
            for pair in pairs_of(name)
            for system in systems_of(name)
            for text in roles_of(name, pair)
        )
    )


def subsets(wildcards):
    """The options that tell `score` to look at those lines alone, of the translations without."""
    return repeated(
        "--subset",
        (
            f"{text}.beam{beam}.no-unknown={known_lines_of(wildcards, text)}"
            for text in without_unknown(wildcards)
            for beam in beams(wildcards)
        ),
    )


def stated_lines(wildcards):
    """The options that tell `score` how many lines a text has, where the configuration knows it."""
    found = {
        text: text_entry(text).get("lines")
        for text in evaluated(wildcards.pair, wildcards.system)
    }
    found = {
        text: lines.get(wildcards.pair) if isinstance(lines, dict) else lines
        for text, lines in found.items()
    }
    return repeated("--lines", (f"{text}={n}" for text, n in found.items() if n))
