"""Which files a rule reads, and how their names become options of its command."""

import json

SIDES = ["source", "target"]
VOCABULARIES = ["vocabulary.source.tsv", "vocabulary.target.tsv"]
BINARIZED = [
    "manifest.json",
    "dev.reference.gz",
    *VOCABULARIES,
    *expand(
        "{part}.{side}.{array}.npy",
        part=["train", "dev"],
        side=SIDES,
        array=["ids", "offsets"],
    ),
]


def pair_of(wildcards):
    """The language pair of a rule that knows its two sides."""
    return f"{wildcards.source}-{wildcards.target}"


def filled(pattern, wildcards, **others):
    """The path of a result by a pattern with the names of wildcards, and `others`, in braces."""
    return f"{RESULTS}/{pattern}".format_map({**dict(wildcards.items()), **others})


def in_training(pattern):
    """Input function: the files by `pattern` of all parts of the training text of a pair."""
    return lambda wildcards: [
        filled(pattern, wildcards, pair=pair, part=part)
        for pair in [wildcards.get("pair") or pair_of(wildcards)]
        for part in training_parts(pair)
    ]


def repeated(option, values):
    """`option` once for each of `values`."""
    return " ".join(f"{option} {shlex.quote(str(value))}" for value in values)


def view_file(pair, view, text, language, aware=False):
    """The file that holds one side of a text, or of a part of the training text, in a view.

    `aware`: symbols were made with both sides in sight, as in the training text, so that the two
    sides fit; the texts to translate are made from the source alone (A26).
    """
    trained = text in training_parts(pair)
    aware = ".pair" if aware and "sym" in view and not trained else ""
    if view == "word":
        stage = "select" if trained else "tokenize"
    else:
        stage = "symbolize" if view == "sym" else "bpe"
    folder = f"bpe/{pair}/{view}" if stage == "bpe" else f"{stage}/{pair}"
    return f"{RESULTS}/{folder}/{text}{aware}.{language}.gz"


def training_files(pair, view, language):
    """One side of the training text in a view: its parts, in order."""
    return [view_file(pair, view, part, language) for part in training_parts(pair)]


def codes_languages(pair):
    """Names of a pair's files of codes: one a language, or one for both together (A16)."""
    return [pair] if CONFIGURATION["text"]["joint_bpe"] else pair.split("-")


def codes(wildcards):
    """The codes that cut a side of a text into subwords."""
    languages = next(
        name
        for name in codes_languages(wildcards.pair)
        if wildcards.language in name.split("-")
    )
    return f"{RESULTS}/bpe/{wildcards.pair}/{wildcards.view}/codes.{languages}"


def dev_files(language):
    """The dev texts of a pair in a view, one side."""
    return lambda wildcards: [
        view_file(
            pair_of(wildcards), wildcards.view, text, wildcards[language], aware=True
        )
        for text in texts(pair_of(wildcards), "dev")
    ]


def train_files(language):
    """The parts of the training text of a pair in a view, one side."""
    return lambda wildcards: training_files(
        pair_of(wildcards), wildcards.view, wildcards[language]
    )


def other_filters(wildcards):
    """The filters of other systems that a run's training pairs have to pass."""
    return configurations.other_filters(CONFIGURATION, wildcards.pair, wildcards.system)


def training_data(wildcards):
    """What a training reads: its own view first, then those of the other filters."""
    views = [recipe(wildcards), *other_filters(wildcards)]
    folders = dict.fromkeys(binarize_folder(wildcards.pair, each) for each in views)
    return [f"{folder}/{file}" for folder in folders for file in BINARIZED]


def binarize_folder(pair, made):
    """Where the ids of a recipe's or a filter's view lie."""
    return f"{RESULTS}/binarize/{pair}/{made['view']}"


def filter_settings(pair, filters):
    """Filters of training pairs, each a view with its limits, as commands want them."""
    return [
        settings(
            {
                "data": binarize_folder(pair, each),
                "max_length": each["max_length"],
                "unknown_limit": each["unknown_limit"],
            }
        )
        for each in filters
    ]


def filter_options(wildcards):
    """The options that tell `train` of the other filters."""
    return repeated(
        "--filter", filter_settings(wildcards.pair, other_filters(wildcards))
    )


def pair_filters(wildcards):
    """The options that tell `pairs` which of them are dropped before and after symbolization.

    That is by the limits of all systems that do not say otherwise; then come the filters of the
    systems themselves, none twice, in an order that does not depend on theirs.
    """
    pair = wildcards.pair
    training = CONFIGURATION["training"]
    unknown_limit = (training["unknown_limit"] or {}).get(pair, 1.0)
    limits = {**training, "unknown_limit": unknown_limit}
    before, after = filter_settings(
        pair, [{**limits, "view": view} for view in ["word", "sym"]]
    )
    recipes = [
        configurations.recipe(CONFIGURATION, pair, system)
        for system in CONFIGURATION["systems"]
    ]
    systems = filter_settings(
        pair, [{**made["training"], "view": made["view"]} for made in recipes]
    )
    return " ".join(
        [
            repeated("--filter-before", [before]),
            repeated("--filter-after", [after]),
            repeated("--filter", sorted(set(systems))),
        ]
    )


def filtered_pairs(wildcards):
    """The binarized pairs that `pairs` filters: word, sym, and the views of all systems."""
    return [
        f"{RESULTS}/binarize/{wildcards.pair}/{view}/{file}"
        for view in counted_views(wildcards.pair)
        for file in BINARIZED
    ]


def training_settings(wildcards):
    """The training of a system, as `train` wants it."""
    return settings(
        {**recipe(wildcards)["training"], "device": CONFIGURATION["device"]}
    )


def training_identity(wildcards):
    """What the state of a training must agree with to be gone on from, besides data and seed."""
    return settings(
        {
            "model": recipe(wildcards)["model"],
            "training": json.loads(training_settings(wildcards)),
            "code": code("contextnmt.training.train"),
        }
    )


def translated_texts(wildcards):
    """The source side of a run's dev and test texts, in the view of its system."""
    view, source = recipe(wildcards)["view"], wildcards.pair.split("-")[0]
    return [
        view_file(wildcards.pair, view, text, source)
        for text in texts(wildcards.pair, "dev", "test")
    ]


def evaluated_files(language):
    """The dev and test texts of a pair, one side, tokenized."""
    return lambda wildcards: [
        f"{RESULTS}/tokenize/{pair_of(wildcards)}/{text}.{wildcards[language]}.gz"
        for text in texts(pair_of(wildcards), "dev", "test")
    ]


def translations(stage, wildcards):
    """The files in a run's folder of `translate` or `restore`: one a text and beam width.

    Which texts there are depends on the language pair, so the rules declare the folder.
    """
    return [
        f"{RESULTS}/{stage}/{wildcards.pair}/{wildcards.system}/{wildcards.seed}/{name}.gz"
        for name in translation_names(wildcards)
    ]


def translation_names(wildcards):
    """Names of a run's translations, `TEXT.beamN`."""
    return [
        f"{text}.beam{beam}"
        for text in texts(wildcards.pair, "dev", "test")
        for beam in BEAMS
    ]


def references(stage):
    """The reference of each of a run's translations, as a stage wrote it."""
    return lambda wildcards: [
        f"{RESULTS}/{stage}/{wildcards.pair}/{text}.{wildcards.pair.split('-')[1]}.gz"
        for text in texts(wildcards.pair, "dev", "test")
        for _ in BEAMS
    ]


def symbol_tables(wildcards):
    """The symbols of each of a run's dev and test texts, for a system whose text has symbols."""
    if "sym" not in recipe(wildcards)["view"]:
        return []
    return [
        f"{RESULTS}/symbolize/{wildcards.pair}/{text}.symbols.tsv.gz"
        for text in texts(wildcards.pair, "dev", "test")
    ]


def rules_of(wildcards):
    """The rule dictionary of a pair, for a system whose text has symbols."""
    symbolized = "sym" in recipe(wildcards)["view"]
    return (
        [f"{RESULTS}/rule-dictionary/{wildcards.pair}/rules.tsv"] if symbolized else []
    )


def tags(wildcards):
    """The file that holds the tags of a text, and their member in it."""
    file, *_ = archive(wildcards.pair, wildcards.text, wildcards.pair.split("-")[1])
    return file, text_entry(wildcards.text)["phenomena"]


def phenomena_files():
    """The counts of each run on the first tagged test text of its pair."""
    tagged = {
        pair: [text for text in texts(pair, "test") if "phenomena" in text_entry(text)][
            :1
        ]
        for pair in PAIRS
    }
    return [
        path
        for pair in PAIRS
        for text in tagged[pair]
        for path in runs(
            f"<results>/phenomena/{{pair}}/{{system}}/{{seed}}/{text}.json", [pair]
        )
    ]


def first_test_files(stage, side):
    """One side of the first test text of each pair, as a stage wrote it."""
    return [
        f"{RESULTS}/{stage}/{pair}/{texts(pair, 'test')[0]}.{pair.split('-')[side]}.gz"
        for pair in PAIRS
    ]


def first_translations():
    """Every system's translation of the first test text: first seed, widest beam."""
    seed = CONFIGURATION["seeds"][0]
    return [
        f"{RESULTS}/restore/{pair}/{system}/{seed}/{text}.beam{max(BEAMS)}.gz"
        for pair in PAIRS
        for text in texts(pair, "test")[:1]
        for system in CONFIGURATION["systems"]
    ]


def experiment(name, *needed):
    """What a report command must know of an experiment, as JSON.

    Keys that are not `needed` are empty, so that a change of theirs does not re-run the command.
    """
    entry = CONFIGURATION["experiments"][name]
    systems = [
        system for system in CONFIGURATION["systems"] if system in entry["systems"]
    ]
    content = {
        "title": entry["title"],
        "preset": CONFIGURATION["preset"],
        "corpora": CONFIGURATION["about"],
        "pairs": PAIRS,
        "systems": [
            {
                "id": system,
                **{key: entry["systems"][system][key] for key in ["label", "view"]},
            }
            for system in systems
        ],
        "seeds": CONFIGURATION["seeds"],
        "beams": BEAMS,
        "dev": {pair: entry["texts"][pair]["dev"] for pair in PAIRS},
        "test": {pair: entry["texts"][pair]["test"] for pair in PAIRS},
        "vocabulary_size": CONFIGURATION["text"]["vocabulary_size"],
        "config_digest": configurations.digest(CONFIGURATION),
        "deviations": configurations.deviations(BASE / "workflow", CONFIGURATION),
    }
    shown = {
        key: value if key in needed else type(value)() for key, value in content.items()
    }
    return settings({"name": name, **shown})
