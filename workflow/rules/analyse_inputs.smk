"""What the analysis of contextualization looks at: systems, words, sentences. Choi et al. alone."""


def inspected_words():
    """The words that are charted; in a text without tags, those whose masks are compared."""
    return CONFIGURATION["experiments"]["choi2017"]["inspected_words"]


def charted_systems(pair):
    """The systems of a pair whose source embeddings are of whole words."""
    return [s for s in finished("choi2017", pair) if view_of(s) == "word"]


def charted_models(file):
    """Input function: a file of the charted models of a pair, of the first seed."""
    return lambda wildcards: [
        f"{RESULTS}/train/{pair_of(wildcards)}/{system}/{CONFIGURATION['seeds'][0]}/{file}"
        for system in charted_systems(pair_of(wildcards))
    ]


def masked_view(wildcards):
    """This text as the system reads it."""
    view, source = recipe(wildcards)["view"], wildcards.pair.split("-")[0]
    return view_file(wildcards.pair, view, wildcards.text, source)


def masked_tags(wildcards):
    """The file with the tags of the text, in a list, or an empty one."""
    return [tags(wildcards)[0]] if "phenomena" in text_entry(wildcards.text) else []


def masked_words(wildcards):
    """The options that say which words are compared."""
    if not masked_tags(wildcards):
        return repeated("--word", inspected_words())
    table, target = "::".join(tags(wildcards)), wildcards.pair.split("-")[1]
    return f"--tags {shlex.quote(table)} --target-language {target}"
