"""Which files the rules from the corpora to the training text read, and options of their commands."""

from contextnmt.corpus.download import HTTP

SURVEYING_FILTERS = ["wrong_language", "drop_duplicates"]
LANGUAGE_MODELS = ["vocabulary.txt", "in-domain.npz", "general.npz"]


def file_entry(wildcards):
    """What the configuration says about a file of a corpus."""
    return CONFIGURATION["corpora"][wildcards.corpus]["files"][wildcards.file]


def archive(pair, text, language):
    """Path of the file with one side of a text, the member in it or None, and its digest or None.

    The package makes some files itself (generate); they have no fixed digest. Others are the
    user's own (local) and are read where they are.
    """
    corpus, file, member = place(CONFIGURATION, pair, text, language)
    entry = CONFIGURATION["corpora"][corpus]["files"][file]
    stage = "generate" if "generator" in entry else "download"
    path = entry.get("local", f"{RESULTS}/{stage}/{corpus}/{file}")
    return path, member, next(iter(digests(entry)), None)


def archive_of(wildcards, side):
    """The same, for the wildcards of rule extract and `side` source or target."""
    return archive(pair_of(wildcards), wildcards.text, wildcards[side])


def archive_file(side):
    """Input function: the file with one side of a text."""
    return lambda wildcards: archive_of(wildcards, side)[0]


def extracted_parts(side, count):
    """Output names: one side of a text that is cut into `count` parts."""
    return [
        f"<results>/extract/{{source}}-{{target}}/{part}.{{{side}}}.gz"
        for part in places.numbered("{text}", count)
    ]


def extraction(pair, text, count):
    """What the log and the benchmark of the extraction of `count` parts are called."""
    return f"extract/{pair}/{text}" + (f".{count}" if count > 1 else "")


def archive_member(side):
    """Param function: the same with the member, as `extract` wants it."""
    return lambda wildcards: "::".join(filter(None, archive_of(wildcards, side)[:2]))


def extraction_options(wildcards):
    """What else `extract` is told: columns, numbers of pairs, digests, as far as they are stated."""
    entry, pair = text_entry(wildcards.text), pair_of(wildcards)
    columns = {language: n for n, language in enumerate(entry.get("columns", []), 1)}
    lines = {key: entry.get(key) for key in ["lines", "lines_recalled"]}
    stated = {
        **{f"--{side}-column": columns.get(wildcards[side]) for side in SIDES},
        "--columns": len(columns),
        **{
            f"--{key.replace('_', '-')}": (
                value.get(pair) if isinstance(value, dict) else value
            )
            for key, value in lines.items()
        },
        **{f"--{side}-digest": archive_of(wildcards, side)[2] for side in SIDES},
    }
    return " ".join(f"{option} {value}" for option, value in stated.items() if value)


def copies():
    """The options that name places with copies of downloads."""
    hand_placed = CONFIGURATION["hand_placed"]
    return " ".join(
        [
            repeated("--mirror", CONFIGURATION["mirrors"]),
            repeated("--hand-placed", [hand_placed] if hand_placed else []),
        ]
    )


def check_folders_with_copies():
    """End the program unless the folders are there that downloads may be copied from.

    Only before downloads, which run where Snakemake does: other machines need not see the folders.
    """
    named = {f"mirrors[{n}]": name for n, name in enumerate(CONFIGURATION["mirrors"])}
    if CONFIGURATION["hand_placed"]:
        named["hand_placed"] = CONFIGURATION["hand_placed"]
    for key, name in named.items():
        if not name.startswith(HTTP) and not Path(name).is_dir():
            sys.exit(
                f"{key}: {Path(name).absolute()}: no such folder: correct it or leave it out"
            )


def check_downloads(jobs):
    """Before downloads: say what they take and under which terms; end the program if one cannot be."""
    downloads = [job for job in jobs if job.rule.name == "download_file"]
    if downloads:
        check_folders_with_copies()
        announce_downloads(downloads)


def digests(entry):
    """The digests that a corpus file has to have, each as `extract` wants it, the best one first."""
    return [
        f"{kind}:{entry[kind].lower()}" for kind in ["sha256", "md5"] if kind in entry
    ]


def digests_of(wildcards):
    """What tells a file to fetch from any other one."""
    return digests(file_entry(wildcards))


def needs_survey(pair, text, *filters):
    """Whether clean has to be told of all parts of a text, by these of its filters or any.

    Of a text in one piece, it can survey all by itself.
    """
    clean = CONFIGURATION["clean"][pair]
    wanted = any(clean.get(name) for name in filters or SURVEYING_FILTERS)
    return wanted and shards(text) > 1


def surveyed(pattern, wanted):
    """Input function: what the filter `wanted` of clean has to know of all parts of a text."""
    return lambda wildcards: [
        filled(f"survey/{pair_of(wildcards)}/{pattern}", wildcards, part=part)
        for text in [wildcards.part.partition(".")[0]]
        if needs_survey(pair_of(wildcards), text, wanted)
        for part in parts(text)
    ]


def earlier_and_own(inputs):
    """Input function: those of the files by `inputs` up to the part's own."""
    return lambda wildcards: [
        path
        for number, path in enumerate(inputs(wildcards))
        if number <= parts(wildcards.part.partition(".")[0]).index(wildcards.part)
    ]


def in_domain(language):
    """The in-domain texts that the selection of a pair goes by, one language, tokenized."""
    return lambda wildcards: [
        f"{RESULTS}/tokenize/{pair}/{text}.{wildcards[language]}.gz"
        for pair in [wildcards.get("pair") or pair_of(wildcards)]
        for text in selection(pair)["in_domain"]
    ]


def models_prefix(wildcards, side):
    """What the names of the language models of one side of a pair begin with."""
    return f"{RESULTS}/language-models/{pair_of(wildcards)}/{wildcards[side]}"


def language_models(side):
    """Input function: the models that score one side of the pool."""
    return lambda wildcards: [
        f"{models_prefix(wildcards, side)}.{file}" for file in LANGUAGE_MODELS
    ]


def if_selected(pattern):
    """Input function: the file by `pattern`, for a pair whose training text is selected."""
    return lambda wildcards: (
        filled(pattern, wildcards) if selection(pair_of(wildcards)) else []
    )


def perplexity_words(wildcards):
    """The most words that the models of rule perplexity are made of."""
    return selection(pair_of(wildcards)).get("perplexity_words", 2**25)


def perplexity_memory(wildcards):
    """Megabytes for these models and for the pool, of which 40 million pairs take 2,000."""
    return 4000 + perplexity_words(wildcards) * 130 // 1_000_000


def selection_limit(wildcards):
    """The option that says how much is selected."""
    (limit,) = (
        f"--{key.replace('_', '-')} {selection(wildcards.pair)[key]}"
        for key in ["target_words", "pairs"]
        if selection(wildcards.pair).get(key)
    )
    return limit
