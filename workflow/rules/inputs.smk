"""Which files a rule reads, and how their names become options of its command."""

import json

from contextnmt.report.contents import endings

SIDES = ["source", "target"]
TRAINED_FILES = ["model.safetensors", "model.json", "log.jsonl"]
VOCABULARIES = ["vocabulary.source.tsv", "vocabulary.target.tsv"]
BINARIZED = [
    "manifest.json",
    *VOCABULARIES,
    *expand("train.{side}.{array}.npy", side=SIDES, array=["ids", "offsets"]),
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
    return codes_file(wildcards.pair, wildcards.view, wildcards.language)


def codes_file(pair, view, language):
    """The codes of a language in a view of a pair."""
    languages = next(
        name for name in codes_languages(pair) if language in name.split("-")
    )
    return f"{RESULTS}/bpe/{pair}/{view}/codes.{languages}"


def dev_files(side):
    """Input function: the dev texts of a run in the view of its system, one side."""
    return lambda wildcards: [
        view_file(
            wildcards.pair,
            recipe(wildcards)["view"],
            text,
            wildcards.pair.split("-")[SIDES.index(side)],
            aware=True,
        )
        for text in evaluated(wildcards.pair, wildcards.system, "dev")
    ]


def train_files(language):
    """The parts of the training text of a pair in a view, one side."""
    return lambda wildcards: training_files(
        pair_of(wildcards), wildcards.view, wildcards[language]
    )


def other_filters(wildcards):
    """The filters of other systems that a run's training pairs have to pass."""
    return recipes.other_filters(CONFIGURATION, wildcards.pair, wildcards.system)


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

    That is by the limits of the experiment, where its systems do not say otherwise; then come the
    filters of the systems themselves, none twice, in an order that does not depend on theirs.
    """
    pair = wildcards.pair
    training = CONFIGURATION["experiments"]["choi2017"]["training"]
    unknown_limit = (training["unknown_limit"] or {}).get(pair, 1.0)
    limits = {**training, "unknown_limit": unknown_limit}
    before, after = filter_settings(
        pair, [{**limits, "view": view} for view in ["word", "sym"]]
    )
    made = [
        recipes.recipe(CONFIGURATION, pair, system) for system in systems_of("choi2017")
    ]
    systems = filter_settings(
        pair, [{**each["training"], "view": each["view"]} for each in made]
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
    """What the state of a training must agree with to be gone on from, besides texts and seed."""
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
        for text in evaluated(wildcards.pair, wildcards.system)
    ]


def beams(wildcards):
    """The beam widths that a run translates with."""
    return recipe(wildcards)["decoding"]["beams"]


def symbolic_systems(pair):
    """The systems of `pair` whose text has symbols."""
    return [system for system in systems_with(pair) if "sym" in view_of(system)]


def symbolic_texts(pair):
    """The dev and test texts of the systems of `pair` whose text has symbols."""
    return list(
        dict.fromkeys(
            text
            for system in symbolic_systems(pair)
            for text in evaluated(pair, system)
        )
    )


def symbolic_files(language):
    """Input function: these texts, one side, tokenized."""
    return lambda wildcards: [
        f"{RESULTS}/tokenize/{pair_of(wildcards)}/{text}.{wildcards[language]}.gz"
        for text in symbolic_texts(pair_of(wildcards))
    ]


def translations(stage, wildcards):
    """The files in a run's folder of `translate` or `restore`: one a translation.

    Which texts there are depends on the language pair, so the rules declare the folder.
    """
    return [
        f"{RESULTS}/{stage}/{wildcards.pair}/{wildcards.system}/{wildcards.seed}/{name}.gz"
        for name in translation_names(wildcards)
    ]


def likeliest(wildcards):
    """The files that a run's beam searches are told to write: one a text and beam width."""
    return [
        f"{RESULTS}/translate/{wildcards.pair}/{wildcards.system}/{wildcards.seed}/{text}.beam{beam}.gz"
        for text in evaluated(wildcards.pair, wildcards.system)
        for beam in beams(wildcards)
    ]


def translation_names(wildcards):
    """Names of a run's translations, `TEXT.beamN` and `TEXT.beamN.VARIANT`."""
    return [
        f"{text}.{ending}"
        for text in evaluated(wildcards.pair, wildcards.system)
        for ending in endings(recipe(wildcards)["decoding"])
    ]


def of_each_translation(wildcards, of_texts):
    """What is given of each dev and test text of a run, in order, for each of its translations."""
    return [each for each in of_texts for _ in endings(recipe(wildcards)["decoding"])]


def references(stage):
    """The reference of each of a run's translations, as a stage wrote it."""
    return lambda wildcards: of_each_translation(
        wildcards,
        (
            f"{RESULTS}/{stage}/{wildcards.pair}/{text}.{wildcards.pair.split('-')[1]}.gz"
            for text in evaluated(wildcards.pair, wildcards.system)
        ),
    )


def symbol_tables(wildcards):
    """The symbols of each of a run's dev and test texts, for a system whose text has symbols."""
    if "sym" not in recipe(wildcards)["view"]:
        return []
    return [
        f"{RESULTS}/symbolize/{wildcards.pair}/{text}.symbols.tsv.gz"
        for text in evaluated(wildcards.pair, wildcards.system)
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


def deviations(experiment):
    """What is not the paper's, with the systems by their labels."""
    paper = layers.of_paper(BASE / "workflow", experiment)
    systems = CONFIGURATION["experiments"][experiment]["systems"]
    return [
        {**each, "system": systems[each["system"]]["label"] if each["system"] else ""}
        for each in recipes.deviations(paper, CONFIGURATION, experiment)
    ]
