"""What the analysis of contextualization looks at: systems, words, sentences. Choi et al. alone."""

ANALYSED = [name for name in REPORTED if name == "choi2017"]


def analysed_pairs():
    """The language pairs of the analysis, none without its experiment."""
    return [pair for name in ANALYSED for pair in reported_pairs(name)]


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


def contextualized_systems():
    """The systems with contextualizer."""
    return [
        system
        for system in systems_of("choi2017")
        if recipes.recipe(CONFIGURATION, PAIRS[0], system)["model"]["contextualizer"]
    ]


def contextualized_files(file):
    """A file of the finished trainings with contextualizer."""
    return [
        f"{RESULTS}/train/{pair}/{system}/{seed}/{file}"
        for pair in analysed_pairs()
        for system in contextualized_systems()
        if system in finished("choi2017", pair)
        for seed in CONFIGURATION["seeds"]
    ]


def masked_systems():
    """The systems with contextualizer whose text is most like plain words."""
    systems = contextualized_systems()
    plainest = min((VIEWS.index(view_of(system)) for system in systems), default=None)
    return [system for system in systems if VIEWS.index(view_of(system)) == plainest]


def masked_text(pair):
    """The test text whose words are compared: one that has tags, if there is one."""
    return (tagged(pair, "choi2017") or [first_test("choi2017", pair)])[0]


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


def chart_files():
    """The local charts of each pair."""
    return [f"{RESULTS}/local-charts/{pair}.json" for pair in analysed_pairs()]


def mask_files():
    """The masks of each run of the systems that are looked at."""
    return [
        f"{RESULTS}/masks/{pair}/{system}/{seed}/{masked_text(pair)}.json"
        for pair in analysed_pairs()
        for system in masked_systems()
        if system in finished("choi2017", pair)
        for seed in CONFIGURATION["seeds"]
    ]


def chart_figures(*suffixes):
    """The figures of local charts, one a pair."""
    return expand(
        "<results>/report/choi2017/figures/local-charts.{pair}.{suffix}",
        pair=analysed_pairs(),
        suffix=suffixes,
    )


def mask_figures(*suffixes):
    """The figures of masks, one a pair, if there are masks."""
    return expand(
        "<results>/report/choi2017/figures/masks.{pair}.{suffix}",
        pair=dict.fromkeys(Path(path).parts[-4] for path in mask_files()),
        suffix=suffixes,
    )


def analysis_tables():
    """The tables of charts, gates and masks."""
    gates = ["gates"] if contextualized_files("log.jsonl") else []
    return ["table1", *gates, *(["masks"] if mask_files() else [])]


def analysis_benchmarks(pair):
    """Names of the benchmarks of the analysis of a pair."""
    yield from (f"{stage}/{pair}" for stage in ["cbow", "local-charts"])
    yield from (
        str(Path(path).relative_to(RESULTS).with_suffix(""))
        for path in mask_files()
        if Path(path).relative_to(RESULTS).parts[1] == pair
    )
