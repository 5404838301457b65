"""Which translations get their unknown words replaced, and what these texts are called."""


def looks_up(pair, systems):
    """Whether unknown words of some systems are looked up: copying them (0) needs no lexicon."""
    return any(
        heuristic
        for system in systems
        if CONTENTS[SYSTEMS[system]].replaces(pair, system)
        for heuristic in recipes.recipe(CONFIGURATION, pair, system)["decoding"][
            "replace"
        ]
    )


def lexicons():
    """The lexicons of all language pairs that need one."""
    return [
        f"{RESULTS}/lexicon/{pair}.tsv.gz"
        for pair in PAIRS
        if looks_up(pair, systems_with(pair))
    ]


def lexicon_of(wildcards):
    """The lexicon that a run's unknown words are looked up in, in a list, or an empty one."""
    needed = looks_up(wildcards.pair, [wildcards.system])
    return [f"{RESULTS}/lexicon/{wildcards.pair}.tsv.gz"] if needed else []


def heuristics(wildcards):
    """The ways in which a run's unknown words are replaced."""
    return recipe(wildcards)["decoding"]["replace"]


def replaceable(wildcards, suffix):
    """A file beside each of a run's translations whose unknown words are replaced: the widest beam's."""
    folder = filled("translate/{pair}/{system}/{seed}", wildcards)
    return [
        f"{folder}/{text}.beam{max(beams(wildcards))}{suffix}"
        for text in evaluated(wildcards.pair, wildcards.system)
    ]


def replaced_names(wildcards):
    """Names of a run's translations without unknown words, `TEXT.beamN.replacedK`."""
    return [
        f"{text}.beam{max(beams(wildcards))}.replaced{heuristic}"
        for text in evaluated(wildcards.pair, wildcards.system)
        for heuristic in heuristics(wildcards)
    ]


def replaced_files(stage, wildcards):
    """These translations, as `replace-unknown` or `restore` wrote them."""
    folder = filled(f"{stage}/{{pair}}/{{system}}/{{seed}}", wildcards)
    folder += ".replaced" if stage == "restore" else ""
    return [f"{folder}/{name}.gz" for name in replaced_names(wildcards)]


def of_each_replaced(wildcards, of_texts):
    """What is given of each dev and test text of a run, in order, for each of these translations."""
    return [each for each in of_texts for _ in heuristics(wildcards)]


def replaced_references(stage):
    """Input function: the reference of each of these translations, as a stage wrote it."""
    return lambda wildcards: of_each_replaced(
        wildcards,
        [
            f"{RESULTS}/{stage}/{wildcards.pair}/{text}.{wildcards.pair.split('-')[1]}.gz"
            for text in evaluated(wildcards.pair, wildcards.system)
        ],
    )
